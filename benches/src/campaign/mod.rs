//! Everything that is measured, by everybody, in one record that an interrupted run goes on with.

mod cell;
mod resume;
mod watchdog;

use core::fmt;
use core::time::Duration;
use std::io;
use std::path::PathBuf;
use std::time::Instant;

use jiff::Timestamp;

use crate::clock::Clock;
use crate::compare::{Comparison, Series, in_rounds};
use crate::interval::Interval;
use crate::machine::Machine;
use crate::peers::{Competitor, roster};
use crate::probe::Probe;
use crate::record::{Line, Record, Size, VERSION};
use crate::report;
use crate::select::Selection;
use crate::workload::{Amount, Case, Sample};

pub use cell::Cell;
use resume::Past;
pub use watchdog::RECORD;
use watchdog::Watchdog;

/// What to run, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// Cases and peers.
    pub selection: Selection,
    /// How much of every case.
    pub size: Size,
    /// Of all decisions.
    pub seed: u64,
    /// The record to go on with or to begin; else the newest that is not finished and was begun with the same
    /// options, code and machine, or a new one.
    pub record: Option<PathBuf>,
}

impl Options {
    /// How long a sample is.
    fn length(&self) -> Duration {
        Duration::from_millis(self.size.millis)
    }
}

const PROGRAM: &str = "bench-all";

/// What a sample may take over its length before it counts as one that never returns.
const GRACE: Duration = Duration::from_secs(20);

/// Measures everything that the record does not have yet.
///
/// # Errors
/// When a name is unknown or the record cannot be written.
pub fn run(options: &Options) -> io::Result<()> {
    let start = Instant::now();
    let competitors = options.selection.peers(roster()).map_err(unknown)?;
    let cells = options.selection.cases(Cell::all()).map_err(unknown)?;
    let (mut campaign, past) = Campaign::begin(PROGRAM, options, &competitors)?;
    campaign.probe("begin")?;
    for (number, cell) in cells.iter().enumerate() {
        let progress = format!("[{}/{}]", number + 1, cells.len());
        campaign.cell(*cell, &competitors, &past, &progress)?;
    }
    campaign.probe("end")?;
    campaign.end(start)
}

/// Compares a queue with itself, `times` times, and returns how many of the intervals hold 1.
///
/// # Errors
/// When a name is unknown or the record cannot be written.
pub fn compare_with_itself(options: &Options, times: usize) -> io::Result<usize> {
    let start = Instant::now();
    let competitors = options.selection.peers(roster()).map_err(unknown)?;
    let cases: Vec<Case> = Cell::all().into_iter().filter_map(Cell::case).collect();
    let cases = options.selection.cases(cases).map_err(unknown)?;
    let (competitor, case) = (competitors[0], cases[0]);
    if !competitor.enters(case) {
        return Err(io::Error::other(format!("{} cannot run {case}", competitor.name)));
    }
    let (mut campaign, _) = Campaign::begin("aa", options, &competitors[..1])?;
    campaign.probe("begin")?;
    let mut held = 0;
    for number in 1..=times {
        let name = format!("{case}, {number}");
        let comparison = campaign.compare(&name, case, &[competitor]);
        let interval = comparison.control_interval();
        let holds = interval.is_some_and(|interval| (interval.low..=interval.high).contains(&1.0));
        held += usize::from(holds);
        let verdict = if holds { "holds 1" } else { "does not hold 1" };
        println!("{number:2}: {case}, {} / itself: {} {verdict}", competitor.name, Shown(interval));
        campaign.record.comparison(&name, &comparison)?;
    }
    campaign.probe("end")?;
    campaign.end(start)?;
    println!("{held} of {times} intervals hold 1");
    Ok(held)
}

fn unknown(error: impl Into<Box<dyn core::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, error)
}

/// A run in progress.
struct Campaign<'a> {
    options: &'a Options,
    clock: Clock,
    record: Record,
    watchdog: Watchdog,
}

impl<'a> Campaign<'a> {
    /// Begins a record, or goes on with one.
    fn begin(
        program: &'static str,
        options: &'a Options,
        competitors: &[Competitor],
    ) -> io::Result<(Self, Past)> {
        let (machine, began, clock) = (Machine::this(), Timestamp::now(), Clock::new());
        let known = match &options.record {
            Some(path) => path.exists().then(|| path.clone()),
            None if program == PROGRAM => {
                resume::interrupted(&Record::directory()?, program, &machine, options)?
            }
            None => None,
        };
        let (mut record, past) = match (known, &options.record) {
            (Some(path), _) => {
                let past = Past::of(&path, program)?;
                println!("going on with {}", path.display());
                (Record::append(path)?, past)
            }
            (None, Some(path)) => (Record::append(path.clone())?, Past::default()),
            (None, None) => (Record::create(program, &machine, began)?, Past::default()),
        };
        println!("{machine}");
        if cfg!(debug_assertions) {
            println!("a debug build: times are not good");
        }
        record.line(&Line::Run {
            version: VERSION,
            program,
            began: began.to_string(),
            seconds: None,
            seed: Some(options.seed),
            selection: &options.selection,
            size: Some(options.size),
            machine: &machine,
            clock: clock.name(),
        })?;
        record.peers(competitors)?;
        let watchdog = Watchdog::new(record.path().to_owned(), GRACE);
        Ok((Self { options, clock, record, watchdog }, past))
    }

    fn probe(&mut self, at: &'static str) -> io::Result<()> {
        let probe = Probe::take(&self.clock);
        println!("{at}: {probe}");
        self.record.line(&Line::Probe { at, probe })?;
        self.record.flush()
    }

    fn end(mut self, start: Instant) -> io::Result<()> {
        self.record.line(&Line::End { seconds: start.elapsed().as_secs() })?;
        println!("record: {}", self.record.finish()?.display());
        Ok(())
    }

    /// Measures a cell, unless the record has it.
    fn cell(
        &mut self,
        cell: Cell,
        competitors: &[Competitor],
        past: &Past,
        progress: &str,
    ) -> io::Result<()> {
        let name = cell.to_string();
        let admitted = competitors.iter().copied().filter(|competitor| cell.admits(competitor));
        let entrants: Vec<Competitor> =
            admitted.filter(|competitor| !past.has_failed(&name, competitor.name)).collect();
        let names: Vec<&str> = entrants.iter().map(|entrant| entrant.name).collect();
        let rounds = cell.rounds(self.options.size.rounds);
        let length = self.options.length() * cell.weight();
        let millis = u64::try_from(length.as_millis()).unwrap_or(u64::MAX);
        if entrants.is_empty() {
            return Ok(());
        }
        if past.has(&name, &names, rounds, millis) {
            println!("{progress} {name}: in the record");
            return Ok(());
        }
        println!("{progress} {name}");
        match cell {
            Cell::Times(case) => {
                let comparison = self.compare(&name, case, &entrants);
                print!("{}", Table(&comparison));
                self.record.comparison(&name, &comparison)?;
            }
            Cell::Latency(load) => {
                for one in
                    self.rounds(&name, &entrants, rounds, length, |e| (e.latency)(load, length))
                {
                    for (round, latency) in one.samples.iter().enumerate() {
                        let Competitor { name: competitor, promise, .. } = one.competitor;
                        let name = name.clone();
                        self.record.line(&Line::Latency {
                            name,
                            competitor,
                            promise,
                            round,
                            latency,
                        })?;
                    }
                }
            }
            Cell::Resize { threads } => {
                for one in self.rounds(&name, &entrants, rounds, length, |e| (e.resize)(threads)) {
                    for (round, resize) in one.samples.iter().enumerate() {
                        let Competitor { name: competitor, promise, .. } = one.competitor;
                        let name = name.clone();
                        self.record.line(&Line::Resize {
                            name,
                            competitor,
                            promise,
                            round,
                            resize,
                        })?;
                    }
                }
            }
            Cell::Burst => {
                // One each that does not count: it frees what was left to collectors of other peers, which
                // would be taken from what the first queue holds.
                self.rounds(&name, &entrants, 1, length, |entrant| (entrant.burst)());
                let bursts =
                    self.rounds(&name, &entrants, rounds, length, |entrant| (entrant.burst)());
                self.record.bursts(&bursts)?;
            }
            Cell::Memory => {
                for one in
                    self.rounds(&name, &entrants, rounds, length, |entrant| (entrant.memory)())
                {
                    for (round, memory) in one.samples.iter().enumerate() {
                        let Competitor { name: competitor, promise, .. } = one.competitor;
                        self.record.line(&Line::Memory { competitor, promise, round, memory })?;
                    }
                }
            }
            Cell::Stalled => {
                for one in self.rounds(&name, &entrants, rounds, length, |e| (e.stalled)(length)) {
                    for (round, stalled) in one.samples.iter().enumerate() {
                        let Competitor { name: competitor, promise, .. } = one.competitor;
                        self.record.line(&Line::Stalled { competitor, promise, round, stalled })?;
                    }
                }
            }
        }
        self.record.line(&Line::Cell { name, competitors: names, rounds, millis })?;
        self.record.flush()
    }

    /// One sample of everybody in every round, there and back in turn.
    fn rounds<S>(
        &self,
        name: &str,
        entrants: &[Competitor],
        rounds: usize,
        length: Duration,
        sample: impl Fn(&Competitor) -> S,
    ) -> Vec<Series<S>> {
        let samples = in_rounds(entrants.len(), rounds, |index, round| {
            let entrant = &entrants[index];
            self.watchdog.over(name, entrant.name, round, length, || sample(entrant))
        });
        let series = entrants.iter().zip(samples);
        series.map(|(&competitor, samples)| Series { competitor, samples }).collect()
    }

    /// The same of times, with the first one once more as the control.
    fn compare(&self, name: &str, case: Case, entrants: &[Competitor]) -> Comparison {
        let Options { size: Size { rounds, .. }, seed, .. } = *self.options;
        let length = self.options.length();
        Comparison::controlled(case, entrants, rounds, length, |entrant: &Competitor, round| {
            let seed = seed.wrapping_add(round as u64);
            self.watchdog.over(name, entrant.name, round, length, || {
                entrant.sample(case, Amount::Time(length), seed)
            })
        })
    }
}

/// An interval, or that there is none.
struct Shown(Option<Interval>);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(Interval { median, low, high }) => write!(f, "{median:.3} [{low:.3}-{high:.3}]"),
            None => f.write_str("no result"),
        }
    }
}

/// A line for each entrant: its time, and how long ours take for what it does in one.
struct Table<'a>(&'a Comparison);

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(comparison) = self;
        for Series { competitor, samples } in &comparison.series {
            let nanos = samples.iter().filter_map(Sample::result);
            let median = crate::compare::Spread::of(nanos).map(|nanos| nanos.median);
            let median = median.map_or_else(|| "no result".to_owned(), |ns| format!("{ns:.1} ns"));
            write!(f, "  {:<28} {median:>12}", competitor.name)?;
            for (letter, ours) in report::OURS.iter().take(2) {
                if *ours != competitor.name
                    && let Some(ratio) = comparison.interval(ours, competitor.name)
                {
                    write!(f, "  {letter} {} {}", Shown(Some(ratio)), ratio.verdict())?;
                }
            }
            writeln!(f)?;
        }
        writeln!(f, "  control: {}", Shown(comparison.control_interval()))
    }
}
