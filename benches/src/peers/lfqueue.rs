//! lfqueue's LSCQ, through handles.

use lfqueue::{UnboundedFullHandle, UnboundedQueue};

use super::{Bound, Consumers, End, Peer, Progress, Promise, Role};
use crate::workload::Item;

/// A list of index rings (Nikolaev's SCQ), retired through hazard pointers.
pub(super) struct Lscq<T>(UnboundedQueue<T>);

impl<T: Item> Peer<T> for Lscq<T> {
    const NAME: &'static str = "lfqueue";
    const PACKAGE: &'static str = "lfqueue";
    const USAGE: &'static str =
        "UnboundedQueue with segments of 1,024, as in its own benches; a full_handle each";
    const PROMISE: Promise = Promise {
        progress: Progress::LockFree,
        bound: Bound::Unbounded,
        consumers: Consumers::Many,
        memory: "a ring whenever one has been full",
    };

    type End<'a> = UnboundedFullHandle<'a, T>;

    fn new(_: usize) -> Self {
        Self(UnboundedQueue::with_segment_size(1_024))
    }

    fn end(&self, _: Role) -> UnboundedFullHandle<'_, T> {
        self.0.full_handle()
    }
}

impl<T: Item> End<T> for UnboundedFullHandle<'_, T> {
    #[inline]
    fn push(&mut self, item: T) {
        self.enqueue(item);
    }

    #[inline]
    fn pop(&mut self) -> Option<T> {
        self.dequeue()
    }
}
