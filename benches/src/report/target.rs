//! What the queue is meant to reach. Falling short is said, but is no violation.

use core::fmt;

use serde::{Deserialize, Serialize};

use super::{OURS, Results, bytes, thousands};
use crate::compare::{Comparison, Series, Spread};
use crate::peers::array_queue::ArrayQueue;
use crate::peers::seg_queue::SegQueue;
use crate::peers::std_mpsc::Mpsc;
use crate::peers::{Bounded, BoundedHandles, Handles, OneConsumer, Peer, Shared};
use crate::workload::{Burst, Case};

/// A target, and what was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// What is measured.
    pub subject: String,
    /// What was asked for.
    pub wanted: String,
    /// What came of it.
    pub measured: String,
    /// Whether that is enough.
    pub met: bool,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { subject, wanted, measured, met } = self;
        write!(f, "{}: {subject}: {measured}, wanted {wanted}", if *met { "met" } else { "short" })
    }
}

/// Every target that the results speak about.
pub fn targets(results: &Results) -> Vec<Target> {
    let (handle, shared) = (<Handles<u64> as Peer<u64>>::NAME, <Shared<u64> as Peer<u64>>::NAME);
    let seg_queue = <SegQueue<u64> as Peer<u64>>::NAME;
    let array_queue = <ArrayQueue<u64> as Peer<u64>>::NAME;
    let (mpsc, std_mpsc) = (<OneConsumer<u64> as Peer<u64>>::NAME, <Mpsc<u64> as Peer<u64>>::NAME);
    let (bounded, bounded_handle) =
        (<Bounded<u64> as Peer<u64>>::NAME, <BoundedHandles<u64> as Peer<u64>>::NAME);
    let case = |wanted: fn(&Case) -> bool| {
        results.comparisons().filter(move |comparison| wanted(&comparison.case))
    };

    let mut targets = Vec::new();
    for comparison in case(|case| *case == Case::Pair) {
        targets.extend(ratio(comparison, handle, seg_queue, 0.55));
        targets.extend(ratio(comparison, handle, array_queue, 1.25));
        targets.extend(ratio(comparison, shared, seg_queue, 1.1));
        targets.extend(ratio(comparison, mpsc, std_mpsc, 0.35));
        targets.extend(ratio(comparison, mpsc, array_queue, 0.75));
        targets.extend(ratio(comparison, bounded_handle, array_queue, 1.3));
        targets.extend(ratio(comparison, bounded, array_queue, 1.3));
    }
    for comparison in case(|case| case.workers() > 1) {
        targets.extend(ratio(comparison, bounded, array_queue, 1.5));
    }
    for comparison in case(|case| matches!(case, Case::Batch { .. })) {
        let pair = case(|case| *case == Case::Pair).next();
        targets.extend(pair.and_then(|pair| per_item(comparison, pair, handle, 0.35)));
        targets.extend(ratio(comparison, handle, seg_queue, 0.12));
    }
    // The bounded ones do not promise it: they have no spare before a ring has jammed.
    for (_, ours) in &OURS[..3] {
        for comparison in case(|case| matches!(case, Case::RingBoundary { .. })) {
            targets.extend(no_allocation(comparison, ours));
        }
    }
    for (_, ours) in OURS {
        targets.extend(results.bursts.iter().find(|b| b.competitor.name == ours).and_then(burst));
    }
    targets
}

/// The median of the paired ratios against a limit.
fn ratio(comparison: &Comparison, ours: &str, theirs: &str, limit: f64) -> Option<Target> {
    let ratio = comparison.ratio(ours, theirs)?;
    Some(Target {
        subject: format!("{}, {ours} / {theirs}", comparison.case),
        wanted: format!("a median of at most {limit}"),
        measured: ratio.to_string(),
        met: ratio.median <= limit,
    })
}

/// An item of a batch against a push and a pop alone, round by round. (The two cases run one after
/// the other, not interleaved.)
fn per_item(batch: &Comparison, pair: &Comparison, ours: &str, limit: f64) -> Option<Target> {
    let (batched, single) = (batch.series_of(ours)?, pair.series_of(ours)?);
    let rounds = batched.samples.iter().zip(&single.samples);
    let ratio = Spread::of(rounds.filter_map(|(b, s)| Some(b.result()? / s.result()?)))?;
    Some(Target {
        subject: format!("{}, an item / {}, {ours}", batch.case, pair.case),
        wanted: format!("a median of at most {limit}"),
        measured: ratio.to_string(),
        met: ratio.median <= limit,
    })
}

/// Nothing allocated in any sample.
fn no_allocation(comparison: &Comparison, ours: &str) -> Option<Target> {
    let samples = &comparison.series_of(ours)?.samples;
    let allocations: u64 = samples.iter().map(|s| s.allocated.allocations).sum();
    let allocated: u64 = samples.iter().map(|s| s.allocated.bytes_allocated).sum();
    let operations: u64 = samples.iter().map(|s| s.operations).sum();
    Some(Target {
        subject: format!("{}, {ours}", comparison.case),
        wanted: "none".to_owned(),
        measured: format!(
            "{} allocations and {} bytes in {} operations",
            thousands(allocations),
            thousands(allocated),
            thousands(operations)
        ),
        met: allocations + allocated == 0,
    })
}

/// Back at the ring from before the burst, with little live and nothing retired, every time.
fn burst(series: &Series<Burst>) -> Option<Target> {
    const MOST_LIVE: i64 = 64 << 10;

    let live = series.samples.iter().map(|burst| burst.bytes_after).max()?;
    let resizing = || series.samples.iter().filter_map(|burst| burst.resizing);
    let retired = resizing().map(|resizing| resizing.retired_bytes).max()?;
    let settled: Option<Vec<u64>> = resizing().map(|r| r.operations_to_settle).collect();
    let slowest = settled.and_then(|operations| operations.into_iter().max());
    let back = slowest.map_or_else(
        || "never back at the smallest ring".to_owned(),
        |most| format!("back at the smallest ring after {} operations", thousands(most)),
    );
    Some(Target {
        subject: format!("burst, {}", series.competitor.name),
        wanted: format!("back, at most {} live, nothing retired", bytes(MOST_LIVE)),
        measured: format!("{back}, {} live, {retired} B retired", bytes(live)),
        met: slowest.is_some() && live <= MOST_LIVE && retired == 0,
    })
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use super::{Target, no_allocation, ratio};
    use crate::compare::{Comparison, Series};
    use crate::heap::Counts;
    use crate::peers::{Competitor, Handles, Shared};
    use crate::workload::{Case, Sample};

    fn comparison(ours: [u64; 3], theirs: [u64; 3], allocations: u64) -> Comparison {
        let series = |competitor: Competitor, nanos: [u64; 3]| {
            let allocated = Counts { allocations, ..Counts::default() };
            let sample = |nanos| Sample {
                operations: 1,
                nanos,
                overlap: 1.0,
                allocated,
                ..Sample::default()
            };
            Series { competitor, samples: nanos.map(sample).to_vec() }
        };
        let ours = series(Competitor::of::<Handles<u64>>(), ours);
        let theirs = series(Competitor::of::<Shared<u64>>(), theirs);
        Comparison {
            case: Case::Pair,
            length: Duration::ZERO,
            series: vec![ours, theirs],
            control: None,
        }
    }

    fn met(target: Option<Target>) -> bool {
        target.unwrap().met
    }

    #[test]
    fn a_ratio_is_judged_by_its_median_over_pairs() {
        let (ours, theirs) = ("segring Handle", "segring Queue");
        // Rounds at one third, one half and one: half in the middle, whatever the machine did.
        let comparison = comparison([10, 100, 30], [30, 200, 30], 0);
        assert!(met(ratio(&comparison, ours, theirs, 0.5)));
        assert!(!met(ratio(&comparison, ours, theirs, 0.49)));
        assert_eq!(ratio(&comparison, ours, "nobody", 1.0), None);
    }

    #[test]
    fn rounds_without_a_result_do_not_count() {
        let (ours, theirs) = ("segring Handle", "segring Queue");
        let mut comparison = comparison([10, 10, 90], [20, 20, 30], 0);
        comparison.series[1].samples[2].overlap = 0.4;
        assert!(met(ratio(&comparison, ours, theirs, 0.5)));
        comparison.series[0].samples[0].overlap = 0.4;
        assert_eq!(ratio(&comparison, ours, theirs, 0.5), None, "one of three is too few");
    }

    #[test]
    fn one_allocation_is_too_many() {
        assert!(met(no_allocation(&comparison([1; 3], [1; 3], 0), "segring Handle")));
        assert!(!met(no_allocation(&comparison([1; 3], [1; 3], 1), "segring Handle")));
    }
}
