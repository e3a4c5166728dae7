//! What a thread can do, whichever way it uses the queue.

use segring::mpsc::{Consumer, Producer};
use segring::{Handle, PopError, PushError, Queue, Unpushed};

pub(super) trait Ends {
    /// Whether the item got in.
    fn push(&mut self, item: u8) -> bool;
    /// How many items got in.
    fn push_batch(&mut self, items: &[u8]) -> usize;
    fn pop(&mut self) -> Option<u8>;
    fn pop_batch(&mut self, most: usize) -> Vec<u8>;
    fn close(&mut self) -> bool;
    fn is_closed(&mut self) -> bool;
    fn is_empty(&mut self) -> bool;
    fn len(&mut self) -> usize;
    fn shrink(&mut self) {
        unreachable!("no such operation");
    }
    fn reclaim(&mut self) -> usize {
        unreachable!("no such operation");
    }
    /// An item, or whether there will never be one.
    fn try_pop(&mut self) -> Result<u8, bool> {
        unreachable!("no such operation");
    }
    /// Takes a new handle.
    fn renew(&mut self) {}
    /// Drops the end.
    fn leave(&mut self) {
        unreachable!("no such operation");
    }
}

/// What all ends have, under the same names.
macro_rules! look {
    (|$ends:ident| $at:expr) => {
        look!(@close bool, $ends, $at);
        look!(@is_closed bool, $ends, $at);
        look!(@is_empty bool, $ends, $at);
        look!(@len usize, $ends, $at);
    };
    (@$name:ident $answer:ty, $ends:ident, $at:expr) => {
        fn $name(&mut self) -> $answer {
            let $ends = self;
            ($at).$name()
        }
    };
}

fn pushed(result: Result<(), PushError<u8>>, item: u8) -> bool {
    result.map_err(|error| assert_eq!(error, PushError::Closed(item))).is_ok()
}

fn pushed_batch(
    result: Result<(), PushError<Unpushed<core::iter::Copied<core::slice::Iter<'_, u8>>>>>,
    items: &[u8],
) -> usize {
    let Err(error) = result else { return items.len() };
    assert!(error.is_closed(), "models have memory");
    let unpushed: Vec<u8> = error.into_inner().collect();
    assert!(items.ends_with(&unpushed), "the rest comes back: {unpushed:?} of {items:?}");
    items.len() - unpushed.len()
}

impl Ends for &Queue<u8> {
    fn push(&mut self, item: u8) -> bool {
        pushed(self.try_push(item), item)
    }

    fn push_batch(&mut self, items: &[u8]) -> usize {
        pushed_batch(self.try_push_batch(items.iter().copied()), items)
    }

    fn pop(&mut self) -> Option<u8> {
        Queue::pop(self)
    }

    fn pop_batch(&mut self, most: usize) -> Vec<u8> {
        Queue::pop_batch(self, most)
    }

    look!(|ends| **ends);

    fn shrink(&mut self) {
        self.shrink_to_fit();
    }

    fn reclaim(&mut self) -> usize {
        Queue::reclaim(self)
    }
}

/// A queue and a handle of it.
pub(super) struct Leased<'q> {
    queue: &'q Queue<u8>,
    handle: Handle<'q, u8>,
}

impl<'q> Leased<'q> {
    pub(super) fn new(queue: &'q Queue<u8>) -> Self {
        Self { queue, handle: queue.handle() }
    }
}

impl Ends for Leased<'_> {
    fn push(&mut self, item: u8) -> bool {
        pushed(self.handle.try_push(item), item)
    }

    fn push_batch(&mut self, items: &[u8]) -> usize {
        pushed_batch(self.handle.try_push_batch(items.iter().copied()), items)
    }

    fn pop(&mut self) -> Option<u8> {
        self.handle.pop()
    }

    fn pop_batch(&mut self, most: usize) -> Vec<u8> {
        self.handle.pop_batch(most)
    }

    look!(|ends| ends.queue);

    fn shrink(&mut self) {
        self.queue.shrink_to_fit();
    }

    fn reclaim(&mut self) -> usize {
        self.queue.reclaim()
    }

    fn renew(&mut self) {
        self.handle = self.queue.handle();
    }
}

const HERE: &str = "not used after it was dropped";

impl Ends for Option<Producer<u8>> {
    fn push(&mut self, item: u8) -> bool {
        pushed(self.as_mut().expect(HERE).push(item), item)
    }

    fn push_batch(&mut self, items: &[u8]) -> usize {
        pushed_batch(self.as_mut().expect(HERE).push_batch(items.iter().copied()), items)
    }

    fn pop(&mut self) -> Option<u8> {
        unreachable!("a producer");
    }

    fn pop_batch(&mut self, _: usize) -> Vec<u8> {
        unreachable!("a producer");
    }

    look!(|ends| ends.as_ref().expect(HERE));

    fn leave(&mut self) {
        *self = None;
    }
}

impl Ends for Option<Consumer<u8>> {
    fn push(&mut self, _: u8) -> bool {
        unreachable!("a consumer");
    }

    fn push_batch(&mut self, _: &[u8]) -> usize {
        unreachable!("a consumer");
    }

    fn pop(&mut self) -> Option<u8> {
        self.as_mut().expect(HERE).pop()
    }

    fn pop_batch(&mut self, most: usize) -> Vec<u8> {
        self.as_mut().expect(HERE).pop_batch(most)
    }

    fn try_pop(&mut self) -> Result<u8, bool> {
        self.as_mut().expect(HERE).try_pop().map_err(PopError::is_closed)
    }

    look!(|ends| ends.as_ref().expect(HERE));

    fn shrink(&mut self) {
        self.as_ref().expect(HERE).shrink_to_fit();
    }

    fn reclaim(&mut self) -> usize {
        self.as_ref().expect(HERE).reclaim()
    }

    fn leave(&mut self) {
        *self = None;
    }
}
