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
//! * A retired ring waits in the limbo list until the epoch has passed and every handle has let go
//!   of it; the queue's own threads then free it. So `T` is never touched by the collector, and no
//!   other queue's operation pays for unmapping our memory.
//!
//! At the very beginning there is no ring and both pointers are null. The first push hangs its
//! ring on `head_seg` as later ones hang theirs on the last ring's `next`.

use core::mem::ManuallyDrop;
use core::ptr::{NonNull, null_mut, without_provenance_mut};

use crossbeam_utils::CachePadded;

use crate::error::PushError;
use crate::hysteresis::{Hysteresis, Policy};
use crate::reclaim::{Guard, pin};
use crate::segment::{Claim, Claimed, Origin, Segment, Why};
use crate::slot::Slot;
use crate::stats::{Counters, Stats};
use crate::sync::Ordering::{Acquire, Relaxed, Release};
use crate::sync::{AtomicPtr, Counter, Point, Wait, is_model_failing, mutant, reach};

/// The rings of a queue.
#[derive(Debug)]
pub(crate) struct List<T> {
    tail_seg: CachePadded<AtomicPtr<Segment<T>>>,
    head_seg: CachePadded<AtomicPtr<Segment<T>>>,
    /// Retired rings, a stack through `limbo_next`. The list holds a reference to each.
    limbo: AtomicPtr<Segment<T>>,
    /// A fresh ring for the next turn-over: one that lost the race to be linked, or a retired one
    /// of the capacity that is in use.
    spare: AtomicPtr<Segment<T>>,
    /// The capacity of the ring linked last: only a ring of this capacity is worth keeping.
    capacity: Counter,
    policy: Policy,
    counters: Counters,
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
    /// There was no memory for a ring.
    NoMemory,
}

impl Rejected {
    /// The error that gives the item back.
    pub(crate) fn with<T>(self, item: ManuallyDrop<T>) -> PushError<T> {
        let item = ManuallyDrop::into_inner(item);
        match self {
            Self::Closed => PushError::Closed(item),
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

fn address<T>(segment: &Segment<T>) -> *mut Segment<T> {
    core::ptr::from_ref(segment).cast_mut()
}

impl<T> List<T> {
    /// Clearing a larger ring takes longer than fresh pages from the system.
    const RECYCLED_BYTES: usize = 4 << 20;

    crate::sync::const_unless_model! {
        pub(crate) fn new(hysteresis: Hysteresis) -> Self {
            Self {
                tail_seg: CachePadded::new(AtomicPtr::new(null_mut())),
                head_seg: CachePadded::new(AtomicPtr::new(null_mut())),
                limbo: AtomicPtr::new(null_mut()),
                spare: AtomicPtr::new(null_mut()),
                capacity: Counter::new(0),
                policy: hysteresis.for_slot_bytes(size_of::<Slot<T>>()),
                counters: Counters::new(),
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
        // [LIST-1 acquire <- LIST-2] The next ring's contents.
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
        let from = from.map_or(null_mut(), address);
        // [LIST-2 release -> LIST-1] The ring's contents. Failure: somebody else moved it.
        let _ = self.tail_seg.compare_exchange(from, address(to), Release, Relaxed);
    }

    // ---- Pushing. ----

    /// Pushes; returns the ring that took the item.
    ///
    /// # Safety
    /// After `Ok` the item has moved, otherwise it has not.
    #[inline]
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
        match unsafe { ticket.fill(item) } {
            Ok(()) => {
                if let Some(ticket) = tick {
                    self.tick(segment, ticket);
                }
                Ok(segment)
            }
            Err(unfilled) => match unfilled.settle() {
                Ok(()) => Ok(segment),
                // SAFETY: the caller's promise; the item has not moved.
                Err(why) => unsafe { self.push_behind(Some(segment), why, item, guard) },
            },
        }
    }

    /// Pushes an item that the ring `at` refused.
    ///
    /// # Safety
    /// After `Ok` the item has moved, otherwise it has not.
    #[cold]
    #[inline(never)]
    unsafe fn push_behind<'g>(
        &self,
        mut at: Option<&'g Segment<T>>,
        mut why: Why,
        item: &ManuallyDrop<T>,
        guard: &'g Guard,
    ) -> Result<&'g Segment<T>, Rejected> {
        loop {
            // SAFETY: the caller's promise.
            let next = match unsafe { self.follow_or_append(at, why, item, guard) }? {
                Placed::Appended(segment) => return Ok(segment),
                Placed::Retry(next) => next,
            };
            // SAFETY: the caller's promise.
            match unsafe { next.push(item) } {
                Ok(ticket) => {
                    if next.is_tick(ticket) {
                        self.tick(next, ticket);
                    }
                    return Ok(next);
                }
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
            // Whoever closed the ring is about to link the next one, if not stalled.
            let mut wait = Wait::new();
            while matches!(self.after(at, guard), Link::Open) && wait.pause() {}
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
                self.counters.peak_depth.max(depth);
                self.policy.successor(segment.capacity(), depth)
            }
            (Some(segment), Why::Retracted) => segment.capacity(),
        };
        // Memory first: without it nothing has changed.
        let Some(new) = self.fresh(capacity, at) else { return Err(Rejected::NoMemory) };
        // SAFETY: fresh, and seen by nobody else.
        let new = unsafe { new.as_ref() };
        // SAFETY: as above.
        unsafe { new.preload(item) };
        if let Some(segment) = at {
            segment.close();
        }
        match self.link(at, new, guard) {
            Ok(()) => {
                self.count(at, capacity, why);
                Ok(Placed::Appended(new))
            }
            Err(winner) => {
                // SAFETY: `new` was not linked: it is as `preload` left it, and ours alone.
                unsafe { new.unload() };
                self.keep_spare(new);
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
        match link.compare_exchange(null_mut(), address(new), Release, Acquire) {
            Ok(_) => {
                self.capacity.set(new.capacity());
                reach(Point::RingLinked);
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
            Why::Closed => &self.counters.helped,
            Why::Occupied { .. } if capacity > segment.capacity() => &self.counters.grows,
            Why::Occupied { .. } | Why::Retracted => &self.counters.jams,
        };
        counter.add(1);
    }

    // ---- Looking after a ring. ----

    /// The duty of whoever owns a ticket at a quarter of a lap: frees what is retired, ends a ring
    /// that has lived too long, shrinks one that is too large.
    #[cold]
    #[inline(never)]
    pub(crate) fn tick(&self, segment: &Segment<T>, ticket: usize) {
        if !self.limbo.load(Relaxed).is_null() {
            pin().flush();
            self.sweep();
        }
        if segment.is_expired(ticket) {
            return self.turn_over(segment, segment.capacity(), Turn::Expired);
        }
        let (to, depth) = segment.sample(self.policy, ticket);
        self.counters.peak_depth.max(depth);
        if let Some(capacity) = to {
            self.turn_over(segment, capacity, Turn::Shrink);
        }
    }

    /// A consumer found nothing: an idle queue shrinks this way.
    #[inline(never)]
    pub(crate) fn idle(&self, segment: &Segment<T>) {
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
        let Some(new) = self.fresh(capacity, Some(segment)) else { return };
        // SAFETY: fresh, and seen by nobody else.
        let new = unsafe { new.as_ref() };
        if segment.close() && self.link(Some(segment), new, &guard).is_ok() {
            match turn {
                Turn::Shrink => self.counters.shrinks.add(1),
                Turn::Expired => self.counters.expired.add(1),
            }
        } else {
            self.keep_spare(new);
        }
    }

    /// Shrinks the last ring as far as its depth allows, and gives the spare ring back.
    pub(crate) fn shrink_to_fit(&self) {
        self.drop_spare();
        let guard = pin();
        if let (Some(segment), Link::Open) = self.last(&guard) {
            let capacity = self.policy.shrunk_to_fit(segment.capacity(), segment.len());
            if capacity < segment.capacity() {
                self.turn_over(segment, capacity, Turn::Shrink);
            }
        }
    }

    // ---- Popping. ----

    /// Pops; tells `ended_at` the ring it ended at, if there is one.
    #[inline]
    pub(crate) fn pop(&self, guard: &Guard, ended_at: impl FnOnce(&Segment<T>)) -> Option<T> {
        let Link::To(mut segment) = self.head(guard) else { return None };
        let item = loop {
            match segment.claim(0) {
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
                    Link::Open | Link::Final => break None,
                    Link::To(next) => {
                        self.leave(segment, next, guard);
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
    fn leave(&self, segment: &Segment<T>, next: &Segment<T>, guard: &Guard) {
        let late = mutant("retire-before-tail-moved");
        if !late {
            self.leave_tail(segment, next);
        }
        reach(Point::RingLeft);
        // [LIST-3 release -> LIST-1] The next ring's contents. Failure: somebody else left it.
        let moved =
            self.head_seg.compare_exchange(address(segment), address(next), Release, Relaxed);
        if moved.is_ok() {
            // SAFETY: neither shared pointer leads to the ring any more, and only the thread that
            // moved `head_seg` comes here.
            unsafe { self.retire(segment, guard) };
        }
        if late {
            self.leave_tail(segment, next);
        }
    }

    /// Tail first: a thread that pins later must not find a retired ring there.
    fn leave_tail(&self, segment: &Segment<T>, next: &Segment<T>) {
        // The thread that linked the very first ring may not have set `tail_seg` yet.
        self.advance_tail(None, segment);
        self.advance_tail(Some(segment), next);
    }

    // ---- Memory. ----

    /// # Safety
    /// No shared pointer leads to the ring, and this is called once for it.
    unsafe fn retire(&self, segment: &Segment<T>, guard: &Guard) {
        segment.tombstone.retired();
        self.counters.retired_bytes.add(segment.bytes());
        // One reference for the epoch, beside the list's.
        segment.acquire();
        self.bury(segment);
        let retired = NonNull::from(segment);
        // SAFETY: threads that pin from now on cannot reach the ring. The reference is the one
        // just taken. Freeing touches no `T`, so any thread may do it at any time.
        unsafe { guard.defer(move || Segment::release(retired)) };
        guard.flush();
        self.sweep();
    }

    /// Puts a retired ring into the limbo list.
    fn bury(&self, segment: &Segment<T>) {
        let mut top = self.limbo.load(Relaxed);
        loop {
            segment.limbo_next.store(top, Relaxed);
            // [LIST-4 release -> LIST-5] `limbo_next`. Swapping out the whole list leaves no ABA.
            match self.limbo.compare_exchange(top, address(segment), Release, Relaxed) {
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
        for _ in 0..4 {
            if self.limbo.load(Relaxed).is_null() {
                break;
            }
            pin().flush();
            self.sweep();
        }
        self.counters.retired_bytes.get()
    }

    /// A fresh ring to follow `at`: the spare if it fits, or newly allocated.
    fn fresh(&self, capacity: usize, at: Option<&Segment<T>>) -> Option<NonNull<Segment<T>>> {
        let origin = at.map_or_else(Origin::default, |segment| segment.heir(capacity));
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
    fn keep_spare(&self, segment: &Segment<T>) {
        // [LIST-6 release -> LIST-7] The ring's state.
        let kept = self.spare.compare_exchange(null_mut(), address(segment), Release, Relaxed);
        if kept.is_err() {
            // SAFETY: never linked, so ours alone.
            unsafe { self.free(NonNull::from(segment)) };
        }
    }

    fn drop_spare(&self) {
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

    // ---- Closing and looking. ----

    /// Closes the queue; true for the call that did it.
    pub(crate) fn close(&self) -> bool {
        let guard = pin();
        loop {
            let (at, Link::Open) = self.last(&guard) else { return false };
            if let Some(segment) = at {
                segment.close();
            }
            // Relaxed: the mark carries no data.
            let link = self.link_after(at);
            if link.compare_exchange(null_mut(), Link::<T>::FINAL, Relaxed, Relaxed).is_ok() {
                return true;
            }
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        matches!(self.last(&pin()).1, Link::Final)
    }

    /// Calls `visit` for each ring from `head_seg` on, until it returns false.
    fn each(&self, mut visit: impl FnMut(&Segment<T>) -> bool) {
        let guard = pin();
        let mut link = self.head(&guard);
        while let Link::To(segment) = link
            && visit(segment)
        {
            link = self.after(Some(segment), &guard);
        }
    }

    pub(crate) fn len(&self) -> usize {
        let mut len = 0_usize;
        self.each(|segment| {
            len = len.saturating_add(segment.len());
            true
        });
        len
    }

    pub(crate) fn is_empty(&self) -> bool {
        let mut empty = true;
        self.each(|segment| {
            empty = segment.len() == 0;
            empty
        });
        empty
    }

    pub(crate) fn segment_capacity(&self) -> usize {
        self.last(&pin()).0.map_or(self.policy.min, Segment::capacity)
    }

    pub(crate) fn stats(&self) -> Stats {
        let mut stats = self.counters.snapshot();
        self.each(|segment| {
            stats.give_ups += segment.give_ups.get();
            true
        });
        stats
    }

    // ---- Exclusive access. ----

    /// [`tick`](Self::tick) for the owner of the queue.
    pub(crate) fn tick_mut(&mut self, ticket: usize) {
        let guard = pin();
        if let Some(segment) = self.tail(&guard) {
            self.tick(segment, ticket);
        }
    }

    /// The ring to push to.
    pub(crate) fn tail_mut(&mut self) -> Option<&mut Segment<T>> {
        // SAFETY: exclusive access: every ring in the list is ours alone. Handles borrow the
        // queue, so that none is at work.
        unsafe { self.tail_seg.load(Relaxed).as_mut() }
    }

    /// The ring to pop from.
    pub(crate) fn head_mut(&mut self) -> Option<&mut Segment<T>> {
        let head = self.head_seg.load(Relaxed);
        // SAFETY: as in `tail_mut`; not FINAL.
        if head == Link::FINAL { None } else { unsafe { head.as_mut() } }
    }
}

impl<T> Drop for List<T> {
    fn drop(&mut self) {
        if is_model_failing() {
            return;
        }
        self.drop_spare();
        // SAFETY: exclusive access; from here on the list is not used any more.
        unsafe { release_chain(self.head_seg.load(Relaxed), |segment| &segment.next) };
        // Some of these may still have the epoch's reference; then the collector frees them.
        // SAFETY: as above.
        unsafe { release_chain(self.limbo.load(Relaxed), |segment| &segment.limbo_next) };
    }
}

/// Drops the list's reference to each ring of a chain.
///
/// # Safety
/// The list holds a reference to each, and gives it up.
unsafe fn release_chain<T>(
    mut at: *mut Segment<T>,
    link: impl Fn(&Segment<T>) -> &AtomicPtr<Segment<T>>,
) {
    // SAFETY: the list's reference keeps each ring until it is dropped here.
    while let Link::To(segment) = unsafe { Link::decode(at) } {
        at = link(segment).load(Relaxed);
        // SAFETY: the caller's promise.
        unsafe { Segment::release(NonNull::from(segment)) };
    }
}
