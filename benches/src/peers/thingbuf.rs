//! thingbuf's ring of values that are used again.

use thingbuf::ThingBuf;

use super::{Bound, Consumers, End, Peer, Progress, Promise, Role, push_until_taken};
use crate::workload::Item;

/// Vyukov's ring. A pop that meets a slot which is being written finds nothing after a while, even if
/// later items are inside.
pub(super) struct Thing<T>(ThingBuf<T>);

impl<T: Item> Peer<T> for Thing<T> {
    const NAME: &'static str = "thingbuf";
    const PACKAGE: &'static str = "thingbuf";
    const USAGE: &'static str = "ThingBuf, push and pop by reference";
    const PROMISE: Promise = Promise {
        progress: Progress::Blocking,
        bound: Bound::Bounded,
        consumers: Consumers::Many,
        memory: "its capacity, up front",
    };

    type End<'a> = &'a ThingBuf<T>;

    fn new(capacity: usize) -> Self {
        Self(ThingBuf::new(capacity))
    }

    fn end(&self, _: Role) -> &ThingBuf<T> {
        &self.0
    }
}

impl<T: Item> End<T> for &ThingBuf<T> {
    #[inline]
    fn push(&mut self, item: T) {
        push_until_taken(item, |item| {
            ThingBuf::push(self, item).map_err(thingbuf::Full::into_inner)
        });
    }

    #[inline]
    fn pop(&mut self) -> Option<T> {
        ThingBuf::pop(self)
    }
}
