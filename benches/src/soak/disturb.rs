//! Trouble between operations, so that threads meet in states they would not meet in by themselves.

use core::hint::{black_box, spin_loop};
use std::thread;

use crate::peers::{Peer, Role, Upkeep};
use crate::workload::{core_count, pin_to_core};

/// Disturbs one operation in so many, at random.
#[derive(Debug)]
pub(super) struct Disturber {
    rng: fastrand::Rng,
    one_in: u32,
}

impl Disturber {
    pub(super) fn new(seed: u64, one_in: u32) -> Self {
        Self { rng: fastrand::Rng::with_seed(seed), one_in }
    }

    /// Perhaps gives up the core, dawdles, moves to another core, replaces the end by a new one, looks at the depth, or asks
    /// for a smaller ring.
    #[inline]
    pub(super) fn maybe<'a, T, P: Peer<T>>(&mut self, queue: &'a P, end: &mut P::End<'a>) {
        if self.rng.u32(..self.one_in) == 0 {
            self.disturb(queue, end);
        }
    }

    #[cold]
    fn disturb<'a, T, P: Peer<T>>(&mut self, queue: &'a P, end: &mut P::End<'a>) {
        match self.rng.u8(..20) {
            0..8 => thread::yield_now(),
            8..15 => (0..self.rng.u32(..300)).for_each(|_| spin_loop()),
            15 => pin_to_core(self.rng.usize(..core_count())),
            16 | 17 => *end = queue.end(Role::Consumer),
            18 => _ = black_box(queue.upkeep().map(Upkeep::depth)),
            _ => {
                if let Some(queue) = queue.upkeep() {
                    queue.shrink_to_fit();
                }
            }
        }
    }
}
