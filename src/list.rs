//! The list of rings: linking, following, leaving. The only caller of retire.
//!
//! ```text
//!   head_seg --> ring (closed, draining) --> ring (closed) --> ring (open) <-- tail_seg
//! ```
//!
//! * A ring is closed before it gets a successor, so all but the last are closed.
//! * `tail_seg` may lag behind the last ring but is never behind `head_seg`: a ring is left by
//!   `tail_seg` first and by `head_seg` second. The thread that moves `head_seg` retires the ring,
//!   which by then no shared pointer leads to.
//! * The list holds a reference to each of its rings, and hands it to the [`Store`] with a ring
//!   that it retires.
//!
//! At the very beginning there is no ring and both pointers are null. The first push hangs its
//! ring on `head_seg` as later ones hang theirs on the last ring's `next`.
//!
//! The list with a tail that lags is that of michael1996, with rings for nodes.

use core::mem::ManuallyDrop;
use core::ptr::{null_mut, without_provenance_mut};

use crossbeam_utils::CachePadded;

use crate::error::PushError;
use crate::hysteresis::{Hysteresis, Policy};
use crate::reclaim::{Guard, pin};
use crate::segment::Segment;
use crate::slot::Slot;
use crate::store::Store;
use crate::sync::Ordering::{Acquire, Relaxed, Release};
use crate::sync::{AtomicPtr, is_model_failing, mutant};

mod bound;
mod look;
mod pop;
mod push;
mod shared;

/// The rings of a queue.
#[derive(Debug)]
pub(crate) struct List<T> {
    tail_seg: CachePadded<AtomicPtr<Segment<T>>>,
    head_seg: CachePadded<AtomicPtr<Segment<T>>>,
    store: Store<T>,
    policy: Policy,
}

// SAFETY: the list owns the items in its rings and hands each to one thread; it gives out no
// references to items.
unsafe impl<T: Send> Send for List<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for List<T> {}

/// Where a link leads.
enum Link<'g, T> {
    /// Nowhere yet.
    Open,
    /// Nowhere for ever: the queue is closed.
    Final,
    /// To a ring.
    To(&'g Segment<T>),
}

impl<T> Clone for Link<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Link<'_, T> {}

impl<T> Link<'_, T> {
    /// The mark of a closed queue: not the address of any ring, as rings are aligned.
    const FINAL: *mut Segment<T> = without_provenance_mut(1);

    /// # Safety
    /// A ring that `pointer` leads to is not freed during `'g`.
    unsafe fn decode(pointer: *mut Segment<T>) -> Self {
        if pointer.is_null() {
            Self::Open
        } else if pointer == Self::FINAL {
            Self::Final
        } else {
            // SAFETY: the caller's promise.
            Self::To(unsafe { &*pointer })
        }
    }
}

/// Why the list did not take an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rejected {
    /// The queue is closed.
    Closed,
    /// The queue is bounded and full.
    Full,
    /// There was no memory for a ring.
    NoMemory,
}

impl Rejected {
    /// The error that gives the item back.
    pub(crate) fn with<T>(self, item: ManuallyDrop<T>) -> PushError<T> {
        let item = ManuallyDrop::into_inner(item);
        match self {
            Self::Closed => PushError::Closed(item),
            Self::Full => PushError::Full(item),
            Self::NoMemory => PushError::NoMemory(item),
        }
    }
}

/// Why a ring is turned over without an item at hand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Shrink,
    Expired,
}

impl<T> List<T> {
    crate::sync::const_unless_model! {
        pub(crate) fn new(hysteresis: Hysteresis) -> Self {
            Self::with_policy(hysteresis.for_slot_bytes(size_of::<Slot<T>>()))
        }
    }

    crate::sync::const_unless_model! {
        fn with_policy(policy: Policy) -> Self {
            Self {
                tail_seg: CachePadded::new(AtomicPtr::new(null_mut())),
                head_seg: CachePadded::new(AtomicPtr::new(null_mut())),
                store: Store::new(),
                policy,
            }
        }
    }

    // ---- Following pointers. ----

    /// The ring to push to: the last one, or one shortly before it.
    #[inline]
    pub(crate) fn tail<'g>(&self, _guard: &'g Guard) -> Option<&'g Segment<T>> {
        // [LIST-1 acquire <- LIST-2] The ring's contents.
        let tail = self.tail_seg.load(Acquire);
        // SAFETY: null or a ring that was reachable after the guard pinned: not freed before it
        // unpins. `tail_seg` is never FINAL.
        unsafe { tail.as_ref() }
    }

    /// Where `head_seg` leads: to the ring to pop from.
    #[inline]
    fn head<'g>(&self, _guard: &'g Guard) -> Link<'g, T> {
        // [LIST-1 acquire <- LIST-2, LIST-3] The ring's contents.
        let head = self.head_seg.load(Acquire);
        // SAFETY: a ring reachable after the guard pinned is not freed before it unpins.
        unsafe { Link::decode(head) }
    }

    /// The link behind a ring, or the one at the very beginning.
    fn link_after<'a>(&'a self, at: Option<&'a Segment<T>>) -> &'a AtomicPtr<Segment<T>> {
        at.map_or(&*self.head_seg, |segment| &segment.next)
    }

    /// Where the link behind a ring leads.
    fn after<'g>(&self, at: Option<&'g Segment<T>>, _guard: &'g Guard) -> Link<'g, T> {
        let _watch = at.map(Segment::watch);
        // [LIST-1 acquire <- LIST-2, LIST-8] The next ring's contents.
        let next = self.link_after(at).load(Acquire);
        // SAFETY: rings are retired in the order of the list, so the next one outlives this one,
        // which the guard keeps.
        unsafe { Link::decode(next) }
    }

    /// The last ring, from `tail_seg` on, and what is behind it (`Open` or `Final`).
    fn last<'g>(&self, guard: &'g Guard) -> (Option<&'g Segment<T>>, Link<'g, T>) {
        let mut at = self.tail(guard);
        loop {
            match self.after(at, guard) {
                Link::To(next) => at = Some(next),
                end => return (at, end),
            }
        }
    }

    /// Helps `tail_seg` from one ring to the next.
    fn advance_tail(&self, from: Option<&Segment<T>>, to: &Segment<T>) {
        let from = from.filter(|_| !mutant("tail-never-moves"));
        let from = from.map_or(null_mut(), Segment::address);
        // [LIST-2 release -> LIST-1] The ring's contents. Failure: somebody else moved it.
        let _ = self.tail_seg.compare_exchange(from, to.address(), Release, Relaxed);
    }

    // ---- Looking after a ring. ----

    /// The duty of whoever owns a ticket at a quarter of a lap: frees what is retired, ends a ring
    /// that has lived too long, shrinks one that is too large.
    #[cold]
    #[inline(never)]
    pub(crate) fn tick(&self, segment: &Segment<T>, ticket: usize) {
        self.store.collect();
        if segment.is_expired(ticket) {
            return self.turn_over(segment, segment.capacity(), Turn::Expired);
        }
        let (to, depth) = segment.sample(self.policy, ticket);
        self.store.counters.peak_depth.max(depth);
        if let Some(capacity) = to {
            self.turn_over(segment, capacity, Turn::Shrink);
        }
    }

    /// A consumer found nothing: an idle queue shrinks and frees its retired rings this way.
    #[inline(never)]
    pub(crate) fn idle(&self, segment: &Segment<T>) {
        self.store.collect_idle();
        if self.policy.can_shrink(segment.capacity())
            && let Some(capacity) = segment.sample_idle(self.policy)
        {
            self.turn_over(segment, capacity, Turn::Shrink);
        }
    }

    /// Closes a ring and links an empty one. Skipped when there is no memory, or when somebody
    /// else is at it.
    ///
    /// The caller keeps `segment` from being freed.
    #[cold]
    fn turn_over(&self, segment: &Segment<T>, capacity: usize, turn: Turn) {
        let guard = pin();
        let Some(new) = self.store.fresh(capacity, segment.heir(capacity)) else { return };
        // SAFETY: fresh, and seen by nobody else.
        let new = unsafe { new.as_ref() };
        // [P22]
        if segment.close() && self.link(Some(segment), new, &guard).is_ok() {
            match turn {
                Turn::Shrink => self.store.counters.shrinks.add(1),
                Turn::Expired => self.store.counters.expired.add(1),
            }
        } else {
            self.store.keep_spare(new.place());
        }
    }

    /// Shrinks the last ring as far as what is inside allows, and frees spare and retired rings.
    pub(crate) fn shrink_to_fit(&self) {
        self.store.drop_spares();
        {
            let guard = pin();
            if let (Some(segment), Link::Open) = self.last(&guard) {
                let capacity = self.policy.shrunk_to_fit(segment.capacity(), self.len());
                if capacity < segment.capacity() {
                    self.turn_over(segment, capacity, Turn::Shrink);
                }
            }
        }
        self.store.reclaim();
        self.store.drop_spares(); // What has just become one.
    }

    // ---- Closing and looking. ----

    /// Closes the queue; true for the call that did it.
    pub(crate) fn close(&self) -> bool {
        let guard = pin();
        loop {
            let (at, Link::Open) = self.last(&guard) else { return false };
            if let Some(segment) = at.filter(|_| !mutant("last-ring-left-open")) {
                segment.close();
            }
            // [LIST-8 release -> LIST-1] What happened before the closing: whoever sees the mark and
            // then finds nothing has missed nothing.
            let link = self.link_after(at);
            if link.compare_exchange(null_mut(), Link::<T>::FINAL, Release, Relaxed).is_ok() {
                return true;
            }
        }
    }
}

impl<T> Drop for List<T> {
    fn drop(&mut self) {
        if is_model_failing() {
            return;
        }
        let mut at = if mutant("rings-leak") { null_mut() } else { self.head_seg.load(Relaxed) };
        // SAFETY: exclusive access; the list's reference keeps each ring until it is dropped here.
        while let Link::To(segment) = unsafe { Link::decode(at) } {
            at = segment.next.load(Relaxed);
            // SAFETY: the list's reference, which nobody uses any more.
            unsafe { Segment::release(segment.place()) };
        }
    }
}
