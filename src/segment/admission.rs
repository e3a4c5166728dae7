//! What a bounded queue adds to a ring: a ticket is issued only where its item has a place.
//!
//! Tickets are counted through all rings of the list: ticket `t` of a ring has the *position*
//! `base + t`. Positions wrap; only differences matter.
//!
//! A producer looks at the slot *before* it takes the ticket, and takes it by an exchange that
//! fails if the ring was closed. So no ticket is void before it is claimed: what is issued and not
//! claimed is exactly the items inside and the pushes in progress.

use core::mem::ManuallyDrop;

use super::{Claimed, Issued, Segment};
use crate::contention::{Distance, back_off};
use crate::sync::Ordering::{Acquire, Relaxed, Release};
use crate::sync::{Point, Wait, mutant, reach};
use crate::ticket::CLOSED;

/// Why a ring did not take an item that there may be a place for, or none at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoPlace {
    /// There is no room in the queue.
    Full,
    /// The ring was closed.
    Closed,
    /// A consumer is a lap behind and holds the next slot.
    Jammed,
    /// The ticket's consumer had given up.
    Retracted,
}

/// How many tickets from `position` on are among the `limit` that follow the claimed ones.
#[inline]
pub(crate) fn room(position: usize, claimed: usize, limit: usize) -> usize {
    // A ticket that has been issued and claimed meanwhile lies before the claimed ones.
    let unclaimed = position.wrapping_sub(claimed).cast_signed();
    limit.cast_signed().saturating_sub(unclaimed).max(0).cast_unsigned()
}

impl<T> Segment<T> {
    /// Pushes if `has_room` says so of the ticket's position; returns the ticket's number.
    ///
    /// # Safety
    /// After `Ok` the item has moved.
    #[inline]
    pub(crate) unsafe fn push_if(
        &self,
        has_room: impl Fn(usize) -> bool,
        item: &ManuallyDrop<T>,
    ) -> Result<usize, NoPlace> {
        let ticket = self.issue_if(has_room)?;
        let number = ticket.number();
        // With a valid ticket for a slot that was free nothing else can go wrong.
        // SAFETY: the caller's promise.
        unsafe { ticket.put(item) }.map(|()| number).map_err(|_| NoPlace::Retracted)
    }

    /// An attempt to issue the next ticket, if its slot is free and there is room as far as is known
    /// here. One read-modify-write. After a failure [`push_if`](Self::push_if) finds out more.
    ///
    /// The ticket is one to [fill](Issued::fill_free) without another look at its slot.
    #[inline]
    pub(crate) fn try_issue(&self, limit: usize) -> Option<Issued<'_, T>> {
        let _watch = self.watch();
        // Relaxed: what is known to be claimed is so for good, and the exchange confirms the number.
        let number = self.back.tail.load(Relaxed);
        let (slot, lap) = self.shape().at(number);
        let may = number & CLOSED == 0
            && (room(self.base.wrapping_add(number), self.seen_claimed(), limit) > 0
                || mutant("room-unseen-at-first"))
            && (slot.is_free(lap) || mutant("slot-unseen-at-first"));
        // [SEG-6 release -> SEG-5] What this producer knows of `head`. Failure: another producer took
        // the ticket, or the ring was closed.
        let is_ours =
            may && self.back.tail.compare_exchange(number, number + 1, Release, Relaxed).is_ok();
        is_ours.then_some(Issued { segment: self, slot, number, lap })
    }

    /// Issues the next ticket if `has_room` says so of its position and if its slot is free. One
    /// read-modify-write.
    #[inline]
    fn issue_if(&self, has_room: impl Fn(usize) -> bool) -> Result<Issued<'_, T>, NoPlace> {
        let _watch = self.watch();
        let shape = self.shape();
        let mut failures = 0;
        loop {
            // [SEG-5 acquire <- SEG-6 release] What earlier producers knew of `head`: it is looked
            // at after this.
            let number = self.back.tail.load(Acquire);
            if number & CLOSED != 0 {
                return Err(NoPlace::Closed);
            }
            if !has_room(self.base.wrapping_add(number)) {
                return Err(NoPlace::Full);
            }
            let (slot, lap) = shape.at(number);
            if !slot.is_free(lap) && !mutant("slot-unseen") {
                if self.outwait(number) {
                    continue;
                }
                return Err(NoPlace::Jammed);
            }
            // [SEG-6 release -> SEG-5] What this producer knows of `head`. Failure: another
            // producer took the ticket, or the ring was closed.
            if self.back.tail.compare_exchange(number, number + 1, Release, Relaxed).is_ok() {
                return Ok(Issued { segment: self, slot, number, lap });
            }
            failures += 1;
            self.beaten(failures, number);
        }
    }

    /// Another producer took this ticket.
    #[cold]
    #[inline(never)]
    fn beaten(&self, failures: u32, number: usize) {
        let _watch = self.watch();
        back_off(failures, number);
    }

    /// Waits for a bounded time for a consumer that holds the slot of the next ticket: as long as it
    /// may be merely interrupted, that is cheaper than another ring. True if the ticket has been
    /// taken or the slot has become free.
    #[cold]
    #[inline(never)]
    fn outwait(&self, number: usize) -> bool {
        let (slot, lap) = self.shape().at(number);
        let mut wait = Wait::spin();
        loop {
            if self.back.tail.load(Relaxed) != number || slot.is_free(lap) {
                return true;
            }
            if !wait.pause() {
                return false;
            }
        }
    }

    /// The position up to which tickets are known to be claimed.
    #[inline]
    pub(crate) fn seen_claimed(&self) -> usize {
        self.back.seen_head.get()
    }

    /// The producers' distance from the consumers.
    #[inline]
    pub(crate) fn distance(&self) -> &Distance {
        &self.back.distance
    }

    /// Remembers a position up to which tickets are claimed. True if that is news.
    pub(crate) fn saw_claimed(&self, position: usize) -> bool {
        let is_news = self.back.seen_head.get() != position;
        self.back.seen_head.set(position);
        is_news
    }

    /// The position up to which the tickets of the queue are claimed, if this ring tells: claims
    /// have reached it, and so all rings before it are drained.
    #[inline]
    pub(crate) fn claimed_here(&self) -> Option<usize> {
        let _watch = self.watch();
        // Relaxed: SEG-5 puts it behind the load of `tail`.
        let head = self.front.head.load(Relaxed);
        (head > 0).then(|| self.base.wrapping_add(head))
    }

    /// The number of tickets claimed, and whether that is all that this ring will ever have.
    pub(crate) fn claimed_number(&self) -> (usize, bool) {
        let _watch = self.watch();
        // [SEG-3 acquire <- SEG-4 release] With the loads in this order, an open ring was open when
        // its `head` was read: nothing behind it was claimed then.
        let head = self.front.head.load(Acquire);
        let tail = self.back.tail.load(Relaxed);
        (head, tail == head | CLOSED)
    }

    /// The position of the next ticket that will be issued here, or would be in an open ring.
    pub(crate) fn issued(&self) -> usize {
        let _watch = self.watch();
        // [SEG-5 acquire <- SEG-6 release] What producers knew of `head`.
        self.base.wrapping_add(self.back.tail.load(Acquire) & !CLOSED)
    }

    /// The position of a ticket.
    pub(crate) fn position(&self, number: usize) -> usize {
        self.base.wrapping_add(number)
    }

    /// Sets the position of ticket 0 in a fresh ring.
    pub(crate) fn count_from(&mut self, base: usize, claimed: usize) {
        self.base = base;
        self.saw_claimed(claimed);
    }

    /// Claims the ticket of this number if it is the next one. One read-modify-write.
    pub(crate) fn claim_exactly(&self, number: usize) -> Option<Claimed<'_, T>> {
        let _watch = self.watch();
        // Relaxed: once the ticket has been issued, any value from then on says so.
        if number >= self.back.tail.load(Relaxed) & !CLOSED {
            return None;
        }
        // [SEG-4 release -> SEG-3] What this consumer knows of `tail`. Failure: another consumer
        // claimed the ticket.
        self.front.head.compare_exchange(number, number + 1, Release, Relaxed).ok()?;
        reach(Point::PopClaimed);
        let (slot, lap) = self.shape().at(number);
        Some(Claimed { segment: self, slot, number, lap })
    }
}
