//! Iterators that take items out of a queue.

use core::iter::FusedIterator;
use core::ops::Deref;

use super::Queue;
use crate::handle::Ends;

/// The items of a [`Queue`] or a [`BoundedQueue`](crate::BoundedQueue) by value, oldest first.
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

/// Removes all items, oldest first; from [`Queue::drain`].
#[derive(Debug)]
pub struct Drain<'q, T>(pub(super) &'q mut Queue<T>);

impl<T> Drain<'_, T> {
    /// The queue, for workers that empty it together.
    #[cfg(feature = "rayon")]
    pub(crate) fn queue(&self) -> &Queue<T> {
        self.0
    }
}

impl<T> Drop for Drain<'_, T> {
    fn drop(&mut self) {
        /// Drops the rest of the items also when the destructor of one panics.
        struct Rest<'a, T>(&'a mut Queue<T>);

        impl<T> Drop for Rest<'_, T> {
            fn drop(&mut self) {
                while self.0.pop_mut().is_some() {}
            }
        }

        let rest = Rest(self.0);
        while rest.0.pop_mut().is_some() {}
    }
}

/// Both own the items, so that their number is exact.
macro_rules! exclusive {
    ($($iter:ty),*) => { $(
        impl<T> Iterator for $iter {
            type Item = T;

            fn next(&mut self) -> Option<T> {
                self.0.pop_mut()
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                let len = self.0.len();
                (len, Some(len))
            }
        }

        impl<T> ExactSizeIterator for $iter {}
        impl<T> FusedIterator for $iter {}
    )* };
}

exclusive!(IntoIter<T>, Drain<'_, T>);

/// Takes items until it finds none; from the `try_iter` of queues, handles and
/// [`Consumer`](crate::mpsc::Consumer::try_iter).
#[derive(Debug)]
pub struct TryIter<P>(pub(crate) P);

impl<T> Iterator for TryIter<&Queue<T>> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.pop()
    }
}

impl<T, Q: Deref<Target = Queue<T>>> Iterator for TryIter<&mut Ends<Q, T>> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.pop()
    }
}
