//! Allocations, targets, and the contests of the sequential rings.

use maud::{Markup, html};

use super::{caption, number};
use crate::compare::Spread;
use crate::data::{Data, Reading};
use crate::heap::Counts;
use crate::report::{Target, thousands};
use crate::workload::Sample;

/// At the border of a ring, where a bad policy allocates at every step.
pub(super) fn allocations(data: &Data) -> Option<Markup> {
    let cases: Vec<_> =
        data.cases.iter().filter(|case| case.name.starts_with("ring_boundary ")).collect();
    let cell = |samples: &[Sample]| {
        let sum = |of: fn(&Sample) -> u64| samples.iter().map(of).sum::<u64>();
        let operations = sum(|sample| sample.operations).max(1) as f64;
        let allocations = sum(|sample| sample.allocated.allocations);
        let bytes = sum(|sample| sample.allocated.bytes_allocated);
        html! {
            @if allocations + bytes == 0 { "0" }
            @else {
                (format!("{:.2} B", bytes as f64 / operations))
                small { (thousands(allocations)) " in " (number::count(operations)) }
            }
        }
    };
    (!cases.is_empty()).then(|| {
        html! {
            p {
                "Over a stable backlog that just fills a ring: bytes allocated for each operation, and "
                "allocations in all operations of the timed parts of the samples. A ring with a bad "
                "policy pays here at every step."
            }
            figure {
                div.scroll {
                    table {
                        thead { tr { th.left { "Queue" } @for case in &cases { th { (super::family(&case.name).1) } } } }
                        tbody {
                            @for peer in &data.peers {
                                @if cases.iter().any(|case| case.samples_of(&peer.name).is_some()) {
                                    tr {
                                        th scope="row" { (peer.name) }
                                        @for case in &cases {
                                            td.number { @if let Some(samples) = case.samples_of(&peer.name) { (cell(samples)) } }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
                (caption(data, &html! { "Columns are threads x backlog. " }))
            }
        }
    })
}

/// Those that were missed first.
pub(super) fn targets(data: &Data) -> Option<Markup> {
    (!data.targets.is_empty()).then(|| {
        let (met, short): (Vec<&Target>, Vec<&Target>) =
            data.targets.iter().partition(|target| target.met);
        html! {
            p { (met.len()) " met, " (short.len()) " short. Falling short is no violation." }
            figure {
                div.scroll {
                    table.targets.text {
                        thead { tr { th { } th { "Target" } th { "Measured" } th { "Wanted" } } }
                        tbody {
                            @for target in short.into_iter().chain(met) {
                                tr {
                                    td class=(if target.met { "w2" } else { "l2" }) { (verdict(target)) }
                                    th scope="row" { (target.subject) }
                                    td { (target.measured) }
                                    td { (target.wanted) }
                                }
                            }
                        }
                    }
                }
                (caption(data, &html! { "As the run judged them. " }))
            }
        }
    })
}

fn verdict(target: &Target) -> &'static str {
    if target.met { "+ met" } else { "− short" }
}

/// Medians of the sequential rings beside what they replace.
pub(super) fn contests(data: &Data) -> Option<Markup> {
    let nanos = |readings: &[Reading]| {
        let spread = Spread::of(readings.iter().map(Reading::nanos_per_operation));
        number::nanos(spread.map_or(0.0, |spread| spread.median))
    };
    let per_operation = |readings: &[Reading], of: fn(Counts) -> u64| {
        let values = readings.iter().map(|r| of(r.allocated) as f64 / r.operations as f64);
        number::count(Spread::of(values).map_or(0.0, |spread| spread.median))
    };
    (!data.contests.is_empty()).then(|| {
        html! {
            p {
                "Rings for one thread beside what they replace, old and new in turn, sample by sample; "
                "medians of an operation."
            }
            details {
                summary { (data.contests.len()) " contests" }
                figure {
                    div.scroll {
                        table {
                            thead { tr { th { "Entrant" } th { "time" } th { "allocations" } th { "bytes" } th { "rounds" } } }
                            @for (title, rows) in &data.contests {
                                tbody {
                                    tr.family { th colspan="5" scope="rowgroup" { (title) } }
                                    @for (who, readings) in rows {
                                        tr {
                                            th scope="row" { (who) }
                                            td.number { (nanos(readings)) }
                                            td.number { (per_operation(readings, |counts| counts.allocations)) }
                                            td.number { (per_operation(readings, |counts| counts.bytes_allocated)) }
                                            td.number { (readings.len()) }
                                        }
                                    }
                                }
                            }
                        }
                    }
                    (caption(data, &html! { "Sequential rings; also by " code { "make seeds" } ". " }))
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::verdict;
    use crate::report::Target;

    #[test]
    fn a_target_says_whether_it_was_met() {
        let target = |met| Target {
            subject: String::new(),
            wanted: String::new(),
            measured: String::new(),
            met,
        };
        assert_eq!([true, false].map(|met| verdict(&target(met))), ["+ met", "− short"]);
    }
}
