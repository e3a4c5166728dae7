//! Claiming the next ticket, against other consumers.

use super::{Claim, Claimed, Segment};
use crate::contention::{Distance, back_off};
use crate::sync::Ordering::{Acquire, Relaxed, Release};
use crate::sync::{Point, mutant, reach};
use crate::ticket::CLOSED;

/// Why an attempt to claim came to nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unclaimed {
    /// As in [`Claim`].
    Empty,
    /// As in [`Claim`].
    Drained,
    /// The producers are too near: pause first.
    Near,
    /// Another consumer claimed the ticket of this number.
    Beaten(usize),
}

impl<T> Segment<T> {
    /// Claims the next ticket, if there is one. One read-modify-write.
    #[inline]
    pub(crate) fn claim(&self) -> Claim<'_, T> {
        match self.claim_at_once(0) {
            Ok(ticket) => Claim::Ticket(ticket),
            Err(why) => self.claim_after_all(why),
        }
    }

    /// An attempt to claim the next ticket. One read-modify-write. After a failure
    /// [`claim_after_all`](Self::claim_after_all) is due.
    ///
    /// `known_tail` is a number of tickets that the caller knows to be issued, or 0.
    #[inline]
    pub(crate) fn claim_at_once(&self, known_tail: usize) -> Result<Claimed<'_, T>, Unclaimed> {
        self.try_claim::<true>(known_tail)
    }

    #[inline]
    fn try_claim<const PAUSES: bool>(
        &self,
        known_tail: usize,
    ) -> Result<Claimed<'_, T>, Unclaimed> {
        let _watch = self.watch();
        let early = mutant("tail-before-head").then(|| self.back.tail.load(Relaxed));
        // [SEG-3 acquire <- SEG-4 release] With the loads in this order, `head >= tail` means
        // that at the load of `tail` every ticket issued so far was claimed.
        let head = self.front.head.load(Acquire);
        let (slot, lap) = self.shape().at(head); // Found before the exchange, and not in its shadow.
        if head >= known_tail {
            // Relaxed: a hint; too low a value costs a look at `tail`.
            let seen_tail = self.front.seen_tail.load(Relaxed);
            // An item in the slot shows that the ticket was issued, and saves the look at the producers'
            // line; but not where that is to tell how far they are.
            let is_here = || slot.is_full(lap) || mutant("unissued-claimed");
            if head >= seen_tail && (self.front.distance.is_due(head) || !is_here()) {
                let tail = early.unwrap_or_else(|| self.back.tail.load(Relaxed)); // [P12]
                let limit = self.limit(tail);
                if mutant("left-undrained") && tail & CLOSED != 0 {
                    return Err(Unclaimed::Drained);
                }
                if limit > head + Distance::NEAR {
                    // Not for this ticket alone.
                    self.front.seen_tail.store(limit, Relaxed);
                } else if PAUSES && limit != seen_tail && self.front.distance.is_due(head) {
                    return Err(Unclaimed::Near);
                } else if head >= limit {
                    let is_open = tail & CLOSED == 0;
                    return Err(if is_open { Unclaimed::Empty } else { Unclaimed::Drained });
                }
            }
        }
        // [SEG-4 release -> SEG-3] What this consumer knows of `tail`. Failure: another consumer
        // claimed the ticket.
        if self.front.head.compare_exchange(head, head + 1, Release, Relaxed).is_err() {
            return Err(Unclaimed::Beaten(head));
        }
        reach(Point::PopClaimed);
        Ok(Claimed { segment: self, slot, number: head, lap })
    }

    /// Claims where the first attempt came to nothing: pauses, or backs off if another consumer has
    /// claimed this ticket, and tries again and again.
    #[cold]
    #[inline(never)]
    pub(crate) fn claim_after_all(&self, mut why: Unclaimed) -> Claim<'_, T> {
        let mut failures = 0;
        loop {
            match why {
                Unclaimed::Empty => return Claim::Empty,
                Unclaimed::Drained => return Claim::Drained,
                Unclaimed::Near => self.front.distance.pause(|| {
                    let head = self.front.head.load(Relaxed);
                    (head, self.limit(self.back.tail.load(Relaxed)).saturating_sub(head))
                }),
                Unclaimed::Beaten(ticket) => {
                    failures += 1;
                    back_off(failures, ticket);
                }
            }
            match self.try_claim::<false>(0) {
                Ok(ticket) => return Claim::Ticket(ticket),
                Err(again) => why = again,
            }
        }
    }
}
