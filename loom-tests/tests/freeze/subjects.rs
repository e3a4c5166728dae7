//! The queues that are tried, and the ways to use them.

use segring::model::live_segments;
use segring::{BoundedHandle, BoundedQueue, Handle, Hysteresis, Queue};

use crate::scene::{Ends, Item, Subject, Via};

/// `Queue` by shared reference: each operation pins.
pub(crate) struct Shared;

/// Through a `Handle` each.
pub(crate) struct Handles;

impl Via for Shared {
    const NAME: &'static str = "Queue";
    type Queue = Queue<Item>;
    type Ends<'q> = &'q Queue<Item>;

    fn ends(queue: &Queue<Item>) -> &Queue<Item> {
        queue
    }
}

impl Via for Handles {
    const NAME: &'static str = "Handle";
    type Queue = Queue<Item>;
    type Ends<'q> = Handle<'q, Item>;

    fn ends(queue: &Queue<Item>) -> Handle<'_, Item> {
        queue.handle()
    }
}

impl Subject for Queue<Item> {
    fn with_slots(slots: usize) -> Self {
        warm_up();
        Self::with(Hysteresis::new().with_slots(slots, 64).expect("a power of two"))
    }

    fn end(self) {
        assert_eq!((self.len(), self.is_empty()), (0, true));
        assert_eq!(self.reclaim(), 0, "nothing stays retired at rest");
        assert_eq!(self.stats().live_segments, live_segments());
        drop(self);
        assert_eq!(live_segments(), 0, "a segment leaked");
    }
}

/// The models' own statics are made once, under a lock that is not ours.
fn warm_up() {
    Queue::new().push(());
}

impl Ends for &Queue<Item> {
    fn push(&mut self, item: Item) -> bool {
        self.try_push(item).is_ok()
    }

    fn pop(&mut self) -> Option<Item> {
        Queue::pop(self)
    }
}

impl Ends for Handle<'_, Item> {
    fn push(&mut self, item: Item) -> bool {
        self.try_push(item).is_ok()
    }

    fn pop(&mut self) -> Option<Item> {
        Handle::pop(self)
    }
}

/// `BoundedQueue` by shared reference; its capacity is the number of slots.
pub(crate) struct Bounded;

/// Through a `BoundedHandle` each.
pub(crate) struct BoundedHandles;

impl Via for Bounded {
    const NAME: &'static str = "BoundedQueue";
    type Queue = BoundedQueue<Item>;
    type Ends<'q> = &'q BoundedQueue<Item>;

    fn ends(queue: &BoundedQueue<Item>) -> &BoundedQueue<Item> {
        queue
    }
}

impl Via for BoundedHandles {
    const NAME: &'static str = "BoundedHandle";
    type Queue = BoundedQueue<Item>;
    type Ends<'q> = BoundedHandle<'q, Item>;

    fn ends(queue: &BoundedQueue<Item>) -> BoundedHandle<'_, Item> {
        queue.handle()
    }
}

impl Subject for BoundedQueue<Item> {
    fn with_slots(capacity: usize) -> Self {
        warm_up();
        Self::new(capacity)
    }

    fn end(self) {
        assert_eq!((self.len(), self.is_empty()), (0, true));
        assert_eq!(self.reclaim(), 0, "nothing stays retired at rest");
        assert_eq!(self.stats().live_segments, live_segments());
        drop(self);
        assert_eq!(live_segments(), 0, "a segment leaked");
    }
}

impl Ends for &BoundedQueue<Item> {
    fn push(&mut self, item: Item) -> bool {
        self.try_push(item).is_ok()
    }

    fn pop(&mut self) -> Option<Item> {
        BoundedQueue::pop(self)
    }
}

impl Ends for BoundedHandle<'_, Item> {
    fn push(&mut self, item: Item) -> bool {
        self.try_push(item).is_ok()
    }

    fn pop(&mut self) -> Option<Item> {
        BoundedHandle::pop(self)
    }
}
