//! Models of segring, run by loom over the real library.
//!
//! Built with `--cfg segring_loom`; without it there are only the freeze tests (`tests/freeze/`). `make models` runs all of
//! them, and fails if fewer than expected have run.
//!
//! A model that finds nothing wrong proves little if it has not been where things go wrong. So each
//! model states the outcomes it allows, and `coverage.txt` says how many executions and outcomes it
//! must have seen. Each runs twice: as loom does it, and with a shadow beside every atomic, which
//! covers a blind spot of loom (see `sync/mode/shadow.rs` in the library); with the shadow it must have
//! seen every outcome it allows.

#![cfg(segring_loom)]
#![allow(clippy::missing_panics_doc, reason = "panicking is what a failed model does")]

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use segring::model::{is_mutant, mutated, shadowed};

use coverage::Coverage;

pub mod bounded;
mod coverage;
mod interleave;
pub mod spec;

/// Runs a model to its end, without and with the shadow, and prints a line about each.
///
/// `allowed` are the outcomes that may happen, all of them, or else the coverage file says. The
/// bound on preemptions is 2, or what `coverage-deep.txt` says if `LOOM_DEEP` is set, or
/// `LOOM_MAX_PREEMPTIONS`. Limits in time or number of executions,
/// which let loom stop early and report success, are switched off.
pub fn check<O: Ord + Debug + Send + 'static>(
    name: &str,
    allowed: Option<&BTreeSet<O>>,
    model: impl Fn() -> O + Clone + Send + Sync + 'static,
) {
    let seen = run(name, allowed, model);
    if let (Some(allowed), Some((_, outcomes))) = (allowed, &seen[1]) {
        let missed: Vec<_> = allowed.difference(outcomes).collect();
        let enough = missed.is_empty() || is_mutant("missed-outcomes-pass");
        assert!(enough, "{name}: outcomes never seen: {missed:#?}");
    }
    reaches(name, &seen, allowed.is_none());
}

/// The same where `allowed` has more outcomes than happen: those that do are in the coverage file.
pub fn check_among<O: Ord + Debug + Send + 'static>(
    name: &str,
    allowed: &BTreeSet<O>,
    model: impl Fn() -> O + Clone + Send + Sync + 'static,
) {
    reaches(name, &run(name, Some(allowed), model), true);
}

/// Executions and outcomes without and with the shadow.
type Seen<O> = [Option<(usize, BTreeSet<O>)>; 2];

fn run<O: Ord + Debug + Send + 'static>(
    name: &str,
    allowed: Option<&BTreeSet<O>>,
    model: impl Fn() -> O + Clone + Send + Sync + 'static,
) -> Seen<O> {
    [false, true].map(|shadow| {
        let bound = coverage::bound(name, shadow)?;
        let (executions, outcomes) = shadowed(shadow, || explore(bound, model.clone()));
        let mode = if shadow { " with shadow" } else { "" };
        let found = outcomes.len();
        say(&format!("{name}{mode}, bound {bound}: {executions} executions, {found} outcomes"));
        if let Some(allowed) = allowed {
            let extra: Vec<_> = outcomes.difference(allowed).collect();
            let allowed = extra.is_empty() || is_mutant("extra-outcomes-pass");
            assert!(allowed, "{name}: outcomes that must not happen: {extra:#?}");
        }
        Some((executions, outcomes))
    })
}

fn reaches<O: Debug>(name: &str, seen: &Seen<O>, listed: bool) {
    let most = seen.iter().flatten().next_back().map(|(_, outcomes)| outcomes);
    let outcomes = most.into_iter().flatten().map(|outcome| format!("{outcome:?}"));
    let seen = Coverage {
        seen: seen.each_ref().map(|seen| seen.as_ref().map(|(often, found)| (*often, found.len()))),
        outcomes: if listed { outcomes.collect() } else { BTreeSet::new() },
    };
    seen.assert_reaches(name);
}

/// Runs a model to its end, with so many preemptions at the most in each execution.
fn explore<O: Ord + Send + 'static>(
    preemptions: usize,
    model: impl Fn() -> O + Send + Sync + 'static,
) -> (usize, BTreeSet<O>) {
    let executions = Arc::new(AtomicUsize::new(0));
    let outcomes = Arc::new(Mutex::new(BTreeSet::new()));
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_duration = None;
    builder.max_permutations = None;
    builder.max_branches = 20_000;
    let (counter, seen) = (Arc::clone(&executions), Arc::clone(&outcomes));
    builder.check(move || {
        let outcome = model();
        counter.fetch_add(1, Ordering::Relaxed);
        seen.lock().expect("no model panics while it holds this").insert(outcome);
    });
    let outcomes = std::mem::take(&mut *outcomes.lock().expect("the model is over"));
    (executions.load(Ordering::Relaxed), outcomes)
}

/// Runs a model with faults switched on, and asserts that it fails.
pub fn kills<O: Ord + Send + 'static>(
    mutant: &'static [&'static str],
    name: &str,
    model: impl Fn() -> O + Send + Sync + 'static,
) {
    let quiet = Quiet::new();
    let result = catch_unwind(AssertUnwindSafe(|| {
        mutated(mutant, || explore(coverage::bound_of_faults(), model))
    }));
    drop(quiet);
    let Err(panic) = result else {
        assert!(is_mutant("survivors-pass"), "mutant {mutant:?} SURVIVED {name}");
        return;
    };
    let why = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("?");
    let why = why.lines().find(|line| !line.trim().is_empty()).unwrap_or("?").trim();
    say(&format!("mutant {}: killed by {name} ({why})", mutant.join(" + ")));
}

/// Writes a line that the test harness does not swallow.
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).expect("stdout is open");
}

std::thread_local! {
    static QUIET: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Keeps expected panics of this thread out of the output.
struct Quiet;

impl Quiet {
    fn new() -> Self {
        static HOOK: std::sync::Once = std::sync::Once::new();
        HOOK.call_once(|| {
            let loud = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |info| {
                if !QUIET.get() {
                    loud(info);
                }
            }));
        });
        QUIET.set(true);
        Self
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        QUIET.set(false);
    }
}
