//! The queues that are tried, and the ways to use them.

use std::sync::{Mutex, MutexGuard};

use segring::model::live_segments;
use segring::mpsc::{self, Consumer, Producer};
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

/// An mpsc queue. Whoever pops takes the consumer for that time; meanwhile others find nothing.
pub(crate) struct OneConsumer {
    producer: Producer<Item>,
    consumer: Mutex<Option<Consumer<Item>>>,
}

/// A `Producer` each.
pub(crate) struct Mpsc;

/// A producer, and perhaps the consumer.
pub(crate) struct MpscEnds<'q> {
    pub(crate) producer: Producer<Item>,
    consumer: Option<Consumer<Item>>,
    queue: &'q OneConsumer,
}

impl Via for Mpsc {
    const NAME: &'static str = "mpsc";
    type Queue = OneConsumer;
    type Ends<'q> = MpscEnds<'q>;

    fn ends(queue: &OneConsumer) -> MpscEnds<'_> {
        MpscEnds { producer: queue.producer.clone(), consumer: None, queue }
    }
}

impl Subject for OneConsumer {
    fn with_slots(slots: usize) -> Self {
        warm_up();
        let policy = Hysteresis::new().with_slots(slots, 64).expect("a power of two");
        let (producer, consumer) = mpsc::with(policy);
        Self { producer, consumer: Mutex::new(Some(consumer)) }
    }

    fn end(self) {
        drop(self.producer);
        let consumer = self.consumer.into_inner().expect("nobody panicked while holding it");
        let mut consumer = consumer.expect("it was given back");
        assert_eq!((consumer.len(), consumer.is_empty(), consumer.pop()), (0, true, None));
        assert_eq!(consumer.reclaim(), 0, "nothing stays retired at rest");
        assert_eq!(consumer.stats().live_segments, live_segments());
        drop(consumer);
        assert_eq!(live_segments(), 0, "a segment leaked");
    }
}

impl MpscEnds<'_> {
    /// Takes the consumer and keeps it, so that nobody else has it.
    pub(crate) fn take_consumer(&mut self) {
        self.consumer = self.consumer.take().or_else(|| self.seat().take());
    }

    /// Does something with the consumer, if nobody else has it.
    pub(crate) fn consume<R>(&mut self, f: impl FnOnce(&mut Consumer<Item>) -> R) -> Option<R> {
        let keep = self.consumer.is_some();
        self.take_consumer();
        let result = f(self.consumer.as_mut()?);
        if !keep {
            self.give_back();
        }
        Some(result)
    }

    fn give_back(&mut self) {
        if let Some(consumer) = self.consumer.take() {
            *self.seat() = Some(consumer);
        }
    }

    fn seat(&self) -> MutexGuard<'_, Option<Consumer<Item>>> {
        self.queue.consumer.lock().expect("nobody panics while holding it")
    }
}

impl Drop for MpscEnds<'_> {
    fn drop(&mut self) {
        self.give_back();
    }
}

impl Ends for MpscEnds<'_> {
    fn push(&mut self, item: Item) -> bool {
        self.producer.push(item).is_ok()
    }

    fn pop(&mut self) -> Option<Item> {
        self.consume(Consumer::pop)?
    }
}
