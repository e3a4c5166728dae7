//! Interleaved comparison: on a noisy machine only what ran side by side can be compared.

use core::cmp::Ordering;
use core::fmt;
use core::time::Duration;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::interval::Interval;
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
    /// How long the samples were meant to be.
    pub length: Duration,
    /// Who ran it.
    pub series: Vec<Series<Sample>>,
    /// Who ran it twice, the second time.
    pub control: Option<Series<Sample>>,
}

impl Comparison {
    /// Takes `rounds` rounds in which everybody takes one sample of this length, forwards in even rounds
    /// and backwards in odd ones (A B, B A), so that a machine that slows down or speeds up favours nobody.
    pub fn run(
        case: Case,
        competitors: &[Competitor],
        rounds: usize,
        length: Duration,
        sample: impl Fn(&Competitor, usize) -> Sample,
    ) -> Self {
        let entered = competitors.iter().copied().filter(|competitor| competitor.enters(case));
        let entrants: Vec<Competitor> = entered.collect();
        let samples =
            in_rounds(entrants.len(), rounds, |index, round| sample(&entrants[index], round));
        let series = entrants.into_iter().zip(samples);
        let series = series.map(|(competitor, samples)| Series { competitor, samples }).collect();
        Self { case, length, series, control: None }
    }

    /// The same, in which the first one also comes last, as a control: as if it were another.
    pub fn controlled(
        case: Case,
        entrants: &[Competitor],
        rounds: usize,
        length: Duration,
        sample: impl Fn(&Competitor, usize) -> Sample,
    ) -> Self {
        let everybody: Vec<Competitor> = entrants.iter().chain(entrants.first()).copied().collect();
        let mut comparison = Self::run(case, &everybody, rounds, length, sample);
        comparison.control = comparison.series.pop();
        comparison
    }

    /// How long the first one takes for what it does in one as its own control: 1, if the method is good.
    pub fn control_interval(&self) -> Option<Interval> {
        let control = self.control.as_ref()?;
        let samples = &self.series_of(control.competitor.name)?.samples;
        Interval::of_ratios(samples, &control.samples)
    }

    /// How long `ours` takes for what `theirs` does in one, and how far that can be trusted.
    pub fn interval(&self, ours: &str, theirs: &str) -> Option<Interval> {
        let (ours, theirs) = (self.series_of(ours)?, self.series_of(theirs)?);
        Interval::of_ratios(&ours.samples, &theirs.samples)
    }

    /// The series of a competitor, if it took part.
    pub fn series_of(&self, name: &str) -> Option<&Series<Sample>> {
        self.series.iter().find(|series| series.competitor.name == name)
    }

    /// How long `ours` takes for what `theirs` does in one, over the rounds in which both have a
    /// result, if these are more than half.
    pub fn ratio(&self, ours: &str, theirs: &str) -> Option<Spread> {
        paired(&self.series_of(ours)?.samples, &self.series_of(theirs)?.samples)
    }
}

/// The ratios of samples of the same rounds, if more than half of the rounds have both results.
pub fn paired(ours: &[Sample], theirs: &[Sample]) -> Option<Spread> {
    let results = ours.iter().map(Sample::result).zip(theirs.iter().map(Sample::result));
    let ratios: Vec<f64> = results.filter_map(|(ours, theirs)| Some(ours? / theirs?)).collect();
    if 2 * ratios.len() > ours.len() { Spread::of(ratios) } else { None }
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
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

/// The length of a sample of weight 1, when so many are to be taken until then.
///
/// It stays the same for the whole of a comparison: if the last cases had to make up for what the first
/// ran over, they would get the worst samples. The run may end a little late instead.
pub fn sample_length(until: Instant, samples: u32) -> Duration {
    /// Shorter samples say nothing at all.
    const LEAST: Duration = Duration::from_millis(2);
    /// Longer ones say nothing more.
    const MOST: Duration = Duration::from_millis(500);
    /// The rest goes into starting threads, filling queues and warming up.
    const TIMED: f64 = 0.85;

    let share = until.saturating_duration_since(Instant::now()) / samples.max(1);
    share.mul_f64(TIMED).clamp(LEAST, MOST)
}

#[cfg(test)]
mod tests {
    use core::time::Duration;
    use std::time::Instant;

    use super::{Spread, Verdict, in_rounds, sample_length};

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
    fn samples_share_the_time() {
        let length = sample_length(Instant::now() + Duration::from_secs(10), 100);
        assert!(length > Duration::from_millis(80) && length <= Duration::from_millis(85));
        assert_eq!(sample_length(Instant::now(), 100), Duration::from_millis(2));
    }
}
