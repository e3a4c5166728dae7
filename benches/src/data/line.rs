//! A line of a record, and where it goes.

use serde::Deserialize;

use super::{
    Case, Cell, Checks, Data, Failure, Judged, Peer, Promised, Reading, Rows, Run, Series,
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
        sample: Sample,
    },
    Control {
        name: String,
        competitor: String,
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
            Line::Sample { name, oversubscribed, competitor, promise, sample } => {
                let progress = promise.progress;
                self.peer(&competitor, promise);
                let case = named(&mut self.cases, &name, || Case::new(&name, oversubscribed));
                let new = || Series::new(&competitor, progress);
                named(&mut case.series, &competitor, new).samples.push(sample);
            }
            Line::Control { name, competitor, sample } => {
                // It follows a sample of the same; alone it is worth nothing.
                let case = self.cases.iter_mut().find(|case| case.name == name);
                let mut series = case.into_iter().flat_map(|case| &mut case.series);
                if let Some(series) = series.find(|series| series.who == competitor) {
                    series.controls.push(sample);
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
                push_row(&mut self.bursts, &competitor, burst);
            }
            Line::Latency { name, competitor, promise, latency } => {
                self.peer(&competitor, promise);
                push_row(rows_of(&mut self.latencies, &name), &competitor, latency);
            }
            Line::Resize { name, competitor, promise, resize } => {
                self.peer(&competitor, promise);
                push_row(rows_of(&mut self.resizes, &name), &competitor, resize);
            }
            Line::Memory { competitor, promise, memory } => {
                self.peer(&competitor, promise);
                push_row(&mut self.memories, &competitor, memory);
            }
            Line::Stalled { competitor, promise, stalled } => {
                self.peer(&competitor, promise);
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

    fn peer(&mut self, name: &str, promise: Promised) -> &mut Peer {
        let new = || Peer { name: name.to_owned(), promise, origin: None };
        named(&mut self.peers, name, new)
    }
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
    use crate::data::Data;

    const RUN: &str = r#"{"kind":"run","version":2,"program":"bench-all","began":"","seconds":null,"seed":1,
        "machine":{"commit":"","dirty":false,"rustc":"","target":"","flags":"","cpu":"","cores":2,"kernel":""},
        "clock":""}"#;

    fn sample(name: &str, nanos: u64) -> String {
        format!(
            r#"{{"kind":"sample","name":"{name}","oversubscribed":false,"competitor":"kanal",
            "promise":{{"progress":"Blocking","bound":"Unbounded","consumers":"Many","memory":""}},
            "round":0,"sample":{{"operations":1,"nanos":{nanos},"overlap":1.0,
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
}
