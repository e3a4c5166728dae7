//! When a ring grows and when it shrinks: the one policy of the crate.
//!
//! Two rules, with a dead band between them:
//!
//! * **Full**: a ring without a free slot is followed by one of twice the capacity.
//! * **Quarter**: a ring that has held at most a quarter of its capacity, at once or for long
//!   enough, is followed by one of half the capacity or less.
//!
//! No single step can undo either. A ring that has just doubled is half full, so that a quarter of
//! its slots must be popped before it is low; one that has just halved is at most half full, so
//! that half of its slots must be pushed before it is full. That is all the protection a swinging
//! backlog needs.
//!
//! Everything here is a value or a pure function: no atomics, no clock, no allocation. The
//! sequential rings ask after every operation, the lock-free queue four times a lap.

use crate::error::HysteresisError;

/// Limits and patience of a ring that grows when full and shrinks when a quarter or less is used.
///
/// | | default |
/// |---|---|
/// | slots | 64 to 1,048,576, powers of two |
/// | bytes | no lower limit, at most 64 MiB a ring |
/// | patience | one whole capacity's worth of operations at low occupancy |
///
/// Limits in bytes are turned into slots when the element type is known. The upper byte limit is
/// the strongest, but a ring always has at least one slot, however large.
///
/// ```
/// use segring::{Hysteresis, Queue};
///
/// let policy = Hysteresis::new().with_slots(8, 4096)?.with_bytes(0, 1 << 20)?;
/// assert_eq!(policy.min_slots(), 8);
/// # Ok::<(), segring::HysteresisError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hysteresis {
    min_slots: usize,
    max_slots: usize,
    min_bytes: usize,
    max_bytes: usize,
    patience: u32,
}

impl Hysteresis {
    /// The most slots a ring may have: 2^30, and 2^24 where `usize` has 32 bits.
    pub const MAX_SLOTS: usize = if usize::BITS >= 64 { 1 << 30 } else { 1 << 24 };

    /// The default policy.
    pub const fn new() -> Self {
        Self { min_slots: 64, max_slots: 1 << 20, min_bytes: 0, max_bytes: 64 << 20, patience: 1 }
    }

    /// Sets the capacity of the smallest and of the largest ring, in slots.
    ///
    /// # Errors
    /// When a limit is zero, is no power of two or is above [`MAX_SLOTS`](Self::MAX_SLOTS), or when
    /// `min > max`.
    pub const fn with_slots(self, min: usize, max: usize) -> Result<Self, HysteresisError> {
        if min == 0 || max == 0 {
            return Err(HysteresisError::Zero);
        }
        if min > max {
            return Err(HysteresisError::MinAboveMax { min, max });
        }
        if max > Self::MAX_SLOTS {
            return Err(HysteresisError::TooManySlots { slots: max, limit: Self::MAX_SLOTS });
        }
        if !min.is_power_of_two() {
            return Err(HysteresisError::NotPowerOfTwo { slots: min });
        }
        if !max.is_power_of_two() {
            return Err(HysteresisError::NotPowerOfTwo { slots: max });
        }
        Ok(Self { min_slots: min, max_slots: max, ..self })
    }

    /// Sets how many bytes of slots the smallest ring should at least use and the largest may use.
    ///
    /// # Errors
    /// When `max` is zero or `min > max`.
    pub const fn with_bytes(self, min: usize, max: usize) -> Result<Self, HysteresisError> {
        if max == 0 {
            return Err(HysteresisError::Zero);
        }
        if min > max {
            return Err(HysteresisError::MinAboveMax { min, max });
        }
        Ok(Self { min_bytes: min, max_bytes: max, ..self })
    }

    /// Sets for how long occupancy must stay at a quarter or less before a ring shrinks: `laps`
    /// whole capacities' worth of operations, or at once when `laps` is 0.
    #[must_use]
    pub const fn with_patience(self, laps: u32) -> Self {
        Self { patience: laps, ..self }
    }

    /// Capacity of the smallest ring, in slots.
    pub const fn min_slots(&self) -> usize {
        self.min_slots
    }

    /// Capacity of the largest ring, in slots.
    pub const fn max_slots(&self) -> usize {
        self.max_slots
    }

    /// Bytes of slots that the smallest ring should at least use.
    pub const fn min_bytes(&self) -> usize {
        self.min_bytes
    }

    /// Bytes of slots that the largest ring may use.
    pub const fn max_bytes(&self) -> usize {
        self.max_bytes
    }

    /// How many laps of low occupancy come before a ring shrinks; 0 means that it shrinks at once.
    pub const fn patience(&self) -> u32 {
        self.patience
    }

    /// The policy for slots of one size.
    pub(crate) const fn for_slot_bytes(&self, slot_bytes: usize) -> Policy {
        let size = if slot_bytes == 0 { 1 } else { slot_bytes };
        let max = smaller(self.max_slots, floor_power_of_two(self.max_bytes / size));
        let min = larger(self.min_slots, ceil_power_of_two(self.min_bytes.div_ceil(size)));
        Policy { min: smaller(min, max), max, patience: self.patience }
    }
}

impl Default for Hysteresis {
    fn default() -> Self {
        Self::new()
    }
}

/// A [`Hysteresis`] for one element size. Invariant: `min` and `max` are powers of two,
/// `min <= max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Policy {
    pub(crate) min: usize,
    pub(crate) max: usize,
    patience: u32,
}

/// For how long occupancy has been low, and the highest depth in that time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LowWater {
    pub(crate) operations: usize,
    pub(crate) peak: usize,
}

impl Policy {
    /// Rings of one capacity for ever.
    pub(crate) const fn fixed(slots: usize) -> Self {
        Self { min: slots, max: slots, patience: 1 }
    }

    /// The *full* rule: the capacity that follows a full ring of this `capacity`; the same when it
    /// is the largest.
    pub(crate) const fn grown(self, capacity: usize) -> usize {
        smaller(capacity.saturating_mul(2), self.max)
    }

    /// What follows a ring without a free slot in its way: twice the capacity when it really is
    /// full, the same when a stalled peer merely holds one slot.
    pub(crate) const fn successor(self, capacity: usize, depth: usize) -> usize {
        if is_full(depth, capacity) { self.grown(capacity) } else { capacity }
    }

    /// The *quarter* rule's target: half the capacity, or the smallest power of two at least four
    /// times the highest depth seen if that is less. The same capacity when it is the smallest.
    #[inline]
    pub(crate) const fn shrunk(self, capacity: usize, peak: usize) -> usize {
        let roomy = ceil_power_of_two(peak.saturating_mul(4));
        larger(smaller(capacity / 2, roomy), smaller(self.min, capacity))
    }

    /// The capacity to shrink to on request: as `shrunk`, but only if the depth is low.
    pub(crate) const fn shrunk_to_fit(self, capacity: usize, depth: usize) -> usize {
        if is_low(depth, capacity) { self.shrunk(capacity, depth) } else { capacity }
    }

    /// Whether a ring of this `capacity` would shrink at all.
    pub(crate) const fn can_shrink(self, capacity: usize) -> bool {
        capacity > self.min
    }

    /// The smallest capacity for `items`; the largest there is when they do not fit.
    pub(crate) const fn fitting(self, items: usize) -> usize {
        smaller(larger(ceil_power_of_two(items), self.min), self.max)
    }

    /// Takes one look at a ring: `depth` items of `capacity`, standing for `weight` operations.
    /// Returns what to remember and, when the ring should shrink, to which capacity.
    ///
    /// `dwell` multiplies the patience; see [`Dwell`].
    pub(crate) const fn observe(
        self,
        low: LowWater,
        weight: usize,
        depth: usize,
        capacity: usize,
        dwell: Dwell,
    ) -> (LowWater, Option<usize>) {
        self.observe_below(quarter(capacity), low, weight, depth, capacity, dwell)
    }

    /// One removal from a sequential ring: two looks, at the depth it found and at the depth it
    /// left.
    ///
    /// Pushes need no look of their own. Depth only rises between two removals, so the depth that
    /// the second one finds is the highest since the first: if it is above `low_water` the count
    /// starts anew. Likewise a removal that leaves more than `low_water` may be passed over,
    /// because the first one that goes below will find more than that. The peak includes the depth
    /// that a stretch began with.
    #[inline]
    pub(crate) const fn observe_removal(
        self,
        low_water: usize,
        low: LowWater,
        found: usize,
        left: usize,
        capacity: usize,
    ) -> (LowWater, Option<usize>) {
        let dwell = Dwell(0);
        let (low, _) = self.observe_below(low_water, low, 0, found, capacity, dwell);
        self.observe_below(low_water, low, 1, left, capacity, dwell)
    }

    /// [`observe`](Self::observe) with a mark of its own in place of the quarter.
    #[inline]
    const fn observe_below(
        self,
        low_water: usize,
        low: LowWater,
        weight: usize,
        depth: usize,
        capacity: usize,
        dwell: Dwell,
    ) -> (LowWater, Option<usize>) {
        if depth > low_water {
            return (LowWater { operations: 0, peak: 0 }, None);
        }
        let operations = low.operations.saturating_add(weight);
        let peak = larger(low.peak, depth);
        let patience = capacity.saturating_mul(self.patience as usize).saturating_mul(dwell.laps());
        if operations >= patience && self.can_shrink(capacity) {
            let to = self.shrunk(capacity, peak);
            return (LowWater { operations: 0, peak: 0 }, Some(to));
        }
        (LowWater { operations, peak }, None)
    }
}

/// Whether a ring without a free slot in the way is really full: three quarters of it or more.
pub(crate) const fn is_full(depth: usize, capacity: usize) -> bool {
    depth >= capacity - quarter(capacity)
}

/// Whether `depth` is at most a quarter of `capacity`.
pub(crate) const fn is_low(depth: usize, capacity: usize) -> bool {
    depth <= quarter(capacity)
}

/// A quarter of a ring, rounded down.
pub(crate) const fn quarter(capacity: usize) -> usize {
    capacity / 4
}

/// Learned patience: how many times longer than asked to wait before shrinking.
///
/// A ring that was shrunk and soon had to grow again was shrunk too early: the wait doubles (up to
/// 256 times). A ring that lives long without growing shows that the load has calmed: it halves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dwell(u8);

impl Dwell {
    /// A ring that grows within this many laps after a shrink was shrunk too early.
    const SOON_LAPS: usize = 8;
    /// A ring that lives this many laps lets one doubling be forgotten.
    const CALM_LAPS: usize = 64;
    const MAX_DOUBLINGS: u8 = 8;

    pub(crate) const fn laps(self) -> usize {
        1 << self.0
    }

    /// The patience of the ring that follows one which lived for `laps` laps, was itself made by a
    /// shrink or not, and is now followed by a larger one or not.
    pub(crate) const fn next(self, laps: usize, was_shrunk: bool, grows: bool) -> Self {
        if was_shrunk && grows && laps <= Self::SOON_LAPS {
            return Self(if self.0 < Self::MAX_DOUBLINGS { self.0 + 1 } else { self.0 });
        }
        if laps >= Self::CALM_LAPS { Self(self.0.saturating_sub(1)) } else { self }
    }
}

const fn smaller(a: usize, b: usize) -> usize {
    if a < b { a } else { b }
}

const fn larger(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

/// The largest power of two at most `n`, and 1 for 0.
const fn floor_power_of_two(n: usize) -> usize {
    if n == 0 { 1 } else { 1 << (usize::BITS - 1 - n.leading_zeros()) }
}

/// The smallest power of two at least `n`; the largest there is when `n` is above it.
const fn ceil_power_of_two(n: usize) -> usize {
    match n.checked_next_power_of_two() {
        Some(power) => power,
        None => 1 << (usize::BITS - 1),
    }
}

#[cfg(test)]
mod tests;
