//! The tables: a row for each competitor, a column for each case.

use comfy_table::{Table, presets};

use super::{OURS, bytes, thousands};
use crate::compare::{Comparison, Series, Spread};
use crate::peers::Competitor;
use crate::workload::{Burst, Case, Resizing, Sample};

/// Times and ratios.
pub(super) fn times(comparisons: &[Comparison]) -> Table {
    by_case(comparisons, |comparison, series| {
        let nanos = series.samples.iter().map(Sample::nanos_per_operation);
        let mark = if series.samples.iter().all(Sample::overlapped) { "" } else { " ~" };
        let mut lines = vec![format!("{}{mark}", show_nanos(Spread::of(nanos)))];
        for (letter, ours) in OURS {
            if ours != series.competitor.name
                && let Some(ratio) = comparison.ratio(ours, series.competitor.name)
            {
                lines.push(format!("{letter} {ratio} {}", ratio.verdict()));
            }
        }
        lines
    })
}

/// Allocations and bytes an operation, and their totals.
pub(super) fn allocations(comparisons: &[Comparison]) -> Table {
    by_case(comparisons, |_, series| {
        let sum = |value: fn(&Sample) -> u64| series.samples.iter().map(value).sum::<u64>();
        let operations = sum(|sample| sample.operations) as f64;
        let allocations = sum(|sample| sample.allocated.allocations);
        let allocated = sum(|sample| sample.allocated.bytes_allocated);
        let per = |total: u64| {
            if total == 0 { "0".to_owned() } else { format!("{:.3}", total as f64 / operations) }
        };
        vec![
            format!("{} allocs/op", per(allocations)),
            format!("{} B/op", per(allocated)),
            format!("({})", thousands(allocations)),
            format!("({} B)", thousands(allocated)),
        ]
    })
}

/// What the bursts cost and left behind.
pub(super) fn bursts(bursts: &[Series<Burst>]) -> Table {
    let mut table = table([
        String::new(),
        "pair before, ns".into(),
        "push, ns".into(),
        "pop, ns".into(),
        "pair after, ns".into(),
        "live before, peak, after".into(),
        "operations to the ring before".into(),
        "retired, rings".into(),
    ]);
    for Series { competitor, samples } in bursts {
        let nanos = |value: fn(&Burst) -> f64| show_nanos(Spread::of(samples.iter().map(value)));
        let most = |value: fn(&Burst) -> i64| bytes(samples.iter().map(value).max().unwrap_or(0));
        let resizing: Vec<&Resizing> = samples.iter().filter_map(|s| s.resizing.as_ref()).collect();
        table.add_row([
            row_name(competitor),
            nanos(|burst| burst.nanos_before),
            nanos(|burst| burst.nanos_push),
            nanos(|burst| burst.nanos_pop),
            nanos(|burst| burst.nanos_after),
            [
                most(|burst| burst.bytes_before),
                most(|burst| burst.bytes_peak),
                most(|burst| burst.bytes_after),
            ]
            .join("\n"),
            settled(&resizing),
            resizing.last().map_or_else(String::new, |last| {
                let retired = resizing.iter().map(|r| r.retired_bytes).max().unwrap_or(0);
                let (grows, shrinks) = (last.rings.grows, last.rings.shrinks);
                format!("{retired} B retired\n{grows} grown\n{shrinks} shrunk")
            }),
        ]);
    }
    table
}

fn settled(resizing: &[&Resizing]) -> String {
    let Some(first) = resizing.first() else { return String::new() };
    let slots = format!("{} slots", first.capacity_before);
    match resizing.iter().map(|r| r.operations_to_settle).collect::<Option<Vec<u64>>>() {
        Some(operations) => {
            let most = operations.into_iter().max().unwrap_or(0);
            format!("at most {}\n{slots}", thousands(most))
        }
        None => format!("never\n{slots}"),
    }
}

/// A table with a column for each case, and cells of several lines.
fn by_case(
    comparisons: &[Comparison],
    cell: impl Fn(&Comparison, &Series<Sample>) -> Vec<String>,
) -> Table {
    let header = comparisons.iter().map(|comparison| column_name(comparison.case));
    let mut table = table(core::iter::once(String::new()).chain(header));
    for competitor in competitors(comparisons) {
        let cells = comparisons.iter().map(|comparison| {
            let series = comparison.series_of(competitor.name);
            series.map_or_else(String::new, |series| cell(comparison, series).join("\n"))
        });
        table.add_row(core::iter::once(row_name(&competitor)).chain(cells));
    }
    table
}

/// Everybody who took part in some case, in order of first appearance.
fn competitors(comparisons: &[Comparison]) -> Vec<Competitor> {
    let mut found: Vec<Competitor> = Vec::new();
    for series in comparisons.iter().flat_map(|comparison| &comparison.series) {
        if found.iter().all(|known| known.name != series.competitor.name) {
            found.push(series.competitor);
        }
    }
    found
}

fn table(header: impl IntoIterator<Item = String>) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_HORIZONTAL_ONLY)
        .set_header(header.into_iter().collect::<Vec<_>>());
    table
}

fn row_name(competitor: &Competitor) -> String {
    format!("{}\n{}", competitor.name, competitor.promise)
}

fn column_name(case: Case) -> String {
    if case.is_oversubscribed() {
        format!("{}\noversubscribed", case.label())
    } else {
        case.label()
    }
}

fn show_nanos(spread: Option<Spread>) -> String {
    spread.map_or_else(String::new, |Spread { median, low, high }| {
        format!("{median:.1} [{low:.1}-{high:.1}]")
    })
}
