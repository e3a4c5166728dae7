//! The interface of concurrent-queue 2.5.0 over [`segring`].
//!
//! [`ConcurrentQueue`] is a [`segring::Queue`] or a [`segring::BoundedQueue`]. Signatures, traits,
//! panics, results and memory orderings are the original's, and its own tests pass. What differs is
//! said at the type.

#[cfg(all(loom, feature = "loom", not(segring_loom)))]
compile_error!("loom would not see inside the queue: add `--cfg segring_loom`");

#[path = "../../common.rs"]
mod common;
mod error;

use core::fmt;

use segring::{BoundedQueue, Queue};

use crate::common::{bounded, full_fence, in_order, no_memory};

pub use error::{ForcePushError, PopError, PushError};

/// A bounded or unbounded first-in first-out queue for any number of producers and consumers.
///
/// A closed queue takes no more items; those inside can still be popped.
///
/// # Differences from the original
///
/// * No operation waits without a bound for a thread that stalls inside another.
/// * An unbounded queue keeps items in rings of 64 slots and more instead of blocks of 31: a steady
///   backlog allocates nothing, where the original allocates for each 31 items; but an emptied queue
///   keeps a ring. Rings that have been left are freed through epochs: later, and not while a thread
///   is stalled inside an operation.
/// * A bounded queue has room for at least twice as many items in memory. No operation of it
///   allocates, unless a thread stalls inside one for as long as the others take to go through all
///   of that room.
/// * If an item's destructor panics while the queue is dropped, the others are dropped all the same,
///   not leaked.
/// * `std`, native atomics and Rust 1.95 are needed with any features. The feature `loom` does
///   nothing: models see inside with `--cfg segring_loom`, under which
///   [`unbounded`](Self::unbounded) is no `const fn`, as the original's is not under `--cfg loom`.
///
/// ```
/// use concurrent_queue::{ConcurrentQueue, PopError, PushError};
///
/// let q = ConcurrentQueue::bounded(2);
/// assert_eq!(q.push('a'), Ok(()));
/// assert_eq!(q.push('b'), Ok(()));
/// assert_eq!(q.push('c'), Err(PushError::Full('c')));
/// assert_eq!(q.pop(), Ok('a'));
/// assert_eq!(q.pop(), Ok('b'));
/// assert_eq!(q.pop(), Err(PopError::Empty));
/// ```
pub struct ConcurrentQueue<T>(Inner<T>);

enum Inner<T> {
    Bounded(BoundedQueue<T>),
    Unbounded(Queue<T>),
}

impl<T> ConcurrentQueue<T> {
    /// A queue that holds at most `cap` items, with room for them allocated.
    ///
    /// # Panics
    /// When `cap` is zero or too large.
    pub fn bounded(cap: usize) -> Self {
        assert!(cap > 0, "capacity must be positive");
        Self(Inner::Bounded(bounded(cap)))
    }

    /// A queue without a limit. Allocates nothing.
    #[cfg(not(segring_loom))]
    pub const fn unbounded() -> Self {
        Self(Inner::Unbounded(Queue::new()))
    }

    /// A queue without a limit. Allocates nothing.
    #[cfg(segring_loom)]
    pub fn unbounded() -> Self {
        Self(Inner::Unbounded(Queue::new()))
    }

    /// Puts an item at the back, unless the queue is full or closed.
    ///
    /// ```
    /// # use concurrent_queue::{ConcurrentQueue, PushError};
    /// let q = ConcurrentQueue::bounded(1);
    /// assert_eq!(q.push(10), Ok(()));
    /// assert_eq!(q.push(20), Err(PushError::Full(20)));
    /// q.close();
    /// assert_eq!(q.push(30), Err(PushError::Closed(30)));
    /// ```
    pub fn push(&self, value: T) -> Result<(), PushError<T>> {
        let result = self.put(value).or_else(|error| match error {
            segring::PushError::Full(value) => {
                full_fence();
                self.put(value)
            }
            error => Err(error),
        });
        in_order();
        result.map_err(|error| match error {
            segring::PushError::Full(value) => PushError::Full(value),
            segring::PushError::Closed(value) => PushError::Closed(value),
            segring::PushError::NoMemory(_) => no_memory::<T>(),
        })
    }

    /// Puts an item at the back of a queue that is not closed; if it is full, in exchange for the
    /// oldest item.
    ///
    /// ```
    /// # use concurrent_queue::{ConcurrentQueue, ForcePushError};
    /// let q = ConcurrentQueue::bounded(2);
    /// assert_eq!(q.force_push(1), Ok(None));
    /// assert_eq!(q.force_push(2), Ok(None));
    /// assert_eq!(q.force_push(3), Ok(Some(1)));
    /// q.close();
    /// assert_eq!(q.force_push(4), Err(ForcePushError(4)));
    /// ```
    pub fn force_push(&self, value: T) -> Result<Option<T>, ForcePushError<T>> {
        let result = match &self.0 {
            Inner::Bounded(q) => q.try_force_push(value),
            Inner::Unbounded(q) => q.try_push(value).map(|()| None),
        };
        in_order();
        result.map_err(|error| match error {
            segring::PushError::NoMemory(_) => no_memory::<T>(),
            error => ForcePushError(error.into_inner()),
        })
    }

    /// Takes the item at the front.
    ///
    /// ```
    /// # use concurrent_queue::{ConcurrentQueue, PopError};
    /// let q = ConcurrentQueue::unbounded();
    /// assert_eq!(q.pop(), Err(PopError::Empty));
    /// q.push(10).unwrap();
    /// q.close();
    /// assert_eq!(q.pop(), Ok(10));
    /// assert_eq!(q.pop(), Err(PopError::Closed));
    /// ```
    pub fn pop(&self) -> Result<T, PopError> {
        let result = self.take().ok_or(()).or_else(|()| {
            full_fence();
            match self.take() {
                Some(value) => Ok(value),
                // Open now, so open when it was empty.
                None if !self.is_closed() => Err(PopError::Empty),
                // What came in between is the last there is.
                None => self.take().ok_or(PopError::Closed),
            }
        });
        in_order();
        result
    }

    /// An iterator that pops until there is nothing. It may go on when there is something again.
    ///
    /// ```
    /// # use concurrent_queue::ConcurrentQueue;
    /// let q = ConcurrentQueue::bounded(5);
    /// q.push(1).unwrap();
    /// q.push(2).unwrap();
    /// let mut items = q.try_iter();
    /// assert_eq!((items.next(), items.next(), items.next()), (Some(1), Some(2), None));
    /// q.push(3).unwrap();
    /// assert_eq!(items.next(), Some(3));
    /// ```
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter { queue: self }
    }

    /// Whether there was a moment in the call at which no item was inside.
    pub fn is_empty(&self) -> bool {
        in_order();
        match &self.0 {
            Inner::Bounded(q) => q.is_empty(),
            Inner::Unbounded(q) => q.is_empty(),
        }
    }

    /// Whether there was a moment in the call at which there was no room. Never for an unbounded
    /// queue.
    pub fn is_full(&self) -> bool {
        in_order();
        match &self.0 {
            Inner::Bounded(q) => q.is_full(),
            Inner::Unbounded(_) => false,
        }
    }

    /// How many items are inside; exact when no operation is in flight.
    pub fn len(&self) -> usize {
        in_order();
        match &self.0 {
            Inner::Bounded(q) => q.len(),
            Inner::Unbounded(q) => q.len(),
        }
    }

    /// How many items may be inside. `None` for an unbounded queue.
    pub fn capacity(&self) -> Option<usize> {
        match &self.0 {
            Inner::Bounded(q) => Some(q.capacity()),
            Inner::Unbounded(_) => None,
        }
    }

    /// Closes the queue for pushes; pops take what is inside. True for the call that did it.
    pub fn close(&self) -> bool {
        let closed = match &self.0 {
            Inner::Bounded(q) => q.close(),
            Inner::Unbounded(q) => q.close(),
        };
        in_order();
        closed
    }

    /// Whether the queue has been closed.
    pub fn is_closed(&self) -> bool {
        in_order();
        match &self.0 {
            Inner::Bounded(q) => q.is_closed(),
            Inner::Unbounded(q) => q.is_closed(),
        }
    }

    fn put(&self, value: T) -> Result<(), segring::PushError<T>> {
        match &self.0 {
            Inner::Bounded(q) => q.try_push(value),
            Inner::Unbounded(q) => q.try_push(value),
        }
    }

    fn take(&self) -> Option<T> {
        match &self.0 {
            Inner::Bounded(q) => q.pop(),
            Inner::Unbounded(q) => q.pop(),
        }
    }
}

impl<T> fmt::Debug for ConcurrentQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConcurrentQueue")
            .field("len", &self.len())
            .field("capacity", &self.capacity())
            .field("is_closed", &self.is_closed())
            .finish()
    }
}

/// Pops items from a [`ConcurrentQueue`]: see [`try_iter`](ConcurrentQueue::try_iter).
#[must_use = "iterators are lazy and do nothing unless consumed"]
#[derive(Clone)]
pub struct TryIter<'a, T> {
    queue: &'a ConcurrentQueue<T>,
}

impl<T> fmt::Debug for TryIter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Iter").field(&self.queue).finish()
    }
}

impl<T> Iterator for TryIter<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.queue.pop().ok()
    }
}
