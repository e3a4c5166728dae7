//! What both packages need, included by both.

use core::sync::atomic::Ordering::SeqCst;
use core::sync::atomic::compiler_fence;
use std::alloc::{Layout, handle_alloc_error};

#[cfg(not(segring_loom))]
use core::sync::atomic::fence;
#[cfg(segring_loom)]
use loom::sync::atomic::fence;

use segring::{BoundError, BoundedQueue};

// Memory orders. The originals' accesses are sequentially consistent, segring's are not. Programs
// may rely on that: one thread sets a flag, looks at the queue once more and goes to sleep; the
// others push and then look at the flag.

/// What the originals issue before they say that there is no item, or no room.
pub(crate) fn full_fence() {
    fence(SeqCst);
}

/// Between a change of the queue and what follows it, and between what comes before and a look at
/// the queue.
pub(crate) fn in_order() {
    if cfg!(all(any(target_arch = "x86", target_arch = "x86_64"), not(segring_loom))) {
        // Each change is a locked instruction, which nothing passes; looks are plain loads in the
        // originals too.
        compiler_fence(SeqCst);
    } else {
        fence(SeqCst);
    }
}

// Limits.

/// A queue of a capacity that is not zero; fails as the originals do.
pub(crate) fn bounded<T>(capacity: usize) -> BoundedQueue<T> {
    BoundedQueue::try_new(capacity).unwrap_or_else(|error| match error {
        BoundError::NoMemory { bytes } => handle_alloc_error(
            Layout::from_size_align(bytes, align_of::<T>()).unwrap_or_else(|_| Layout::new::<T>()),
        ),
        _ => panic!("capacity overflow"),
    })
}

/// Aborts, as the originals do without memory.
pub(crate) fn no_memory<T>() -> ! {
    handle_alloc_error(Layout::new::<T>())
}
