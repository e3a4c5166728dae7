//! Popping, and leaving drained rings.

use core::ptr::NonNull;

use alloc::vec::Vec;

use super::{Link, List};
use crate::error::PopError;
use crate::reclaim::{Guard, pin};
use crate::segment::{Claim, Claimed, Segment};
use crate::sync::Ordering::{Relaxed, Release};
use crate::sync::{Point, mutant, reach};

impl<T> List<T> {
    /// Pops; tells `ended_at` the ring it ended at, if there is one.
    pub(crate) fn pop(&self, guard: &Guard, ended_at: impl FnOnce(&Segment<T>)) -> Option<T> {
        let Link::To(mut segment) = self.head(guard) else { return None };
        let item = loop {
            match segment.claim() {
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
                    Link::Open | Link::Final => {
                        self.store.collect_idle();
                        break None;
                    }
                    Link::To(next) => {
                        self.leave(segment, next); // [P23]
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
    pub(super) fn leave(&self, segment: &Segment<T>, next: &Segment<T>) {
        let late = mutant("retire-before-tail-moved");
        if !late && !mutant("tail-not-helped") {
            self.leave_tail(segment, next);
        }
        reach(Point::RingLeft);
        // [LIST-3 release -> LIST-1] The next ring's contents. Failure: somebody else left it.
        let moved =
            self.head_seg.compare_exchange(segment.address(), next.address(), Release, Relaxed);
        if moved.is_ok() && !mutant("never-retired") || mutant("retired-by-all") {
            // SAFETY: neither shared pointer leads to the ring any more, and only the thread that
            // moved `head_seg` comes here.
            unsafe { self.store.retire(segment) };
        }
        if late {
            self.leave_tail(segment, next);
        }
    }

    /// Tail first: a thread that pins later must not find a retired ring there.
    fn leave_tail(&self, segment: &Segment<T>, next: &Segment<T>) {
        // [P24] The thread that linked the very first ring may not have set `tail_seg` yet.
        self.advance_tail(None, segment);
        self.advance_tail(Some(segment), next);
    }

    /// Pops up to `most` items of the first ring behind those that are there; returns how many
    /// tickets it claimed. None: that ring is empty or drained, or there is no ring.
    pub(crate) fn pop_some(&self, items: &mut Vec<T>, most: usize, guard: &Guard) -> usize {
        match self.head(guard) {
            Link::To(segment) => segment.pop_some(items, most),
            Link::Open | Link::Final => 0,
        }
    }

    /// Moves the only consumer on: from a drained ring, which it leaves, or to the first ring.
    ///
    /// The ring that it returns is not freed before it is left in turn.
    ///
    /// # Safety
    /// The caller is the list's only consumer. `from` is drained, and is the ring that the last such
    /// call returned.
    pub(crate) unsafe fn move_on(
        &self,
        from: Option<&Segment<T>>,
    ) -> Result<NonNull<Segment<T>>, PopError> {
        let guard = pin();
        match self.after(from, &guard) {
            Link::To(next) => {
                if let Some(drained) = from {
                    self.leave(drained, next);
                }
                Ok(next.place())
            }
            Link::Open => {
                self.store.collect_idle();
                Err(PopError::Empty)
            }
            Link::Final => {
                self.store.collect_idle();
                Err(PopError::Closed)
            }
        }
    }
}
