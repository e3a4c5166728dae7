//! Pushing: into the ring at hand, into one behind it, or into a new one that is appended.

use core::mem::ManuallyDrop;
use core::ptr::null_mut;

use super::{Link, List, Rejected};
use crate::reclaim::Guard;
use crate::segment::{Origin, Segment, Why};
use crate::sync::Ordering::{Acquire, Release};
use crate::sync::{Point, Wait, mutant, reach};

/// What became of a refused item.
pub(super) enum Placed<'g, T> {
    /// It is in this ring, which was appended for it.
    Appended(&'g Segment<T>),
    /// It is where it was, and this ring should be tried.
    Retry(&'g Segment<T>),
}

impl<T> List<T> {
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
    pub(super) fn link<'g>(
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
}
