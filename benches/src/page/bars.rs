//! Bars: throughput, the fastest first, with its range; and what else is drawn as a row of bars.

use maud::{Markup, html};

use super::svg::{Axis, Path, Px, WIDTH};
use super::{caption, families, is_ours, letter, note, number};
use crate::compare::Spread;
use crate::data::{Case, Data, Series};
use crate::peers::Progress;

/// Where bars are, between names and values.
pub(super) const BARS: (f64, f64) = (190.0, 304.0);

/// A competitor's row.
pub(super) struct Row {
    pub(super) who: String,
    /// What is drawn, around a middle at height 0.
    pub(super) marks: Markup,
    pub(super) value: String,
}

/// A row for each competitor.
pub(super) fn drawing(data: &Data, title: &str, label: &str, rows: &[Row]) -> Markup {
    const HEIGHT: f64 = 18.0;
    const FIRST: f64 = 31.0;

    let bottom = FIRST + HEIGHT * rows.len() as f64 - 5.0;
    html! {
        svg viewBox=(format!("0 0 {WIDTH} {bottom}")) role="img" aria-label=(label) {
            text.title x="0" y="12" { (title) }
            @for (index, row) in rows.iter().enumerate() {
                g transform=(format!("translate(0 {})", FIRST + HEIGHT * index as f64)) {
                    text.letter x="0" y="4" { (letter(data, &row.who)) }
                    text.name x="16" y="4" { (row.who) }
                    (row.marks)
                    text.value x=(WIDTH) y="4" { (row.value) }
                }
            }
        }
    }
}

/// A bar that ends there.
pub(super) fn bar(class: &str, end: f64) -> Markup {
    html! { rect class=(class) x=(Px(BARS.0)) y="-7" width=(Px((end - BARS.0).max(1.0))) height="13" {} }
}

/// All cases, by family; the family that is most like real use is open.
pub(super) fn throughput(data: &Data) -> Option<Markup> {
    (!data.cases.is_empty()).then(|| {
        html! {
            p {
                "Items moved in a second: the median of the samples, and their range as a line. "
                span.key {
                    span.ours { "■" } " segring " span.peer { "■" } " peers "
                    span.floor { "□" } " a floor, no queue, cut where it is far off"
                }
            }
            @for (family, cases) in families(data) {
                details open[family == "prodcons"] {
                    summary { b { (family) } ": " (note(&family)) }
                    figure {
                        div.panels { @for (_, case) in &cases { (panel(data, case)) } }
                        (caption(data, &html! { "Throughput of " (family) ". " }))
                    }
                }
            }
        }
    })
}

fn panel(data: &Data, case: &Case) -> Markup {
    let mut measured: Vec<_> =
        case.series.iter().map(|series| (series, case.nanos(&series.who))).collect();
    let median = |nanos: &Option<Spread>| nanos.map_or(f64::INFINITY, |nanos| nanos.median);
    measured.sort_by(|(_, a), (_, b)| median(a).total_cmp(&median(b)));
    // Where the floor is far off it must not press the queues together.
    let queues = measured.iter().filter(|(series, _)| series.progress != Progress::Floor);
    let rates = queues.filter_map(|(_, nanos)| Some(1.0 / nanos.as_ref()?.low));
    let most = rates.fold(0.0, f64::max);
    let axis = Axis::linear(if most > 0.0 { most } else { 1.0 }, BARS);
    let row = |&(series, nanos): &(&'_ Series, Option<Spread>)| {
        let class = match series.progress {
            Progress::Floor => "floor",
            _ if is_ours(&series.who) => "ours",
            _ => "peer",
        };
        let (marks, value) = match nanos {
            None => (html! {}, "no result".to_owned()),
            Some(Spread { median, low, high }) => {
                let range = Path(vec![(axis.at(1.0 / high), 0.0), (axis.at(1.0 / low), 0.0)]);
                let marks = html! {
                    (bar(class, axis.at(1.0 / median)))
                    path.halo d=(range) {}
                    path.range d=(range) {}
                };
                (marks, number::rate(median))
            }
        };
        Row { who: series.who.clone(), marks, value }
    };
    let rows: Vec<Row> = measured.iter().map(row).collect();
    let title = format!("{}{}", case.name, if case.oversubscribed { "*" } else { "" });
    drawing(data, &title, &format!("Throughput, {title}"), &rows)
}
