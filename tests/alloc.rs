//! What the queue asks of the allocator: nothing in steady state, everything back after a burst,
//! and an item is not lost when there is no memory.
//!
//! A test binary of its own, since it replaces the global allocator. The counters are per thread,
//! so that tests do not disturb each other.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Barrier;

use common::{Batches, Ends, mpsc_queue, queue, reclaim_all};
use segring::{BoundError, BoundedQueue, PushError, Queue};

mod common;

struct Counting;

std::thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    static BYTES: Cell<isize> = const { Cell::new(0) };
    /// How many more rings this thread can allocate. Rings are what is allocated zeroed. (A thread's
    /// registration aborts without memory.)
    static RINGS_LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
}

// SAFETY: hands everything to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let left = RINGS_LEFT.try_with(Cell::get).unwrap_or(usize::MAX);
        if left == 0 {
            return std::ptr::null_mut();
        }
        let _ = RINGS_LEFT.try_with(|cell| cell.set(left.saturating_sub(1)));
        count(layout);
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        let _ = BYTES.try_with(|bytes| bytes.set(bytes.get() - size(layout)));
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(memory, layout) };
    }
}

fn size(layout: Layout) -> isize {
    layout.size().cast_signed()
}

fn count(layout: Layout) {
    let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
    let _ = BYTES.try_with(|bytes| bytes.set(bytes.get() + size(layout)));
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Allocations of this thread while `f` runs.
fn allocations(f: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    f();
    ALLOCATIONS.get() - before
}

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

#[test]
fn without_memory_the_rest_of_a_batch_comes_back() {
    for n in 0..8 {
        let queue = queue::<Box<usize>>(2);
        let rest: Vec<_> = starved(n, || {
            let error = queue.try_push_batch((0..10_000).map(Box::new)).unwrap_err();
            assert!(error.is_no_memory());
            error.into_inner().collect()
        });
        assert_eq!(queue.len() + rest.len(), 10_000);
        queue.push_batch(rest);
        assert!(queue.into_iter().map(|item| *item).eq(0..10_000));
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
fn a_bounded_queue_without_memory() {
    let error = starved(0, || BoundedQueue::<u64>::try_new(100).unwrap_err());
    assert!(matches!(error, BoundError::NoMemory { bytes } if bytes > 200 * 16), "{error}");
    // What is there is enough for ever.
    let queue = BoundedQueue::new(100);
    starved(0, || {
        for item in 0..1_000 {
            assert_eq!(queue.push(item), Ok(()));
            assert_eq!(queue.pop(), Some(item));
        }
    });
}

#[test]
fn everything_is_given_back() {
    let before = BYTES.get();
    let queue = queue(2);
    (0..100_000).for_each(|item| queue.push(Box::new(item)));
    assert!(BYTES.get() - before > 2 << 20);
    (0..99_000).for_each(|_| drop(queue.pop()));
    reclaim_all(|| queue.reclaim());
    drop(queue);
    // What stays is the thread's registration.
    let kept = BYTES.get() - before;
    assert!(kept <= 256, "{kept} bytes");
}

/// Lets only `n` more rings be allocated while `f` runs.
fn starved<R>(n: usize, f: impl FnOnce() -> R) -> R {
    RINGS_LEFT.set(n);
    let result = f();
    RINGS_LEFT.set(usize::MAX);
    result
}

#[test]
fn without_memory_the_item_comes_back_and_the_queue_goes_on() {
    for n in 0..8 {
        let queue = queue::<Box<usize>>(2);
        let mut pushed = 0;
        let back = starved(n, || {
            loop {
                match queue.try_push(Box::new(pushed)) {
                    Ok(()) => pushed += 1,
                    Err(PushError::NoMemory(item)) => return item,
                    Err(error) => panic!("neither closed nor bounded: {error}"),
                }
            }
        });
        assert_eq!(*back, pushed);
        assert_eq!(queue.len(), pushed);
        // Still without memory: pops go on.
        starved(0, || {
            assert!(queue.try_push(Box::new(usize::MAX)).is_err());
            for expected in 0..pushed / 2 {
                assert_eq!(queue.pop().map(|item| *item), Some(expected));
            }
        });
        // With memory again, so do pushes.
        queue.push(back);
        let rest: Vec<_> = queue.into_iter().map(|item| *item).collect();
        assert!(rest.into_iter().eq(pushed / 2..=pushed));
    }
}

#[test]
fn a_shrink_without_memory_is_skipped() {
    let queue = queue::<usize>(2);
    (0..1_000).for_each(|item| queue.push(item));
    (0..990).for_each(|item| assert_eq!(queue.pop(), Some(item)));
    let capacity = queue.segment_capacity();
    starved(0, || {
        queue.shrink_to_fit();
        for item in 1_000..5_000 {
            queue.push(item);
            assert_eq!(queue.pop(), Some(item - 10));
        }
    });
    assert_eq!(queue.segment_capacity(), capacity);
    queue.shrink_to_fit();
    assert!(queue.segment_capacity() < capacity);
    assert_eq!(queue.len(), 10);
}
