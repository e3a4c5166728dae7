//! The inline ring: the first `N` items live inside the object.
#![forbid(unsafe_code)]

use core::ops::RangeBounds;

use super::error::{CapacityError, TryPushError};
use super::iter::{Drain, Iter, IterMut};
use super::raw_inline::RawInline;
use super::ring::{RawRing, ring_traits};
use crate::hysteresis::{Hysteresis, LowWater, Policy, quarter};

/// A first-in-first-out ring whose first `N` items live inside it; only more take an array.
///
/// For queues that nearly always hold next to nothing, of which there are very many: one for each
/// connection, say. Traffic at a depth up to `N` allocates nothing at all. With `N = 1` and items
/// of 16 bytes the whole ring has 32 bytes (x86-64).
///
/// * The push that finds the slots inside full moves all to an array of `max(8, 2 * N)` slots; from
///   there the array doubles when full.
/// * The smallest array is given up, and the items move back inside, after as many removals in a
///   row as it has slots found and left at most `N` items. This allocates nothing.
/// * A larger array is halved after as many removals in a row as it has slots found and left at
///   most a quarter of them in use.
///
/// So a ring that was very deep once keeps its array for as many removals as that has slots. When
/// there is no memory to shrink into, the ring stays as it is and starts counting anew.
///
/// `N` is a power of two, at least 1; any other does not compile:
///
/// ```compile_fail
/// segring::seq::InlineRing::<u8, 3>::new();
/// ```
///
/// ```compile_fail
/// segring::seq::InlineRing::<u8, 0>::new();
/// ```
///
/// | | cost |
/// |---|---|
/// | `push`, `pop` | O(1) amortised |
/// | memory | `N` slots or one pointer, whichever is larger, and 16 bytes; an array when needed |
/// | allocations | one a resize, none for going back inside, none in between |
///
/// ```
/// use segring::seq::InlineRing;
///
/// let mut ring = InlineRing::<u8, 1>::new();
/// ring.push(1);
/// assert!(ring.is_inline());
/// ring.push(2);
/// assert_eq!(ring.capacity(), 8);
/// ring.clear();
/// for n in 0..8 {
///     ring.push(n);
///     ring.pop();
/// }
/// assert!(ring.is_inline());
/// ```
#[repr(transparent)]
pub struct InlineRing<T, const N: usize> {
    raw: RawInline<T, N>,
}

impl<T, const N: usize> InlineRing<T, N> {
    /// `N` slots at least, and one capacity's worth of patience.
    const POLICY: Policy = {
        let max = RawInline::<T, N>::MAX_SLOTS;
        let max = if max < Hysteresis::MAX_SLOTS { max } else { Hysteresis::MAX_SLOTS };
        let Ok(slots) = Hysteresis::new().with_slots(N, max) else { unreachable!() };
        let Ok(bytes) = slots.with_bytes(0, isize::MAX as usize) else { unreachable!() };
        bytes.with_patience(1).for_slot_bytes(size_of::<T>())
    };

    /// The slots of the smallest array: what follows a full ring of at least 4.
    const FIRST_ARRAY: usize = Self::POLICY.grown(if N < 4 { 4 } else { N });

    /// An empty ring. Allocates nothing and leaves the slots inside uninitialised.
    ///
    /// ```
    /// # use segring::seq::InlineRing;
    /// static EMPTY: InlineRing<String, 2> = InlineRing::new();
    /// assert_eq!(EMPTY.capacity(), 2);
    /// ```
    #[inline]
    pub const fn new() -> Self {
        Self { raw: RawInline::new() }
    }

    /// Appends an item at the back.
    ///
    /// # Panics
    /// When the ring is as large as it can be, 2^30 slots or `isize::MAX` bytes. Aborts when the
    /// allocator fails, as `Vec` does.
    ///
    /// ```
    /// # use segring::seq::InlineRing;
    /// let mut ring = InlineRing::<_, 1>::new();
    /// ring.push(1);
    /// assert_eq!(ring.pop(), Some(1));
    /// ```
    #[inline]
    pub fn push(&mut self, item: T) {
        if let Err(error) = self.try_push(item) {
            error.reason().raise();
        }
    }

    /// Appends an item at the back, or gives it back and leaves everything as it was.
    ///
    /// # Errors
    /// When the ring is as large as it can be, or the allocator has no memory for a larger array.
    ///
    /// ```
    /// # use segring::seq::InlineRing;
    /// let mut ring = InlineRing::<_, 1>::new();
    /// assert!(ring.try_push(1).is_ok());
    /// ```
    #[inline]
    pub fn try_push(&mut self, item: T) -> Result<(), TryPushError<T>> {
        match self.raw.put_back(item) {
            Ok(()) => Ok(()),
            Err(item) => self.push_grown(item),
        }
    }

    /// Removes the item at the front, the oldest.
    ///
    /// ```
    /// # use segring::seq::InlineRing;
    /// let mut ring = InlineRing::<_, 1>::from_iter([1, 2]);
    /// assert_eq!((ring.pop(), ring.pop(), ring.pop()), (Some(1), Some(2), None));
    /// ```
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        let item = self.raw.take_front()?;
        let left = self.raw.len();
        if !self.raw.is_inline() && left <= self.low_water() {
            self.look(left + 1);
        }
        Some(item)
    }

    /// Drops all items, then takes one look as after a single removal.
    ///
    /// ```
    /// # use segring::seq::InlineRing;
    /// let mut ring = InlineRing::<_, 1>::from_iter([1, 2]);
    /// ring.clear();
    /// assert_eq!((ring.len(), ring.capacity()), (0, 8));
    /// ```
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Drops all but the `len` oldest items, the newest first, then takes one look as after a
    /// single removal.
    ///
    /// ```
    /// # use segring::seq::InlineRing;
    /// let mut ring = InlineRing::<_, 2>::from_iter([1, 2, 3]);
    /// ring.truncate(1);
    /// assert!(ring.iter().eq(&[1]));
    /// ```
    pub fn truncate(&mut self, len: usize) {
        let found = self.raw.len();
        if len < found {
            self.drop_behind(len);
            self.settle(found);
        }
    }

    /// Removes a range of items, oldest first, then takes one look as after a single removal.
    /// O(range) at the front, O(len) elsewhere.
    ///
    /// # Panics
    /// When the range is not within the ring.
    ///
    /// ```
    /// # use segring::seq::InlineRing;
    /// let mut ring = InlineRing::<_, 2>::from_iter([1, 2, 3]);
    /// assert!(ring.drain(..2).eq([1, 2]));
    /// assert_eq!(ring.pop(), Some(3));
    /// ```
    pub fn drain(&mut self, range: impl RangeBounds<usize>) -> Drain<'_, Self> {
        Drain::new(self, &range)
    }

    /// Makes room for `additional` more items, so that as many pushes do not allocate.
    ///
    /// The room is not kept for ever: removals may find it unused and shrink.
    ///
    /// # Errors
    /// When the ring would be larger than it can be, or the allocator has no memory. The ring is
    /// as it was.
    ///
    /// ```
    /// # use segring::seq::InlineRing;
    /// let mut ring = InlineRing::<u8, 1>::new();
    /// assert!(ring.try_reserve(9).is_ok());
    /// assert_eq!(ring.capacity(), 16);
    /// assert!(ring.try_reserve(usize::MAX).is_err());
    /// ```
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), CapacityError> {
        let items = self.raw.len().saturating_add(additional);
        if items > Self::POLICY.max {
            return Err(CapacityError::Limit { limit: Self::POLICY.max });
        }
        if items > self.raw.capacity() { self.raw.resize(Self::fitting(items)) } else { Ok(()) }
    }

    /// Shrinks to the smallest capacity for the items in the ring, without waiting for a removal.
    ///
    /// ```
    /// # use segring::seq::InlineRing;
    /// let mut ring = InlineRing::<_, 2>::from_iter([1, 2, 3]);
    /// ring.pop();
    /// ring.shrink_to_fit();
    /// assert!(ring.is_inline());
    /// ```
    pub fn shrink_to_fit(&mut self) {
        let capacity = Self::fitting(self.raw.len());
        if capacity < self.raw.capacity() {
            self.shrink(capacity);
        }
    }

    /// Whether the items are inside the object and there is no array.
    ///
    /// ```
    /// # use segring::seq::InlineRing;
    /// assert!(InlineRing::<u8, 2>::from_iter([1, 2]).is_inline());
    /// assert!(!InlineRing::<u8, 2>::from_iter([1, 2, 3]).is_inline());
    /// ```
    #[inline]
    pub const fn is_inline(&self) -> bool {
        self.raw.is_inline()
    }

    /// How many items are in the ring.
    ///
    /// ```
    /// # use segring::seq::InlineRing;
    /// assert_eq!(InlineRing::<u8, 4>::from_iter([1, 2]).len(), 2);
    /// ```
    #[inline]
    pub const fn len(&self) -> usize {
        self.raw.len()
    }

    /// Whether there is none.
    ///
    /// ```
    /// # use segring::seq::InlineRing;
    /// assert!(InlineRing::<u8, 4>::new().is_empty());
    /// ```
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.raw.len() == 0
    }

    /// How many items fit before the next growth: `N` inside, else the slots of the array.
    ///
    /// ```
    /// # use segring::seq::InlineRing;
    /// assert_eq!(InlineRing::<u8, 4>::new().capacity(), 4);
    /// ```
    #[inline]
    pub const fn capacity(&self) -> usize {
        self.raw.capacity()
    }

    /// The item at the front, the oldest.
    ///
    /// ```
    /// # use segring::seq::InlineRing;
    /// assert_eq!(InlineRing::<_, 2>::from_iter([1, 2]).front(), Some(&1));
    /// ```
    #[inline]
    pub fn front(&self) -> Option<&T> {
        self.raw.front()
    }

    /// The item at the front, the oldest, to change it. It cannot outlive the next push or pop:
    ///
    /// ```
    /// # use segring::seq::InlineRing;
    /// let mut ring = InlineRing::<_, 2>::from_iter([1, 2]);
    /// *ring.front_mut().unwrap() = 7;
    /// assert_eq!(ring.pop(), Some(7));
    /// ```
    ///
    /// ```compile_fail,E0499
    /// # use segring::seq::InlineRing;
    /// let mut ring = InlineRing::<_, 2>::from_iter([1, 2]);
    /// let front = ring.front_mut().unwrap();
    /// ring.push(3);
    /// *front = 7;
    /// ```
    #[inline]
    pub fn front_mut(&mut self) -> Option<&mut T> {
        self.raw.front_mut()
    }

    /// The item at the back, the newest.
    ///
    /// ```
    /// # use segring::seq::InlineRing;
    /// assert_eq!(InlineRing::<_, 2>::from_iter([1, 2]).back(), Some(&2));
    /// ```
    pub fn back(&self) -> Option<&T> {
        let (first, second) = self.raw.as_slices();
        second.last().or(first.last())
    }

    /// The items as two slices, oldest first; the second is empty unless they wrap.
    ///
    /// ```
    /// # use segring::seq::InlineRing;
    /// let ring = InlineRing::<_, 2>::from_iter([1, 2]);
    /// assert_eq!(ring.as_slices().0, [1, 2]);
    /// ```
    pub fn as_slices(&self) -> (&[T], &[T]) {
        self.raw.as_slices()
    }

    /// The items by reference, oldest first.
    ///
    /// ```
    /// # use segring::seq::InlineRing;
    /// assert_eq!(InlineRing::<_, 2>::from_iter([1, 2]).iter().max(), Some(&2));
    /// ```
    pub fn iter(&self) -> Iter<'_, T> {
        Iter::new(self.raw.as_slices())
    }

    /// The items by mutable reference, oldest first.
    ///
    /// ```
    /// # use segring::seq::InlineRing;
    /// let mut ring = InlineRing::<_, 2>::from_iter([1, 2]);
    /// ring.iter_mut().for_each(|n| *n += 1);
    /// assert_eq!(ring.pop(), Some(2));
    /// ```
    pub fn iter_mut(&mut self) -> IterMut<'_, T> {
        IterMut::new(self.raw.as_mut_slices())
    }

    /// The *full* rule, then the push that met it.
    #[cold]
    #[inline(never)]
    fn push_grown(&mut self, item: T) -> Result<(), TryPushError<T>> {
        match self.try_reserve(1) {
            Ok(()) => {}
            Err(reason) => return Err(TryPushError::new(item, reason)),
        }
        let pushed = self.raw.put_back(item);
        debug_assert!(pushed.is_ok(), "room was just made");
        Ok(())
    }

    /// The highest depth of an array that is low. Below the smallest array lie the slots inside:
    /// there it is what fits into them.
    #[inline]
    const fn low_water(&self) -> usize {
        let capacity = self.raw.capacity();
        if capacity == Self::FIRST_ARRAY { N } else { quarter(capacity) }
    }

    /// Lets the policy see a removal from the array that found `found` items.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "less than the capacity, see `raw_inline`")]
    fn look(&mut self, found: usize) {
        let capacity = self.raw.capacity();
        // There is no room for the highest depth, so it counts as the highest that is low: half
        // the capacity is then the lowest that may follow.
        let low = LowWater { operations: self.raw.low_pops as usize, peak: quarter(capacity) };
        let left = self.raw.len();
        let (low, to) = Self::POLICY.observe_removal(self.low_water(), low, found, left, capacity);
        self.raw.low_pops = low.operations as u32;
        if let Some(capacity) = to {
            self.shrink(if capacity < Self::FIRST_ARRAY { N } else { capacity });
        }
    }

    /// Moves to a smaller array, or inside.
    fn shrink(&mut self, capacity: usize) {
        // Without memory for a smaller array, the larger one will do.
        let _ = self.raw.resize(capacity);
    }

    /// The smallest capacity for `items`.
    const fn fitting(items: usize) -> usize {
        let slots = Self::POLICY.fitting(items);
        if items <= N {
            N
        } else if slots < Self::FIRST_ARRAY {
            Self::FIRST_ARRAY
        } else {
            slots
        }
    }

    /// Drops all but the `len` oldest items.
    fn drop_behind(&mut self, len: usize) {
        /// Goes on when the destructor of an item panics.
        struct Rest<'a, T, const N: usize>(&'a mut RawInline<T, N>, usize);

        impl<T, const N: usize> Rest<'_, T, N> {
            fn drop_all(&mut self) {
                while self.0.len() > self.1 {
                    drop(self.0.take_back());
                }
            }
        }

        impl<T, const N: usize> Drop for Rest<'_, T, N> {
            fn drop(&mut self) {
                self.drop_all();
            }
        }

        Rest(&mut self.raw, len).drop_all();
    }
}

impl<T, const N: usize> Drop for InlineRing<T, N> {
    fn drop(&mut self) {
        self.drop_behind(0);
    }
}

impl<T: Clone, const N: usize> Clone for InlineRing<T, N> {
    /// The items, in the smallest capacity that fits.
    fn clone(&self) -> Self {
        self.iter().cloned().collect()
    }
}

impl<T, const N: usize> RawRing for InlineRing<T, N> {
    type Item = T;

    fn take_front(&mut self) -> Option<T> {
        self.raw.take_front()
    }

    fn take_back(&mut self) -> Option<T> {
        self.raw.take_back()
    }

    fn put_back(&mut self, item: T) {
        let put = self.raw.put_back(item);
        debug_assert!(put.is_ok(), "a free slot is the caller's duty");
    }

    fn depth(&self) -> usize {
        self.raw.len()
    }

    fn settle(&mut self, found: usize) {
        if !self.raw.is_inline() {
            self.look(found);
        }
    }
}

ring_traits!(InlineRing [, const N: usize] [, N]);
