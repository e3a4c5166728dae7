//! lprq-rs, the portable ring queue.

use lprq_rs::LPRQueue;

use super::{Bound, Consumers, End, Peer, Progress, Promise, Role};
use crate::workload::Item;

/// A list of rings of 1,024 boxed items (Romanov and Koval's LPRQ), retired through hazard pointers.
pub(super) struct Lprq<T>(LPRQueue<T>);

impl<T: Item> Peer<T> for Lprq<T> {
    const NAME: &'static str = "lprq-rs";
    const PACKAGE: &'static str = "lprq-rs";
    const USAGE: &'static str = "enqueue and dequeue by reference";
    const PROMISE: Promise = Promise {
        progress: Progress::LockFree,
        bound: Bound::Unbounded,
        consumers: Consumers::Many,
        memory: "a box for every item, and a ring whenever one is closed",
    };

    type End<'a> = &'a LPRQueue<T>;

    fn new(_: usize) -> Self {
        Self(LPRQueue::new())
    }

    fn end(&self, _: Role) -> &LPRQueue<T> {
        &self.0
    }
}

impl<T: Item> End<T> for &LPRQueue<T> {
    #[inline]
    fn push(&mut self, item: T) {
        self.enqueue(item);
    }

    #[inline]
    fn pop(&mut self) -> Option<T> {
        self.dequeue()
    }
}
