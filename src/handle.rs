//! [`Handle`] and [`OwnedHandle`]: the lock-free queue without a pin per operation.

use core::fmt;
use core::ops::Deref;
use core::panic::{RefUnwindSafe, UnwindSafe};

use alloc::sync::Arc;

use crate::error::{PopError, PushError};
use crate::inlet::Inlet;
use crate::lease::Lease;
use crate::queue::{Queue, TryIter, fail};
use crate::reclaim::pin;
use crate::segment::{Claim, Unclaimed};

mod batch;

/// A handle that borrows its queue, from [`Queue::handle`]. [`Ends`] says what handles do.
pub type Handle<'q, T> = Ends<&'q Queue<T>, T>;

/// A handle that keeps its queue alive, from [`Queue::owned_handle`]. [`Ends`] says what handles do.
pub type OwnedHandle<T> = Ends<Arc<Queue<T>>, T>;

/// One thread's way into both ends of a [`Queue`]: cheaper pushes and pops.
///
/// Always used as a [`Handle`] or an [`OwnedHandle`].
///
/// A handle keeps the ring it last pushed to and the one it last popped from, so that an operation
/// costs one atomic read-modify-write and nothing else until it moves on to another ring. It can
/// be sent to another thread between operations. A new handle has no rings yet: making one takes no
/// atomic operation (an owned one: that of its `Arc`), and its first push and pop pin the epoch.
///
/// A handle also sees from its tickets when others push at the same time, and then takes turns with them:
/// now and then a push returns up to 8 microseconds late, with its item in the queue before (a batch, perhaps
/// with the rest of its items to come). Likewise a pop that keeps catching up with producers may let
/// 2 microseconds pass first. Both only for as long as it shows that this pays.
///
/// An idle handle keeps at most two rings in memory and holds nothing else back. A handle that is
/// forgotten ([`core::mem::forget`]) leaks them.
///
/// ```
/// use segring::Queue;
///
/// let queue = Queue::new();
/// std::thread::scope(|s| {
///     for producer in 0..2 {
///         let mut handle = queue.handle();
///         s.spawn(move || (0..100).for_each(|n| handle.push((producer, n))));
///     }
/// });
/// let mut handle = queue.handle();
/// let popped = std::iter::from_fn(|| handle.pop()).count();
/// assert_eq!(popped, 200);
/// ```
pub struct Ends<Q, T> {
    push_to: Inlet<T>,
    pop_from: Lease<T>,
    /// A `&Queue<T>` or an `Arc<Queue<T>>`. Dropped last.
    queue: Q,
}

impl<T, Q: Deref<Target = Queue<T>>> Ends<Q, T> {
    pub(crate) fn new(queue: Q) -> Self {
        Self { push_to: Inlet::new(), pop_from: Lease::new(), queue }
    }

    /// The queue that this is a handle of.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use segring::Queue;
    /// let handle = Arc::new(Queue::<u8>::new()).owned_handle();
    /// assert!(handle.queue().close());
    /// ```
    pub fn queue(&self) -> &Queue<T> {
        &self.queue
    }

    /// Puts an item at the back.
    ///
    /// # Panics
    /// When the queue has been closed; the item is dropped. Use [`try_push`](Self::try_push) to
    /// keep it.
    ///
    /// # Aborts
    /// When a ring is needed and there is no memory for it.
    ///
    /// ```
    /// # use segring::Queue;
    /// let queue = Queue::new();
    /// queue.handle().push('a');
    /// assert_eq!(queue.pop(), Some('a'));
    /// ```
    #[inline]
    #[track_caller]
    pub fn push(&mut self, item: T) {
        if let Err(error) = self.try_push(item) {
            fail(error, &self.queue);
        }
    }

    /// Puts an item at the back, or gives it back.
    ///
    /// # Errors
    /// When the queue has been closed, or when a ring is needed and there is no memory for it.
    ///
    /// ```
    /// # use segring::Queue;
    /// let queue = Queue::new();
    /// let mut handle = queue.handle();
    /// assert!(handle.try_push("in").is_ok());
    /// queue.close();
    /// assert_eq!(handle.try_push("out").unwrap_err().into_inner(), "out");
    /// ```
    #[inline]
    pub fn try_push(&mut self, item: T) -> Result<(), PushError<T>> {
        self.push_to.push(&self.queue.list, item)
    }

    /// The push of a [`BoundedHandle`](crate::BoundedHandle).
    #[inline]
    pub(crate) fn push_below(&mut self, limit: usize, item: T) -> Result<(), PushError<T>> {
        self.push_to.push_below(&self.queue.list, limit, item)
    }

    /// Takes the item at the front. `None` if there is none.
    ///
    /// ```
    /// # use segring::Queue;
    /// let queue: Queue<_> = [1, 2].into_iter().collect();
    /// let mut handle = queue.handle();
    /// assert_eq!((handle.pop(), handle.pop(), handle.pop()), (Some(1), Some(2), None));
    /// ```
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        let Some(segment) = self.pop_from.get() else { return self.pop_elsewhere() };
        // This handle's own pushes save most looks at the producers' line.
        match segment.claim_at_once(self.push_to.known_tail(&self.pop_from)) {
            Ok(ticket) => match ticket.take() {
                Ok(item) => Some(item),
                Err(ticket) => {
                    let number = ticket.into_number();
                    // SAFETY: our ticket, which this uses up.
                    unsafe { self.pop_late(number) }
                }
            },
            // Only the last ring is open, and as this one has not been left it is the first one
            // too: the queue is empty.
            Err(Unclaimed::Empty) => {
                self.queue.list.idle(segment);
                None
            }
            Err(why) => self.pop_after_all(why),
        }
    }

    /// Takes the item at the front, or tells whether one may still come, as [`Queue::try_pop`] does.
    ///
    /// # Errors
    /// As [`Queue::try_pop`].
    ///
    /// ```
    /// # use segring::{PopError, Queue};
    /// let queue: Queue<_> = [1].into_iter().collect();
    /// let mut handle = queue.handle();
    /// assert_eq!((handle.try_pop(), handle.try_pop()), (Ok(1), Err(PopError::Empty)));
    /// ```
    #[inline]
    pub fn try_pop(&mut self) -> Result<T, PopError> {
        // In this order, as in `Queue`.
        match self.pop() {
            Some(item) => Ok(item),
            None if self.queue.is_closed() => self.pop().ok_or(PopError::Closed),
            None => Err(PopError::Empty),
        }
    }

    /// Pops where the first attempt to claim came to nothing.
    #[cold]
    #[inline(never)]
    fn pop_after_all(&mut self, why: Unclaimed) -> Option<T> {
        let Some(segment) = self.pop_from.get() else { unreachable!("tried there") };
        match segment.claim_after_all(why) {
            Claim::Ticket(ticket) => match ticket.take() {
                Ok(item) => Some(item),
                Err(ticket) => {
                    let number = ticket.into_number();
                    // SAFETY: our ticket, which this uses up.
                    unsafe { self.pop_late(number) }
                }
            },
            // As in `pop`.
            Claim::Empty => {
                self.queue.list.idle(segment);
                None
            }
            Claim::Drained => self.pop_elsewhere(),
        }
    }

    /// Pops where the item of the claimed ticket is not there yet.
    ///
    /// # Safety
    /// The caller has claimed this ticket, and this uses it up.
    #[cold]
    #[inline(never)]
    unsafe fn pop_late(&mut self, number: usize) -> Option<T> {
        let Some(segment) = self.pop_from.get() else { unreachable!("claimed there") };
        // SAFETY: the caller's promise.
        let item = unsafe { segment.wait_or_give_up(number) };
        if item.is_some() { item } else { self.pop_elsewhere() }
    }

    /// Pops from the ring that `head_seg` leads to, and stays there.
    #[cold]
    #[inline(never)]
    fn pop_elsewhere(&mut self) -> Option<T> {
        let guard = pin();
        self.queue.list.pop(&guard, |segment| self.pop_from.renew(segment))
    }

    /// Takes items until it finds none, as [`Queue::try_iter`] does; each is one [`pop`](Self::pop).
    ///
    /// ```
    /// # use segring::Queue;
    /// let queue: Queue<_> = (1..=3).collect();
    /// let mut handle = queue.handle();
    /// for n in handle.try_iter() {
    ///     if n < 3 {
    ///         queue.push(n + 10); // Seen by the same loop.
    ///     }
    /// }
    /// assert!(queue.is_empty());
    /// ```
    pub fn try_iter(&mut self) -> TryIter<&mut Self> {
        TryIter(self)
    }
}

// As for the queue: a panic in an item's destructor or a caller's iterator leaves all whole.
impl<Q, T> UnwindSafe for Ends<Q, T> {}
impl<Q, T> RefUnwindSafe for Ends<Q, T> {}

impl<T, Q: Deref<Target = Queue<T>>> fmt::Debug for Ends<Q, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").field("queue", &*self.queue).finish_non_exhaustive()
    }
}
