//! Work between operations. Without it a thread has the lines of a queue in its cache for long runs,
//! which flatters locks and backoff.

use core::fmt;
use core::hint::black_box;
use core::ops::RangeInclusive;
use std::sync::OnceLock;
use std::time::Instant;

use serde::Serialize;

/// What the threads of a case do between operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Between {
    /// Nothing.
    Nothing,
    /// 0 to 100 ns of work.
    Think,
    /// 50 to 150 ns of work.
    Work,
}

impl Between {
    /// The shortest and longest work in nanoseconds, if there is any.
    pub const fn think(self) -> Option<RangeInclusive<f64>> {
        match self {
            Self::Nothing => None,
            Self::Think => Some(0.0..=100.0),
            Self::Work => Some(50.0..=150.0),
        }
    }
}

impl fmt::Display for Between {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nothing => "",
            Self::Think => " think",
            Self::Work => " work",
        })
    }
}

/// What a worker does between operations.
pub trait Pause {
    /// Does it.
    fn pause(&mut self);
}

/// Nothing.
#[derive(Clone, Copy, Debug)]
pub struct NoThink;

impl Pause for NoThink {
    #[inline]
    fn pause(&mut self) {}
}

/// A random time within bounds, as measured on an idle core.
#[derive(Clone, Debug)]
pub struct Think {
    rng: fastrand::Rng,
    turns: RangeInclusive<u32>,
}

impl Think {
    /// Of so many nanoseconds, with times that follow from `seed`.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few hundred")]
    pub fn new(nanos: RangeInclusive<f64>, seed: u64) -> Self {
        static NANOS_PER_TURN: OnceLock<f64> = OnceLock::new();
        let nanos_per_turn = NANOS_PER_TURN.get_or_init(calibrate);
        let turns = |nanos: f64| (nanos / nanos_per_turn) as u32;
        let turns = turns(*nanos.start())..=turns(*nanos.end());
        Self { rng: fastrand::Rng::with_seed(seed), turns }
    }
}

impl Pause for Think {
    #[inline]
    fn pause(&mut self) {
        spin(self.rng.u32(self.turns.clone()));
    }
}

#[inline]
fn spin(turns: u32) {
    for turn in 0..turns {
        black_box(turn);
    }
}

/// Nanoseconds of a turn of [`spin`]. The fastest of several trials: the others were disturbed.
fn calibrate() -> f64 {
    const TURNS: u32 = 100_000;
    let trial = |_| {
        let start = Instant::now();
        spin(black_box(TURNS));
        start.elapsed().as_nanos() as f64 / f64::from(TURNS)
    };
    (0..10).map(trial).fold(f64::INFINITY, f64::min).max(f64::MIN_POSITIVE)
}
