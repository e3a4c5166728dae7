//! The two ways of moving items through a queue.
//!
//! Workers have an equal quota, and the first to fill it stops the others. So all of them are at work
//! for the whole of the time: if each did its quota, the last would run alone, without contention, and
//! a queue that favours one thread would look fast.

use core::hint::black_box;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicBool, AtomicUsize};

use crossbeam_utils::{Backoff, CachePadded};

use super::{Pause, Race, race};
use crate::peers::{End, Peer, Role};

/// On a line of its own, which stays in every worker's cache until the end.
type Stop = CachePadded<AtomicBool>;

/// Every thread pushes one item and pops one, over a backlog.
pub(super) fn pairs<P: Peer<u64>, W: Pause>(
    queue: &P,
    threads: usize,
    backlog: usize,
    operations: u64,
    pause: impl Fn(usize) -> W + Sync,
) -> Race {
    /// Rounds over the backlog before the time starts, so that growing is over.
    const WARM_UP_LAPS: usize = 4;
    const WARM_UP_LEAST: usize = 1_000;

    let mut producer = queue.end(Role::Producer);
    (0..backlog as u64).for_each(|item| producer.push(item));
    drop(producer);

    let stop = Stop::default();
    let quota = operations.div_ceil(threads as u64);
    race(threads, |worker, gate| {
        let mut end = queue.end(Role::Consumer);
        let mut pause = pause(worker);
        let mut pair = |item| {
            end.push(black_box(item));
            pause.pause();
            black_box(pop_some(&mut end));
            pause.pause();
        };
        (0..(WARM_UP_LAPS * backlog / threads).max(WARM_UP_LEAST) as u64).for_each(&mut pair);
        gate.time(|| {
            until(&stop, quota, |item| {
                pair(item);
                true
            })
        })
    })
}

/// Producers push and consumers pop. What is popped counts.
pub(super) fn prodcons<P: Peer<u64>, W: Pause>(
    queue: &P,
    producers: usize,
    consumers: usize,
    operations: u64,
    pause: impl Fn(usize) -> W + Sync,
) -> Race {
    let stop = Stop::default();
    let quota = operations.div_ceil(consumers as u64);
    let producing = AtomicUsize::new(producers);
    race(producers + consumers, |worker, gate| {
        let mut pause = pause(worker);
        if worker < producers {
            let mut end = queue.end(Role::Producer);
            let span = gate.time(|| {
                until(&stop, u64::MAX, |item| {
                    end.push(black_box(item));
                    pause.pause();
                    true
                });
                0
            });
            producing.fetch_sub(1, Release);
            span
        } else {
            let mut end = queue.end(Role::Consumer);
            let backoff = Backoff::new();
            let span = gate.time(|| {
                until(&stop, quota, |_| {
                    let popped = end.pop().map(black_box);
                    if popped.is_some() {
                        backoff.reset();
                        pause.pause();
                    } else {
                        backoff.snooze();
                    }
                    popped.is_some()
                })
            });
            // A producer may be waiting for room.
            while producing.load(Acquire) > 0 {
                if end.pop().is_none() {
                    backoff.snooze();
                }
            }
            span
        }
    })
}

/// Repeats an operation until it has counted `quota` times or somebody else is finished, and tells how
/// often it did. Whoever is finished stops the others.
#[inline]
fn until(stop: &Stop, quota: u64, mut operation: impl FnMut(u64) -> bool) -> u64 {
    let mut counted = 0;
    while counted < quota && !stop.load(Relaxed) {
        counted += u64::from(operation(counted));
    }
    stop.store(true, Relaxed);
    counted
}

/// Pops until there is something: spinning, then yielding.
#[inline]
fn pop_some(end: &mut impl End<u64>) -> u64 {
    let backoff = Backoff::new();
    loop {
        if let Some(item) = end.pop() {
            return item;
        }
        backoff.snooze();
    }
}

#[cfg(test)]
mod tests {
    use super::{pairs, prodcons};
    use crate::peers::array_queue::ArrayQueue;
    use crate::peers::{Handles, Peer, Shared, Upkeep};
    use crate::workload::{NoThink, Think};

    #[test]
    fn pairs_leave_the_backlog_behind() {
        let queue = Handles::<u64>::new(0);
        let race = pairs(&queue, 2, 100, 5_000, |_| NoThink);
        assert!((2_500..=5_000).contains(&race.operations), "{race:?}");
        assert_eq!(queue.upkeep().map(Upkeep::depth), Some(100));
    }

    #[test]
    fn what_is_popped_counts() {
        let queue = Shared::<u64>::new(0);
        let race = prodcons(&queue, 2, 2, 5_000, |worker| Think::new(worker as u64));
        assert!((2_500..=5_000).contains(&race.operations), "{race:?}");
    }

    /// Producers that wait for room when the consumers are finished must not wait for ever.
    #[test]
    fn full_bounded_queues_come_to_an_end() {
        for _ in 0..20 {
            let queue = ArrayQueue::<u64>::new(2);
            let race = prodcons(&queue, 3, 1, 1_000, |_| NoThink);
            assert_eq!(race.operations, 1_000);
        }
    }
}
