//! crossbeam's bounded queue.

use crossbeam_queue::ArrayQueue as Queue;

use super::{Bound, Consumers, End, Peer, Progress, Promise, Role, push_until_taken};

/// Vyukov's ring. A stalled thread holds its slot, and the ring stops when it comes round to it.
pub(crate) struct ArrayQueue<T>(Queue<T>);

impl<T: Send> Peer<T> for ArrayQueue<T> {
    const NAME: &'static str = "crossbeam ArrayQueue";
    const PACKAGE: &'static str = "crossbeam-queue";
    const USAGE: &'static str = "push and pop by reference";
    const PROMISE: Promise = Promise {
        progress: Progress::Blocking,
        bound: Bound::Bounded,
        consumers: Consumers::Many,
        memory: "its capacity, up front",
    };

    type End<'a>
        = &'a Queue<T>
    where
        T: 'a;

    fn new(capacity: usize) -> Self {
        Self(Queue::new(capacity))
    }

    fn end(&self, _: Role) -> &Queue<T> {
        &self.0
    }
}

impl<T: Send> End<T> for &Queue<T> {
    #[inline]
    fn push(&mut self, item: T) {
        push_until_taken(item, |item| Queue::push(self, item));
    }

    #[inline]
    fn pop(&mut self) -> Option<T> {
        Queue::pop(self)
    }
}
