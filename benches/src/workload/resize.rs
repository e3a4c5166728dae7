//! What growing from 64 slots to a million and shrinking back costs single operations.

use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;
use std::sync::{Barrier, Mutex, PoisonError};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::{Placement, race};
use crate::histogram::{Histogram, Recorder};
use crate::peers::{End, Peer, Role, Upkeep};

/// One way up and down.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Resize {
    /// Threads that push, and then pop.
    pub threads: usize,
    /// Every push on the way up.
    pub push: Histogram,
    /// Every pop on the way down.
    pub pop: Histogram,
    /// The pushes, up or down, during which the ring changed; empty for a queue without rings.
    pub closing: Histogram,
    /// The slowest operations by size, smallest first.
    pub steps: Vec<Step>,
    /// Rings followed by a larger one; nothing for a queue that does not tell.
    pub grows: Option<usize>,
    /// Rings followed by a smaller one.
    pub shrinks: Option<usize>,
    /// Pushes and pops in turn, after the way down, until the ring was back at the smallest; nothing if
    /// it never was.
    pub operations_to_settle: Option<u64>,
}

/// The slowest operations at a size. In nanoseconds; 0 where there was none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// A power of two.
    pub slots: usize,
    /// Of the pushes on the way up that found from `slots` to twice as many items inside.
    pub worst_push: u64,
    /// Of the pops on the way down that found as many.
    pub worst_pop: u64,
    /// Of the pushes that closed a ring of so many slots to grow.
    pub worst_grow: u64,
    /// Of the pushes that closed a ring of so many slots to shrink.
    pub worst_shrink: u64,
}

/// The smallest ring.
const LEAST: usize = 64;
/// The largest.
const MOST: usize = 1 << 20;
/// Rings from one to the other.
const SIZES: usize = (MOST / LEAST).ilog2() as usize + 1;

/// What one thread saw.
#[derive(Default)]
struct Seen {
    push: Recorder,
    pop: Recorder,
    closing: Recorder,
    steps: [Step; SIZES],
}

impl Seen {
    /// The step that a number of items or slots belongs to.
    fn step(&mut self, size: usize) -> &mut Step {
        let above = (size / LEAST).max(1).ilog2() as usize;
        &mut self.steps[above.min(SIZES - 1)]
    }

    /// Times a push, and notes whether the ring changed during it.
    fn push(&mut self, end: &mut impl End<u64>, upkeep: Option<&dyn Upkeep>, item: u64) -> u64 {
        let before = upkeep.map(Upkeep::segment_capacity);
        let start = Instant::now();
        end.push(item);
        let nanos = nanos_since(start);
        let after = upkeep.map(Upkeep::segment_capacity);
        if let Some((before, after)) = before.zip(after)
            && before != after
        {
            self.closing.note(nanos);
            let step = self.step(before);
            let worst = if after > before { &mut step.worst_grow } else { &mut step.worst_shrink };
            *worst = nanos.max(*worst);
        }
        nanos
    }

    fn add(&mut self, other: &Self) {
        self.push.add(&other.push);
        self.pop.add(&other.pop);
        self.closing.add(&other.closing);
        for (all, one) in self.steps.iter_mut().zip(&other.steps) {
            all.worst_push = all.worst_push.max(one.worst_push);
            all.worst_pop = all.worst_pop.max(one.worst_pop);
            all.worst_grow = all.worst_grow.max(one.worst_grow);
            all.worst_shrink = all.worst_shrink.max(one.worst_shrink);
        }
    }
}

impl Resize {
    /// Runs one: threads push until a million items are inside, pop them all, and then one of them
    /// pushes and pops in turn until the ring is back at its smallest, if it has one.
    pub fn run<P: Peer<u64>>(threads: usize) -> Self {
        Self::between::<P>(threads, MOST)
    }

    fn between<P: Peer<u64>>(threads: usize, most: usize) -> Self {
        const SETTLE_STEP: u64 = 16;
        const SETTLE_LIMIT: u64 = 10_000_000;

        let queue = P::resizing(LEAST, most);
        let upkeep = queue.upkeep();
        let inside = AtomicUsize::new(0);
        let turn = Barrier::new(threads);
        let seen: Mutex<(Seen, Option<u64>)> = Mutex::default();
        race(
            threads,
            Placement::Own,
            || (),
            |worker, gate| {
                let mut mine = Seen::default();
                let mut settled = None;
                let mut end = queue.end(Role::Consumer);
                let span = gate.time(|| {
                    for item in 0..(most / threads) as u64 {
                        let nanos = mine.push(&mut end, upkeep, item);
                        mine.push.note(nanos);
                        let step = mine.step(inside.fetch_add(1, Relaxed));
                        step.worst_push = nanos.max(step.worst_push);
                    }
                    turn.wait();
                    loop {
                        let start = Instant::now();
                        if end.pop().is_none() {
                            break;
                        }
                        let nanos = nanos_since(start);
                        mine.pop.note(nanos);
                        let step = mine.step(inside.fetch_sub(1, Relaxed));
                        step.worst_pop = nanos.max(step.worst_pop);
                    }
                    turn.wait();
                    let is_back = || upkeep.is_none_or(|upkeep| upkeep.segment_capacity() <= LEAST);
                    if worker == 0 && upkeep.is_some() {
                        let mut operations = 0;
                        while !is_back() && operations < SETTLE_LIMIT {
                            for item in 0..SETTLE_STEP {
                                mine.push(&mut end, upkeep, item);
                                end.pop();
                            }
                            operations += 2 * SETTLE_STEP;
                        }
                        settled = is_back().then_some(operations);
                    }
                    0
                });
                let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
                seen.0.add(&mine);
                seen.1 = seen.1.or(settled);
                span
            },
        );
        let (seen, settled) = seen.into_inner().unwrap_or_else(PoisonError::into_inner);
        let rings = upkeep.map(Upkeep::rings);
        let mut steps = seen.steps;
        steps.iter_mut().enumerate().for_each(|(above, step)| step.slots = LEAST << above);
        let [push, pop, closing] = [&seen.push, &seen.pop, &seen.closing].map(Histogram::from);
        Self {
            threads,
            push,
            pop,
            closing,
            steps: steps.to_vec(),
            grows: rings.map(|rings| rings.grows),
            shrinks: rings.map(|rings| rings.shrinks),
            operations_to_settle: settled,
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "2^64 ns are 584 years")]
fn nanos_since(start: Instant) -> u64 {
    start.elapsed().as_nanos() as u64
}

#[cfg(test)]
mod tests {
    use super::Resize;
    use crate::peers::Handles;
    use crate::peers::seg_queue::SegQueue;

    const ITEMS: usize = 1 << 14;

    #[test]
    fn a_ring_goes_up_and_down_and_every_size_is_seen() {
        let resize = Resize::between::<Handles<u64>>(1, ITEMS);
        assert_eq!((resize.push.count, resize.pop.count), (ITEMS as u64, ITEMS as u64));
        let (grows, shrinks) = (resize.grows.unwrap(), resize.shrinks.unwrap());
        assert!(grows >= 7 && shrinks >= 1, "{grows} grown, {shrinks} shrunk");
        assert!(resize.operations_to_settle.is_some());
        assert!(resize.closing.count >= 8, "{} pushes closed a ring", resize.closing.count);
        assert!(resize.steps[..6].iter().all(|step| step.worst_grow > 0), "{:?}", resize.steps);
    }

    #[test]
    fn a_queue_without_rings_has_only_its_pushes_and_pops() {
        let resize = Resize::between::<SegQueue<u64>>(2, ITEMS);
        assert_eq!((resize.push.count, resize.pop.count), (ITEMS as u64, ITEMS as u64));
        assert_eq!((resize.closing.count, resize.grows), (0, None));
    }
}
