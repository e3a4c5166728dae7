//! The rings' iterators.

use core::iter::{Chain, FusedIterator};
use core::ops::{Bound, RangeBounds};
use core::{fmt, slice};

use super::ring::Ring;

/// The items of a ring by reference, oldest first.
///
/// ```
/// # use segring::seq::InlineRing;
/// let ring = InlineRing::<u8, 2>::from_iter([1, 2, 3]);
/// assert_eq!(ring.iter().rev().copied().collect::<Vec<_>>(), [3, 2, 1]);
/// ```
pub struct Iter<'a, T>(Chain<slice::Iter<'a, T>, slice::Iter<'a, T>>);

impl<'a, T> Iter<'a, T> {
    pub(super) fn new((first, second): (&'a [T], &'a [T])) -> Self {
        Self(first.iter().chain(second))
    }
}

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

/// The items of a ring by mutable reference, oldest first.
///
/// ```
/// # use segring::seq::HysteresisRing;
/// let mut ring = HysteresisRing::from_iter([1, 2, 3]);
/// ring.iter_mut().for_each(|n| *n *= 10);
/// assert!(ring.iter().eq(&[10, 20, 30]));
/// ```
pub struct IterMut<'a, T>(Chain<slice::IterMut<'a, T>, slice::IterMut<'a, T>>);

impl<'a, T> IterMut<'a, T> {
    pub(super) fn new((first, second): (&'a mut [T], &'a mut [T])) -> Self {
        Self(first.iter_mut().chain(second))
    }
}

/// The items of a ring by value, oldest first. Never resizes the ring it consumes.
///
/// ```
/// # use segring::seq::HysteresisRing;
/// let ring = HysteresisRing::from_iter([1, 2, 3]);
/// assert_eq!(ring.into_iter().sum::<i32>(), 6);
/// ```
#[derive(Clone)]
pub struct IntoIter<R>(R);

impl<R: Ring> IntoIter<R> {
    pub(super) fn new(ring: R) -> Self {
        Self(ring)
    }
}

/// Removes a range of a ring's items, oldest first; what is not taken is dropped with it.
///
/// The policy looks once, at the end. If this is leaked, the ring stays valid, but keeps items of
/// the range and may have lost its order.
///
/// ```
/// # use segring::seq::HysteresisRing;
/// let mut ring: HysteresisRing<_> = (0..6).collect();
/// assert!(ring.drain(1..4).eq([1, 2, 3]));
/// assert!(ring.iter().eq(&[0, 4, 5]));
/// ```
pub struct Drain<'a, R: Ring> {
    ring: &'a mut R,
    /// The depth before the range is removed.
    found: usize,
    /// How many items before the range wait at the back of the ring.
    before: usize,
    /// How many items of the range are still at the front of the ring.
    left: usize,
}

impl<'a, R: Ring> Drain<'a, R> {
    /// # Panics
    /// When the range is not within the ring.
    pub(super) fn new(ring: &'a mut R, range: &impl RangeBounds<usize>) -> Self {
        let found = ring.depth();
        let start = match range.start_bound() {
            Bound::Included(&index) => index,
            Bound::Excluded(&index) => index.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&index) => index.saturating_add(1),
            Bound::Excluded(&index) => index,
            Bound::Unbounded => found,
        };
        assert!(start <= end && end <= found, "range {start}..{end} of {found} items");
        rotate(ring, start);
        Self { ring, found, before: start, left: end - start }
    }
}

/// Moves the `count` oldest items to the back, in order.
fn rotate<R: Ring>(ring: &mut R, count: usize) {
    for _ in 0..count {
        if let Some(item) = ring.take_front() {
            ring.put_back(item);
        }
    }
}

impl<R: Ring> Drop for Drain<'_, R> {
    fn drop(&mut self) {
        /// Puts the ring in order even when the destructor of an item panics.
        struct Restore<'d, 'a, R: Ring>(&'d mut Drain<'a, R>);

        impl<R: Ring> Drop for Restore<'_, '_, R> {
            fn drop(&mut self) {
                self.0.by_ref().for_each(drop);
                let drain = &mut *self.0;
                // Nothing waits at the back in the usual case, draining from the front.
                if drain.before > 0 {
                    rotate(drain.ring, drain.ring.depth() - drain.before);
                }
                if drain.ring.depth() < drain.found {
                    drain.ring.settle(drain.found);
                }
            }
        }

        Restore(self).0.by_ref().for_each(drop);
    }
}

impl<R: Ring> Iterator for Drain<'_, R> {
    type Item = R::Item;

    fn next(&mut self) -> Option<R::Item> {
        self.left = self.left.checked_sub(1)?;
        self.ring.take_front()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<R: Ring> Iterator for IntoIter<R> {
    type Item = R::Item;

    fn next(&mut self) -> Option<R::Item> {
        self.0.take_front()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.depth(), Some(self.0.depth()))
    }
}

impl<R: Ring> DoubleEndedIterator for IntoIter<R> {
    fn next_back(&mut self) -> Option<R::Item> {
        self.0.take_back()
    }
}

/// Both iterators by reference, through the pair of slices inside.
macro_rules! by_reference {
    ($($iter:ident, $item:ty;)*) => { $(
        impl<'a, T> Iterator for $iter<'a, T> {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<$item> {
                self.0.next()
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0.size_hint()
            }

            fn fold<B, F: FnMut(B, $item) -> B>(self, start: B, fold: F) -> B {
                self.0.fold(start, fold)
            }
        }

        impl<T> DoubleEndedIterator for $iter<'_, T> {
            fn next_back(&mut self) -> Option<Self::Item> {
                self.0.next_back()
            }
        }

        impl<T> ExactSizeIterator for $iter<'_, T> {}
        impl<T> FusedIterator for $iter<'_, T> {}
    )* };
}

by_reference! {
    Iter, &'a T;
    IterMut, &'a mut T;
}

impl<R: Ring> ExactSizeIterator for IntoIter<R> {}
impl<R: Ring> FusedIterator for IntoIter<R> {}
impl<R: Ring> ExactSizeIterator for Drain<'_, R> {}
impl<R: Ring> FusedIterator for Drain<'_, R> {}

impl<T: fmt::Debug> fmt::Debug for Iter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl<T> fmt::Debug for IterMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IterMut").field("left", &self.len()).finish_non_exhaustive()
    }
}

impl<R: Ring> fmt::Debug for IntoIter<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IntoIter").field("left", &self.len()).finish_non_exhaustive()
    }
}

impl<R: Ring> fmt::Debug for Drain<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drain").field("left", &self.left).finish_non_exhaustive()
    }
}
