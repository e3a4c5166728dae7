//! kanal's unbounded channel, polled with `try_recv`.

use kanal::{Receiver, Sender, unbounded};

use super::{Bound, Consumers, End, Peer, Progress, Promise, Role};

/// A deque and its waiters behind a spin lock.
pub(super) struct Kanal<T> {
    sender: Sender<T>,
    receiver: Receiver<T>,
}

impl<T: Send> Peer<T> for Kanal<T> {
    const NAME: &'static str = "kanal";
    const PACKAGE: &'static str = "kanal";
    const USAGE: &'static str = "unbounded, send and try_recv by reference; many by drain_into";
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
        let (sender, receiver) = unbounded();
        Self { sender, receiver }
    }

    fn end(&self, _: Role) -> &Self {
        self
    }
}

impl<T: Send> End<T> for &Kanal<T> {
    #[inline]
    fn push(&mut self, item: T) {
        let taken = self.sender.send(item).is_ok();
        debug_assert!(taken, "the receiver lives as long as the queue");
    }

    #[inline]
    fn pop(&mut self) -> Option<T> {
        self.receiver.try_recv().ok().flatten()
    }

    #[inline]
    fn pop_all(&mut self, items: &mut Vec<T>, _: usize) {
        let taken = self.receiver.drain_into(items).is_ok();
        debug_assert!(taken, "the sender lives as long as the queue");
    }
}
