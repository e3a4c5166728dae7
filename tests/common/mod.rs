//! What several tests use.
#![allow(dead_code, reason = "each test binary uses a part")]

use std::sync::atomic::{AtomicUsize, Ordering};

use segring::{Handle, Hysteresis, Queue};

/// A queue whose smallest ring has so many slots.
pub(crate) fn queue<T>(min_slots: usize) -> Queue<T> {
    Queue::with(Hysteresis::new().with_slots(min_slots, 1 << 20).expect("a power of two"))
}

/// The operations that a thread has, whichever way it uses the queue.
pub(crate) trait Ends<T>: Send {
    /// Puts an item at the back.
    fn push(&mut self, item: T);
    /// Takes the item at the front.
    fn pop(&mut self) -> Option<T>;
}

impl<T: Send> Ends<T> for &Queue<T> {
    fn push(&mut self, item: T) {
        Queue::push(self, item);
    }

    fn pop(&mut self) -> Option<T> {
        Queue::pop(self)
    }
}

impl<T: Send> Ends<T> for Handle<'_, T> {
    fn push(&mut self, item: T) {
        Handle::push(self, item);
    }

    fn pop(&mut self) -> Option<T> {
        Handle::pop(self)
    }
}

/// Counts how often it is dropped.
#[derive(Debug)]
pub(crate) struct Counted<'a>(pub(crate) &'a AtomicUsize);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}
