//! The soak run as a whole: checks, comparisons, report, record.

use alloc::sync::Arc;
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;
use core::time::Duration;
use std::io::{self, ErrorKind::InvalidInput};
use std::panic;
use std::process;
use std::thread;
use std::time::Instant;

use jiff::Timestamp;

use crate::clock::Clock;
use crate::compare::{Comparison, Series, in_rounds, sample_length};
use crate::machine::Machine;
use crate::peers::{Competitor, OneConsumer, Peer, short_roster};
use crate::probe::Probe;
use crate::progress::Progress;
use crate::record::{Line, Record, VERSION};
use crate::report::{FamilyResult, Results, Target, targets, thousands};
use crate::seeds;
use crate::select::{Selection, Unknown};
use crate::soak::Soak;
use crate::soak::contended::Outcome;
use crate::workload::{Amount, Burst, Case, Family};

/// What to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// About how long, in seconds.
    pub seconds: u64,
    /// Of all decisions.
    pub seed: u64,
    /// Whether to spend all of the time on checks, and compare nothing.
    pub only_checks: bool,
    /// What to compare, once all is checked.
    pub selection: Selection,
}

/// Samples that everybody takes of every case.
const ROUNDS: usize = 6;

/// The share of a sample of the sequential rings: of these there are some hundreds.
const SEED_SAMPLES: u32 = 6_000;

/// Runs checks, then comparisons, prints and records everything, and returns the violations found.
///
/// # Errors
/// When a name is unknown or the record cannot be written.
pub fn run(options: &Options) -> io::Result<usize> {
    let Options { seconds, seed, only_checks, selection } = options;
    let (seconds, seed, only_checks) = (*seconds, *seed, *only_checks);
    let plan = Plan::of(selection).map_err(|error| io::Error::new(InvalidInput, error))?;
    let (start, began) = (Instant::now(), Timestamp::now());
    let length = Duration::from_secs(seconds);
    let machine = Machine::this();
    let clock = Clock::new();
    let progress = Progress::new(length);
    watch(length, seed, progress.counter());
    let program = if only_checks { "soak-checks" } else { "soak" };
    let mut record = Record::create(program, &machine, began)?;
    record.line(&Line::Run {
        version: VERSION,
        program,
        began: began.to_string(),
        seconds: Some(seconds),
        seed: Some(seed),
        selection,
        size: None,
        machine: &machine,
        clock: clock.name(),
    })?;
    progress.print(format_args!("seed {seed}, about {seconds} s, {}", clock.name()));
    progress.print(&machine);
    if cfg!(debug_assertions) {
        progress.print("a debug build: checks are good, times are not");
    }
    probe("begin", &clock, &progress, &mut record)?;

    let mut soak = Soak::new(seed, clock, &progress);
    check(&mut soak, start, if only_checks { length.mul_f64(1.0 / CHECKS) } else { length });
    for finding in soak.findings() {
        record.line(&Line::Finding(finding))?;
    }
    let (Outcome { operations, checked }, violations) = (soak.done(), soak.findings().len());
    record.line(&Line::Checks { operations, checked, rings: soak.rings(), violations })?;
    progress.print(format_args!("checks: {violations} violations; rings: {}", soak.rings()));

    if only_checks {
        progress.finish();
        for target in long_targets(operations, checked, length) {
            println!("{target}");
            record.line(&Line::Target(&target))?;
        }
    } else if violations == 0 {
        let results = compare(plan, start + length, seed, &progress, &mut record)?;
        probe("end", &clock, &progress, &mut record)?;
        progress.finish();
        println!("{results}");
        for target in targets(&results) {
            println!("{target}");
            record.line(&Line::Target(&target))?;
        }
        seeds::run(length / SEED_SAMPLES, &mut record)?;
    } else {
        progress.finish();
        println!("no comparison: the times of a broken queue mean nothing, if it comes to an end");
    }
    record.line(&Line::End { seconds: start.elapsed().as_secs() })?;
    println!("record: {}", record.finish()?.display());
    println!(
        "{} operations run in the checks, {} of them checked for linearizability, seed {seed}",
        thousands(operations),
        thousands(checked)
    );
    println!("{violations} violations");
    Ok(violations)
}

/// The share of a whole run that checks take.
const CHECKS: f64 = 0.3;

/// Takes the checks' share of the length of a run.
fn check(soak: &mut Soak<'_>, start: Instant, length: Duration) {
    /// What a run of the usual length checks even on a slow machine.
    const USUAL: (Duration, u64) = (Duration::from_mins(2), 20_000_000);

    let at_least = if length >= USUAL.0 { USUAL.1 } else { 0 };
    soak.contend(start + length.mul_f64(CHECKS * 0.6), at_least);
    soak.circulate(Instant::now() + length.mul_f64(CHECKS * 0.2));
    soak.close_under_way(Instant::now() + length.mul_f64(CHECKS * 0.1));
    soak.count_drops(Instant::now() + length.mul_f64(CHECKS * 0.1));
}

/// What a long run of checks alone is to come to: for half an hour two billion operations and a hundred
/// million that are checked, and in proportion.
fn long_targets(operations: u64, checked: u64, length: Duration) -> [Target; 2] {
    let scaled = |in_half_an_hour: u64| in_half_an_hour * length.as_secs() / (30 * 60);
    [
        ("operations run", operations, scaled(2_000_000_000)),
        ("operations checked for linearizability", checked, scaled(100_000_000)),
    ]
    .map(|(subject, measured, wanted)| Target {
        subject: subject.to_owned(),
        wanted: format!("at least {}", thousands(wanted)),
        measured: thousands(measured),
        met: measured >= wanted,
    })
}

/// Who is compared, and in what.
struct Plan {
    competitors: Vec<Competitor>,
    families: Vec<Family>,
    has_burst: bool,
}

impl Plan {
    fn of(selection: &Selection) -> Result<Self, Unknown> {
        const BURST: &str = "burst";

        let mut families = Family::short();
        let cases = families.iter().flat_map(|family| &family.cases);
        let names = cases.map(ToString::to_string).chain([BURST.to_owned()]).collect();
        let chosen = selection.cases::<String>(names)?;
        for family in &mut families {
            family.cases.retain(|case| chosen.contains(&case.to_string()));
        }
        families.retain(|family| !family.cases.is_empty());
        let has_burst = chosen.iter().any(|name| name == BURST);
        Ok(Self { competitors: selection.peers(short_roster())?, families, has_burst })
    }
}

/// Every case of the plan, by everybody in it, until about then.
fn compare(
    plan: Plan,
    until: Instant,
    seed: u64,
    progress: &Progress,
    record: &mut Record,
) -> io::Result<Results> {
    /// Longer samples for the case with targets for its times, and for threads that must take turns.
    fn weight(case: Case) -> u32 {
        match case {
            Case::Pair | Case::Batch { .. } => 6,
            _ if case.is_oversubscribed() => 2,
            _ => 1,
        }
    }

    let Plan { competitors, families, has_burst } = plan;
    record.peers(&competitors)?;
    let mut results = Results::default();
    if has_burst {
        progress.case("burst");
        results.bursts = bursts(&competitors);
        record.bursts(&results.bursts)?;
    }

    let shares = families.iter().flat_map(|family| &family.cases).map(|&case| {
        let entrants = competitors.iter().filter(|competitor| competitor.enters(case)).count();
        u32::try_from(entrants * ROUNDS).expect("a few dozen samples") * weight(case)
    });
    let length = sample_length(until, shares.sum());
    for family in families {
        let mut comparisons = Vec::new();
        for &case in &family.cases {
            progress.case(&case.to_string());
            let length = length * weight(case);
            let sample = |competitor: &Competitor, round| {
                let seed = seed.wrapping_add(round as u64);
                competitor.sample(case, Amount::Time(length), seed)
            };
            let comparison = Comparison::run(case, &competitors, ROUNDS, length, sample);
            record.comparison(&case.to_string(), &comparison)?;
            comparisons.push(comparison);
        }
        results.families.push(FamilyResult { family, comparisons });
    }
    Ok(results)
}

/// Bursts of everybody who really holds items.
fn bursts(competitors: &[Competitor]) -> Vec<Series<Burst>> {
    let holders = competitors.iter().copied();
    // The burst asks a queue that resizes for its ring beside the end that it uses, which the queue
    // of one consumer does not offer: it has the same rings as the others.
    let holders: Vec<Competitor> = holders
        .filter(Competitor::is_queue)
        .filter(|competitor| competitor.name != <OneConsumer<u64> as Peer<u64>>::NAME)
        .collect();
    // One each that does not count: it frees what other peers' checks have left to their collectors,
    // which would be taken from what the first queue holds.
    for holder in &holders {
        (holder.burst)();
    }
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

/// Ends the process, as one more violation, when the run takes far too long or a thread panics: an
/// operation that never returns, or never will, would otherwise keep the others waiting at the gate.
fn watch(length: Duration, seed: u64, violations: Arc<AtomicUsize>) {
    /// On top of the length asked for; far more than checks and samples run over.
    const GRACE: Duration = Duration::from_secs(100);

    let end = move |reason: &str| {
        println!("{reason}, seed {seed}\n{} violations", violations.load(Relaxed) + 1);
        process::exit(1);
    };
    let report = panic::take_hook();
    let end_of_panic = end.clone();
    panic::set_hook(Box::new(move |panic| {
        report(panic);
        end_of_panic("a thread panicked");
    }));
    thread::spawn(move || {
        thread::sleep(length + GRACE);
        end("no end in sight: an operation does not return");
    });
}
