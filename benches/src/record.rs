//! The record of a run: JSON, one object a line, from which reports and figures are made.

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::compare::{Comparison, Series};
use crate::heap::Counts;
use crate::machine::{Machine, version_of};
use crate::peers::{Competitor, Promise, Rings};
use crate::probe::Probe;
use crate::report::Target;
use crate::seeds::contest::Outcome;
use crate::select::Selection;
use crate::soak::Finding;
use crate::workload::{Burst, Case, Latency, Memory, Resize, Sample, Stalled};

/// Of the lines below. It rises when a line that was there before is changed; records without one have
/// the first. Readers pass over kinds and fields that they do not know.
pub const VERSION: u32 = 2;

/// How much of every case `bench-all` runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// Samples that everybody takes.
    pub rounds: usize,
    /// How long one is.
    pub millis: u64,
}

impl Default for Size {
    fn default() -> Self {
        Self { rounds: 8, millis: 200 }
    }
}

/// A line, told apart by its `kind`.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Line<'a> {
    /// First: where everything that follows comes from. A run that was interrupted and went on has one
    /// for each part; a sample belongs to the last one before it.
    Run {
        /// Of the format: [`VERSION`].
        version: u32,
        /// Which program ran.
        program: &'static str,
        /// When it began, in UTC.
        began: String,
        /// The length asked for, if it can be.
        seconds: Option<u64>,
        /// The seed of all decisions, where any are made.
        seed: Option<u64>,
        /// The cases and peers asked for.
        selection: &'a Selection,
        /// Rounds and the milliseconds of a sample, where they are asked for.
        size: Option<Size>,
        /// Code, compiler and machine.
        machine: &'a Machine,
        /// What the stamps are.
        clock: &'static str,
    },
    /// The machine, at the beginning or at the end.
    Probe {
        /// Which.
        at: &'static str,
        /// The readings.
        probe: Probe,
    },
    /// A sample of a case.
    Sample {
        /// The case.
        case: Case,
        /// The case, as the tables call it.
        name: String,
        /// Whether there were more threads than cores.
        oversubscribed: bool,
        /// Who ran it.
        competitor: &'static str,
        /// What it promises.
        promise: Promise,
        /// In which round; samples of a round belong together.
        round: usize,
        /// The sample.
        sample: &'a Sample,
    },
    /// A sample that somebody took once more, as if another competitor: the ratio of its samples to
    /// its controls says how far two equals seem to differ.
    Control {
        /// The case, as the tables call it.
        name: String,
        /// Who ran it.
        competitor: &'static str,
        /// In which round.
        round: usize,
        /// The sample.
        sample: &'a Sample,
    },
    /// A competitor, before its first sample.
    Peer {
        /// As the other lines call it.
        competitor: &'static str,
        /// The package that it comes from.
        package: &'static str,
        /// Its version; the standard library has the compiler's.
        version: &'static str,
        /// What it promises.
        promise: Promise,
        /// How it is used: its fastest documented way.
        usage: &'static str,
    },
    /// Latencies under a schedule.
    Latency {
        /// The case, as the tables call it.
        name: String,
        /// Who ran it.
        competitor: &'static str,
        /// What it promises.
        promise: Promise,
        /// In which round.
        round: usize,
        /// The histograms.
        latency: &'a Latency,
    },
    /// Operations that meet a change of rings.
    Resize {
        /// The case, as the tables call it.
        name: String,
        /// Who ran it.
        competitor: &'static str,
        /// What it promises.
        promise: Promise,
        /// In which round.
        round: usize,
        /// What came of it.
        resize: &'a Resize,
    },
    /// Bytes held over time.
    Memory {
        /// Who ran it.
        competitor: &'static str,
        /// What it promises.
        promise: Promise,
        /// In which round.
        round: usize,
        /// The readings.
        memory: &'a Memory,
    },
    /// Progress beside a stopped producer.
    Stalled {
        /// Who ran it.
        competitor: &'static str,
        /// What it promises.
        promise: Promise,
        /// In which round.
        round: usize,
        /// What came of it.
        stalled: &'a Stalled,
    },
    /// Everything about a case is in the lines before; a run that goes on skips it.
    Cell {
        /// The case, as the tables call it.
        name: String,
        /// Who took part.
        competitors: Vec<&'static str>,
        /// Rounds, each of one sample of everybody.
        rounds: usize,
        /// How long a sample was meant to be.
        millis: u64,
    },
    /// Somebody who did not return from a case, or panicked in it, and is left out of it.
    Failed {
        /// The case, as the tables call it.
        name: String,
        /// Who.
        competitor: &'static str,
        /// In which round.
        round: usize,
        /// What happened.
        reason: &'static str,
    },
    /// Last, unless the run was interrupted.
    End {
        /// How long the run took, or its last part.
        seconds: u64,
    },
    /// A burst.
    Burst {
        /// Who ran it.
        competitor: &'static str,
        /// What it promises.
        promise: Promise,
        /// In which round.
        round: usize,
        /// What came of it.
        burst: &'a Burst,
    },
    /// A sample of a contest of the sequential rings.
    Contest {
        /// What is done.
        title: &'a str,
        /// Who did it.
        entrant: &'static str,
        /// In which round; samples of a round belong together.
        round: usize,
        /// How many operations it had.
        operations: u64,
        /// What they took.
        nanos: u64,
        /// What they allocated.
        allocated: Counts,
    },
    /// A violation.
    Finding(&'a Finding),
    /// A target, and whether it was met.
    Target(&'a Target),
    /// The checks.
    Checks {
        /// Operations run.
        operations: u64,
        /// Operations checked for linearizability.
        checked: u64,
        /// What happened to the rings meanwhile.
        rings: Rings,
        /// Violations found.
        violations: usize,
    },
}

/// Where records go: `RECORD_DIR`, or `records` at the workspace root.
pub fn default_directory() -> PathBuf {
    let root = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../records");
    env::var_os("RECORD_DIR").map_or_else(root, PathBuf::from)
}

/// A file of lines.
#[derive(Debug)]
pub struct Record {
    file: BufWriter<File>,
    path: PathBuf,
}

impl Record {
    /// A new file, named by date, commit and program, in `RECORD_DIR` or in `records` at the workspace root.
    ///
    /// # Errors
    /// When it cannot be created.
    pub fn create(program: &str, machine: &Machine, began: Timestamp) -> io::Result<Self> {
        let directory = Self::directory()?;
        let date = began.strftime("%Y-%m-%dT%H%M%SZ");
        let name = format!("{date}_{}_{program}.jsonl", machine.commit);
        let path = directory.join(name);
        let file = File::create(&path).map_err(|error| at(&path, &error))?;
        Ok(Self { file: BufWriter::new(file), path })
    }

    /// A file to which lines are added; a new one if there is none.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn append(path: PathBuf) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let file = file.map_err(|error| at(&path, &error))?;
        Ok(Self { file: BufWriter::new(file), path })
    }

    /// Where records are put.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn directory() -> io::Result<PathBuf> {
        let directory = default_directory();
        let made = fs::create_dir_all(&directory).and_then(|()| directory.canonicalize());
        made.map_err(|error| at(&directory, &error))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a line.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn line(&mut self, line: &Line<'_>) -> io::Result<()> {
        serde_json::to_writer(&mut self.file, line)?;
        self.file.write_all(b"\n")
    }

    /// Appends who takes part.
    ///
    /// # Errors
    /// When that cannot be written.
    pub fn peers(&mut self, competitors: &[Competitor]) -> io::Result<()> {
        for Competitor { name, package, usage, promise, .. } in competitors {
            self.line(&Line::Peer {
                competitor: name,
                package,
                version: version_of(package),
                promise: *promise,
                usage,
            })?;
        }
        self.file.flush()
    }

    /// Appends every sample of a comparison, under the name of its case or another.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn comparison(&mut self, name: &str, comparison: &Comparison) -> io::Result<()> {
        let case = comparison.case;
        for Series { competitor, samples } in &comparison.series {
            for (round, sample) in samples.iter().enumerate() {
                self.line(&Line::Sample {
                    case,
                    name: name.to_owned(),
                    oversubscribed: case.is_oversubscribed(),
                    competitor: competitor.name,
                    promise: competitor.promise,
                    round,
                    sample,
                })?;
            }
        }
        if let Some(Series { competitor, samples }) = &comparison.control {
            for (round, sample) in samples.iter().enumerate() {
                let (name, competitor) = (name.to_owned(), competitor.name);
                self.line(&Line::Control { name, competitor, round, sample })?;
            }
        }
        self.file.flush()
    }

    /// Appends every burst.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn bursts(&mut self, bursts: &[Series<Burst>]) -> io::Result<()> {
        for Series { competitor, samples } in bursts {
            for (round, burst) in samples.iter().enumerate() {
                let (competitor, promise) = (competitor.name, competitor.promise);
                self.line(&Line::Burst { competitor, promise, round, burst })?;
            }
        }
        self.file.flush()
    }

    /// Appends every sample of a contest.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn contest(&mut self, outcome: &Outcome) -> io::Result<()> {
        for row in &outcome.rows {
            for (round, reading) in row.readings.iter().enumerate() {
                self.line(&Line::Contest {
                    title: &outcome.title,
                    entrant: row.name,
                    round,
                    operations: reading.operations,
                    nanos: u64::try_from(reading.time.as_nanos()).unwrap_or(u64::MAX),
                    allocated: reading.allocated,
                })?;
            }
        }
        self.file.flush()
    }

    /// Writes out what is buffered.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }

    /// Writes out what is buffered, for good.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(mut self) -> io::Result<PathBuf> {
        self.flush()?;
        Ok(self.path)
    }
}

/// An error that says which file it is about.
pub(crate) fn at(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
