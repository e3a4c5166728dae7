//! Numbers by name, computed from records.

use serde::Deserialize;

use crate::compare::{Spread, Verdict};
use crate::data::Data;
use crate::report::thousands;
use crate::workload::Burst;

/// Where a number comes from and how it is written.
#[derive(Clone, Debug, Deserialize)]
pub struct Fact {
    #[serde(flatten)]
    source: Source,
    /// How it is written; as its source says, unless given.
    #[serde(default)]
    style: Option<Style>,
}

/// What is computed.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
enum Source {
    /// The file name of the record.
    Record,
    /// The file name of the record with the sequential rings.
    SeedsRecord,
    /// Seconds asked for.
    Seconds,
    /// Cores of the machine.
    Cores,
    /// The processor.
    Cpu,
    /// The kernel.
    Kernel,
    /// The compiler.
    Rustc,
    /// A reading of the probes: the lowest and the highest.
    Probe { what: ProbeReading },
    /// A number of the checks.
    Checks { what: CheckReading },
    /// Nanoseconds an operation in a case.
    Nanos { case: String, who: String },
    /// Time of ours to theirs in a case, by rounds.
    Ratio { case: String, ours: String, theirs: String },
    /// How many pairings of case and peer were won, lost or tied.
    Outcomes { ours: String, verdict: Verdict },
    /// A total over all samples of a case.
    Total { case: String, who: String, what: Total },
    /// The highest over all rounds of the burst.
    Burst { who: String, what: BurstReading },
    /// The median of a contest, for one operation.
    Contest { title: String, who: String, what: ContestReading },
    /// By how much less time, in percent, `ours` does than `theirs`: the median by rounds.
    Saving { title: String, ours: String, theirs: String },
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ProbeReading {
    LineOneWay,
    ParallelSpeedup,
    FetchAdd,
    FetchAddContended,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum CheckReading {
    Operations,
    Checked,
    Violations,
    Grows,
    Shrinks,
    Jams,
    Helped,
    GiveUps,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Total {
    Operations,
    Allocations,
    Bytes,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum BurstReading {
    BytesBefore,
    BytesPeak,
    BytesAfter,
    OperationsToSettle,
    CapacityAfter,
    RetiredBytes,
    Grows,
    Shrinks,
    GiveUps,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ContestReading {
    Nanos,
    Bytes,
    Allocations,
}

/// How a number is written.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Style {
    /// 1,234,567
    Whole,
    /// 1.3
    OneDecimal,
    /// 1.2 for 1,234,567
    Millions,
    /// 16.0 for 16 times 2^20
    Mebibytes,
}

enum Value {
    Text(String),
    Number(f64, Style),
    Ratio(Spread),
    Nanos(Spread),
}

impl Fact {
    /// Whether it is about the sequential rings.
    pub fn is_of_contests(&self) -> bool {
        matches!(self.source, Source::SeedsRecord | Source::Contest { .. } | Source::Saving { .. })
    }

    /// The number as it is written; `soak` has everything but the contests, which are in `seeds`.
    ///
    /// # Errors
    /// When the records do not have it.
    pub fn text(&self, soak: &Data, seeds: &Data) -> Result<String, String> {
        let value = self.source.value(soak, seeds);
        let value = value.ok_or_else(|| format!("not in the records: {:?}", self.source))?;
        Ok(match (value, self.style) {
            (Value::Text(text), _) => text,
            (Value::Number(number, own), style) => style.unwrap_or(own).write(number),
            (Value::Ratio(spread), None) => spread.to_string(),
            (Value::Nanos(Spread { median, low, high }), None) => {
                format!("{median:.1} [{low:.1}-{high:.1}]")
            }
            (Value::Ratio(spread) | Value::Nanos(spread), Some(style)) => {
                style.write(spread.median)
            }
        })
    }
}

impl Style {
    fn write(self, number: f64) -> String {
        match self {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts")]
            Self::Whole => thousands(number.round() as u64),
            Self::OneDecimal => format!("{number:.1}"),
            Self::Millions => format!("{:.1}", number / 1e6),
            Self::Mebibytes => format!("{:.1}", number / f64::from(1 << 20)),
        }
    }
}

impl Source {
    fn value(&self, soak: &Data, seeds: &Data) -> Option<Value> {
        let text = |text: &str| Some(Value::Text(text.to_owned()));
        let count = |number: u64| Some(Value::Number(number as f64, Style::Whole));
        match self {
            Self::Record => text(&soak.name),
            Self::SeedsRecord => text(&seeds.name),
            Self::Seconds => count(soak.seconds?),
            Self::Cores => count(soak.machine.cores as u64),
            Self::Cpu => text(&soak.machine.cpu),
            Self::Kernel => text(&soak.machine.kernel),
            Self::Rustc => text(&soak.machine.rustc),
            Self::Probe { what } => {
                let readings: Option<Vec<f64>> = soak
                    .probes
                    .iter()
                    .map(|p| match what {
                        ProbeReading::LineOneWay => p.line_one_way_nanos,
                        ProbeReading::ParallelSpeedup => Some(p.parallel_speedup),
                        ProbeReading::FetchAdd => Some(p.fetch_add_nanos),
                        ProbeReading::FetchAddContended => Some(p.fetch_add_contended_nanos),
                    })
                    .collect();
                let Spread { low, high, .. } = Spread::of(readings?)?;
                Some(Value::Text(format!("{low:.1} to {high:.1}")))
            }
            Self::Checks { what } => {
                let checks = soak.checks?;
                count(match what {
                    CheckReading::Operations => checks.operations,
                    CheckReading::Checked => checks.checked,
                    CheckReading::Violations => checks.violations,
                    CheckReading::Grows => checks.rings.grows as u64,
                    CheckReading::Shrinks => checks.rings.shrinks as u64,
                    CheckReading::Jams => checks.rings.jams as u64,
                    CheckReading::Helped => checks.rings.helped as u64,
                    CheckReading::GiveUps => checks.rings.give_ups as u64,
                })
            }
            Self::Nanos { case, who } => Some(Value::Nanos(soak.case(case)?.nanos(who)?)),
            Self::Ratio { case, ours, theirs } => {
                Some(Value::Ratio(soak.case(case)?.ratio(ours, theirs)?))
            }
            Self::Outcomes { ours, verdict } => count(soak.count(ours, *verdict) as u64),
            Self::Total { case, who, what } => {
                let samples = soak.case(case)?.samples_of(who)?;
                count(
                    samples
                        .iter()
                        .map(|sample| match what {
                            Total::Operations => sample.operations,
                            Total::Allocations => sample.allocated.allocations,
                            Total::Bytes => sample.allocated.bytes_allocated,
                        })
                        .sum(),
                )
            }
            Self::Burst { who, what } => {
                let (_, bursts) = soak.bursts.iter().find(|(name, _)| name == who)?;
                count(
                    bursts
                        .iter()
                        .map(|burst| what.of(burst))
                        .collect::<Option<Vec<u64>>>()?
                        .into_iter()
                        .max()?,
                )
            }
            Self::Contest { title, who, what } => {
                let rows = seeds.contests.get(title)?;
                let (_, readings) = rows.iter().find(|(name, _)| name == who)?;
                let values = readings.iter().map(|reading| match what {
                    ContestReading::Nanos => reading.nanos_per_operation(),
                    ContestReading::Bytes => {
                        reading.allocated.bytes_allocated as f64 / reading.operations as f64
                    }
                    ContestReading::Allocations => {
                        reading.allocated.allocations as f64 / reading.operations as f64
                    }
                });
                let style = if matches!(what, ContestReading::Nanos) {
                    Style::OneDecimal
                } else {
                    Style::Whole
                };
                Some(Value::Number(Spread::of(values)?.median, style))
            }
            Self::Saving { title, ours, theirs } => {
                let rows = seeds.contests.get(title)?;
                let of = |who: &str| Some(&rows.iter().find(|(name, _)| name == who)?.1);
                let pairs = of(ours)?.iter().zip(of(theirs)?);
                let ratios = pairs.map(|(a, b)| a.nanos_per_operation() / b.nanos_per_operation());
                Some(Value::Number(100.0 * (1.0 - Spread::of(ratios)?.median), Style::OneDecimal))
            }
        }
    }
}

impl BurstReading {
    fn of(self, burst: &Burst) -> Option<u64> {
        let bytes = |bytes: i64| u64::try_from(bytes).ok();
        let resizing = burst.resizing;
        match self {
            Self::BytesBefore => bytes(burst.bytes_before),
            Self::BytesPeak => bytes(burst.bytes_peak),
            Self::BytesAfter => bytes(burst.bytes_after),
            Self::OperationsToSettle => resizing?.operations_to_settle,
            Self::CapacityAfter => Some(resizing?.capacity_after as u64),
            Self::RetiredBytes => Some(resizing?.retired_bytes as u64),
            Self::Grows => Some(resizing?.rings.grows as u64),
            Self::Shrinks => Some(resizing?.rings.shrinks as u64),
            Self::GiveUps => Some(resizing?.rings.give_ups as u64),
        }
    }
}
