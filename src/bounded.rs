//! [`BoundedQueue`]: the lock-free queue that holds a fixed number of items and no more.

use core::fmt;
use core::mem::ManuallyDrop;

use crate::error::{BoundError, PopError, PushError};
use crate::handle::Handle;
use crate::list::List;
use crate::queue::{IntoIter, Queue, TryIter, fail};
use crate::reclaim::pin;
use crate::segment::Segment;
use crate::stats::Stats;
use crate::sync::{MODEL, mutant};

/// A first-in first-out queue of a fixed capacity for any number of producers and consumers.
///
/// | | |
/// |---|---|
/// | capacity | exact, any number from 1 on |
/// | order | one FIFO order for all threads |
/// | push takes effect | when it takes the ticket that its item is published at, or when the ring that holds its item is linked |
/// | full | there was a moment in the call at which the items inside and the pushes in progress were as many as the capacity: a pop that has returned has made room |
/// | pop takes effect | when it claims its ticket; `None` at the moment it saw no ticket unclaimed |
/// | progress | lock-free, with the exceptions of [`Queue`] |
/// | cost, uncontended | push: 1 atomic read-modify-write; pop: 1. Each pins the thread, as those of [`Queue`] do; a [`BoundedHandle`] does without |
/// | memory | a ring of at least twice the capacity, a power of two: 8 bytes and the item, rounded up to the item's alignment (4 at the least), a slot |
/// | allocations | the ring, when the queue is made; another one only when a thread is stalled in an operation for a whole lap of the others, or after 2^30 laps |
/// | a stalled thread | delays nobody. A push that is stalled counts as an item until a consumer passes it by; while a thread stalls inside an operation of `BoundedQueue`, rings retired meanwhile stay in memory |
///
/// ```
/// use segring::BoundedQueue;
///
/// let queue = BoundedQueue::new(2);
/// assert_eq!(queue.push('a'), Ok(()));
/// assert_eq!(queue.push('b'), Ok(()));
/// assert_eq!(queue.push('c'), Err('c'));
/// assert_eq!(queue.pop(), Some('a'));
/// assert_eq!(queue.push('c'), Ok(()));
/// assert_eq!(queue.force_push('d'), Some('b'));
/// ```
pub struct BoundedQueue<T> {
    queue: Queue<T>,
    capacity: usize,
}

/// Slots of the smallest ring: with fewer, a thread that is interrupted is soon in the way.
const MIN_SLOTS: usize = if MODEL { 1 } else { 8 };

impl<T> BoundedQueue<T> {
    /// An empty queue for so many items. Allocates its ring.
    ///
    /// # Panics
    /// When the capacity is zero, or so large that its ring would not fit into the address space.
    /// [`try_new`](Self::try_new) returns an error instead.
    ///
    /// # Aborts
    /// When there is no memory for the ring.
    ///
    /// ```
    /// # use segring::BoundedQueue;
    /// let queue = BoundedQueue::<i32>::new(3);
    /// assert_eq!(queue.capacity(), 3);
    /// ```
    #[track_caller]
    pub fn new(capacity: usize) -> Self {
        match Self::try_new(capacity) {
            Ok(queue) => queue,
            Err(BoundError::NoMemory { .. }) => {
                alloc::alloc::handle_alloc_error(Segment::<T>::layout_for(slots(capacity)))
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// An empty queue for so many items. Allocates its ring.
    ///
    /// # Errors
    /// When the capacity is zero or too large, or when there is no memory for the ring.
    ///
    /// ```
    /// # use segring::{BoundError, BoundedQueue};
    /// assert!(BoundedQueue::<i32>::try_new(1_000).is_ok());
    /// assert_eq!(BoundedQueue::<i32>::try_new(0).unwrap_err(), BoundError::Zero);
    /// let error = BoundedQueue::<i32>::try_new(usize::MAX).unwrap_err();
    /// assert_eq!(error, BoundError::TooLarge { capacity: usize::MAX });
    /// ```
    pub fn try_new(capacity: usize) -> Result<Self, BoundError> {
        if capacity == 0 {
            return Err(BoundError::Zero);
        }
        let slots = slots(capacity);
        if slots < capacity || !Segment::<T>::has_layout(slots) {
            return Err(BoundError::TooLarge { capacity });
        }
        match List::fixed(slots) {
            Some(list) => Ok(Self { queue: Queue { list }, capacity }),
            None => Err(BoundError::NoMemory { bytes: Segment::<T>::bytes_for(slots) }),
        }
    }

    /// Puts an item at the back, or gives it back when there is no room for it: the queue is full,
    /// or has been closed. [`try_push`](Self::try_push) tells which.
    ///
    /// Without memory for a ring to replace the one that a stalled thread is in, the item comes back
    /// as well.
    ///
    /// # Errors
    /// The item.
    ///
    /// ```
    /// # use segring::BoundedQueue;
    /// let queue = BoundedQueue::new(1);
    /// assert_eq!(queue.push(10), Ok(()));
    /// assert_eq!(queue.push(20), Err(20));
    /// ```
    #[inline]
    pub fn push(&self, item: T) -> Result<(), T> {
        self.try_push(item).map_err(PushError::into_inner)
    }

    /// Puts an item at the back, or gives it back and says why.
    ///
    /// # Errors
    /// When the queue is full or has been closed, or when there is no memory for a ring to replace
    /// the one that a stalled thread is in. A queue that is closed says so even if it is full.
    ///
    /// ```
    /// # use segring::{BoundedQueue, PushError};
    /// let queue = BoundedQueue::new(1);
    /// assert_eq!(queue.try_push(1), Ok(()));
    /// assert_eq!(queue.try_push(2), Err(PushError::Full(2)));
    /// queue.close();
    /// assert_eq!(queue.try_push(3), Err(PushError::Closed(3)));
    /// ```
    #[inline]
    pub fn try_push(&self, item: T) -> Result<(), PushError<T>> {
        self.queue.list.push_below_shared(self.capacity, item)
    }

    /// Puts an item at the back in any case, and takes the oldest one if there are too many then.
    ///
    /// The item has its place in the order first, and the oldest one goes second: for a moment one
    /// more item than the capacity is in memory for each such call in progress. Others never see it: no
    /// push gets in, and [`len`](Self::len) counts no more than the capacity. Of two such calls at
    /// the same time, the one whose item comes first need not be the one that gets the older item.
    ///
    /// # Panics
    /// When the queue has been closed; the item is dropped. Use
    /// [`try_force_push`](Self::try_force_push) to keep it.
    ///
    /// # Aborts
    /// When a stalled thread is in the way and there is no memory for another ring.
    ///
    /// ```
    /// # use segring::BoundedQueue;
    /// let latest = BoundedQueue::new(2);
    /// let dropped: Vec<_> = (0..5).filter_map(|n| latest.force_push(n)).collect();
    /// assert_eq!(dropped, [0, 1, 2]);
    /// assert_eq!(latest.into_iter().collect::<Vec<_>>(), [3, 4]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn force_push(&self, item: T) -> Option<T> {
        match self.try_force_push(item) {
            Ok(evicted) => evicted,
            Err(error) => fail(error, &self.queue),
        }
    }

    /// [`force_push`](Self::force_push), but the item comes back when it cannot be put in.
    ///
    /// # Errors
    /// When the queue has been closed, or when a stalled thread is in the way and there is no memory
    /// for another ring.
    ///
    /// ```
    /// # use segring::{BoundedQueue, PushError};
    /// let queue = BoundedQueue::new(1);
    /// assert_eq!(queue.try_force_push('a'), Ok(None));
    /// assert_eq!(queue.try_force_push('b'), Ok(Some('a')));
    /// queue.close();
    /// assert_eq!(queue.try_force_push('c'), Err(PushError::Closed('c')));
    /// ```
    #[inline]
    pub fn try_force_push(&self, item: T) -> Result<Option<T>, PushError<T>> {
        let (item, guard) = (ManuallyDrop::new(item), pin());
        // SAFETY: after `Ok` the item is not touched any more.
        let pushed = unsafe { self.queue.list.force_push(self.capacity, &item, &guard) };
        pushed.map_err(|rejected| rejected.with(item))
    }

    /// Takes the item at the front. `None` if there is none.
    ///
    /// An item whose push has not returned yet may or may not be there; one whose push has
    /// returned is.
    ///
    /// ```
    /// # use segring::BoundedQueue;
    /// let queue = BoundedQueue::new(2);
    /// assert_eq!(queue.pop(), None::<i32>);
    /// assert_eq!(queue.push(1), Ok(()));
    /// assert_eq!(queue.pop(), Some(1));
    /// ```
    #[inline]
    pub fn pop(&self) -> Option<T> {
        self.queue.pop()
    }

    /// Takes the item at the front, or tells whether one may still come, as [`Queue::try_pop`] does.
    ///
    /// # Errors
    /// As [`Queue::try_pop`].
    ///
    /// ```
    /// # use segring::{BoundedQueue, PopError};
    /// let queue = BoundedQueue::<i32>::new(2);
    /// assert_eq!(queue.try_pop(), Err(PopError::Empty));
    /// queue.close();
    /// assert_eq!(queue.try_pop(), Err(PopError::Closed));
    /// ```
    #[inline]
    pub fn try_pop(&self) -> Result<T, PopError> {
        self.queue.try_pop()
    }

    /// Takes items until it finds none, as [`Queue::try_iter`] does; each is one [`pop`](Self::pop).
    ///
    /// ```
    /// # use segring::BoundedQueue;
    /// let queue = BoundedQueue::new(3);
    /// (0..3).for_each(|n| assert_eq!(queue.push(n), Ok(())));
    /// assert!(queue.try_iter().take(2).eq([0, 1]));
    /// assert!(queue.try_iter().eq([2]));
    /// ```
    pub fn try_iter(&self) -> TryIter<&Self> {
        TryIter(self)
    }

    /// Takes and drops items until it finds none, as [`Queue::clear`] does.
    ///
    /// # Panics
    /// When an item's destructor does; the items behind it stay inside.
    ///
    /// ```
    /// # use segring::BoundedQueue;
    /// let queue = BoundedQueue::new(1);
    /// assert_eq!(queue.push(1), Ok(()));
    /// queue.clear();
    /// assert_eq!(queue.push(2), Ok(()));
    /// ```
    pub fn clear(&self) {
        self.queue.clear();
    }

    /// Takes the item at the front without an atomic read-modify-write.
    ///
    /// ```
    /// # use segring::BoundedQueue;
    /// let mut queue = BoundedQueue::new(2);
    /// assert_eq!(queue.push(1), Ok(()));
    /// assert_eq!(queue.pop_mut(), Some(1));
    /// ```
    pub fn pop_mut(&mut self) -> Option<T> {
        self.queue.pop_mut()
    }

    /// How many items may be inside.
    ///
    /// ```
    /// # use segring::BoundedQueue;
    /// assert_eq!(BoundedQueue::<i32>::new(100).capacity(), 100);
    /// ```
    pub const fn capacity(&self) -> usize {
        self.capacity
    }

    /// How many items were inside at one moment in the call, pushes in progress among them; never
    /// more than the capacity.
    ///
    /// ```
    /// # use segring::BoundedQueue;
    /// let queue = BoundedQueue::new(100);
    /// assert_eq!(queue.len(), 0);
    /// assert_eq!(queue.push(10), Ok(()));
    /// assert_eq!(queue.len(), 1);
    /// ```
    pub fn len(&self) -> usize {
        let unclaimed = self.queue.list.unclaimed() + usize::from(mutant("miscount"));
        unclaimed.min(self.capacity)
    }

    /// Whether there was a moment in the call at which no item was inside and no push in progress.
    ///
    /// ```
    /// # use segring::BoundedQueue;
    /// let queue = BoundedQueue::new(100);
    /// assert!(queue.is_empty());
    /// assert_eq!(queue.push(1), Ok(()));
    /// assert!(!queue.is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether there was a moment in the call at which there was no room.
    ///
    /// ```
    /// # use segring::BoundedQueue;
    /// let queue = BoundedQueue::new(1);
    /// assert!(!queue.is_full());
    /// assert_eq!(queue.push(1), Ok(()));
    /// assert!(queue.is_full());
    /// ```
    pub fn is_full(&self) -> bool {
        self.len() == self.capacity
    }

    /// Closes the queue for pushes; pops drain what is inside. True for the call that did it.
    ///
    /// ```
    /// # use segring::BoundedQueue;
    /// let queue = BoundedQueue::new(2);
    /// assert_eq!(queue.push(1), Ok(()));
    /// assert!(queue.close());
    /// assert!(!queue.close());
    /// assert_eq!(queue.push(2), Err(2));
    /// assert_eq!(queue.pop(), Some(1));
    /// ```
    pub fn close(&self) -> bool {
        self.queue.close()
    }

    /// Whether the queue has been closed.
    pub fn is_closed(&self) -> bool {
        self.queue.is_closed()
    }

    /// Frees rings that are retired, as [`Queue::reclaim`] does.
    pub fn reclaim(&self) -> usize {
        self.queue.reclaim()
    }

    /// What the queue has done and what it holds. There are no `grows` and no `shrinks`.
    ///
    /// ```
    /// # use segring::BoundedQueue;
    /// let queue = BoundedQueue::<i32>::new(100);
    /// assert_eq!(queue.stats().live_segments, 1);
    /// ```
    pub fn stats(&self) -> Stats {
        self.queue.stats()
    }

    /// A handle for one thread's repeated use: each operation saves the pin.
    pub fn handle(&self) -> BoundedHandle<'_, T> {
        BoundedHandle { ends: self.queue.handle(), capacity: self.capacity }
    }
}

/// Slots of the ring for a capacity: half of them let a slow consumer be a lap behind. (Too few
/// when there is no such power of two.)
fn slots(capacity: usize) -> usize {
    let slots = capacity.saturating_mul(2).checked_next_power_of_two();
    slots.map_or(0, |slots| slots.max(MIN_SLOTS))
}

impl<T> Iterator for TryIter<&BoundedQueue<T>> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.pop()
    }
}

impl<T> Iterator for TryIter<&mut BoundedHandle<'_, T>> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.pop()
    }
}

impl<T> fmt::Debug for BoundedQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoundedQueue")
            .field("len", &self.len())
            .field("capacity", &self.capacity)
            .field("is_closed", &self.is_closed())
            .finish_non_exhaustive()
    }
}

impl<T> IntoIterator for BoundedQueue<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    /// ```
    /// # use segring::BoundedQueue;
    /// let queue = BoundedQueue::new(2);
    /// assert_eq!((queue.push(1), queue.push(2)), (Ok(()), Ok(())));
    /// assert_eq!(queue.into_iter().collect::<Vec<_>>(), [1, 2]);
    /// ```
    fn into_iter(self) -> IntoIter<T> {
        self.queue.into_iter()
    }
}

/// One thread's way into a [`BoundedQueue`], as a [`Handle`] is into a [`Queue`].
///
/// ```
/// use segring::BoundedQueue;
///
/// let queue = BoundedQueue::new(10);
/// let sum: u32 = std::thread::scope(|s| {
///     let mut producer = queue.handle();
///     s.spawn(move || {
///         for n in 1..=100 {
///             while producer.push(n).is_err() {
///                 std::thread::yield_now();
///             }
///         }
///     });
///     let mut consumer = queue.handle();
///     let next = || loop {
///         match consumer.pop() {
///             Some(n) => break n,
///             None => std::thread::yield_now(),
///         }
///     };
///     std::iter::repeat_with(next).take(100).sum()
/// });
/// assert_eq!(sum, 5_050);
/// ```
pub struct BoundedHandle<'q, T> {
    ends: Handle<'q, T>,
    capacity: usize,
}

impl<T> BoundedHandle<'_, T> {
    /// Puts an item at the back, or gives it back when there is no room for it.
    ///
    /// # Errors
    /// As [`BoundedQueue::push`].
    #[inline]
    pub fn push(&mut self, item: T) -> Result<(), T> {
        self.try_push(item).map_err(PushError::into_inner)
    }

    /// Puts an item at the back, or gives it back and says why.
    ///
    /// # Errors
    /// As [`BoundedQueue::try_push`].
    #[inline]
    pub fn try_push(&mut self, item: T) -> Result<(), PushError<T>> {
        self.ends.push_below(self.capacity, item)
    }

    /// Takes the item at the front. `None` if there is none.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.ends.pop()
    }

    /// Takes the item at the front, or tells whether one may still come.
    ///
    /// # Errors
    /// As [`Queue::try_pop`].
    #[inline]
    pub fn try_pop(&mut self) -> Result<T, PopError> {
        self.ends.try_pop()
    }

    /// Takes items until it finds none; each is one [`pop`](Self::pop).
    pub fn try_iter(&mut self) -> TryIter<&mut Self> {
        TryIter(self)
    }
}

impl<T> fmt::Debug for BoundedHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoundedHandle")
            .field("queue", self.ends.queue())
            .field("capacity", &self.capacity)
            .finish_non_exhaustive()
    }
}
