use core::fmt;

use segring::{BoundedQueue, PushError};

use crate::common::{bounded, full_fence, in_order, no_memory};

/// A first-in first-out queue with room for a fixed number of items, for any number of producers and
/// consumers.
///
/// # Differences from the original
///
/// * There is room for at least twice as many items in memory. No operation allocates, unless a
///   thread stalls inside one for as long as the others take to go through all of that room.
/// * If an item's destructor panics while the queue is dropped, the others are dropped all the same,
///   not leaked.
///
/// ```
/// use crossbeam_queue::ArrayQueue;
///
/// let q = ArrayQueue::new(2);
/// assert_eq!(q.push('a'), Ok(()));
/// assert_eq!(q.push('b'), Ok(()));
/// assert_eq!(q.push('c'), Err('c'));
/// assert_eq!(q.pop(), Some('a'));
/// ```
pub struct ArrayQueue<T>(BoundedQueue<T>);

impl<T> ArrayQueue<T> {
    /// An empty queue with room for `cap` items.
    ///
    /// # Panics
    /// When `cap` is zero or too large.
    pub fn new(cap: usize) -> Self {
        assert!(cap > 0, "capacity must be non-zero");
        Self(bounded(cap))
    }

    /// Puts an item at the back, or gives it back if the queue is full.
    pub fn push(&self, value: T) -> Result<(), T> {
        let result = put(&self.0, value).or_else(|value| {
            full_fence();
            put(&self.0, value)
        });
        in_order();
        result
    }

    /// Puts an item at the back, or gives it back if the queue is full.
    pub fn push_mut(&mut self, value: T) -> Result<(), T> {
        put(&self.0, value)
    }

    /// Puts an item at the back; if the queue is full, in exchange for the oldest item.
    ///
    /// ```
    /// # use crossbeam_queue::ArrayQueue;
    /// let q = ArrayQueue::new(2);
    /// assert_eq!(q.force_push(10), None);
    /// assert_eq!(q.force_push(20), None);
    /// assert_eq!(q.force_push(30), Some(10));
    /// assert_eq!(q.pop(), Some(20));
    /// ```
    pub fn force_push(&self, value: T) -> Option<T> {
        let evicted = self.0.force_push(value);
        in_order();
        evicted
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

    /// Takes the item at the front. `None` if there is none.
    pub fn pop_mut(&mut self) -> Option<T> {
        self.0.pop_mut()
    }

    /// How many items there is room for: what [`new`](Self::new) was told.
    pub fn capacity(&self) -> usize {
        self.0.capacity()
    }

    /// Whether there was a moment in the call at which no item was inside.
    pub fn is_empty(&self) -> bool {
        in_order();
        self.0.is_empty()
    }

    /// Whether there was a moment in the call at which there was no room.
    pub fn is_full(&self) -> bool {
        in_order();
        self.0.is_full()
    }

    /// How many items are inside; exact when no operation is in flight.
    pub fn len(&self) -> usize {
        in_order();
        self.0.len()
    }
}

/// [`BoundedQueue::push`] gives the item back without memory as well, which is not the same as full.
fn put<T>(queue: &BoundedQueue<T>, value: T) -> Result<(), T> {
    queue.try_push(value).map_err(|error| match error {
        PushError::NoMemory(_) => no_memory::<T>(),
        error => error.into_inner(),
    })
}

impl<T> fmt::Debug for ArrayQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("ArrayQueue { .. }")
    }
}

impl<T> IntoIterator for ArrayQueue<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        IntoIter { value: self }
    }
}

/// The items of an [`ArrayQueue`], oldest first. Not nameable, as the original's is not.
#[derive(Debug)]
pub struct IntoIter<T> {
    value: ArrayQueue<T>,
}

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.value.pop_mut()
    }
}
