//! Popping in other ways than one by one among many.

use core::ptr::NonNull;

use alloc::vec::Vec;

use super::{Link, List};
use crate::error::PopError;
use crate::reclaim::{Guard, pin};
use crate::segment::Segment;

impl<T> List<T> {
    /// Pops up to `most` items of the first ring behind those that are there; returns how many
    /// tickets it claimed. None: that ring is empty or drained, or there is no ring.
    pub(crate) fn pop_some(&self, items: &mut Vec<T>, most: usize, guard: &Guard) -> usize {
        match self.head(guard) {
            Link::To(segment) => segment.pop_some(items, most),
            Link::Open | Link::Final => 0,
        }
    }

    /// Moves the only consumer on: from a drained ring, which it leaves, or to the first ring.
    ///
    /// The ring that it returns is not freed before it is left in turn.
    ///
    /// # Safety
    /// The caller is the list's only consumer. `from` is drained, and is the ring that the last such
    /// call returned.
    pub(crate) unsafe fn move_on(
        &self,
        from: Option<&Segment<T>>,
    ) -> Result<NonNull<Segment<T>>, PopError> {
        let guard = pin();
        match self.after(from, &guard) {
            Link::To(next) => {
                if let Some(drained) = from {
                    self.leave(drained, next);
                }
                Ok(next.place())
            }
            Link::Open => {
                self.store.collect_idle();
                Err(PopError::Empty)
            }
            Link::Final => {
                self.store.collect_idle();
                Err(PopError::Closed)
            }
        }
    }
}
