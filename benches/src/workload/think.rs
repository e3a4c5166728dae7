//! Work between operations. Without it a thread has the lines of a queue in its cache for long runs,
//! which flatters locks and backoff.

use core::hint::black_box;
use std::sync::OnceLock;
use std::time::Instant;

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

/// A random time of 0 to 100 ns, as measured on an idle core.
#[derive(Clone, Debug)]
pub struct Think {
    rng: fastrand::Rng,
    longest: u32,
}

impl Think {
    const LONGEST_NANOS: f64 = 100.0;

    /// With times that follow from `seed`.
    pub fn new(seed: u64) -> Self {
        static LONGEST: OnceLock<u32> = OnceLock::new();
        let longest = *LONGEST.get_or_init(calibrate);
        Self { rng: fastrand::Rng::with_seed(seed), longest }
    }
}

impl Pause for Think {
    #[inline]
    fn pause(&mut self) {
        spin(self.rng.u32(..=self.longest));
    }
}

#[inline]
fn spin(turns: u32) {
    for turn in 0..turns {
        black_box(turn);
    }
}

/// Turns of [`spin`] in the longest pause. The fastest of several trials: the others were disturbed.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few hundred turns")]
fn calibrate() -> u32 {
    const TURNS: u32 = 100_000;
    let trial = |_| {
        let start = Instant::now();
        spin(black_box(TURNS));
        start.elapsed().as_nanos() as f64 / f64::from(TURNS)
    };
    let nanos_per_turn = (0..10).map(trial).fold(f64::INFINITY, f64::min);
    (Think::LONGEST_NANOS / nanos_per_turn.max(f64::MIN_POSITIVE)) as u32
}
