//! How far a median ratio can be trusted.
//!
//! The ratios of a comparison come one from each round, and rounds go there and back in turn: whoever comes
//! first in one comes last in the next, so what a machine gains or loses steadily moves the ratios of both
//! directions apart, and their median stays where it was. The interval is a percentile bootstrap: as many
//! ratios as there are get drawn with replacement, and the median of what was drawn is noted, again and
//! again, [`Interval::RESAMPLES`] times; the interval holds the middle 99 % of these medians.
//!
//! Resampling underrates the spread of so few: of 6 to 12 rounds, some 97 % of the intervals hold the true
//! ratio, not 99 %, and a test holds it to 95 %. The seed is fixed: the same record gives the same interval.

use serde::{Deserialize, Serialize};

use crate::compare::{Spread, Verdict};
use crate::workload::Sample;

/// A median with the interval that it is trusted to lie in.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Of all ratios.
    pub median: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Resamples that an interval is made of.
    pub const RESAMPLES: usize = 2_000;
    /// The part of their medians that lies inside.
    pub const LEVEL: f64 = 0.99;

    const SEED: u64 = 0x5e67_1297;

    /// How long `ours` takes for what `theirs` does in one: over the rounds in which both have a result,
    /// if these are more than half.
    pub fn of_ratios(ours: &[Sample], theirs: &[Sample]) -> Option<Self> {
        let results = ours.iter().map(Sample::result).zip(theirs.iter().map(Sample::result));
        let ratios: Vec<_> = results.map(|(ours, theirs)| Some(ours? / theirs?)).collect();
        if 2 * ratios.iter().flatten().count() > ours.len() { Self::of(&ratios) } else { None }
    }

    /// Of readings by round, where there are any.
    pub fn of(readings: &[Option<f64>]) -> Option<Self> {
        let readings: Vec<f64> = readings.iter().flatten().copied().collect();
        let median = Spread::of(readings.iter().copied())?.median;
        let mut rng = fastrand::Rng::with_seed(Self::SEED);
        let mut medians: Vec<f64> = (0..Self::RESAMPLES)
            .filter_map(|_| {
                let drawn = readings.iter().filter_map(|_| rng.choice(&readings));
                Some(Spread::of(drawn.copied())?.median)
            })
            .collect();
        medians.sort_by(f64::total_cmp);
        let outside = (Self::RESAMPLES as f64 * (1.0 - Self::LEVEL) / 2.0).round();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few")]
        let outside = outside as usize;
        let (low, high) = (medians[outside], medians[Self::RESAMPLES - 1 - outside]);
        Some(Self { median, low, high })
    }

    /// What it says as a ratio: no difference as soon as it holds 1.
    pub fn verdict(self) -> Verdict {
        let Self { median, low, high } = self;
        Spread { median, low, high }.verdict()
    }
}

#[cfg(test)]
mod tests {
    use super::Interval;
    use crate::compare::Verdict;

    /// The sum of some even numbers is nearly normal.
    fn noise(rng: &mut fastrand::Rng) -> f64 {
        (0..6).map(|_| rng.f64() - 0.5).sum()
    }

    #[test]
    fn intervals_hold_the_true_ratio() {
        const TRIALS: usize = 120;
        let mut rng = fastrand::Rng::with_seed(1);
        for rounds in [6, 8, 12] {
            let holds = |_: &usize| {
                // Two equals on a machine that gets faster: 4 % of noise, and 2 % of drift that
                // changes sides with the direction.
                let reading = |round| {
                    let drift = if round % 2 == 0 { 0.02 } else { -0.02 };
                    Some(1.0 + drift + 0.06 * noise(&mut rng))
                };
                let readings: Vec<_> = (0..rounds).map(reading).collect();
                let interval = Interval::of(&readings).unwrap();
                interval.verdict() == Verdict::NoDifference
            };
            let held = (0..TRIALS).filter(holds).count() as f64 / TRIALS as f64;
            assert!(held >= 0.95, "{rounds} rounds: {held} of the intervals held it");
        }
    }

    #[test]
    fn a_difference_is_seen() {
        let interval = Interval::of(&[0.8, 0.82, 0.79, 0.81, 0.8, 0.83].map(Some)).unwrap();
        assert!((interval.median - 0.805).abs() < 1e-9, "{interval:?}");
        assert_eq!(interval.verdict(), Verdict::Win);
        assert_eq!(Interval::of(&[None, None]), None);
    }
}
