//! Claiming the next ticket, against other consumers.

use super::{Claim, Claimed, Segment};
use crate::contention::{Distance, back_off};
use crate::sync::Ordering::{Acquire, Relaxed, Release};
use crate::sync::{Point, mutant, reach};
use crate::ticket::CLOSED;

/// What came of one attempt.
enum Attempt {
    /// The ticket of this number.
    Claimed(usize),
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
    ///
    /// `known_tail` is a number of tickets that the caller knows to be issued, or 0.
    #[inline]
    pub(crate) fn claim(&self, known_tail: usize) -> Claim<'_, T> {
        let attempt = match self.try_claim::<true>(known_tail) {
            Attempt::Near => self.claim_after_all(None),
            Attempt::Beaten(ticket) => self.claim_after_all(Some(ticket)),
            done => done,
        };
        match attempt {
            Attempt::Claimed(number) => {
                reach(Point::PopClaimed);
                let (slot, lap) = self.shape().at(number);
                Claim::Ticket(Claimed { segment: self, slot, number, lap })
            }
            Attempt::Drained => Claim::Drained,
            _ => Claim::Empty,
        }
    }

    #[inline]
    fn try_claim<const PAUSES: bool>(&self, known_tail: usize) -> Attempt {
        let _watch = self.watch();
        let early = mutant("tail-before-head").then(|| self.back.tail.load(Relaxed));
        // [SEG-3 acquire <- SEG-4 release] With the loads in this order, `head >= tail` means
        // that at the load of `tail` every ticket issued so far was claimed.
        let head = self.front.head.load(Acquire);
        if head >= known_tail {
            // Relaxed: a hint; too low a value costs a look at `tail`.
            let seen_tail = self.front.seen_tail.load(Relaxed);
            if head >= seen_tail {
                let tail = early.unwrap_or_else(|| self.back.tail.load(Relaxed)); // [P12]
                let limit = self.limit(tail);
                if mutant("left-undrained") && tail & CLOSED != 0 {
                    return Attempt::Drained;
                }
                if limit > head + Distance::NEAR {
                    // Not for this ticket alone.
                    self.front.seen_tail.store(limit, Relaxed);
                } else if PAUSES && limit != seen_tail && self.front.distance.is_due(head) {
                    return Attempt::Near;
                } else if head >= limit {
                    return if tail & CLOSED == 0 { Attempt::Empty } else { Attempt::Drained };
                }
            }
        }
        // [SEG-4 release -> SEG-3] What this consumer knows of `tail`. Failure: another consumer
        // claimed the ticket.
        match self.front.head.compare_exchange(head, head + 1, Release, Relaxed) {
            Ok(_) => Attempt::Claimed(head),
            Err(_) => Attempt::Beaten(head),
        }
    }

    /// Claims where the first attempt came to nothing: pauses, or backs off if another consumer has
    /// claimed this ticket, and tries again and again.
    #[cold]
    #[inline(never)]
    fn claim_after_all(&self, mut beaten_at: Option<usize>) -> Attempt {
        let mut failures = 0;
        loop {
            if let Some(ticket) = beaten_at {
                failures += 1;
                back_off(failures, ticket);
            } else {
                self.front.distance.pause(|| {
                    let head = self.front.head.load(Relaxed);
                    (head, self.limit(self.back.tail.load(Relaxed)).saturating_sub(head))
                });
            }
            match self.try_claim::<false>(0) {
                Attempt::Beaten(ticket) => beaten_at = Some(ticket),
                done => return done,
            }
        }
    }
}
