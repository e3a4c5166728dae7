//! The hysteresis ring: grows at full, shrinks at a quarter.
#![forbid(unsafe_code)]

use alloc::collections::VecDeque;
use core::ops::RangeBounds;

use super::error::{CapacityError, TryPushError};
use super::iter::{Drain, Iter, IterMut};
use super::ring::{RawRing, ring_traits};
use crate::hysteresis::{Hysteresis, LowWater, Policy, quarter};

/// A first-in-first-out ring that doubles when full and halves when a removal leaves at most a
/// quarter of it in use.
///
/// A `VecDeque` keeps its largest buffer until it is told to shrink, and whoever tells it at half
/// full pays twice for a backlog that swings by one. The ring here does neither: a removal leaves
/// a capacity below four times the items, or the smallest there is, and between two resizes lie
/// pushes or pops for at least a quarter of the ring.
///
/// | | cost |
/// |---|---|
/// | `push`, `pop` | O(1) amortised: each pays for at most four moved items |
/// | memory | `capacity` slots, a power of two; both arrays while it resizes |
/// | allocations | one a resize, none in between, none in `new` |
///
/// Only removals that go through the ring resize it: [`pop`](Self::pop), [`clear`](Self::clear),
/// [`truncate`](Self::truncate) and [`drain`](Self::drain). When there is no memory to shrink into,
/// the ring stays as it is and tries again at the next removal.
///
/// ```
/// use segring::seq::HysteresisRing;
///
/// let mut ring: HysteresisRing<_> = (0..16).collect();
/// assert_eq!(ring.capacity(), 16);
/// ring.drain(..8);
/// assert_eq!(ring.capacity(), 16); // half full: no reason to shrink
/// ring.drain(..4);
/// assert_eq!(ring.capacity(), 8); // a quarter was left
/// assert_eq!(ring.pop(), Some(12));
/// ```
pub struct HysteresisRing<T> {
    /// Invariant: its buffer has at least `slots` slots.
    items: VecDeque<T>,
    /// What the policy calls the capacity. 0 before the first push, then a power of two.
    slots: usize,
    /// How many items fit now: `slots` or `limit`, whichever is less.
    room: usize,
    /// How many items may ever be in the ring. Invariant: at most `policy.max`.
    limit: usize,
    /// A removal that leaves fewer items than this wants a look: a quarter and one, or 0 in the
    /// smallest ring.
    low: usize,
    policy: Policy,
    low_water: LowWater,
}

impl<T> HysteresisRing<T> {
    /// At least two slots, shrinking at once, no limit but the largest ring there is.
    const DEFAULT: Hysteresis = {
        let Ok(slots) = Hysteresis::new().with_slots(2, Hysteresis::MAX_SLOTS) else {
            unreachable!()
        };
        let Ok(bytes) = slots.with_bytes(0, isize::MAX as usize) else { unreachable!() };
        bytes.with_patience(0)
    };

    /// An empty ring of at least two slots that shrinks at once. Allocates nothing.
    ///
    /// ```
    /// # use segring::seq::HysteresisRing;
    /// static EMPTY: HysteresisRing<String> = HysteresisRing::new();
    /// assert_eq!(EMPTY.capacity(), 0);
    /// ```
    pub const fn new() -> Self {
        Self::with(Self::DEFAULT)
    }

    /// An empty ring within the limits of a policy. Allocates nothing.
    ///
    /// With a patience of `n` laps, `n * capacity` removals in a row must find and leave a quarter
    /// or less before the ring shrinks; it may then go down to four times the highest depth in
    /// that time in one step.
    ///
    /// ```
    /// use segring::{Hysteresis, seq::HysteresisRing};
    ///
    /// let policy = Hysteresis::new().with_slots(8, 32)?;
    /// let mut ring = HysteresisRing::with(policy);
    /// ring.push(1);
    /// assert_eq!(ring.capacity(), 8);
    /// ring.extend(0..31);
    /// assert!(ring.try_push(2).is_err());
    /// # Ok::<(), segring::HysteresisError>(())
    /// ```
    pub const fn with(policy: Hysteresis) -> Self {
        let policy = policy.for_slot_bytes(size_of::<T>());
        Self {
            items: VecDeque::new(),
            slots: 0,
            room: 0,
            limit: policy.max,
            low: 0,
            policy,
            low_water: LowWater { operations: 0, peak: 0 },
        }
    }

    /// Sets how many items the ring may hold; any number.
    ///
    /// A limit above the largest ring of the policy means that ring. One below the smallest does
    /// not make it smaller: it only stays partly unused. With 0 every push is refused. Items
    /// already in the ring stay.
    ///
    /// ```
    /// # use segring::seq::HysteresisRing;
    /// let mut ring = HysteresisRing::new().with_limit(1);
    /// ring.push('a');
    /// assert_eq!(ring.try_push('b').unwrap_err().into_inner(), 'b');
    /// ```
    #[must_use]
    pub fn with_limit(mut self, items: usize) -> Self {
        self.limit = items.min(self.policy.max);
        self.set_slots(self.slots);
        self
    }

    /// Appends an item at the back.
    ///
    /// # Panics
    /// When the ring is at its limit. Aborts when the allocator fails, as `Vec` does.
    ///
    /// ```
    /// # use segring::seq::HysteresisRing;
    /// let mut ring = HysteresisRing::new();
    /// ring.push(1);
    /// assert_eq!(ring.pop(), Some(1));
    /// ```
    #[inline]
    pub fn push(&mut self, item: T) {
        if self.items.len() >= self.room
            && let Err(error) = self.grow()
        {
            error.raise();
        }
        self.items.push_back(item);
    }

    /// Appends an item at the back, or gives it back and leaves everything as it was.
    ///
    /// # Errors
    /// At the limit, or when the allocator has no memory for a larger array.
    ///
    /// ```
    /// # use segring::seq::HysteresisRing;
    /// let mut ring = HysteresisRing::new().with_limit(2);
    /// assert!((0..2).all(|n| ring.try_push(n).is_ok()));
    /// assert_eq!(ring.try_push(2).unwrap_err().into_inner(), 2);
    /// ```
    #[inline]
    pub fn try_push(&mut self, item: T) -> Result<(), TryPushError<T>> {
        if self.items.len() >= self.room
            && let Err(reason) = self.grow()
        {
            return Err(TryPushError::new(item, reason));
        }
        self.items.push_back(item);
        Ok(())
    }

    /// Removes the item at the front, the oldest.
    ///
    /// ```
    /// # use segring::seq::HysteresisRing;
    /// let mut ring = HysteresisRing::from_iter([1, 2]);
    /// assert_eq!((ring.pop(), ring.pop(), ring.pop()), (Some(1), Some(2), None));
    /// ```
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        let item = self.items.pop_front()?;
        if self.items.len() < self.low {
            self.look(self.items.len() + 1);
        }
        Some(item)
    }

    /// Drops all items, then takes one look: with the default policy the ring is at its smallest
    /// afterwards.
    ///
    /// ```
    /// # use segring::seq::HysteresisRing;
    /// let mut ring: HysteresisRing<_> = (0..1000).collect();
    /// ring.clear();
    /// assert_eq!((ring.len(), ring.capacity()), (0, 2));
    /// ```
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Drops all but the `len` oldest items, then takes one look.
    ///
    /// ```
    /// # use segring::seq::HysteresisRing;
    /// let mut ring = HysteresisRing::from_iter([1, 2, 3]);
    /// ring.truncate(1);
    /// assert!(ring.iter().eq(&[1]));
    /// ```
    pub fn truncate(&mut self, len: usize) {
        let found = self.items.len();
        if len < found {
            self.items.truncate(len);
            self.look(found);
        }
    }

    /// Removes a range of items, oldest first, then takes one look. O(range) at the front, O(len)
    /// elsewhere.
    ///
    /// # Panics
    /// When the range is not within the ring.
    ///
    /// ```
    /// # use segring::seq::HysteresisRing;
    /// let mut ring = HysteresisRing::from_iter([1, 2, 3]);
    /// assert!(ring.drain(..2).eq([1, 2]));
    /// assert_eq!(ring.pop(), Some(3));
    /// ```
    pub fn drain(&mut self, range: impl RangeBounds<usize>) -> Drain<'_, Self> {
        Drain::new(self, &range)
    }

    /// Makes room for `additional` more items, so that as many pushes do not allocate.
    ///
    /// The room is not kept for ever: the next removal may find it unused and shrink.
    ///
    /// # Errors
    /// Beyond the limit, or when the allocator has no memory. The ring is as it was.
    ///
    /// ```
    /// # use segring::seq::HysteresisRing;
    /// let mut ring = HysteresisRing::<u8>::new().with_limit(1000);
    /// assert!(ring.try_reserve(1000).is_ok());
    /// assert!(ring.try_reserve(1001).is_err());
    /// assert_eq!(ring.capacity(), 1000);
    /// ```
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), CapacityError> {
        let items = self.items.len().saturating_add(additional);
        if items > self.limit {
            return Err(CapacityError::Limit { limit: self.limit });
        }
        if items > self.room { self.grow_to(self.policy.fitting(items)) } else { Ok(()) }
    }

    /// Shrinks to the smallest capacity for the items in the ring, without waiting for a removal.
    ///
    /// ```
    /// # use segring::seq::HysteresisRing;
    /// let mut ring = HysteresisRing::from_iter(0..9);
    /// ring.truncate(5);
    /// assert_eq!(ring.capacity(), 16);
    /// ring.shrink_to_fit();
    /// assert_eq!(ring.capacity(), 8);
    /// ```
    pub fn shrink_to_fit(&mut self) {
        let to = self.policy.fitting(self.items.len());
        if to < self.slots {
            self.shrink(to);
        }
    }

    /// How many items are in the ring.
    ///
    /// ```
    /// # use segring::seq::HysteresisRing;
    /// assert_eq!(HysteresisRing::from_iter([1, 2]).len(), 2);
    /// ```
    #[inline]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is none.
    ///
    /// ```
    /// # use segring::seq::HysteresisRing;
    /// assert!(HysteresisRing::<u8>::new().is_empty());
    /// ```
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// How many items fit before the next growth or the limit. 0 in a new ring; the items of a
    /// type without a size are counted like any others.
    ///
    /// ```
    /// # use segring::seq::HysteresisRing;
    /// assert_eq!(HysteresisRing::from_iter([1, 2, 3]).capacity(), 4);
    /// ```
    #[inline]
    pub fn capacity(&self) -> usize {
        self.room
    }

    /// The item at the front, the oldest.
    ///
    /// ```
    /// # use segring::seq::HysteresisRing;
    /// assert_eq!(HysteresisRing::from_iter([1, 2]).front(), Some(&1));
    /// ```
    #[inline]
    pub fn front(&self) -> Option<&T> {
        self.items.front()
    }

    /// The item at the front, the oldest, to change it.
    ///
    /// ```
    /// # use segring::seq::HysteresisRing;
    /// let mut ring = HysteresisRing::from_iter([1, 2]);
    /// *ring.front_mut().unwrap() = 7;
    /// assert_eq!(ring.pop(), Some(7));
    /// ```
    #[inline]
    pub fn front_mut(&mut self) -> Option<&mut T> {
        self.items.front_mut()
    }

    /// The item at the back, the newest.
    ///
    /// ```
    /// # use segring::seq::HysteresisRing;
    /// assert_eq!(HysteresisRing::from_iter([1, 2]).back(), Some(&2));
    /// ```
    #[inline]
    pub fn back(&self) -> Option<&T> {
        self.items.back()
    }

    /// The items as two slices, oldest first; the second is empty unless they wrap.
    ///
    /// ```
    /// # use segring::seq::HysteresisRing;
    /// let ring = HysteresisRing::from_iter([1, 2]);
    /// assert_eq!(ring.as_slices().0, [1, 2]);
    /// ```
    pub fn as_slices(&self) -> (&[T], &[T]) {
        self.items.as_slices()
    }

    /// The items by reference, oldest first.
    ///
    /// ```
    /// # use segring::seq::HysteresisRing;
    /// assert_eq!(HysteresisRing::from_iter([1, 2]).iter().max(), Some(&2));
    /// ```
    pub fn iter(&self) -> Iter<'_, T> {
        Iter::new(self.items.as_slices())
    }

    /// The items by mutable reference, oldest first.
    ///
    /// ```
    /// # use segring::seq::HysteresisRing;
    /// let mut ring = HysteresisRing::from_iter([1, 2]);
    /// ring.iter_mut().for_each(|n| *n += 1);
    /// assert_eq!(ring.pop(), Some(2));
    /// ```
    pub fn iter_mut(&mut self) -> IterMut<'_, T> {
        IterMut::new(self.items.as_mut_slices())
    }

    fn set_slots(&mut self, slots: usize) {
        self.slots = slots;
        self.room = slots.min(self.limit);
        self.low_water = LowWater::default();
        self.low = if self.policy.can_shrink(slots) { quarter(slots) + 1 } else { 0 };
    }

    /// The *full* rule. Called when there is no room.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> Result<(), CapacityError> {
        if self.items.len() >= self.limit {
            return Err(CapacityError::Limit { limit: self.limit });
        }
        // At least the smallest ring: a new one has capacity 0.
        self.grow_to(self.policy.grown(self.slots).max(self.policy.min))
    }

    fn grow_to(&mut self, slots: usize) -> Result<(), CapacityError> {
        self.items
            .try_reserve_exact(slots - self.items.len())
            .map_err(|_| CapacityError::no_memory::<T>(slots))?;
        self.set_slots(slots);
        Ok(())
    }

    /// Lets the policy see a removal that found `found` items.
    #[cold]
    #[inline(never)]
    fn look(&mut self, found: usize) {
        let (left, mut slots) = (self.items.len(), self.slots);
        // More than once when many items were removed at once and there is no patience.
        loop {
            let low_water = quarter(slots);
            let (low, to) =
                self.policy.observe_removal(low_water, self.low_water, found, left, slots);
            self.low_water = low;
            match to {
                Some(smaller) => slots = smaller,
                None => break,
            }
        }
        if slots < self.slots {
            self.shrink(slots);
        }
    }

    /// Moves the items into a smaller buffer, if there is memory for one. `VecDeque::shrink_to`
    /// would abort where there is none.
    fn shrink(&mut self, slots: usize) {
        let mut items = VecDeque::new();
        if items.try_reserve_exact(slots).is_ok() {
            items.append(&mut self.items);
            self.items = items;
            self.set_slots(slots);
        }
    }
}

impl<T: Clone> Clone for HysteresisRing<T> {
    /// The items, the policy and the limit; the smallest capacity that fits.
    fn clone(&self) -> Self {
        let mut clone = Self {
            items: VecDeque::new(),
            slots: 0,
            room: 0,
            low: 0,
            low_water: LowWater::default(),
            // A limit below what is inside holds for later pushes, not for the copy.
            limit: self.policy.max,
            ..*self
        };
        clone.extend(self.iter().cloned());
        clone.with_limit(self.limit)
    }
}

impl<T> RawRing for HysteresisRing<T> {
    type Item = T;

    fn take_front(&mut self) -> Option<T> {
        self.items.pop_front()
    }

    fn take_back(&mut self) -> Option<T> {
        self.items.pop_back()
    }

    fn put_back(&mut self, item: T) {
        self.items.push_back(item);
    }

    fn depth(&self) -> usize {
        self.items.len()
    }

    fn settle(&mut self, found: usize) {
        self.look(found);
    }
}

ring_traits!(HysteresisRing [] []);
