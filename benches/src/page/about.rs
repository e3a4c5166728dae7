//! Where a record comes from, who took part, and how it was measured.

use maud::{Markup, html};

use super::{caption, letter, number};
use crate::compare::{Spread, Verdict};
use crate::data::{Case, Data, Judged, Run};
use crate::interval::Interval;
use crate::probe::Probe;
use crate::record::Size;
use crate::report::thousands;
use crate::workload::Sample;

/// One line under the title.
pub(super) fn origin(data: &Data) -> Markup {
    let machine = &data.machine;
    html! {
        @if let Some(run) = data.runs.first() {
            p.origin {
                "Commit " code { (machine.commit) }
                @if machine.dirty { " and changes that were not committed" }
                ", " (machine.cpu) " (" (machine.cores) " cores, kernel " (machine.kernel) "), "
                (machine.rustc) ", " (machine.flags) ". Begun " (began(run))
                @if data.runs.len() > 1 { ", in " (data.runs.len()) " parts" }
                "."
            }
        }
        p.origin {
            "Record " code { (data.name) } ", made by " code { (command(data)) }
            ", drawn by " code { "make report" } "."
        }
    }
}

/// To the minute.
fn began(run: &Run) -> String {
    let minute = run.began.get(..16).unwrap_or(&run.began);
    format!("{} UTC", minute.replace('T', " "))
}

/// What made the record.
pub(super) fn command(data: &Data) -> String {
    let of_name = data.name.trim_end_matches(".jsonl").rsplit('_').next().unwrap_or_default();
    let run = data.runs.first();
    let program = run.and_then(|run| run.program.as_deref()).unwrap_or(of_name);
    let Some(run) = run else { return format!("make {program}") };
    match (program, run) {
        ("soak", Run { seconds: Some(seconds), seed: Some(seed), selection, .. }) => {
            let arguments = selection.to_string();
            let with = "cargo run --release -p segring-benches --bin soak --";
            let how = if arguments.is_empty() { "make soak" } else { with };
            format!("SOAK_SECONDS={seconds} SOAK_SEED={seed} {how}{arguments}")
        }
        (_, Run { size: Some(size), seed, selection, .. }) => {
            let usual = Size::default();
            let rounds =
                (size.rounds != usual.rounds).then(|| format!(" --rounds {}", size.rounds));
            let millis =
                (size.millis != usual.millis).then(|| format!(" --millis {}", size.millis));
            let seed = seed.filter(|seed| *seed != 1).map(|seed| format!(" --seed {seed}"));
            let options: String =
                [Some(selection.to_string()), rounds, millis, seed].into_iter().flatten().collect();
            match options.trim_start() {
                "" => format!("make {program}"),
                options => format!("make {program} BENCH=\"{options}\""),
            }
        }
        _ => format!("make {program}"),
    }
}

/// Everybody, with what they promise.
pub(super) fn peers(data: &Data) -> Option<Markup> {
    let has_origin = data.peers.iter().any(|peer| peer.origin.is_some());
    (!data.peers.is_empty()).then(|| {
        html! {
            p {
                "A number is worth what the queue behind it promises: one that blocks, is bounded or "
                "has one consumer may be faster for it. The letters are those of the drawings."
            }
            div.scroll {
                table.text {
                    thead {
                        tr {
                            th { } th.left { "Queue" } th { "Promises" } th { "Allocates" }
                            @if has_origin { th { "Package" } th { "Used" } }
                        }
                    }
                    tbody {
                        @for peer in &data.peers {
                            tr {
                                td { b { (letter(data, &peer.name)) } }
                                th scope="row" { (peer.name) }
                                td { (peer.promise) }
                                td { (peer.promise.memory) }
                                @if let Some([package, version, usage]) = &peer.origin {
                                    td { (package) " " (version) }
                                    td { (usage) }
                                } @else if has_origin { td { } td { } }
                            }
                        }
                    }
                }
            }
        }
    })
}

/// Somebody against itself, in every case as if it were a peer: what two equals look like.
pub(super) fn controls(data: &Data) -> Option<Markup> {
    let control = |case: &'_ Case| {
        let (who, ratio) = case.control(data.judged)?;
        Some((case.name.clone(), who.to_owned(), ratio))
    };
    let controls: Vec<(String, String, Spread)> = data.cases.iter().filter_map(control).collect();
    let equal = controls.iter().filter(|(.., ratio)| ratio.verdict() == Verdict::NoDifference);
    (!controls.is_empty()).then(|| {
        html! {
            p {
                "In every case one queue takes its samples twice, as if it were another. The ratio of a "
                "queue to itself is 1; here " b { (equal.count()) " of " (controls.len()) } " are without a difference. "
                "Where it does not hold 1, nothing in that case should be believed."
            }
            details {
                summary { "Each of them" }
                figure {
                    div.scroll {
                        table {
                            thead {
                                tr {
                                    th { "Case" } th.left { "Queue" }
                                    th { "ratio to itself" } th { "from" } th { "to" } th { "" }
                                }
                            }
                            tbody {
                                @for (case, who, ratio) in &controls {
                                    tr {
                                        th scope="row" { (case) }
                                        td { (who) }
                                        td.number { (number::ratio(ratio.median)) }
                                        td.number { (number::ratio(ratio.low)) }
                                        td.number { (number::ratio(ratio.high)) }
                                        td.number {
                                            @if ratio.verdict() == Verdict::NoDifference { "= holds 1" }
                                            @else { "≠ does not hold 1" }
                                        }
                                    }
                                }
                            }
                        }
                    }
                    (caption(data, &html! { "Two equals. " }))
                }
            }
        }
    })
}

/// A reading of the probes, if there is one.
type Reading = fn(&Probe) -> Option<f64>;
/// How it is written.
type Write = fn(f64) -> String;

const READINGS: [(&str, Reading, Write); 6] = [
    ("a cache line's way to the other core", |p| p.line_one_way_nanos, number::nanos),
    ("work of two threads, in that of one", |p| Some(p.parallel_speedup), number::ratio),
    ("fetch_add alone", |p| Some(p.fetch_add_nanos), number::nanos),
    ("fetch_add on a line that two want", |p| Some(p.fetch_add_contended_nanos), number::nanos),
    ("reading the clock", |p| Some(p.instant_nanos), number::nanos),
    ("both stamps of a checked operation", |p| Some(p.stamps_nanos), number::nanos),
];

/// The first reading in which the probes differ by so much that the machine has changed.
pub(super) fn unsteady(data: &Data) -> Option<String> {
    /// More than the probe itself varies.
    const MOST: f64 = 1.25;

    let changed = |(what, of, write): &(&str, Reading, Write)| {
        let Spread { low, high, .. } = Spread::of(data.probes.iter().filter_map(of))?;
        (high > MOST * low).then(|| format!("{what}: {} to {}", write(low), write(high)))
    };
    READINGS.iter().find_map(changed)
}

/// Probes and rules.
pub(super) fn method(data: &Data) -> Markup {
    let columns = data.probes.len();
    let name = |index| match index {
        0 => "at the beginning".to_owned(),
        last if last + 1 == columns => "at the end".to_owned(),
        between => format!("between ({between})"),
    };
    let lengths = Spread::of(data.cells.iter().map(|cell| cell.millis as f64 * 1e6));
    let rounds = data.cases.iter().flat_map(|case| &case.series).map(|s| s.samples.len()).max();
    html! {
        @if columns > 0 {
            div.scroll {
                table {
                    caption { "The machine, by its probes" }
                    thead { tr { th { } @for index in 0..columns { th { (name(index)) } } } }
                    tbody {
                        @for (what, of, write) in READINGS {
                            tr {
                                th scope="row" { (what) }
                                @for probe in &data.probes {
                                    td.number { @match of(probe) {
                                        Some(reading) => (write(reading)),
                                        None => "a single core",
                                    } }
                                }
                            }
                        }
                    }
                }
            }
        }
        ul {
            li {
                "Everybody takes one sample of a case in each round, there and back in turn, in one "
                "process"
                @if let Some(rounds) = rounds { " (" (rounds) " rounds)" }
                ". A ratio is of two samples of one round. "
                @match data.judged {
                    Judged::ByRange => {
                        "Shown are the median and the range of the ratios; " b { "no difference" }
                        " means that the range holds 1."
                    }
                    Judged::ByInterval => {
                        "Shown are the median of the ratios and an interval, a percentile bootstrap of "
                        (thousands(Interval::RESAMPLES as u64)) " resamples at " (100.0 * Interval::LEVEL)
                        " %; " b { "no difference" } " means that the interval holds 1."
                    }
                }
            }
            @if let Some(Spread { low, high, .. }) = lengths {
                li { "Samples last " (number::nanos(low)) " to " (number::nanos(high)) ", by case." }
            }
            li {
                "An operation is one item moved: a push and the pop that takes it out. The workers "
                "time themselves, from the first start to the last end. A sample in which not all of "
                "them were running for " (Sample::MIN_OVERLAP) " of the time or more is no result; a "
                "ratio needs results in more than half of the rounds."
            }
            li {
                "Results of different records are never compared or pooled: the machine is shared, "
                "and changes from one hour to the next."
            }
            li {
                "Bounded queues get the capacity that segring would come to, or 1,024 where that "
                "depends on the run, and their producers wait while they are full, which keeps them in the cache."
            }
            @if let Some(run) = data.runs.first() { li { "Stamps of checked operations: " (run.clock) "." } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::command;
    use crate::data::Data;

    #[test]
    fn the_command_is_the_one_that_was_given() {
        let machine = r#"{"commit":"","dirty":false,"rustc":"","target":"","flags":"","cpu":"","cores":2,"kernel":""}"#;
        let command = |run: &str| {
            let text =
                format!(r#"{{"kind":"run","began":"","clock":"","machine":{machine},{run}}}"#);
            command(&Data::parse("a_b_soak.jsonl".to_owned(), &text))
        };
        let selected = r#""selection":{"cases":["pairs 1"],"peers":["kanal"]}"#;
        for (run, expected) in [
            (r#""seconds":null"#, "make soak".to_owned()),
            (r#""program":"soak","seconds":3,"seed":4"#, "SOAK_SECONDS=3 SOAK_SEED=4 make soak".to_owned()),
            (
                &format!(r#""program":"soak","seconds":3,"seed":4,{selected}"#),
                "SOAK_SECONDS=3 SOAK_SEED=4 cargo run --release -p segring-benches --bin soak -- --case 'pairs 1' --peer 'kanal'"
                    .to_owned(),
            ),
            (r#""program":"bench-all","seed":1,"size":{"rounds":8,"millis":200}"#, "make bench-all".to_owned()),
            (
                &format!(r#""program":"bench-all","seed":9,"size":{{"rounds":4,"millis":200}},{selected}"#),
                "make bench-all BENCH=\"--case 'pairs 1' --peer 'kanal' --rounds 4 --seed 9\"".to_owned(),
            ),
        ] {
            assert_eq!(command(run), expected);
        }
    }
}
