//! Long contended runs of our queues that check everything they do.
//!
//! The parts take any [`Peer`], so that a queue which is broken on purpose can show that they notice.

pub mod circulation;
pub mod closing;
pub mod contended;
mod disturb;
pub mod drops;
mod fault;
pub mod peers;
mod stall;

use core::fmt;
use std::time::Instant;

use segring::Hysteresis;

use self::circulation::Circulation;
use self::closing::Closing;
use self::contended::{Logs, Outcome, Scenario};
use self::drops::Ledger;
use crate::clock::Clock;
use crate::peers::{Bounded, BoundedHandles, Handles, Peer, Rings, Shared, Upkeep};
use crate::progress::Progress;

pub use fault::{Fault, Finding};

/// The checked part of a run: what was done, and what was found.
#[derive(Debug)]
pub struct Soak<'a> {
    seed: u64,
    clock: Clock,
    progress: &'a Progress,
    done: Outcome,
    rings: Rings,
    findings: Vec<Finding>,
}

impl<'a> Soak<'a> {
    /// A broken queue is broken in every round: this many witnesses are enough.
    const MAX_FINDINGS: usize = 10;

    /// A run whose decisions follow from `seed`.
    pub fn new(seed: u64, clock: Clock, progress: &'a Progress) -> Self {
        let (done, rings) = (Outcome::default(), Rings::default());
        Self { seed, clock, progress, done, rings, findings: Vec::new() }
    }

    /// Operations so far.
    pub const fn done(&self) -> Outcome {
        self.done
    }

    /// What happened to the rings of all queues so far: whether the rare paths were taken at all.
    pub const fn rings(&self) -> Rings {
        self.rings
    }

    /// Violations so far.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Contended rounds, through references and through handles in turn, until the time is up and
    /// `at_least` operations were checked for linearizability, or the time is up twice over.
    pub fn contend(&mut self, until: Instant, at_least: u64) {
        const OPERATIONS: usize = 600_000;

        let mut logs = Logs::default();
        let mut rng = self.rng(0);
        let latest = until + until.saturating_duration_since(Instant::now());
        for round in 0.. {
            let deadline = if self.done.checked < at_least { latest } else { until };
            if self.is_over(deadline) {
                break;
            }
            self.progress.case("contended rounds, checked for linearizability");
            let scenario = Scenario::random(&mut rng, OPERATIONS);
            let policy = policy(scenario.min_slots, scenario.patience);
            let (clock, logs) = (&self.clock, &mut logs);
            let came_of_it = if round % 2 == 0 {
                examine(Handles::with(policy), |q| contended::run(q, &scenario, clock, logs))
            } else {
                examine(Shared::with(policy), |q| contended::run(q, &scenario, clock, logs))
            };
            if let Some(outcome) = self.judge(round, scenario, came_of_it) {
                self.done += outcome;
            }
        }
    }

    /// Circulations, in rings of two slots where possible, until the time is up.
    pub fn circulate(&mut self, until: Instant) {
        const MOVES: u64 = 400_000;

        let mut rng = self.rng(1);
        for round in 0.. {
            if self.is_over(until) {
                break;
            }
            self.progress.case("items circulating among as many workers");
            let circulation = Circulation::random(&mut rng, MOVES);
            let policy = policy(2, rng.u32(..3));
            let items = circulation.items;
            let came_of_it = match round % 6 {
                0 | 1 => examine(Handles::with(policy), |q| circulation.run(q)),
                2 | 3 => examine(Shared::with(policy), |q| circulation.run(q)),
                4 => examine(BoundedHandles::new(items), |q| circulation.run(q)),
                _ => examine(Bounded::new(items), |q| circulation.run(q)),
            };
            self.done.operations += self.judge(round, circulation, came_of_it).unwrap_or(0);
        }
    }

    /// Short lives, of bounded queues with little room too, until the time is up.
    pub fn close_under_way(&mut self, until: Instant) {
        let mut logs = Logs::default();
        let mut rng = self.rng(3);
        for round in 0.. {
            if self.is_over(until) {
                break;
            }
            self.progress.case("queues that are closed under way");
            let closing = Closing::random(&mut rng);
            let policy = policy(2 << rng.u32(..6), rng.u32(..3));
            let room = 1 << rng.u32(..6);
            let (clock, logs) = (&self.clock, &mut logs);
            let came_of_it = match round % 4 {
                0 => examine(Handles::with(policy), |q| closing.run(q, clock, logs)),
                1 => examine(Shared::with(policy), |q| closing.run(q, clock, logs)),
                2 => examine(BoundedHandles::new(room), |q| closing.run(q, clock, logs)),
                _ => examine(Bounded::new(room), |q| closing.run(q, clock, logs)),
            };
            if let Some(outcome) = self.judge(round, closing, came_of_it) {
                self.done += outcome;
            }
        }
    }

    /// Rounds of payloads that count their drops, until the time is up.
    pub fn count_drops(&mut self, until: Instant) {
        const PAYLOADS: usize = 100_000;

        let mut rng = self.rng(2);
        for round in 0.. {
            if self.is_over(until) {
                break;
            }
            self.progress.case("payloads that count their drops");
            let (threads, seed) = (rng.usize(2..=8), rng.u64(..));
            let policy = policy(2 << rng.u32(..6), rng.u32(..3));
            let ledger = Ledger::new(PAYLOADS);
            let mut came_of_it = if round % 2 == 0 {
                examine(Handles::with(policy), |q| Ok(drops::run(&ledger, q, threads, seed)))
            } else {
                examine(Shared::with(policy), |q| Ok(drops::run(&ledger, q, threads, seed)))
            };
            // Only now, without the queue, must every payload be gone.
            came_of_it.result = came_of_it.result.and_then(|done| ledger.verdict().map(|()| done));
            let scenario = format!("drops of {PAYLOADS} payloads among {threads} threads");
            self.done.operations += self.judge(round, scenario, came_of_it).unwrap_or(0);
        }
    }

    /// Random numbers of one part of the run, which do not depend on how long the others took.
    fn rng(&self, part: u64) -> fastrand::Rng {
        fastrand::Rng::with_seed(self.seed.wrapping_add(part))
    }

    fn is_over(&self, until: Instant) -> bool {
        Instant::now() >= until || self.findings.len() >= Self::MAX_FINDINGS
    }

    fn judge<R>(
        &mut self,
        round: u64,
        scenario: impl fmt::Display,
        came_of_it: Round<R>,
    ) -> Option<R> {
        let Round { queue, rings, result } = came_of_it;
        self.rings += rings;
        result
            .map_err(|fault| {
                let scenario = format!("round {round}, {scenario}");
                let witness = fault.to_string();
                let queue = queue.to_owned();
                let finding = Finding { queue, scenario, seed: self.seed, witness };
                self.progress.violation(&finding);
                self.findings.push(finding);
            })
            .ok()
    }
}

/// What came of one round with one queue.
struct Round<R> {
    queue: &'static str,
    rings: Rings,
    result: Result<R, Fault>,
}

/// Puts a queue to a test, looks at its rings, and drops it.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the queue is dropped here, and that is part of the test"
)]
fn examine<T, P: Peer<T>, R>(queue: P, test: impl FnOnce(&P) -> Result<R, Fault>) -> Round<R> {
    let result = test(&queue);
    let rings = queue.upkeep().map(Upkeep::rings).unwrap_or_default();
    Round { queue: P::NAME, rings, result }
}

/// Small rings that change often.
///
/// # Panics
/// When `min_slots` is no power of two up to 4,096.
fn policy(min_slots: usize, patience: u32) -> Hysteresis {
    const MAX_SLOTS: usize = 4_096;
    let policy = Hysteresis::new().with_slots(min_slots, MAX_SLOTS);
    policy.expect("small powers of two are valid").with_patience(patience)
}
