//! Many items in one call.

use core::ops::Deref;

use alloc::vec::Vec;

use super::Ends;
use crate::batch::{Unpushed, push_all};
use crate::error::PushError;
use crate::queue::{Queue, fail};

impl<T, Q: Deref<Target = Queue<T>>> Ends<Q, T> {
    /// Puts all items of an iterator at the back, as [`Queue::push_batch`]
    /// does, without the pins.
    ///
    /// # Panics
    /// When the queue has been closed; the items that are not pushed yet are dropped. Use
    /// [`try_push_batch`](Self::try_push_batch) to keep them.
    ///
    /// # Aborts
    /// When a ring is needed and there is no memory for it.
    ///
    /// ```
    /// # use segring::Queue;
    /// let queue = Queue::new();
    /// let mut handle = queue.handle();
    /// handle.push_batch(["a", "b", "c"]);
    /// assert_eq!(handle.pop_batch(2), ["a", "b"]);
    /// ```
    #[track_caller]
    pub fn push_batch(&mut self, items: impl IntoIterator<Item = T>) {
        if let Err(error) = self.try_push_batch(items) {
            fail(error, &self.queue);
        }
    }

    /// Puts all items of an iterator at the back, or gives back those that it did not push, in their
    /// order.
    ///
    /// # Errors
    /// As [`Queue::try_push_batch`].
    pub fn try_push_batch<I: IntoIterator<Item = T>>(
        &mut self,
        items: I,
    ) -> Result<(), PushError<Unpushed<I::IntoIter>>> {
        push_all(items.into_iter(), |chunk| self.push_to.push_chunk(&self.queue.list, chunk))
    }

    /// Takes up to `max` items at the front, as [`Queue::pop_batch`] does,
    /// without the pins.
    ///
    /// ```
    /// # use segring::Queue;
    /// let queue: Queue<_> = (0..5).collect();
    /// let mut handle = queue.handle();
    /// assert_eq!(handle.pop_batch(3), [0, 1, 2]);
    /// assert_eq!(handle.pop_batch(3), [3, 4]);
    /// ```
    pub fn pop_batch(&mut self, max: usize) -> Vec<T> {
        let mut items = Vec::new();
        self.pop_into(&mut items, max);
        items
    }

    /// Takes up to `max` items at the front and appends them to a vector, as
    /// [`Queue::pop_into`] does, without the pins.
    pub fn pop_into(&mut self, items: &mut Vec<T>, max: usize) -> usize {
        let before = items.len();
        let full = before.saturating_add(max);
        while items.len() < full {
            let most = full - items.len();
            if self.pop_from.get().is_none_or(|segment| segment.pop_some(items, most) == 0) {
                let Some(item) = self.pop() else { break };
                items.push(item);
            }
        }
        items.len() - before
    }
}
