//! An allocator that counts, thread by thread, and can be told to fail or to mark its memory.
#![allow(dead_code, reason = "every test binary uses a part")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Allocations of this thread so far; a reallocation is one.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    /// Bytes it holds.
    pub(crate) static BYTES: Cell<isize> = const { Cell::new(0) };
    static FAILING: Cell<bool> = const { Cell::new(false) };
    pub(crate) static MARKING: Cell<bool> = const { Cell::new(false) };
    /// The latest array.
    pub(crate) static LATEST: Cell<(*const u8, usize)> = const { Cell::new((std::ptr::null(), 0)) };
}

pub(crate) const MARK: u8 = 0xA5;

struct Watched;

impl Watched {
    /// Counts an attempt to go from `old` to `new` bytes; `None` when it is to fail.
    fn count(old: usize, new: usize) -> Option<()> {
        if FAILING.get() {
            return None;
        }
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        BYTES.set(BYTES.get() + new.cast_signed() - old.cast_signed());
        Some(())
    }
}

// SAFETY: all is done by the system's allocator; only counted, marked, or refused with null.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if Self::count(0, layout.size()).is_none() {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's duties are the same.
        let array = unsafe { System.alloc(layout) };
        if MARKING.get() {
            // SAFETY: the array is new and has that many bytes.
            unsafe { array.write_bytes(MARK, layout.size()) };
            LATEST.set((array, layout.size()));
        }
        array
    }

    unsafe fn dealloc(&self, array: *mut u8, layout: Layout) {
        BYTES.set(BYTES.get() - layout.size().cast_signed());
        // SAFETY: the caller's duties are the same.
        unsafe { System.dealloc(array, layout) };
    }

    unsafe fn realloc(&self, array: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if Self::count(layout.size(), size).is_none() {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's duties are the same.
        unsafe { System.realloc(array, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Watched = Watched;

/// How many allocations `act` makes.
pub(crate) fn allocations(act: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    act();
    ALLOCATIONS.get() - before
}

/// Runs `act` with an allocator that has nothing.
pub(crate) fn without_memory<R>(act: impl FnOnce() -> R) -> R {
    FAILING.set(true);
    let result = act();
    FAILING.set(false);
    result
}

#[test]
fn the_watch_watches() {
    assert_eq!(allocations(|| drop(Box::new(1))), 1);
    assert!(without_memory(|| Vec::<u64>::new().try_reserve(1)).is_err());
    let before = BYTES.get();
    let vec = vec![0_u64; 100];
    assert_eq!(BYTES.get() - before, 800);
    drop(vec);
    assert_eq!(BYTES.get(), before);
}
