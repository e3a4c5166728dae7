//! Claiming the next ticket, against other consumers.

use super::{Claim, Claimed, Segment};
use crate::contention::{Distance, back_off};
use crate::sync::Ordering::{Acquire, Relaxed, Release};
use crate::sync::{Point, reach};
use crate::ticket::CLOSED;

impl<T> Segment<T> {
    /// Claims the next ticket, if there is one. One read-modify-write.
    ///
    /// `known_tail` is a number of tickets that the caller knows to be issued, or 0. With `PAUSES` a
    /// consumer that is too near to the producers pauses first, once.
    #[inline]
    pub(crate) fn claim<const PAUSES: bool>(&self, known_tail: usize) -> Claim<'_, T> {
        let _watch = self.watch();
        let shape = self.shape();
        let mut failures = 0;
        loop {
            // [SEG-3 acquire <- SEG-4 release] With the loads in this order, `head >= tail` means
            // that at the load of `tail` every ticket issued so far was claimed.
            let head = self.front.head.load(Acquire);
            if head >= known_tail {
                // Relaxed: a hint; too low a value costs a look at `tail`.
                let seen_tail = self.front.seen_tail.load(Relaxed);
                if head >= seen_tail {
                    let tail = self.back.tail.load(Relaxed); // [P12]
                    let limit = self.limit(tail);
                    if limit > head + Distance::NEAR {
                        // Not for this ticket alone.
                        self.front.seen_tail.store(limit, Relaxed);
                    } else if PAUSES && limit != seen_tail && self.front.distance.is_due(head) {
                        return self.pause_and_claim();
                    } else if head >= limit {
                        return if tail & CLOSED == 0 { Claim::Empty } else { Claim::Drained };
                    }
                }
            }
            let (slot, lap) = shape.at(head);
            // [SEG-4 release -> SEG-3] What this consumer knows of `tail`. Failure: another
            // consumer claimed the ticket.
            if self.front.head.compare_exchange(head, head + 1, Release, Relaxed).is_ok() {
                reach(Point::PopClaimed);
                return Claim::Ticket(Claimed { segment: self, slot, number: head, lap });
            }
            failures += 1;
            back_off(failures, head);
        }
    }

    #[cold]
    #[inline(never)]
    fn pause_and_claim(&self) -> Claim<'_, T> {
        self.front.distance.pause(|| {
            let head = self.front.head.load(Relaxed);
            (head, self.limit(self.back.tail.load(Relaxed)).saturating_sub(head))
        });
        self.claim::<false>(0)
    }
}
