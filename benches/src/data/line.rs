//! A line of a record, and where it goes.

use serde::Deserialize;

use super::{
    Case, Cell, Checks, Data, Failure, Fault, Judged, Peer, Promised, Reading, Rows, Run, Series,
};
use crate::probe::Probe;
use crate::report::Target;
use crate::soak::Finding;
use crate::workload::{Burst, Latency, Memory, Resize, Sample, Stalled};

/// A line of a record, as far as it is read.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Line {
    Run(Run),
    Probe {
        at: String,
        probe: Probe,
    },
    Peer {
        competitor: String,
        package: String,
        version: String,
        promise: Promised,
        usage: String,
    },
    Sample {
        name: String,
        oversubscribed: bool,
        competitor: String,
        promise: Promised,
        round: u16,
        sample: Sample,
    },
    Control {
        name: String,
        competitor: String,
        round: u16,
        sample: Sample,
    },
    Failed(Failure),
    Cell(Cell),
    Burst {
        competitor: String,
        promise: Promised,
        burst: Burst,
    },
    Latency {
        name: String,
        competitor: String,
        promise: Promised,
        latency: Latency,
    },
    Resize {
        name: String,
        competitor: String,
        promise: Promised,
        resize: Resize,
    },
    Memory {
        competitor: String,
        promise: Promised,
        memory: Memory,
    },
    Stalled {
        competitor: String,
        promise: Promised,
        stalled: Stalled,
    },
    Checks(Checks),
    Contest {
        title: String,
        entrant: String,
        #[serde(flatten)]
        reading: Reading,
    },
    Target(Target),
    Finding(Finding),
    End {},
}

impl Data {
    /// Takes in a line.
    pub(super) fn add(&mut self, line: Line) {
        match line {
            Line::Run(run) => {
                if self.runs.is_empty() {
                    (self.seconds, self.machine) = (run.seconds, run.machine.clone());
                    if run.program.as_deref() == Some("bench-all") {
                        self.judged = Judged::ByInterval;
                    }
                }
                if run.machine != self.machine {
                    let what = "has parts of different machines, compilers or code: no result of one can be compared with those of another";
                    self.faults.push(Fault::of_file(what.to_owned()));
                }
                self.forget_unfinished();
                self.runs.push(run);
            }
            Line::Probe { at, probe } => {
                // The first records have no other end; and of a soak all comparisons are done by then.
                let is_last =
                    |run: &Run| run.version == 1 || run.program.as_deref() == Some("soak");
                self.has_ended |= at == "end" && self.runs.iter().all(is_last);
                self.probes.push(probe);
            }
            Line::End {} => self.has_ended = true,
            Line::Peer { competitor, package, version, promise, usage } => {
                self.peer(&competitor, promise).origin = Some([package, version, usage]);
            }
            Line::Sample { name, oversubscribed, competitor, promise, round, sample } => {
                let progress = promise.progress;
                self.peer(&competitor, promise);
                self.forget_finished(&name);
                let case = named(&mut self.cases, &name, || Case::new(&name, oversubscribed));
                let new = || Series::new(&competitor, progress);
                put(&mut named(&mut case.series, &competitor, new).samples, round, sample);
            }
            Line::Control { name, competitor, round, sample } => {
                // It follows a sample of the same; alone it is worth nothing.
                let case = self.cases.iter_mut().find(|case| case.name == name);
                let mut series = case.into_iter().flat_map(|case| &mut case.series);
                if let Some(series) = series.find(|series| series.who == competitor) {
                    put(&mut series.controls, round, sample);
                }
            }
            Line::Failed(failure) => {
                if !self.failures.contains(&failure) {
                    self.failures.push(failure);
                }
            }
            Line::Cell(cell) => self.cells.push(cell),
            Line::Burst { competitor, promise, burst } => {
                self.peer(&competitor, promise);
                self.forget_finished("burst");
                push_row(&mut self.bursts, &competitor, burst);
            }
            Line::Latency { name, competitor, promise, latency } => {
                self.peer(&competitor, promise);
                self.forget_finished(&name);
                push_row(rows_of(&mut self.latencies, &name), &competitor, latency);
            }
            Line::Resize { name, competitor, promise, resize } => {
                self.peer(&competitor, promise);
                self.forget_finished(&name);
                push_row(rows_of(&mut self.resizes, &name), &competitor, resize);
            }
            Line::Memory { competitor, promise, memory } => {
                self.peer(&competitor, promise);
                self.forget_finished("memory");
                push_row(&mut self.memories, &competitor, memory);
            }
            Line::Stalled { competitor, promise, stalled } => {
                self.peer(&competitor, promise);
                self.forget_finished("stalled");
                push_row(&mut self.stalls, &competitor, stalled);
            }
            Line::Checks(checks) => self.checks = Some(checks),
            Line::Contest { title, entrant, reading } => {
                push_row(self.contests.entry(title).or_default(), &entrant, reading);
            }
            Line::Target(target) => self.targets.push(target),
            Line::Finding(finding) => self.findings.push(finding),
        }
    }

    /// Drops what an interrupted run had begun, as the run that goes on begins it again.
    fn forget_unfinished(&mut self) {
        let is_finished = |name: &str| self.cells.iter().any(|cell| cell.name == name);
        self.cases.retain(|case| is_finished(&case.name));
        self.latencies.retain(|(name, _)| is_finished(name));
        self.resizes.retain(|(name, _)| is_finished(name));
        if !is_finished("burst") {
            self.bursts.clear();
        }
        if !is_finished("memory") {
            self.memories.clear();
        }
        if !is_finished("stalled") {
            self.stalls.clear();
        }
    }

    /// Drops the samples of a case that was complete, as it is begun again: with others, or in another
    /// length, and either way at another time, so that they cannot be compared with what follows.
    fn forget_finished(&mut self, name: &str) {
        let known = self.cells.len();
        self.cells.retain(|cell| cell.name != name);
        if self.cells.len() < known {
            self.forget_unfinished();
            self.faults
                .push(Fault::of_file(format!("has {name} twice: the first one is left out")));
        }
    }

    fn peer(&mut self, name: &str, promise: Promised) -> &mut Peer {
        let new = || Peer { name: name.to_owned(), promise, origin: None };
        named(&mut self.peers, name, new)
    }
}

/// Puts a sample where those of its round stand. One that is missing has no result.
fn put(samples: &mut Vec<Sample>, round: u16, sample: Sample) {
    let round = usize::from(round);
    samples.resize_with(samples.len().max(round + 1), Sample::default);
    samples[round] = sample;
}

fn push_row<S>(rows: &mut Rows<S>, who: &str, sample: S) {
    named(rows, who, || (who.to_owned(), Vec::new())).1.push(sample);
}

fn rows_of<'a, S>(cases: &'a mut Vec<(String, Rows<S>)>, name: &str) -> &'a mut Rows<S> {
    &mut named(cases, name, || (name.to_owned(), Vec::new())).1
}

/// What has a name.
trait Named {
    fn name(&self) -> &str;
}

impl<S> Named for (String, Vec<S>) {
    fn name(&self) -> &str {
        &self.0
    }
}

impl Named for Peer {
    fn name(&self) -> &str {
        &self.name
    }
}

impl Named for Case {
    fn name(&self) -> &str {
        &self.name
    }
}

impl Named for Series {
    fn name(&self) -> &str {
        &self.who
    }
}

/// The one of this name, which is made if there is none.
fn named<'a, T: Named>(items: &'a mut Vec<T>, name: &str, new: impl FnOnce() -> T) -> &'a mut T {
    let known = items.iter().position(|item| item.name() == name);
    let at = known.unwrap_or_else(|| {
        items.push(new());
        items.len() - 1
    });
    &mut items[at]
}

#[cfg(test)]
mod tests {
    use crate::data::{Cell, Data};

    const RUN: &str = r#"{"kind":"run","version":2,"program":"bench-all","began":"","seconds":null,"seed":1,
        "machine":{"commit":"","dirty":false,"rustc":"","target":"","flags":"","cpu":"","cores":2,"kernel":""},
        "clock":""}"#;

    fn sample(name: &str, nanos: u64) -> String {
        sample_of("kanal", name, 0, nanos)
    }

    fn sample_of(who: &str, name: &str, round: usize, nanos: u64) -> String {
        format!(
            r#"{{"kind":"sample","name":"{name}","oversubscribed":false,"competitor":"{who}",
            "promise":{{"progress":"Blocking","bound":"Unbounded","consumers":"Many","memory":""}},
            "round":{round},"sample":{{"operations":1,"nanos":{nanos},"overlap":1.0,
            "allocated":{{"allocations":0,"bytes_allocated":0,"bytes_freed":0}}}}}}"#
        )
    }

    #[test]
    fn a_case_that_was_interrupted_and_begun_again_counts_once() {
        let cell = |name| format!(r#"{{"kind":"cell","name":"{name}","rounds":1,"millis":1}}"#);
        let lines = [
            RUN.to_owned(),
            sample("pair", 1),
            cell("pair"),
            sample("pairs 2", 2),
            RUN.to_owned(),
            sample("pairs 2", 3),
            cell("pairs 2"),
            r#"{"kind":"end","seconds":1}"#.to_owned(),
        ];
        let data =
            Data::parse("a".to_owned(), &lines.map(|line| line.replace('\n', "")).join("\n"));
        assert_eq!(data.faults, []);
        let nanos = |name| {
            let samples = data.case(name).unwrap().samples_of("kanal").unwrap();
            samples.iter().map(|sample| sample.nanos).collect::<Vec<_>>()
        };
        assert_eq!([nanos("pair"), nanos("pairs 2")], [[1], [3]]);
        assert_eq!(data.runs.len(), 2);
    }

    #[test]
    fn a_lost_line_shifts_no_other_round() {
        let read = |lost: usize| {
            let samples = (0..8).flat_map(|round| {
                let nanos = 100 + 10 * round as u64;
                [("segring Handle", nanos), ("kanal", 2 * nanos)]
                    .map(|(who, nanos)| sample_of(who, "pair", round, nanos))
            });
            let mut lines = vec![RUN.to_owned()];
            lines.extend(samples);
            lines.push(r#"{"kind":"end","seconds":1}"#.to_owned());
            lines[1 + lost].insert(0, '?');
            let lines: Vec<_> = lines.iter().map(|line| line.replace('\n', "")).collect();
            Data::parse("a".to_owned(), &lines.join("\n"))
        };
        for lost in 0..16 {
            let data = read(lost);
            assert_eq!(data.faults.len(), 1, "{:?}", data.faults);
            let ratio = data.case("pair").unwrap().ratio("segring Handle", "kanal").unwrap();
            let says = ratio.to_string();
            assert_eq!(says, "0.50 [0.50-0.50]", "without line {lost}");
        }
    }

    #[test]
    fn a_case_that_is_run_again_replaces_the_first() {
        let cell = r#"{"kind":"cell","name":"pair","rounds":1,"millis":1}"#;
        let lines = [
            RUN.to_owned(),
            sample_of("kanal", "pair", 0, 1),
            sample_of("flume", "pair", 0, 1),
            cell.to_owned(),
            RUN.to_owned(),
            sample_of("kanal", "pair", 0, 7),
            cell.to_owned(),
            r#"{"kind":"end","seconds":1}"#.to_owned(),
        ];
        let data =
            Data::parse("a".to_owned(), &lines.map(|line| line.replace('\n', "")).join("\n"));
        let case = data.case("pair").unwrap();
        assert_eq!(case.samples_of("kanal").unwrap()[0].nanos, 7);
        assert!(case.samples_of("flume").is_none());
        assert!(data.faults[0].to_string().contains("has pair twice"), "{:?}", data.faults);
    }

    #[test]
    fn parts_of_different_machines_are_a_fault() {
        let end = r#"{"kind":"end","seconds":1}"#;
        let other = RUN.replace(r#""cores":2"#, r#""cores":64"#);
        for (second, faults) in [(RUN, 0), (&*other, 1)] {
            let text = [RUN, second, end].map(|line| line.replace('\n', "")).join("\n");
            let data = Data::parse("a".to_owned(), &text);
            assert_eq!(data.faults.len(), faults, "{:?}", data.faults);
        }
    }

    #[test]
    fn whatever_is_run_again_replaces_the_first() {
        let mut data = Data::default();
        for name in ["latency 1", "burst"] {
            data.cells.push(Cell { name: name.to_owned(), rounds: 1, millis: 1 });
        }
        data.latencies.push(("latency 1".to_owned(), Vec::new()));
        data.bursts.push(("kanal".to_owned(), Vec::new()));
        data.forget_finished("latency 1");
        assert_eq!((data.latencies.len(), data.bursts.len()), (0, 1));
        data.forget_finished("burst");
        assert_eq!((data.bursts.len(), data.faults.len()), (0, 2));
        data.forget_finished("burst");
        assert_eq!(data.faults.len(), 2, "it is being run");
    }
}
