//! Memory through a burst: who gives it back.

use maud::{Markup, html};

use super::bars::{BARS, Row, bar, drawing};
use super::svg::{Axis, Path};
use super::{
    caption, is_ours, letter,
    number::{self, bytes},
};
use crate::compare::Spread;
use crate::data::{Data, Rows};
use crate::report::thousands;
use crate::workload::{Burst, Memory, Phase, Point};

/// Over time where the record has it, and the numbers.
pub(super) fn memory(data: &Data) -> Option<Markup> {
    (!data.bursts.is_empty() || !data.memories.is_empty()).then(|| {
        html! {
            @if !data.memories.is_empty() { (over_time(data)) }
            @if !data.bursts.is_empty() {
                figure {
                    div.panels { (held(data)) (table(data)) }
                    (caption(data, &html! {
                        "Depth " (Burst::DEPTH) ", then " (thousands(Burst::ITEMS)) " items at once, then depth "
                        (Burst::DEPTH) " again; one thread. The most of all rounds. "
                    }))
                }
                @if data.bursts.iter().any(|(_, bursts)| bursts.iter().any(|burst| burst.resizing.is_some())) {
                    (settling(data))
                }
            }
        }
    })
}

/// A small drawing for everybody, all of one scale: lines on top of each other would hide each other.
fn over_time(data: &Data) -> Markup {
    const SIZE: (f64, f64) = (160.0, 72.0);

    let points = || data.memories.iter().flat_map(|(_, rounds)| rounds).flat_map(|m| &m.points);
    let most = points().map(|point| point.operations).max().unwrap_or(1).max(1) as f64;
    let peak = points().map(|point| point.live_bytes).max().unwrap_or(1).max(1);
    let (x, y) = (Axis::linear(most, (0.0, SIZE.0)), Axis::linear(peak as f64, (SIZE.1, 2.0)));
    // Where each part begins, the same for everybody.
    let begins = [Phase::Push, Phase::Pop, Phase::After].map(|phase| {
        let of_phase = points().filter(|point| point.phase == phase);
        of_phase.map(|point| point.operations).min().unwrap_or(0) as f64
    });
    let shown = || {
        data.peers.iter().filter_map(|peer| {
            let (who, rounds) = data.memories.iter().find(|(who, _)| *who == peer.name)?;
            Some((who, rounds.last()?))
        })
    };
    let held = |memory: &Memory| {
        let last = memory.points.last().map_or(0, |point| point.live_bytes);
        let most = memory.points.iter().map(|point| point.live_bytes).max().unwrap_or(0);
        format!("{} → {}", bytes(most), bytes(last))
    };
    let frame = format!("0 0 {} {}", SIZE.0, SIZE.1);
    html! {
        figure {
            div.small {
                @for (who, memory) in shown() {
                    div {
                        p { b { (letter(data, who)) " " (who) } br; (held(memory)) }
                        svg viewBox=(frame) role="img" aria-label=(format!("{who}: {}", held(memory))) {
                            @for begin in begins { path.grid d=(format!("M{} 0V{}", x.at(begin).round(), SIZE.1)) {} }
                            path class=(if is_ours(who) { "area ours" } else { "area peer" })
                                d=(area(memory, &x, &y, |point| point.live_bytes)) {}
                            @if memory.points.iter().any(|point| retired(point) > 0) {
                                path.area.retired d=(area(memory, &x, &y, retired)) {}
                            }
                            path.grid d=(format!("M0 {}H{}", SIZE.1, SIZE.0)) {}
                        }
                    }
                }
            }
            (caption(data, &html! {
                "Bytes held, most and last, in the last round. From left to right, between the "
                "lines: a few items; " (thousands(Burst::ITEMS)) " pushes; as many pops; a push and "
                "a pop in turn. All drawings have one scale, up to " (bytes(peak)) ". Who gives "
                "memory back is at the bottom at the right. Darker: retired, and not yet freed. "
            }))
        }
    }
}

/// What is retired and waits to be freed, where a queue tells.
fn retired(point: &Point) -> i64 {
    i64::try_from(point.retired_bytes.unwrap_or(0)).unwrap_or(i64::MAX)
}

/// The line of what is held, closed along the bottom.
fn area(memory: &Memory, x: &Axis, y: &Axis, bytes: fn(&Point) -> i64) -> Path {
    let place = |point: &Point| (x.at(point.operations as f64), y.at(bytes(point) as f64));
    let mut places: Vec<(f64, f64)> = memory.points.iter().map(place).collect();
    let bottom = y.at(0.0);
    if let (Some((first, _)), Some((last, _))) = (places.first().copied(), places.last().copied()) {
        places.insert(0, (first, bottom));
        places.push((last, bottom));
    }
    Path(places)
}

/// A bar for the most held, and in it one for what is held afterwards.
fn held(data: &Data) -> Markup {
    let peaks = data.bursts.iter().map(|(_, bursts)| most(bursts, |burst| burst.bytes_peak));
    let axis = Axis::linear(peaks.max().unwrap_or(1).max(1) as f64, BARS);
    let row = |(who, bursts): &(String, Vec<Burst>)| {
        let after = most(bursts, |burst| burst.bytes_after);
        let end = |held: i64| axis.at(held as f64);
        let marks = html! {
            (bar("floor", end(most(bursts, |burst| burst.bytes_peak))))
            (bar(if is_ours(who) { "ours" } else { "peer" }, end(after)))
        };
        Row { who: who.clone(), marks, value: bytes(after) }
    };
    let rows: Vec<Row> = data.bursts.iter().map(row).collect();
    let label = "Bytes held at the peak of a burst and afterwards";
    drawing(data, "Held at the peak □ and afterwards ■", label, &rows)
}

/// The highest of all rounds.
fn most(bursts: &[Burst], of: fn(&Burst) -> i64) -> i64 {
    bursts.iter().map(of).max().unwrap_or(0)
}

fn table(data: &Data) -> Markup {
    let most = |rounds: &[Burst], of: fn(&Burst) -> i64| bytes(most(rounds, of));
    let nanos = |bursts: &[Burst], of: fn(&Burst) -> f64| {
        Spread::of(bursts.iter().map(of))
            .map_or_else(String::new, |spread| number::nanos(spread.median))
    };
    html! {
        div.scroll.wide {
            table {
                thead {
                    tr {
                        th.left { "Queue" } th { "before" } th { "peak" } th { "after" }
                        th { "push and pop, before" } th { "push of the burst" }
                        th { "pop of the burst" } th { "push and pop, after" }
                    }
                }
                tbody {
                    @for (who, bursts) in &data.bursts {
                        tr {
                            th scope="row" { (who) }
                            td.number { (most(bursts, |burst| burst.bytes_before)) }
                            td.number { (most(bursts, |burst| burst.bytes_peak)) }
                            td.number { (most(bursts, |burst| burst.bytes_after)) }
                            td.number { (nanos(bursts, |burst| burst.nanos_before)) }
                            td.number { (nanos(bursts, |burst| burst.nanos_push)) }
                            td.number { (nanos(bursts, |burst| burst.nanos_pop)) }
                            td.number { (nanos(bursts, |burst| burst.nanos_after)) }
                        }
                    }
                }
            }
        }
    }
}

/// How queues with rings came back.
fn settling(data: &Data) -> Markup {
    let resizing: Rows<_> = data
        .bursts
        .iter()
        .map(|(who, bursts)| {
            (who.clone(), bursts.iter().filter_map(|burst| burst.resizing).collect::<Vec<_>>())
        })
        .collect();
    html! {
        ul {
            @for (who, rounds) in resizing {
                @if let Some(last) = rounds.last() {
                    li {
                        b { (who) } ": " (times(last.rings.grows)) " a larger ring, " (times(last.rings.shrinks))
                        " a smaller one; "
                        @let settled = rounds.iter().map(|round| round.operations_to_settle);
                        @match settled.collect::<Option<Vec<u64>>>() {
                            Some(settled) => {
                                "back at " (last.capacity_before) " slots after at most "
                                (thousands(settled.into_iter().max().unwrap_or(0))) " operations at depth " (Burst::DEPTH)
                            }
                            None => { "not always back at " (last.capacity_before) " slots" }
                        }
                        ", " (rounds.iter().map(|round| round.retired_bytes).max().unwrap_or(0))
                        " bytes retired and not freed."
                    }
                }
            }
        }
    }
}

/// How often.
fn times(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    }
}
