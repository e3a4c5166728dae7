//! Where memory comes from, in models.
//!
//! Freed memory is kept until the execution is over, and a [`Tombstone`] in it tells whoever still
//! comes by that it should not have.

use core::alloc::Layout;
use core::cell::{Cell, RefCell};
use core::ptr::NonNull;
use core::sync::atomic::AtomicU8;

use crate::sync::Ordering::Relaxed;
use crate::sync::mode::lazy_static;
use crate::sync::mutant;

std::thread_local! {
    // All threads of a model run on one thread of the system.
    static KEPT: RefCell<Vec<(NonNull<u8>, Layout)>> = const { RefCell::new(Vec::new()) };
    static LIVE: Cell<usize> = const { Cell::new(0) };
}

lazy_static! {
    /// Made anew in every execution: then the memory of the last one is free to go.
    static ref EXECUTION: () = KEPT.with_borrow_mut(|kept| {
        LIVE.set(0);
        for (memory, layout) in kept.drain(..) {
            // SAFETY: `bury` was given memory of the global allocator with its layout; the
            // execution that used it is over.
            unsafe { alloc::alloc::dealloc(memory.as_ptr(), layout) };
        }
    });
}

fn bury(memory: NonNull<u8>, layout: Layout) {
    let () = *EXECUTION;
    KEPT.with_borrow_mut(|kept| kept.push((memory, layout)));
}

/// Zeroed memory, or `None` when the allocator has none.
pub(crate) fn allocate(layout: Layout) -> Option<NonNull<u8>> {
    // SAFETY: the size is not zero: a layout here is that of a ring with its header.
    let memory = NonNull::new(unsafe { alloc::alloc::alloc_zeroed(layout) })?;
    bury(memory, layout);
    LIVE.set(LIVE.get() + 1);
    Some(memory)
}

/// Does nothing: the memory is kept until the execution is over.
///
/// # Safety
/// None is needed here; elsewhere memory is freed.
pub(crate) unsafe fn free(_memory: NonNull<u8>, _layout: Layout) {}

/// A value that is not freed before the execution is over.
pub(crate) fn keep<T: 'static>(value: T) -> &'static mut T {
    let kept = Box::leak(Box::new(value));
    bury(NonNull::from_mut(kept).cast(), Layout::new::<T>());
    kept
}

/// A function that returns a static, a fresh one in every execution.
macro_rules! static_fn {
    (fn $name:ident() -> &'static $type:ty { $value:expr }) => {
        fn $name() -> &'static $type {
            crate::sync::mode::lazy_static! {
                static ref VALUE: &'static $type = $crate::sync::memory::keep($value);
            }
            &VALUE
        }
    };
}
pub(crate) use static_fn;

/// How many segments of this execution have been allocated and not freed.
pub(crate) fn live_segments() -> usize {
    let () = *EXECUTION;
    LIVE.get()
}

/// Says that the memory around it has been freed.
#[derive(Debug)]
pub(crate) struct Tombstone {
    state: AtomicU8,
}

/// Asserts, when it goes out of scope, that the memory has not been freed meanwhile.
///
/// Checking last is as strict as checking after each atomic operation: freed memory stays freed,
/// and the scheduler switches threads only in front of an operation.
#[derive(Debug)]
#[must_use]
pub(crate) struct Watch<'a>(&'a Tombstone);

const RETIRED: u8 = 1;
const FREED: u8 = 2;

impl Tombstone {
    pub(crate) const fn new() -> Self {
        Self { state: AtomicU8::new(0) }
    }

    pub(crate) fn watch(&self) -> Watch<'_> {
        Watch(self)
    }

    /// A ring is retired once.
    pub(crate) fn retired(&self) {
        let before = self.state.fetch_or(RETIRED, Relaxed);
        assert_eq!(before, 0, "a segment was retired twice, or after it was freed");
    }

    /// A ring is freed once.
    pub(crate) fn freed(&self) {
        LIVE.set(LIVE.get() - 1);
        let before = self.state.fetch_or(FREED, Relaxed);
        assert_eq!(before & FREED, 0, "a segment was freed twice");
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if !crate::sync::is_model_failing() && !mutant("tombstones-unread") {
            let freed = self.0.state.load(Relaxed) & FREED != 0;
            assert!(!freed, "a freed segment was used");
        }
    }
}
