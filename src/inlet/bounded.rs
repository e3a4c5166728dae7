//! The same for bounded queues: at most `limit` items of the queue are to be unclaimed.

use core::mem::ManuallyDrop;

use super::Inlet;
use crate::error::PushError;
use crate::list::List;
use crate::reclaim::pin;
use crate::segment::{NoPlace, Unfilled};
use crate::slot::Unpublished;

impl<T> Inlet<T> {
    /// Pushes where there is room.
    #[inline]
    pub(crate) fn push_below(
        &mut self,
        list: &List<T>,
        limit: usize,
        item: T,
    ) -> Result<(), PushError<T>> {
        let Some(segment) = self.ring() else {
            return self.push_below_elsewhere(list, limit, item);
        };
        let Some(ticket) = segment.try_issue(limit) else {
            return self.push_below_again(list, limit, item);
        };
        let (number, item) = (ticket.number(), ManuallyDrop::new(item));
        let is_look_due = List::is_look_due(segment, number);
        // SAFETY: the ticket is from `try_issue`. After `Ok` the item is not touched any more.
        match unsafe { ticket.fill_free(&item) }.map_err(Unfilled::into_parts) {
            Ok(()) => {
                if !is_look_due && number == self.turns.next() {
                    self.turns.go_on(number);
                } else {
                    self.pushed_below_with_duties(list, number);
                }
                Ok(())
            }
            // SAFETY: our ticket, which `fill_free` has used up.
            Err((number, why)) => unsafe {
                self.settle_below(list, limit, ManuallyDrop::into_inner(item), number, why)
            },
        }
    }

    /// Pushes where the first attempt to take a ticket of the leased ring came to nothing.
    #[cold]
    #[inline(never)]
    fn push_below_again(
        &mut self,
        list: &List<T>,
        limit: usize,
        item: T,
    ) -> Result<(), PushError<T>> {
        let Some(segment) = self.ring() else { unreachable!("tried there") };
        let item = ManuallyDrop::new(item);
        // SAFETY: after `Ok` the item is not touched any more.
        match unsafe { list.push_to(segment, limit, &item) } {
            Ok(number) => {
                self.pushed(number);
                Ok(())
            }
            Err(NoPlace::Full) => Err(PushError::Full(ManuallyDrop::into_inner(item))),
            Err(_) => self.push_below_elsewhere(list, limit, ManuallyDrop::into_inner(item)),
        }
    }

    /// The end of a push at a ticket that a duty comes with, or that is not the one behind this
    /// thread's last.
    #[cold]
    #[inline(never)]
    fn pushed_below_with_duties(&mut self, list: &List<T>, number: usize) {
        let Some(segment) = self.ring() else { unreachable!("the ticket is from there") };
        list.look_after(segment, number);
        self.pushed(number);
    }

    /// Settles a ticket of the leased ring that is not simply filled.
    ///
    /// # Safety
    /// The caller had this ticket, and this uses it up; `why` is what became of the item.
    #[cold]
    #[inline(never)]
    unsafe fn settle_below(
        &mut self,
        list: &List<T>,
        limit: usize,
        item: T,
        number: usize,
        why: Unpublished,
    ) -> Result<(), PushError<T>> {
        let Some(segment) = self.ring() else { unreachable!("the ticket is from there") };
        let item = ManuallyDrop::new(item);
        // SAFETY: the caller's promise. After `Ok` the item is not touched any more.
        match unsafe { segment.settle(number, why, &item) } {
            Ok(()) => {
                self.pushed_below_with_duties(list, number);
                Ok(())
            }
            Err(_) => self.push_below_elsewhere(list, limit, ManuallyDrop::into_inner(item)),
        }
    }

    /// Pushes to the ring that `tail_seg` leads to, or behind it, and stays there.
    #[cold]
    #[inline(never)]
    fn push_below_elsewhere(
        &mut self,
        list: &List<T>,
        limit: usize,
        item: T,
    ) -> Result<(), PushError<T>> {
        let (item, guard) = (ManuallyDrop::new(item), pin());
        // SAFETY: after `Ok` the item is not touched any more.
        match unsafe { list.push_below(limit, &item, &guard) } {
            Ok(segment) => {
                self.renew(segment);
                Ok(())
            }
            Err(rejected) => Err(rejected.with(item)),
        }
    }
}
