//! Records read back.

use alloc::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use serde::Deserialize;

use crate::compare::{Spread, Verdict, paired};
use crate::heap::Counts;
use crate::peers::{Progress, Rings};
use crate::probe::Probe;
use crate::report::OURS;
use crate::workload::{Burst, Sample};

/// What a record says.
#[derive(Debug, Default)]
pub struct Data {
    /// Its file name.
    pub name: String,
    /// Where it comes from.
    pub machine: Machine,
    /// The length asked for.
    pub seconds: Option<u64>,
    /// The machine at the beginning and at the end.
    pub probes: Vec<Probe>,
    /// Samples, by case in the order of the run.
    pub cases: Vec<Case>,
    /// Bursts by competitor, in the order of the run.
    pub bursts: Vec<(String, Vec<Burst>)>,
    /// The checks.
    pub checks: Option<Checks>,
    /// Contests of the sequential rings by title; entrants in their order.
    pub contests: BTreeMap<String, Vec<(String, Vec<Reading>)>>,
}

/// The origin of a record.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Machine {
    /// The commit.
    pub commit: String,
    /// The compiler.
    pub rustc: String,
    /// The processor's name.
    pub cpu: String,
    /// Its cores.
    pub cores: u64,
    /// The kernel's release.
    pub kernel: String,
}

/// All samples of a case.
#[derive(Debug)]
pub struct Case {
    /// As the tables call it.
    pub name: String,
    /// Whether there were more threads than cores.
    pub oversubscribed: bool,
    /// Who took part, in the order of the run.
    pub series: Vec<Series>,
}

/// One competitor's samples of a case.
#[derive(Debug)]
pub struct Series {
    /// Who.
    pub who: String,
    /// What it promises of progress.
    pub progress: Progress,
    /// One a round.
    pub samples: Vec<Sample>,
}

/// What was checked.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Checks {
    /// Operations run.
    pub operations: u64,
    /// Of these, operations checked for linearizability.
    pub checked: u64,
    /// What happened to the rings.
    pub rings: Rings,
    /// Violations found.
    pub violations: u64,
}

/// A sample of a contest.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Reading {
    /// How many operations it had.
    pub operations: u64,
    /// What they took.
    pub nanos: u64,
    /// What they allocated.
    pub allocated: Counts,
}

impl Reading {
    /// Time of one operation.
    pub fn nanos_per_operation(&self) -> f64 {
        self.nanos as f64 / self.operations as f64
    }
}

/// A line of a record, as far as it is read.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Line {
    Run {
        seconds: Option<u64>,
        machine: Machine,
    },
    Probe {
        probe: Probe,
    },
    Sample {
        name: String,
        oversubscribed: bool,
        competitor: String,
        promise: Promise,
        sample: Sample,
    },
    Burst {
        competitor: String,
        burst: Burst,
    },
    Checks(Checks),
    Contest {
        title: String,
        entrant: String,
        #[serde(flatten)]
        reading: Reading,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Promise {
    progress: Progress,
}

impl Data {
    /// Reads a record.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(path: &Path) -> io::Result<Self> {
        let text = fs::read_to_string(path)?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        Self::parse(name.unwrap_or_default(), &text)
    }

    /// Takes in the text of a record.
    ///
    /// # Errors
    /// When a line is none.
    pub fn parse(name: String, text: &str) -> io::Result<Self> {
        let mut data = Self { name, ..Self::default() };
        for line in text.lines() {
            data.add(serde_json::from_str(line)?);
        }
        Ok(data)
    }

    fn add(&mut self, line: Line) {
        match line {
            Line::Run { seconds, machine } => (self.seconds, self.machine) = (seconds, machine),
            Line::Probe { probe } => self.probes.push(probe),
            Line::Sample { name, oversubscribed, competitor: who, promise, sample } => {
                let case = find_or_push(
                    &mut self.cases,
                    |case| case.name == name,
                    || Case { name: name.clone(), oversubscribed, series: Vec::new() },
                );
                let series = find_or_push(
                    &mut case.series,
                    |series| series.who == who,
                    || Series { who: who.clone(), progress: promise.progress, samples: Vec::new() },
                );
                series.samples.push(sample);
            }
            Line::Burst { competitor, burst } => {
                let new = || (competitor.clone(), Vec::new());
                find_or_push(&mut self.bursts, |(who, _)| *who == competitor, new).1.push(burst);
            }
            Line::Checks(checks) => self.checks = Some(checks),
            Line::Contest { title, entrant, reading } => {
                let rows = self.contests.entry(title).or_default();
                let new = || (entrant.clone(), Vec::new());
                find_or_push(rows, |(who, _)| *who == entrant, new).1.push(reading);
            }
            Line::Other => {}
        }
    }

    /// A case.
    pub fn case(&self, name: &str) -> Option<&Case> {
        self.cases.iter().find(|case| case.name == name)
    }

    /// Every ratio of one of ours to a peer that is a queue: case, peer, ratio.
    pub fn outcomes<'a>(
        &'a self,
        ours: &'a str,
    ) -> impl Iterator<Item = (&'a Case, &'a str, Spread)> {
        self.cases.iter().flat_map(move |case| {
            let peers = case.series.iter().filter(|series| {
                series.progress != Progress::Floor && OURS.iter().all(|(_, own)| *own != series.who)
            });
            peers.filter_map(move |peer| {
                Some((case, peer.who.as_str(), case.ratio(ours, &peer.who)?))
            })
        })
    }

    /// How many of these ratios have this verdict.
    pub fn count(&self, ours: &str, verdict: Verdict) -> usize {
        self.outcomes(ours).filter(|(_, _, ratio)| ratio.verdict() == verdict).count()
    }
}

impl Case {
    /// A competitor's samples.
    pub fn samples_of(&self, who: &str) -> Option<&[Sample]> {
        Some(&self.series.iter().find(|series| series.who == who)?.samples)
    }

    /// How long `ours` takes for what `theirs` does in one.
    pub fn ratio(&self, ours: &str, theirs: &str) -> Option<Spread> {
        paired(self.samples_of(ours)?, self.samples_of(theirs)?)
    }

    /// Nanoseconds an operation.
    pub fn nanos(&self, who: &str) -> Option<Spread> {
        Spread::of(self.samples_of(who)?.iter().filter_map(Sample::result))
    }
}

fn find_or_push<T>(
    items: &mut Vec<T>,
    is_it: impl Fn(&T) -> bool,
    new: impl FnOnce() -> T,
) -> &mut T {
    let at = items.iter().position(is_it).unwrap_or_else(|| {
        items.push(new());
        items.len() - 1
    });
    &mut items[at]
}
