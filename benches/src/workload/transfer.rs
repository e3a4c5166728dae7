//! The two ways of moving items through a queue.

use core::hint::black_box;

use crossbeam_utils::Backoff;

use super::{Pause, Race, race};
use crate::peers::{End, Peer, Role};

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

    race(threads, |worker, gate| {
        let mut end = queue.end(Role::Consumer);
        let mut pause = pause(worker);
        let mut pairs = |count| {
            for item in 0..count {
                end.push(black_box(item));
                pause.pause();
                black_box(pop_some(&mut end));
                pause.pause();
            }
        };
        pairs((WARM_UP_LAPS * backlog / threads).max(WARM_UP_LEAST) as u64);
        gate.time(|| pairs(share(operations, threads, worker)))
    })
}

/// Producers push and consumers pop; each has its share of the items, so none asks whether it is
/// finished.
pub(super) fn prodcons<P: Peer<u64>, W: Pause>(
    queue: &P,
    producers: usize,
    consumers: usize,
    operations: u64,
    pause: impl Fn(usize) -> W + Sync,
) -> Race {
    race(producers + consumers, |worker, gate| {
        let mut pause = pause(worker);
        if let Some(consumer) = worker.checked_sub(producers) {
            let mut end = queue.end(Role::Consumer);
            gate.time(|| {
                for _ in 0..share(operations, consumers, consumer) {
                    black_box(pop_some(&mut end));
                    pause.pause();
                }
            })
        } else {
            let mut end = queue.end(Role::Producer);
            gate.time(|| {
                for item in 0..share(operations, producers, worker) {
                    end.push(black_box(item));
                    pause.pause();
                }
            })
        }
    })
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

/// The `index`-th of `parts` shares, which differ by at most one and add up to `total`.
const fn share(total: u64, parts: usize, index: usize) -> u64 {
    let (parts, index) = (parts as u64, index as u64);
    total / parts + (index < total % parts) as u64
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn shares_add_up() {
        for (total, parts) in [(0, 1), (1, 4), (10, 3), (12, 4)] {
            let shares: Vec<u64> = (0..parts).map(|index| share(total, parts, index)).collect();
            assert_eq!(shares.iter().sum::<u64>(), total);
            assert!(shares.iter().max().unwrap() - shares.iter().min().unwrap() <= 1);
        }
    }
}
