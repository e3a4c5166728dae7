//! Ratios as a map: a row for each case, a column for each peer, a colour and a sign for the verdict.

use maud::{Markup, html};

use super::words::{self, Count, sign, verdict};
use super::{caption, families, is_ours, number, ours};
use crate::compare::{Spread, Verdict};
use crate::data::{Case, Data, Failure, Judged, Peer};
use crate::peers::Progress;

/// A map for each of ours; the first is open.
pub(super) fn maps(data: &Data) -> Option<Markup> {
    let ends = match data.judged {
        Judged::ByRange => "range",
        Judged::ByInterval => "interval",
    };
    (!data.cases.is_empty()).then(|| {
        html! {
            p {
                "How long segring takes for what a peer does in 1: the median of the ratios of the "
                "rounds, and on a wide screen their " (ends) ". " b { "Below 1 segring is faster." }
            }
            (legend(data))
            @for (index, (_, name)) in ours(data).enumerate() {
                @let count = Count::of(data, name);
                @if count.all() > 0 {
                    details open[index == 0] {
                        summary { b { (name) } ": " (count.words()) }
                        (map(data, name))
                    }
                }
            }
        }
    })
}

fn legend(data: &Data) -> Markup {
    let steps = [
        ("w5", "¼"),
        ("w4", ""),
        ("w3", "½"),
        ("w2", ""),
        ("w1", ""),
        ("n", "="),
        ("l1", ""),
        ("l2", ""),
        ("l3", "2"),
        ("l4", ""),
        ("l5", "4"),
    ];
    let meaning = |verdict| words::meaning(data.judged, verdict);
    html! {
        div.legend {
            span { "+ win: " (meaning(Verdict::Win)) }
            span.scale aria-hidden="true" { @for (class, text) in steps { span class=(class) { (text) } } }
            span { "− loss: " (meaning(Verdict::Loss)) }
            span { "= no difference: " (meaning(Verdict::NoDifference)) }
            span { "~ no result: threads did not run at the same time" }
            @if !data.failures.is_empty() { span { "✗ did not come to the end" } }
            span { "empty: the peer cannot run it" }
        }
    }
}

fn map(data: &Data, ours: &str) -> Markup {
    let takes_part = |peer: &Peer| {
        let samples = |case: &Case| case.samples_of(&peer.name).is_some();
        !is_ours(&peer.name) && data.cases.iter().any(samples)
    };
    let peers: Vec<&Peer> = data.peers.iter().filter(|peer| takes_part(peer)).collect();
    html! {
        figure {
            div.scroll {
                table.heat style=(format!("min-width:{}px", 68 + 38 * peers.len())) {
                    thead {
                        tr {
                            th { }
                            @for peer in &peers {
                                th scope="col" { div { b { (peer.name) } br; small { (peer.promise) } } }
                            }
                        }
                    }
                    @for (family, cases) in families(data) {
                        @if cases.iter().any(|(_, case)| case.samples_of(ours).is_some()) {
                            tbody {
                                tr.family { th colspan=(peers.len() + 1) scope="rowgroup" { (family) } }
                                @for (label, case) in cases {
                                    @if case.samples_of(ours).is_some() {
                                        tr {
                                            th scope="row" {
                                                (label)
                                                @if case.oversubscribed { "*" }
                                                @if case.is_doubtful(data.judged) { " ≠" }
                                            }
                                            @for peer in &peers { (cell(data, case, ours, peer)) }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            (caption(data, &html! {
                "Time of " (ours) " to that of each peer. *: more threads than cores. "
                "≠: a queue seems to differ from itself there. "
            }))
        }
    }
}

fn cell(data: &Data, case: &Case, ours: &str, peer: &Peer) -> Markup {
    let failed = |failure: &&Failure| failure.name == case.name && failure.competitor == peer.name;
    if let Some(failure) = data.failures.iter().find(failed) {
        return html! { td.absent title=(format!("{}: {}", peer.name, failure.reason)) { "✗" } };
    }
    if case.samples_of(&peer.name).is_none() {
        return html! { td.absent title=(format!("{} cannot run it", peer.name)) { } };
    }
    let words = verdict(data.judged, ours, &peer.name, case.ratio(ours, &peer.name));
    let Some(ratio) = case.ratio(ours, &peer.name) else {
        return html! { td.absent title=(words) { "~" } };
    };
    let Spread { median, low, high } = ratio;
    let range = html! { small { (number::ratio(low)) "–" (number::ratio(high)) } };
    // A floor is no queue: nobody wins or loses against it.
    if peer.promise.progress == Progress::Floor {
        return html! { td { (number::ratio(median)) (range) } };
    }
    let verdict = ratio.verdict();
    html! {
        td class=(shade(verdict, median)) title=(words) {
            i { (sign(verdict)) } (number::ratio(median)) (range)
        }
    }
}

/// The class of a colour: five steps to either side, as many for a half as for the double.
fn shade(verdict: Verdict, median: f64) -> String {
    const STEPS: [f64; 4] = [1.25, 1.6, 2.5, 4.0];

    let (side, times) = match verdict {
        Verdict::NoDifference => return "n".to_owned(),
        Verdict::Win => ('w', 1.0 / median),
        Verdict::Loss => ('l', median),
    };
    format!("{side}{}", 1 + STEPS.iter().filter(|step| times >= **step).count())
}

#[cfg(test)]
mod tests {
    use super::shade;
    use crate::compare::Verdict::{Loss, NoDifference, Win};

    #[test]
    fn colours_are_as_strong_for_a_half_as_for_the_double() {
        for (times, step) in [(1.1, 1), (1.3, 2), (2.0, 3), (3.0, 4), (9.0, 5)] {
            assert_eq!(shade(Win, 1.0 / times), format!("w{step}"));
            assert_eq!(shade(Loss, times), format!("l{step}"));
        }
        assert_eq!(
            shade(NoDifference, 3.0),
            "n",
            "a verdict of none has no colour, whatever its median"
        );
    }
}
