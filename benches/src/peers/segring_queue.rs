//! segring through a shared reference: every operation pins its thread.

use segring::{Hysteresis, Queue};

use super::{Bound, Closes, Consumers, End, Peer, Progress, Promise, Refusal, Rings, Role, Upkeep};

/// A [`Queue`] that threads use by reference.
#[derive(Debug, Default)]
pub struct Shared<T>(Queue<T>);

impl<T> Shared<T> {
    /// With a policy of its own.
    pub fn with(policy: Hysteresis) -> Self {
        Self(Queue::with(policy))
    }
}

/// The usual policy between other limits.
pub(super) fn policy(least: usize, most: usize) -> Hysteresis {
    Hysteresis::new().with_slots(least, most).expect("powers of two are valid")
}

/// What segring promises, however it is used.
pub(super) const PROMISE: Promise = Promise {
    progress: Progress::LockFree,
    bound: Bound::Unbounded,
    consumers: Consumers::Many,
    memory: "a ring when it grows or shrinks, nothing in between",
};

impl<T: Send> Peer<T> for Shared<T> {
    const NAME: &'static str = "segring Queue";
    const PACKAGE: &'static str = "segring";
    const USAGE: &'static str = "Queue by reference; many by push_batch and pop_into";
    const PROMISE: Promise = PROMISE;

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

    fn resizing(least: usize, most: usize) -> Self {
        Self::with(policy(least, most))
    }

    fn upkeep(&self) -> Option<&dyn Upkeep> {
        Some(&self.0)
    }
}

impl<T: Send> Closes<T> for Shared<T> {
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

impl<T: Send> End<T> for &Queue<T> {
    #[inline]
    fn push(&mut self, item: T) {
        Queue::push(self, item);
    }

    #[inline]
    fn pop(&mut self) -> Option<T> {
        Queue::pop(self)
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

impl<T: Send> Upkeep for Queue<T> {
    fn depth(&self) -> usize {
        self.len()
    }

    fn shrink_to_fit(&self) {
        self.shrink_to_fit();
    }

    fn segment_capacity(&self) -> usize {
        self.segment_capacity()
    }

    fn reclaim(&self) -> usize {
        self.reclaim()
    }

    fn retired_bytes(&self) -> usize {
        self.stats().retired_bytes
    }

    fn rings(&self) -> Rings {
        let stats = self.stats();
        Rings {
            grows: stats.grows,
            shrinks: stats.shrinks,
            jams: stats.jams,
            helped: stats.helped,
            give_ups: stats.give_ups,
        }
    }
}
