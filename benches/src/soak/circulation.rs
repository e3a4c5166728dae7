//! At least as many items as workers go round: each worker holds at most one at a time, so that there
//! is always one inside and no pop may find nothing.

use core::fmt;
use core::hint::black_box;

use super::disturb::Disturber;
use super::fault::Fault;
use super::stall::Stalls;
use crate::history::Value;
use crate::peers::{End, Peer, Role};
use crate::tally::Tally;
use crate::workload::{Gate, together};

/// One circulation.
#[derive(Clone, Copy, Debug)]
pub struct Circulation {
    /// Of all decisions.
    pub seed: u64,
    /// Threads, each of which takes an item out and puts it back.
    pub workers: u16,
    /// Items: never fewer than workers.
    pub items: usize,
    /// Whether workers are stalled in the middle of operations.
    pub stalled: bool,
    /// How often each worker does it.
    pub rounds: u64,
}

impl Circulation {
    /// A circulation in which about so many items are moved.
    pub fn random(rng: &mut fastrand::Rng, moves: u64) -> Self {
        let workers = [1, 2, 2, 2, 3, 4, 6, 8, 12, 16][rng.usize(..10)];
        let spare = [0, 0, 1, 2, 7, 60][rng.usize(..6)];
        Self {
            seed: rng.u64(..),
            workers,
            items: usize::from(workers) + spare,
            stalled: rng.u8(..3) == 0,
            rounds: moves / u64::from(workers),
        }
    }

    /// Runs it on an empty queue, and returns the number of pushes and pops.
    ///
    /// # Errors
    /// When a pop finds nothing, or other items come out than went in.
    ///
    /// # Panics
    /// When an operation of the queue does, or with fewer items than workers.
    pub fn run<P: Peer<u64>>(&self, queue: &P) -> Result<u64, Fault> {
        assert!(self.items >= usize::from(self.workers), "too few items for the workers: {self}");
        let (mut pushed, mut popped) = (Tally::default(), Tally::default());
        let mut end = queue.end(Role::Producer);
        for item in (0..self.items as u64).map(|number| Value::new(0, number)) {
            pushed.add(item);
            end.push(item.to_bits());
        }
        drop(end);

        let workers = (0..usize::from(self.workers)).collect();
        let stalls = Stalls::default();
        let stall = || {
            if self.stalled {
                stalls.run(usize::from(self.workers), self.seed);
            }
        };
        let moved = together(workers, stall, |worker, gate| {
            stalls.attend(|| self.work(queue, worker, gate))
        });
        let moved: u64 = moved.into_iter().sum::<Result<u64, Fault>>()?;

        let mut end = queue.end(Role::Consumer);
        while popped.count <= pushed.count
            && let Some(item) = end.pop()
        {
            popped.add(Value::from_bits(item));
        }
        if pushed != popped {
            return Err(Fault::Conservation { pushed, popped });
        }
        Ok(2 * (moved + self.items as u64))
    }

    /// Takes an item out and puts it back, and returns how often.
    fn work<P: Peer<u64>>(&self, queue: &P, worker: usize, gate: &Gate) -> Result<u64, Fault> {
        let mut disturber = Disturber::new(self.seed ^ worker as u64, 64);
        let mut end = queue.end(Role::Consumer);
        gate.wait();
        for moved in 0..self.rounds {
            let Some(item) = end.pop() else { return Err(Fault::FalseEmpty { worker, moved }) };
            end.push(black_box(item));
            disturber.maybe(queue, &mut end);
        }
        Ok(self.rounds)
    }
}

impl fmt::Display for Circulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { workers, items, rounds, stalled, .. } = self;
        let stalled = if *stalled { ", stalled within operations" } else { "" };
        write!(f, "circulation of {items} items among {workers} threads x {rounds}{stalled}")
    }
}
