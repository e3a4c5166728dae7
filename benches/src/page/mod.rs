//! `make report`: one record as one page of HTML that needs nothing else, no network and no script.
//!
//! The same record gives the same bytes. What is wrong with a record stands at the head of its page.

mod about;
mod bars;
mod burst;
mod chart;
mod files;
mod glance;
mod heat;
mod latency;
mod number;
mod rings;
mod svg;
mod tables;
mod words;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::data::{Case, Data, Promised};
use crate::peers::{Bound, Consumers, Progress};
use crate::report::OURS;
use crate::workload::Family;

pub use files::{newest, read, write};

/// Colours and sizes.
const STYLE: &str = include_str!("style.css");

/// A part of the page, if the record has what it shows.
struct Section {
    id: &'static str,
    title: &'static str,
    body: Option<Markup>,
}

/// The page of a record.
pub fn render(data: &Data) -> String {
    let section = |id, title, body| Section { id, title, body };
    let sections = [
        section("glance", "At a glance", Some(glance::glance(data))),
        section("ratios", "Ratios", heat::maps(data)),
        section("losses", "Losses", glance::losses(data)),
        section("throughput", "Throughput", bars::throughput(data)),
        section("latency", "Latency", latency::latency(data)),
        section("memory", "Memory", burst::memory(data)),
        section("rings", "Changes of rings", rings::resizes(data)),
        section("stalled", "Beside a stopped producer", rings::stalls(data)),
        section("allocations", "Allocations", tables::allocations(data)),
        section("targets", "Targets", tables::targets(data)),
        section("sequential", "Sequential rings", tables::contests(data)),
        section("peers", "Who promises what", about::peers(data)),
        section("control", "A queue against itself", about::controls(data)),
        section("method", "Machine and method", Some(about::method(data))),
    ];
    let shown = || sections.iter().filter_map(|s| Some((s.id, s.title, s.body.as_ref()?)));
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "segring: " (data.name) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { "segring beside other queues" }
                    (about::origin(data))
                }
                (faults(data))
                nav aria-label="Parts of this page" {
                    @for (id, title, _) in shown() { a href={ "#" (id) } { (title) } " " }
                }
                main {
                    @for (id, title, body) in shown() {
                        section id=(id) { h2 { (title) } (body) }
                    }
                }
            }
        }
    };
    page.into_string()
}

/// What is wrong with the record.
fn faults(data: &Data) -> Markup {
    /// A file of another kind would be wrong in every line.
    const MOST: usize = 12;

    html! {
        @if !data.faults.is_empty() {
            aside.faults role="note" {
                h2 { "This record could not be read in full" }
                p { "The page shows what could be read." }
                ul {
                    @for fault in data.faults.iter().take(MOST) {
                        li { code { (data.name) (fault) } }
                    }
                    @if data.faults.len() > MOST {
                        li { "and " (data.faults.len() - MOST) " more" }
                    }
                }
            }
        }
    }
}

/// Under every figure: what it shows, the record, and the command that made that.
fn caption(data: &Data, text: &Markup) -> Markup {
    html! {
        figcaption {
            (text)
            span.source { "Record " code { (data.name) } ", made by " code { (about::command(data)) } }
        }
    }
}

/// The family of a case, and what tells it from the others there. Told from its name, as a record may
/// have cases that this version does not.
fn family(case: &str) -> (String, String) {
    for place in ["unpinned", "one core"] {
        if let Some(case) = case.strip_suffix(place) {
            return (place.to_owned(), case.trim_end().to_owned());
        }
    }
    let (name, label) = case.split_once(' ').unwrap_or((case, "1 thread"));
    for between in [" think", " work"] {
        if let Some(label) = label.strip_suffix(between) {
            return (format!("{name},{between}"), label.to_owned());
        }
    }
    (name.to_owned(), label.trim_start_matches("of ").to_owned())
}

/// Cases by family, in their order.
fn families(data: &Data) -> Vec<(String, Vec<(String, &Case)>)> {
    let mut families: Vec<(String, Vec<(String, &Case)>)> = Vec::new();
    for case in &data.cases {
        let (name, label) = family(&case.name);
        match families.iter_mut().find(|(known, _)| *known == name) {
            Some((_, cases)) => cases.push((label, case)),
            None => families.push((name, vec![(label, case)])),
        }
    }
    families
}

/// What an operation is in a family, and what to keep in mind.
fn note(family: &str) -> &'static str {
    let known = Family::all().into_iter().find(|known| known.name == family);
    known.map_or("", |known| known.note)
}

/// Competitors that can be compared line by line, like with like, so that a drawing does not have more
/// lines than eyes can follow: what unites them, and who they are.
fn groups(data: &Data, takes_part: impl Fn(&str) -> bool) -> Vec<(&'static str, Vec<&str>)> {
    let group = |promise: &Promised| match (promise.progress, promise.bound, promise.consumers) {
        (Progress::Floor, ..) | (_, Bound::Unbounded, Consumers::Many) => "unbounded",
        (_, Bound::Unbounded, Consumers::One) => "unbounded, one consumer",
        (_, Bound::Bounded, Consumers::Many) => "bounded",
        (_, Bound::Bounded, Consumers::One) => "bounded, one consumer",
    };
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for peer in data.peers.iter().filter(|peer| takes_part(&peer.name)) {
        let kind = group(&peer.promise);
        match groups.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, names)) => names.push(&peer.name),
            None => groups.push((kind, vec![&peer.name])),
        }
    }
    groups
}

/// Of ours, those that took part.
fn ours(data: &Data) -> impl Iterator<Item = (&'static str, &'static str)> {
    OURS.into_iter().filter(|(_, name)| data.peers.iter().any(|peer| peer.name == *name))
}

fn is_ours(who: &str) -> bool {
    OURS.iter().any(|(_, name)| *name == who)
}

/// What every drawing calls a competitor: the letter that the terminal has for ours, and a small one
/// for everybody else.
fn letter(data: &Data, who: &str) -> char {
    if let Some((letter, _)) = OURS.iter().find(|(_, name)| *name == who) {
        return letter.chars().next().unwrap_or('?');
    }
    let mut others = data.peers.iter().filter(|peer| !is_ours(&peer.name));
    let place = others.position(|peer| peer.name == who);
    place.and_then(|place| ('a'..='z').nth(place)).unwrap_or('?')
}

#[cfg(test)]
mod tests {
    use super::{family, note};
    use crate::workload::Family;

    #[test]
    fn a_case_is_found_in_its_family() {
        for known in Family::all() {
            for case in &known.cases {
                let (name, label) = family(&case.to_string());
                assert_eq!(name, known.name, "{case}");
                assert!(
                    !label.is_empty() && case.to_string().contains(&label) || label == "1 thread"
                );
            }
            assert!(!note(known.name).is_empty());
        }
    }
}
