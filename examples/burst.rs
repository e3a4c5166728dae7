//! What a burst does to a queue's memory: rings grow with it and are given back after it.
//!
//! ```text
//! cargo run --example burst
//! ```
//!
//! Prints the queue's ring capacity and its memory over time, with a bar of the memory on a
//! logarithmic scale. A steady load resizes nothing; a burst doubles the ring, step by step; and the
//! steady load behind it brings the ring back. Fails if the queue does not come back.

use std::error::Error;

use segring::{Handle, Queue};

const STEADY: usize = 20;
const BURST: usize = 50_000;

/// Prints a line of the plot now and then.
struct Plot {
    operations: usize,
    next: usize,
}

impl Plot {
    /// How many operations there are between two lines.
    const STEP: usize = 12_500;

    fn count(&mut self, queue: &Queue<usize>) {
        self.operations += 1;
        if self.operations >= self.next {
            self.next += Self::STEP;
            let (items, slots, bytes) =
                (queue.len(), queue.segment_capacity(), queue.stats().live_bytes);
            let bar = "#".repeat(bytes.div_ceil(512).ilog2() as usize + 1);
            println!("{:>10} {items:>7} {slots:>7} {bytes:>9} {bar}", self.operations);
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let queue = Queue::new();
    let mut handle = queue.handle();
    let mut plot = Plot { operations: 0, next: 1 };
    println!("operations   items   slots     bytes 512 bytes, doubling with each #");

    let steady = |handle: &mut Handle<'_, usize>, plot: &mut Plot, rounds| {
        for n in 0..rounds {
            handle.push(n);
            plot.count(&queue);
            handle.pop();
            plot.count(&queue);
        }
    };
    (0..STEADY).for_each(|n| handle.push(n));
    steady(&mut handle, &mut plot, 25_000);
    let before = queue.stats();

    for n in 0..BURST {
        handle.push(n);
        plot.count(&queue);
    }
    let peak = queue.stats();
    while queue.len() > STEADY {
        handle.pop();
        plot.count(&queue);
    }
    steady(&mut handle, &mut plot, 75_000);
    let after = queue.stats();

    println!("rings grown {} times, shrunk {} times", after.grows, after.shrinks);
    if before.grows + before.shrinks > 0 {
        return Err(format!("a steady load resized the ring: {before:?}").into());
    }
    if peak.live_bytes < BURST * size_of::<usize>() {
        return Err(format!("the burst is not in the plot: {peak:?}").into());
    }
    if queue.segment_capacity() != 64 || after.live_bytes > 2 * before.live_bytes {
        return Err(format!("the memory did not come back: {after:?}").into());
    }
    println!("back at {} slots", queue.segment_capacity());
    Ok(())
}
