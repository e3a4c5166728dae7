//! [`Inlet`]: pushing without a pin, as handles and the producers of [`mpsc`](crate::mpsc) do.
//!
//! The fast path is a function of few instructions, compiled into its callers. It leaves by calls of others
//! that are not; they take numbers for tickets and items by value, so that all fits into registers.

use core::mem::ManuallyDrop;

use crate::batch::Chunk;
use crate::contention::Turns;
use crate::error::PushError;
use crate::lease::Lease;
use crate::list::{List, Rejected};
use crate::reclaim::pin;
use crate::segment::{Segment, Unfilled, Why};
use crate::slot::Unpublished;

mod bounded;

/// One thread's way in: the ring that it pushed to last, and its turns there.
#[derive(Debug)]
pub(crate) struct Inlet<T> {
    lease: Lease<T>,
    turns: Turns,
}

impl<T> Inlet<T> {
    pub(crate) const fn new() -> Self {
        Self { lease: Lease::new(), turns: Turns::new() }
    }

    /// The ring to push to.
    #[inline]
    fn ring(&self) -> Option<&Segment<T>> {
        self.lease.get()
    }

    /// How many tickets of a ring are issued, as far as this thread's own tell.
    #[inline]
    pub(crate) fn known_tail(&self, of: &Lease<T>) -> usize {
        if self.lease.is_of_same_ring(of) { self.turns.next() } else { 0 }
    }

    #[inline]
    fn took(&mut self, first: usize, next: usize) {
        let lease = &self.lease;
        self.turns.took(first, next, || lease.get().map_or(0, Segment::issued_so_far));
    }

    /// Notes that an item is in at this ticket of the ring.
    #[inline]
    fn pushed(&mut self, number: usize) {
        self.took(number, number + 1);
    }

    /// Pushes to another ring from now on, which the caller keeps from being freed meanwhile.
    fn renew(&mut self, segment: &Segment<T>) {
        self.turns.forget();
        self.lease.renew(segment);
    }

    /// Pushes.
    #[inline]
    pub(crate) fn push(&mut self, list: &List<T>, item: T) -> Result<(), PushError<T>> {
        let Some(segment) = self.lease.get() else {
            return self.push_elsewhere(list, item, None);
        };
        let (expected, item) = (self.turns.next(), ManuallyDrop::new(item));
        let ticket = match segment.issue_expected(expected) {
            Ok(ticket) => ticket,
            // SAFETY: this number was given to us.
            Err(number) => unsafe {
                return self.push_at(list, ManuallyDrop::into_inner(item), number, None);
            },
        };
        let tick = ticket.tick();
        // SAFETY: after `Ok` the item is not touched any more.
        match unsafe { ticket.fill(&item) }.map_err(Unfilled::into_parts) {
            Ok(()) => {
                if tick.is_none() {
                    self.turns.go_on(expected);
                } else {
                    self.pushed_with_duties(list, expected);
                }
                Ok(())
            }
            // SAFETY: our ticket, which `fill` has used up.
            Err((number, why)) => unsafe {
                self.push_at(list, ManuallyDrop::into_inner(item), number, Some(why))
            },
        }
    }

    /// Ends a push whose ticket, of the leased ring, is not the one behind this thread's last, or not simply
    /// filled: `why` is what became of the item, if it was tried.
    ///
    /// # Safety
    /// The ring gave this number to the caller, and this uses it up.
    #[cold]
    #[inline(never)]
    unsafe fn push_at(
        &mut self,
        list: &List<T>,
        item: T,
        number: usize,
        why: Option<Unpublished>,
    ) -> Result<(), PushError<T>> {
        let Some(segment) = self.ring() else { unreachable!("the ticket is from there") };
        let item = ManuallyDrop::new(item);
        // SAFETY: the caller's promise. After `Ok` the item is not touched any more.
        match unsafe { segment.put_at(number, why, &item) } {
            Ok(()) => {
                self.pushed_with_duties(list, number);
                Ok(())
            }
            Err(why) => self.push_elsewhere(list, ManuallyDrop::into_inner(item), Some(why)),
        }
    }

    /// The end of a push at a ticket that a duty comes with, or that is not the one behind this
    /// thread's last.
    #[cold]
    #[inline(never)]
    fn pushed_with_duties(&mut self, list: &List<T>, number: usize) {
        let Some(segment) = self.ring() else { unreachable!("the ticket is from there") };
        if segment.is_tick(number) {
            list.tick(segment, number);
        }
        self.pushed(number);
    }

    /// Pushes all items of a chunk; after an error those that were not pushed are still in it.
    pub(crate) fn push_chunk(
        &mut self,
        list: &List<T>,
        chunk: &mut Chunk<'_, T>,
    ) -> Result<(), Rejected> {
        while !chunk.is_empty() {
            let refused = match self.ring() {
                None => None,
                Some(segment) => {
                    let filled = chunk.push_some(list, segment);
                    if !filled.tickets.is_empty() {
                        self.took(filled.tickets.start, filled.tickets.end);
                    }
                    if filled.refused.is_none() {
                        continue;
                    }
                    filled.refused
                }
            };
            // SAFETY: after `Ok` the item has moved.
            let push = |item: &_| unsafe { self.push_anew(list, item, refused) };
            // SAFETY: as above.
            unsafe { chunk.push_first(push) }?;
        }
        Ok(())
    }

    /// [`push_anew`](Self::push_anew), out of the way of the fast path.
    #[cold]
    #[inline(never)]
    fn push_elsewhere(
        &mut self,
        list: &List<T>,
        item: T,
        why: Option<Why>,
    ) -> Result<(), PushError<T>> {
        let item = ManuallyDrop::new(item);
        // SAFETY: after `Ok` the item is not touched any more.
        unsafe { self.push_anew(list, &item, why) }.map_err(|rejected| rejected.with(item))
    }

    /// Pushes to the ring that `tail_seg` leads to, or behind it if that is the leased one, which
    /// has just refused the item; and stays there.
    ///
    /// # Safety
    /// After `Ok` the item has moved, otherwise it has not.
    unsafe fn push_anew(
        &mut self,
        list: &List<T>,
        item: &ManuallyDrop<T>,
        why: Option<Why>,
    ) -> Result<(), Rejected> {
        let guard = pin();
        let segment = match (self.ring(), why) {
            // SAFETY: the caller's promise.
            (Some(leased), Some(why)) => unsafe { list.push_refused(leased, why, item, &guard) },
            // SAFETY: as above.
            _ => unsafe { list.push(item, &guard) },
        }?;
        self.renew(segment);
        Ok(())
    }
}
