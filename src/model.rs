//! Model mode only: the parts of the queue that models take apart, and faults to be found.
//!
//! This module exists with `--cfg segring_loom` or `--cfg segring_shuttle` alone and is no part of the
//! crate's interface.

#![allow(
    missing_docs,
    clippy::missing_panics_doc,
    clippy::missing_errors_doc,
    reason = "no part of the crate's interface"
)]

use core::cell::Cell;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;

use alloc::vec::Vec;

use crate::reclaim::{Guard, Stamp, advance, pin};
use crate::segment::{Claim, Claimed, Origin, Segment, Why};

std::thread_local! {
    // All threads of a model run on one thread of the system.
    static MUTANTS: Cell<&'static [&'static str]> = const { Cell::new(&[]) };
    static SHADOWED: Cell<bool> = const { Cell::new(false) };
    static EPOCHS_SEEN: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f` with faults switched on.
pub fn mutated<R>(names: &'static [&'static str], f: impl FnOnce() -> R) -> R {
    with(&MUTANTS, names, f)
}

/// Runs `f` with a shadow beside every atomic, or without.
pub fn shadowed<R>(on: bool, f: impl FnOnce() -> R) -> R {
    with(&SHADOWED, on, f)
}

/// Sets a switch while `f` runs.
fn with<T: Copy + 'static, R>(
    switch: &'static std::thread::LocalKey<Cell<T>>,
    value: T,
    f: impl FnOnce() -> R,
) -> R {
    struct Reset<T: Copy + 'static>(&'static std::thread::LocalKey<Cell<T>>, T);
    impl<T: Copy> Drop for Reset<T> {
        fn drop(&mut self) {
            self.0.set(self.1);
        }
    }
    let _reset = Reset(switch, switch.replace(value));
    f()
}

/// The faults that [`mutated`] has switched on.
pub(crate) fn mutants() -> &'static [&'static str] {
    MUTANTS.get()
}

/// Whether a fault is switched on.
pub fn is_mutant(name: &str) -> bool {
    crate::sync::mutant(name)
}

#[cfg(segring_loom)]
pub(crate) fn is_shadowed() -> bool {
    SHADOWED.get() && !is_mutant("unshadowed")
}

/// How many segments of this execution have been allocated and not freed.
pub fn live_segments() -> usize {
    crate::sync::memory::live_segments()
}

/// One ring without a list, kept until the execution is over.
#[derive(Debug)]
pub struct Ring<T>(NonNull<Segment<T>>);

// SAFETY: as for the list of rings: items pass from thread to thread, references do not.
unsafe impl<T: Send> Send for Ring<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Ring<T> {}

/// Why a ring did not take an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    Closed,
    Occupied,
    Retracted,
}

impl From<Why> for Refusal {
    fn from(why: Why) -> Self {
        match why {
            Why::Closed => Self::Closed,
            Why::Occupied { .. } => Self::Occupied,
            Why::Retracted => Self::Retracted,
        }
    }
}

/// What a consumer found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Found<T> {
    Item(T),
    Empty,
    Drained,
}

impl<T> Ring<T> {
    pub fn new(capacity: usize) -> Self {
        Self(Segment::allocate(capacity, Origin::default()).expect("models are small"))
    }

    fn segment(&self) -> &Segment<T> {
        // SAFETY: never freed.
        unsafe { self.0.as_ref() }
    }

    pub fn push(&self, item: T) -> Result<(), (T, Refusal)> {
        let item = ManuallyDrop::new(item);
        // SAFETY: after `Ok` the item is not touched any more.
        match unsafe { self.segment().push(&item) } {
            Ok(_) => Ok(()),
            Err(why) => Err((ManuallyDrop::into_inner(item), why.into())),
        }
    }

    pub fn pop(&self) -> Found<T> {
        loop {
            match self.segment().claim() {
                Claim::Empty => return Found::Empty,
                Claim::Drained => return Found::Drained,
                Claim::Ticket(ticket) => {
                    if let Some(item) = ticket.take().map_or_else(Claimed::wait_or_give_up, Some) {
                        return Found::Item(item);
                    }
                }
            }
        }
    }

    /// Pushes from the front, as many as go into one batch; returns how many got in, and why no more.
    pub fn push_batch(&self, items: &[T]) -> (usize, Option<Refusal>)
    where
        T: Copy,
    {
        let items: Vec<_> = items.iter().copied().map(ManuallyDrop::new).collect();
        // SAFETY: the items are `Copy`.
        let filled = unsafe { self.segment().push_some(&items) };
        (filled.count, filled.refused.map(Refusal::from))
    }

    pub fn pop_batch(&self, most: usize) -> Vec<T> {
        let mut items = Vec::new();
        self.segment().pop_some(&mut items, most);
        items
    }

    /// Pops as the only consumer.
    ///
    /// # Safety
    /// It is.
    pub unsafe fn pop_sole(&self) -> Found<T> {
        loop {
            // SAFETY: the caller's promise.
            if let Some(item) = unsafe { self.segment().take_next() } {
                return Found::Item(item);
            }
            // SAFETY: as above.
            match unsafe { self.segment().claim_sole() } {
                Claim::Empty => return Found::Empty,
                Claim::Drained => return Found::Drained,
                Claim::Ticket(ticket) => {
                    if let Some(item) = ticket.take().map_or_else(Claimed::wait_or_give_up, Some) {
                        return Found::Item(item);
                    }
                }
            }
        }
    }

    pub fn close(&self) -> bool {
        self.segment().close()
    }

    pub fn len(&self) -> usize {
        self.segment().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The epochs, without a queue.
pub mod epochs {
    use super::{EPOCHS_SEEN, Guard, Stamp, advance, pin, with};

    /// Runs `f` so that loom sees every word of the epochs, which it does not in other models.
    pub fn seen<R>(f: impl FnOnce() -> R) -> R {
        with(&EPOCHS_SEEN, true, f)
    }

    #[cfg(segring_loom)]
    pub(crate) fn are_seen() -> bool {
        EPOCHS_SEEN.get() && !super::is_mutant("epochs-unseen")
    }

    /// Keeps the current thread pinned.
    #[derive(Debug)]
    pub struct Pinned(#[expect(dead_code, reason = "held for its destructor")] Guard);

    impl Pinned {
        pub fn new() -> Self {
            Self(pin())
        }
    }

    impl Default for Pinned {
        fn default() -> Self {
            Self::new()
        }
    }

    /// When something was made unreachable.
    #[derive(Debug)]
    pub struct Retired(Stamp);

    impl Retired {
        pub fn now() -> Self {
            let stamp = Stamp::none();
            stamp.renew();
            Self(stamp)
        }

        pub fn is_over(&self) -> bool {
            self.0.is_over()
        }
    }

    pub fn move_on() {
        advance();
    }
}
