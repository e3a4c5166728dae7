//! crossfire's unbounded blocking channel, polled with `try_recv`.

use crossfire::detect_backoff_cfg;
use crossfire::mpmc::{List, unbounded_blocking};
use crossfire::{MRx, MTx};

use super::{Bound, Consumers, End, Peer, Progress, Promise, Role};
use crate::workload::Item;

/// A list of blocks of 31 items, after crossbeam's, and lists of sleepers. A pop waits for the writer of
/// its slot.
pub(super) struct Crossfire<T: Item> {
    sender: MTx<List<T>>,
    receiver: MRx<List<T>>,
}

impl<T: Item> Peer<T> for Crossfire<T> {
    const NAME: &'static str = "crossfire";
    const PACKAGE: &'static str = "crossfire";
    const USAGE: &'static str =
        "mpmc::unbounded_blocking, send and try_recv by reference, after detect_backoff_cfg";
    const PROMISE: Promise = Promise {
        progress: Progress::Blocking,
        bound: Bound::Unbounded,
        consumers: Consumers::Many,
        memory: "a block every 31 items",
    };

    type End<'a> = &'a Self;

    fn new(_: usize) -> Self {
        detect_backoff_cfg();
        let (sender, receiver) = unbounded_blocking();
        Self { sender, receiver }
    }

    fn end(&self, _: Role) -> &Self {
        self
    }
}

impl<T: Item> End<T> for &Crossfire<T> {
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
