//! Several tickets with one read-modify-write.

use core::mem::ManuallyDrop;
use core::ops::Range;

use alloc::vec::Vec;

use super::{Claimed, Issued, Segment, Why};
use crate::contention::back_off;
use crate::sync::Ordering::{Acquire, Relaxed, Release};
use crate::sync::{Point, mutant, reach};
use crate::ticket::CLOSED;

/// What became of a batch's items in one ring.
#[derive(Debug)]
pub(crate) struct Filled {
    /// So many items moved in, from the front.
    pub(crate) count: usize,
    /// The tickets that they took, with those of slots that were skipped.
    pub(crate) tickets: Range<usize>,
    /// Why the next item was refused.
    pub(crate) refused: Option<Why>,
}

/// No more tickets at once, whether issued or claimed: so many a stalled thread can withhold.
pub(crate) const BATCH: usize = 32;

impl<T> Segment<T> {
    /// Pushes items from the front of a batch, as many as a quarter of a lap has tickets, with one
    /// read-modify-write.
    ///
    /// Each item is published and settled before the next one: were a later one out already, a
    /// retraction could not restore their order. An item that is refused goes to the next ticket where a
    /// single push would try the next slot. If that will not do, the other tickets are given up.
    ///
    /// # Safety
    /// The first `count` items have moved, the others have not.
    pub(crate) unsafe fn push_some(&self, items: &[ManuallyDrop<T>]) -> Filled {
        let _watch = self.watch();
        // So there is at most one ticket at a quarter among them.
        let many = items.len().min(BATCH).min(self.geometry.tick_weight());
        let shape = self.shape();
        // [P7] Relaxed: as in `issue`.
        let first = self.back.tail.fetch_add(many, Relaxed);
        let tickets = first..first + many;
        let (mut count, mut end, mut refused) = (0, tickets.end, None);
        'tickets: for (start, lap, slots) in shape.runs(tickets.clone()) {
            for (slot, number) in slots.iter().zip(start..) {
                let at = if mutant("batch-goes-on") { number - first } else { count };
                let ticket = Issued { segment: self, slot, number, lap };
                // SAFETY: after `Ok` the item has moved, and is counted.
                match unsafe { ticket.put(&items[at]) } {
                    Ok(()) => count += 1,
                    Err(_) if mutant("batch-goes-on") => {}
                    // [P28] A ring may have a few dead slots.
                    Err(why) if self.has_next(&tickets, number, count, why) => {}
                    Err(why) => {
                        refused = Some(why);
                        end = number;
                        self.give_up_the_rest(number + 1..tickets.end);
                        break 'tickets;
                    }
                }
            }
        }
        Filled { count, tickets: first..end, refused }
    }

    /// Whether the item that a batch's ticket refused, for this reason and behind so many others, goes to the
    /// batch's next ticket. Without one it is refused, or it could go from one batch of tickets to the other
    /// without an end.
    #[cold]
    #[inline(never)]
    fn has_next(&self, tickets: &Range<usize>, number: usize, count: usize, why: Why) -> bool {
        (number + 1 < tickets.end || mutant("skips-for-ever"))
            && self.can_skip(why, number - tickets.start - count)
    }

    /// The one of a batch's tickets, if any, whose owner should look after the ring.
    pub(crate) fn tick_among(&self, tickets: &Range<usize>) -> Option<usize> {
        self.geometry.tick_among(tickets.start, tickets.len())
    }

    /// The producer's way to say that nothing will come at these tickets.
    #[cold]
    #[inline(never)]
    fn give_up_the_rest(&self, tickets: Range<usize>) {
        if tickets.start & CLOSED != 0 {
            return; // Void from the beginning.
        }
        let shape = self.shape();
        self.void.add(tickets.len());
        for number in tickets {
            let (slot, lap) = shape.at(number);
            self.abandon(slot, lap);
        }
    }

    /// Pops up to `most` items behind those that are there; returns how many tickets it claimed.
    /// None: the ring is empty or drained. One read-modify-write.
    ///
    /// All that may panic or allocate comes before the claim.
    pub(crate) fn pop_some(&self, items: &mut Vec<T>, most: usize) -> usize {
        let _watch = self.watch();
        let mut failures = 0;
        let (first, many) = loop {
            // [SEG-3 acquire <- SEG-4 release] Head first, as in `claim`.
            let head = self.front.head.load(Acquire);
            let inside = self.limit(self.back.tail.load(Relaxed)).saturating_sub(head);
            let many = inside.min(most).min(BATCH);
            if many == 0 {
                return 0;
            }
            items.reserve(many);
            // [SEG-4 release -> SEG-3] What this consumer knows of `tail`. Failure: another
            // consumer claimed tickets.
            if self.front.head.compare_exchange(head, head + many, Release, Relaxed).is_ok() {
                break (head, many);
            }
            failures += 1;
            back_off(failures, head);
        };
        reach(Point::PopClaimed);
        let (room, mut count) = (items.spare_capacity_mut(), 0);
        for (start, lap, slots) in self.shape().runs(first..first + many) {
            for (slot, number) in slots.iter().zip(start..) {
                let ticket = Claimed { segment: self, slot, number, lap };
                if let Some(item) = ticket.take().map_or_else(Claimed::wait_or_give_up, Some) {
                    room[count].write(item);
                    count += 1;
                }
            }
        }
        // SAFETY: so many more have been written.
        unsafe { items.set_len(items.len() + count) };
        many
    }
}
