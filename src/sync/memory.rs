//! Where the memory of rings comes from.
//!
//! Normally: the global allocator. In model mode freed memory is kept until the execution is over,
//! and a [`Tombstone`] in it tells whoever still comes by that it should not have.

use core::alloc::Layout;
use core::ptr::NonNull;

/// Zeroed memory, or `None` when the allocator has none.
pub(crate) fn allocate(layout: Layout) -> Option<NonNull<u8>> {
    debug_assert!(layout.size() > 0);
    // SAFETY: the size is not zero: a layout here is that of a ring with its header.
    let memory = NonNull::new(unsafe { alloc::alloc::alloc_zeroed(layout) });
    #[cfg(segring_loom)]
    if let Some(memory) = memory {
        graveyard::count_allocated();
        graveyard::keep(memory, layout);
    }
    memory
}

/// Gives memory back.
///
/// # Safety
/// `memory` came from [`allocate`] with the same layout, and nobody uses it any more.
pub(crate) unsafe fn free(memory: NonNull<u8>, layout: Layout) {
    #[cfg(not(segring_loom))]
    // SAFETY: the caller's promise.
    unsafe {
        alloc::alloc::dealloc(memory.as_ptr(), layout);
    }
    // The graveyard does it when the execution is over.
    #[cfg(segring_loom)]
    let _ = (memory, layout);
}

/// A value that is never freed; in models, not before the execution is over.
pub(crate) fn keep<T: 'static>(value: T) -> &'static mut T {
    let kept = Box::leak(Box::new(value));
    #[cfg(segring_loom)]
    graveyard::keep(NonNull::from_mut(kept).cast(), Layout::new::<T>());
    kept
}

/// Says that the memory around it has been freed. Only models have one.
#[derive(Debug)]
pub(crate) struct Tombstone {
    #[cfg(segring_loom)]
    state: super::AtomicU8,
}

/// Asserts, when it goes out of scope, that the memory has not been freed meanwhile.
///
/// Checking last is as strict as checking after each atomic operation: freed memory stays freed,
/// and the scheduler switches threads only in front of an operation.
#[derive(Debug)]
#[must_use]
pub(crate) struct Watch<'a>(#[cfg(segring_loom)] &'a Tombstone, core::marker::PhantomData<&'a ()>);

impl Tombstone {
    pub(crate) const fn new() -> Self {
        Self {
            #[cfg(segring_loom)]
            state: super::AtomicU8::new(0),
        }
    }

    #[inline]
    #[cfg_attr(not(segring_loom), expect(clippy::unused_self, reason = "used in models"))]
    pub(crate) fn watch(&self) -> Watch<'_> {
        Watch(
            #[cfg(segring_loom)]
            self,
            core::marker::PhantomData,
        )
    }
}

#[cfg(segring_loom)]
mod model {
    use super::{Tombstone, Watch};
    use crate::sync::Ordering::Relaxed;

    const RETIRED: u8 = 1;
    const FREED: u8 = 2;

    impl Tombstone {
        /// A ring is retired once.
        pub(crate) fn retired(&self) {
            let before = self.state.fetch_or(RETIRED, Relaxed);
            assert_eq!(before, 0, "a segment was retired twice, or after it was freed");
        }

        /// A ring is freed once.
        pub(crate) fn freed(&self) {
            super::graveyard::count_freed();
            let before = self.state.fetch_or(FREED, Relaxed);
            assert_eq!(before & FREED, 0, "a segment was freed twice");
        }
    }

    impl Drop for Watch<'_> {
        fn drop(&mut self) {
            if !crate::sync::is_model_failing() {
                let freed = self.0.state.load(Relaxed) & FREED != 0;
                assert!(!freed, "a freed segment was used");
            }
        }
    }
}

#[cfg(not(segring_loom))]
impl Tombstone {
    #[expect(clippy::unused_self, reason = "used in models")]
    pub(crate) fn retired(&self) {}

    #[expect(clippy::unused_self, reason = "used in models")]
    pub(crate) fn freed(&self) {}
}

/// Keeps the memory of an execution until the next one begins.
#[cfg(segring_loom)]
pub(crate) use graveyard::live_segments;

#[cfg(segring_loom)]
mod graveyard {
    use core::alloc::Layout;
    use core::cell::{Cell, RefCell};
    use core::ptr::NonNull;

    std::thread_local! {
        // loom runs all threads of a model on one thread of the system.
        static KEPT: RefCell<Vec<(NonNull<u8>, Layout)>> = const { RefCell::new(Vec::new()) };
        static LIVE: Cell<usize> = const { Cell::new(0) };
    }

    loom::lazy_static! {
        /// Made anew in every execution: then the memory of the last one is free to go.
        static ref EXECUTION: () = KEPT.with_borrow_mut(|kept| {
            LIVE.set(0);
            for (memory, layout) in kept.drain(..) {
                // SAFETY: `keep` was given memory of the global allocator with its layout; the
                // execution that used it is over.
                unsafe { alloc::alloc::dealloc(memory.as_ptr(), layout) };
            }
        });
    }

    pub(super) fn count_allocated() {
        let () = *EXECUTION;
        LIVE.set(LIVE.get() + 1);
    }

    pub(super) fn count_freed() {
        LIVE.set(LIVE.get() - 1);
    }

    /// How many segments of this execution have been allocated and not freed.
    pub(crate) fn live_segments() -> usize {
        let () = *EXECUTION;
        LIVE.get()
    }

    pub(super) fn keep(memory: NonNull<u8>, layout: Layout) {
        let () = *EXECUTION;
        KEPT.with_borrow_mut(|kept| kept.push((memory, layout)));
    }
}
