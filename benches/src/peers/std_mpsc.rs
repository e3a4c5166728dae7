//! The standard library's channel, polled with `try_recv`.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard};

use super::{Bound, Consumers, End, Peer, Progress, Promise, Role};

/// A list of blocks of 31 items with one consumer, which waits for the writer of its slot.
pub(crate) struct Mpsc<T> {
    sender: Sender<T>,
    /// Locked once, by the end that consumes, and then used without a lock.
    receiver: Mutex<Receiver<T>>,
}

/// The sender, and for the one consumer the receiver.
pub(crate) struct MpscEnd<'a, T> {
    sender: &'a Sender<T>,
    receiver: Option<MutexGuard<'a, Receiver<T>>>,
}

impl<T: Send> Peer<T> for Mpsc<T> {
    const NAME: &'static str = "std mpsc";
    const PACKAGE: &'static str = "std";
    const USAGE: &'static str = "channel, send and try_recv";
    const PROMISE: Promise = Promise {
        progress: Progress::Blocking,
        bound: Bound::Unbounded,
        consumers: Consumers::One,
        memory: "a block every 31 items",
    };

    type End<'a>
        = MpscEnd<'a, T>
    where
        T: 'a;

    fn new(_: usize) -> Self {
        let (sender, receiver) = channel();
        Self { sender, receiver: Mutex::new(receiver) }
    }

    fn end(&self, role: Role) -> MpscEnd<'_, T> {
        let receiver = match role {
            Role::Producer => None,
            Role::Consumer => Some(self.receiver.try_lock().expect("there is one consumer")),
        };
        MpscEnd { sender: &self.sender, receiver }
    }
}

impl<T> End<T> for MpscEnd<'_, T> {
    #[inline]
    fn push(&mut self, item: T) {
        let taken = self.sender.send(item).is_ok();
        debug_assert!(taken, "the receiver lives as long as the queue");
    }

    #[inline]
    fn pop(&mut self) -> Option<T> {
        self.receiver.as_ref()?.try_recv().ok()
    }
}
