//! Where memory comes from: the global allocator.
//!
//! In models freed memory is kept instead, and a tombstone in it tells whoever still comes by that it
//! should not have: see `memory/model.rs`, which takes this file's place there.

use core::alloc::Layout;
use core::marker::PhantomData;
use core::ptr::NonNull;

/// Zeroed memory, or `None` when the allocator has none.
pub(crate) fn allocate(layout: Layout) -> Option<NonNull<u8>> {
    debug_assert!(layout.size() > 0);
    // SAFETY: the size is not zero: a layout here is that of a ring with its header.
    NonNull::new(unsafe { alloc::alloc::alloc_zeroed(layout) })
}

/// Gives memory back.
///
/// # Safety
/// `memory` came from [`allocate`] with the same layout, and nobody uses it any more.
pub(crate) unsafe fn free(memory: NonNull<u8>, layout: Layout) {
    // SAFETY: the caller's promise.
    unsafe { alloc::alloc::dealloc(memory.as_ptr(), layout) };
}

/// A value that is never freed; in models, not before the execution is over.
pub(crate) fn keep<T: 'static>(value: T) -> &'static mut T {
    Box::leak(Box::new(value))
}

/// A function that returns a static; in models, a fresh one in every execution.
macro_rules! static_fn {
    (fn $name:ident() -> &'static $type:ty { $value:expr }) => {
        fn $name() -> &'static $type {
            static VALUE: $type = $value;
            &VALUE
        }
    };
}
pub(crate) use static_fn;

/// In models: says that the memory around it has been freed.
#[derive(Debug)]
pub(crate) struct Tombstone;

/// In models: asserts, when it goes out of scope, that the memory has not been freed meanwhile.
#[derive(Debug)]
#[must_use]
pub(crate) struct Watch<'a>(PhantomData<&'a ()>);

#[expect(clippy::unused_self, reason = "used in models")]
impl Tombstone {
    pub(crate) const fn new() -> Self {
        Self
    }

    #[inline]
    pub(crate) fn watch(&self) -> Watch<'_> {
        Watch(PhantomData)
    }

    pub(crate) fn retired(&self) {}

    pub(crate) fn freed(&self) {}
}
