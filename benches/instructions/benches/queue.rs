//! Instructions of operations that nobody contends, under callgrind.
//!
//! Each function runs its operation [`TIMES`] times on a queue that is warm: rings allocated, thread
//! registered. What is counted is the function, its loop included.
#![allow(
    missing_docs,
    unused_qualifications,
    reason = "what the macros make has none, and they name in full"
)]

use std::hint::black_box;

use gungraun::prelude::*;
use segring::{BoundedQueue, Queue};

const TIMES: u64 = 1_000;
/// A batch.
const ITEMS: usize = 32;

/// A queue with room for all pushes of a function, which has seen some traffic.
fn roomy() -> Queue<u64> {
    let queue = Queue::new();
    for _ in 0..2 {
        (0..4 * TIMES).for_each(|item| queue.push(item));
        while queue.pop().is_some() {}
    }
    queue
}

/// The same with an item for every pop of a function.
fn filled() -> Queue<u64> {
    let queue = roomy();
    (0..TIMES).for_each(|item| queue.push(item));
    queue
}

/// The same with the smallest rings and nothing inside.
fn small() -> Queue<u64> {
    let queue = Queue::new();
    (0..TIMES).for_each(|item| {
        queue.push(item);
        queue.pop();
    });
    queue
}

fn bounded() -> BoundedQueue<u64> {
    let queue = BoundedQueue::new(64);
    for item in 0..TIMES {
        assert!(queue.push(item).is_ok() && queue.pop() == Some(item));
    }
    queue
}

#[library_benchmark]
#[bench::queue(setup = roomy)]
fn push(queue: Queue<u64>) -> Queue<u64> {
    (0..TIMES).for_each(|item| queue.push(black_box(item)));
    queue
}

#[library_benchmark]
#[bench::queue(setup = roomy)]
fn push_by_handle(queue: Queue<u64>) -> Queue<u64> {
    let mut handle = queue.handle();
    (0..TIMES).for_each(|item| handle.push(black_box(item)));
    drop(handle);
    queue
}

#[library_benchmark]
#[bench::queue(setup = filled)]
fn pop(queue: Queue<u64>) -> Queue<u64> {
    (0..TIMES).for_each(|_| assert!(black_box(queue.pop()).is_some()));
    queue
}

#[library_benchmark]
#[bench::queue(setup = filled)]
fn pop_by_handle(queue: Queue<u64>) -> Queue<u64> {
    let mut handle = queue.handle();
    (0..TIMES).for_each(|_| assert!(black_box(handle.pop()).is_some()));
    drop(handle);
    queue
}

#[library_benchmark]
#[bench::queue(setup = small)]
fn pair(queue: Queue<u64>) -> Queue<u64> {
    for item in 0..TIMES {
        queue.push(black_box(item));
        black_box(queue.pop());
    }
    queue
}

#[library_benchmark]
#[bench::queue(setup = small)]
fn pair_by_handle(queue: Queue<u64>) -> Queue<u64> {
    let mut handle = queue.handle();
    for item in 0..TIMES {
        handle.push(black_box(item));
        black_box(handle.pop());
    }
    drop(handle);
    queue
}

#[library_benchmark]
#[bench::queue(setup = bounded)]
fn pair_bounded(queue: BoundedQueue<u64>) -> BoundedQueue<u64> {
    for item in 0..TIMES {
        let _ = black_box(queue.push(black_box(item)));
        black_box(queue.pop());
    }
    queue
}

// As many items as elsewhere, in batches.
#[library_benchmark]
#[bench::queue(setup = small)]
fn batch_by_handle(queue: Queue<u64>) -> Queue<u64> {
    let mut handle = queue.handle();
    let mut items = Vec::with_capacity(ITEMS);
    for _ in 0..TIMES / ITEMS as u64 {
        handle.push_batch(black_box(0..ITEMS as u64));
        handle.pop_into(&mut items, ITEMS);
        black_box(&mut items).clear();
    }
    drop(handle);
    queue
}

#[library_benchmark]
#[bench::queue(setup = small)]
fn empty_pop(queue: Queue<u64>) -> Queue<u64> {
    (0..TIMES).for_each(|_| assert!(black_box(queue.pop()).is_none()));
    queue
}

#[library_benchmark]
#[bench::queue(setup = small)]
fn empty_pop_by_handle(queue: Queue<u64>) -> Queue<u64> {
    let mut handle = queue.handle();
    (0..TIMES).for_each(|_| assert!(black_box(handle.pop()).is_none()));
    drop(handle);
    queue
}

// From the smallest ring through all that so many items need, and back out of them: each is closed,
// followed by another, left and retired.
#[library_benchmark]
#[bench::queue(setup = small)]
fn ring_turn_over(queue: Queue<u64>) -> Queue<u64> {
    (0..TIMES).for_each(|item| queue.push(black_box(item)));
    while black_box(queue.pop()).is_some() {}
    queue
}

library_benchmark_group!(
    name = operations,
    benchmarks = [
        push,
        push_by_handle,
        pop,
        pop_by_handle,
        pair,
        pair_by_handle,
        pair_bounded,
        batch_by_handle,
        empty_pop,
        empty_pop_by_handle,
        ring_turn_over
    ]
);

main!(library_benchmark_groups = operations);
