//! A pipeline of threads that ends in order and loses nothing.
//!
//! ```text
//! cargo run --example pipeline
//! ```
//!
//! Readers push the lines of this crate's documents into one queue; workers take lines and push
//! words into another; a collector counts them. When all readers are done the first queue is closed,
//! when all workers are done the second. The count is compared with that of one thread.
//!
//! A queue never waits. Who wants to sleep until an item comes puts an [`Event`] beside it, as here.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;

use event_listener::{Event, Listener};
use segring::{Handle, PopError, Queue};

const DOCUMENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/docs");
const WORKERS: usize = 3;

/// A queue whose consumers sleep while it is empty.
struct Channel<T> {
    queue: Queue<T>,
    changed: Event,
}

/// One thread's way into a channel.
struct Port<'c, T> {
    handle: Handle<'c, T>,
    changed: &'c Event,
}

impl<T> Channel<T> {
    fn new() -> Self {
        Self { queue: Queue::new(), changed: Event::new() }
    }

    fn port(&self) -> Port<'_, T> {
        Port { handle: self.queue.handle(), changed: &self.changed }
    }

    /// Ends the channel: consumers take what is inside and then stop.
    fn close(&self) {
        self.queue.close();
        self.changed.notify(usize::MAX);
    }
}

impl<T> Port<'_, T> {
    fn send(&mut self, item: T) {
        self.handle.push(item);
        self.changed.notify_additional(1); // One more of those who sleep.
    }

    /// The next item, when there is one; `None` when there will never be one again.
    fn receive(&mut self) -> Option<T> {
        loop {
            if let Some(item) = self.handle.pop() {
                return Some(item);
            }
            // Listen, then look again: whatever comes after the look wakes us. (Listening and
            // notifying have the full fences that such a pattern needs.)
            let listener = self.changed.listen();
            match self.handle.try_pop() {
                Err(PopError::Empty) => listener.wait(),
                item_or_closed => return item_or_closed.ok(),
            }
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut documents = Vec::new();
    for entry in fs::read_dir(DOCUMENTS)? {
        documents.push(fs::read_to_string(entry?.path())?);
    }

    let (lines, words) = (Channel::new(), Channel::new());
    let counts = std::thread::scope(|s| {
        let readers: Vec<_> = documents
            .iter()
            .map(|document| {
                let mut lines = lines.port();
                s.spawn(move || document.lines().for_each(|line| lines.send(line)))
            })
            .collect();
        let workers = [(); WORKERS].map(|()| {
            let (mut lines, mut words) = (lines.port(), words.port());
            s.spawn(move || {
                while let Some(line) = lines.receive() {
                    line.split_whitespace().for_each(|word| words.send(word));
                }
            })
        });
        let collector = s.spawn(|| {
            let mut words = words.port();
            count(std::iter::from_fn(|| words.receive()))
        });

        // Each stage ends when the one before it has.
        for reader in readers {
            reader.join().expect("readers do not panic");
        }
        lines.close();
        for worker in workers {
            worker.join().expect("workers do not panic");
        }
        words.close();
        collector.join().expect("the collector does not panic")
    });

    if counts != count(documents.iter().flat_map(|document| document.split_whitespace())) {
        return Err("the pipeline's count differs from that of one thread".into());
    }
    let total: usize = counts.values().sum();
    println!("{} documents, {total} words, {} of them different", documents.len(), counts.len());
    println!("the same as one thread counts");
    Ok(())
}

fn count<'d>(words: impl Iterator<Item = &'d str>) -> BTreeMap<&'d str, usize> {
    let mut counts = BTreeMap::new();
    for word in words {
        *counts.entry(word).or_default() += 1;
    }
    counts
}
