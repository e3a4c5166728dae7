//! crossbeam's unbounded channel, polled with `try_recv`.

use crossbeam_channel::{Receiver, Sender, unbounded};

use super::{Bound, Consumers, End, Peer, Progress, Promise, Role};

/// A list of blocks of 31 items, and a list of sleepers. A pop waits for the writer of its slot.
pub(super) struct Channel<T> {
    sender: Sender<T>,
    receiver: Receiver<T>,
}

impl<T: Send> Peer<T> for Channel<T> {
    const NAME: &'static str = "crossbeam-channel";
    const PACKAGE: &'static str = "crossbeam-channel";
    const USAGE: &'static str = "unbounded, send and try_recv by reference";
    const PROMISE: Promise = Promise {
        progress: Progress::Blocking,
        bound: Bound::Unbounded,
        consumers: Consumers::Many,
        memory: "a block every 31 items",
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

impl<T: Send> End<T> for &Channel<T> {
    #[inline]
    fn push(&mut self, item: T) {
        let taken = self.sender.send(item).is_ok();
        debug_assert!(taken, "the receiver lives as long as the queue");
    }

    #[inline]
    fn pop(&mut self) -> Option<T> {
        self.receiver.try_recv().ok()
    }
}
