//! crossbeam's unbounded queue.

use crossbeam_queue::SegQueue as Queue;

use super::{Bound, Consumers, End, Peer, Progress, Promise, Role};

/// A list of blocks of 31 items. A pop waits for the writer of its slot.
pub(crate) struct SegQueue<T>(Queue<T>);

impl<T: Send> Peer<T> for SegQueue<T> {
    const NAME: &'static str = "crossbeam SegQueue";
    const PACKAGE: &'static str = "crossbeam-queue";
    const USAGE: &'static str = "push and pop by reference";
    const PROMISE: Promise = Promise {
        progress: Progress::Blocking,
        bound: Bound::Unbounded,
        consumers: Consumers::Many,
        memory: "a block every 31 items",
    };

    type End<'a>
        = &'a Queue<T>
    where
        T: 'a;

    fn new(_: usize) -> Self {
        Self(Queue::new())
    }

    fn end(&self, _: Role) -> &Queue<T> {
        &self.0
    }
}

impl<T: Send> End<T> for &Queue<T> {
    #[inline]
    fn push(&mut self, item: T) {
        Queue::push(self, item);
    }

    #[inline]
    fn pop(&mut self) -> Option<T> {
        Queue::pop(self)
    }
}
