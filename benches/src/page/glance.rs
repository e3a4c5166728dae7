//! What a reader in a hurry should know: outcomes, checks, targets, doubts; and every loss.

use maud::{Markup, html};

use super::words::{self, Count};
use super::{about, caption, letter, number, ours};
use crate::data::{Data, Failure};
use crate::report::thousands;

/// Counts and doubts.
pub(super) fn glance(data: &Data) -> Markup {
    let met = data.targets.iter().filter(|target| target.met).count();
    html! {
        @if !data.cases.is_empty() { (outcomes(data)) }
        ul.facts {
            @if let Some(checks) = data.checks {
                li {
                    b { (violations(checks.violations)) }
                    " in " (thousands(checks.operations)) " operations run under checks, "
                    (thousands(checks.checked)) " of them checked for linearizability. Meanwhile rings were followed "
                    (thousands(checks.rings.grows as u64)) " times by a larger one, "
                    (thousands(checks.rings.shrinks as u64)) " times by a smaller one, "
                    (thousands(checks.rings.jams as u64)) " times by one of the same size for a stalled thread; "
                    (thousands(checks.rings.give_ups as u64)) " tickets were given up."
                }
            }
            @if !data.targets.is_empty() {
                li { b { (met) " of " (data.targets.len()) " targets met" } ": " a href="#targets" { "all of them" } "." }
            }
            @for doubt in doubts(data) { li.doubt { (doubt) } }
        }
        @for finding in &data.findings {
            pre.finding { (finding) }
        }
    }
}

fn violations(count: u64) -> String {
    match count {
        1 => "1 violation".to_owned(),
        count => format!("{count} violations"),
    }
}

/// A bar for each of ours: won, without a difference, lost.
fn outcomes(data: &Data) -> Markup {
    let what = html! {
        "Each pairing of a case and a peer, judged by the ratios of their times, round by round. "
    };
    html! {
        figure.outcomes {
            @for (_, name) in ours(data) {
                @let count = Count::of(data, name);
                @if count.all() > 0 {
                    div.outcome {
                        div.who { b { (letter(data, name)) } " " (name) }
                        div.bar role="img" aria-label=(format!("{name}: {}", count.words())) {
                            @for (class, sign, n) in
                                [("w3", "+", count.wins), ("n", "=", count.ties), ("l3", "−", count.losses)]
                            {
                                @if n > 0 { span class=(class) style=(format!("flex:{n} {n} 0")) { (sign) (n) } }
                            }
                        }
                    }
                }
            }
            (caption(data, &html! {
                (what) span.key { span.w3 { "+" } " won " span.n { "=" } " no difference " span.l3 { "−" } " lost" } ". "
            }))
        }
    }
}

/// Reasons to read the numbers with care.
fn doubts(data: &Data) -> Vec<String> {
    let mut doubts = Vec::new();
    if data.runs.iter().any(|run| run.machine.dirty) {
        doubts.push("Files differed from the commit.".to_owned());
    }
    if data.runs.iter().any(|run| run.machine.flags.contains("debug assertions")) {
        doubts.push("A debug build: its times mean nothing.".to_owned());
    }
    if let Some(change) = about::unsteady(data) {
        doubts.push(format!(
            "The machine changed while it ran ({change}). Ratios are of samples taken side by side; \
             throughput of different cases cannot be compared."
        ));
    }
    if data.probes.iter().any(|probe| probe.parallel_speedup > 2.2) {
        doubts.push(
            "Two threads seemed to do more than twice the work of one: what the probe says of them is an accident."
                .to_owned(),
        );
    }
    for Failure { name, competitor, reason } in &data.failures {
        doubts.push(format!("{competitor} is left out of {name}: {reason}."));
    }
    let doubtful = data.cases.iter().filter(|case| case.is_doubtful(data.judged));
    let doubtful: Vec<&str> = doubtful.map(|case| case.name.as_str()).collect();
    if !doubtful.is_empty() {
        let cases = doubtful.join(", ");
        doubts.push(format!(
            "A queue seems to differ from itself, so nothing should be believed of: {cases} (marked ≠)."
        ));
    }
    let all = || data.cases.iter().flat_map(|case| &case.series).flat_map(|s| &s.samples);
    // Those of lines that could not be read have no operations.
    let samples = || all().filter(|sample| sample.operations > 0);
    let apart = samples().filter(|sample| sample.result().is_none()).count();
    if apart > 0 {
        doubts.push(format!(
            "{apart} of {} samples are no result, as not all threads were running at the same time.",
            thousands(samples().count() as u64)
        ));
    }
    doubts
}

/// Every loss, as plainly as the wins.
pub(super) fn losses(data: &Data) -> Option<Markup> {
    (!data.cases.is_empty()).then(|| {
        html! {
            p { "Every pairing that segring lost: the peer, and how many times as long as the peer segring takes." }
            @for (_, name) in ours(data) {
                @let lost = words::losses(data, name);
                @let count = Count::of(data, name);
                @if count.all() > 0 {
                    h3 { (name) ": " (count.words()) }
                    @if lost.is_empty() { p { "No loss." } }
                    @else {
                        dl.losses {
                            @for (case, to) in lost {
                                div {
                                    dt { (case) }
                                    dd {
                                        @for (index, (peer, ratio)) in to.iter().enumerate() {
                                            @if index > 0 { ", " }
                                            span.loss title=(words::verdict(data.judged, name, peer, Some(*ratio))) {
                                                (peer) " " b { (number::ratio(ratio.median)) "×" }
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
    })
}
