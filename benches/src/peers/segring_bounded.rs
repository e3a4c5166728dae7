//! segring's bounded queue, through a shared reference and through handles.

use segring::{BoundedHandle, BoundedQueue};

use super::{
    Bound, Closes, Consumers, End, Peer, Progress, Promise, Refusal, Role, push_until_taken,
};

const PROMISE: Promise = Promise {
    progress: Progress::LockFree,
    bound: Bound::Bounded,
    consumers: Consumers::Many,
    memory: "twice its capacity, up front; another ring when a thread stalls for a lap",
};

/// A [`BoundedQueue`] that threads use by reference.
#[derive(Debug)]
pub struct Bounded<T>(BoundedQueue<T>);

/// A [`BoundedQueue`] that threads use through a [`BoundedHandle`] each.
#[derive(Debug)]
pub struct BoundedHandles<T>(BoundedQueue<T>);

impl<T: Send> Peer<T> for Bounded<T> {
    const NAME: &'static str = "segring Bounded";
    const PACKAGE: &'static str = "segring";
    const USAGE: &'static str = "BoundedQueue by reference";
    const PROMISE: Promise = PROMISE;

    type End<'a>
        = &'a BoundedQueue<T>
    where
        T: 'a;

    fn new(capacity: usize) -> Self {
        Self(BoundedQueue::new(capacity))
    }

    fn end(&self, _: Role) -> &BoundedQueue<T> {
        &self.0
    }

    fn retired_bytes(&self) -> Option<usize> {
        Some(self.0.stats().retired_bytes)
    }
}

impl<T: Send> End<T> for &BoundedQueue<T> {
    #[inline]
    fn push(&mut self, item: T) {
        push_until_taken(item, |item| BoundedQueue::push(self, item));
    }

    #[inline]
    fn pop(&mut self) -> Option<T> {
        BoundedQueue::pop(self)
    }
}

impl<T: Send> Peer<T> for BoundedHandles<T> {
    const NAME: &'static str = "segring BoundedHandle";
    const PACKAGE: &'static str = "segring";
    const USAGE: &'static str = "a BoundedHandle each";
    const PROMISE: Promise = PROMISE;

    type End<'a>
        = BoundedHandle<'a, T>
    where
        T: 'a;

    fn new(capacity: usize) -> Self {
        Self(BoundedQueue::new(capacity))
    }

    fn end(&self, _: Role) -> BoundedHandle<'_, T> {
        self.0.handle()
    }

    fn retired_bytes(&self) -> Option<usize> {
        Some(self.0.stats().retired_bytes)
    }
}

impl<T: Send> End<T> for BoundedHandle<'_, T> {
    #[inline]
    fn push(&mut self, item: T) {
        push_until_taken(item, |item| BoundedHandle::push(self, item));
    }

    #[inline]
    fn pop(&mut self) -> Option<T> {
        BoundedHandle::pop(self)
    }
}

impl<T: Send> Closes<T> for Bounded<T> {
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

impl<T: Send> Closes<T> for BoundedHandles<T> {
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
