//! At least as many items as workers go round: each worker holds at most one at a time, so that there
//! is always one inside and no pop may find nothing.

use core::fmt;
use core::hint::black_box;

use super::disturb::Disturber;
use super::fault::Fault;
use crate::history::Value;
use crate::peers::{End, Peer, Role};
use crate::tally::Tally;
use crate::workload::together;

/// One circulation.
#[derive(Clone, Copy, Debug)]
pub struct Circulation {
    /// Of all decisions.
    pub seed: u64,
    /// Threads, each of which takes an item out and puts it back.
    pub workers: u16,
    /// Items: never fewer than workers.
    pub items: u64,
    /// How often each worker does it.
    pub rounds: u64,
}

impl Circulation {
    /// A circulation in which about so many items are moved.
    pub fn random(rng: &mut fastrand::Rng, moves: u64) -> Self {
        let workers = rng.u16(2..=8);
        let spare = [0, 0, 1, 2, 7, 60][rng.usize(..6)];
        Self {
            seed: rng.u64(..),
            workers,
            items: u64::from(workers) + spare,
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
        assert!(self.items >= u64::from(self.workers), "too few items for the workers: {self}");
        let (mut pushed, mut popped) = (Tally::default(), Tally::default());
        let mut end = queue.end(Role::Producer);
        for item in (0..self.items).map(|number| Value::new(0, number)) {
            pushed.add(item);
            end.push(item.to_bits());
        }
        drop(end);

        let moved = together((0..usize::from(self.workers)).collect(), |worker, gate| {
            let mut disturber = Disturber::new(self.seed ^ worker as u64, 64);
            let mut end = queue.end(Role::Consumer);
            gate.wait();
            for moved in 0..self.rounds {
                let Some(item) = end.pop() else {
                    return Err(Fault::FalseEmpty { worker, moved });
                };
                end.push(black_box(item));
                disturber.maybe(queue, &mut end);
            }
            Ok(self.rounds)
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
        Ok(2 * (moved + self.items))
    }
}

impl fmt::Display for Circulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { workers, items, rounds, .. } = self;
        write!(f, "circulation of {items} items among {workers} threads x {rounds}")
    }
}
