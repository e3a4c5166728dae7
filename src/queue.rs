//! [`Queue`]: the lock-free queue through a shared reference.

use core::fmt;
use core::mem::{ManuallyDrop, needs_drop};
use core::panic::{RefUnwindSafe, UnwindSafe};

use alloc::alloc::handle_alloc_error;
use alloc::sync::Arc;

use crate::error::{PopError, PushError};
use crate::handle::{Handle, OwnedHandle};
use crate::hysteresis::Hysteresis;
use crate::list::List;
use crate::segment::Claim;
use crate::stats::Stats;
use crate::sync::{is_model_failing, mutant};

mod batch;
mod iter;

pub use iter::{Drain, IntoIter, TryIter};

/// An unbounded first-in first-out queue for any number of producers and consumers.
///
/// Items live in linked rings. A full ring is followed by one of twice the capacity, and one that
/// has held a quarter or less for a whole lap by one of half the capacity or less, so that a queue
/// allocates nothing while its backlog is steady and gives memory back after a burst.
///
/// | | |
/// |---|---|
/// | order | linearizable, one FIFO order for all threads |
/// | push takes effect | when it takes the ticket that its item is published at, or when the ring that holds its item is linked |
/// | pop takes effect | when it claims its ticket; `None` at the moment it saw no ticket unclaimed |
/// | progress | lock-free, but for the allocator, the operating system's process-wide barrier and a thread's first operation, which registers it: no operation waits without a bound for a stalled thread |
/// | cost, uncontended | push: 1 atomic read-modify-write; pop: 1. Each pins the thread, which is two stores that others see and, where the kernel has no process-wide barrier, a fence; a [`Handle`] does without |
/// | memory | 8 bytes and the item, rounded up to the item's alignment (4 at the least), a slot; 64 slots at the least, by default |
/// | allocations | none while the backlog stays between a quarter and the whole of the ring, unless a thread is stalled in an operation for a whole lap of the others, or for longer than a consumer waits, and then none as a rule in a queue that has grown, as there is a spare ring; one for each ring linked otherwise, and up to two for spares of a ring that the queue has grown to, of at most 64 KiB together |
/// | a stalled thread | delays nobody; while it stalls inside an operation of `Queue`, rings retired meanwhile stay in memory |
/// | when not to use it | one producer and one consumer, a fixed bound ([`BoundedQueue`](crate::BoundedQueue)), or a need to wait for items |
///
/// A queue allocates nothing before its first push. (The first operation of a thread, on whichever
/// queue, registers the thread, which takes at most 256 bytes unless a thread that has ended left some.)
///
/// ```
/// use segring::Queue;
///
/// static JOBS: Queue<u32> = Queue::new();
///
/// std::thread::scope(|s| {
///     s.spawn(|| (0..1_000).for_each(|n| JOBS.push(n)));
///     s.spawn(|| (1_000..2_000).for_each(|n| JOBS.push(n)));
/// });
/// assert_eq!(JOBS.len(), 2_000);
/// let sum: u32 = std::iter::from_fn(|| JOBS.pop()).sum();
/// assert_eq!(sum, (0..2_000).sum());
/// ```
pub struct Queue<T> {
    pub(crate) list: List<T>,
}

impl<T> Queue<T> {
    crate::sync::const_unless_model! {
        /// An empty queue with the default [`Hysteresis`]. Allocates nothing.
        pub fn new() -> Self {
            Self::with(Hysteresis::new())
        }
    }

    crate::sync::const_unless_model! {
        /// An empty queue with limits and patience of your own. Allocates nothing.
        ///
        /// ```
        /// # use segring::{Hysteresis, Queue};
        /// let small = Hysteresis::new().with_slots(2, 1024)?;
        /// let queue = Queue::with(small);
        /// queue.push("one");
        /// assert_eq!(queue.segment_capacity(), 2);
        /// # Ok::<(), segring::HysteresisError>(())
        /// ```
        pub fn with(hysteresis: Hysteresis) -> Self {
            Self { list: List::new(hysteresis) }
        }
    }

    /// Puts an item at the back.
    ///
    /// # Panics
    /// When the queue has been closed; the item is dropped. Use [`try_push`](Self::try_push) to
    /// keep it.
    ///
    /// # Aborts
    /// When a ring is needed and there is no memory for it, as [`Vec::push`](alloc::vec::Vec::push)
    /// does.
    ///
    /// ```
    /// # use segring::Queue;
    /// let queue = Queue::new();
    /// queue.push('a');
    /// assert_eq!(queue.pop(), Some('a'));
    /// ```
    #[inline]
    #[track_caller]
    pub fn push(&self, item: T) {
        if let Err(error) = self.try_push(item) {
            fail(error, self);
        }
    }

    /// Puts an item at the back, or gives it back.
    ///
    /// # Errors
    /// When the queue has been closed, or when a ring is needed and there is no memory for it.
    ///
    /// ```
    /// # use segring::{PushError, Queue};
    /// let queue = Queue::new();
    /// assert!(queue.try_push("in").is_ok());
    /// queue.close();
    /// assert_eq!(queue.try_push("out").unwrap_err().into_inner(), "out");
    /// ```
    #[inline]
    pub fn try_push(&self, item: T) -> Result<(), PushError<T>> {
        self.list.push_shared(item)
    }

    /// Takes the item at the front. `None` if there is none.
    ///
    /// An item whose push has not returned yet may or may not be there; one whose push has
    /// returned is.
    ///
    /// ```
    /// # use segring::Queue;
    /// let queue = Queue::new();
    /// assert_eq!(queue.pop(), None::<i32>);
    /// queue.push(1);
    /// queue.push(2);
    /// assert_eq!((queue.pop(), queue.pop(), queue.pop()), (Some(1), Some(2), None));
    /// ```
    #[inline]
    pub fn pop(&self) -> Option<T> {
        self.list.pop_shared()
    }

    /// Takes the item at the front, or tells whether one may still come.
    ///
    /// # Errors
    /// [`PopError::Empty`] if there is none. [`PopError::Closed`] if there is none and there will never
    /// be one, because the queue has been closed.
    ///
    /// ```
    /// # use segring::{PopError, Queue};
    /// let queue = Queue::new();
    /// assert_eq!(queue.try_pop(), Err(PopError::Empty));
    /// queue.push(1);
    /// queue.close();
    /// assert_eq!(queue.try_pop(), Ok(1));
    /// assert_eq!(queue.try_pop(), Err(PopError::Closed));
    /// ```
    #[inline]
    pub fn try_pop(&self) -> Result<T, PopError> {
        // Closed first: what came in before is found by the second pop.
        match self.pop() {
            Some(item) => Ok(item),
            None if self.is_closed() => self.pop().ok_or(PopError::Closed),
            None => Err(PopError::Empty),
        }
    }

    /// Puts an item at the back without an atomic read-modify-write.
    ///
    /// # Panics
    /// As [`push`](Self::push).
    ///
    /// ```
    /// # use segring::Queue;
    /// let mut queue = Queue::new();
    /// queue.push_mut(1);
    /// assert_eq!(queue.pop_mut(), Some(1));
    /// ```
    #[track_caller]
    pub fn push_mut(&mut self, item: T) {
        let Some(segment) = self.list.tail_mut() else { return self.push(item) };
        let ticket = segment.issue_mut();
        let tick = ticket.tick();
        let item = ManuallyDrop::new(item);
        // SAFETY: after `Ok` the item is not touched any more.
        if unsafe { ticket.put(&item) }.is_err() {
            self.push(ManuallyDrop::into_inner(item));
        } else if let Some(ticket) = tick {
            self.list.tick_mut(ticket);
        }
    }

    /// Takes the item at the front without an atomic read-modify-write.
    ///
    /// ```
    /// # use segring::Queue;
    /// let mut queue: Queue<_> = ["first", "second"].into_iter().collect();
    /// assert_eq!(queue.pop_mut(), Some("first"));
    /// ```
    pub fn pop_mut(&mut self) -> Option<T> {
        let segment = self.list.head_mut()?;
        while let Claim::Ticket(ticket) = segment.claim_mut() {
            match ticket.take_mut() {
                None => {}
                item => return item,
            }
        }
        // Leaving a ring, and shrinking an idle one.
        self.pop()
    }

    /// Takes items until it finds none.
    ///
    /// Each step is one [`pop`](Self::pop), so that any number of threads may iterate, push and pop
    /// at the same time, and what is not asked for stays inside. With producers that keep pace it
    /// does not end. After an end it may be asked again, and goes on if items have come.
    ///
    /// ```
    /// # use segring::Queue;
    /// let queue: Queue<_> = (0..5).collect();
    /// assert_eq!(queue.try_iter().take(2).sum::<i32>(), 1);
    /// assert!(queue.try_iter().eq([2, 3, 4]));
    /// ```
    pub fn try_iter(&self) -> TryIter<&Self> {
        TryIter(self)
    }

    /// Takes and drops items until it finds none: everything whose push has returned before the call
    /// is gone afterwards, and what is pushed meanwhile may be. With producers that keep pace it
    /// does not end.
    ///
    /// Keeps the ring; see [`shrink_to_fit`](Self::shrink_to_fit).
    ///
    /// # Panics
    /// When an item's destructor does; the items behind it stay inside.
    ///
    /// ```
    /// # use segring::Queue;
    /// let queue: Queue<_> = (0..100).collect();
    /// queue.clear();
    /// assert!(queue.is_empty());
    /// ```
    pub fn clear(&self) {
        let mut handle = self.handle(); // No pin for each item.
        handle.try_iter().for_each(drop);
    }

    /// Removes all items; none costs an atomic read-modify-write. What is not taken is dropped with the
    /// iterator; the queue stays as it is, open or closed, with its ring.
    ///
    /// If the iterator is leaked ([`core::mem::forget`]), what was not taken stays inside.
    ///
    /// ```
    /// # use segring::Queue;
    /// let mut queue: Queue<_> = (0..5).collect();
    /// assert!(queue.drain().take(2).eq([0, 1]));
    /// assert!(queue.is_empty());
    /// queue.push(5);
    /// assert_eq!(queue.drain().len(), 1);
    /// ```
    pub fn drain(&mut self) -> Drain<'_, T> {
        Drain(self)
    }

    /// How many items are inside: exact when no operation is in flight. Otherwise an estimate: what
    /// is pushed and popped during the call may or may not be counted. Never closes a ring.
    ///
    /// ```
    /// # use segring::Queue;
    /// let queue: Queue<_> = (0..100).collect();
    /// assert_eq!(queue.len(), 100);
    /// ```
    pub fn len(&self) -> usize {
        self.list.len() + usize::from(mutant("miscount"))
    }

    /// Whether there was a moment in the call at which no item was inside.
    ///
    /// ```
    /// # use segring::Queue;
    /// assert!(Queue::<i32>::new().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Closes the queue for pushes, for good; pops drain what is inside. True for the one call that
    /// did it.
    ///
    /// Does not wait: a push at the same time either gets in before it, and is drained like the
    /// rest, or gets its item back. Wakes nobody, as nobody sleeps.
    ///
    /// ```
    /// # use segring::Queue;
    /// let queue = Queue::new();
    /// queue.push(1);
    /// assert!(queue.close());
    /// assert!(!queue.close());
    /// assert!(queue.try_push(2).is_err());
    /// assert_eq!(queue.pop(), Some(1));
    /// ```
    pub fn close(&self) -> bool {
        self.list.close()
    }

    /// Whether the queue has been closed. Items may still be inside.
    ///
    /// A pop that finds nothing *after* this was true tells that the queue is drained: no item is
    /// inside, and none will come. Asked after the pop it tells nothing, since an item may have come
    /// in between. [`try_pop`](Self::try_pop) asks in the right order.
    pub fn is_closed(&self) -> bool {
        self.list.is_closed()
    }

    /// How many slots the ring has that pushes go to; before the first push, that it will have.
    ///
    /// ```
    /// # use segring::Queue;
    /// let queue = Queue::new();
    /// assert_eq!(queue.segment_capacity(), 64);
    /// (0..65).for_each(|n| queue.push(n));
    /// assert_eq!(queue.segment_capacity(), 128);
    /// ```
    pub fn segment_capacity(&self) -> usize {
        self.list.segment_capacity()
    }

    /// Shrinks the ring at once, if what is inside fills a quarter of it or less, to at least four times
    /// that, and frees spare rings and what [`reclaim`](Self::reclaim) would. No shrinking without memory for
    /// the smaller ring.
    ///
    /// The larger ring is left by the next pop that finds it drained; its memory is then free as soon as no
    /// thread can be using it.
    ///
    /// ```
    /// # use segring::Queue;
    /// let queue: Queue<_> = (0..10_000).collect();
    /// (0..10_000).for_each(|_| assert!(queue.pop().is_some()));
    /// queue.shrink_to_fit();
    /// assert_eq!(queue.segment_capacity(), 64);
    /// ```
    pub fn shrink_to_fit(&self) {
        self.list.shrink_to_fit();
    }

    /// Frees rings that are retired, as far as possible now; returns the bytes of those that are
    /// not, because a thread inside an operation (on any queue of the process) or a handle may still
    /// use them.
    ///
    /// There is no need to call this while the queue is in use: pushes do it four times a lap, pops that
    /// find nothing now and then, and each retired ring does it for those before.
    pub fn reclaim(&self) -> usize {
        self.list.reclaim()
    }

    /// What the queue has done and what it holds.
    ///
    /// ```
    /// # use segring::Queue;
    /// let queue: Queue<_> = (0..200).collect();
    /// assert_eq!(queue.stats().grows, 2);
    /// ```
    pub fn stats(&self) -> Stats {
        self.list.stats()
    }

    /// A handle for one thread's repeated use: each operation saves the pin.
    ///
    /// ```
    /// # use segring::Queue;
    /// let queue = Queue::new();
    /// let mut handle = queue.handle();
    /// (0..10).for_each(|n| handle.push(n));
    /// assert_eq!(handle.pop(), Some(0));
    /// ```
    pub fn handle(&self) -> Handle<'_, T> {
        Handle::new(self)
    }

    /// A handle that shares ownership of the queue, so that it can live as long as it likes: in a
    /// spawned thread, in a task, in a struct.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use segring::Queue;
    /// let queue = Arc::new(Queue::new());
    /// let mut handle = queue.owned_handle();
    /// let producer = std::thread::spawn(move || (0..10).for_each(|n| handle.push(n)));
    /// producer.join().unwrap();
    /// assert_eq!(queue.len(), 10);
    /// ```
    pub fn owned_handle(self: &Arc<Self>) -> OwnedHandle<T> {
        OwnedHandle::new(Arc::clone(self))
    }
}

/// What [`Queue::push`] does instead of returning an error.
#[cold]
#[track_caller]
pub(crate) fn fail<T, R>(error: PushError<R>, queue: &Queue<T>) -> ! {
    match error {
        error @ (PushError::Closed(_) | PushError::Full(_)) => panic!("{error}"),
        PushError::NoMemory(_) => handle_alloc_error(queue.list.next_layout()),
    }
}

impl<T> Drop for Queue<T> {
    fn drop(&mut self) {
        if needs_drop::<T>() && !is_model_failing() && !mutant("items-forgotten") {
            drop(self.drain());
        }
        // The list frees its rings.
    }
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for Queue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue")
            .field("len", &self.len())
            .field("segment_capacity", &self.segment_capacity())
            .field("is_closed", &self.is_closed())
            .finish_non_exhaustive()
    }
}

// A panic in an item's destructor leaves a queue without that item and otherwise whole.
impl<T> UnwindSafe for Queue<T> {}
impl<T> RefUnwindSafe for Queue<T> {}

impl<T> Extend<T> for Queue<T> {
    #[track_caller]
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        for item in items {
            self.push_mut(item);
        }
    }
}

impl<T> Extend<T> for &Queue<T> {
    #[track_caller]
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        self.push_batch(items);
    }
}

impl<T> FromIterator<T> for Queue<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut queue = Self::new();
        queue.extend(items);
        queue
    }
}
