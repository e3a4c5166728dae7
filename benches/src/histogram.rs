//! Histograms of times, as records keep them.

use hdrhistogram::Histogram as Hdr;
use serde::{Deserialize, Serialize};

/// How many times were how long, in nanoseconds. Percentiles are exact to 1 %.
///
/// The counts are kept too, in sixteen steps an octave, so that histograms can be added up and every
/// quantile can be read off a record, exact to 6 %.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    /// Times recorded.
    pub count: u64,
    /// The middle one.
    pub p50: u64,
    /// Nine in ten are at most this.
    pub p90: u64,
    /// 99 in 100.
    pub p99: u64,
    /// 999 in 1,000.
    pub p99_9: u64,
    /// 9,999 in 10,000.
    pub p99_99: u64,
    /// The longest.
    pub max: u64,
    /// The highest time of a step, in rising order, and how many times fall into it; steps without any
    /// are left out.
    pub counts: Vec<(u64, u64)>,
}

/// Records times. Never allocates after it is made, so that it does not disturb what it measures.
#[derive(Clone, Debug)]
pub struct Recorder(Hdr<u64>);

impl Recorder {
    /// Empty.
    ///
    /// # Panics
    /// Never: the bounds are valid.
    pub fn new() -> Self {
        const LONGEST: u64 = 60_000_000_000;
        const DIGITS: u8 = 2;
        Self(Hdr::new_with_bounds(1, LONGEST, DIGITS).expect("these bounds are valid"))
    }

    /// Notes a time; one beyond a minute counts as a minute.
    #[inline]
    pub fn note(&mut self, nanos: u64) {
        self.0.saturating_record(nanos);
    }

    /// Adds another thread's times.
    ///
    /// # Panics
    /// Never: all recorders have the same bounds.
    pub fn add(&mut self, other: &Self) {
        self.0.add(&other.0).expect("all recorders have the same bounds");
    }
}

impl Default for Recorder {
    fn default() -> Self {
        Self::new()
    }
}

impl From<&Recorder> for Histogram {
    fn from(Recorder(times): &Recorder) -> Self {
        let recorded = times.iter_recorded();
        let counts = recorded.map(|bar| (bar.value_iterated_to(), bar.count_at_value())).collect();
        Self::of(counts, times.max())
    }
}

impl Histogram {
    /// Of counts in any steps.
    fn of(counts: Vec<(u64, u64)>, max: u64) -> Self {
        let count = counts.iter().map(|(_, count)| count).sum();
        let mut histogram = Self { count, max, counts, ..Self::default() };
        let percentile = |percentile| histogram.quantile(percentile / 100.0);
        let [p50, p90, p99, p99_9, p99_99] = [50.0, 90.0, 99.0, 99.9, 99.99].map(percentile);
        histogram = Self { p50, p90, p99, p99_9, p99_99, ..histogram };
        let mut steps: Vec<(u64, u64)> = Vec::new();
        for (nanos, count) in histogram.counts {
            let step = step_of(nanos);
            match steps.last_mut() {
                Some((last, sum)) if *last == step => *sum += count,
                _ => steps.push((step, count)),
            }
        }
        Self { counts: steps, ..histogram }
    }

    /// The time that this part of all times does not exceed; 0 when there are none.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
    pub fn quantile(&self, part: f64) -> u64 {
        let wanted = ((part * self.count as f64).ceil() as u64).max(1);
        let mut seen = 0;
        let bar = self.counts.iter().find(|(_, count)| {
            seen += count;
            seen >= wanted
        });
        bar.map_or(0, |(nanos, _)| (*nanos).min(self.max))
    }

    /// All times of some histograms; its percentiles are exact to 6 %.
    pub fn sum(histograms: &[&Self]) -> Self {
        let mut counts = alloc::collections::BTreeMap::new();
        let mut max = 0;
        for histogram in histograms {
            max = max.max(histogram.max);
            for (nanos, count) in &histogram.counts {
                *counts.entry(*nanos).or_insert(0) += count;
            }
        }
        Self::of(counts.into_iter().collect(), max)
    }
}

/// The highest time of the step that this time falls into.
const fn step_of(nanos: u64) -> u64 {
    const BITS_IN_OCTAVE: u32 = 4;
    let below = (nanos | 1).ilog2().saturating_sub(BITS_IN_OCTAVE);
    nanos | ((1 << below) - 1)
}

#[cfg(test)]
mod tests {
    use super::{Histogram, Recorder};
    use crate::heap::{Counts, is_counting};

    fn of(times: impl IntoIterator<Item = u64>) -> Histogram {
        let mut recorder = Recorder::new();
        times.into_iter().for_each(|nanos| recorder.note(nanos));
        Histogram::from(&recorder)
    }

    #[test]
    fn percentiles_are_exact_to_a_hundredth_and_quantiles_to_a_sixteenth() {
        let histogram = of((1..=10_000).map(|n| n * 100));
        let Histogram { p50, p99, p99_99, .. } = histogram;
        for (part, read, wanted) in
            [(0.5, p50, 500_000), (0.99, p99, 990_000), (0.9999, p99_99, 999_900)]
        {
            assert!(read.abs_diff(wanted) * 100 <= wanted, "{part}: {read}, not {wanted}");
            let coarse = histogram.quantile(part);
            assert!(coarse.abs_diff(wanted) * 16 <= wanted, "{part}: {coarse}, not {wanted}");
        }
        assert!(histogram.counts.len() < 14 * 16, "{} steps", histogram.counts.len());
        assert_eq!((histogram.count, histogram.quantile(1.0)), (10_000, histogram.max));
    }

    #[test]
    fn histograms_add_up() {
        let (low, high) = (of(1..=50), of(51..=100));
        let (sum, all) = (Histogram::sum(&[&high, &low]), of(1..=100));
        assert_eq!((sum.counts, sum.count, sum.max), (all.counts, 100, 100));
        assert!(sum.p50.abs_diff(50) <= 50 / 16, "{}", sum.p50);
        assert_eq!(Histogram::sum(&[]), Histogram::default());
    }

    #[test]
    fn noting_does_not_allocate() {
        assert!(is_counting());
        let (mut recorder, other) = (Recorder::new(), Recorder::new());
        let before = Counts::now();
        for magnitude in 0..64 {
            recorder.note(1 << magnitude);
        }
        recorder.add(&other);
        assert_eq!(Counts::now(), before);
    }
}
