//! Workers that start together and time themselves.

use core::fmt;
use std::sync::{Barrier, OnceLock};
use std::thread;
use std::time::Instant;

use serde::Serialize;

use crate::heap::Counts;

/// Where the threads of a case run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Placement {
    /// Each on a core of its own, when there are enough and more than one is wanted; else where the
    /// system puts them.
    Own,
    /// Where the system puts them.
    Free,
    /// All on the same core.
    OneCore,
}

impl Placement {
    /// Moves one of so many workers to its core.
    fn place(self, worker: usize, workers: usize) {
        match self {
            Self::Own if (2..=core_count()).contains(&workers) => pin_to_core(worker),
            Self::Own | Self::Free => {}
            Self::OneCore => pin_to_core(0),
        }
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Own => "",
            Self::Free => " unpinned",
            Self::OneCore => " one core",
        })
    }
}

/// What a worker did between the gate and its end.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    start: Instant,
    end: Instant,
    operations: u64,
    allocated: Counts,
    preempted: Option<u64>,
}

/// Where the workers wait for each other, ready to start.
#[derive(Debug)]
pub struct Gate(Barrier);

impl Gate {
    /// Waits for the other workers.
    pub fn wait(&self) {
        self.0.wait();
    }

    /// Waits for the other workers, then times `work`, which returns its number of operations. What comes before the gate, such as making
    /// an end and warming up, is not timed.
    pub fn time(&self, work: impl FnOnce() -> u64) -> Span {
        self.wait();
        let (before, preempted) = (Counts::now(), preemptions());
        let start = Instant::now();
        let operations = work();
        let end = Instant::now();
        let preempted = preempted.zip(preemptions()).map(|(before, now)| now - before);
        Span { start, end, operations, allocated: Counts::now() - before, preempted }
    }
}

/// How often the system has taken the core away from the calling thread, where it tells that.
fn preemptions() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::resource::{UsageWho, getrusage};
        let usage = getrusage(UsageWho::RUSAGE_THREAD).ok()?;
        u64::try_from(usage.involuntary_context_switches()).ok()
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// Runs each worker in a thread of its own, on a core of its own if possible, and returns what they
/// return. Every worker must pass the gate once; then the calling thread does what `meanwhile` says.
///
/// # Panics
/// When a worker does.
pub fn together<W: Send, R: Send>(
    workers: Vec<W>,
    meanwhile: impl FnOnce(),
    work: impl Fn(W, &Gate) -> R + Sync,
) -> Vec<R> {
    placed(Placement::Own, workers, meanwhile, work)
}

fn placed<W: Send, R: Send>(
    placement: Placement,
    workers: Vec<W>,
    meanwhile: impl FnOnce(),
    work: impl Fn(W, &Gate) -> R + Sync,
) -> Vec<R> {
    let count = workers.len();
    let gate = Gate(Barrier::new(count + 1));
    // Asked for before any thread is pinned, which would see its own core only.
    cores();
    let (gate, work) = (&gate, &work);
    thread::scope(|scope| {
        let start = |(number, worker)| {
            scope.spawn(move || {
                placement.place(number, count);
                work(worker, gate)
            })
        };
        let running: Vec<_> = workers.into_iter().enumerate().map(start).collect();
        gate.wait();
        meanwhile();
        running.into_iter().map(|thread| thread.join().expect("a worker panicked")).collect()
    })
}

/// Times workers with the numbers from 0 on, and does something else meanwhile.
///
/// # Panics
/// When a worker does, or when there is none.
pub fn race(
    workers: usize,
    placement: Placement,
    meanwhile: impl FnOnce(),
    worker: impl Fn(usize, &Gate) -> Span + Sync,
) -> Race {
    let mut meanwhile = Some(meanwhile);
    run_race(
        workers,
        placement,
        &mut || meanwhile.take().into_iter().for_each(|call| call()),
        &worker,
    )
}

/// Compiled once, and not for every workload of every peer. What a worker times is behind one call.
fn run_race(
    workers: usize,
    placement: Placement,
    meanwhile: &mut dyn FnMut(),
    worker: &(dyn Fn(usize, &Gate) -> Span + Sync),
) -> Race {
    Race::of(&placed(placement, (0..workers).collect(), meanwhile, worker))
}

/// The spans of all workers, put together.
#[derive(Clone, Debug)]
pub struct Race {
    /// From the earliest start to the latest end.
    pub nanos: u64,
    /// The part of it in which all were running.
    pub overlap: f64,
    /// What all did.
    pub operations: u64,
    /// What all allocated.
    pub allocated: Counts,
    /// How often the system took the core away from each; empty where it does not tell.
    pub preempted: Vec<u64>,
}

impl Race {
    fn of(spans: &[Span]) -> Self {
        let starts = || spans.iter().map(|span| span.start);
        let ends = || spans.iter().map(|span| span.end);
        let bounds = |first: Option<Instant>, last: Option<Instant>| {
            let (first, last) = first.zip(last).expect("a race has workers");
            last.saturating_duration_since(first)
        };
        let whole = bounds(starts().min(), ends().max());
        let shared = bounds(starts().max(), ends().min());
        let mut allocated = Counts::default();
        for span in spans {
            allocated += span.allocated;
        }
        Self {
            nanos: u64::try_from(whole.as_nanos()).expect("a race takes less than 584 years"),
            operations: spans.iter().map(|span| span.operations).sum(),
            overlap: if whole.is_zero() { 1.0 } else { shared.div_duration_f64(whole) },
            allocated,
            preempted: spans.iter().filter_map(|span| span.preempted).collect(),
        }
    }
}

/// Cores that this process may use.
pub fn core_count() -> usize {
    cores().len().max(1)
}

/// Moves the calling thread to a core, if there is one of that number.
pub fn pin_to_core(number: usize) {
    if let Some(core) = cores().get(number) {
        core_affinity::set_for_current(*core);
    }
}

fn cores() -> &'static [core_affinity::CoreId] {
    // Asked once, before the first thread is pinned: a pinned thread would see its own core only.
    static CORES: OnceLock<Vec<core_affinity::CoreId>> = OnceLock::new();
    CORES.get_or_init(|| core_affinity::get_core_ids().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use core::time::Duration;
    use std::time::Instant;

    use super::{Counts, Race, Span};

    #[test]
    fn time_runs_from_the_first_start_to_the_last_end() {
        let origin = Instant::now();
        let race = |spans: [(u64, u64); 2]| {
            let at = |millis| origin + Duration::from_millis(millis);
            let allocated = Counts { allocations: 1, ..Counts::default() };
            Race::of(&spans.map(|(start, end)| Span {
                start: at(start),
                end: at(end),
                operations: 3,
                allocated,
                preempted: Some(start),
            }))
        };
        let overlapping = race([(10, 30), (20, 50)]);
        assert_eq!((overlapping.nanos, overlapping.operations), (40_000_000, 6));
        assert_eq!(overlapping.allocated.allocations, 2);
        assert_eq!(overlapping.preempted, [10, 20]);
        assert!((overlapping.overlap - 0.25).abs() < 1e-9);
        assert!(race([(10, 20), (30, 40)]).overlap <= 0.0, "one after the other");
    }
}
