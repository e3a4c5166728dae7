//! Parallel iterators into and out of a [`Queue`], with the feature `rayon`.
//!
//! Each piece of work that rayon gives to a worker has a [`Handle`](crate::Handle) of its own, so that
//! an item costs one atomic read-modify-write each way. All share the one queue: nothing is
//! collected apart and merged.
//!
//! * **In**: [`ParallelExtend`] for `Queue` and `&Queue`, and [`FromParallelIterator`]. The order is that
//!   in which workers come to the items, *not* that of the iterator. To keep that one, collect into
//!   a `Vec` and extend the queue with it. A panic of the iterator leaves what was pushed so far
//!   inside; a closed queue panics as [`Queue::push`] does.
//! * **Out**: [`IntoParallelIterator`] for `Queue`, and `par_drain` through [`ParallelDrainFull`]. Items
//!   are claimed oldest first, each by one worker. A consumer that stops early (`find_any`) leaves
//!   the rest to be dropped.
//!
//! ```
//! use rayon::prelude::*;
//! use segring::Queue;
//!
//! let mut squares: Queue<u64> = (0..1_000_u64).into_par_iter().map(|n| n * n).collect();
//! squares.par_extend([1, 2, 3]);
//! let even = squares.par_drain().filter(|n| n % 2 == 0).count();
//! assert_eq!(even, 501);
//! assert!(squares.is_empty());
//! ```

use rayon::iter::plumbing::{Folder, UnindexedConsumer, UnindexedProducer, bridge_unindexed};
use rayon::prelude::*;

use crate::queue::{Drain, Queue};

impl<T: Send> ParallelExtend<T> for &Queue<T> {
    /// ```
    /// # use rayon::prelude::*;
    /// # use segring::Queue;
    /// let queue = Queue::new();
    /// (&queue).par_extend((0..100).into_par_iter()); // While others push and pop.
    /// assert_eq!(queue.len(), 100);
    /// ```
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, items: I) {
        items.into_par_iter().for_each_init(|| self.handle(), |handle, item| handle.push(item));
    }
}

impl<T: Send> ParallelExtend<T> for Queue<T> {
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, items: I) {
        (&*self).par_extend(items);
    }
}

impl<T: Send> FromParallelIterator<T> for Queue<T> {
    /// ```
    /// # use rayon::prelude::*;
    /// # use segring::Queue;
    /// let queue: Queue<_> = (0..100).into_par_iter().collect();
    /// assert_eq!(queue.len(), 100);
    /// ```
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(items: I) -> Self {
        let mut queue = Self::new();
        queue.par_extend(items);
        queue
    }
}

/// The items of a [`Queue`] by value, for all workers.
#[derive(Debug)]
pub struct IntoParIter<T>(Queue<T>);

impl<T: Send> IntoParallelIterator for Queue<T> {
    type Item = T;
    type Iter = IntoParIter<T>;

    /// ```
    /// # use rayon::prelude::*;
    /// # use segring::Queue;
    /// let queue: Queue<_> = (1..=100).collect();
    /// assert_eq!(queue.into_par_iter().sum::<i32>(), 5_050);
    /// ```
    fn into_par_iter(self) -> IntoParIter<T> {
        IntoParIter(self)
    }
}

impl<T: Send> ParallelIterator for IntoParIter<T> {
    type Item = T;

    fn drive_unindexed<C: UnindexedConsumer<T>>(self, consumer: C) -> C::Result {
        bridge_unindexed(Workers::new(&self.0), consumer)
    }
}

/// Removes all items, for all workers. What is not taken is dropped with it.
#[derive(Debug)]
pub struct ParDrain<'q, T>(Drain<'q, T>);

impl<'q, T: Send> ParallelDrainFull for &'q mut Queue<T> {
    type Item = T;
    type Iter = ParDrain<'q, T>;

    /// ```
    /// # use rayon::prelude::*;
    /// # use segring::Queue;
    /// let mut queue: Queue<_> = (0..100).collect();
    /// assert_eq!(queue.par_drain().map(|n| n / 2).sum::<i32>(), 2_450);
    /// assert!(queue.is_empty());
    /// ```
    fn par_drain(self) -> ParDrain<'q, T> {
        ParDrain(self.drain())
    }
}

impl<T: Send> ParallelIterator for ParDrain<'_, T> {
    type Item = T;

    fn drive_unindexed<C: UnindexedConsumer<T>>(self, consumer: C) -> C::Result {
        bridge_unindexed(Workers::new(self.0.queue()), consumer)
    }
}

/// So many workers that empty a queue together, until they find nothing.
struct Workers<'q, T> {
    queue: &'q Queue<T>,
    count: usize,
}

impl<'q, T> Workers<'q, T> {
    /// One for each thread of the current pool. (Not more whenever there are items: a worker that
    /// waits for others would start another, and so on, on its own stack.)
    fn new(queue: &'q Queue<T>) -> Self {
        Self { queue, count: rayon::current_num_threads() }
    }
}

impl<T: Send> UnindexedProducer for Workers<'_, T> {
    type Item = T;

    fn split(self) -> (Self, Option<Self>) {
        let Self { queue, count } = self;
        let half = count / 2;
        let others = (half > 0).then_some(Self { queue, count: half });
        (Self { queue, count: count - half }, others)
    }

    fn fold_with<F: Folder<T>>(self, mut folder: F) -> F {
        let mut handle = self.queue.handle();
        while !folder.full() {
            let Some(item) = handle.pop() else { break };
            folder = folder.consume(item);
        }
        folder
    }
}
