//! One consumer: it alone moves `head`, so that it claims without a read-modify-write.

use alloc::vec::Vec;

use super::{BATCH, Claim, Claimed, Segment};
use crate::contention::Distance;
use crate::sync::Ordering::{Relaxed, Release};
use crate::sync::{Point, mutant, reach};
use crate::ticket::CLOSED;

/// How many items an only consumer takes at least between two looks at how far the producers are.
const LOOK_EVERY: usize = 8;

impl<T> Segment<T> {
    /// Takes the item of the next ticket if it is there. No read-modify-write, and as a rule no look at the
    /// producers' line: an item in the slot shows that its ticket was issued.
    ///
    /// # Safety
    /// The caller is the ring's only consumer.
    #[inline]
    pub(crate) unsafe fn take_next(&self) -> Option<T> {
        let _watch = self.watch();
        let head = self.front.head.load(Relaxed);
        if head >= self.front.look_at.get() {
            self.look_ahead(head);
        }
        let (slot, lap) = self.shape().at(head);
        // SAFETY: the one consumer of every lap, and `head` is past each ticket it gave up.
        let item = unsafe { slot.take(lap) }?;
        reach(Point::SoleTaken);
        // [SEG-4 release -> SEG-3] What this consumer knows of `tail`.
        self.front.head.store(head + 1, Release);
        Some(item)
    }

    /// Keeps a distance from the producers, of whom an only consumer sees nothing but items.
    #[cold]
    #[inline(never)]
    fn look_ahead(&self, head: usize) {
        let look = || self.limit(self.back.tail.load(Relaxed));
        let (front, mut limit) = (&self.front, look());
        let has_moved = limit != front.look_at.get();
        if limit <= head + Distance::NEAR && has_moved && front.distance.is_due(head) {
            front.distance.pause(|| {
                limit = look();
                (head, limit.saturating_sub(head))
            });
        }
        front.look_at.set(limit.max(head + LOOK_EVERY));
    }

    /// Takes up to `most` items of tickets that follow each other if they are there; returns how many. No
    /// read-modify-write, and one look at the producers' line. A single item is left for `take_next`.
    ///
    /// # Safety
    /// The caller is the ring's only consumer.
    pub(crate) unsafe fn take_some(&self, items: &mut Vec<T>, most: usize) -> usize {
        let _watch = self.watch();
        let head = self.front.head.load(Relaxed);
        let inside = self.limit(self.back.tail.load(Relaxed)).saturating_sub(head);
        let many = inside.min(most).min(BATCH);
        if many < 2 {
            return 0;
        }
        items.reserve(many);
        let (room, mut count) = (items.spare_capacity_mut(), 0);
        'tickets: for (_, lap, slots) in self.shape().runs(head..head + many) {
            for slot in slots {
                // SAFETY: the one consumer of every lap, and `head` is past each ticket it gave up.
                let Some(item) = (unsafe { slot.take(lap) }) else { break 'tickets };
                room[count].write(item);
                count += 1;
            }
        }
        // SAFETY: so many more have been written.
        unsafe { items.set_len(items.len() + count) };
        let taken = if mutant("untaken-passed") { many } else { count };
        reach(Point::SoleTaken);
        // [SEG-4 release -> SEG-3] What this consumer knows of `tail`.
        self.front.head.store(head + taken, Release);
        taken
    }

    /// Claims the next ticket, if there is one. No read-modify-write.
    ///
    /// # Safety
    /// The caller is the ring's only consumer.
    #[inline]
    pub(crate) unsafe fn claim_sole(&self) -> Claim<'_, T> {
        let _watch = self.watch();
        let head = self.front.head.load(Relaxed);
        let tail = self.back.tail.load(Relaxed);
        if head >= self.limit(tail) {
            return if tail & CLOSED == 0 { Claim::Empty } else { Claim::Drained };
        }
        // [SEG-4 release -> SEG-3] What this consumer knows of `tail`.
        self.front.head.store(head + 1, Release);
        reach(Point::PopClaimed);
        let (slot, lap) = self.shape().at(head);
        Claim::Ticket(Claimed { segment: self, slot, number: head, lap })
    }

    /// The same for the owner of the queue.
    #[inline]
    pub(crate) fn claim_mut(&mut self) -> Claim<'_, T> {
        // SAFETY: exclusive access.
        unsafe { self.claim_sole() }
    }
}
