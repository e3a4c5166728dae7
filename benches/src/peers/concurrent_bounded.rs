//! concurrent-queue with a bound.

use concurrent_queue::ConcurrentQueue;

use super::{Bound, Consumers, End, Peer, Progress, Promise, Role, push_until_taken};

/// Vyukov's ring. A stalled thread holds its slot, and the ring stops when it comes round to it.
pub(super) struct Bounded<T>(ConcurrentQueue<T>);

/// Apart from a reference, because the unbounded flavour pushes in another way.
pub(super) struct BoundedEnd<'a, T>(&'a ConcurrentQueue<T>);

impl<T: Send> Peer<T> for Bounded<T> {
    const NAME: &'static str = "concurrent-queue bounded";
    const PACKAGE: &'static str = "concurrent-queue";
    const USAGE: &'static str = "bounded, push and pop by reference";
    const PROMISE: Promise = Promise {
        progress: Progress::Blocking,
        bound: Bound::Bounded,
        consumers: Consumers::Many,
        memory: "its capacity, up front",
    };

    type End<'a>
        = BoundedEnd<'a, T>
    where
        T: 'a;

    fn new(capacity: usize) -> Self {
        Self(ConcurrentQueue::bounded(capacity))
    }

    fn end(&self, _: Role) -> BoundedEnd<'_, T> {
        BoundedEnd(&self.0)
    }
}

impl<T: Send> End<T> for BoundedEnd<'_, T> {
    #[inline]
    fn push(&mut self, item: T) {
        push_until_taken(item, |item| {
            self.0.push(item).map_err(concurrent_queue::PushError::into_inner)
        });
    }

    #[inline]
    fn pop(&mut self) -> Option<T> {
        self.0.pop().ok()
    }
}
