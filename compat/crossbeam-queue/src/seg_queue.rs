use core::fmt;

use segring::Queue;

use crate::common::{full_fence, in_order};

/// An unbounded first-in first-out queue for any number of producers and consumers.
///
/// # Differences from the original
///
/// * Items live in rings of 64 slots and more instead of blocks of 31: a steady backlog allocates
///   nothing, where the original allocates for each 31 items; but an emptied queue keeps a ring.
/// * Rings that have been left are freed through epochs: later, and not while a thread is stalled
///   inside an operation.
/// * If an item's destructor panics while the queue is dropped, the others are dropped all the same,
///   not leaked.
/// * In segring's model mode (`--cfg segring_loom`), [`new`](Self::new) is no `const fn`.
///
/// ```
/// use crossbeam_queue::SegQueue;
///
/// let q = SegQueue::new();
/// q.push('a');
/// q.push('b');
/// assert_eq!(q.pop(), Some('a'));
/// assert_eq!(q.pop(), Some('b'));
/// assert!(q.pop().is_none());
/// ```
pub struct SegQueue<T>(Queue<T>);

impl<T> SegQueue<T> {
    /// An empty queue. Allocates nothing.
    #[cfg(not(segring_loom))]
    pub const fn new() -> Self {
        Self(Queue::new())
    }

    /// An empty queue. Allocates nothing.
    #[cfg(segring_loom)]
    pub fn new() -> Self {
        Self(Queue::new())
    }

    /// Puts an item at the back.
    pub fn push(&self, value: T) {
        self.0.push(value);
        in_order();
    }

    /// Puts an item at the back, without an atomic read-modify-write.
    pub fn push_mut(&mut self, value: T) {
        self.0.push_mut(value);
    }

    /// Takes the item at the front. `None` if there is none.
    pub fn pop(&self) -> Option<T> {
        let item = self.0.pop().or_else(|| {
            full_fence();
            self.0.pop()
        });
        in_order();
        item
    }

    /// Takes the item at the front, without an atomic read-modify-write.
    pub fn pop_mut(&mut self) -> Option<T> {
        self.0.pop_mut()
    }

    /// Whether there was a moment in the call at which no item was inside.
    pub fn is_empty(&self) -> bool {
        in_order();
        self.0.is_empty()
    }

    /// How many items are inside; exact when no operation is in flight.
    pub fn len(&self) -> usize {
        in_order();
        self.0.len()
    }
}

impl<T> Default for SegQueue<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for SegQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("SegQueue { .. }")
    }
}

impl<T> IntoIterator for SegQueue<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        IntoIter { value: self }
    }
}

/// The items of a [`SegQueue`], oldest first. Not nameable, as the original's is not.
#[derive(Debug)]
pub struct IntoIter<T> {
    value: SegQueue<T>,
}

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.value.pop_mut()
    }
}
