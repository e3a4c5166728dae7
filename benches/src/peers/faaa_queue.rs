//! `faaa_queue`, Ramalhete's queue of arrays.

use faaa_queue::FAAAQueue;

use super::{Bound, Consumers, End, Peer, Progress, Promise, Role};
use crate::workload::Item;

/// A list of arrays of 1,024 boxed items, each slot used once, retired through hazard pointers.
pub(super) struct Faaa<T>(FAAAQueue<T>);

impl<T: Item> Peer<T> for Faaa<T> {
    const NAME: &'static str = "faaa_queue";
    const PACKAGE: &'static str = "faaa_queue";
    const USAGE: &'static str = "enqueue and dequeue by reference";
    const PROMISE: Promise = Promise {
        progress: Progress::LockFree,
        bound: Bound::Unbounded,
        consumers: Consumers::Many,
        memory: "a box for every item, and an array every 1,024 tickets",
    };

    type End<'a> = &'a FAAAQueue<T>;

    fn new(_: usize) -> Self {
        Self(FAAAQueue::new())
    }

    fn end(&self, _: Role) -> &FAAAQueue<T> {
        &self.0
    }
}

impl<T: Item> End<T> for &FAAAQueue<T> {
    #[inline]
    fn push(&mut self, item: T) {
        self.enqueue(item);
    }

    #[inline]
    fn pop(&mut self) -> Option<T> {
        self.dequeue()
    }
}
