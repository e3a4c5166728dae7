//! Verdicts and losses in words.

use crate::compare::{Spread, Verdict};
use crate::data::{Data, Judged};

use super::number;

/// What one ratio says.
pub(super) fn verdict(judged: Judged, ours: &str, theirs: &str, ratio: Option<Spread>) -> String {
    let Some(ratio) = ratio else {
        return format!(
            "{ours} and {theirs}: no result, in half of the rounds or more not all threads were \
             running at the same time"
        );
    };
    let Spread { median, low, high } = ratio;
    let [median, low, high] = [median, low, high].map(number::ratio);
    let takes = format!("{ours} takes {median} times as long as {theirs} ({low} to {high})");
    let meaning = meaning(judged, ratio.verdict());
    match ratio.verdict() {
        Verdict::Win => format!("{takes}: a win, {meaning}"),
        Verdict::Loss => format!("{takes}: a loss, {meaning}"),
        Verdict::NoDifference => format!("{takes}: no difference, {meaning}"),
    }
}

/// When a verdict is given.
pub(super) const fn meaning(judged: Judged, verdict: Verdict) -> &'static str {
    match (judged, verdict) {
        (Judged::ByRange, Verdict::Win) => "less in every round",
        (Judged::ByRange, Verdict::Loss) => "more in every round",
        (Judged::ByRange, Verdict::NoDifference) => "the range holds 1",
        (Judged::ByInterval, Verdict::Win) => "the interval is below 1",
        (Judged::ByInterval, Verdict::Loss) => "the interval is above 1",
        (Judged::ByInterval, Verdict::NoDifference) => "the interval holds 1",
    }
}

/// The sign of a verdict, the same as in the terminal.
pub(super) const fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Win => "+",
        Verdict::Loss => "−",
        Verdict::NoDifference => "=",
    }
}

/// Wins, losses and ties of one of ours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) wins: usize,
    pub(super) losses: usize,
    pub(super) ties: usize,
}

impl Count {
    pub(super) fn of(data: &Data, ours: &str) -> Self {
        let [wins, losses, ties] = [Verdict::Win, Verdict::Loss, Verdict::NoDifference]
            .map(|verdict| data.count(ours, verdict));
        Self { wins, losses, ties }
    }

    pub(super) const fn all(self) -> usize {
        self.wins + self.losses + self.ties
    }

    pub(super) fn words(self) -> String {
        let several = |count, one, more| match count {
            1 => format!("1 {one}"),
            count => format!("{count} {more}"),
        };
        let Self { wins, losses, ties } = self;
        let (wins, losses) = (several(wins, "win", "wins"), several(losses, "loss", "losses"));
        format!("{wins}, {losses}, {ties} without a difference")
    }
}

/// The losses of one of ours: the case, and to whom by how much, the worst first.
pub(super) fn losses<'a>(data: &'a Data, ours: &'a str) -> Vec<(&'a str, Vec<(&'a str, Spread)>)> {
    let of_case = |case: &'a crate::data::Case| {
        let outcomes = data.outcomes(ours).filter(|(of, ..)| of.name == case.name);
        let lost = outcomes.filter(|(.., ratio)| ratio.verdict() == Verdict::Loss);
        let mut lost: Vec<(&str, Spread)> = lost.map(|(_, peer, ratio)| (peer, ratio)).collect();
        lost.sort_by(|(_, a), (_, b)| b.median.total_cmp(&a.median));
        (!lost.is_empty()).then_some((case.name.as_str(), lost))
    };
    data.cases.iter().filter_map(of_case).collect()
}

#[cfg(test)]
mod tests {
    use super::{Count, verdict};
    use crate::compare::Spread;
    use crate::data::Judged;

    fn said(judged: Judged, readings: [f64; 3]) -> String {
        verdict(judged, "Handle", "kanal", Spread::of(readings))
    }

    #[test]
    fn every_verdict_has_its_words() {
        assert_eq!(
            said(Judged::ByRange, [0.4, 0.5, 0.6]),
            "Handle takes 0.50 times as long as kanal (0.40 to 0.60): a win, less in every round"
        );
        assert_eq!(
            said(Judged::ByRange, [1.5, 12.0, 13.0]),
            "Handle takes 12.0 times as long as kanal (1.50 to 13.0): a loss, more in every round"
        );
        assert_eq!(
            said(Judged::ByRange, [0.9, 1.2, 1.3]),
            "Handle takes 1.20 times as long as kanal (0.90 to 1.30): no difference, the range holds 1"
        );
        let by_interval = [[0.4, 0.5, 0.6], [1.5, 2.0, 2.5], [0.9, 1.2, 1.3]]
            .map(|readings| said(Judged::ByInterval, readings));
        let wanted = [
            "(0.40 to 0.60): a win, the interval is below 1",
            "(1.50 to 2.50): a loss, the interval is above 1",
            "(0.90 to 1.30): no difference, the interval holds 1",
        ];
        for (said, wanted) in by_interval.iter().zip(wanted) {
            assert!(said.ends_with(wanted), "{said}");
        }
        let without = verdict(Judged::ByRange, "Handle", "kanal", None);
        assert!(without.starts_with("Handle and kanal: no result, "), "{without}");
    }

    #[test]
    fn counts_in_words() {
        let count = Count { wins: 2, losses: 1, ties: 0 };
        assert_eq!(count.words(), "2 wins, 1 loss, 0 without a difference");
    }
}
