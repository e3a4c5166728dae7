//! Tickets: the right to be the one producer, or the one consumer, of a lap of a slot.
//!
//! They are made by a ring's counters alone, and each is used up by what is done with it.

use core::mem::ManuallyDrop;

use super::{Segment, Why};
use crate::hysteresis::is_full;
use crate::slot::{Slot, Unpublished};
use crate::sync::Ordering::Relaxed;
use crate::sync::{Point, Wait, mutant, reach};
use crate::ticket::{CLOSED, is_far_beyond_the_end};

/// A producer's ticket: the right to be the one producer of a lap of a slot.
#[derive(Debug)]
pub(crate) struct Issued<'s, T> {
    pub(super) segment: &'s Segment<T>,
    pub(super) slot: &'s Slot<T>,
    pub(super) number: usize,
    pub(super) lap: u32,
}

/// A producer's ticket whose item is not simply in its slot.
#[derive(Debug)]
pub(crate) struct Unfilled<'s, T> {
    ticket: Issued<'s, T>,
    why: Unpublished,
}

/// A consumer's ticket: the right to be the one consumer of a lap of a slot.
#[derive(Debug)]
pub(crate) struct Claimed<'s, T> {
    pub(super) segment: &'s Segment<T>,
    pub(super) slot: &'s Slot<T>,
    pub(super) number: usize,
    pub(super) lap: u32,
}

/// What a consumer claimed.
#[derive(Debug)]
pub(crate) enum Claim<'s, T> {
    /// A ticket.
    Ticket(Claimed<'s, T>),
    /// Nothing: every ticket issued so far is claimed.
    Empty,
    /// Nothing: the ring is closed and all its tickets are claimed. Nothing will ever come from
    /// here.
    Drained,
}

impl<'s, T> Issued<'s, T> {
    #[inline]
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// Whether the owner of this ticket should look after the ring: its number, if so.
    #[inline]
    pub(crate) fn tick(&self) -> Option<usize> {
        self.segment.is_tick(self.number).then_some(self.number)
    }

    /// Moves an item in. No read-modify-write.
    ///
    /// # Safety
    /// After `Ok` the item has moved.
    #[inline]
    pub(crate) unsafe fn fill(self, item: &ManuallyDrop<T>) -> Result<(), Unfilled<'s, T>> {
        let _watch = self.segment.watch();
        if self.number & CLOSED != 0 && !mutant("closed-unseen") {
            // [P8]
            return Err(Unfilled { ticket: self, why: Unpublished::Occupied });
        }
        reach(Point::PushTicket);
        // SAFETY: the counter issued this number, and with it this lap of the slot, to us alone.
        let published = unsafe { self.slot.publish_if_free(self.lap, item, self.segment.pair) };
        published.map_err(|why| Unfilled { ticket: self, why })
    }

    /// Moves an item in, or else settles the ticket. No read-modify-write as a rule.
    ///
    /// # Safety
    /// After `Ok` the item has moved, otherwise it has not.
    #[inline]
    pub(crate) unsafe fn put(self, item: &ManuallyDrop<T>) -> Result<(), Why> {
        let segment = self.segment;
        // SAFETY: the caller's promise.
        match unsafe { self.fill(item) }.map_err(Unfilled::into_parts) {
            Ok(()) => Ok(()),
            // SAFETY: the caller's promise, and `fill` used up the ticket.
            Err((number, why)) => unsafe { segment.settle(number, why, item) },
        }
    }

    /// The same as [`fill`](Self::fill) where the slot has been seen free.
    ///
    /// # Safety
    /// The caller has the ticket from [`Segment::try_issue`]. After `Ok` the item has moved.
    #[inline]
    pub(crate) unsafe fn fill_free(self, item: &ManuallyDrop<T>) -> Result<(), Unfilled<'s, T>> {
        let _watch = self.segment.watch();
        reach(Point::PushTicket);
        // SAFETY: as in `fill`; and `try_issue` has seen the slot free.
        let published = unsafe { self.slot.publish(self.lap, item, self.segment.pair) };
        published.map_err(|why| Unfilled { ticket: self, why })
    }
}

impl<T> Unfilled<'_, T> {
    /// The ticket in registers, for [`Segment::settle`].
    #[inline]
    pub(crate) fn into_parts(self) -> (usize, Unpublished) {
        (self.ticket.number, self.why)
    }
}

impl<T> Claimed<'_, T> {
    /// The item, if it is there. No read-modify-write.
    #[inline]
    pub(crate) fn take(self) -> Result<T, Self> {
        let _watch = self.segment.watch();
        // SAFETY: the counter gave this number, and with it this lap of the slot, to us alone, and
        // we have not given up.
        unsafe { self.slot.take(self.lap) }.ok_or(self)
    }

    /// The ticket in a register, for [`Segment::wait_or_give_up`].
    #[inline]
    pub(crate) fn into_number(self) -> usize {
        self.number
    }

    /// Waits for the item for a bounded time, then gives the ticket up.
    #[inline]
    pub(crate) fn wait_or_give_up(self) -> Option<T> {
        // SAFETY: we have the ticket, and this consumes it.
        unsafe { self.segment.wait_or_give_up(self.number) }
    }

    /// The item, if it is there, for the owner of the queue: with nobody else around, a ticket
    /// that is not published is a void one.
    pub(crate) fn take_mut(self) -> Option<T> {
        self.take().map_err(|ticket| ticket.segment.void.sub(1)).ok()
    }
}

/// The ends of tickets that leave the fast path. They take numbers instead of tickets so that all
/// fits into registers, and the fast path needs no stack.
impl<T> Segment<T> {
    /// Moves an item in at a ticket whose item is not simply in its slot; `why` is what became of it, if it
    /// was tried.
    ///
    /// # Safety
    /// The caller has the producer's ticket of this number, which is used up. After `Ok` the item has
    /// moved, otherwise it has not.
    #[inline]
    pub(crate) unsafe fn put_at(
        &self,
        number: usize,
        why: Option<Unpublished>,
        item: &ManuallyDrop<T>,
    ) -> Result<(), Why> {
        match why {
            None => {
                let (slot, lap) = self.shape().at(number);
                // SAFETY: the caller's promise.
                unsafe { Issued { segment: self, slot, number, lap }.put(item) }
            }
            // SAFETY: the caller's promise.
            Some(why) => unsafe { self.settle(number, why, item) },
        }
    }

    /// # Safety
    /// The caller has the producer's ticket of this number, `why` is what became of its item, and
    /// the ticket is used up. After `Ok` the item has moved, otherwise it has not.
    #[cold]
    #[inline(never)]
    pub(crate) unsafe fn settle(
        &self,
        number: usize,
        mut why: Unpublished,
        item: &ManuallyDrop<T>,
    ) -> Result<(), Why> {
        let _watch = self.watch();
        if number & CLOSED != 0 {
            // The first void ticket is the end. A closer that stalls before it has stored that must
            // not make consumers pass all void tickets one by one.
            self.end.fetch_min(number & !CLOSED, Relaxed);
            self.rewind(number);
            return Err(Why::Closed);
        }
        let (slot, lap) = self.shape().at(number);
        let mut depth = 0;
        if matches!(why, Unpublished::Occupied) {
            depth = number.saturating_sub(self.front.head.load(Relaxed));
            // If the ring is not full and the slot not dead, a consumer that claimed the slot's last
            // item is a lap behind. If it is preempted, then perhaps by this thread: no yielding, or
            // the two would take turns once a lap for as long as the consumer stays behind.
            let mut wait = Wait::spin();
            while matches!(why, Unpublished::Occupied)
                && !is_full(depth, self.capacity())
                && !slot.is_given_up(lap)
                && wait.pause()
            {
                // [P9]
                // SAFETY: the caller's lap; nothing has been published yet.
                match unsafe { slot.publish_if_free(lap, item, self.pair) } {
                    Ok(()) => return Ok(()),
                    Err(again) => why = again,
                }
            }
        }
        let why = match why {
            Unpublished::Occupied => {
                self.abandon(slot, lap); // [P10]
                Why::Occupied { depth }
            }
            // [P11]
            // SAFETY: the caller's lap, and the item has been published.
            Unpublished::GivenUp if unsafe { slot.retract(lap) } => Why::Retracted,
            Unpublished::GivenUp => return Ok(()),
        };
        self.void.add(usize::from(!mutant("void-uncounted")));
        Err(why)
    }

    /// Gives up on a slot whose producer the caller is.
    pub(super) fn abandon(&self, slot: &Slot<T>, lap: u32) {
        if slot.abandon(lap) {
            self.back.dead.add(1);
        }
    }

    /// Void tickets of a closed queue go on counting for as long as somebody tries to push. Long
    /// before the count could reach the top bit it starts over.
    fn rewind(&self, number: usize) {
        let end = self.end.load(Relaxed);
        if is_far_beyond_the_end(number) && end != usize::MAX {
            // Relaxed: any count from `end` on means the same.
            self.back.tail.store(CLOSED | end, Relaxed);
        }
    }

    /// Waits for the item of a ticket for a bounded time, then gives the ticket up.
    ///
    /// # Safety
    /// The caller has the consumer's ticket of this number, which is used up.
    #[cold]
    #[inline(never)]
    pub(crate) unsafe fn wait_or_give_up(&self, number: usize) -> Option<T> {
        let _watch = self.watch();
        // [P13] Claimed before the end was known: its producer knows that it is void.
        if number >= self.end.load(Relaxed) {
            return None;
        }
        let (slot, lap) = self.shape().at(number);
        let is_closed = || self.back.tail.load(Relaxed) & CLOSED != 0;
        // SAFETY: the caller's lap, for the last time.
        let item =
            unsafe { slot.wait_or_give_up(lap, self.pair, is_closed, || self.back.dead.add(1)) };
        if item.is_none() {
            self.give_ups.add(1);
            self.void.sub(1);
        }
        item
    }
}
