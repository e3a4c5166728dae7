//! Pushing and popping through a shared reference.
//!
//! The fast path is a function of few instructions that is compiled into its callers, and leaves by calls
//! of others that are not.

use core::mem::ManuallyDrop;

use super::{Link, List};
use crate::contention::{go_on_shared, next_shared, took_shared};
use crate::error::PushError;
use crate::reclaim::pin;
use crate::segment::{Claim, Segment, Unclaimed, Unfilled, Why};
use crate::slot::Unpublished;

impl<T> List<T> {
    /// Pushes.
    #[inline]
    pub(crate) fn push_shared(&self, item: T) -> Result<(), PushError<T>> {
        let (item, guard) = (ManuallyDrop::new(item), pin());
        let Some(segment) = self.tail(&guard) else {
            return self.push_behind_shared(None, Why::Closed, ManuallyDrop::into_inner(item));
        };
        let expected = next_shared(segment.address());
        let ticket = match segment.issue_expected(expected) {
            Ok(ticket) => ticket,
            // SAFETY: this number was given to us.
            Err(number) => unsafe {
                return self.push_at(segment, number, None, ManuallyDrop::into_inner(item));
            },
        };
        let tick = ticket.tick();
        // SAFETY: after `Ok` the item is not touched any more.
        match unsafe { ticket.fill(&item) }.map_err(Unfilled::into_parts) {
            Ok(()) => {
                go_on_shared(segment.address(), expected);
                if tick.is_some() {
                    self.tick(segment, expected);
                }
                Ok(())
            }
            // SAFETY: our ticket, which `fill` has used up.
            Err((number, why)) => unsafe {
                self.push_at(segment, number, Some(why), ManuallyDrop::into_inner(item))
            },
        }
    }

    /// Ends a push whose ticket is not the one behind this thread's last, or not simply filled: `why` is
    /// what became of the item, if it was tried. The caller is pinned.
    ///
    /// # Safety
    /// The ring gave this number to the caller, and this uses it up.
    #[cold]
    #[inline(never)]
    unsafe fn push_at(
        &self,
        segment: &Segment<T>,
        number: usize,
        why: Option<Unpublished>,
        item: T,
    ) -> Result<(), PushError<T>> {
        let item = ManuallyDrop::new(item);
        // SAFETY: the caller's promise. After `Ok` the item is not touched any more.
        match unsafe { segment.put_at(number, why, &item) } {
            Ok(()) => {
                if segment.is_tick(number) {
                    self.tick(segment, number);
                }
                took_shared(segment.address(), number, || segment.issued_so_far());
                Ok(())
            }
            Err(why) => self.push_behind_shared(Some(segment), why, ManuallyDrop::into_inner(item)),
        }
    }

    /// Pushes an item that this ring refused. The caller is pinned.
    #[cold]
    #[inline(never)]
    fn push_behind_shared(
        &self,
        at: Option<&Segment<T>>,
        why: Why,
        item: T,
    ) -> Result<(), PushError<T>> {
        let (item, guard) = (ManuallyDrop::new(item), pin());
        // SAFETY: after `Ok` the item is not touched any more.
        match unsafe { self.push_behind(at, why, &item, &guard) } {
            Ok(_) => Ok(()),
            Err(rejected) => Err(rejected.with(item)),
        }
    }

    /// Pops.
    #[inline]
    pub(crate) fn pop_shared(&self) -> Option<T> {
        let guard = pin();
        let Link::To(segment) = self.head(&guard) else { return None };
        match segment.claim_at_once(0) {
            Ok(ticket) => match ticket.take() {
                Ok(item) => Some(item),
                // SAFETY: our ticket, which this uses up.
                Err(ticket) => unsafe { self.pop_late(segment, ticket.into_number()) },
            },
            Err(Unclaimed::Empty) => {
                self.idle(segment);
                None
            }
            Err(why) => self.pop_after_all(segment, why),
        }
    }

    /// Pops where the first attempt to claim came to nothing. The caller is pinned.
    #[cold]
    #[inline(never)]
    fn pop_after_all(&self, segment: &Segment<T>, why: Unclaimed) -> Option<T> {
        match segment.claim_after_all(why) {
            Claim::Ticket(ticket) => match ticket.take() {
                Ok(item) => Some(item),
                // SAFETY: our ticket, which this uses up.
                Err(ticket) => unsafe { self.pop_late(segment, ticket.into_number()) },
            },
            Claim::Empty => {
                self.idle(segment);
                None
            }
            Claim::Drained => self.pop(&pin(), |_| ()),
        }
    }

    /// Pops where the item of the claimed ticket is not there yet. The caller is pinned.
    ///
    /// # Safety
    /// The caller has claimed this ticket, and this uses it up.
    #[cold]
    #[inline(never)]
    unsafe fn pop_late(&self, segment: &Segment<T>, number: usize) -> Option<T> {
        // SAFETY: the caller's promise.
        let item = unsafe { segment.wait_or_give_up(number) };
        if item.is_some() { item } else { self.pop(&pin(), |_| ()) }
    }
}
