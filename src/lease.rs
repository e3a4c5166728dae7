//! [`Lease`]: a counted reference to a ring. [`Inlet`]: pushing through one without a pin.

use core::mem::ManuallyDrop;
use core::ptr::NonNull;

use crate::batch::Chunk;
use crate::contention::Turns;
use crate::error::PushError;
use crate::list::{List, Rejected};
use crate::reclaim::pin;
use crate::segment::{Segment, Why};
use crate::slot::Unpublished;
use crate::sync::{is_model_failing, mutant};

/// A counted reference to a ring, or to none.
#[derive(Debug)]
pub(crate) struct Lease<T>(Option<NonNull<Segment<T>>>);

// SAFETY: a ring's reference count does not care which thread counts. Items pass through a handle
// from one thread to another, hence `T: Send`.
unsafe impl<T: Send> Send for Lease<T> {}
// SAFETY: a shared lease gives no access: every operation of a handle takes `&mut`.
unsafe impl<T: Send> Sync for Lease<T> {}

impl<T> Lease<T> {
    pub(crate) const fn new() -> Self {
        Self(None)
    }

    #[inline]
    pub(crate) fn get(&self) -> Option<&Segment<T>> {
        // SAFETY: the reference we count keeps the ring.
        self.0.map(|segment| unsafe { segment.as_ref() })
    }

    /// Moves to another ring, which the caller keeps from being freed meanwhile.
    pub(crate) fn renew(&mut self, segment: &Segment<T>) {
        if self.0 != Some(segment.place()) {
            drop(Self(self.0.take_if(|_| mutant("released-before-counted"))));
            segment.acquire();
            *self = Self(Some(segment.place()));
        }
    }
}

impl<T> Drop for Lease<T> {
    fn drop(&mut self) {
        if let Some(segment) = self.0
            && !is_model_failing()
        {
            // SAFETY: we own this reference and are done.
            unsafe { Segment::release(segment) };
        }
    }
}

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
    pub(crate) fn ring(&self) -> Option<&Segment<T>> {
        self.lease.get()
    }

    /// How many tickets of a ring are issued, as far as this thread's own tell.
    #[inline]
    pub(crate) fn known_tail(&self, of: &Lease<T>) -> usize {
        if self.lease.0 == of.0 { self.turns.next() } else { 0 }
    }

    #[inline]
    fn took(&mut self, first: usize, next: usize) {
        let lease = &self.lease;
        self.turns.took(first, next, || lease.get().map_or(0, Segment::issued_so_far));
    }

    /// Notes that an item is in at this ticket of the ring.
    #[inline]
    pub(crate) fn pushed(&mut self, number: usize) {
        self.took(number, number + 1);
    }

    /// Pushes to another ring from now on, which the caller keeps from being freed meanwhile.
    pub(crate) fn renew(&mut self, segment: &Segment<T>) {
        self.turns.forget();
        self.lease.renew(segment);
    }

    /// Pushes.
    #[inline]
    pub(crate) fn push(&mut self, list: &List<T>, item: T) -> Result<(), PushError<T>> {
        let Some(segment) = self.ring() else { return self.push_elsewhere(list, item, None) };
        let ticket = segment.issue();
        let (number, tick) = (ticket.number(), ticket.tick());
        let item = ManuallyDrop::new(item);
        // SAFETY: after `Ok` the item is not touched any more.
        match unsafe { ticket.fill(&item) } {
            Ok(()) => {
                if let Some(ticket) = tick {
                    list.tick(segment, ticket);
                }
                self.pushed(number);
                Ok(())
            }
            Err(unfilled) => {
                let (number, why) = unfilled.into_parts();
                self.settle(list, ManuallyDrop::into_inner(item), number, why)
            }
        }
    }

    /// Settles a ticket of the leased ring that is not simply filled.
    #[cold]
    #[inline(never)]
    fn settle(
        &mut self,
        list: &List<T>,
        item: T,
        number: usize,
        why: Unpublished,
    ) -> Result<(), PushError<T>> {
        let Some(segment) = self.ring() else { unreachable!("the ticket is from there") };
        let item = ManuallyDrop::new(item);
        // SAFETY: `push` has this ticket, and ends with this. After `Ok` the item is not touched any
        // more.
        match unsafe { segment.settle(number, why, &item) } {
            Ok(()) => Ok(()),
            Err(why) => self.push_elsewhere(list, ManuallyDrop::into_inner(item), Some(why)),
        }
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
                    if filled.count > 0 {
                        self.took(filled.next - filled.count, filled.next);
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
