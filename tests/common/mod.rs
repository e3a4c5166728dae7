//! What several tests use.
#![allow(dead_code, reason = "each test binary uses a part")]

use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use segring::{Hysteresis, Queue};

/// A queue whose smallest ring has so many slots.
pub(crate) fn queue<T>(min_slots: usize) -> Queue<T> {
    Queue::with(Hysteresis::new().with_slots(min_slots, 1 << 20).expect("a power of two"))
}

/// Frees all retired rings. Other tests' threads, which use the same collector, may be inside an
/// operation and hold it up for a moment.
pub(crate) fn reclaim_all<T>(queue: &Queue<T>) {
    let start = Instant::now();
    while queue.reclaim() > 0 {
        assert!(start.elapsed() < Duration::from_mins(1), "retired for good: {:?}", queue.stats());
        std::thread::yield_now();
    }
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

impl<T: Send, Q: Deref<Target = Queue<T>> + Send> Ends<T> for segring::Ends<Q, T> {
    fn push(&mut self, item: T) {
        segring::Ends::push(self, item);
    }

    fn pop(&mut self) -> Option<T> {
        segring::Ends::pop(self)
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
