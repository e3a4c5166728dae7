//! An allocator that counts, thread by thread, and that can be short of memory for rings.
//!
//! Rings are what is allocated zeroed. (A thread's registration aborts without memory.)
#![allow(dead_code, reason = "each test binary uses a part")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ops::Range;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};

use segring::Queue;

struct Counting;

std::thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    static BYTES: Cell<isize> = const { Cell::new(0) };
    /// What this thread is subject to, or null.
    static SHORTAGE: Cell<*const Shortage> = const { Cell::new(null()) };
}

/// No memory for some of the rings that the threads which are subject to it ask for.
#[derive(Debug)]
pub(crate) struct Shortage {
    asked: AtomicUsize,
    refused: Range<usize>,
}

impl Shortage {
    /// Of the rings asked for, counted from 0, these are refused.
    pub(crate) fn of(refused: Range<usize>) -> Self {
        Self { asked: AtomicUsize::new(0), refused }
    }

    /// Runs `f`, of which any number of threads may do the like, subject to this shortage.
    pub(crate) fn during<R>(&self, f: impl FnOnce() -> R) -> R {
        struct End(*const Shortage);
        impl Drop for End {
            fn drop(&mut self) {
                SHORTAGE.set(self.0);
            }
        }
        let _end = End(SHORTAGE.replace(self));
        f()
    }

    /// Whether any ring was refused so far.
    pub(crate) fn was_felt(&self) -> bool {
        self.asked.load(Ordering::Relaxed) > self.refused.start
    }

    fn refuses(&self) -> bool {
        self.refused.contains(&self.asked.fetch_add(1, Ordering::Relaxed))
    }
}

// SAFETY: hands everything to the system's allocator, or refuses with null.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let shortage = SHORTAGE.try_with(Cell::get).unwrap_or(null());
        // SAFETY: null, or what `during` borrows for as long as it is here.
        if unsafe { shortage.as_ref() }.is_some_and(Shortage::refuses) {
            return null_mut();
        }
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
pub(crate) fn allocations(f: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    f();
    ALLOCATIONS.get() - before
}

/// Bytes that this thread has allocated, less those that it has freed.
pub(crate) fn bytes() -> isize {
    BYTES.get()
}

/// Bytes that this thread allocates while `f` runs, less those that it frees: where several threads
/// work on something that is gone in the end, the sum of all is what has leaked.
pub(crate) fn balance<R>(f: impl FnOnce() -> R) -> (isize, R) {
    // A thread's first operation registers it, for good.
    assert!(Queue::<u8>::new().pop().is_none());
    let before = BYTES.get();
    let result = f();
    (BYTES.get() - before, result)
}

/// Lets only `n` more rings be allocated while `f` runs.
pub(crate) fn starved<R>(n: usize, f: impl FnOnce() -> R) -> R {
    Shortage::of(n..usize::MAX).during(f)
}

#[test]
fn the_heap_counts_and_refuses() {
    let zeroed = || std::hint::black_box(vec![0_u8; 100]).len();
    assert_eq!(allocations(|| assert_eq!(zeroed(), 100)), 1);
    let (kept, vec) = balance(|| vec![1_u64; 10]);
    assert_eq!((kept, balance(|| drop(vec)).0), (80, -80));
    let shortage = Shortage::of(1..2);
    let queues = shortage.during(|| [0, 1, 2].map(|n| Queue::new().try_push(n).is_ok()));
    assert_eq!((queues, shortage.was_felt()), ([true, false, true], true));
}
