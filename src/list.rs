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
use crate::segment::{Claim, Claimed, Origin, Segment, Why};
use crate::slot::Slot;
use crate::store::Store;
use crate::sync::Ordering::{Acquire, Relaxed, Release};
use crate::sync::{AtomicPtr, Point, Wait, is_model_failing, mutant, reach};

mod bound;
mod look;
mod pop;
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

/// What became of a refused item.
enum Placed<'g, T> {
    /// It is in this ring, which was appended for it.
    Appended(&'g Segment<T>),
    /// It is where it was, and this ring should be tried.
    Retry(&'g Segment<T>),
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

    // ---- Pushing. ----

    /// Pushes; returns the ring that took the item.
    ///
    /// # Safety
    /// After `Ok` the item has moved, otherwise it has not.
    pub(crate) unsafe fn push<'g>(
        &self,
        item: &ManuallyDrop<T>,
        guard: &'g Guard,
    ) -> Result<&'g Segment<T>, Rejected> {
        let Some(segment) = self.tail(guard) else {
            // SAFETY: the caller's promise.
            return unsafe { self.push_behind(None, Why::Closed, item, guard) };
        };
        let ticket = segment.issue();
        let tick = ticket.tick();
        // SAFETY: the caller's promise.
        match unsafe { ticket.put(item) } {
            Ok(()) => {
                if let Some(ticket) = tick {
                    self.tick(segment, ticket);
                }
                Ok(segment)
            }
            // SAFETY: the caller's promise; the item has not moved.
            Err(why) => unsafe { self.push_behind(Some(segment), why, item, guard) },
        }
    }

    /// Pushes an item that a leased ring refused.
    ///
    /// # Safety
    /// After `Ok` the item has moved, otherwise it has not.
    pub(crate) unsafe fn push_refused<'g>(
        &self,
        leased: &Segment<T>,
        why: Why,
        item: &ManuallyDrop<T>,
        guard: &'g Guard,
    ) -> Result<&'g Segment<T>, Rejected> {
        match self.tail(guard) {
            // SAFETY: the caller's promise.
            Some(at) if core::ptr::eq(at, leased) => unsafe {
                self.push_behind(Some(at), why, item, guard)
            },
            // The leased ring may have been left before this thread pinned, and so may be what is
            // behind it: start anew.
            // SAFETY: the caller's promise.
            _ => unsafe { self.push(item, guard) },
        }
    }

    /// Pushes an item that the ring `at` refused.
    ///
    /// # Safety
    /// After `Ok` the item has moved, otherwise it has not.
    #[cold]
    #[inline(never)]
    pub(crate) unsafe fn push_behind<'g>(
        &self,
        mut at: Option<&'g Segment<T>>,
        mut why: Why,
        item: &ManuallyDrop<T>,
        guard: &'g Guard,
    ) -> Result<&'g Segment<T>, Rejected> {
        let mut skipped = 0;
        loop {
            let next = match at {
                // [P28] A ring may have a few dead slots.
                Some(segment) if segment.can_skip(why, skipped) => {
                    skipped += 1;
                    segment
                }
                // SAFETY: the caller's promise.
                _ => match unsafe { self.follow_or_append(at, why, item, guard) }? {
                    Placed::Appended(segment) => return Ok(segment),
                    Placed::Retry(next) => next,
                },
            };
            // [P16]
            // SAFETY: the caller's promise.
            match unsafe { next.push(item) } {
                Ok(ticket) => {
                    if next.is_tick(ticket) {
                        self.tick(next, ticket);
                    }
                    return Ok(next);
                }
                Err(_) if mutant("retry-in-the-same-ring") => {}
                Err(again) => (at, why) = (Some(next), again),
            }
        }
    }

    /// Finds a place for an item that the ring `at` refused: behind it there is a ring to try, or
    /// one is appended with the item inside.
    ///
    /// # Safety
    /// After `Appended` the item has moved, otherwise it has not.
    unsafe fn follow_or_append<'g>(
        &self,
        at: Option<&'g Segment<T>>,
        why: Why,
        item: &ManuallyDrop<T>,
        guard: &'g Guard,
    ) -> Result<Placed<'g, T>, Rejected> {
        if let (Some(_), Why::Closed) = (at, why) {
            // [P17] Whoever closed the ring is about to link the next one, if not stalled.
            let mut wait = Wait::new();
            let mut pause = || wait.pause() || mutant("producer-waits");
            while matches!(self.after(at, guard), Link::Open) && pause() {}
        }
        match self.after(at, guard) {
            Link::To(next) => {
                self.advance_tail(at, next);
                return Ok(Placed::Retry(next));
            }
            Link::Final => return Err(Rejected::Closed),
            Link::Open => {}
        }
        let capacity = match (at, why) {
            (None, _) | (_, Why::Closed) => self.policy.min,
            (Some(segment), Why::Occupied { depth }) => {
                self.store.counters.peak_depth.max(depth);
                let depth = if mutant("never-grows") { 0 } else { depth };
                self.policy.successor(segment.capacity(), depth)
            }
            (Some(segment), Why::Retracted) => segment.capacity(),
        };
        // [P18] Memory first: without it the ring stays open, less the slots of the tickets refused.
        let origin = at.map_or_else(Origin::default, |segment| segment.heir(capacity));
        let Some(new) = self.store.fresh(capacity, origin) else { return Err(Rejected::NoMemory) };
        // SAFETY: fresh, and seen by nobody else.
        let new = unsafe { new.as_ref() };
        // SAFETY: as above.
        unsafe { new.preload(item) }; // [P19]
        if let Some(segment) = at.filter(|_| !mutant("linked-before-closed")) {
            segment.close(); // [P20]
        }
        match self.link(at, new, guard) {
            Ok(()) if mutant("appended-is-retried") => Ok(Placed::Retry(new)),
            Ok(()) => {
                self.count(at, capacity, why);
                Ok(Placed::Appended(new))
            }
            Err(winner) => {
                // SAFETY: `new` was not linked: it is as `preload` left it, and ours alone.
                unsafe { new.unload() }; // [P21]
                self.store.keep_spare(new.place());
                match winner {
                    Link::To(next) => Ok(Placed::Retry(next)),
                    Link::Final | Link::Open => Err(Rejected::Closed),
                }
            }
        }
    }

    /// Links a ring behind a closed one (or at the very beginning), or says what is there already.
    fn link<'g>(
        &self,
        at: Option<&'g Segment<T>>,
        new: &Segment<T>,
        _guard: &'g Guard,
    ) -> Result<(), Link<'g, T>> {
        // [LIST-2 release -> LIST-1] The new ring's contents, the first item among them.
        // [LIST-1 acquire <- LIST-2] On failure, the winner's.
        let link = self.link_after(at);
        match link.compare_exchange(null_mut(), new.address(), Release, Acquire) {
            Ok(_) => {
                self.store.linked(new);
                reach(Point::RingLinked);
                at.filter(|_| mutant("linked-before-closed")).map(Segment::close);
                if !mutant("appender-stalls") {
                    self.advance_tail(at, new);
                }
                Ok(())
            }
            Err(winner) => {
                // SAFETY: as in `after`; at the very beginning `head_seg` was null, so that the
                // winner was linked after the guard pinned.
                let winner = unsafe { Link::decode(winner) };
                if let Link::To(next) = winner {
                    self.advance_tail(at, next);
                }
                Err(winner)
            }
        }
    }

    fn count(&self, at: Option<&Segment<T>>, capacity: usize, why: Why) {
        let Some(segment) = at else { return };
        let counter = match why {
            Why::Closed => &self.store.counters.helped,
            Why::Occupied { .. } if capacity > segment.capacity() => {
                self.store.stock(capacity);
                &self.store.counters.grows
            }
            Why::Occupied { .. } | Why::Retracted => &self.store.counters.jams,
        };
        counter.add(1);
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

    // ---- Popping. ----

    /// Pops; tells `ended_at` the ring it ended at, if there is one.
    pub(crate) fn pop(&self, guard: &Guard, ended_at: impl FnOnce(&Segment<T>)) -> Option<T> {
        let Link::To(mut segment) = self.head(guard) else { return None };
        let item = loop {
            match segment.claim() {
                Claim::Ticket(ticket) => {
                    match ticket.take().map_or_else(Claimed::wait_or_give_up, Some) {
                        None => {}
                        item => break item,
                    }
                }
                Claim::Empty => {
                    self.idle(segment);
                    break None;
                }
                Claim::Drained => match self.after(Some(segment), guard) {
                    // Nothing was here, and when `next` was read nothing was behind it.
                    Link::Open | Link::Final => {
                        self.store.collect_idle();
                        break None;
                    }
                    Link::To(next) => {
                        self.leave(segment, next); // [P23]
                        segment = next;
                    }
                },
            }
        };
        ended_at(segment);
        item
    }

    /// Leaves a drained ring.
    #[cold]
    fn leave(&self, segment: &Segment<T>, next: &Segment<T>) {
        let late = mutant("retire-before-tail-moved");
        if !late && !mutant("tail-not-helped") {
            self.leave_tail(segment, next);
        }
        reach(Point::RingLeft);
        // [LIST-3 release -> LIST-1] The next ring's contents. Failure: somebody else left it.
        let moved =
            self.head_seg.compare_exchange(segment.address(), next.address(), Release, Relaxed);
        if moved.is_ok() && !mutant("never-retired") || mutant("retired-by-all") {
            // SAFETY: neither shared pointer leads to the ring any more, and only the thread that
            // moved `head_seg` comes here.
            unsafe { self.store.retire(segment) };
        }
        if late {
            self.leave_tail(segment, next);
        }
    }

    /// Tail first: a thread that pins later must not find a retired ring there.
    fn leave_tail(&self, segment: &Segment<T>, next: &Segment<T>) {
        // [P24] The thread that linked the very first ring may not have set `tail_seg` yet.
        self.advance_tail(None, segment);
        self.advance_tail(Some(segment), next);
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
