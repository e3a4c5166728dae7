//! The two ways of moving items through a queue.
//!
//! The workers stop together, once all of them have moved enough. So all are at work for the whole of
//! the time: if each had a quota, the last would run alone, without contention, and a queue that
//! favours one thread would look fast.

use core::hint::black_box;
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::{Acquire, Release};

use crossbeam_utils::Backoff;

use super::meter::{Amount, Meter};
use super::{Item, Pause, Placement, Race, race};
use crate::peers::{End, Peer, Role};

/// Items that [`carry`] begins with.
pub(super) const IN_FLIGHT: usize = 32;

/// Every thread pushes one item and pops one, over a backlog.
pub(super) fn pairs<P: Peer<u64>, W: Pause>(
    queue: &P,
    threads: usize,
    placement: Placement,
    backlog: usize,
    amount: Amount,
    pause: impl Fn(usize) -> W + Sync,
) -> Race {
    /// Rounds over the backlog before the time starts, so that growing is over.
    const WARM_UP_LAPS: usize = 4;
    const WARM_UP_LEAST: usize = 1_000;

    let mut producer = queue.end(Role::Producer);
    (0..backlog as u64).for_each(|item| producer.push(item));
    drop(producer);

    let moved = Meter::new(amount);
    let timer = || moved.time();
    race(threads, placement, timer, |worker, gate| {
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
            let mut pairs = 0;
            while !moved.is_over() {
                pair(pairs);
                pairs += 1;
                moved.note(pairs);
            }
            pairs
        })
    })
}

/// Every thread takes out an item and puts it back, so that neither making nor dropping one counts.
pub(super) fn carry<T: Item, P: Peer<T>>(
    queue: &P,
    threads: usize,
    placement: Placement,
    amount: Amount,
) -> Race {
    const WARM_UP: u64 = 1_000;

    let mut producer = queue.end(Role::Producer);
    (0..IN_FLIGHT as u64).for_each(|number| producer.push(T::numbered(number)));
    drop(producer);

    let moved = Meter::new(amount);
    let timer = || moved.time();
    race(threads, placement, timer, |_, gate| {
        let mut end = queue.end(Role::Consumer);
        let mut carry = |_| {
            let item = pop_some(&mut end);
            end.push(black_box(item));
        };
        (0..WARM_UP).for_each(&mut carry);
        gate.time(|| {
            let mut carried = 0;
            while !moved.is_over() {
                carry(carried);
                carried += 1;
                moved.note(carried);
            }
            carried
        })
    })
}

/// One thread pushes many items and pops them.
pub(super) fn batches<P: Peer<u64>>(queue: &P, items: usize, amount: Amount) -> Race {
    const WARM_UP: usize = 1_000;

    let moved = Meter::new(amount);
    let timer = || moved.time();
    race(1, Placement::Own, timer, |_, gate| {
        let mut end = queue.end(Role::Consumer);
        let mut popped = Vec::with_capacity(items);
        let mut batch = |first: u64| {
            end.push_all((0..items).map(|item| black_box(first + item as u64)));
            end.pop_all(&mut popped, items);
            assert_eq!(black_box(&popped).len(), items, "nobody else takes anything");
            popped.clear();
        };
        (0..WARM_UP).for_each(|round| batch(round as u64));
        gate.time(|| {
            let mut pushed = 0;
            while !moved.is_over() {
                batch(pushed);
                pushed += items as u64;
                moved.note(pushed);
            }
            pushed
        })
    })
}

/// Producers push and consumers pop; what is popped counts. Producers far ahead of the consumers wait,
/// or a queue that favours them would fill the memory.
pub(super) fn prodcons<P: Peer<u64>, W: Pause>(
    queue: &P,
    (producers, consumers): (usize, usize),
    placement: Placement,
    amount: Amount,
    pause: impl Fn(usize) -> W + Sync,
) -> Race {
    let (pushed, popped) = (Meter::endless(), Meter::new(amount));
    let producing = AtomicUsize::new(producers);
    let produce = |end: &mut P::End<'_>, pause: &mut W| {
        let (mut items, backoff) = (0, Backoff::new());
        while !popped.is_over() {
            if items % Meter::STEP == 0 && pushed.is_ahead_of(&popped) {
                backoff.snooze();
                continue;
            }
            end.push(black_box(items));
            pause.pause();
            items += 1;
            pushed.note(items);
            backoff.reset();
        }
        // Only a consumer's items count.
        0
    };
    let consume = |end: &mut P::End<'_>, pause: &mut W| {
        let (mut items, backoff) = (0, Backoff::new());
        while !popped.is_over() {
            if let Some(item) = end.pop() {
                black_box(item);
                pause.pause();
                items += 1;
                popped.note(items);
                backoff.reset();
            } else {
                backoff.snooze();
            }
        }
        items
    };
    let timer = || popped.time();
    race(producers + consumers, placement, timer, |worker, gate| {
        let mut pause = pause(worker);
        if worker < producers {
            let mut end = queue.end(Role::Producer);
            let span = gate.time(|| produce(&mut end, &mut pause));
            producing.fetch_sub(1, Release);
            span
        } else {
            let mut end = queue.end(Role::Consumer);
            let span = gate.time(|| consume(&mut end, &mut pause));
            // A producer may be waiting for room in a bounded queue.
            let backoff = Backoff::new();
            while producing.load(Acquire) > 0 {
                if end.pop().is_none() {
                    backoff.snooze();
                }
            }
            span
        }
    })
}

/// Pops until there is something: spinning, then yielding.
#[inline]
fn pop_some<T>(end: &mut impl End<T>) -> T {
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
    use core::time::Duration;
    use std::time::Instant;

    use super::{Amount, pairs, prodcons};
    use crate::peers::array_queue::ArrayQueue;
    use crate::peers::{Handles, Peer, Shared, Upkeep};
    use crate::workload::{NoThink, Placement, Think};

    const OWN: Placement = Placement::Own;

    #[test]
    fn pairs_leave_the_backlog_behind() {
        let queue = Handles::<u64>::new(0);
        let race = pairs(&queue, 2, OWN, 100, Amount::Items(5_000), |_| NoThink);
        assert!(race.operations >= 5_000, "{race:?}");
        assert_eq!(queue.upkeep().map(Upkeep::depth), Some(100));
    }

    #[test]
    fn what_is_popped_counts() {
        let queue = Shared::<u64>::new(0);
        let think = |worker| Think::new(0.0..=100.0, worker as u64);
        let race = prodcons(&queue, (2, 2), OWN, Amount::Items(5_000), think);
        assert!(race.operations >= 5_000, "{race:?}");
    }

    #[test]
    fn time_is_kept_by_somebody_else() {
        let queue = Shared::<u64>::new(0);
        let (time, start) = (Duration::from_millis(20), Instant::now());
        let race = prodcons(&queue, (1, 1), OWN, Amount::Time(time), |_| NoThink);
        // Not what the workers measured: on a busy machine they may start when it is nearly over.
        assert!(start.elapsed() >= time, "{race:?}");
    }

    /// Producers that wait for room when the consumers are finished must not wait for ever.
    #[test]
    fn full_bounded_queues_come_to_an_end() {
        for _ in 0..20 {
            let queue = ArrayQueue::<u64>::new(2);
            let race = prodcons(&queue, (3, 1), OWN, Amount::Items(1_000), |_| NoThink);
            assert!(race.operations >= 1_000, "{race:?}");
        }
    }
}
