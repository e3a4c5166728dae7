//! Payloads that keep account of their lives.
#![allow(dead_code, reason = "every test binary uses a part")]

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// Births and deaths of [`Item`]s, and which of them is to go wrong.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// How often each item was dropped, by number of birth.
    deaths: RefCell<Vec<u32>>,
    drops: Cell<usize>,
    clones: Cell<usize>,
    bad_drop: Cell<Option<usize>>,
    bad_clone: Cell<Option<usize>>,
}

impl Ledger {
    pub(crate) fn new() -> Rc<Self> {
        Rc::new(Self::default())
    }

    pub(crate) fn item(self: &Rc<Self>, value: u32) -> Item {
        let birth = self.deaths.borrow().len();
        self.deaths.borrow_mut().push(0);
        Item { value, birth, ledger: Rc::clone(self) }
    }

    /// The drop after `count` others panics.
    pub(crate) fn panic_in_drop(&self, count: usize) {
        self.bad_drop.set(Some(self.drops.get() + count));
    }

    /// The clone after `count` others panics.
    pub(crate) fn panic_in_clone(&self, count: usize) {
        self.bad_clone.set(Some(self.clones.get() + count));
    }

    pub(crate) fn drops(&self) -> usize {
        self.drops.get()
    }

    pub(crate) fn alive(&self) -> usize {
        self.deaths.borrow().iter().filter(|&&deaths| deaths == 0).count()
    }

    /// Every item was dropped exactly once.
    pub(crate) fn assert_settled(&self) {
        assert!(self.deaths.borrow().iter().all(|&deaths| deaths == 1), "{self:?}");
    }
}

/// A payload that is larger and stricter aligned than usual, owns something, and has no default.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Item {
    pub(crate) value: u32,
    birth: usize,
    ledger: Rc<Ledger>,
}

impl PartialEq for Item {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Clone for Item {
    fn clone(&self) -> Self {
        let clones = self.ledger.clones.replace(self.ledger.clones.get() + 1);
        assert!(self.ledger.bad_clone.get() != Some(clones), "the clone that was to panic");
        self.ledger.item(self.value)
    }
}

impl Drop for Item {
    fn drop(&mut self) {
        self.ledger.deaths.borrow_mut()[self.birth] += 1;
        let drops = self.ledger.drops.replace(self.ledger.drops.get() + 1);
        assert!(self.ledger.bad_drop.get() != Some(drops), "the drop that was to panic");
    }
}

/// Whether `act` panicked.
pub(crate) fn panics(act: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(act)).is_err()
}
