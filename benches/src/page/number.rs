//! Numbers as people read them: a unit, three significant digits.

use crate::report::thousands;

/// Three significant digits.
fn significant(value: f64) -> String {
    let decimals = match value.abs() {
        99.95.. => 0,
        9.995.. => 1,
        _ => 2,
    };
    format!("{value:.decimals$}")
}

/// A value in the first of these units in which it stays below a thousand.
fn in_units(value: f64, units: &[(f64, &str)]) -> String {
    let fits = |(size, _): &&(f64, &str)| value.abs() < 999.5 * size;
    let (size, unit) = units.iter().find(fits).unwrap_or(&units[units.len() - 1]);
    format!("{} {unit}", significant(value / size))
}

/// A ratio: two decimals as in the terminal, fewer when it is large.
pub(super) fn ratio(ratio: f64) -> String {
    significant(ratio)
}

/// A time.
pub(super) fn nanos(nanos: f64) -> String {
    in_units(nanos, &[(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")])
}

/// Items a second, of the time that one takes.
pub(super) fn rate(nanos: f64) -> String {
    in_units(1e9 / nanos, &[(1.0, "/s"), (1e3, "k/s"), (1e6, "M/s"), (1e9, "G/s")])
}

/// Bytes, to the byte as long as that can be read.
pub(super) fn bytes(bytes: i64) -> String {
    const KIB: f64 = 1_024.0;

    match bytes {
        0..4_096 => format!("{} B", thousands(bytes.unsigned_abs())),
        _ => in_units(bytes as f64, &[(KIB, "KiB"), (KIB * KIB, "MiB"), (KIB * KIB * KIB, "GiB")]),
    }
}

/// A count that is too long to be read digit by digit.
pub(super) fn count(count: f64) -> String {
    match in_units(count, &[(1.0, ""), (1e3, "k"), (1e6, "M"), (1e9, "G")]) {
        whole if count < 999.5 && count.fract() == 0.0 => {
            whole.split('.').next().unwrap_or_default().trim().to_owned()
        }
        short => short.trim_end().to_owned(),
    }
}

/// A label of an axis: no more digits than it has.
pub(super) fn tick(written: &str) -> String {
    match written.split_once('.') {
        None => written.to_owned(),
        Some((whole, rest)) => {
            let digits = rest.chars().take_while(char::is_ascii_digit).count();
            let (decimals, unit) = rest.split_at(digits);
            let decimals = decimals.trim_end_matches('0');
            let point = if decimals.is_empty() { "" } else { "." };
            format!("{whole}{point}{decimals}{unit}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{bytes, count, nanos, rate, ratio, tick};

    #[test]
    fn three_digits_and_a_unit() {
        let times = [0.5, 9.997, 20.21, 999.4, 999.6, 1_234.0, 45e6, 2e9].map(nanos);
        let wanted =
            ["0.50 ns", "10.0 ns", "20.2 ns", "999 ns", "1.00 µs", "1.23 µs", "45.0 ms", "2.00 s"];
        assert_eq!(times, wanted);
        assert_eq!([20.0, 1.0, 2e6].map(rate), ["50.0 M/s", "1.00 G/s", "500 /s"]);
        assert_eq!([0.463, 1.0, 12.34, 250.0].map(ratio), ["0.46", "1.00", "12.3", "250"]);
        assert_eq!([0, 1_528, 16 << 20].map(bytes), ["0 B", "1,528 B", "16.0 MiB"]);
        assert_eq!([0.0, 13.0, 883_456.0].map(count), ["0", "13", "883 k"]);
    }

    #[test]
    fn labels_of_axes_are_short() {
        let labels = ["20.0 M/s", "0.50 ns", "100 ns", "0.00 ns"].map(tick);
        assert_eq!(labels, ["20 M/s", "0.5 ns", "100 ns", "0 ns"]);
    }
}
