//! segring's queue for one consumer.

use std::sync::{Mutex, MutexGuard};

use segring::mpsc::{Consumer, Producer, queue, with};

use super::segring_queue::{self, policy};
use super::{Consumers, End, Peer, Promise, Role};

/// The rings of segring, whose one consumer pops without a read-modify-write.
#[derive(Debug)]
pub(crate) struct OneConsumer<T> {
    producer: Mutex<Producer<T>>,
    /// Locked once, by the end that consumes, and then used without a lock.
    consumer: Mutex<Consumer<T>>,
}

/// A producer, and for the one consumer the other end.
#[derive(Debug)]
pub(crate) struct OneConsumerEnd<'a, T> {
    producer: Producer<T>,
    consumer: Option<MutexGuard<'a, Consumer<T>>>,
}

impl<T: Send> Peer<T> for OneConsumer<T> {
    const NAME: &'static str = "segring mpsc";
    const PACKAGE: &'static str = "segring";
    const USAGE: &'static str = "a Producer each and the Consumer; many by push_batch and pop_into";
    const PROMISE: Promise = Promise { consumers: Consumers::One, ..segring_queue::PROMISE };

    type End<'a>
        = OneConsumerEnd<'a, T>
    where
        T: 'a;

    fn new(_: usize) -> Self {
        let (producer, consumer) = queue();
        Self { producer: Mutex::new(producer), consumer: Mutex::new(consumer) }
    }

    fn resizing(least: usize, most: usize) -> Self {
        let (producer, consumer) = with(policy(least, most));
        Self { producer: Mutex::new(producer), consumer: Mutex::new(consumer) }
    }

    fn end(&self, role: Role) -> OneConsumerEnd<'_, T> {
        let consumer = match role {
            Role::Producer => None,
            Role::Consumer => Some(self.consumer.try_lock().expect("there is one consumer")),
        };
        let producer = self.producer.lock().expect("nobody panics here").clone();
        OneConsumerEnd { producer, consumer }
    }

    fn retired_bytes(&self) -> Option<usize> {
        let producer = self.producer.lock().expect("nobody panics here");
        Some(producer.stats().retired_bytes)
    }
}

impl<T> End<T> for OneConsumerEnd<'_, T> {
    #[inline]
    fn push(&mut self, item: T) {
        let taken = self.producer.push(item).is_ok();
        debug_assert!(taken, "the consumer lives as long as the queue");
    }

    #[inline]
    fn pop(&mut self) -> Option<T> {
        self.consumer.as_mut()?.pop()
    }

    #[inline]
    fn push_all(&mut self, items: impl ExactSizeIterator<Item = T>) {
        let taken = self.producer.push_batch(items).is_ok();
        debug_assert!(taken, "the consumer lives as long as the queue");
    }

    #[inline]
    fn pop_all(&mut self, items: &mut Vec<T>, most: usize) {
        if let Some(consumer) = &mut self.consumer {
            consumer.pop_into(items, most);
        }
    }
}
