//! [`Lease`]: a counted reference to a ring, which needs no pin.

use core::ptr::NonNull;

use crate::segment::Segment;
use crate::sync::{is_model_failing, mutant};

/// A counted reference to a ring, or to none.
#[derive(Debug)]
pub(crate) struct Lease<T>(Option<NonNull<Segment<T>>>);

// SAFETY: a ring's reference count does not care which thread counts. Items pass through a handle
// from one thread to another, hence `T: Send`.
unsafe impl<T: Send> Send for Lease<T> {}
// SAFETY: a shared lease gives no access: every operation of a handle takes `&mut`.
unsafe impl<T: Send> Sync for Lease<T> {}

impl<T> Lease<T> {
    pub(crate) const fn new() -> Self {
        Self(None)
    }

    #[inline]
    pub(crate) fn get(&self) -> Option<&Segment<T>> {
        // SAFETY: the reference we count keeps the ring.
        self.0.map(|segment| unsafe { segment.as_ref() })
    }

    #[inline]
    pub(crate) fn is_of_same_ring(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    /// Moves to another ring, which the caller keeps from being freed meanwhile.
    pub(crate) fn renew(&mut self, segment: &Segment<T>) {
        if self.0 != Some(segment.place()) {
            drop(Self(self.0.take_if(|_| mutant("released-before-counted"))));
            segment.acquire();
            *self = Self(Some(segment.place()));
        }
    }
}

impl<T> Drop for Lease<T> {
    fn drop(&mut self) {
        if let Some(segment) = self.0
            && !is_model_failing()
        {
            // SAFETY: we own this reference and are done.
            unsafe { Segment::release(segment) };
        }
    }
}
