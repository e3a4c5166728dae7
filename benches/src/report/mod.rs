//! What a person reads at the end of a run: tables, losses, targets.

mod table;
mod target;

use core::fmt::{self, Write};

use crate::compare::{Comparison, Series, Spread, Verdict};
use crate::peers::{Bounded, BoundedHandles, Handles, OneConsumer, Peer, Progress, Shared};
use crate::probe::Probe;
use crate::workload::{Burst, Family};

pub use target::{Target, targets};

/// Our queues and ways of using them, with the letter that stands for each in the tables.
pub(crate) const OURS: [(&str, &str); 5] = [
    ("H", <Handles<u64> as Peer<u64>>::NAME),
    ("Q", <Shared<u64> as Peer<u64>>::NAME),
    ("M", <OneConsumer<u64> as Peer<u64>>::NAME),
    ("C", <BoundedHandles<u64> as Peer<u64>>::NAME),
    ("B", <Bounded<u64> as Peer<u64>>::NAME),
];

/// The comparisons of one family, in the order of its cases.
#[derive(Clone, Debug)]
pub struct FamilyResult {
    /// What was run.
    pub family: Family,
    /// One for each case.
    pub comparisons: Vec<Comparison>,
}

/// Everything measured in a run.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// The comparisons.
    pub families: Vec<FamilyResult>,
    /// The bursts.
    pub bursts: Vec<Series<Burst>>,
}

impl Results {
    /// The comparisons of all families.
    pub fn comparisons(&self) -> impl Iterator<Item = &Comparison> {
        self.families.iter().flat_map(|result| &result.comparisons)
    }
}

/// The ratios of one of ours to every peer that is a queue, in one comparison.
fn outcomes_of<'a>(
    comparison: &'a Comparison,
    ours: &'a str,
) -> impl Iterator<Item = (&'static str, Spread)> + 'a {
    let competitors = comparison.series.iter().map(|series| &series.competitor);
    let peers = competitors.filter(|competitor| {
        let is_queue = competitor.promise.progress != Progress::Floor;
        is_queue && OURS.iter().all(|(_, name)| *name != competitor.name)
    });
    peers.filter_map(move |peer| Some((peer.name, comparison.ratio(ours, peer.name)?)))
}

impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for result in &self.families {
            let FamilyResult { family, comparisons } = result;
            let lengths = comparisons.iter().map(|comparison| comparison.length.as_millis());
            let shortest = lengths.min().unwrap_or(0);
            writeln!(f, "\n{}: {}; samples of {shortest} ms", family.name, family.note)?;
            writeln!(f, "{}", table::times(&result.comparisons))?;
            if result.family.name == "ring_boundary" {
                writeln!(f, "\nring_boundary, allocated in the timed part of all samples")?;
                writeln!(f, "{}", table::allocations(&result.comparisons))?;
            }
        }
        if !self.bursts.is_empty() {
            writeln!(
                f,
                "\nburst: depth {}, then {} items at once, then depth {0} again; one thread",
                Burst::DEPTH,
                thousands(Burst::ITEMS)
            )?;
            writeln!(f, "{}", table::bursts(&self.bursts))?;
        }
        f.write_str(LEGEND)?;
        self.losses(f)
    }
}

const LEGEND: &str = "
Times are nanoseconds for one item, median [range]. H and Q are what segring Handle and segring Queue
take for what the row takes in 1.00: median and range of the ratios within each round, + less, - more,
= no difference (the range holds 1). ~n: n samples are no result, because for half of the time or more
not all threads were running. A bounded queue makes its producers wait, which keeps it in the cache.
";

impl Results {
    /// Losses by name, then the counts, so that neither hides the other.
    fn losses(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for comparison in self.comparisons() {
            for (_, ours) in OURS {
                let lost: Vec<String> = outcomes_of(comparison, ours)
                    .filter(|(_, ratio)| ratio.verdict() == Verdict::Loss)
                    .map(|(theirs, ratio)| format!("{theirs} ({:.2})", ratio.median))
                    .collect();
                if !lost.is_empty() {
                    writeln!(f, "loss: {}, {ours} to {}", comparison.case, lost.join(", "))?;
                }
            }
        }
        for (_, ours) in OURS {
            let count = |verdict| {
                let outcomes = self.comparisons().flat_map(|c| outcomes_of(c, ours));
                outcomes.filter(|(_, ratio)| ratio.verdict() == verdict).count()
            };
            let (wins, losses) = (count(Verdict::Win), count(Verdict::Loss));
            let neither = count(Verdict::NoDifference);
            writeln!(f, "{ours}: {wins} wins, {losses} losses, {neither} without a difference")?;
        }
        Ok(())
    }
}

impl fmt::Display for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line_one_way_nanos {
            Some(nanos) => write!(f, "a cache line moves in {nanos:.0} ns")?,
            None => f.write_str("a single core")?,
        }
        write!(
            f,
            ", two threads do {:.2} times the work of one, fetch_add {:.1} ns, contended {:.1} ns, \
             clock {:.0} ns, stamps {:.0} ns (skew {} ticks)",
            self.parallel_speedup,
            self.fetch_add_nanos,
            self.fetch_add_contended_nanos,
            self.instant_nanos,
            self.stamps_nanos,
            self.stamp_skew_ticks,
        )
    }
}

/// 1234567 as 1,234,567.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Bytes in the largest unit that leaves three digits or so.
pub(crate) fn bytes(bytes: i64) -> String {
    let mut text = String::new();
    let size = bytes as f64;
    let written = match bytes.unsigned_abs() {
        0..4_096 => write!(text, "{bytes} B"),
        4_096..4_194_304 => write!(text, "{:.1} KiB", size / 1_024.0),
        _ => write!(text, "{:.1} MiB", size / 1_048_576.0),
    };
    debug_assert!(written.is_ok(), "writing to a string does not fail");
    text
}

#[cfg(test)]
mod tests {
    use super::{bytes, thousands};

    #[test]
    fn numbers_are_grouped() {
        let grouped = [0, 12, 123, 1_234, 123_456, 1_234_567].map(thousands);
        assert_eq!(grouped, ["0", "12", "123", "1,234", "123,456", "1,234,567"]);
    }

    #[test]
    fn bytes_have_a_unit() {
        let units = [-8, 4_095, 65_536, 16 << 20].map(bytes);
        assert_eq!(units, ["-8 B", "4095 B", "64.0 KiB", "16.0 MiB"]);
    }
}
