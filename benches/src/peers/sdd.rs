//! sdd's queue, which used to be scc's.

use sdd::Queue;

use super::{Bound, Consumers, End, Peer, Progress, Promise, Role};
use crate::workload::Item;

/// Michael and Scott's list, with epochs. An item is lent: whoever pops one gets a copy here.
pub(super) struct Sdd<T: 'static>(Queue<T>);

impl<T: Item> Peer<T> for Sdd<T> {
    const NAME: &'static str = "sdd Queue";
    const PACKAGE: &'static str = "sdd";
    const USAGE: &'static str = "push and pop by reference; the item is cloned out of its entry";
    const PROMISE: Promise = Promise {
        progress: Progress::LockFree,
        bound: Bound::Unbounded,
        consumers: Consumers::Many,
        memory: "a node for every item",
    };

    type End<'a> = &'a Queue<T>;

    fn new(_: usize) -> Self {
        Self(Queue::new())
    }

    fn end(&self, _: Role) -> &Queue<T> {
        &self.0
    }
}

impl<T: Item> End<T> for &Queue<T> {
    #[inline]
    fn push(&mut self, item: T) {
        drop(Queue::push(self, item));
    }

    #[inline]
    fn pop(&mut self) -> Option<T> {
        Queue::pop(self).map(|entry| T::clone(&entry))
    }
}
