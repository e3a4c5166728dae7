//! Tables of the paper, as rows of texts.

use alloc::collections::BTreeMap;

use crate::compare::{Spread, Verdict};
use crate::data::Data;
use crate::peers::Progress;
use crate::report::{OURS, bytes, thousands};
use crate::workload::Burst;

/// Rows of cells.
pub type Table = Vec<Vec<String>>;

/// Every table, by name.
pub fn all(soak: &Data) -> BTreeMap<String, Table> {
    [
        ("pair", pair(soak)),
        ("boundary", boundary(soak)),
        ("burst", burst(soak)),
        ("outcomes", outcomes(soak)),
        ("losses", losses(soak)),
    ]
    .map(|(name, table)| (name.to_owned(), table))
    .into()
}

/// One thread, a push and a pop in turn: who, time, ours to it.
fn pair(soak: &Data) -> Table {
    let Some(case) = soak.case("pair") else { return Table::new() };
    let row = |series: &crate::data::Series| {
        let ratio =
            |ours| case.ratio(ours, &series.who).map_or_else(String::new, |r| r.to_string());
        let nanos = case.nanos(&series.who)?;
        let Spread { median, low, high } = nanos;
        let nanos = format!("{median:.1} [{low:.1}-{high:.1}]");
        Some(vec![series.who.clone(), nanos, ratio(OURS[0].1), ratio(OURS[1].1)])
    };
    case.series.iter().filter_map(row).collect()
}

/// At the border of a ring: case, who, operations, allocations, bytes; ours and `SegQueue`.
fn boundary(soak: &Data) -> Table {
    let cases = soak.cases.iter().filter(|case| case.name.starts_with("ring_boundary"));
    let rows = cases.flat_map(|case| {
        let shown = case.series.iter().filter(|series| {
            OURS.iter().any(|(_, own)| *own == series.who) || series.who.contains("SegQueue")
        });
        shown.map(|series| {
            let sum = |of: fn(&crate::workload::Sample) -> u64| {
                thousands(series.samples.iter().map(of).sum())
            };
            vec![
                case.name.trim_start_matches("ring_boundary ").to_owned(),
                series.who.clone(),
                sum(|sample| sample.operations),
                sum(|sample| sample.allocated.allocations),
                sum(|sample| sample.allocated.bytes_allocated),
            ]
        })
    });
    rows.collect()
}

/// A burst: who, bytes before, at the peak and after, time of a pair before and after.
fn burst(soak: &Data) -> Table {
    let row = |(who, bursts): &(String, Vec<Burst>)| {
        let most = |of: fn(&Burst) -> i64| bytes(bursts.iter().map(of).max().unwrap_or(0));
        let nanos = |of: fn(&Burst) -> f64| {
            Spread::of(bursts.iter().map(of))
                .map_or_else(String::new, |s| format!("{:.1}", s.median))
        };
        vec![
            who.clone(),
            most(|burst| burst.bytes_before),
            most(|burst| burst.bytes_peak),
            most(|burst| burst.bytes_after),
            nanos(|burst| burst.nanos_before),
            nanos(|burst| burst.nanos_after),
        ]
    };
    soak.bursts.iter().map(row).collect()
}

/// Won, lost and tied pairings, by peer, for each of ours.
fn outcomes(soak: &Data) -> Table {
    let series = soak.cases.iter().flat_map(|case| &case.series);
    let mut peers: Vec<&str> = Vec::new();
    for series in series {
        let is_ours = OURS.iter().any(|(_, own)| *own == series.who);
        if !is_ours && series.progress != Progress::Floor && !peers.contains(&series.who.as_str()) {
            peers.push(&series.who);
        }
    }
    let row = |peer: &&str| {
        let count = |ours, verdict| {
            let with_peer = soak.outcomes(ours).filter(|(_, theirs, _)| theirs == peer);
            with_peer.filter(|(.., ratio)| ratio.verdict() == verdict).count().to_string()
        };
        let mut row = vec![(*peer).to_owned()];
        // Handle and Queue, as in the figure.
        for (_, ours) in &OURS[..2] {
            let verdicts = [Verdict::Win, Verdict::Loss, Verdict::NoDifference];
            row.extend(verdicts.map(|verdict| count(ours, verdict)));
        }
        row
    };
    peers.iter().map(row).collect()
}

/// Every loss: case, ours, to whom and by how much.
fn losses(soak: &Data) -> Table {
    let mut rows = Table::new();
    for case in &soak.cases {
        for (_, ours) in OURS {
            let lost: Vec<String> = soak
                .outcomes(ours)
                .filter(|(of, _, ratio)| of.name == case.name && ratio.verdict() == Verdict::Loss)
                .map(|(_, theirs, ratio)| format!("{theirs} {:.2}", ratio.median))
                .collect();
            if !lost.is_empty() {
                rows.push(vec![case.name.clone(), ours.to_owned(), lost.join(", ")]);
            }
        }
    }
    rows
}
