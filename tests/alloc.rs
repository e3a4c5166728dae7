//! What the queue asks of the allocator: nothing in steady state, and everything back after a burst.
//! (What it does when there is nothing to be had is in `no_memory.rs`.)
//!
//! A test binary of its own, since it replaces the global allocator. The counters are per thread,
//! so that tests do not disturb each other.

use std::sync::Barrier;

use common::{Batches, Ends, mpsc_queue, queue, reclaim_all};
use heap::{allocations, bytes};
use segring::{BoundedQueue, Queue};

mod common;
mod heap;

/// One thread swings around a backlog that just does not fit into the smaller ring.
fn swing(mut ends: impl Ends<usize>, backlog: usize) -> usize {
    (0..=backlog).for_each(|item| ends.push(item));
    let operations = 4 * backlog + 10_000;
    let cycle = |ends: &mut dyn Ends<usize>| {
        for item in 0..operations {
            ends.push(item);
            assert!(ends.pop().is_some());
        }
    };
    cycle(&mut ends); // The first growth, the first pin.
    allocations(|| cycle(&mut ends))
}

#[test]
fn a_steady_backlog_allocates_nothing() {
    for backlog in [64, 1024, 65_536] {
        let queue = Queue::new();
        assert_eq!(swing(&queue, backlog), 0, "shared, backlog {backlog}");
        let queue = Queue::new();
        assert_eq!(swing(queue.handle(), backlog), 0, "handle, backlog {backlog}");
        assert_eq!(swing(mpsc_queue(64), backlog), 0, "one consumer, backlog {backlog}");
    }
}

/// The same in batches, which end anywhere in a ring.
#[test]
fn batches_at_a_steady_backlog_allocate_nothing() {
    fn swing(mut ends: impl Batches<usize>, backlog: usize) -> usize {
        let mut items = Vec::with_capacity(32);
        assert!(ends.push_batch(0..=backlog).is_empty());
        let mut cycle = || {
            for n in 0..backlog / 4 + 1_000 {
                assert!(ends.push_batch(0..n % 32).is_empty());
                assert_eq!(ends.pop_into(&mut items, n % 32), n % 32);
                items.clear();
            }
        };
        cycle(); // The first growth, the first pin.
        allocations(cycle)
    }
    for backlog in [64, 1024, 65_536] {
        let queue = Queue::new();
        assert_eq!(swing(&queue, backlog), 0, "shared, backlog {backlog}");
        let queue = Queue::new();
        assert_eq!(swing(queue.handle(), backlog), 0, "handle, backlog {backlog}");
        assert_eq!(swing(mpsc_queue(64), backlog), 0, "one consumer, backlog {backlog}");
    }
}

/// Several threads; a thread that is preempted in the middle of an operation for a whole lap of the
/// others may cost a ring. Nothing else may cost anything.
#[test]
fn a_steady_backlog_of_two_threads_allocates_nothing_but_for_jams() {
    for backlog in [64, 1024, 65_536] {
        let queue = Queue::new();
        (0..backlog).for_each(|item| queue.push(item));
        let start = Barrier::new(2);
        let work = || {
            let mut ends = queue.handle();
            let cycle = |ends: &mut segring::Handle<'_, usize>| {
                for item in 0..2 * backlog + 10_000 {
                    ends.push(item);
                    assert!(ends.pop().is_some());
                }
            };
            cycle(&mut ends);
            start.wait();
            allocations(|| cycle(&mut ends))
        };
        let allocated = std::thread::scope(|s| {
            let other = s.spawn(work);
            work() + other.join().unwrap()
        });
        let stats = queue.stats();
        let stalls = stats.jams + stats.helped + stats.grows - 1;
        assert!(allocated <= stalls, "backlog {backlog}: {allocated} allocations, {stats:?}");
    }
}

#[test]
fn nothing_is_allocated_before_the_first_push() {
    let count = allocations(|| {
        let queue = Queue::<u64>::new();
        assert_eq!((queue.pop(), queue.len(), queue.is_empty()), (None, 0, true));
        queue.close();
    });
    // The first operation of a thread registers it.
    assert!(count <= 1, "{count}");
}

#[test]
fn a_bounded_queue_allocates_its_ring_and_nothing_more() {
    for capacity in [1, 2, 3, 7, 100, 1024] {
        let queue = BoundedQueue::new(capacity);
        let cycle = || {
            let mut handle = queue.handle();
            for item in 0..10 * capacity + 100 {
                let _ = queue.push(item);
                let _ = handle.push(item);
                queue.force_push(item);
                assert!(queue.pop().is_some());
                assert!(capacity <= 2 || handle.pop().is_some());
            }
        };
        cycle(); // The first pin.
        assert_eq!(allocations(cycle), 0, "capacity {capacity}");
    }
}

#[test]
fn everything_is_given_back() {
    let before = bytes();
    let queue = queue(2);
    (0..100_000).for_each(|item| queue.push(Box::new(item)));
    assert!(bytes() - before > 1 << 20);
    (0..99_000).for_each(|_| drop(queue.pop()));
    reclaim_all(|| queue.reclaim());
    drop(queue);
    // What stays is the thread's registration.
    let kept = bytes() - before;
    assert!(kept <= 256, "{kept} bytes");
}
