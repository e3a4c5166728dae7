//! Storage of the inline ring: `N` slots inside the object or an array on the heap, and the items
//! in it. Knows nothing of when to resize. All `unsafe` of the sequential rings is here.
//!
//! ```text
//!            +--------------------------+----------+------+-----+----------+
//!  inline:   | slot 0 .. slot N-1       | capacity | head | len | low_pops |
//!  on heap:  | pointer |   (unused)     |   u32    | u32  | u32 |   u32    |
//!            +--------------------------+----------+------+-----+----------+
//! ```
//!
//! Invariants, which the SAFETY comments cite:
//!
//! * **Live**: `capacity == N` when `storage.inline` is live; otherwise `storage.heap` is, and
//!   points to an array of `capacity` slots that this ring owns (or dangles, when slots have no
//!   size).
//! * **Bounds**: `capacity` is a power of two, `head < capacity`, `len <= capacity`.
//! * **Items**: the slots `(head + i) % capacity` for `i < len` are initialised. No other slot is
//!   ever read, written or dropped.

use alloc::alloc::{alloc, dealloc};
use core::alloc::Layout;
use core::fmt;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::panic::UnwindSafe;
use core::ptr::{self, NonNull};
use core::slice;

use super::error::CapacityError;

#[repr(C)]
union Storage<T, const N: usize> {
    inline: ManuallyDrop<[MaybeUninit<T>; N]>,
    heap: NonNull<T>,
}

impl<T, const N: usize> Storage<T, N> {
    const INLINE: Self = Self { inline: ManuallyDrop::new([const { MaybeUninit::uninit() }; N]) };
}

/// See the module. Drops its array, but not its items: the owner takes them out first.
#[repr(C)]
pub(super) struct RawInline<T, const N: usize> {
    storage: Storage<T, N>,
    capacity: u32,
    head: u32,
    len: u32,
    /// The owner's; here because a field outside would be padded to a word.
    pub(super) low_pops: u32,
}

// SAFETY: the ring owns its items and its array as a `Vec<T>` does.
unsafe impl<T: Send, const N: usize> Send for RawInline<T, N> {}
// SAFETY: a shared ring only hands out shared references to items.
unsafe impl<T: Sync, const N: usize> Sync for RawInline<T, N> {}
impl<T: UnwindSafe, const N: usize> UnwindSafe for RawInline<T, N> {}

#[expect(clippy::cast_possible_truncation, reason = "capacities are at most 2^30")]
impl<T, const N: usize> RawInline<T, N> {
    /// The most slots there may be, so that index arithmetic in `u32` cannot overflow.
    pub(super) const MAX_SLOTS: usize = 1 << 30;

    pub(super) const fn new() -> Self {
        const {
            assert!(
                N.is_power_of_two() && N <= Self::MAX_SLOTS,
                "the N of an InlineRing must be a power of two: 1, 2, 4, 8, ..."
            );
        }
        Self { storage: Storage::INLINE, capacity: N as u32, head: 0, len: 0, low_pops: 0 }
    }

    #[inline]
    pub(super) const fn is_inline(&self) -> bool {
        self.capacity as usize == N
    }

    #[inline]
    pub(super) const fn capacity(&self) -> usize {
        self.capacity as usize
    }

    #[inline]
    pub(super) const fn len(&self) -> usize {
        self.len as usize
    }

    /// Appends an item, or gives it back when no slot is free.
    #[inline]
    pub(super) fn put_back(&mut self, item: T) -> Result<(), T> {
        if self.len == self.capacity {
            return Err(item);
        }
        let slot = self.slot_mut(self.len);
        // SAFETY: by Live and Bounds, `slot_mut` points to a slot of ours; by Items it holds
        // nothing, since `len < capacity`.
        unsafe { slot.write(item) };
        self.len += 1;
        Ok(())
    }

    #[inline]
    pub(super) fn take_front(&mut self) -> Option<T> {
        if self.len == 0 {
            return None;
        }
        let slot = self.slot_mut(0);
        self.head = self.wrap(self.head + 1);
        self.len -= 1;
        // SAFETY: by Items the slot was initialised, and it is outside of `len` from here on.
        Some(unsafe { slot.read() })
    }

    pub(super) fn take_back(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        let slot = self.slot_mut(self.len);
        // SAFETY: by Items the slot was initialised, and it is outside of `len` from here on.
        Some(unsafe { slot.read() })
    }

    #[inline]
    pub(super) fn front(&self) -> Option<&T> {
        if self.len == 0 {
            return None;
        }
        let slot = self.slots().wrapping_add(self.head as usize);
        // SAFETY: by Bounds the slot is ours, by Items it is initialised since `len > 0`.
        Some(unsafe { &*slot })
    }

    #[inline]
    pub(super) fn front_mut(&mut self) -> Option<&mut T> {
        if self.len == 0 {
            return None;
        }
        let slot = self.slot_mut(0);
        // SAFETY: by Items the slot is initialised since `len > 0`; `&mut self` makes it exclusive.
        Some(unsafe { &mut *slot })
    }

    pub(super) fn as_slices(&self) -> (&[T], &[T]) {
        let (first, second) = self.runs();
        let slots = self.slots();
        // SAFETY: by Items the `first` slots from `head` on are initialised, and within the array.
        let front = unsafe { slice::from_raw_parts(slots.wrapping_add(self.head as usize), first) };
        // SAFETY: by Items the `second` slots from 0 on are initialised.
        let back = unsafe { slice::from_raw_parts(slots, second) };
        (front, back)
    }

    pub(super) fn as_mut_slices(&mut self) -> (&mut [T], &mut [T]) {
        let (first, second) = self.runs();
        let head = self.head as usize;
        let slots = self.slots_mut();
        // SAFETY: as in `as_slices`; `&mut self` makes the items exclusive.
        let front = unsafe { slice::from_raw_parts_mut(slots.wrapping_add(head), first) };
        // SAFETY: as in `as_slices`; by Bounds `second <= head`, so the two do not overlap.
        let back = unsafe { slice::from_raw_parts_mut(slots, second) };
        (front, back)
    }

    /// Moves the items, oldest first, into an array of `capacity` slots, or inside when `capacity`
    /// is `N`, which allocates nothing. The old array is freed only after the move.
    ///
    /// # Panics
    /// When `capacity` is no power of two, has no room for the items or is above `MAX_SLOTS`.
    ///
    /// # Errors
    /// When the allocator fails; nothing has changed then.
    #[cold]
    #[inline(never)]
    pub(super) fn resize(&mut self, capacity: usize) -> Result<(), CapacityError> {
        assert!(
            capacity.is_power_of_two() && capacity <= Self::MAX_SLOTS && capacity >= self.len()
        );
        let storage = if capacity == N {
            Storage::INLINE
        } else {
            let heap = allocate(capacity).ok_or(CapacityError::no_memory::<T>(capacity))?;
            Storage { heap }
        };
        let new = Self { storage, capacity: capacity as u32, head: 0, len: 0, low_pops: 0 };
        let mut old = core::mem::replace(self, new);
        // From here on `old` frees its array in the end, but no items: those move.
        let (first, second) = old.runs();
        let from = old.slots_mut();
        let to = self.slots_mut();
        // SAFETY: by Items the first run of `old` is initialised; `to` is another array, with room
        // for all of them by the assertion.
        unsafe { ptr::copy_nonoverlapping(from.wrapping_add(old.head as usize), to, first) };
        // SAFETY: likewise the second run, which starts at slot 0 of `old`.
        unsafe { ptr::copy_nonoverlapping(from, to.wrapping_add(first), second) };
        self.len = old.len;
        Ok(())
    }

    #[inline]
    const fn wrap(&self, index: u32) -> u32 {
        index & (self.capacity - 1)
    }

    /// How many items lie from `head` to the end of the array, and how many from its start.
    fn runs(&self) -> (usize, usize) {
        let first = self.len.min(self.capacity - self.head);
        (first as usize, (self.len - first) as usize)
    }

    #[inline]
    fn slots(&self) -> *const T {
        if self.is_inline() {
            (&raw const self.storage).cast()
        } else {
            // SAFETY: by Live the heap pointer is the live field.
            unsafe { self.storage.heap }.as_ptr()
        }
    }

    #[inline]
    fn slots_mut(&mut self) -> *mut T {
        if self.is_inline() {
            (&raw mut self.storage).cast()
        } else {
            // SAFETY: by Live the heap pointer is the live field.
            unsafe { self.storage.heap }.as_ptr()
        }
    }

    /// The slot `offset` places behind the front.
    #[inline]
    fn slot_mut(&mut self, offset: u32) -> *mut T {
        let index = self.wrap(self.head + offset);
        self.slots_mut().wrapping_add(index as usize)
    }
}

impl<T, const N: usize> Drop for RawInline<T, N> {
    fn drop(&mut self) {
        if !self.is_inline() {
            // SAFETY: by Live the heap pointer is the live field.
            let array = unsafe { self.storage.heap };
            // SAFETY: by Live the array has `capacity` slots and is ours; nobody uses it again.
            unsafe { deallocate(array, self.capacity()) };
        }
    }
}

impl<T, const N: usize> fmt::Debug for RawInline<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawInline").field("capacity", &self.capacity).finish_non_exhaustive()
    }
}

/// An array of uninitialised slots; `None` when there is no memory. Slots without a size take none.
fn allocate<T>(slots: usize) -> Option<NonNull<T>> {
    let layout = Layout::array::<T>(slots).ok()?;
    if layout.size() == 0 {
        return Some(NonNull::dangling());
    }
    // SAFETY: the layout has a size.
    NonNull::new(unsafe { alloc(layout) }.cast())
}

/// # Safety
/// `array` must come from `allocate(slots)` and not be used again.
unsafe fn deallocate<T>(array: NonNull<T>, slots: usize) {
    // `allocate` made the same layout, so this cannot fail.
    let Ok(layout) = Layout::array::<T>(slots) else { return };
    if layout.size() > 0 {
        // SAFETY: the caller got `array` from `alloc` with this layout.
        unsafe { dealloc(array.as_ptr().cast(), layout) };
    }
}

#[cfg(test)]
mod tests {
    use core::mem::offset_of;

    use super::*;

    #[test]
    fn layout_is_the_drawing() {
        type Descriptors = RawInline<[u64; 2], 1>;
        assert_eq!(offset_of!(Descriptors, storage), 0);
        assert_eq!(offset_of!(Descriptors, capacity), 16);
        assert_eq!(offset_of!(Descriptors, head), 20);
        assert_eq!(offset_of!(Descriptors, len), 24);
        assert_eq!(offset_of!(Descriptors, low_pops), 28);
        assert_eq!(size_of::<Descriptors>(), 32);
    }

    #[test]
    fn unused_inline_slots_are_not_touched() {
        let mut ring = RawInline::<u64, 8>::new();
        let pattern = 0xA5A5_A5A5_A5A5_A5A5;
        for index in 0..8 {
            let slot = ring.slots_mut().wrapping_add(index);
            // SAFETY: an inline slot that holds nothing.
            unsafe { slot.write(pattern) };
        }
        for n in 0..3 {
            ring.put_back(n).unwrap();
            assert_eq!(ring.take_front(), Some(n));
        }
        // Moving the ring moves all of it, but changes nothing.
        let ring = ring;
        for index in 0..8 {
            let slot = ring.slots().wrapping_add(index);
            // SAFETY: initialised by the loop above.
            let value = unsafe { slot.read() };
            assert_eq!(value, if index < 3 { index as u64 } else { pattern });
        }
    }
}
