//! The same checks for all queues that are compared: what they find, and that they let what is sound
//! pass.

use core::fmt;
use core::time::Duration;
use std::collections::BTreeMap;
use std::time::Instant;

use super::circulation::Circulation;
use super::contended::{Logs, Outcome, Scenario};
use super::fault::Fault;
use crate::clock::Clock;
use crate::peers::{Competitor, Consumers, Progress};
use crate::report::thousands;

/// What the checks say of one queue.
#[derive(Debug)]
pub struct Verdict {
    /// Which.
    pub name: &'static str,
    /// How often it was put through a round, and what that came to where nothing was found.
    pub rounds: u64,
    /// Operations of rounds without a fault.
    pub done: Outcome,
    /// How often each kind of fault was found.
    pub found: BTreeMap<&'static str, u64>,
    /// The first of them, with its witness.
    pub first: Option<Fault>,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, rounds, done: Outcome { operations, checked }, found, first } = self;
        let (operations, checked) = (thousands(*operations), thousands(*checked));
        write!(f, "{name}: {rounds} rounds, {operations} operations, {checked} checked: ")?;
        let Some(first) = first else { return write!(f, "nothing found") };
        let kinds: Vec<_> = found.iter().map(|(kind, count)| format!("{count} x {kind}")).collect();
        write!(f, "found {}, first\n{first}", kinds.join(", "))
    }
}

/// Puts every queue that several threads can pop from through contended rounds, all of them recorded
/// and checked, and through circulations, for a share of the time each. Bounded ones are never full.
///
/// # Panics
/// When an operation of a queue does.
pub fn examine(
    competitors: &[Competitor],
    seed: u64,
    length: Duration,
    clock: &Clock,
) -> Vec<Verdict> {
    const OPERATIONS: usize = 200_000;

    let fits = |competitor: &&Competitor| {
        competitor.promise.consumers == Consumers::Many
            && competitor.promise.progress != Progress::Floor
    };
    let competitors: Vec<_> = competitors.iter().filter(fits).collect();
    let share = length / u32::try_from(competitors.len()).expect("a dozen").max(1);
    let mut logs = Logs::default();
    let examine = |competitor: &&Competitor| {
        let mut rng = fastrand::Rng::with_seed(seed);
        let (until, mut rounds) = (Instant::now() + share, 0);
        let (mut done, mut found, mut first) = (Outcome::default(), BTreeMap::new(), None);
        while Instant::now() < until {
            let result = if rounds % 4 == 3 {
                let circulation = Circulation::random(&mut rng, OPERATIONS as u64 / 4);
                (competitor.circulate)(&circulation)
                    .map(|operations| Outcome { operations, checked: 0 })
            } else {
                let scenario = Scenario::random(&mut rng, OPERATIONS);
                (competitor.contend)(&Scenario { recorded: true, ..scenario }, clock, &mut logs)
            };
            rounds += 1;
            match result {
                Ok(outcome) => done += outcome,
                Err(fault) => {
                    *found.entry(fault.kind()).or_default() += 1;
                    first.get_or_insert(fault);
                }
            }
        }
        Verdict { name: competitor.name, rounds, done, found, first }
    };
    competitors.iter().map(examine).collect()
}
