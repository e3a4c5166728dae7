//! Somebody who never returns, or panics, must not take the whole run along.
//!
//! A thread that is stuck in a queue cannot be stopped from outside. So when a sample takes far too long, or
//! a thread panics, the failure goes into the record, and the process replaces itself by a new one, which goes
//! on where this one was, without the one that failed.

use alloc::sync::Arc;
use core::time::Duration;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{self, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use std::{env, panic, thread};

use crate::record::Line;

/// Where the path of the record that is gone on with stands.
pub const RECORD: &str = "BENCH_RECORD";

/// Watches one sample at a time.
#[derive(Debug)]
pub(super) struct Watchdog {
    state: Arc<Mutex<State>>,
    grace: Duration,
}

#[derive(Debug, Default)]
struct State {
    watched: Option<Watched>,
    /// Whether a thread of it has panicked.
    panicked: bool,
}

#[derive(Clone, Debug)]
struct Watched {
    name: String,
    competitor: &'static str,
    round: usize,
    deadline: Instant,
}

impl Watchdog {
    /// Starts to watch for a run with this record. A sample gets ten times its length and the grace, because
    /// it also fills queues and warms up.
    pub(super) fn new(record: PathBuf, grace: Duration) -> Self {
        let state: Arc<Mutex<State>> = Arc::default();
        let look = Arc::clone(&state);
        // This thread replaces the process: a worker's would leave the new one on that worker's core.
        thread::spawn(move || {
            loop {
                thread::sleep(Duration::from_millis(200));
                let State { watched: Some(watched), panicked } = &*lock(&look) else { continue };
                if *panicked {
                    go_on_without(watched, "panicked", &record);
                } else if Instant::now() > watched.deadline {
                    go_on_without(watched, "did not return", &record);
                }
            }
        });
        let look = Arc::clone(&state);
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |information| {
            report(information);
            let mut state = lock(&look);
            if state.watched.is_none() {
                process::exit(1);
            }
            state.panicked = true;
            drop(state);
            // The others may wait for this one for ever, and so may this one for its end.
            loop {
                thread::park();
            }
        }));
        Self { state, grace }
    }

    /// Runs a sample that should take about so long.
    pub(super) fn over<R>(
        &self,
        name: &str,
        competitor: &'static str,
        round: usize,
        length: Duration,
        sample: impl FnOnce() -> R,
    ) -> R {
        let deadline = Instant::now() + 10 * length + self.grace;
        lock(&self.state).watched =
            Some(Watched { name: name.to_owned(), competitor, round, deadline });
        let result = sample();
        lock(&self.state).watched = None;
        result
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Records the failure and begins anew. Nothing else is being written: lines are, between samples.
fn go_on_without(watched: &Watched, reason: &'static str, record: &PathBuf) -> ! {
    let Watched { name, competitor, round, .. } = watched.clone();
    eprintln!("{name}: {competitor} {reason} in round {round}; the run goes on without it");
    let line = Line::Failed { name, competitor, round, reason };
    let written = serde_json::to_vec(&line).map_err(Into::into).and_then(|mut line| {
        line.push(b'\n');
        OpenOptions::new().append(true).open(record)?.write_all(&line)
    });
    if let Err(error) = written {
        eprintln!("the record cannot be written: {error}");
        process::exit(1);
    }
    let error = env::current_exe().map_or_else(
        |error| error,
        |program| Command::new(program).args(env::args_os().skip(1)).env(RECORD, record).exec(),
    );
    eprintln!("the run cannot go on: {error}");
    process::exit(1)
}

#[cfg(test)]
mod tests {
    use core::time::Duration;
    use std::path::PathBuf;
    use std::process::Command;
    use std::{env, fs, thread};

    use super::{RECORD, Watchdog};
    use crate::campaign::resume::Past;

    /// Says to [`part`] what to do.
    const PART: &str = "SEGRING_WATCHDOG_PART";

    /// A program that fails in its first life. Run by the test below, in a process of its own.
    #[test]
    fn part() {
        let Ok(part) = env::var(PART) else { return };
        let record = PathBuf::from(env::var_os(RECORD).unwrap());
        if Past::of(&record, "bench-all").unwrap().has_failed("case", "somebody") {
            return;
        }
        // Long enough that a panic comes first, however slow it is to report.
        let grace = Duration::from_millis(if part == "panic" { 600_000 } else { 300 });
        let watchdog = Watchdog::new(record, grace);
        watchdog.over("case", "somebody", 1, Duration::ZERO, || {
            if part == "panic" {
                thread::scope(|scope| scope.spawn(|| panic!("as asked")).join()).unwrap_err();
            }
            loop {
                thread::park();
            }
        });
    }

    #[test]
    fn a_run_goes_on_without_who_hangs_or_panics() {
        for (part, reason) in [("hang", "did not return"), ("panic", "panicked")] {
            let record = env::temp_dir().join(format!("segring-{part}-{}", std::process::id()));
            fs::write(&record, "{\"kind\":\"run\",\"program\":\"bench-all\"}\n").unwrap();
            let mut program = Command::new(env::current_exe().unwrap());
            program.args(["--exact", "campaign::watchdog::tests::part"]).env(PART, part);
            let output = program.env(RECORD, &record).output().unwrap();
            let text = fs::read_to_string(&record).unwrap();
            fs::remove_file(&record).unwrap();
            assert!(output.status.success(), "{part}: {output:?}");
            assert_eq!(text.lines().count(), 2, "{part}: {text}");
            assert!(text.contains(reason) && text.contains("somebody"), "{part}: {text}");
        }
    }
}
