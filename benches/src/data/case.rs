//! The samples of a case, and what their ratios say.

use crate::compare::{Spread, Verdict, paired};
use crate::interval::Interval;
use crate::peers::Progress;
use crate::report::OURS;
use crate::workload::Sample;

/// What the low and the high end of a ratio are. The program that made a record judged it in the same way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Judged {
    /// The least and the greatest ratio of a round.
    #[default]
    ByRange,
    /// An interval that the median can be trusted to lie in.
    ByInterval,
}

/// All samples of a case.
#[derive(Debug)]
pub struct Case {
    /// As the tables call it.
    pub name: String,
    /// Whether there were more threads than cores.
    pub oversubscribed: bool,
    /// Who took part, in the order of the run.
    pub series: Vec<Series>,
    /// How long ours take for what another does in one: ours, the other, and the ratio if it has one.
    ratios: Vec<(&'static str, String, Option<Spread>)>,
}

/// One competitor's samples of a case.
#[derive(Debug)]
pub struct Series {
    /// Who.
    pub who: String,
    /// What it promises of progress.
    pub progress: Progress,
    /// One a round.
    pub samples: Vec<Sample>,
    /// The same once more, if anybody took them: two equals.
    pub controls: Vec<Sample>,
}

impl Case {
    pub(super) fn new(name: &str, oversubscribed: bool) -> Self {
        Self { name: name.to_owned(), oversubscribed, series: Vec::new(), ratios: Vec::new() }
    }

    /// A competitor's samples.
    pub fn samples_of(&self, who: &str) -> Option<&[Sample]> {
        Some(&self.series.iter().find(|series| series.who == who)?.samples)
    }

    /// Computes the ratios of ours to everybody else.
    pub(super) fn judge(&mut self, judged: Judged) {
        for (_, name) in OURS {
            let Some(ours) = self.samples_of(name) else { continue };
            let others = self.series.iter().filter(|series| series.who != name);
            let ratio =
                |theirs: &Series| (name, theirs.who.clone(), judged.ratio(ours, &theirs.samples));
            let ratios: Vec<_> = others.map(ratio).collect();
            self.ratios.extend(ratios);
        }
    }

    /// How long one of ours takes for what another does in one.
    pub fn ratio(&self, ours: &str, theirs: &str) -> Option<Spread> {
        let mut ratios = self.ratios.iter();
        ratios.find(|(own, other, _)| *own == ours && other == theirs)?.2
    }

    /// Who ran it once more, and how long that took for what it had done in one. A method that tells a
    /// queue from itself says nothing about others.
    pub fn control(&self, judged: Judged) -> Option<(&str, Spread)> {
        let series = self.series.iter().find(|series| !series.controls.is_empty())?;
        Some((&series.who, judged.ratio(&series.controls, &series.samples)?))
    }

    /// Whether the method told a queue from itself.
    pub fn is_doubtful(&self, judged: Judged) -> bool {
        let control = self.control(judged);
        control.is_some_and(|(_, ratio)| ratio.verdict() != Verdict::NoDifference)
    }

    /// Nanoseconds an operation.
    pub fn nanos(&self, who: &str) -> Option<Spread> {
        Spread::of(self.samples_of(who)?.iter().filter_map(Sample::result))
    }
}

impl Series {
    pub(super) fn new(who: &str, progress: Progress) -> Self {
        Self { who: who.to_owned(), progress, samples: Vec::new(), controls: Vec::new() }
    }
}

impl Judged {
    /// Of two series of samples.
    pub fn ratio(self, ours: &[Sample], theirs: &[Sample]) -> Option<Spread> {
        match self {
            Self::ByRange => paired(ours, theirs),
            Self::ByInterval => {
                let Interval { median, low, high } = Interval::of_ratios(ours, theirs)?;
                Some(Spread { median, low, high })
            }
        }
    }
}
