//! Where rings come from and where they go: the spares and the limbo list.
//!
//! A retired ring waits in limbo until its epoch is over and every handle has let go of it. The
//! queue's own threads then free it, so that no other queue's operation pays for unmapping our
//! memory, or keep it for the next turn-over.

use core::cell::Cell;
use core::ptr::{NonNull, null_mut};

use crate::reclaim::advance;
use crate::segment::{Origin, Segment};
use crate::stats::Counters;
use crate::sync::Ordering::{Acquire, Relaxed, Release};
use crate::sync::{AtomicPtr, Counter, MODEL, is_model_failing, mutant, per_thread};

// Random numbers, one at each pop of the thread that found nothing while there were retired rings.
per_thread! {
    static IDLE_LOOKS: Cell<u64> = const { Cell::new(0) };
}

/// The rings of a queue that are not in its list.
#[derive(Debug)]
pub(crate) struct Store<T> {
    /// Retired rings, a stack through `limbo_next`. The store holds a reference to each.
    limbo: AtomicPtr<Segment<T>>,
    /// Fresh rings: those that lost the race to be linked, and retired ones of the capacity that is
    /// in use. One for the next turn-over, and one for another that comes before the ring left by
    /// the first is free.
    spares: [AtomicPtr<Segment<T>>; 2],
    /// The capacity of the ring linked last: only a ring of this capacity is worth keeping.
    capacity: Counter,
    pub(crate) counters: Counters,
}

impl<T> Store<T> {
    /// Clearing a larger ring takes longer than fresh pages from the system.
    const RECYCLED_BYTES: usize = 4 << 20;
    /// More spares are not worth their memory before they are needed.
    const STOCKED_BYTES: usize = 64 << 10;

    crate::sync::const_unless_model! {
        pub(crate) fn new() -> Self {
            Self {
                limbo: AtomicPtr::new(null_mut()),
                spares: [AtomicPtr::new(null_mut()), AtomicPtr::new(null_mut())],
                capacity: Counter::new(0),
                counters: Counters::new(),
            }
        }
    }

    /// Notes that a ring has been linked.
    pub(crate) fn linked(&self, segment: &Segment<T>) {
        self.capacity.set(segment.capacity());
    }

    /// # Safety
    /// No shared pointer leads to the ring, this is called once for it, and the list's reference to
    /// it is handed over.
    pub(crate) unsafe fn retire(&self, segment: &Segment<T>) {
        segment.tombstone.retired();
        self.counters.retired_bytes.add(segment.bytes());
        self.counters.give_ups.add(segment.give_ups.get());
        segment.give_ups.set(0);
        segment.retired.renew(); // [P25]
        self.bury(segment.place());
        self.collect();
    }

    /// Puts a retired ring into the limbo list, from where another thread may free it at once.
    fn bury(&self, retired: NonNull<Segment<T>>) {
        let mut top = self.limbo.load(Relaxed);
        loop {
            // SAFETY: the list's reference to it is ours until the exchange has succeeded.
            unsafe { retired.as_ref() }.limbo_next.store(top, Relaxed);
            // [LIST-4 release -> LIST-5] `limbo_next`. Swapping out the whole list leaves no ABA.
            match self.limbo.compare_exchange(top, retired.as_ptr(), Release, Relaxed) {
                Ok(_) => return,
                Err(_) if mutant("top-not-reread") => {}
                Err(current) => top = current,
            }
        }
    }

    /// Frees the rings in limbo that nobody uses any more. True if one waits for its epoch to be
    /// over.
    fn sweep(&self) -> bool {
        let mut is_waiting = false;
        // [LIST-5 acquire <- LIST-4] `limbo_next`.
        let mut next = NonNull::new(self.limbo.swap(null_mut(), Acquire));
        while let Some(retired) = next {
            // SAFETY: the list's reference to it is ours now.
            let segment = unsafe { retired.as_ref() };
            next = NonNull::new(segment.limbo_next.load(Relaxed));
            let is_over = segment.retired.is_over();
            is_waiting |= !is_over;
            // [P27] In this order: once the epoch is over nobody takes a first reference any more.
            if is_over && (segment.is_unshared() || mutant("freed-while-leased")) {
                self.counters.retired_bytes.sub(segment.bytes());
                // SAFETY: ours is the last reference.
                unsafe { self.recycle(retired) };
            } else {
                self.bury(retired);
            }
        }
        is_waiting
    }

    /// Frees what has become free, and moves the epoch on if anything waits for that. True if there
    /// was anything in limbo.
    pub(crate) fn collect(&self) -> bool {
        let is_limbo_empty = self.limbo.load(Relaxed).is_null();
        if !is_limbo_empty && self.sweep() {
            advance();
        }
        !is_limbo_empty
    }

    /// [`collect`](Self::collect) for a consumer that finds nothing over and over: now and then.
    pub(crate) fn collect_idle(&self) {
        const ONE_IN: u64 = 16;
        const MULTIPLIER: u64 = 6_364_136_223_846_793_005; // Knuth's, for numbers of 64 bits.

        // Relaxed: whether there may be something to sweep. (Models would take another step at every
        // pop that finds nothing; they collect where a producer does.)
        if !MODEL && !self.limbo.load(Relaxed).is_null() {
            // Random, and not every so-many-th: several queues that a thread polls in turn would be in step
            // with it. Its own for each thread, so that many who poll share no line for it.
            let increment = core::ptr::from_ref(self).addr() as u64 | 1;
            let random = IDLE_LOOKS.try_with(|looks| {
                looks.set(looks.get().wrapping_mul(MULTIPLIER).wrapping_add(increment));
                looks.get()
            });
            if random.unwrap_or(0) < u64::MAX / ONE_IN {
                self.collect();
            }
        }
    }

    /// Keeps a ring that nobody uses any more as a spare, if another of its capacity may be needed
    /// soon, or frees it.
    ///
    /// # Safety
    /// The caller has the only reference.
    unsafe fn recycle(&self, mut retired: NonNull<Segment<T>>) {
        // SAFETY: ours alone.
        let segment = unsafe { retired.as_mut() };
        // Models free every ring, so that its tombstone shows who comes by too late.
        if MODEL
            || segment.capacity() != self.capacity.get()
            || segment.bytes() > Self::RECYCLED_BYTES
            || !self.spares.iter().any(|spare| spare.load(Relaxed).is_null())
        {
            // SAFETY: the caller's promise.
            return unsafe { self.free(retired) };
        }
        self.counters.give_ups.add(segment.give_ups.get());
        segment.renew();
        self.keep_spare(retired);
    }

    /// Moves reclamation on as far as it goes; returns the bytes that stay retired.
    pub(crate) fn reclaim(&self) -> usize {
        // Two steps, the sweep after them, and one more for whoever held the first step back.
        for _ in 0..4 {
            self.collect();
        }
        self.counters.retired_bytes.get()
    }

    /// A fresh ring: a spare that fits, or newly allocated.
    pub(crate) fn fresh(&self, capacity: usize, origin: Origin) -> Option<NonNull<Segment<T>>> {
        let mut spare = self.fitting_spare(capacity);
        // Perhaps a ring in limbo has become free.
        if spare.is_none() && self.collect() {
            spare = self.fitting_spare(capacity);
        }
        if let Some(mut spare) = spare {
            // SAFETY: the spare is ours alone.
            unsafe { spare.as_mut() }.origin = origin;
            return Some(spare);
        }
        self.allocate(capacity, origin)
    }

    /// Allocates spares along with a small ring that a queue has grown to: while the backlog is
    /// steady from then on, a jam should not have to. (Models make do without.)
    pub(crate) fn stock(&self, capacity: usize) {
        if MODEL {
            return;
        }
        let most = Self::STOCKED_BYTES / Segment::<T>::bytes_for(capacity);
        let missing = self.spares.iter().filter(|spare| spare.load(Relaxed).is_null()).count();
        for _ in 0..missing.min(most) {
            if let Some(spare) = self.allocate(capacity, Origin::default()) {
                self.keep_spare(spare);
            }
        }
    }

    fn allocate(&self, capacity: usize, origin: Origin) -> Option<NonNull<Segment<T>>> {
        let new = Segment::allocate(capacity, origin)?;
        self.counters.live_segments.add(1);
        self.counters.live_bytes.add(Segment::<T>::bytes_for(capacity));
        Some(new)
    }

    /// Takes a spare of this capacity; frees others that it comes by.
    fn fitting_spare(&self, capacity: usize) -> Option<NonNull<Segment<T>>> {
        while let Some(spare) = self.take_spare() {
            // SAFETY: the spare is ours alone.
            if unsafe { spare.as_ref() }.capacity() == capacity {
                return Some(spare);
            }
            // SAFETY: as above.
            unsafe { self.free(spare) };
        }
        None
    }

    fn take_spare(&self) -> Option<NonNull<Segment<T>>> {
        let mut there = self.spares.iter().filter(|spare| !spare.load(Relaxed).is_null());
        // [LIST-7 acquire <- LIST-6] The ring's state.
        there.find_map(|spare| NonNull::new(spare.swap(null_mut(), Acquire)))
    }

    /// Keeps a fresh ring that was not needed, or frees it if there are enough.
    pub(crate) fn keep_spare(&self, fresh: NonNull<Segment<T>>) {
        let is_kept = self.spares.iter().any(|spare| {
            // [LIST-6 release -> LIST-7] The ring's state.
            spare.compare_exchange(null_mut(), fresh.as_ptr(), Release, Relaxed).is_ok()
        });
        if !is_kept {
            // SAFETY: never linked, so ours alone.
            unsafe { self.free(fresh) };
        }
    }

    pub(crate) fn drop_spares(&self) {
        while let Some(spare) = self.take_spare() {
            // SAFETY: ours alone.
            unsafe { self.free(spare) };
        }
    }

    /// # Safety
    /// The caller has the only reference.
    unsafe fn free(&self, segment: NonNull<Segment<T>>) {
        // SAFETY: not freed yet.
        let this = unsafe { segment.as_ref() };
        self.counters.give_ups.add(this.give_ups.get());
        self.counters.live_segments.sub(1);
        self.counters.live_bytes.sub(this.bytes());
        // SAFETY: the caller's promise.
        unsafe { Segment::free(segment) };
    }
}

impl<T> Drop for Store<T> {
    fn drop(&mut self) {
        if is_model_failing() {
            return;
        }
        self.drop_spares();
        let mut next = NonNull::new(self.limbo.load(Relaxed));
        while let Some(retired) = next {
            // SAFETY: the store's reference keeps it until it is dropped below.
            next = NonNull::new(unsafe { retired.as_ref() }.limbo_next.load(Relaxed));
            // A forgotten handle may have a reference, and then the ring leaks.
            // SAFETY: the store's reference, which nobody uses any more.
            unsafe { Segment::release(retired) };
        }
    }
}
