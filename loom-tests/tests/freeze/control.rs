//! The control: a ring whose threads wait for each other. The freeze tests must find that out.
//!
//! Vyukov's bounded ring, in the form that tells an empty ring from one whose next item is on the
//! way: a pop waits for the producer that has the slot, a push for its last consumer.

use std::cell::UnsafeCell;

use shuttle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use shuttle::thread::yield_now;

use crate::scene::{Ends, Item, Subject, Via};

const SLOTS: usize = 4;

pub(crate) struct Ring {
    head: AtomicUsize,
    tail: AtomicUsize,
    slots: [Slot; SLOTS],
}

struct Slot {
    /// A ticket: the slot is free for it. One more: its item is inside.
    stamp: AtomicUsize,
    item: UnsafeCell<Item>,
}

// SAFETY: a slot's item is written by the owner of the ticket that the stamp names, and read by the
// owner of the same ticket after the stamp has been raised.
unsafe impl Sync for Ring {}

impl Ends for &Ring {
    fn push(&mut self, item: Item) -> bool {
        loop {
            let ticket = self.tail.load(SeqCst);
            let slot = &self.slots[ticket % SLOTS];
            if slot.stamp.load(SeqCst) == ticket {
                if self.tail.compare_exchange(ticket, ticket + 1, SeqCst, SeqCst).is_ok() {
                    // SAFETY: the ticket is ours, and the slot free for it.
                    unsafe { slot.item.get().write(item) };
                    slot.stamp.store(ticket + 1, SeqCst);
                    return true;
                }
            } else if self.head.load(SeqCst) + SLOTS == ticket {
                return false;
            } else {
                yield_now();
            }
        }
    }

    fn pop(&mut self) -> Option<Item> {
        loop {
            let ticket = self.head.load(SeqCst);
            let slot = &self.slots[ticket % SLOTS];
            if slot.stamp.load(SeqCst) == ticket + 1 {
                if self.head.compare_exchange(ticket, ticket + 1, SeqCst, SeqCst).is_ok() {
                    // SAFETY: the ticket is ours, and its item inside.
                    let item = unsafe { slot.item.get().read() };
                    slot.stamp.store(ticket + SLOTS, SeqCst);
                    return Some(item);
                }
            } else if self.tail.load(SeqCst) == ticket {
                return None;
            } else {
                yield_now();
            }
        }
    }
}

impl Subject for Ring {
    fn with_slots(slots: usize) -> Self {
        assert_eq!(slots, SLOTS);
        let slot = |ticket| Slot {
            stamp: AtomicUsize::new(ticket),
            item: UnsafeCell::new(Item::default()),
        };
        Self {
            head: AtomicUsize::new(0),
            tail: AtomicUsize::new(0),
            slots: std::array::from_fn(slot),
        }
    }

    fn end(mut self) {
        assert_eq!(self.head.get_mut(), self.tail.get_mut());
    }
}

pub(crate) struct Vyukov;

impl Via for Vyukov {
    const NAME: &'static str = "a blocking ring";
    type Queue = Ring;
    type Ends<'q> = &'q Ring;

    fn ends(queue: &Ring) -> &Ring {
        queue
    }
}
