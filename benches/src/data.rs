//! Records read back.

mod case;
mod fault;
mod line;

use alloc::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use serde::Deserialize;

use crate::compare::{Spread, Verdict};
use crate::heap::Counts;
use crate::machine::Machine;
use crate::peers::{Progress, Promise, Rings};
use crate::probe::Probe;
use crate::record::Size;
use crate::report::{OURS, Target};
use crate::select::Selection;
use crate::soak::Finding;
use crate::workload::{Burst, Latency, Memory, Resize, Stalled};

use line::Line;

pub use case::{Case, Judged, Series};
pub use fault::Fault;

/// Samples by competitor, in the order of the run.
pub type Rows<S> = Vec<(String, Vec<S>)>;

/// What a record says.
#[derive(Debug, Default)]
pub struct Data {
    /// Its file name.
    pub name: String,
    /// Where it comes from.
    pub machine: Machine,
    /// The length asked for.
    pub seconds: Option<u64>,
    /// How it came about: one run, or the parts of one that was interrupted.
    pub runs: Vec<Run>,
    /// Whether it was run to the end.
    pub has_ended: bool,
    /// The machine at the beginning and at the end.
    pub probes: Vec<Probe>,
    /// Who took part: ours, then the others in order of first appearance, a floor last.
    pub peers: Vec<Peer>,
    /// How ratios are judged.
    pub judged: Judged,
    /// Samples, by case in the order of the run.
    pub cases: Vec<Case>,
    /// Who did not come to the end of a case, and why.
    pub failures: Vec<Failure>,
    /// What is known of cases as a whole.
    pub cells: Vec<Cell>,
    /// Bursts.
    pub bursts: Rows<Burst>,
    /// Latencies, by case.
    pub latencies: Vec<(String, Rows<Latency>)>,
    /// Changes of rings, by case.
    pub resizes: Vec<(String, Rows<Resize>)>,
    /// Bytes held over time.
    pub memories: Rows<Memory>,
    /// Progress beside a stopped producer.
    pub stalls: Rows<Stalled>,
    /// The checks.
    pub checks: Option<Checks>,
    /// Contests of the sequential rings by title; entrants in their order.
    pub contests: BTreeMap<String, Rows<Reading>>,
    /// Targets, in the order of the run.
    pub targets: Vec<Target>,
    /// Violations.
    pub findings: Vec<Finding>,
    /// What is wrong with the file.
    pub faults: Vec<Fault>,
}

/// A run, or a part of one.
#[derive(Clone, Debug, Deserialize)]
pub struct Run {
    /// Of the format; the first records do not say it.
    #[serde(default = "first_version")]
    pub version: u32,
    /// The program that ran; neither do they say this.
    #[serde(default)]
    pub program: Option<String>,
    /// When it began, in UTC.
    pub began: String,
    /// The length asked for.
    pub seconds: Option<u64>,
    /// The seed of all decisions.
    pub seed: Option<u64>,
    /// The cases and peers asked for; some records do not say it.
    #[serde(default)]
    pub selection: Selection,
    /// How much of each, of `bench-all`.
    #[serde(default)]
    pub size: Option<Size>,
    /// Where it ran.
    pub machine: Machine,
    /// What the stamps were.
    pub clock: String,
}

const fn first_version() -> u32 {
    1
}

/// Somebody who took part.
#[derive(Clone, Debug)]
pub struct Peer {
    /// As the tables call it.
    pub name: String,
    /// What it promised when the record was made.
    pub promise: Promised,
    /// Its package, the version of that, and how it was used; the first records do not say it.
    pub origin: Option<[String; 3]>,
}

/// What a competitor promised when a record was made.
pub type Promised = Promise<String>;

/// Somebody who did not come to the end of a case.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Failure {
    /// The case.
    pub name: String,
    /// Who.
    pub competitor: String,
    /// What happened.
    pub reason: String,
}

/// What is known of a case as a whole.
#[derive(Clone, Debug, Deserialize)]
pub struct Cell {
    /// The case, as the tables call it.
    pub name: String,
    /// Rounds, each of one sample of everybody.
    pub rounds: usize,
    /// How long a sample was meant to be.
    pub millis: u64,
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

impl Data {
    /// Reads a record that has to be whole.
    ///
    /// # Errors
    /// When it cannot be read, or a line of it is at fault.
    pub fn read(path: &Path) -> io::Result<Self> {
        Self::read_what_is_there(path)?.whole()
    }

    /// Itself, if nothing is wrong with it but lines of kinds that are not known.
    ///
    /// # Errors
    /// When anything else is.
    pub fn whole(self) -> io::Result<Self> {
        match self.faults.iter().find(|fault| !fault.is_unknown_kind) {
            None => Ok(self),
            Some(fault) => Err(io::Error::other(format!("{}{fault}", self.name))),
        }
    }

    /// Reads as much of a record as can be read; the rest is in its faults.
    ///
    /// # Errors
    /// When the file cannot be read at all.
    pub fn read_what_is_there(path: &Path) -> io::Result<Self> {
        let bytes = fs::read(path)?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        Ok(Self::parse(name.unwrap_or_default(), &String::from_utf8_lossy(&bytes)))
    }

    /// Takes in the text of a record, as far as it is one.
    pub fn parse(name: String, text: &str) -> Self {
        let mut data = Self { name, ..Self::default() };
        let lines: Vec<Result<Line, Fault>> = fault::lines(text).collect();
        if lines.iter().all(Result::is_err) {
            data.faults.push(fault::not_a_record(text));
            return data;
        }
        for line in lines {
            match line {
                Ok(line) => data.add(line),
                Err(fault) => data.faults.push(fault),
            }
        }
        data.faults.extend(fault::missing(&data));
        for case in &mut data.cases {
            case.judge(data.judged);
        }
        data.peers.sort_by_key(|peer| {
            let ours = OURS.iter().position(|(_, own)| *own == peer.name).unwrap_or(OURS.len());
            (peer.promise.progress == Progress::Floor, ours)
        });
        data
    }

    /// Whether nothing of it could be read.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty() && self.peers.is_empty() && self.contests.is_empty()
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
