//! Many items in one call.

use alloc::vec::Vec;

use super::{Queue, fail};
use crate::batch::{Unpushed, push_all, push_shared};
use crate::error::PushError;
use crate::reclaim::pin;

impl<T> Queue<T> {
    /// Puts all items of an iterator at the back, in their order.
    ///
    /// The items are taken from the iterator in chunks of up to 32 (4 of more than 64 bytes each, 1
    /// of more than 512), and are pushed when a chunk is full or the iterator ends: a pin for each
    /// chunk, and one atomic read-modify-write for as many items as a quarter of the ring has slots.
    /// The batch is not one step: each item is a push of its own, and other threads' items may come
    /// to stand in between.
    ///
    /// If the iterator panics, the items that it has given are pushed before the panic goes on (and
    /// dropped where they cannot be, in a closed queue).
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
    /// queue.push_batch(0..100);
    /// assert_eq!(queue.pop_batch(3), [0, 1, 2]);
    /// assert_eq!(queue.len(), 97);
    /// ```
    #[track_caller]
    pub fn push_batch(&self, items: impl IntoIterator<Item = T>) {
        if let Err(error) = self.try_push_batch(items) {
            fail(error, self);
        }
    }

    /// Puts all items of an iterator at the back, as [`push_batch`](Self::push_batch) does, or gives
    /// back those that it did not push, in their order.
    ///
    /// # Errors
    /// When the queue has been closed, or when a ring is needed and there is no memory for it. (The items
    /// that come back are in a small `Vec`: without memory for that, it aborts.) An
    /// iterator without items is never an error.
    ///
    /// ```
    /// # use segring::Queue;
    /// let queue = Queue::new();
    /// let closing = (0..100).inspect(|&n| _ = n == 50 && queue.close());
    /// let unpushed = queue.try_push_batch(closing).unwrap_err().into_inner();
    /// assert!(queue.pop_batch(usize::MAX).into_iter().chain(unpushed).eq(0..100));
    /// ```
    pub fn try_push_batch<I: IntoIterator<Item = T>>(
        &self,
        items: I,
    ) -> Result<(), PushError<Unpushed<I::IntoIter>>> {
        push_all(items.into_iter(), |chunk| push_shared(&self.list, chunk))
    }

    /// Takes up to `max` items at the front. Fewer only if it found the queue empty.
    ///
    /// One atomic read-modify-write and a pin for up to 32 items. The batch is not one step: each
    /// item is a pop of its own, and other threads may take items from between. A thread that is
    /// stalled inside may have up to 32 items, which others do without and do not wait for.
    ///
    /// Allocates if there are items; [`pop_into`](Self::pop_into) can do without.
    ///
    /// ```
    /// # use segring::Queue;
    /// let queue: Queue<_> = (0..5).collect();
    /// assert_eq!(queue.pop_batch(3), [0, 1, 2]);
    /// assert_eq!(queue.pop_batch(3), [3, 4]);
    /// assert_eq!(queue.pop_batch(3), []);
    /// ```
    pub fn pop_batch(&self, max: usize) -> Vec<T> {
        let mut items = Vec::new();
        self.pop_into(&mut items, max);
        items
    }

    /// Takes up to `max` items at the front, as [`pop_batch`](Self::pop_batch) does, and appends them
    /// to a vector, which grows if it has to; returns how many.
    ///
    /// ```
    /// # use segring::Queue;
    /// let queue: Queue<_> = (0..5).collect();
    /// let mut items = Vec::with_capacity(32);
    /// while queue.pop_into(&mut items, 32) > 0 {
    ///     assert!(items.drain(..).eq(0..5));
    /// }
    /// ```
    pub fn pop_into(&self, items: &mut Vec<T>, max: usize) -> usize {
        let before = items.len();
        let full = before.saturating_add(max);
        while items.len() < full {
            let guard = pin();
            if self.list.pop_some(items, full - items.len(), &guard) == 0 {
                let Some(item) = self.list.pop(&guard, |_| ()) else { break };
                items.push(item);
            }
        }
        items.len() - before
    }
}
