//! A global allocator that counts, for allocations per operation and live bytes.
//!
//! Counters belong to the thread, so that counting adds no shared cache line to the operations that
//! are being compared; zeroed allocations and reallocations are passed on as such, so that nobody
//! pays for memory the system hands out lazily. A program opts in:
//!
//! ```
//! #[global_allocator]
//! static ALLOCATOR: segring_benches::heap::Counting = segring_benches::heap::Counting;
//! ```

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use core::ops::{AddAssign, Sub};
use std::alloc::System;

use serde::{Deserialize, Serialize};

/// The system allocator, with counters.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counting;

/// What a thread has allocated and freed so far, or between two readings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Calls that allocated: fresh, zeroed or by growing or shrinking in place.
    pub allocations: u64,
    /// Bytes asked for.
    pub bytes_allocated: u64,
    /// Bytes given back.
    pub bytes_freed: u64,
}

thread_local! {
    // Without destructors, so that they can be used until the very end of a thread.
    static COUNTS: Cell<Counts> = const {
        Cell::new(Counts { allocations: 0, bytes_allocated: 0, bytes_freed: 0 })
    };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

impl Counts {
    /// Of the calling thread, so far.
    pub fn now() -> Self {
        COUNTS.get()
    }

    /// Bytes allocated and not freed; negative for a thread that frees what others allocated.
    pub const fn live_bytes(self) -> i64 {
        self.bytes_allocated.wrapping_sub(self.bytes_freed).cast_signed()
    }

    fn allocated(&mut self, size: usize) {
        self.allocations += 1;
        self.bytes_allocated += size as u64;
    }

    fn freed(&mut self, size: usize) {
        self.bytes_freed += size as u64;
    }
}

impl Sub for Counts {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            allocations: self.allocations - earlier.allocations,
            bytes_allocated: self.bytes_allocated - earlier.bytes_allocated,
            bytes_freed: self.bytes_freed - earlier.bytes_freed,
        }
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.allocations += other.allocations;
        self.bytes_allocated += other.bytes_allocated;
        self.bytes_freed += other.bytes_freed;
    }
}

/// Starts a new peak at what the calling thread has live now.
pub fn reset_peak() {
    PEAK.set(Counts::now().live_bytes());
}

/// The most bytes the calling thread had live since [`reset_peak`].
pub fn peak_bytes() -> i64 {
    PEAK.get()
}

/// Whether this program counts at all; without [`Counting`] every reading is zero.
pub fn is_counting() -> bool {
    let before = Counts::now();
    drop(core::hint::black_box(Box::new(0_u8)));
    Counts::now() != before
}

#[inline]
fn count(update: impl FnOnce(&mut Counts)) {
    let mut counts = COUNTS.get();
    update(&mut counts);
    COUNTS.set(counts);
    PEAK.set(counts.live_bytes().max(PEAK.get()));
}

// SAFETY: every call goes to the system allocator unchanged; counting neither allocates nor panics.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(|counts| counts.allocated(layout.size()));
        // SAFETY: the caller's contract is the system allocator's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(|counts| counts.allocated(layout.size()));
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(|counts| counts.freed(layout.size()));
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(|counts| {
            counts.allocated(size);
            counts.freed(layout.size());
        });
        // SAFETY: as above.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Counting, Counts, is_counting, peak_bytes, reset_peak};

    #[global_allocator]
    static ALLOCATOR: Counting = Counting;

    #[test]
    fn counts_what_a_thread_does() {
        assert!(is_counting());
        reset_peak();
        let (before, floor) = (Counts::now(), peak_bytes());
        let mut bytes = core::hint::black_box(Vec::<u8>::with_capacity(1_000));
        bytes.reserve_exact(3_000);
        let held = Counts::now() - before;
        assert_eq!((held.allocations, held.live_bytes()), (2, 3_000));
        drop(bytes);
        let after = Counts::now() - before;
        assert_eq!(after.live_bytes(), 0);
        assert!((3_000..=4_000).contains(&(peak_bytes() - floor)));
    }
}
