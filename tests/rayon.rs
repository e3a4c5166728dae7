//! Rayon's workers at both ends of a queue.
#![cfg(feature = "rayon")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Counted, queue};
use rayon::prelude::*;
use segring::Queue;

mod common;

const ITEMS: usize = 100_000;

/// More workers than cores, so that they meet inside operations.
fn with_workers<R: Send>(run: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap().install(run)
}

fn sorted(items: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut items: Vec<_> = items.into_iter().collect();
    items.sort_unstable();
    items
}

#[test]
fn every_item_goes_in_once() {
    with_workers(|| {
        let collected: Queue<_> = (0..ITEMS).into_par_iter().collect();
        assert!(sorted(collected).into_iter().eq(0..ITEMS));

        let mut extended = queue(2);
        extended.par_extend((0..ITEMS).into_par_iter().filter(|n| n % 3 == 0));
        (&extended).par_extend((0..ITEMS).into_par_iter().filter(|n| n % 3 != 0));
        assert!(sorted(extended).into_iter().eq(0..ITEMS));
    });
}

#[test]
fn every_item_comes_out_once() {
    with_workers(|| {
        let queue: Queue<_> = (0..ITEMS).collect();
        let items: Vec<_> = queue.into_par_iter().collect();
        assert!(sorted(items).into_iter().eq(0..ITEMS));

        let mut queue: Queue<_> = (0..ITEMS).collect();
        let items: Vec<_> = queue.par_drain().collect();
        assert!(sorted(items).into_iter().eq(0..ITEMS));
        assert!(queue.is_empty());
        queue.push(7);
        assert_eq!(queue.par_drain().sum::<usize>(), 7);
        assert_eq!(queue.par_drain().count(), 0);
    });
}

/// Several threads of a pool share the work: two that wait for each other both get an item.
#[test]
fn workers_run_side_by_side() {
    let barrier = std::sync::Barrier::new(2);
    let mut queue: Queue<_> = (0..2).collect();
    with_workers(|| {
        queue.par_drain().for_each(|_| {
            barrier.wait();
        });
    });
    assert!(queue.is_empty());
}

#[test]
fn pushing_while_workers_extend() {
    let queue = queue(2);
    std::thread::scope(|s| {
        s.spawn(|| (0..ITEMS).for_each(|n| queue.push(n)));
        with_workers(|| (&queue).par_extend((ITEMS..2 * ITEMS).into_par_iter()));
    });
    assert!(sorted(queue).into_iter().eq(0..2 * ITEMS));
}

#[test]
fn what_is_not_taken_is_dropped_once() {
    let drops = AtomicUsize::new(0);
    let full = || (0..1_000).map(|_| Counted(&drops)).collect::<Queue<_>>();
    with_workers(|| {
        assert!(full().into_par_iter().find_any(|_| true).is_some());
        assert_eq!(drops.load(Ordering::Relaxed), 1_000);

        let mut queue = full();
        assert!(queue.par_drain().find_any(|_| true).is_some());
        assert_eq!((queue.len(), drops.load(Ordering::Relaxed)), (0, 2_000));

        let mut queue = full();
        drop(queue.par_drain());
        assert_eq!((queue.len(), drops.load(Ordering::Relaxed)), (0, 3_000));

        let mut queue = full();
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            queue.par_drain().for_each(|_| panic!("of a worker"));
        }));
        assert!(panicked.is_err());
        assert_eq!((queue.len(), drops.load(Ordering::Relaxed)), (0, 4_000));
    });
}

#[test]
fn a_closed_queue_takes_nothing_from_workers() {
    let queue = queue(2);
    queue.close();
    let panicked = catch_unwind(|| (&queue).par_extend([1, 2, 3]));
    assert!(panicked.is_err());
    assert!(queue.is_empty());
    (&queue).par_extend([]);
}

/// What the iterator's own panic interrupts stays in the queue.
#[test]
fn a_panic_of_the_iterator_loses_nothing() {
    let made = AtomicUsize::new(0);
    let queue = queue(2);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        (&queue).par_extend((0..1_000).into_par_iter().map(|n| {
            assert!(n != 700, "the one item that cannot be made");
            made.fetch_add(1, Ordering::Relaxed);
            n
        }));
    }));
    assert!(panicked.is_err());
    assert_eq!(queue.len(), made.load(Ordering::Relaxed));
    assert!(queue.try_iter().all(|n| n != 700));
}
