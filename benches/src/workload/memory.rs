//! Bytes held over time, through a burst and back.

use core::hint::black_box;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::Burst;
use crate::heap::Counts;
use crate::peers::{End, Peer, Role};

/// What a queue held at some moments of a burst, in their order. Nothing is done to make it give memory
/// back other than to use it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Memory {
    /// The moments.
    pub points: Vec<Point>,
}

/// A moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Point {
    /// Since the beginning, in nanoseconds, the time of reading included.
    pub nanos: u64,
    /// What was going on.
    pub phase: Phase,
    /// Pushes and pops so far.
    pub operations: u64,
    /// Items inside.
    pub depth: u64,
    /// Bytes allocated since the beginning and not freed.
    pub live_bytes: i64,
    /// Of these, bytes that are retired and wait to be freed, where the queue tells.
    pub retired_bytes: Option<usize>,
}

/// A part of a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// A push and a pop in turn over a few items.
    Before,
    /// Pushes only.
    Push,
    /// Pops only, until a few items are left.
    Pop,
    /// A push and a pop in turn again.
    After,
}

impl Memory {
    /// Readings in each phase.
    const READINGS: usize = 50;
    /// Pushes and pops between two readings before the burst.
    const PAIRS: u64 = 10_000;
    /// The same afterwards: all in all some laps of the largest ring, because a queue that waits to see
    /// that the burst is over waits in proportion to it.
    const PAIRS_AFTER: u64 = 50_000;

    /// Runs a burst: a few items, a million, a few again; one thread.
    pub fn run<P: Peer<u64>>() -> Self {
        Self::of::<P>(Burst::ITEMS)
    }

    fn of<P: Peer<u64>>(items: u64) -> Self {
        // Before the beginning, so that the readings are not counted.
        let mut points = Vec::with_capacity(4 * Self::READINGS);
        let (origin, start) = (Counts::now(), Instant::now());
        let capacity = usize::try_from(items + Burst::DEPTH + 1).expect("a few million items");
        let queue = P::new(capacity);
        let mut end = queue.end(Role::Consumer);
        let (mut operations, mut depth) = (0, 0);
        let mut read = |phase, operations, depth| {
            points.push(Point {
                nanos: u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX),
                phase,
                operations,
                depth,
                live_bytes: (Counts::now() - origin).live_bytes(),
                retired_bytes: queue.retired_bytes(),
            });
        };
        for item in 0..Burst::DEPTH {
            end.push(item);
            operations += 1;
            depth += 1;
        }
        for phase in [Phase::Before, Phase::Push, Phase::Pop, Phase::After] {
            let step = match phase {
                Phase::Before => Self::PAIRS,
                Phase::After => Self::PAIRS_AFTER,
                Phase::Push | Phase::Pop => items / Self::READINGS as u64,
            };
            for _ in 0..Self::READINGS {
                for item in 0..step {
                    if phase != Phase::Pop {
                        end.push(black_box(item));
                        operations += 1;
                        depth += 1;
                    }
                    if phase != Phase::Push {
                        black_box(end.pop());
                        operations += 1;
                        depth -= 1;
                    }
                }
                read(phase, operations, depth);
            }
        }
        Self { points }
    }
}

#[cfg(test)]
mod tests {
    use super::{Burst, Memory, Phase};
    use crate::peers::Handles;

    #[test]
    fn memory_comes_and_goes_with_a_burst() {
        let Memory { points } = Memory::of::<Handles<u64>>(100_000);
        let most = |phase| {
            let of_phase = points.iter().filter(|point| point.phase == phase);
            of_phase.map(|point| point.live_bytes).max().unwrap()
        };
        assert!(most(Phase::Push) > 100_000 * 8, "{} bytes", most(Phase::Push));
        let last = points.last().unwrap();
        assert_eq!(last.depth, Burst::DEPTH);
        assert!(last.live_bytes < most(Phase::Push) / 4, "{} bytes left", last.live_bytes);
        assert!(last.retired_bytes.is_some());
        assert!(points.windows(2).all(|pair| pair[0].nanos <= pair[1].nanos));
    }
}
