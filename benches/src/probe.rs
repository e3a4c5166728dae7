//! What the machine is like right now.
//!
//! On a shared machine the cost of moving a cache line, or the speed of two threads together, can
//! change severalfold within the hour. So a run begins and ends with a probe, and results from
//! different probes are never compared.

use core::hint::{black_box, spin_loop};
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::thread;
use std::time::Instant;

use crossbeam_utils::CachePadded;
use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::workload::{Placement, core_count, race};

/// Readings in nanoseconds, unless they say otherwise.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Probe {
    /// One way of a cache line between two threads; nothing on a single core.
    pub line_one_way_nanos: Option<f64>,
    /// How many times as much two threads get done as one, with nothing shared: at best 2.
    pub parallel_speedup: f64,
    /// A `fetch_add` on a line nobody else wants.
    pub fetch_add_nanos: f64,
    /// A `fetch_add` on a line that two threads want, per operation of either.
    pub fetch_add_contended_nanos: f64,
    /// One reading of [`Instant`].
    pub instant_nanos: f64,
    /// Both stamps of a recorded operation.
    pub stamps_nanos: f64,
    /// By how many ticks the stamps of two cores were seen to disagree.
    pub stamp_skew_ticks: u64,
}

impl Probe {
    /// Takes all readings, in a fraction of a second.
    pub fn take(clock: &Clock) -> Self {
        const TURNS: u64 = 1_000_000;

        let shared = CachePadded::new(AtomicU64::new(0));
        let add = |workers| {
            per_turn(workers, TURNS, || {
                shared.fetch_add(1, Relaxed);
            })
        };
        let alone = per_turn(1, 4 * TURNS, pure_step);
        let together = per_turn(2, 4 * TURNS, pure_step);
        Self {
            line_one_way_nanos: (core_count() > 1).then(line_one_way),
            parallel_speedup: alone / together,
            fetch_add_nanos: add(1),
            fetch_add_contended_nanos: add(2),
            instant_nanos: per_turn(1, TURNS / 8, || {
                black_box(Instant::now());
            }),
            stamps_nanos: per_turn(1, TURNS / 8, || {
                black_box((clock.call(), clock.response()));
            }),
            stamp_skew_ticks: clock.skew(),
        }
    }
}

/// Nanoseconds per turn, all turns of all workers counted; the median of three trials.
fn per_turn(workers: usize, turns: u64, turn: impl Fn() + Sync) -> f64 {
    let trial = || {
        let race = race(
            workers,
            Placement::Own,
            || (),
            |_, gate| {
                gate.time(|| {
                    (0..turns).for_each(|_| turn());
                    turns
                })
            },
        );
        race.nanos as f64 / race.operations as f64
    };
    let mut trials = [trial(), trial(), trial()];
    trials.sort_by(f64::total_cmp);
    trials[1]
}

/// A step of a computation that shares nothing.
fn pure_step() {
    let mut state = black_box(0x9e37_79b9_u64);
    for _ in 0..4 {
        state ^= state << 13;
        state ^= state >> 7;
    }
    black_box(state);
}

fn line_one_way() -> f64 {
    const HANDOVERS: u64 = 20_000;
    let ball = Ball::new();
    let race = race(
        2,
        Placement::Own,
        || (),
        |side, gate| {
            gate.time(|| {
                ball.play(side, HANDOVERS, |ball| ball);
                HANDOVERS
            })
        },
    );
    race.nanos as f64 / race.operations as f64
}

/// A cache line that two threads hand back and forth.
#[derive(Debug)]
pub(crate) struct Ball(CachePadded<Line>);

#[derive(Debug)]
struct Line {
    turn: AtomicU64,
    message: AtomicU64,
}

impl Ball {
    pub(crate) const fn new() -> Self {
        Self(CachePadded::new(Line { turn: AtomicU64::new(0), message: AtomicU64::new(0) }))
    }

    /// Plays one side, 0 or 1: takes the ball `handovers` times, each time answering the other's
    /// message.
    pub(crate) fn play(&self, side: usize, handovers: u64, mut answer: impl FnMut(u64) -> u64) {
        /// Then the other side may need this core.
        const PATIENCE: u32 = 10_000;

        for handover in 0..handovers {
            let turn = 2 * handover + side as u64;
            let mut waited = 0;
            while self.0.turn.load(Acquire) != turn {
                waited += 1;
                if waited % PATIENCE == 0 { thread::yield_now() } else { spin_loop() }
            }
            self.0.message.store(answer(self.0.message.load(Relaxed)), Relaxed);
            self.0.turn.store(turn + 1, Release);
        }
    }
}
