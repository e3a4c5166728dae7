//! Latency curves: how long the slowest one in two, in ten, in a hundred takes, and so on.

use maud::{Markup, html};

use super::chart::{self, ACROSS, Chart, DOWN, Line};
use super::svg::Axis;
use super::{caption, groups, letter, number};
use crate::compare::Spread;
use crate::data::Data;
use crate::histogram::Histogram;
use crate::workload::Latency;

/// What is timed.
type Times = fn(&Latency) -> &Histogram;

const OPERATIONS: [(&str, Times); 3] = [
    ("push", |latency| &latency.push),
    ("pop", |latency| &latency.pop),
    ("way through", |latency| &latency.transit),
];

/// All cases.
pub(super) fn latency(data: &Data) -> Option<Markup> {
    (!data.latencies.is_empty()).then(|| {
        html! {
            p {
                "Items come by a schedule that does not wait for the queue: a push is timed from its "
                "place in the schedule until it returned, a pop that found an item from call to "
                "return, the way through from the place in the schedule until the item is out. So a "
                "stall counts for everyone that it delays. Both scales are logarithmic; lower is better."
            }
            @for (case, rows) in &data.latencies {
                @let pooled: Vec<Pooled<'_>> = rows.iter().map(|(who, samples)| pool(who, samples)).collect();
                h3 { (case) }
                @for (kind, names) in groups(data, |who| rows.iter().any(|(name, _)| name == who)) {
                    @let is_shown = |pooled: &&Pooled<'_>| names.contains(&pooled.who);
                    @let shown: Vec<&Pooled<'_>> = pooled.iter().filter(is_shown).collect();
                    figure {
                        div.panels {
                            @for (index, (what, _)) in OPERATIONS.into_iter().enumerate() {
                                (panel(data, &format!("{what}: {kind}"), index, &pooled, &shown))
                            }
                        }
                        (chart::legend(data, &names))
                        (caption(data, &html! { (case) ", " (kind) ", all rounds. " }))
                    }
                }
                details {
                    summary { "The same in numbers: " b { (case) } }
                    (table(data, &pooled))
                    p { "Times of all rounds together, exact to 6 %." }
                }
            }
        }
    })
}

/// Times of all rounds, by operation.
struct Pooled<'a> {
    who: &'a str,
    /// Items a second that came through, of those that were offered.
    achieved: Option<Spread>,
    offered: f64,
    times: [Histogram; 3],
}

fn pool<'a>(who: &'a str, samples: &[Latency]) -> Pooled<'a> {
    let times =
        OPERATIONS.map(|(_, times)| Histogram::sum(&samples.iter().map(times).collect::<Vec<_>>()));
    let achieved = Spread::of(samples.iter().map(|sample| sample.achieved_per_second));
    let offered = samples.iter().map(|sample| sample.offered_per_second).fold(0.0, f64::max);
    Pooled { who, achieved, offered, times }
}

/// The part of all times as one in so many: nine in ten is 10.
fn curve(times: &Histogram) -> Vec<(f64, f64)> {
    let all = times.count as f64;
    let mut seen = 0;
    let point = |(nanos, count): &(u64, u64)| {
        seen += count;
        let slower = (times.count - seen).max(1);
        (all / slower as f64, *nanos.min(&times.max) as f64)
    };
    times.counts.iter().map(point).collect()
}

/// The curves of `shown`, over axes that fit everybody's, so that drawings of one case can be compared.
fn panel(
    data: &Data,
    title: &str,
    index: usize,
    pooled: &[Pooled<'_>],
    shown: &[&Pooled<'_>],
) -> Markup {
    let times = || pooled.iter().map(|pooled| &pooled.times[index]).filter(|times| times.count > 0);
    let most = times().map(|times| times.count).max().unwrap_or(10).max(100);
    let shortest = times().map(|times| times.quantile(0.1).max(1)).min().unwrap_or(1);
    let longest = times().map(|times| times.max).max().unwrap_or(10).max(10 * shortest);
    let x = Axis::log(1.0, most as f64, ACROSS);
    let percentiles =
        [(2.0, "50"), (10.0, "90"), (1e2, "99"), (1e3, "99.9"), (1e4, "99.99"), (1e5, "99.999")];
    let ticks = percentiles.into_iter().filter(|(one_in, _)| *one_in <= most as f64);
    let chart = Chart {
        title: title.to_owned(),
        x,
        y: Axis::log(shortest as f64, longest as f64, DOWN),
        x_ticks: ticks.map(|(one_in, text)| (one_in, text.to_owned())).collect(),
        x_name: "percentile",
        y_tick: |nanos| number::tick(&number::nanos(nanos)),
        lines: shown.iter().map(|p| Line { who: p.who, points: curve(&p.times[index]) }).collect(),
    };
    chart.draw(data)
}

fn table(data: &Data, pooled: &[Pooled<'_>]) -> Markup {
    let quantiles = [
        ("median", 0.5),
        ("99\u{a0}%", 0.99),
        ("99.9\u{a0}%", 0.999),
        ("99.99\u{a0}%", 0.9999),
        ("longest", 1.0),
    ];
    html! {
        div.scroll {
            table {
                thead {
                    tr { th { } th { } th { } @for (what, _) in OPERATIONS { th colspan=(quantiles.len()) { (what) } } }
                    tr {
                        th { } th.left { "Queue" } th { "came through" }
                        @for _ in OPERATIONS { @for (name, _) in quantiles { th { (name) } } }
                    }
                }
                tbody {
                    @for Pooled { who, achieved, offered, times } in pooled {
                        tr {
                            td { b { (letter(data, who)) } }
                            th scope="row" { (who) }
                            td.number {
                                @if let Some(achieved) = achieved {
                                    (number::rate(1e9 / achieved.median)) " of " (number::rate(1e9 / offered))
                                }
                            }
                            @for times in times {
                                @for (_, part) in quantiles {
                                    td.number {
                                        @if times.count == 0 { "none" }
                                        @else { (number::nanos(times.quantile(part) as f64)) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
