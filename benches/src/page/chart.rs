//! Lines over two axes, each with the letter of its competitor at its end.

use maud::{Markup, html};

use super::letter;
use super::svg::{Axis, Path, Px, WIDTH, spread};
use crate::data::Data;

const HEIGHT: f64 = 268.0;
/// Between two letters.
const GAP: f64 = 11.5;
/// Where the lines are, between the labels of the axes and the letters.
pub(super) const ACROSS: (f64, f64) = (52.0, 330.0);
pub(super) const DOWN: (f64, f64) = (230.0, 26.0);

/// A competitor's line.
#[derive(Clone, Debug)]
pub(super) struct Line<'a> {
    pub(super) who: &'a str,
    /// Values, from left to right.
    pub(super) points: Vec<(f64, f64)>,
}

/// A drawing.
#[derive(Clone, Debug)]
pub(super) struct Chart<'a> {
    pub(super) title: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    /// Where to write what below.
    pub(super) x_ticks: Vec<(f64, String)>,
    pub(super) x_name: &'a str,
    /// How to write what beside.
    pub(super) y_tick: fn(f64) -> String,
    pub(super) lines: Vec<Line<'a>>,
}

impl Chart<'_> {
    pub(super) fn draw(&self, data: &Data) -> Markup {
        let Self { title, x, y, .. } = self;
        let lines: Vec<_> = self
            .lines
            .iter()
            .filter_map(|line| {
                let places = line.points.iter().map(|(a, b)| (x.at(*a), y.at(*b)));
                let path = thin(places);
                (!path.is_empty()).then(|| (letter(data, line.who), line.who, path))
            })
            .collect();
        let ends: Vec<f64> = lines.iter().map(|(.., path)| path[path.len() - 1].1).collect();
        let names = spread(&ends, GAP, (DOWN.1 - 4.0, DOWN.0));
        html! {
            svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(title) {
                text.title x="0" y="12" { (title) }
                @for value in y.ticks(6) {
                    path.grid d=(format!("M{} {}H{}", ACROSS.0, y.at(value).round(), ACROSS.1)) {}
                    text.tick.beside x=(Px(ACROSS.0 - 5.0)) y=(Px(y.at(value) + 3.5)) { ((self.y_tick)(value)) }
                }
                @for (value, text) in &self.x_ticks {
                    path.grid d=(format!("M{} {}V{}", x.at(*value).round(), DOWN.0, DOWN.1)) {}
                    text.tick.below x=(Px(x.at(*value))) y=(Px(DOWN.0 + 14.0)) { (text) }
                }
                text.tick.below x=(Px(f64::midpoint(ACROSS.0, ACROSS.1))) y=(Px(HEIGHT - 6.0)) { (self.x_name) }
                @for ((letter, who, path), name) in lines.iter().zip(names) {
                    @let (x, y) = path[path.len() - 1];
                    g class=(class(*letter)) {
                        path.line d=(Path(path.clone())) { title { (who) } }
                        path.lead d=(Path(vec![(x, y), (ACROSS.1 + 8.0, name)])) {}
                        text.letter x=(Px(ACROSS.1 + 11.0)) y=(Px(name + 4.0)) { (letter) }
                    }
                }
            }
        }
    }
}

/// The class that gives a line its colour and its dashes.
fn class(letter: char) -> String {
    format!("line-{letter}")
}

/// Leaves out places that nobody could tell from the one before.
fn thin(places: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for (x, y) in places {
        if kept.last().is_none_or(|(a, b)| (x - a).abs() + (y - b).abs() >= 0.8) {
            kept.push((x, y));
        }
    }
    kept
}

/// Whose line is which.
pub(super) fn legend(data: &Data, names: &[&str]) -> Markup {
    html! {
        ul.lines {
            @for name in names {
                @let letter = letter(data, name);
                li {
                    svg viewBox="0 0 28 10" aria-hidden="true" { g class=(class(letter)) { path.line d="M0 5H28" {} } }
                    b { (letter) } " " (name)
                }
            }
        }
    }
}
