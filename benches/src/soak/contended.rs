//! Rounds of random pushes and pops by several threads, checked as a whole afterwards.

use core::fmt;
use core::ops::AddAssign;

use super::disturb::Disturber;
use super::fault::Fault;
use super::stall::Stalls;
use crate::clock::Clock;
use crate::history::{Operation, Value, check};
use crate::peers::{End, Peer, Role};
use crate::tally::{LastSeen, Tally};
use crate::workload::{Gate, together};

/// One round. The same scenario is the same sequence of decisions; how the threads interleave is up
/// to the machine.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// Of all decisions.
    pub seed: u64,
    /// Threads that push and pop.
    pub threads: u16,
    /// Slots of the smallest ring.
    pub min_slots: usize,
    /// Laps of low occupancy before a ring shrinks.
    pub patience: u32,
    /// Pushes and pops of each thread.
    pub operations: usize,
    /// How many operations go by, on average, before one is disturbed.
    pub disturbed_one_in: u32,
    /// Whether threads are stalled in the middle of operations, too.
    pub stalled: bool,
    /// Whether operations are stamped and the history is checked. Stamps take time and fences, so
    /// some rounds go without.
    pub recorded: bool,
}

impl Scenario {
    /// The most threads in a round.
    pub const MAX_THREADS: u16 = 16;

    /// A round of about so many operations in all.
    pub fn random(rng: &mut fastrand::Rng, operations: usize) -> Self {
        let threads = [1, 2, 2, 2, 3, 4, 6, 8, 12, Self::MAX_THREADS][rng.usize(..10)];
        Self {
            seed: rng.u64(..),
            threads,
            min_slots: 2 << rng.u32(..6),
            patience: rng.u32(..3),
            operations: operations / usize::from(threads),
            disturbed_one_in: [16, 64, 256, 4_096][rng.usize(..4)],
            stalled: rng.u8(..3) == 0,
            recorded: rng.u8(..4) > 0,
        }
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { threads, min_slots, patience, operations, .. } = self;
        let Self { disturbed_one_in, stalled, recorded, seed, .. } = self;
        let kind = if *recorded { "recorded" } else { "unrecorded" };
        let stalled = if *stalled { "stalled within operations, " } else { "" };
        write!(
            f,
            "{kind} round of {threads} threads x {operations} operations, smallest ring \
             {min_slots}, patience {patience}, 1 in {disturbed_one_in} disturbed, {stalled}\
             round seed {seed}"
        )
    }
}

/// What a round without a fault comes to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    /// Pushes and pops, of an empty queue too.
    pub operations: u64,
    /// Those whose history was checked for linearizability.
    pub checked: u64,
}

impl AddAssign for Outcome {
    fn add_assign(&mut self, other: Self) {
        self.operations += other.operations;
        self.checked += other.checked;
    }
}

/// Logs of all threads, kept between rounds so that recording never allocates.
#[derive(Debug, Default)]
pub struct Logs(Vec<Vec<Operation>>);

impl Logs {
    /// One empty log for each thread, with room for so many operations, and one for who drains the queue.
    pub(super) fn prepare(&mut self, threads: usize, each: usize) -> &mut [Vec<Operation>] {
        self.0.resize_with(self.0.len().max(threads + 1), Vec::new);
        let logs = &mut self.0[..=threads];
        for log in &mut *logs {
            log.clear();
            log.reserve(each);
        }
        logs
    }
}

/// Puts a queue through a round, empties it and checks everything.
///
/// # Errors
/// The first fault found.
///
/// # Panics
/// When an operation of the queue does.
pub fn run<P: Peer<u64>>(
    queue: &P,
    scenario: &Scenario,
    clock: &Clock,
    logs: &mut Logs,
) -> Result<Outcome, Fault> {
    let each = if scenario.recorded { scenario.operations } else { 0 };
    let logs = logs.prepare(usize::from(scenario.threads), each);
    let (drain_log, thread_logs) = logs.split_last_mut().expect("there is a log for the drain");
    let workers = (0..scenario.threads).zip(thread_logs).collect();
    let stalls = Stalls::default();
    let stall = || {
        if scenario.stalled {
            stalls.run(usize::from(scenario.threads), scenario.seed);
        }
    };
    let reports = if scenario.recorded {
        together(workers, stall, |(thread, operations), gate| {
            let record = Stamped { clock, thread, operations };
            stalls.attend(|| Worker::new(queue, thread, scenario, record).run(gate))
        })
    } else {
        together(workers, stall, |(thread, _), gate| {
            stalls.attend(|| Worker::new(queue, thread, scenario, Unstamped).run(gate))
        })
    };
    let (mut pushed, mut popped) = (Tally::default(), Tally::default());
    for report in &reports {
        pushed += report.pushed;
        popped += report.popped;
    }

    let thread = scenario.threads;
    let drain = Stamped { clock, thread, operations: drain_log };
    let drained = Worker::new(queue, thread, scenario, drain).drain(pushed.count);
    popped += drained.popped;

    let mut outcome = Outcome {
        operations: (scenario.operations * reports.len()) as u64 + drained.popped.count + 1,
        checked: 0,
    };
    // A history tells more about a fault than the cheap checks do, so it goes first.
    if scenario.recorded {
        let history = logs.iter().flatten().copied();
        outcome.checked = check(history).map_err(Fault::History)?.operations() as u64;
    }
    if let Some(fault) = reports.iter().chain([&drained]).find_map(|report| report.fault.clone()) {
        return Err(fault);
    }
    if pushed != popped {
        return Err(Fault::Conservation { pushed, popped });
    }
    Ok(outcome)
}

/// Notes what happens, or does not.
trait Record {
    fn push(&mut self, value: Value, push: impl FnOnce(u64));
    fn pop(&mut self, pop: impl FnOnce() -> Option<u64>) -> Option<Value>;
}

struct Stamped<'a> {
    clock: &'a Clock,
    thread: u16,
    operations: &'a mut Vec<Operation>,
}

struct Unstamped;

impl Record for Stamped<'_> {
    #[inline]
    fn push(&mut self, value: Value, push: impl FnOnce(u64)) {
        let call = self.clock.call();
        push(value.to_bits());
        let response = self.clock.response();
        self.operations.push(Operation::push(self.thread, value, call, response));
    }

    #[inline]
    fn pop(&mut self, pop: impl FnOnce() -> Option<u64>) -> Option<Value> {
        let call = self.clock.call();
        let popped = pop().map(Value::from_bits);
        let response = self.clock.response();
        self.operations.push(Operation::pop(self.thread, popped, call, response));
        popped
    }
}

impl Record for Unstamped {
    #[inline]
    fn push(&mut self, value: Value, push: impl FnOnce(u64)) {
        push(value.to_bits());
    }

    #[inline]
    fn pop(&mut self, pop: impl FnOnce() -> Option<u64>) -> Option<Value> {
        pop().map(Value::from_bits)
    }
}

/// What one thread did.
struct Report {
    pushed: Tally,
    popped: Tally,
    fault: Option<Fault>,
}

struct Worker<'a, P, R> {
    queue: &'a P,
    thread: u16,
    scenario: &'a Scenario,
    record: R,
    seen: LastSeen,
    report: Report,
}

impl<'a, P: Peer<u64>, R: Record> Worker<'a, P, R> {
    fn new(queue: &'a P, thread: u16, scenario: &'a Scenario, record: R) -> Self {
        let report = Report { pushed: Tally::default(), popped: Tally::default(), fault: None };
        let seen = LastSeen::of(usize::from(scenario.threads));
        Self { queue, thread, scenario, record, seen, report }
    }

    fn run(mut self, gate: &Gate) -> Report {
        let seed = self.scenario.seed.wrapping_add(u64::from(self.thread));
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut disturber = Disturber::new(rng.u64(..), self.scenario.disturbed_one_in);
        let mut end = self.queue.end(Role::Consumer);
        gate.wait();
        for operation in 0..self.scenario.operations {
            if rng.u8(..) < Phase::at(self.scenario.seed, operation).pushes_of_256() {
                self.push(&mut end);
            } else {
                self.pop(&mut end);
            }
            disturber.maybe(self.queue, &mut end);
        }
        self.report
    }

    /// Empties the queue. Stops at nothing, or when more comes out than can be inside.
    fn drain(mut self, at_most: u64) -> Report {
        let mut end = self.queue.end(Role::Consumer);
        while self.pop(&mut end) && self.report.popped.count <= at_most {}
        self.report
    }

    #[inline]
    fn push(&mut self, end: &mut P::End<'a>) {
        let value = Value::new(self.thread, self.report.pushed.count);
        self.record.push(value, |item| end.push(item));
        self.report.pushed.add(value);
    }

    /// Whether there was something.
    #[inline]
    fn pop(&mut self, end: &mut P::End<'a>) -> bool {
        let Some(value) = self.record.pop(|| end.pop()) else { return false };
        self.report.popped.add(value);
        if let Err(earlier) = self.seen.note(value) {
            let fault = Fault::ProducerOrder { consumer: self.thread, earlier, later: value };
            self.report.fault.get_or_insert(fault);
        }
        true
    }
}

/// What all threads lean towards for a while: they advance at about the same rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Balanced,
    Filling,
    Draining,
    /// More pops than pushes, with nothing to drain: most of the time at most a few items are
    /// inside, where faults show best.
    NearEmpty,
}

impl Phase {
    const OPERATIONS: usize = 2_048;

    fn at(seed: u64, operation: usize) -> Self {
        let phase = (operation / Self::OPERATIONS) as u64;
        match (seed ^ phase.wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 32 & 7 {
            0 | 1 => Self::Balanced,
            2 => Self::Filling,
            3 => Self::Draining,
            _ => Self::NearEmpty,
        }
    }

    const fn pushes_of_256(self) -> u8 {
        match self {
            Self::Balanced => 128,
            Self::Filling => 192,
            Self::Draining => 64,
            Self::NearEmpty => 112,
        }
    }
}
