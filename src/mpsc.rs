//! Any number of producers, one consumer: pops without an atomic read-modify-write.
//!
//! The same rings as a [`Queue`]'s, so that everything said there about order,
//! progress, growing and shrinking holds here. What one consumer saves is the claim: it alone moves
//! the front of the queue, by plain loads and stores. And each end sees the other one go away.
//!
//! | | |
//! |---|---|
//! | push | 1 atomic read-modify-write, no pin |
//! | pop | none, no pin |
//! | the last producer is dropped | [`Consumer::try_pop`] gives the items that are left, then [`PopError::Closed`] |
//! | the consumer is dropped | the items that are left are dropped with it, and [`Producer::push`] gives its item back |
//! | a stalled producer | delays nobody |
//! | a stalled consumer | is the only one there is; producers go on |
//!
//! ```
//! use segring::{PopError, mpsc};
//!
//! let (mut producer, mut consumer) = mpsc::queue();
//! std::thread::scope(|s| {
//!     for part in 0..2_u64 {
//!         let mut producer = producer.clone();
//!         s.spawn(move || (0..1_000).try_for_each(|n| producer.push(part * 1_000 + n)));
//!     }
//!     producer.push(2_000).unwrap();
//!     drop(producer); // The last one closes the queue.
//!
//!     let mut sum = 0;
//!     loop {
//!         match consumer.try_pop() {
//!             Ok(n) => sum += n,
//!             Err(PopError::Empty) => std::thread::yield_now(),
//!             Err(PopError::Closed) => break,
//!         }
//!     }
//!     assert_eq!(sum, (0..=2_000).sum());
//! });
//! ```

use core::fmt;
use core::panic::{RefUnwindSafe, UnwindSafe};
use core::ptr::NonNull;

use alloc::vec::Vec;

use crate::batch::{Unpushed, push_all};
use crate::error::{PopError, PushError};
use crate::hysteresis::Hysteresis;
use crate::inlet::Inlet;
use crate::queue::{Queue, TryIter};
use crate::segment::{Claim, Claimed, Segment};
use crate::stats::Stats;
use crate::sync::{Arc, is_model_failing, mutant};

/// An empty queue with the default [`Hysteresis`], by its two ends. Allocates no ring.
///
/// ```
/// let (mut producer, mut consumer) = segring::mpsc::queue();
/// producer.push('a')?;
/// assert_eq!(consumer.pop(), Some('a'));
/// # Ok::<(), segring::PushError<char>>(())
/// ```
pub fn queue<T>() -> (Producer<T>, Consumer<T>) {
    with(Hysteresis::new())
}

/// An empty queue with limits and patience of your own, by its two ends. Allocates no ring.
///
/// ```
/// # use segring::{Hysteresis, mpsc};
/// let small = Hysteresis::new().with_slots(2, 1024)?;
/// let (mut producer, consumer) = mpsc::with(small);
/// producer.push("one").unwrap();
/// assert_eq!(consumer.segment_capacity(), 2);
/// # Ok::<(), segring::HysteresisError>(())
/// ```
pub fn with<T>(hysteresis: Hysteresis) -> (Producer<T>, Consumer<T>) {
    let queue = Arc::new(Queue::with(hysteresis));
    let consumer = Consumer { at: None, queue: Arc::clone(&queue) };
    (Producer { push_to: Inlet::new(), all: Arc::new(Producers(queue)) }, consumer)
}

/// What the producers share. The last of them closes the queue.
struct Producers<T>(Arc<Queue<T>>);

impl<T> Drop for Producers<T> {
    fn drop(&mut self) {
        if !is_model_failing() && !mutant("last-producer-silent") {
            self.0.close();
        }
    }
}

/// An end of a queue that items go in at. Clone it for each thread; see the [module](self).
///
/// A producer keeps the ring it last pushed to. An idle one keeps at most that ring in memory and
/// holds nothing else back. One that is forgotten ([`core::mem::forget`]) leaks the queue.
pub struct Producer<T> {
    push_to: Inlet<T>,
    all: Arc<Producers<T>>,
}

impl<T> Producer<T> {
    fn queue(&self) -> &Queue<T> {
        &self.all.0
    }

    /// Puts an item at the back, or gives it back.
    ///
    /// The other end may go away at any time, so there is no push that panics when it has.
    ///
    /// # Errors
    /// When the consumer is gone or the queue has been closed, or when a ring is needed and there is
    /// no memory for it.
    ///
    /// ```
    /// # use segring::{PushError, mpsc};
    /// let (mut producer, consumer) = mpsc::queue();
    /// assert!(producer.push("in").is_ok());
    /// drop(consumer);
    /// assert_eq!(producer.push("out"), Err(PushError::Closed("out")));
    /// ```
    #[inline]
    pub fn push(&mut self, item: T) -> Result<(), PushError<T>> {
        self.push_to.push(&self.all.0.list, item)
    }

    /// Puts all items of an iterator at the back, as [`Queue::push_batch`] does, or gives back those
    /// that it did not push, in their order.
    ///
    /// # Errors
    /// As [`push`](Self::push). An iterator without items is never an error.
    ///
    /// ```
    /// # use segring::mpsc;
    /// let (mut producer, mut consumer) = mpsc::queue();
    /// producer.push_batch(0..100).unwrap();
    /// assert_eq!(consumer.pop_batch(3), [0, 1, 2]);
    /// drop(consumer);
    /// let unpushed = producer.push_batch(0..100).unwrap_err().into_inner();
    /// assert!(unpushed.eq(0..100));
    /// ```
    pub fn push_batch<I: IntoIterator<Item = T>>(
        &mut self,
        items: I,
    ) -> Result<(), PushError<Unpushed<I::IntoIter>>> {
        let (push_to, list) = (&mut self.push_to, &self.all.0.list);
        push_all(items.into_iter(), |chunk| push_to.push_chunk(list, chunk))
    }

    /// Closes the queue for all producers; the consumer drains what is inside. True for the call
    /// that did it.
    pub fn close(&self) -> bool {
        self.queue().close()
    }

    /// Whether the queue has been closed, by `close` or because the consumer is gone.
    pub fn is_closed(&self) -> bool {
        self.queue().is_closed()
    }

    /// How many items are inside; as [`Queue::len`].
    pub fn len(&self) -> usize {
        self.queue().len()
    }

    /// Whether there was a moment in the call at which no item was inside.
    pub fn is_empty(&self) -> bool {
        self.queue().is_empty()
    }

    /// What the queue has done and what it holds.
    pub fn stats(&self) -> Stats {
        self.queue().stats()
    }
}

impl<T> Clone for Producer<T> {
    /// Another producer of the same queue.
    fn clone(&self) -> Self {
        Self { push_to: Inlet::new(), all: Arc::clone(&self.all) }
    }
}

// As for a queue: a panic in an item's destructor or a caller's iterator leaves all whole.
impl<T> UnwindSafe for Producer<T> {}
impl<T> RefUnwindSafe for Producer<T> {}
impl<T> UnwindSafe for Consumer<T> {}
impl<T> RefUnwindSafe for Consumer<T> {}

impl<T> fmt::Debug for Producer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Producer").field("queue", self.queue()).finish_non_exhaustive()
    }
}

/// The end of a queue that items come out of. There is one; see the [module](self).
///
/// Dropping it closes the queue and drops the items that are inside, so that what waits for them
/// does not wait for the producers to notice.
pub struct Consumer<T> {
    /// The ring that `head_seg` leads to. Nobody else leaves it, so that it needs no reference.
    at: Option<NonNull<Segment<T>>>,
    queue: Arc<Queue<T>>,
}

// SAFETY: it has the queue's consuming end to itself, whichever thread it is on.
unsafe impl<T: Send> Send for Consumer<T> {}

impl<T> Consumer<T> {
    /// Takes the item at the front. `None` if there is none.
    ///
    /// ```
    /// # use segring::mpsc;
    /// let (mut producer, mut consumer) = mpsc::queue();
    /// assert_eq!(consumer.pop(), None);
    /// producer.push(1).unwrap();
    /// assert_eq!(consumer.pop(), Some(1));
    /// ```
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.try_pop().ok()
    }

    /// Takes the item at the front, or tells whether one may still come.
    ///
    /// # Errors
    /// [`PopError::Empty`] if there is none. [`PopError::Closed`] if there is none and there will never
    /// be one, because all producers are gone or the queue has been closed.
    ///
    /// ```
    /// # use segring::{PopError, mpsc};
    /// let (mut producer, mut consumer) = mpsc::queue();
    /// assert_eq!(consumer.try_pop(), Err(PopError::Empty));
    /// producer.push(1).unwrap();
    /// drop(producer);
    /// assert_eq!(consumer.try_pop(), Ok(1));
    /// assert_eq!(consumer.try_pop(), Err(PopError::Closed));
    /// ```
    #[inline]
    pub fn try_pop(&mut self) -> Result<T, PopError> {
        if let Some(segment) = self.at {
            // SAFETY: only we leave the ring, and have not: it is in the list, which keeps it.
            let segment = unsafe { segment.as_ref() };
            // SAFETY: the only consumer.
            if let Some(item) = unsafe { segment.take_next() } {
                return Ok(item);
            }
        }
        self.pop_slowly()
    }

    /// Pops where the next item is not simply in its slot.
    #[cold]
    #[inline(never)]
    fn pop_slowly(&mut self) -> Result<T, PopError> {
        let list = &self.queue.list;
        loop {
            // SAFETY: as in `try_pop`.
            let segment = self.at.map(|segment| unsafe { segment.as_ref() });
            // SAFETY: the only consumer.
            match segment.map_or(Claim::Drained, |segment| unsafe { segment.claim_sole() }) {
                Claim::Ticket(ticket) => {
                    let item = ticket.take().map_or_else(Claimed::wait_or_give_up, Some);
                    if let Some(item) = item {
                        return Ok(item);
                    }
                }
                Claim::Empty => {
                    if let Some(segment) = segment {
                        list.idle(segment);
                    }
                    return Err(PopError::Empty);
                }
                // SAFETY: the only consumer, in the ring that this has led to before, if any.
                Claim::Drained => self.at = Some(unsafe { list.move_on(segment) }?),
            }
        }
    }

    /// Takes up to `max` items at the front. Fewer only if it found the queue empty.
    ///
    /// Allocates if there are items; [`pop_into`](Self::pop_into) can do without.
    ///
    /// ```
    /// # use segring::mpsc;
    /// let (mut producer, mut consumer) = mpsc::queue();
    /// producer.push_batch(0..5).unwrap();
    /// assert_eq!(consumer.pop_batch(3), [0, 1, 2]);
    /// ```
    pub fn pop_batch(&mut self, max: usize) -> Vec<T> {
        let mut items = Vec::new();
        self.pop_into(&mut items, max);
        items
    }

    /// Takes up to `max` items at the front and appends them to a vector, which grows if it has to;
    /// returns how many. Fewer only if it found the queue empty.
    pub fn pop_into(&mut self, items: &mut Vec<T>, max: usize) -> usize {
        let before = items.len();
        let full = before.saturating_add(max);
        while items.len() < full {
            let most = full - items.len();
            // SAFETY: as in `try_pop`.
            let segment = self.at.map(|segment| unsafe { segment.as_ref() });
            // SAFETY: the only consumer.
            if segment.is_none_or(|segment| unsafe { segment.take_some(items, most) } == 0) {
                let Some(item) = self.pop() else { break };
                items.push(item);
            }
        }
        items.len() - before
    }

    /// Takes items until it finds none; each is one [`pop`](Self::pop).
    ///
    /// ```
    /// # use segring::mpsc;
    /// let (mut producer, mut consumer) = mpsc::queue();
    /// producer.push_batch(0..5).unwrap();
    /// assert!(consumer.try_iter().take(2).eq([0, 1]));
    /// assert!(consumer.try_iter().eq([2, 3, 4]));
    /// ```
    pub fn try_iter(&mut self) -> TryIter<&mut Self> {
        TryIter(self)
    }

    /// Closes the queue for pushes; pops drain what is inside. True for the call that did it.
    ///
    /// ```
    /// # use segring::{PopError, mpsc};
    /// let (mut producer, mut consumer) = mpsc::queue();
    /// producer.push(1).unwrap();
    /// assert!(consumer.close());
    /// assert!(producer.push(2).is_err());
    /// assert_eq!(consumer.try_pop(), Ok(1));
    /// assert_eq!(consumer.try_pop(), Err(PopError::Closed));
    /// ```
    pub fn close(&self) -> bool {
        self.queue.close()
    }

    /// Whether the queue has been closed, by `close` or because all producers are gone. Items may
    /// still be inside: [`try_pop`](Self::try_pop) tells when there are none left.
    pub fn is_closed(&self) -> bool {
        self.queue.is_closed()
    }

    /// How many items are inside; as [`Queue::len`].
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    /// Whether there was a moment in the call at which no item was inside.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// How many slots the ring has that pushes go to; as [`Queue::segment_capacity`].
    pub fn segment_capacity(&self) -> usize {
        self.queue.segment_capacity()
    }

    /// Shrinks the ring at once, if what is inside fills a quarter of it or less; as [`Queue::shrink_to_fit`].
    pub fn shrink_to_fit(&self) {
        self.queue.shrink_to_fit();
    }

    /// Frees rings that are retired, as far as possible now; as [`Queue::reclaim`].
    pub fn reclaim(&self) -> usize {
        self.queue.reclaim()
    }

    /// What the queue has done and what it holds.
    pub fn stats(&self) -> Stats {
        self.queue.stats()
    }
}

impl<T> Drop for Consumer<T> {
    fn drop(&mut self) {
        /// Drops the rest of the items also when the destructor of one panics.
        struct Rest<'a, T>(&'a mut Consumer<T>);

        impl<T> Drop for Rest<'_, T> {
            fn drop(&mut self) {
                self.0.try_iter().for_each(drop);
            }
        }

        if is_model_failing() {
            return;
        }
        self.queue.close();
        // Every ticket of a closed queue is claimed when this ends: a producer that has one gets its
        // item back.
        let rest = Rest(self);
        rest.0.try_iter().for_each(drop);
    }
}

impl<T> fmt::Debug for Consumer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Consumer").field("queue", &*self.queue).finish_non_exhaustive()
    }
}

impl<T> Iterator for TryIter<&mut Consumer<T>> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        self.0.pop()
    }
}
