//! What a change of rings costs the operations that meet it, and what a stopped producer does.

use maud::{Markup, html};

use super::chart::{self, ACROSS, Chart, DOWN, Line};
use super::svg::Axis;
use super::{caption, groups, letter, number};
use crate::data::{Data, Rows};
use crate::histogram::Histogram;
use crate::report::thousands;
use crate::workload::{Resize, Stalled, Step};

/// Counts, and the worst operations by depth.
pub(super) fn resizes(data: &Data) -> Option<Markup> {
    (!data.resizes.is_empty()).then(|| {
        html! {
            p {
                "Every push is timed while a queue grows from 64 slots to a million, and every pop "
                "while it is emptied again. A single push may have to make a ring, or to copy one."
            }
            @for (case, rows) in &data.resizes {
                @for (kind, names) in groups(data, |who| rows.iter().any(|(name, _)| name == who)) {
                    figure {
                        div.panels {
                            @for (what, of) in WORST { (panel(data, &format!("{what}: {kind}"), of, rows, &names)) }
                        }
                        (chart::legend(data, &names))
                        (caption(data, &html! {
                            (case) ", " (kind) ": the slowest operation of all rounds while the depth "
                            "was between this and twice as much. "
                        }))
                    }
                }
                (table(data, case, rows))
            }
        }
    })
}

/// Times of all rounds.
fn pool(rounds: &[Resize], of: fn(&Resize) -> &Histogram) -> Histogram {
    Histogram::sum(&rounds.iter().map(of).collect::<Vec<_>>())
}

/// What is drawn.
type Worst = fn(&Step) -> u64;

const WORST: [(&str, Worst); 2] = [
    ("worst push by depth", |step| step.worst_push),
    ("worst pop by depth", |step| step.worst_pop),
];

/// The lines of `names`, over axes that fit everybody's.
fn panel(data: &Data, title: &str, of: Worst, rows: &Rows<Resize>, names: &[&str]) -> Markup {
    let worst = |rounds: &[Resize]| -> Vec<(f64, f64)> {
        let mut worst = alloc::collections::BTreeMap::new();
        for step in rounds.iter().flat_map(|round| &round.steps) {
            let slowest = worst.entry(step.slots).or_insert(0);
            *slowest = of(step).max(*slowest);
        }
        let timed = worst.into_iter().filter(|(_, nanos)| *nanos > 0);
        timed.map(|(slots, nanos)| (slots as f64, nanos as f64)).collect()
    };
    let mut lines: Vec<Line<'_>> =
        rows.iter().map(|(who, rounds)| Line { who, points: worst(rounds) }).collect();
    let points = || lines.iter().flat_map(|line| &line.points);
    let least = |of: fn(&(f64, f64)) -> f64| points().map(of).fold(f64::INFINITY, f64::min);
    let most = |of: fn(&(f64, f64)) -> f64| points().map(of).fold(0.0, f64::max);
    let (slots, nanos) = ((least(|p| p.0), most(|p| p.0)), (least(|p| p.1), most(|p| p.1)));
    if slots.0 > slots.1 {
        return html! { p { (title) ": nothing was timed." } };
    }
    lines.retain(|line| names.contains(&line.who));
    let powers = (0..64).map(|power| 2_f64.powi(power)).step_by(4);
    let shown = powers.filter(|at| (slots.0..=slots.1).contains(at));
    let chart = Chart {
        title: title.to_owned(),
        x: Axis::log(slots.0, slots.1.max(2.0 * slots.0), ACROSS),
        y: Axis::log(nanos.0, nanos.1.max(10.0 * nanos.0), DOWN),
        x_ticks: shown.map(|at| (at, number::count(at))).collect(),
        x_name: "items inside",
        y_tick: |nanos| number::tick(&number::nanos(nanos)),
        lines,
    };
    chart.draw(data)
}

fn table(data: &Data, case: &str, rows: &Rows<Resize>) -> Markup {
    let nanos = |times: &Histogram, part: f64| match times.count {
        0 => "none".to_owned(),
        _ => number::nanos(times.quantile(part) as f64),
    };
    let total = |rounds: &[Resize], of: fn(&Resize) -> Option<usize>| {
        let all: Option<Vec<usize>> = rounds.iter().map(of).collect();
        all.map_or_else(|| "no rings".to_owned(), |all| thousands(all.iter().sum::<usize>() as u64))
    };
    html! {
        div.scroll {
            table {
                caption { (case) ", all rounds" }
                thead {
                    tr {
                        th { } th.left { "Queue" } th { "larger rings" } th { "smaller rings" }
                        th { "push, median" } th { "push, 99.99\u{a0}%" } th { "push, worst" }
                        th { "worst push that changed rings" } th { "pop, 99.99\u{a0}%" } th { "pop, worst" }
                    }
                }
                tbody {
                    @for (who, rounds) in rows {
                        @let push = pool(rounds, |round| &round.push);
                        @let pop = pool(rounds, |round| &round.pop);
                        @let closing = pool(rounds, |round| &round.closing);
                        tr {
                            td { b { (letter(data, who)) } }
                            th scope="row" { (who) }
                            td.number { (total(rounds, |round| round.grows)) }
                            td.number { (total(rounds, |round| round.shrinks)) }
                            td.number { (nanos(&push, 0.5)) }
                            td.number { (nanos(&push, 0.9999)) }
                            td.number { (nanos(&push, 1.0)) }
                            td.number { (nanos(&closing, 1.0)) }
                            td.number { (nanos(&pop, 0.9999)) }
                            td.number { (nanos(&pop, 1.0)) }
                        }
                    }
                }
            }
        }
    }
}

/// Trials with a stopped producer.
pub(super) fn stalls(data: &Data) -> Option<Markup> {
    (!data.stalls.is_empty()).then(|| {
        html! {
            p {
                "In each trial a signal stops a producer wherever it is, mostly in the middle of a push, "
                "while another producer and a consumer go on. A lock-free queue lets them."
            }
            figure {
                div.scroll {
                    table {
                        thead {
                            tr {
                                th { } th.left { "Queue" } th { "trials" } th { "consumer stopped too" }
                                th { "other producer stopped too" } th { "items moved meanwhile" }
                            }
                        }
                        tbody {
                            @for (who, rounds) in &data.stalls {
                                @let sum = |of: fn(&Stalled) -> u64| rounds.iter().map(of).sum::<u64>();
                                @let (trials, nanos) = (sum(|s| s.trials), sum(|s| s.nanos));
                                tr {
                                    td { b { (letter(data, who)) } }
                                    th scope="row" { (who) }
                                    td.number { (thousands(trials)) }
                                    (stopped(sum(|s| s.consumer_stopped), trials))
                                    (stopped(sum(|s| s.producer_stopped), trials))
                                    td.number {
                                        @match sum(|s| s.moved) {
                                            0 => "none",
                                            moved => (number::rate(nanos as f64 / moved as f64)),
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
                (caption(data, &html! { "All rounds. " }))
            }
        }
    })
}

/// How often, with a sign.
fn stopped(times: u64, trials: u64) -> Markup {
    let percent = format!("{:.0}", 100.0 * times as f64 / trials.max(1) as f64);
    html! {
        @match times {
            0 => td.number { "+ never" },
            times => td.number { "− " (thousands(times)) " (" (percent) " %)" },
        }
    }
}
