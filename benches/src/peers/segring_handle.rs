//! segring through handles: a thread is pinned only on its way to another ring.

use segring::{Handle, Hysteresis, Queue};

use super::segring_queue::{self, policy};
use super::{Closes, End, Peer, Promise, Refusal, Role, Upkeep};

/// A [`Queue`] that threads use through a [`Handle`] each.
#[derive(Debug, Default)]
pub struct Handles<T>(Queue<T>);

impl<T> Handles<T> {
    /// With a policy of its own.
    pub fn with(policy: Hysteresis) -> Self {
        Self(Queue::with(policy))
    }
}

impl<T: Send> Peer<T> for Handles<T> {
    const NAME: &'static str = "segring Handle";
    const PACKAGE: &'static str = "segring";
    const USAGE: &'static str = "a Handle each; many by push_batch and pop_into";
    const PROMISE: Promise = segring_queue::PROMISE;

    type End<'a>
        = Handle<'a, T>
    where
        T: 'a;

    fn new(_: usize) -> Self {
        Self(Queue::new())
    }

    fn end(&self, _: Role) -> Handle<'_, T> {
        self.0.handle()
    }

    fn resizing(least: usize, most: usize) -> Self {
        Self::with(policy(least, most))
    }

    fn upkeep(&self) -> Option<&dyn Upkeep> {
        Some(&self.0)
    }
}

impl<T: Send> Closes<T> for Handles<T> {
    fn close(&self) -> bool {
        self.0.close()
    }

    fn offer<'a>(end: &mut Self::End<'a>, item: T) -> Result<(), Refusal>
    where
        Self: 'a,
    {
        end.try_push(item).map_err(|error| Refusal::of(&error))
    }
}

impl<T: Send> End<T> for Handle<'_, T> {
    #[inline]
    fn push(&mut self, item: T) {
        Handle::push(self, item);
    }

    #[inline]
    fn pop(&mut self) -> Option<T> {
        Handle::pop(self)
    }

    #[inline]
    fn push_all(&mut self, items: impl ExactSizeIterator<Item = T>) {
        self.push_batch(items);
    }

    #[inline]
    fn pop_all(&mut self, items: &mut Vec<T>, most: usize) {
        self.pop_into(items, most);
    }
}
