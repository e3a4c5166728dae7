//! [`Queue`]: the lock-free queue through a shared reference.

use core::fmt;
use core::iter::FusedIterator;
use core::mem::{ManuallyDrop, needs_drop};
use core::panic::{RefUnwindSafe, UnwindSafe};

use alloc::alloc::handle_alloc_error;

use crate::error::PushError;
use crate::handle::Handle;
use crate::hysteresis::Hysteresis;
use crate::list::List;
use crate::reclaim::pin;
use crate::segment::Claim;
use crate::stats::Stats;
use crate::sync::is_model_failing;

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
/// | cost, uncontended | push: 1 atomic read-modify-write; pop: 1. Each pins the thread, which is two stores and, where the kernel has no process-wide barrier, a fence; a [`Handle`] does without |
/// | memory | 8 bytes and the item, rounded up to the item's alignment (4 at the least), a slot; 64 slots at the least, by default |
/// | allocations | none while the backlog stays between a quarter and the whole of the ring, unless a thread is stalled in an operation for a whole lap of the others; one for each ring linked, unless one of its capacity has become free |
/// | a stalled thread | delays nobody; while it stalls inside an operation of `Queue`, rings retired meanwhile stay in memory |
/// | when not to use it | one producer and one consumer, a fixed bound, or a need to wait for items: there are simpler queues |
///
/// A queue allocates nothing before its first push. (The first operation of a thread, on whichever
/// queue, registers the thread, which takes 256 bytes unless a thread that has ended left some.)
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
        let (item, guard) = (ManuallyDrop::new(item), pin());
        // SAFETY: after `Ok` the item is not touched any more.
        match unsafe { self.list.push(&item, &guard) } {
            Ok(_) => Ok(()),
            Err(rejected) => Err(rejected.with(item)),
        }
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
        self.list.pop(&pin(), |_| ())
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
    pub fn push_mut(&mut self, item: T) {
        let Some(segment) = self.list.tail_mut() else { return self.push(item) };
        let ticket = segment.issue_mut();
        let tick = ticket.tick();
        let item = ManuallyDrop::new(item);
        // SAFETY: after `Ok` the item is not touched any more.
        match unsafe { ticket.fill(&item) } {
            Ok(()) => {
                if let Some(ticket) = tick {
                    self.list.tick_mut(ticket);
                }
            }
            Err(unfilled) => {
                // SAFETY: after `Ok` the item is not touched any more.
                if unsafe { unfilled.settle(&item) }.is_err() {
                    self.push(ManuallyDrop::into_inner(item));
                }
            }
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

    /// How many items are inside: exact when no operation is in flight. Otherwise an estimate: what
    /// is pushed and popped during the call may or may not be counted. Never closes a ring.
    ///
    /// ```
    /// # use segring::Queue;
    /// let queue: Queue<_> = (0..100).collect();
    /// assert_eq!(queue.len(), 100);
    /// ```
    pub fn len(&self) -> usize {
        self.list.len()
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

    /// Closes the queue for pushes; pops drain what is inside. True for the call that did it.
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

    /// Whether the queue has been closed.
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

    /// Shrinks the ring at once, if a quarter or less of it is in use, to at least four times what
    /// is inside, and frees spare rings. Skipped without memory for the smaller ring.
    ///
    /// The larger ring's memory is free once it is drained and no thread can be using it; see
    /// [`reclaim`](Self::reclaim).
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
    /// There is no need to call this while the queue is in use: pushes do it four times a lap, and
    /// each retired ring does it for those before.
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
    pub fn handle(&self) -> Handle<'_, T> {
        Handle::new(self)
    }
}

/// What [`Queue::push`] does instead of returning an error.
#[cold]
#[track_caller]
pub(crate) fn fail<T>(error: PushError<T>, queue: &Queue<T>) -> ! {
    match error {
        error @ PushError::Closed(_) => panic!("{error}"),
        PushError::NoMemory(_) => handle_alloc_error(queue.list.next_layout()),
    }
}

impl<T> Drop for Queue<T> {
    fn drop(&mut self) {
        if needs_drop::<T>() && !is_model_failing() {
            // If an item's destructor panics, the others are dropped all the same.
            let rest = Rest(self);
            while rest.0.pop_mut().is_some() {}
        }
        // The list frees its rings.
    }
}

/// Drops the rest of the items, also when it goes out of scope because one of them panicked.
struct Rest<'a, T>(&'a mut Queue<T>);

impl<T> Drop for Rest<'_, T> {
    fn drop(&mut self) {
        while self.0.pop_mut().is_some() {}
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
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        items.into_iter().for_each(|item| self.push_mut(item));
    }
}

impl<T> Extend<T> for &Queue<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        items.into_iter().for_each(|item| self.push(item));
    }
}

impl<T> FromIterator<T> for Queue<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut queue = Self::new();
        queue.extend(items);
        queue
    }
}

/// The items of a [`Queue`], oldest first.
#[derive(Debug)]
pub struct IntoIter<T>(Queue<T>);

impl<T> IntoIterator for Queue<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    /// ```
    /// # use segring::Queue;
    /// let queue: Queue<_> = [1, 2, 3].into_iter().collect();
    /// assert_eq!(queue.into_iter().collect::<Vec<_>>(), [1, 2, 3]);
    /// ```
    fn into_iter(self) -> IntoIter<T> {
        IntoIter(self)
    }
}

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.pop_mut()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.0.len();
        (len, Some(len))
    }
}

impl<T> ExactSizeIterator for IntoIter<T> {}
impl<T> FusedIterator for IntoIter<T> {}
