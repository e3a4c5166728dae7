//! concurrent-queue without a bound.

use concurrent_queue::ConcurrentQueue;

use super::{Bound, Consumers, End, Peer, Progress, Promise, Role};

/// A list of blocks of 31 items. A pop waits for the writer of its slot.
pub(super) struct Unbounded<T>(ConcurrentQueue<T>);

/// Apart from a reference, because the bounded flavour pushes in another way.
pub(super) struct UnboundedEnd<'a, T>(&'a ConcurrentQueue<T>);

impl<T: Send> Peer<T> for Unbounded<T> {
    const NAME: &'static str = "concurrent-queue unbounded";
    const PACKAGE: &'static str = "concurrent-queue";
    const USAGE: &'static str = "unbounded, push and pop by reference";
    const PROMISE: Promise = Promise {
        progress: Progress::Blocking,
        bound: Bound::Unbounded,
        consumers: Consumers::Many,
        memory: "a block every 31 items",
    };

    type End<'a>
        = UnboundedEnd<'a, T>
    where
        T: 'a;

    fn new(_: usize) -> Self {
        Self(ConcurrentQueue::unbounded())
    }

    fn end(&self, _: Role) -> UnboundedEnd<'_, T> {
        UnboundedEnd(&self.0)
    }
}

impl<T: Send> End<T> for UnboundedEnd<'_, T> {
    #[inline]
    fn push(&mut self, item: T) {
        let taken = self.0.push(item).is_ok();
        debug_assert!(taken, "only a closed queue refuses");
    }

    #[inline]
    fn pop(&mut self) -> Option<T> {
        self.0.pop().ok()
    }
}
