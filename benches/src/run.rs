//! The soak run as a whole: checks, comparisons, report, record.

use core::time::Duration;
use std::io;
use std::process;
use std::thread;
use std::time::Instant;

use jiff::Timestamp;

use crate::clock::Clock;
use crate::compare::{Budget, Comparison, Series, in_rounds};
use crate::machine::Machine;
use crate::peers::{Competitor, Progress as Promised, roster};
use crate::probe::Probe;
use crate::progress::Progress;
use crate::record::{Line, Record};
use crate::report::{FamilyResult, Results, targets};
use crate::soak::Soak;
use crate::workload::{Burst, Case};

/// What to run.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// About how long, in seconds.
    pub seconds: u64,
    /// Of all decisions.
    pub seed: u64,
}

/// Samples that everybody takes of every case.
const ROUNDS: usize = 6;

/// Runs checks, then comparisons, prints and records everything, and returns the violations found.
///
/// # Errors
/// When the record cannot be written.
pub fn run(options: Options) -> io::Result<usize> {
    let Options { seconds, seed } = options;
    let (start, began) = (Instant::now(), Timestamp::now());
    let length = Duration::from_secs(seconds);
    watch(length, seed);

    let machine = Machine::this();
    let clock = Clock::new();
    let progress = Progress::new(length);
    let mut record = Record::create(&machine, began)?;
    record.line(&Line::Run {
        began: began.to_string(),
        seconds,
        seed,
        machine: &machine,
        clock: clock.name(),
    })?;
    progress.print(format_args!("seed {seed}, about {seconds} s, {}", clock.name()));
    progress.print(format_args!(
        "{}{} on {} ({} cores, Linux {}), {}, {}",
        machine.commit,
        if machine.dirty { " and changes" } else { "" },
        machine.cpu,
        machine.cores,
        machine.kernel,
        machine.rustc,
        machine.flags
    ));
    if cfg!(debug_assertions) {
        progress.print("a debug build: checks are good, times are not");
    }
    probe("begin", &clock, &progress, &mut record)?;

    let mut soak = Soak::new(seed, clock, &progress);
    check(&mut soak, start, length);
    for finding in soak.findings() {
        record.line(&Line::Finding(finding))?;
    }

    let results = compare(start + length, seed, &progress, &mut record)?;
    probe("end", &clock, &progress, &mut record)?;
    progress.finish();

    println!("{results}");
    for target in targets(&results) {
        println!("{target}");
        record.line(&Line::Target(&target))?;
    }
    let (done, violations) = (soak.done(), soak.findings().len());
    let (operations, checked) = (done.operations, done.checked);
    record.line(&Line::Checks { operations, checked, violations })?;
    println!("record: {}", record.finish()?.display());
    for finding in soak.findings() {
        println!("{finding}");
    }
    println!("rings in the checks: {}", soak.rings());
    println!("{operations} operations run, {checked} checked for linearizability, seed {seed}");
    println!("{violations} violations");
    Ok(violations)
}

/// The checks take two fifths of the time.
fn check(soak: &mut Soak<'_>, start: Instant, length: Duration) {
    /// What a run of the usual length checks even on a slow machine.
    const USUAL: (Duration, u64) = (Duration::from_mins(2), 20_000_000);

    let at_least = if length >= USUAL.0 { USUAL.1 } else { 0 };
    soak.contend(start + length.mul_f64(0.28), at_least);
    soak.circulate(Instant::now() + length.mul_f64(0.07));
    soak.count_drops(Instant::now() + length.mul_f64(0.05));
}

/// Every case, by everybody, until about then.
fn compare(
    until: Instant,
    seed: u64,
    progress: &Progress,
    record: &mut Record,
) -> io::Result<Results> {
    /// The case with targets for its times gets longer samples.
    const fn weight(case: Case) -> u32 {
        if matches!(case, Case::Pair) { 4 } else { 1 }
    }

    let competitors = roster();
    let families = Case::families();
    let samples = |case: Case| {
        let entrants = competitors.iter().filter(|competitor| competitor.enters(case)).count();
        u32::try_from(entrants * ROUNDS).expect("a few dozen samples")
    };
    let cases = families.iter().flat_map(|family| &family.cases);
    let shares = cases.map(|&case| samples(case) * weight(case)).sum();

    let mut results = Results::default();
    progress.case("burst");
    results.bursts = bursts(&competitors);
    record.bursts(&results.bursts)?;

    let mut budget = Budget::new(until, shares);
    for family in families {
        let mut comparisons = Vec::new();
        for &case in &family.cases {
            progress.case(&case.to_string());
            let length = budget.take(samples(case), weight(case));
            let comparison = Comparison::run(case, &competitors, ROUNDS, length, seed);
            record.comparison(&comparison)?;
            comparisons.push(comparison);
        }
        results.families.push(FamilyResult { family, comparisons });
    }
    Ok(results)
}

/// Bursts of everybody who really holds items.
fn bursts(competitors: &[Competitor]) -> Vec<Series<Burst>> {
    let holders = competitors.iter().copied();
    let holders: Vec<Competitor> =
        holders.filter(|competitor| competitor.promise.progress != Promised::Floor).collect();
    let samples = in_rounds(holders.len(), ROUNDS, |index, _| (holders[index].burst)());
    holders
        .into_iter()
        .zip(samples)
        .map(|(competitor, samples)| Series { competitor, samples })
        .collect()
}

fn probe(
    at: &'static str,
    clock: &Clock,
    progress: &Progress,
    record: &mut Record,
) -> io::Result<()> {
    progress.case("probe");
    let probe = Probe::take(clock);
    progress.print(format_args!("{at}: {probe}"));
    record.line(&Line::Probe { at, probe })
}

/// Ends the process, as a violation, when the run takes far too long or a thread panics: an operation
/// that never returns, or never will, would otherwise keep the others waiting at the gate.
fn watch(length: Duration, seed: u64) {
    /// On top of the length asked for; far more than checks and samples run over.
    const GRACE: Duration = Duration::from_secs(100);

    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        report(panic);
        println!("a thread panicked, seed {seed}\n1 violations");
        process::exit(1);
    }));
    thread::spawn(move || {
        thread::sleep(length + GRACE);
        println!("no end in sight: an operation does not return, seed {seed}\n1 violations");
        process::exit(1);
    });
}
