//! The list of a bounded queue: rings of one capacity, and never more than so many items in all of
//! them together.
//!
//! A ring is turned over only when a stalled peer holds a slot, when a ticket was given up, or at
//! the end of the ring's life. The tickets of the next ring are counted on from those of the last.

use core::mem::ManuallyDrop;

use super::push::Placed;
use super::{Link, List, Rejected};
use crate::contention::{Distance, go_on_shared, next_shared, took_shared};
use crate::error::PushError;
use crate::hysteresis::Policy;
use crate::reclaim::{Guard, pin};
use crate::segment::{Claimed, NoPlace, Origin, Segment, Unfilled, room};
use crate::slot::Unpublished;
use crate::sync::{MODEL, Wait, mutant};

/// A limit that no number of tickets reaches.
const UNLIMITED: usize = usize::MAX / 2;

/// Of the very first ticket. Positions wrap; with a tiny life span of rings, soon.
const FIRST_POSITION: usize = if cfg!(segring_small) { usize::MAX - 20 } else { 0 };

/// How many tickets there are at least between two looks after a ring.
const LOOK_EVERY: usize = if MODEL { 1 } else { 16 };

impl<T> List<T> {
    /// A list of rings of one capacity, with one in it; or `None` when there is no memory.
    pub(crate) fn fixed(slots: usize) -> Option<Self> {
        let list = Self::with_policy(Policy::fixed(slots));
        let mut first = list.store.fresh(slots, Origin::default())?;
        // SAFETY: fresh, and seen by nobody else.
        unsafe { first.as_mut() }.count_from(FIRST_POSITION, FIRST_POSITION);
        let guard = pin();
        // SAFETY: fresh, and seen by nobody else.
        let linked = list.link(None, unsafe { first.as_ref() }, &guard);
        assert!(linked.is_ok(), "nobody else is here");
        Some(list)
    }

    // ---- Pushing. ----

    /// Pushes to one ring, if fewer than `limit` tickets of the queue are unclaimed; returns the
    /// ticket's number.
    ///
    /// The caller keeps `segment` from being freed.
    ///
    /// # Safety
    /// After `Ok` the item has moved, otherwise it has not.
    pub(crate) unsafe fn push_to(
        &self,
        segment: &Segment<T>,
        limit: usize,
        item: &ManuallyDrop<T>,
    ) -> Result<usize, NoPlace> {
        let early = mutant("head-before-tail").then(|| self.claimed(segment));
        let has_room = |position| match early {
            Some(claimed) => room(position, claimed, limit) > 0,
            None => {
                room(position, segment.seen_claimed(), limit) > 0
                    || self.sees_room(segment, position, limit)
            }
        };
        // SAFETY: the caller's promise.
        let number = unsafe { segment.push_if(has_room, item) }?;
        self.look_after(segment, number);
        Ok(number)
    }

    /// Pushes through a shared reference, if fewer than `limit` tickets of the queue are unclaimed.
    #[inline]
    pub(crate) fn push_below_shared(&self, limit: usize, item: T) -> Result<(), PushError<T>> {
        let guard = pin();
        let Some(segment) = self.tail(&guard) else { unreachable!("linked from the beginning") };
        let Some(ticket) = segment.try_issue(limit) else {
            return self.push_below_anew(limit, item);
        };
        let (number, item) = (ticket.number(), ManuallyDrop::new(item));
        // SAFETY: the ticket is from `try_issue`. After `Ok` the item is not touched any more.
        match unsafe { ticket.fill_free(&item) }.map_err(Unfilled::into_parts) {
            Ok(()) => {
                if Self::is_look_due(segment, number) || next_shared(segment.address()) != number {
                    self.pushed_below_with_duties(segment, number);
                } else {
                    go_on_shared(segment.address(), number);
                }
                Ok(())
            }
            // SAFETY: our ticket, which `fill_free` has used up.
            Err((number, why)) => unsafe {
                self.settle_below(limit, ManuallyDrop::into_inner(item), segment, number, why)
            },
        }
    }

    /// The end of a push at a ticket that a duty comes with, or that is not the one behind this
    /// thread's last. The caller keeps `segment` from being freed.
    #[cold]
    #[inline(never)]
    fn pushed_below_with_duties(&self, segment: &Segment<T>, number: usize) {
        self.look_after(segment, number);
        took_shared(segment.address(), number, || segment.issued_so_far());
    }

    /// Pushes where the first attempt to take a ticket came to nothing.
    #[cold]
    #[inline(never)]
    fn push_below_anew(&self, limit: usize, item: T) -> Result<(), PushError<T>> {
        let (item, guard) = (ManuallyDrop::new(item), pin());
        // SAFETY: after `Ok` the item is not touched any more.
        match unsafe { self.push_below(limit, &item, &guard) } {
            Ok(_) => Ok(()),
            Err(rejected) => Err(rejected.with(item)),
        }
    }

    /// Settles a ticket that is not simply filled. The caller is pinned.
    ///
    /// # Safety
    /// The caller had this ticket, and this uses it up; `why` is what became of the item.
    #[cold]
    #[inline(never)]
    unsafe fn settle_below(
        &self,
        limit: usize,
        item: T,
        segment: &Segment<T>,
        number: usize,
        why: Unpublished,
    ) -> Result<(), PushError<T>> {
        let item = ManuallyDrop::new(item);
        // SAFETY: the caller's promise. After `Ok` the item is not touched any more.
        if unsafe { segment.settle(number, why, &item) }.is_ok() {
            self.pushed_below_with_duties(segment, number);
            return Ok(());
        }
        // With a valid ticket for a slot that was free nothing else can happen.
        let (why, guard) = (NoPlace::Retracted, pin());
        // SAFETY: as above.
        match unsafe { self.push_below_behind(segment, why, limit, &item, &guard) } {
            Ok(_) => Ok(()),
            Err(rejected) => Err(rejected.with(item)),
        }
    }

    /// Pushes, if fewer than `limit` tickets of the queue are unclaimed; returns the ring that took
    /// the item.
    ///
    /// # Safety
    /// After `Ok` the item has moved, otherwise it has not.
    pub(crate) unsafe fn push_below<'g>(
        &self,
        limit: usize,
        item: &ManuallyDrop<T>,
        guard: &'g Guard,
    ) -> Result<&'g Segment<T>, Rejected> {
        let segment = self.tail(guard).expect("linked before anything was pushed");
        // SAFETY: the caller's promise.
        match unsafe { self.push_to(segment, limit, item) } {
            Ok(number) => {
                took_shared(segment.address(), number, || segment.issued_so_far());
                Ok(segment)
            }
            Err(NoPlace::Full) => Err(Rejected::Full),
            // SAFETY: the caller's promise.
            Err(why) => unsafe { self.push_below_behind(segment, why, limit, item, guard) },
        }
    }

    /// Pushes an item that the ring `at` refused.
    ///
    /// # Safety
    /// After `Ok` the item has moved, otherwise it has not.
    #[cold]
    #[inline(never)]
    unsafe fn push_below_behind<'g>(
        &self,
        mut at: &'g Segment<T>,
        mut why: NoPlace,
        limit: usize,
        item: &ManuallyDrop<T>,
        guard: &'g Guard,
    ) -> Result<&'g Segment<T>, Rejected> {
        loop {
            // SAFETY: the caller's promise.
            at = match unsafe { self.follow_or_continue(at, why, limit, item, guard) }? {
                Placed::Appended(segment) => return Ok(segment),
                Placed::Retry(next) => next,
            };
            // SAFETY: the caller's promise.
            why = match unsafe { self.push_to(at, limit, item) } {
                Ok(_) => return Ok(at),
                Err(NoPlace::Full) => return Err(Rejected::Full),
                Err(why) => why,
            };
        }
    }

    /// Finds a place for an item that the ring `at` refused: behind it there is a ring to try, or
    /// one is appended with the item inside.
    ///
    /// # Safety
    /// After `Appended` the item has moved, otherwise it has not.
    unsafe fn follow_or_continue<'g>(
        &self,
        at: &'g Segment<T>,
        why: NoPlace,
        limit: usize,
        item: &ManuallyDrop<T>,
        guard: &'g Guard,
    ) -> Result<Placed<'g, T>, Rejected> {
        let mut wait = Wait::new();
        loop {
            match self.after(Some(at), guard) {
                Link::To(next) => {
                    self.advance_tail(Some(at), next);
                    return Ok(Placed::Retry(next));
                }
                Link::Final => return Err(Rejected::Closed),
                Link::Open if !self.sees_room(at, at.issued(), limit) => {
                    return Err(Rejected::Full);
                }
                // Whoever closed the ring is about to link the next one, if not stalled.
                Link::Open if why == NoPlace::Closed && wait.pause() => {}
                Link::Open => break,
            }
        }
        let Some((new, _)) = self.continuation(at, guard) else { return Err(Rejected::NoMemory) };
        // Since `at` is closed this has been the queue's next position, and will be until a ring is
        // linked.
        let room = room(new.issued(), new.seen_claimed(), limit);
        if room == 0 && !mutant("appender-sees-no-limit") {
            self.store.keep_spare(new.place());
            return Err(Rejected::Full);
        }
        // SAFETY: fresh, and seen by nobody else.
        unsafe { new.preload(item) };
        match self.link(Some(at), new, guard) {
            Ok(()) => {
                let counters = &self.store.counters;
                let cause = if why == NoPlace::Closed { &counters.helped } else { &counters.jams };
                cause.add(1);
                Ok(Placed::Appended(new))
            }
            Err(winner) => {
                // SAFETY: `new` was not linked: it is as `preload` left it, and ours alone.
                unsafe { new.unload() };
                self.store.keep_spare(new.place());
                match winner {
                    Link::To(next) => Ok(Placed::Retry(next)),
                    Link::Final | Link::Open => Err(Rejected::Closed),
                }
            }
        }
    }

    /// Closes a ring and makes the one to follow it, not yet linked, which knows what was claimed
    /// after the closing; and whether this call closed it. `None`: no memory for the new ring, and
    /// the old one is as it was.
    ///
    /// The caller keeps `at` from being freed.
    fn continuation<'g>(
        &self,
        at: &Segment<T>,
        _guard: &'g Guard,
    ) -> Option<(&'g Segment<T>, bool)> {
        let mut new = self.store.fresh(at.capacity(), Origin::default())?;
        let is_closer = at.close();
        // SAFETY: fresh, and seen by nobody else.
        unsafe { new.as_mut() }.count_from(at.issued(), self.claimed(at));
        // SAFETY: a ring that is not linked is not freed by others, nor is one that was linked
        // after the guard pinned.
        Some((unsafe { new.as_ref() }, is_closer))
    }

    /// Whether the owner of this ticket should look after the ring.
    #[inline]
    pub(crate) fn is_look_due(segment: &Segment<T>, number: usize) -> bool {
        segment.is_tick(number) && number.is_multiple_of(LOOK_EVERY)
    }

    /// The duty of whoever owns a ticket at a quarter of a lap, if this is one: frees what is retired
    /// and ends a ring that has lived too long. The caller keeps `segment` from being freed.
    pub(crate) fn look_after(&self, segment: &Segment<T>, number: usize) {
        if !Self::is_look_due(segment, number) {
            return;
        }
        self.store.collect();
        if !segment.is_expired(number) {
            return;
        }
        let guard = pin();
        let Some((new, is_closer)) = self.continuation(segment, &guard) else { return };
        // Only the closer links: the ring was open while this thread was pinned, so that whatever
        // is linked behind it is not freed before the guard unpins. A ring closed before may have
        // been left, and so may be what is behind it.
        if is_closer && self.link(Some(segment), new, &guard).is_ok() {
            self.store.counters.expired.add(1);
        } else {
            self.store.keep_spare(new.place());
        }
    }

    // ---- Counting. ----

    /// Whether a ticket at `position`, which was the next one when it was read, is one of the
    /// `limit` behind the claimed ones. The caller keeps `segment` from being freed.
    #[inline(never)]
    fn sees_room(&self, segment: &Segment<T>, position: usize, limit: usize) -> bool {
        let look = || {
            let claimed = self.claimed(segment);
            (segment.saw_claimed(claimed), room(position, claimed, limit))
        };
        let (has_moved, mut room) = look();
        let distance = segment.distance();
        if room <= Distance::NEAR && has_moved && distance.is_due(position) {
            distance.pause(|| {
                room = look().1;
                (position, room)
            });
        }
        room > 0
    }

    /// The position up to which tickets are claimed. The caller keeps `segment`, any ring of the
    /// list, from being freed.
    #[inline]
    fn claimed(&self, segment: &Segment<T>) -> usize {
        segment.claimed_here().unwrap_or_else(|| self.claimed_before(segment))
    }

    /// The same when no claim has reached `segment`, as far as is known.
    #[cold]
    #[inline(never)]
    fn claimed_before(&self, segment: &Segment<T>) -> usize {
        if mutant("earlier-rings-unseen") {
            return segment.position(0);
        }
        let guard = pin();
        let (front, number) = self.front(&guard);
        front.position(number)
    }

    /// The ring whose ticket is claimed next, and the ticket's number.
    fn front<'g>(&self, guard: &'g Guard) -> (&'g Segment<T>, usize) {
        let Link::To(mut segment) = self.head(guard) else {
            unreachable!("linked before anything was pushed")
        };
        loop {
            let (claimed, drained) = segment.claimed_number();
            match self.after(Some(segment), guard) {
                Link::To(next) if drained => segment = next,
                _ => return (segment, claimed),
            }
        }
    }

    /// Whether `head_seg` leads to this ring.
    fn is_head(&self, segment: &Segment<T>, guard: &Guard) -> bool {
        matches!(self.head(guard), Link::To(head) if core::ptr::eq(head, segment))
    }

    /// Leaves the drained rings at the front, as a pop does: where all room is made by force, nobody
    /// else would.
    #[cold]
    #[inline(never)]
    fn leave_drained(&self, guard: &Guard) {
        while let Link::To(segment) = self.head(guard)
            && segment.claimed_number().1
            && let Link::To(next) = self.after(Some(segment), guard)
        {
            self.leave(segment, next);
        }
    }

    /// The position of the next ticket: nothing had been issued beyond at some moment in the call.
    fn issued(&self, guard: &Guard) -> usize {
        self.last(guard).0.map_or(0, Segment::issued)
    }

    /// How many tickets were unclaimed at one moment in the call: items inside and pushes in
    /// progress.
    pub(crate) fn unclaimed(&self) -> usize {
        let guard = pin();
        let mut issued = self.issued(&guard);
        loop {
            let (segment, claimed) = self.front(&guard);
            let again = self.issued(&guard);
            if issued == again || mutant("len-unconfirmed") {
                // Below zero: a claim that rests on a hint is seen before the ticket is.
                let unclaimed = issued.wrapping_sub(segment.position(claimed)).cast_signed();
                return unclaimed.max(0).cast_unsigned();
            }
            issued = again;
        }
    }

    // ---- Making room. ----

    /// Pushes in any case, and then takes the oldest item if more than `limit` tickets are
    /// unclaimed.
    ///
    /// # Safety
    /// After `Ok` the item has moved, otherwise it has not.
    pub(crate) unsafe fn force_push(
        &self,
        limit: usize,
        item: &ManuallyDrop<T>,
        guard: &Guard,
    ) -> Result<Option<T>, Rejected> {
        // SAFETY: the caller's promise.
        unsafe { self.push_below(UNLIMITED, item, guard) }?;
        let most = if mutant("evict-early") { limit } else { limit + 1 };
        loop {
            // Head first: if the count is not too high, it was not at one moment.
            let early = mutant("evict-tail-first").then(|| self.issued(guard));
            let (segment, claimed) = self.front(guard);
            if !self.is_head(segment, guard) {
                self.leave_drained(guard);
            }
            let issued = early.unwrap_or_else(|| self.issued(guard));
            if room(issued, segment.position(claimed), most) > 0 {
                return Ok(None);
            }
            if let Some(ticket) = segment.claim_exactly(claimed) {
                let oldest = ticket.take().map_or_else(Claimed::wait_or_give_up, Some);
                // Nothing: a push in progress had the ticket, and takes another, so count again.
                if oldest.is_some() || mutant("nothing-evicted") {
                    return Ok(oldest);
                }
            }
        }
    }
}
