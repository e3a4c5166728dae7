//! Interleaved comparison: on a noisy machine only what ran side by side can be compared.

use core::cmp::Ordering;
use core::fmt;
use core::time::Duration;
use std::time::Instant;

use serde::Serialize;

use crate::peers::Competitor;
use crate::workload::{Case, Sample};

/// One competitor's samples of one case, in the order of the rounds.
#[derive(Clone, Debug)]
pub struct Series<S> {
    /// Whose.
    pub competitor: Competitor,
    /// One a round.
    pub samples: Vec<S>,
}

/// All samples of a case.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// What was run.
    pub case: Case,
    /// Who ran it.
    pub series: Vec<Series<Sample>>,
}

impl Comparison {
    /// Runs `rounds` rounds in which everybody takes one sample of about this length, forwards in
    /// even rounds and backwards in odd ones, so that a machine that slows down or speeds up favours
    /// nobody.
    pub fn run(
        case: Case,
        competitors: &[Competitor],
        rounds: usize,
        length: Duration,
        seed: u64,
    ) -> Self {
        /// Enough to tell roughly how many operations fill a sample.
        const TRIAL: u64 = 10_000;

        let sample = |competitor: Competitor, operations: u64, round: usize| {
            (competitor.sample)(case, operations, seed.wrapping_add(round as u64))
        };
        let mut speeds = Vec::new();
        let entered = competitors.iter().copied().filter(|competitor| competitor.enters(case));
        let entrants: Vec<Competitor> = entered.collect();
        for competitor in &entrants {
            speeds.push(sample(*competitor, TRIAL, 0).nanos_per_operation());
        }
        let samples = in_rounds(entrants.len(), rounds, |index, round| {
            let operations = operations_in(length, speeds[index]);
            let sample = sample(entrants[index], operations, round);
            speeds[index] = sample.nanos_per_operation();
            sample
        });
        let series = entrants.into_iter().zip(samples);
        let series = series.map(|(competitor, samples)| Series { competitor, samples }).collect();
        Self { case, series }
    }

    /// The series of a competitor, if it took part.
    pub fn series_of(&self, name: &str) -> Option<&Series<Sample>> {
        self.series.iter().find(|series| series.competitor.name == name)
    }

    /// How long `ours` takes for what `theirs` does in one.
    pub fn ratio(&self, ours: &str, theirs: &str) -> Option<Spread> {
        let nanos = |name| {
            let series = self.series_of(name)?;
            Some(series.samples.iter().map(Sample::nanos_per_operation))
        };
        Spread::of(nanos(ours)?.zip(nanos(theirs)?).map(|(ours, theirs)| ours / theirs))
    }
}

/// Takes one sample of each of `competitors` in every round, there and back in turn; one list of
/// samples for each, by round.
pub fn in_rounds<S>(
    competitors: usize,
    rounds: usize,
    mut sample: impl FnMut(usize, usize) -> S,
) -> Vec<Vec<S>> {
    let mut samples: Vec<Vec<S>> = (0..competitors).map(|_| Vec::new()).collect();
    for round in 0..rounds {
        for step in 0..competitors {
            let index = if round % 2 == 0 { step } else { competitors - 1 - step };
            samples[index].push(sample(index, round));
        }
    }
    samples
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped before")]
fn operations_in(length: Duration, nanos_per_operation: f64) -> u64 {
    let operations = length.as_nanos() as f64 / nanos_per_operation.max(0.1);
    operations.clamp(1_000.0, 1e9) as u64
}

/// The median and range of some readings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// The middle one, or the mean of both middle ones.
    pub median: f64,
    /// The least.
    pub low: f64,
    /// The greatest.
    pub high: f64,
}

/// What a ratio of ours to theirs says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Verdict {
    /// We took less time in every round.
    Win,
    /// We took more time in every round.
    Loss,
    /// Neither.
    NoDifference,
}

impl Spread {
    /// Of some readings, if there are any.
    pub fn of(readings: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = readings.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let (low, high) = (*sorted.first()?, *sorted.last()?);
        let middle = sorted.len() / 2;
        let median = if sorted.len() % 2 == 1 {
            sorted[middle]
        } else {
            f64::midpoint(sorted[middle - 1], sorted[middle])
        };
        Some(Self { median, low, high })
    }

    /// What it says as a ratio: no difference as soon as the range holds 1.
    pub fn verdict(self) -> Verdict {
        match (self.low.total_cmp(&1.0), self.high.total_cmp(&1.0)) {
            (_, Ordering::Less) => Verdict::Win,
            (Ordering::Greater, _) => Verdict::Loss,
            _ => Verdict::NoDifference,
        }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { median, low, high } = self;
        write!(f, "{median:.2} [{low:.2}-{high:.2}]")
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Win => "+",
            Self::Loss => "-",
            Self::NoDifference => "=",
        })
    }
}

/// Splits what is left of a time among what is left to do, as that turns out to take.
#[derive(Debug)]
pub struct Budget {
    until: Instant,
    shares: u32,
}

impl Budget {
    /// Shorter samples say nothing at all.
    pub const LEAST: Duration = Duration::from_millis(2);
    /// Longer ones say nothing more.
    pub const MOST: Duration = Duration::from_millis(500);

    /// The time until then, in so many shares.
    pub const fn new(until: Instant, shares: u32) -> Self {
        Self { until, shares }
    }

    /// The length of each of `samples` samples that weigh `weight` shares each.
    pub fn take(&mut self, samples: u32, weight: u32) -> Duration {
        let share = self.until.saturating_duration_since(Instant::now()) / self.shares.max(1);
        self.shares = self.shares.saturating_sub(samples * weight);
        (share * weight).clamp(Self::LEAST, Self::MOST)
    }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;
    use std::time::Instant;

    use super::{Budget, Spread, Verdict, in_rounds};

    #[test]
    fn rounds_go_there_and_back() {
        let mut order = Vec::new();
        let samples = in_rounds(3, 2, |index, round| {
            order.push(index);
            10 * index + round
        });
        assert_eq!(order, [0, 1, 2, 2, 1, 0]);
        assert_eq!(samples, [[0, 1], [10, 11], [20, 21]]);
    }

    #[test]
    fn a_spread_is_median_and_range() {
        let spread = Spread::of([3.0, 1.0, 2.0]).unwrap();
        assert_eq!(spread, Spread { median: 2.0, low: 1.0, high: 3.0 });
        assert_eq!(Spread::of([4.0, 1.0, 3.0, 2.0]).unwrap().median.to_bits(), 2.5_f64.to_bits());
        assert_eq!(Spread::of([]), None);
    }

    #[test]
    fn a_range_that_holds_one_is_no_difference() {
        let verdict = |readings: [f64; 2]| Spread::of(readings).unwrap().verdict();
        assert_eq!(verdict([0.5, 0.9]), Verdict::Win);
        assert_eq!(verdict([1.1, 1.2]), Verdict::Loss);
        assert_eq!(verdict([0.9, 1.1]), Verdict::NoDifference);
        assert_eq!(verdict([0.9, 1.0]), Verdict::NoDifference);
        assert_eq!(verdict([1.0, 1.1]), Verdict::NoDifference);
    }

    #[test]
    fn a_budget_is_shared_by_weight() {
        let mut budget = Budget::new(Instant::now() + Duration::from_secs(10), 100);
        let sample = budget.take(10, 4);
        assert!(sample > Duration::from_millis(390) && sample <= Duration::from_millis(400));
        assert_eq!(Budget::new(Instant::now(), 100).take(1, 1), Budget::LEAST);
    }
}
