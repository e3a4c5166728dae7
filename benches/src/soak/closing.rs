//! Short lives: threads push to a queue and pop from it, and two of them close it in the middle.

use core::fmt;

use super::contended::{Logs, Outcome};
use super::fault::Fault;
use crate::clock::Clock;
use crate::history::{Operation, Value, check};
use crate::peers::{Closes, End, Refusal, Role};
use crate::tally::Tally;
use crate::workload::{Gate, together};

/// One short life.
#[derive(Clone, Copy, Debug)]
pub struct Closing {
    /// Of all decisions.
    pub seed: u64,
    /// Threads that push and pop; the first two close.
    pub threads: u16,
    /// Pushes and pops of each thread, before the closing and after it.
    pub operations: usize,
}

impl fmt::Display for Closing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { threads, operations, seed, .. } = self;
        write!(f, "short life, {threads} threads x {operations} operations, round seed {seed}")
    }
}

/// What one thread did.
#[derive(Default)]
struct Report {
    pushed: Tally,
    popped: Tally,
    /// Calls of pushes that were accepted, the last of them.
    accepted: u64,
    /// The first response that said "closed".
    refused: Option<u64>,
    /// Call and response of its closing, and whether it says that it did it.
    closed: Option<(u64, u64, bool)>,
    /// Pushes that were accepted after one that was refused as closed.
    reopened: u64,
}

impl Closing {
    /// The most threads in a round.
    pub const MAX_THREADS: u16 = 6;

    /// A short life.
    pub fn random(rng: &mut fastrand::Rng) -> Self {
        let threads = rng.u16(2..=Self::MAX_THREADS);
        Self { seed: rng.u64(..), threads, operations: rng.usize(2..2_000) }
    }

    /// Puts a queue through it, empties it and checks everything: the history of what was pushed and
    /// popped, that one closing did it, that nothing is accepted after it, nor refused before.
    ///
    /// # Errors
    /// The first fault found.
    ///
    /// # Panics
    /// When an operation of the queue does.
    pub fn run<P: Closes<u64>>(
        &self,
        queue: &P,
        clock: &Clock,
        logs: &mut Logs,
    ) -> Result<Outcome, Fault> {
        let logs = logs.prepare(usize::from(self.threads), self.operations);
        let (drain_log, thread_logs) = logs.split_last_mut().expect("there is a log for the drain");
        let workers = (0..self.threads).zip(thread_logs).collect();
        let reports = together(
            workers,
            || (),
            |(thread, log), gate| self.work(queue, thread, clock, log, gate),
        );
        let (mut pushed, mut popped) = (Tally::default(), Tally::default());
        for report in &reports {
            pushed += report.pushed;
            popped += report.popped;
        }
        let mut end = queue.end(Role::Consumer);
        while popped.count <= pushed.count
            && let Some(value) = pop(&mut end, self.threads, clock, drain_log)
        {
            popped.add(value);
        }
        drop(end);

        let checked = check(logs.iter().flatten().copied()).map_err(Fault::History)?.operations();
        if pushed != popped {
            return Err(Fault::Conservation { pushed, popped });
        }
        let closings = || reports.iter().filter_map(|report| report.closed);
        let closers = closings().filter(|(.., did)| *did).count();
        let begun = closings().map(|(call, ..)| call).min().unwrap_or(u64::MAX);
        let over = closings().map(|(_, response, _)| response).min().unwrap_or(u64::MAX);
        let late = reports.iter().filter(|report| report.accepted > over).count() as u64;
        let reopened: u64 = reports.iter().map(|report| report.reopened).sum();
        let early = reports.iter().filter_map(|report| report.refused).filter(|at| *at < begun);
        let early = early.count();
        if closers != 1 || late + reopened > 0 || early > 0 {
            return Err(Fault::Closing { closers, late: late + reopened, early });
        }
        let operations = (self.operations * reports.len()) as u64;
        Ok(Outcome { operations, checked: checked as u64 })
    }

    fn work<P: Closes<u64>>(
        &self,
        queue: &P,
        thread: u16,
        clock: &Clock,
        log: &mut Vec<Operation>,
        gate: &Gate,
    ) -> Report {
        let mut rng = fastrand::Rng::with_seed(self.seed.wrapping_add(u64::from(thread)));
        let closes_at = (thread < 2).then(|| rng.usize(..self.operations));
        let mut report = Report::default();
        let mut end = queue.end(Role::Consumer);
        gate.wait();
        for operation in 0..self.operations {
            if closes_at == Some(operation) {
                let call = clock.call();
                let did = queue.close();
                report.closed = Some((call, clock.response(), did));
            }
            if rng.bool() {
                let value = Value::new(thread, operation as u64);
                let call = clock.call();
                let offered = P::offer(&mut end, value.to_bits());
                let response = clock.response();
                match offered {
                    Ok(()) => {
                        log.push(Operation::push(thread, value, call, response));
                        report.pushed.add(value);
                        report.accepted = call;
                        report.reopened += u64::from(report.refused.is_some());
                    }
                    Err(Refusal::Closed) => _ = report.refused.get_or_insert(response),
                    Err(Refusal::Full) => {}
                }
            } else if let Some(value) = pop(&mut end, thread, clock, log) {
                report.popped.add(value);
            }
        }
        report
    }
}

fn pop(
    end: &mut impl End<u64>,
    thread: u16,
    clock: &Clock,
    log: &mut Vec<Operation>,
) -> Option<Value> {
    let call = clock.call();
    let popped = end.pop().map(Value::from_bits);
    log.push(Operation::pop(thread, popped, call, clock.response()));
    popped
}
