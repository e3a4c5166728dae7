//! One burst over a shallow queue, and what is left of it afterwards: what giving memory back is for.

use core::hint::black_box;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::heap::{Counts, peak_bytes, reset_peak};
use crate::peers::{End, Peer, Rings, Role, Upkeep};

/// Depth 10, then 1,000,000 items at once, then depth 10 again; one thread.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Burst {
    /// A push and a pop at depth 10, before.
    pub nanos_before: f64,
    /// A push of the burst.
    pub nanos_push: f64,
    /// A pop of the burst.
    pub nanos_pop: f64,
    /// A push and a pop at depth 10, afterwards.
    pub nanos_after: f64,
    /// Bytes the queue holds at depth 10, before.
    pub bytes_before: i64,
    /// The most it held.
    pub bytes_peak: i64,
    /// Bytes at depth 10, when all is over and reclaimed.
    pub bytes_after: i64,
    /// What a queue that resizes tells of itself.
    pub resizing: Option<Resizing>,
}

/// How a queue came back from the burst.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Resizing {
    /// Pushes and pops at depth 10, after the burst was drained, until the ring was as small as
    /// before it; nothing when it never was.
    pub operations_to_settle: Option<u64>,
    /// Slots of the ring, before.
    pub capacity_before: usize,
    /// Slots of the ring, afterwards.
    pub capacity_after: usize,
    /// Bytes retired and not free after reclaiming.
    pub retired_bytes: usize,
    /// What happened to its rings.
    pub rings: Rings,
}

impl Burst {
    /// Items at rest.
    pub const DEPTH: u64 = 10;
    /// Items of the burst.
    pub const ITEMS: u64 = 1_000_000;

    const CAPACITY: usize = 1_000_011;
    const TIMED_PAIRS: u64 = 100_000;
    const SETTLE_STEP: u64 = 32;
    const SETTLE_LIMIT: u64 = 10_000_000;

    /// Runs one.
    pub fn run<P: Peer<u64>>() -> Self {
        let origin = Counts::now();
        let live = || (Counts::now() - origin).live_bytes();

        let queue = P::new(Self::CAPACITY);
        let mut end = queue.end(Role::Consumer);
        (0..Self::DEPTH).for_each(|item| end.push(item));

        let nanos_before = timed(Self::TIMED_PAIRS, || pairs(&mut end, Self::TIMED_PAIRS));
        let bytes_before = live();
        let capacity_before = queue.upkeep().map(Upkeep::segment_capacity);

        reset_peak();
        let nanos_push = timed(Self::ITEMS, || (0..Self::ITEMS).for_each(|item| end.push(item)));
        let nanos_pop = timed(Self::ITEMS, || {
            for _ in 0..Self::ITEMS {
                black_box(end.pop());
            }
        });
        let bytes_peak = peak_bytes() - origin.live_bytes();

        let settled = capacity_before.map(|capacity| {
            let is_back = || queue.upkeep().is_some_and(|q| q.segment_capacity() <= capacity);
            let mut operations = 0;
            while !is_back() && operations < Self::SETTLE_LIMIT {
                pairs(&mut end, Self::SETTLE_STEP);
                operations += 2 * Self::SETTLE_STEP;
            }
            (capacity, is_back().then_some(operations))
        });
        let nanos_after = timed(Self::TIMED_PAIRS, || pairs(&mut end, Self::TIMED_PAIRS));

        let resizing = queue.upkeep().zip(settled).map(|(queue, (capacity, settled))| Resizing {
            operations_to_settle: settled,
            capacity_before: capacity,
            capacity_after: queue.segment_capacity(),
            retired_bytes: queue.reclaim(),
            rings: queue.rings(),
        });
        Self {
            nanos_before,
            nanos_push,
            nanos_pop,
            nanos_after,
            bytes_before,
            bytes_peak,
            bytes_after: live(),
            resizing,
        }
    }
}

fn pairs(end: &mut impl End<u64>, count: u64) {
    for item in 0..count {
        end.push(black_box(item));
        black_box(end.pop());
    }
}

/// Nanoseconds per operation.
fn timed(operations: u64, work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_nanos() as f64 / operations as f64
}
