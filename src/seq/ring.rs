//! What the rings have in common: the trait, and the standard traits that follow from it.

use super::error::TryPushError;

/// What the iterators need of a ring.
#[expect(unnameable_types, reason = "seals `Ring`: only this crate has rings")]
pub trait RawRing: Sized {
    type Item;

    /// Removes the oldest item without a look at the policy.
    fn take_front(&mut self) -> Option<Self::Item>;
    /// Removes the newest item without a look at the policy.
    fn take_back(&mut self) -> Option<Self::Item>;
    /// Appends to a ring that has a free slot.
    fn put_back(&mut self, item: Self::Item);
    fn depth(&self) -> usize;
    /// Lets the policy look at a removal that found `found` items.
    fn settle(&mut self, found: usize);
}

/// A first-in-first-out ring of this module, for code that does not care which.
///
/// Each method is the ring's own of the same name. The trait is sealed.
///
/// ```
/// use segring::seq::{HysteresisRing, InlineRing, Ring};
///
/// fn shift<R: Ring>(from: &mut R, to: &mut impl Ring<Item = R::Item>) {
///     while let Some(item) = from.pop() {
///         to.push(item);
///     }
/// }
///
/// let mut inline = InlineRing::<u8, 4>::from_iter([1, 2, 3]);
/// let mut heap = HysteresisRing::new();
/// shift(&mut inline, &mut heap);
/// assert!(heap.iter().eq(&[1, 2, 3]));
/// ```
pub trait Ring: RawRing {
    /// Appends an item at the back.
    ///
    /// # Panics
    /// When the ring is at its limit. Aborts when the allocator fails.
    fn push(&mut self, item: Self::Item);

    /// Appends an item at the back, or gives it back.
    ///
    /// # Errors
    /// At the limit, or when the allocator has no memory for a larger array.
    fn try_push(&mut self, item: Self::Item) -> Result<(), TryPushError<Self::Item>>;

    /// Removes the item at the front, the oldest.
    fn pop(&mut self) -> Option<Self::Item>;

    /// The item at the front.
    fn front(&self) -> Option<&Self::Item>;

    /// Drops all items.
    fn clear(&mut self);

    /// How many items are in the ring.
    fn len(&self) -> usize;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many items fit before the next growth.
    fn capacity(&self) -> usize;
}

/// Implements [`Ring`] and the standard traits through a ring's own methods.
macro_rules! ring_traits {
    ($ring:ident [$($constant:tt)*] [$($argument:tt)*]) => {
        impl<T $($constant)*> $crate::seq::Ring for $ring<T $($argument)*> {
            #[inline]
            fn push(&mut self, item: T) {
                self.push(item);
            }
            #[inline]
            fn try_push(&mut self, item: T) -> Result<(), $crate::seq::TryPushError<T>> {
                self.try_push(item)
            }
            #[inline]
            fn pop(&mut self) -> Option<T> {
                self.pop()
            }
            fn front(&self) -> Option<&T> {
                self.front()
            }
            fn clear(&mut self) {
                self.clear();
            }
            fn len(&self) -> usize {
                self.len()
            }
            fn capacity(&self) -> usize {
                self.capacity()
            }
        }

        impl<T $($constant)*> Default for $ring<T $($argument)*> {
            /// An empty ring, as by `new`.
            fn default() -> Self {
                Self::new()
            }
        }

        /// Pushes every item; panics at the limit with the items so far in the ring.
        impl<T $($constant)*> Extend<T> for $ring<T $($argument)*> {
            fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
                let items = items.into_iter();
                // Only saves the doublings in between: what does not fit, `push` will report.
                let _ = self.try_reserve(items.size_hint().0);
                for item in items {
                    self.push(item);
                }
            }
        }

        impl<'a, T: Copy $($constant)*> Extend<&'a T> for $ring<T $($argument)*> {
            fn extend<I: IntoIterator<Item = &'a T>>(&mut self, items: I) {
                self.extend(items.into_iter().copied());
            }
        }

        impl<T $($constant)*> FromIterator<T> for $ring<T $($argument)*> {
            fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
                let mut ring = Self::new();
                ring.extend(items);
                ring
            }
        }

        impl<T $($constant)*> IntoIterator for $ring<T $($argument)*> {
            type Item = T;
            type IntoIter = $crate::seq::IntoIter<Self>;

            fn into_iter(self) -> Self::IntoIter {
                $crate::seq::IntoIter::new(self)
            }
        }

        impl<'a, T $($constant)*> IntoIterator for &'a $ring<T $($argument)*> {
            type Item = &'a T;
            type IntoIter = $crate::seq::Iter<'a, T>;

            fn into_iter(self) -> Self::IntoIter {
                self.iter()
            }
        }

        impl<'a, T $($constant)*> IntoIterator for &'a mut $ring<T $($argument)*> {
            type Item = &'a mut T;
            type IntoIter = $crate::seq::IterMut<'a, T>;

            fn into_iter(self) -> Self::IntoIter {
                self.iter_mut()
            }
        }

        /// Equal items in equal order; capacity and limits do not count.
        impl<T: PartialEq $($constant)*> PartialEq for $ring<T $($argument)*> {
            fn eq(&self, other: &Self) -> bool {
                self.len() == other.len() && self.iter().eq(other)
            }
        }

        impl<T: Eq $($constant)*> Eq for $ring<T $($argument)*> {}

        impl<T: core::hash::Hash $($constant)*> core::hash::Hash for $ring<T $($argument)*> {
            fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
                state.write_usize(self.len());
                self.iter().for_each(|item| item.hash(state));
            }
        }

        impl<T: core::fmt::Debug $($constant)*> core::fmt::Debug for $ring<T $($argument)*> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_list().entries(self).finish()
            }
        }
    };
}
pub(super) use ring_traits;
