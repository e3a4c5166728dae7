//! Counters around a ring.
#![forbid(unsafe_code)]

use core::fmt;

use super::error::TryPushError;
use super::ring::Ring;

/// A ring that counts what happens to it: how deep it gets and how often it resizes.
///
/// For finding out which `N` an [`InlineRing`](super::InlineRing) needs or which limits suit a
/// load; the ring itself stays free of counters. All access goes through here, so that the counts
/// are complete.
///
/// ```
/// use segring::seq::{InlineRing, Metered};
///
/// let mut ring = Metered::new(InlineRing::<_, 1>::new());
/// for n in 0..3 {
///     ring.push(n);
/// }
/// ring.pop();
/// let stats = ring.stats();
/// assert_eq!((stats.pushed, stats.popped, stats.peak_depth, stats.grows), (3, 1, 3, 1));
/// assert_eq!(stats.depths[0], 1); // one push in three would have fit into one slot
/// assert!(ring.is_conserved());
/// ```
pub struct Metered<R> {
    ring: R,
    stats: DepthStats,
}

/// What a [`Metered`] ring has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DepthStats {
    /// Items that were in the ring when counting began.
    pub initial: u64,
    /// Items pushed.
    pub pushed: u64,
    /// Items popped.
    pub popped: u64,
    /// Items dropped by `clear`.
    pub cleared: u64,
    /// Items not taken by `try_push`.
    pub refused: u64,
    /// Depth after the latest push.
    pub last_depth: u64,
    /// The highest depth.
    pub peak_depth: u64,
    /// Pushes by the depth after them: at most 1, 2, 4, 8, ..., 2^31 items.
    pub depths: [u64; 32],
    /// How often the capacity became larger.
    pub grows: u64,
    /// How often the capacity became smaller.
    pub shrinks: u64,
}

impl<R: Ring> Metered<R> {
    /// Starts counting for a ring, which need not be empty.
    ///
    /// ```
    /// # use segring::seq::{HysteresisRing, Metered};
    /// let ring = Metered::new(HysteresisRing::from_iter([1, 2]));
    /// assert_eq!(ring.stats().initial, 2);
    /// ```
    pub fn new(ring: R) -> Self {
        let initial = ring.len() as u64;
        let stats = DepthStats { initial, peak_depth: initial, ..DepthStats::default() };
        Self { ring, stats }
    }

    /// [`Ring::push`], counted.
    ///
    /// # Panics
    /// When the ring is at its limit. Aborts when the allocator fails.
    ///
    /// ```
    /// # use segring::seq::{HysteresisRing, Metered};
    /// let mut ring = Metered::new(HysteresisRing::new());
    /// ring.push(1);
    /// assert_eq!(ring.stats().last_depth, 1);
    /// ```
    pub fn push(&mut self, item: R::Item) {
        self.resizing(|ring| ring.push(item));
        self.pushed();
    }

    /// [`Ring::try_push`], counted.
    ///
    /// # Errors
    /// At the limit, or when the allocator has no memory for a larger array.
    ///
    /// ```
    /// # use segring::seq::{HysteresisRing, Metered};
    /// let mut ring = Metered::new(HysteresisRing::new().with_limit(0));
    /// assert!(ring.try_push(1).is_err());
    /// assert_eq!(ring.stats().refused, 1);
    /// ```
    pub fn try_push(&mut self, item: R::Item) -> Result<(), TryPushError<R::Item>> {
        let result = self.resizing(|ring| ring.try_push(item));
        match result {
            Ok(()) => self.pushed(),
            Err(_) => self.stats.refused += 1,
        }
        result
    }

    /// [`Ring::pop`], counted when there was an item.
    ///
    /// ```
    /// # use segring::seq::{HysteresisRing, Metered};
    /// let mut ring = Metered::new(HysteresisRing::from_iter([1]));
    /// assert_eq!((ring.pop(), ring.pop()), (Some(1), None));
    /// assert_eq!(ring.stats().popped, 1);
    /// ```
    pub fn pop(&mut self) -> Option<R::Item> {
        let item = self.resizing(R::pop);
        self.stats.popped += u64::from(item.is_some());
        item
    }

    /// [`Ring::clear`], counted item by item.
    ///
    /// ```
    /// # use segring::seq::{HysteresisRing, Metered};
    /// let mut ring = Metered::new(HysteresisRing::from_iter([1, 2]));
    /// ring.clear();
    /// assert_eq!(ring.stats().cleared, 2);
    /// ```
    pub fn clear(&mut self) {
        self.stats.cleared += self.ring.len() as u64;
        self.resizing(R::clear);
    }

    /// The counts so far.
    ///
    /// ```
    /// # use segring::seq::{HysteresisRing, Metered};
    /// let ring = Metered::new(HysteresisRing::<u8>::new());
    /// assert_eq!(ring.stats().pushed, 0);
    /// ```
    pub const fn stats(&self) -> &DepthStats {
        &self.stats
    }

    /// Whether no item was lost or made up: what came in either went out or is still here.
    ///
    /// ```
    /// # use segring::seq::{HysteresisRing, Metered};
    /// assert!(Metered::new(HysteresisRing::from_iter([1, 2])).is_conserved());
    /// ```
    pub fn is_conserved(&self) -> bool {
        let DepthStats { initial, pushed, popped, cleared, .. } = self.stats;
        initial + pushed == popped + cleared + self.ring.len() as u64
    }

    /// The ring, to look at it.
    ///
    /// ```
    /// # use segring::seq::{HysteresisRing, Metered};
    /// assert_eq!(Metered::new(HysteresisRing::from_iter([1])).ring().front(), Some(&1));
    /// ```
    pub const fn ring(&self) -> &R {
        &self.ring
    }

    /// The ring, no longer counted.
    ///
    /// ```
    /// # use segring::seq::{HysteresisRing, Metered};
    /// assert_eq!(Metered::new(HysteresisRing::from_iter([1])).into_ring().pop(), Some(1));
    /// ```
    pub fn into_ring(self) -> R {
        self.ring
    }

    /// Runs one operation and counts the resize it may make.
    fn resizing<O>(&mut self, operation: impl FnOnce(&mut R) -> O) -> O {
        let before = self.ring.capacity();
        let output = operation(&mut self.ring);
        let after = self.ring.capacity();
        self.stats.grows += u64::from(after > before);
        self.stats.shrinks += u64::from(after < before);
        output
    }

    fn pushed(&mut self) {
        let depth = self.ring.len();
        self.stats.pushed += 1;
        self.stats.last_depth = depth as u64;
        self.stats.peak_depth = self.stats.peak_depth.max(depth as u64);
        let bucket = depth.next_power_of_two().ilog2() as usize;
        self.stats.depths[bucket.min(self.stats.depths.len() - 1)] += 1;
    }
}

impl<R: Ring> fmt::Debug for Metered<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metered").field("stats", &self.stats).finish_non_exhaustive()
    }
}
