//! Where rings come from and where they go: the spare and the limbo list.
//!
//! A retired ring waits in limbo until the epoch has passed and every handle has let go of it; the
//! queue's own threads then free it. So the collector never touches a `T`, and no other queue's
//! operation pays for unmapping our memory.

use core::ptr::{NonNull, null_mut};

use crate::reclaim::{Guard, pin};
use crate::segment::{Origin, Segment};
use crate::stats::Counters;
use crate::sync::Ordering::{Acquire, Relaxed, Release};
use crate::sync::{AtomicPtr, Counter, is_model_failing};

/// The rings of a queue that are not in its list.
#[derive(Debug)]
pub(crate) struct Store<T> {
    /// Retired rings, a stack through `limbo_next`. The store holds a reference to each.
    limbo: AtomicPtr<Segment<T>>,
    /// A fresh ring for the next turn-over: one that lost the race to be linked, or a retired one
    /// of the capacity that is in use.
    spare: AtomicPtr<Segment<T>>,
    /// The capacity of the ring linked last: only a ring of this capacity is worth keeping.
    capacity: Counter,
    pub(crate) counters: Counters,
}

impl<T> Store<T> {
    /// Clearing a larger ring takes longer than fresh pages from the system.
    const RECYCLED_BYTES: usize = 4 << 20;

    crate::sync::const_unless_model! {
        pub(crate) fn new() -> Self {
            Self {
                limbo: AtomicPtr::new(null_mut()),
                spare: AtomicPtr::new(null_mut()),
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
    /// No shared pointer leads to the ring, and this is called once for it.
    pub(crate) unsafe fn retire(&self, segment: &Segment<T>, guard: &Guard) {
        segment.tombstone.retired();
        self.counters.retired_bytes.add(segment.bytes());
        self.counters.give_ups.add(segment.give_ups.get());
        segment.give_ups.set(0);
        // One reference for the epoch, beside the list's.
        segment.acquire();
        self.bury(segment);
        let retired = segment.place();
        // SAFETY: the reference just taken, which nobody else drops.
        let release = move || unsafe { Segment::release(retired) };
        // SAFETY: threads that pin from now on cannot reach the ring. Releasing it touches no `T`,
        // so that any thread may do it at any time.
        unsafe { guard.defer(release) };
        guard.flush();
        self.sweep();
    }

    /// Puts a retired ring into the limbo list.
    fn bury(&self, segment: &Segment<T>) {
        let mut top = self.limbo.load(Relaxed);
        loop {
            segment.limbo_next.store(top, Relaxed);
            // [LIST-4 release -> LIST-5] `limbo_next`. Swapping out the whole list leaves no ABA.
            match self.limbo.compare_exchange(top, segment.address(), Release, Relaxed) {
                Ok(_) => return,
                Err(current) => top = current,
            }
        }
    }

    /// Frees the rings in limbo that only the list still refers to.
    fn sweep(&self) {
        // [LIST-5 acquire <- LIST-4] `limbo_next`.
        let mut next = NonNull::new(self.limbo.swap(null_mut(), Acquire));
        while let Some(retired) = next {
            // SAFETY: the list's reference to it is ours now.
            let segment = unsafe { retired.as_ref() };
            next = NonNull::new(segment.limbo_next.load(Relaxed));
            if segment.is_unshared() {
                self.counters.retired_bytes.sub(segment.bytes());
                // SAFETY: ours is the last reference.
                unsafe { self.recycle(retired) };
            } else {
                self.bury(segment);
            }
        }
    }

    /// Moves the epoch on and frees what has become free, if anything is retired.
    pub(crate) fn collect(&self) {
        if !self.limbo.load(Relaxed).is_null() {
            pin().flush();
            self.sweep();
        }
    }

    /// Keeps a ring that nobody uses any more as the spare, if another of its capacity may be
    /// needed soon, or frees it.
    ///
    /// # Safety
    /// The caller has the only reference.
    unsafe fn recycle(&self, mut retired: NonNull<Segment<T>>) {
        // SAFETY: ours alone.
        let segment = unsafe { retired.as_mut() };
        // Models free every ring, so that its tombstone shows who comes by too late.
        if cfg!(segring_loom)
            || segment.capacity() != self.capacity.get()
            || segment.bytes() > Self::RECYCLED_BYTES
            || !self.spare.load(Relaxed).is_null()
        {
            // SAFETY: the caller's promise.
            return unsafe { self.free(retired) };
        }
        self.counters.give_ups.add(segment.give_ups.get());
        segment.renew();
        self.keep_spare(segment);
    }

    /// Moves reclamation on as far as it goes; returns the bytes that stay retired.
    pub(crate) fn reclaim(&self) -> usize {
        // The epoch of retiring, two more to pass, and one for whoever held the first back.
        loop {
            let before = self.counters.retired_bytes.get();
            for _ in 0..4 {
                self.collect();
            }
            // The collector lets go of a few rings at a time.
            let now = self.counters.retired_bytes.get();
            if now == 0 || now >= before {
                return now;
            }
        }
    }

    /// A fresh ring: the spare if it fits, or newly allocated.
    pub(crate) fn fresh(&self, capacity: usize, origin: Origin) -> Option<NonNull<Segment<T>>> {
        if let Some(mut spare) = self.take_spare() {
            // SAFETY: the spare is ours alone.
            let segment = unsafe { spare.as_mut() };
            if segment.capacity() == capacity {
                segment.origin = origin;
                return Some(spare);
            }
            // SAFETY: as above.
            unsafe { self.free(spare) };
        }
        let new = Segment::allocate(capacity, origin)?;
        self.counters.live_segments.add(1);
        self.counters.live_bytes.add(Segment::<T>::bytes_for(capacity));
        Some(new)
    }

    fn take_spare(&self) -> Option<NonNull<Segment<T>>> {
        // [LIST-7 acquire <- LIST-6] The ring's state.
        NonNull::new(self.spare.swap(null_mut(), Acquire))
    }

    /// Keeps a fresh ring that was not needed, or frees it if there is one already.
    pub(crate) fn keep_spare(&self, segment: &Segment<T>) {
        // [LIST-6 release -> LIST-7] The ring's state.
        let kept = self.spare.compare_exchange(null_mut(), segment.address(), Release, Relaxed);
        if kept.is_err() {
            // SAFETY: never linked, so ours alone.
            unsafe { self.free(segment.place()) };
        }
    }

    pub(crate) fn drop_spare(&self) {
        if let Some(spare) = self.take_spare() {
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
        self.drop_spare();
        let mut next = NonNull::new(self.limbo.load(Relaxed));
        while let Some(retired) = next {
            // SAFETY: the store's reference keeps it until it is dropped below.
            next = NonNull::new(unsafe { retired.as_ref() }.limbo_next.load(Relaxed));
            // The epoch may still have a reference, and then frees it; so may a forgotten handle,
            // and then the ring leaks.
            // SAFETY: the store's reference, which nobody uses any more.
            unsafe { Segment::release(retired) };
        }
    }
}
