//! What everybody writes first.

use alloc::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Bound, Consumers, End, Peer, Progress, Promise, Role};

/// The standard library's deque behind its mutex.
pub(crate) struct MutexDeque<T>(Mutex<VecDeque<T>>);

impl<T> MutexDeque<T> {
    /// No operation leaves the deque half done, so poison means nothing here.
    #[inline]
    fn lock(&self) -> MutexGuard<'_, VecDeque<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Send> Peer<T> for MutexDeque<T> {
    const NAME: &'static str = "Mutex<VecDeque>";
    const PACKAGE: &'static str = "std";
    const USAGE: &'static str = "push_back and pop_front under the lock; many under one lock";
    const PROMISE: Promise = Promise {
        progress: Progress::Blocking,
        bound: Bound::Unbounded,
        consumers: Consumers::Many,
        memory: "a larger deque when full; never given back",
    };

    type End<'a>
        = &'a Self
    where
        T: 'a;

    fn new(_: usize) -> Self {
        Self(Mutex::new(VecDeque::new()))
    }

    fn end(&self, _: Role) -> &Self {
        self
    }
}

impl<T> End<T> for &MutexDeque<T> {
    #[inline]
    fn push(&mut self, item: T) {
        self.lock().push_back(item);
    }

    #[inline]
    fn pop(&mut self) -> Option<T> {
        self.lock().pop_front()
    }

    #[inline]
    fn push_all(&mut self, items: impl ExactSizeIterator<Item = T>) {
        self.lock().extend(items);
    }

    #[inline]
    fn pop_all(&mut self, items: &mut Vec<T>, most: usize) {
        let mut deque = self.lock();
        let many = most.min(deque.len());
        items.extend(deque.drain(..many));
    }
}
