//! Scales and places for drawings, which are written as SVG by the same macro as the page around them.
//!
//! Colours come from the style sheet by class, so that a drawing follows the theme of its reader; the
//! chart libraries write fixed ones.

use core::fmt::Write;

use maud::Render;

/// Every drawing is this wide, which is what fits on a phone without scaling; on a desk several stand
/// side by side. So a letter has the same size everywhere.
pub(super) const WIDTH: f64 = 360.0;

/// A length or a place, to a tenth of a pixel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Px(pub(super) f64);

impl Render for Px {
    fn render_to(&self, buffer: &mut String) {
        // Adding 0 makes -0 the 0 that it is.
        let written = write!(buffer, "{}", (self.0 * 10.0).round() / 10.0 + 0.0);
        debug_assert!(written.is_ok(), "writing to a string does not fail");
    }
}

/// A line through places.
#[derive(Clone, Debug)]
pub(super) struct Path(pub(super) Vec<(f64, f64)>);

impl Render for Path {
    fn render_to(&self, buffer: &mut String) {
        for (index, (x, y)) in self.0.iter().enumerate() {
            buffer.push(if index == 0 { 'M' } else { 'L' });
            Px(*x).render_to(buffer);
            buffer.push(' ');
            Px(*y).render_to(buffer);
        }
    }
}

/// Values to places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    values: (f64, f64),
    places: (f64, f64),
    is_log: bool,
}

impl Axis {
    /// From 0 to a value.
    pub(super) const fn linear(high: f64, places: (f64, f64)) -> Self {
        Self { values: (0.0, high), places, is_log: false }
    }

    /// Between two values above 0.
    pub(super) const fn log(low: f64, high: f64, places: (f64, f64)) -> Self {
        Self { values: (low, high), places, is_log: true }
    }

    /// The place of a value; that of the nearer end if it is beyond.
    pub(super) fn at(&self, value: f64) -> f64 {
        let (low, high) = self.values;
        let part = if self.is_log {
            (value.max(low) / low).ln() / (high / low).ln()
        } else {
            (value - low) / (high - low)
        };
        let (from, to) = self.places;
        from + (to - from) * part.clamp(0.0, 1.0)
    }

    /// What to write beside a logarithmic one, at most so much: powers of ten; where there is hardly one,
    /// their doubles and fives too.
    #[expect(clippy::cast_possible_truncation, reason = "exponents of times and counts")]
    pub(super) fn ticks(&self, most: usize) -> Vec<f64> {
        let (low, high) = self.values;
        let powers = low.log10().floor() as i32..=high.log10().ceil() as i32;
        let within = |steps: &[f64]| -> Vec<f64> {
            let powers = powers.clone().map(|power| 10_f64.powi(power));
            let values = powers.flat_map(|power| steps.iter().map(move |step| step * power));
            values.filter(|value| (low..=high).contains(value)).collect()
        };
        let decades = within(&[1.0]);
        if decades.len() < 3 {
            return within(&[1.0, 2.0, 5.0]);
        }
        let step = decades.len().div_ceil(most.max(1));
        decades.into_iter().step_by(step).collect()
    }
}

/// Moves labels apart so that they do not overlap, and keeps them between two places.
pub(super) fn spread(places: &[f64], gap: f64, (low, high): (f64, f64)) -> Vec<f64> {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|a, b| places[*a].total_cmp(&places[*b]));
    let mut spread = places.to_vec();
    let mut least = low;
    for &index in &order {
        spread[index] = spread[index].max(least);
        least = spread[index] + gap;
    }
    let mut most = high;
    for &index in order.iter().rev() {
        spread[index] = spread[index].min(most);
        most = spread[index] - gap;
    }
    spread
}

#[cfg(test)]
mod tests {
    use maud::Render;

    use super::{Axis, Path, Px, spread};

    #[test]
    fn places_are_short() {
        let places = [12.0, 1.25, -0.01, 100.04].map(|place| Px(place).render().into_string());
        assert_eq!(places, ["12", "1.3", "0", "100"]);
        assert_eq!(Path(vec![(1.0, 2.0), (3.5, 4.0)]).render().into_string(), "M1 2L3.5 4");
    }

    #[test]
    fn values_have_places_and_ticks() {
        let linear = Axis::linear(50.0, (100.0, 200.0));
        assert_eq!(
            [0.0, 25.0, 60.0].map(|v| Px(linear.at(v)).render().into_string()),
            ["100", "150", "200"]
        );
        let log = Axis::log(10.0, 1e5, (200.0, 0.0));
        assert_eq!(
            [1.0, 10.0, 1e3].map(|v| Px(log.at(v)).render().into_string()),
            ["200", "200", "100"]
        );
        assert_eq!((log.ticks(8).len(), log.ticks(3).len()), (5, 3));
        assert_eq!(Axis::log(80.0, 600.0, (0.0, 1.0)).ticks(6), [100.0, 200.0, 500.0]);
    }

    #[test]
    fn labels_keep_their_distance() {
        let moved = spread(&[50.0, 52.0, 99.0, 98.0], 10.0, (0.0, 100.0));
        assert_eq!(moved, [50.0, 60.0, 100.0, 90.0]);
    }
}
