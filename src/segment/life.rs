//! The life of a ring: one allocation, from when it is made until the last reference to it is dropped.

use core::alloc::Layout;
use core::ptr::NonNull;

use crossbeam_utils::CachePadded;

use super::{Back, Front, Origin, Segment};
use crate::contention::Distance;
use crate::reclaim::Stamp;
use crate::slot::Slot;
use crate::sync::Ordering::{Acquire, Relaxed, Release};
use crate::sync::barrier::Pair;
use crate::sync::memory::Tombstone;
use crate::sync::{AtomicPtr, AtomicUsize, Counter, MODEL, memory, mutant};
use crate::ticket::Geometry;

impl<T> Segment<T> {
    /// Makes an open ring with one reference, or `None` when there is no memory.
    pub(crate) fn allocate(capacity: usize, origin: Origin) -> Option<NonNull<Self>> {
        let (layout, slots_at) = Self::layout(capacity)?;
        let memory = memory::allocate(layout)?;
        // The allocator is asked for a small alignment only: it can then take fresh zero pages
        // from the system, instead of clearing them.
        let aligned = memory.as_ptr().wrapping_add(memory.align_offset(Self::align()));
        let slots = aligned.wrapping_add(slots_at).cast::<Slot<T>>();
        if MODEL {
            for index in 0..capacity {
                // SAFETY: within the allocation, aligned, and not in use yet.
                unsafe { slots.wrapping_add(index).write(Slot::new()) };
            }
        }
        #[allow(clippy::cast_ptr_alignment, reason = "aligned by hand")]
        let place = aligned.cast::<Self>();
        // SAFETY: inside an allocation, hence not null.
        let place = unsafe { NonNull::new_unchecked(place) };
        let segment = Self {
            back: CachePadded::new(Back {
                tail: AtomicUsize::new(0),
                seen_head: Counter::new(0),
                distance: Distance::new(),
                dead: Counter::new(0),
            }),
            front: CachePadded::new(Front {
                head: AtomicUsize::new(0),
                seen_tail: AtomicUsize::new(0),
                distance: Distance::new(),
                look_at: Counter::new(0),
            }),
            end: AtomicUsize::new(usize::MAX),
            next: AtomicPtr::new(core::ptr::null_mut()),
            refs: AtomicUsize::new(1),
            // SAFETY: inside an allocation, hence not null.
            slots: unsafe { NonNull::new_unchecked(slots) },
            geometry: Geometry::new(capacity),
            pair: Pair::choose(),
            origin,
            base: 0,
            memory,
            place,
            limbo_next: AtomicPtr::new(core::ptr::null_mut()),
            retired: Stamp::none(),
            void: Counter::new(0),
            give_ups: Counter::new(0),
            low_operations: Counter::new(0),
            low_peak: Counter::new(0),
            tombstone: Tombstone::new(),
        };
        // SAFETY: aligned, large enough, and ours alone.
        unsafe { place.write(segment) };
        Some(place)
    }

    /// Frees the ring. Items that are still inside are forgotten.
    ///
    /// # Safety
    /// The segment came from [`allocate`](Self::allocate), and nobody uses it any more.
    pub(crate) unsafe fn free(segment: NonNull<Self>) {
        // SAFETY: not freed yet; the caller's promise.
        let this = unsafe { segment.as_ref() };
        this.tombstone.freed();
        let (layout, _) = Self::layout(this.capacity()).expect("it was allocated with this layout");
        // SAFETY: from `memory::allocate` with this layout; nobody uses it any more.
        unsafe { memory::free(this.memory, layout) };
    }

    /// Makes a ring that has been retired fresh again.
    pub(crate) fn renew(&mut self) {
        // SAFETY: `capacity` slots in our allocation, which nobody else uses; zero is fresh.
        unsafe { self.slots.write_bytes(0, self.capacity()) };
        self.front.head.store(mutant("renewed-ahead").into(), Relaxed);
        self.front.seen_tail.store(0, Relaxed);
        self.front.look_at.set(0);
        self.front.distance.renew();
        self.back.distance.renew();
        self.back.tail.store(0, Relaxed);
        self.end.store(usize::MAX, Relaxed);
        self.next.store(core::ptr::null_mut(), Relaxed);
        let counters = [&self.void, &self.give_ups, &self.back.dead];
        for counter in counters.into_iter().chain([&self.low_operations, &self.low_peak]) {
            counter.set(0);
        }
    }

    /// The allocation of a ring, and where in it, counted from the aligned start, the slots begin.
    fn layout(capacity: usize) -> Option<(Layout, usize)> {
        let slots = Layout::array::<Slot<T>>(capacity).ok()?;
        let (ring, slots_at) = Layout::new::<Self>().extend(slots).ok()?;
        let slack = Self::align() - align_of::<usize>();
        let size = ring.size().checked_add(slack)?;
        Some((Layout::from_size_align(size, align_of::<usize>()).ok()?, slots_at))
    }

    const fn align() -> usize {
        let (ring, slot) = (align_of::<Self>(), align_of::<Slot<T>>());
        if ring > slot { ring } else { slot }
    }

    /// Bytes of the whole allocation.
    pub(crate) fn bytes(&self) -> usize {
        Self::bytes_for(self.capacity())
    }

    /// Whether a ring of this capacity can be asked of the allocator at all.
    pub(crate) fn has_layout(capacity: usize) -> bool {
        Self::layout(capacity).is_some()
    }

    /// What the allocator is asked for when a ring of this capacity is made.
    pub(crate) fn layout_for(capacity: usize) -> Layout {
        Self::layout(capacity).map_or_else(Layout::new::<Self>, |(layout, _)| layout)
    }

    /// Bytes of the allocation of a ring of this capacity.
    pub(crate) fn bytes_for(capacity: usize) -> usize {
        Self::layout(capacity).map_or(usize::MAX, |(layout, _)| layout.size())
    }

    /// The ring as the shared pointers name it.
    pub(crate) fn place(&self) -> NonNull<Self> {
        self.place
    }

    /// The same as a raw pointer.
    pub(crate) fn address(&self) -> *mut Self {
        self.place.as_ptr()
    }

    /// Takes another reference.
    pub(crate) fn acquire(&self) {
        let _watch = self.watch();
        // [P26] Relaxed: the caller has a reference, or keeps the list's from being dropped.
        self.refs.fetch_add(1, Relaxed);
    }

    /// Drops a reference; the last one frees the ring.
    ///
    /// # Safety
    /// The caller owns a reference and does not use the segment afterwards.
    pub(crate) unsafe fn release(segment: NonNull<Self>) {
        // SAFETY: the caller's reference keeps it alive.
        let this = unsafe { segment.as_ref() };
        // [SEG-1 release -> SEG-2] Everything this owner did in the ring.
        if this.refs.fetch_sub(1, Release) == 1 {
            // [SEG-2 acquire <- SEG-1] Everything all other owners did.
            this.refs.load(Acquire);
            // SAFETY: that was the last reference.
            unsafe { Self::free(segment) };
        }
    }

    /// Whether the caller's reference is the only one, so that it may free the ring.
    pub(crate) fn is_unshared(&self) -> bool {
        let _watch = self.watch();
        // [SEG-2 acquire <- SEG-1] Everything all other owners did.
        self.refs.load(Acquire) == 1
    }
}
