//! What several tests use.
#![allow(dead_code, reason = "each test binary uses a part")]

use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use segring::mpsc::{self, Consumer, Producer};
use segring::{Hysteresis, PushError, Queue, Unpushed};

#[cfg(segring_hooks)]
pub(crate) mod gate;

/// The ends of a queue with one consumer whose smallest ring has so many slots.
pub(crate) fn mpsc_queue<T>(min_slots: usize) -> (Producer<T>, Consumer<T>) {
    mpsc::with(Hysteresis::new().with_slots(min_slots, 1 << 20).expect("a power of two"))
}

/// A queue whose smallest ring has so many slots.
pub(crate) fn queue<T>(min_slots: usize) -> Queue<T> {
    Queue::with(Hysteresis::new().with_slots(min_slots, 1 << 20).expect("a power of two"))
}

/// Frees all retired rings. Other tests' threads, which have the same epochs, may be inside an
/// operation and hold it up for a moment.
pub(crate) fn reclaim_all(reclaim: impl Fn() -> usize) {
    let start = Instant::now();
    loop {
        let retired = reclaim();
        if retired == 0 {
            return;
        }
        assert!(start.elapsed() < Duration::from_mins(1), "{retired} bytes are retired for good");
        std::thread::yield_now();
    }
}

/// Runs `f`, and ends the process if it has not come back after a minute: somebody hangs.
pub(crate) fn in_time<R>(f: impl FnOnce() -> R) -> R {
    let (done, is_done) = channel::<()>();
    let watch = std::thread::spawn(move || {
        if is_done.recv_timeout(Duration::from_mins(1)) == Err(RecvTimeoutError::Timeout) {
            eprintln!("no end in sight: an operation does not return");
            std::process::abort();
        }
    });
    let result = f();
    drop(done);
    watch.join().expect("it only waits");
    result
}

/// The operations that a thread has, whichever way it uses the queue.
pub(crate) trait Ends<T>: Send {
    /// Puts an item at the back.
    fn push(&mut self, item: T);
    /// Puts an item at the back, or gives it back.
    fn try_push(&mut self, item: T) -> Result<(), PushError<T>>;
    /// Takes the item at the front.
    fn pop(&mut self) -> Option<T>;
}

impl<T: Send> Ends<T> for &Queue<T> {
    fn push(&mut self, item: T) {
        Queue::push(self, item);
    }

    fn try_push(&mut self, item: T) -> Result<(), PushError<T>> {
        Queue::try_push(self, item)
    }

    fn pop(&mut self) -> Option<T> {
        Queue::pop(self)
    }
}

impl<T: Send> Ends<T> for &mut dyn Ends<T> {
    fn push(&mut self, item: T) {
        (**self).push(item);
    }

    fn try_push(&mut self, item: T) -> Result<(), PushError<T>> {
        (**self).try_push(item)
    }

    fn pop(&mut self) -> Option<T> {
        (**self).pop()
    }
}

impl<T: Send, Q: Deref<Target = Queue<T>> + Send> Ends<T> for segring::Ends<Q, T> {
    fn push(&mut self, item: T) {
        segring::Ends::push(self, item);
    }

    fn try_push(&mut self, item: T) -> Result<(), PushError<T>> {
        segring::Ends::try_push(self, item)
    }

    fn pop(&mut self) -> Option<T> {
        segring::Ends::pop(self)
    }
}

impl<T: Send> Ends<T> for (Producer<T>, Consumer<T>) {
    fn push(&mut self, item: T) {
        self.0.push(item).expect("the consumer is there");
    }

    fn try_push(&mut self, item: T) -> Result<(), PushError<T>> {
        self.0.push(item)
    }

    fn pop(&mut self) -> Option<T> {
        self.1.pop()
    }
}

/// The same for many items in one call.
pub(crate) trait Batches<T>: Ends<T> {
    /// Puts items at the back; returns those that it did not push.
    fn push_batch(&mut self, items: impl IntoIterator<Item = T>) -> Vec<T>;
    /// Takes up to so many items at the front.
    fn pop_batch(&mut self, max: usize) -> Vec<T>;
    /// Takes up to so many items at the front and appends them.
    fn pop_into(&mut self, items: &mut Vec<T>, max: usize) -> usize;
}

/// What a batch gave back.
fn unpushed<T, I: Iterator<Item = T>>(result: Result<(), PushError<Unpushed<I>>>) -> Vec<T> {
    result.map_or_else(|error| error.into_inner().collect(), |()| Vec::new())
}

impl<T: Send> Batches<T> for &Queue<T> {
    fn push_batch(&mut self, items: impl IntoIterator<Item = T>) -> Vec<T> {
        unpushed(self.try_push_batch(items))
    }

    fn pop_batch(&mut self, max: usize) -> Vec<T> {
        Queue::pop_batch(self, max)
    }

    fn pop_into(&mut self, items: &mut Vec<T>, max: usize) -> usize {
        Queue::pop_into(self, items, max)
    }
}

impl<T: Send, Q: Deref<Target = Queue<T>> + Send> Batches<T> for segring::Ends<Q, T> {
    fn push_batch(&mut self, items: impl IntoIterator<Item = T>) -> Vec<T> {
        unpushed(self.try_push_batch(items))
    }

    fn pop_batch(&mut self, max: usize) -> Vec<T> {
        segring::Ends::pop_batch(self, max)
    }

    fn pop_into(&mut self, items: &mut Vec<T>, max: usize) -> usize {
        segring::Ends::pop_into(self, items, max)
    }
}

impl<T: Send> Batches<T> for (Producer<T>, Consumer<T>) {
    fn push_batch(&mut self, items: impl IntoIterator<Item = T>) -> Vec<T> {
        unpushed(self.0.push_batch(items))
    }

    fn pop_batch(&mut self, max: usize) -> Vec<T> {
        self.1.pop_batch(max)
    }

    fn pop_into(&mut self, items: &mut Vec<T>, max: usize) -> usize {
        self.1.pop_into(items, max)
    }
}

/// Counts how often it is dropped, and panics then if it is armed.
#[derive(Debug)]
pub(crate) struct Bomb<'a>(pub(crate) &'a AtomicUsize, pub(crate) bool);

impl Drop for Bomb<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
        assert!(!self.1, "armed");
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
