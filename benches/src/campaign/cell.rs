//! What is measured: one cell a case.

use core::fmt;

use crate::peers::Competitor;
use crate::workload::{Case, Family, Load};

/// A case, of whatever kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// How long operations take.
    Times(Case),
    /// How long items take that arrive by a schedule.
    Latency(Load),
    /// Single operations that meet a change of rings.
    Resize {
        /// Threads that push, and then pop.
        threads: usize,
    },
    /// Times through a burst.
    Burst,
    /// Bytes through a burst.
    Memory,
    /// Progress beside a stopped producer.
    Stalled,
}

impl Cell {
    /// Every cell, in the order of a run.
    pub fn all() -> Vec<Self> {
        let cases = Family::all().into_iter().flat_map(|family| family.cases);
        let resizes = [1, 2].map(|threads| Self::Resize { threads });
        cases
            .map(Self::Times)
            .chain(Load::all().into_iter().map(Self::Latency))
            .chain(resizes)
            .chain([Self::Burst, Self::Memory, Self::Stalled])
            .collect()
    }

    /// The case, if times are measured.
    pub const fn case(self) -> Option<Case> {
        match self {
            Self::Times(case) => Some(case),
            _ => None,
        }
    }

    /// Whether a competitor can take part.
    pub fn admits(self, competitor: &Competitor) -> bool {
        match self {
            Self::Times(case) => competitor.enters(case),
            Self::Latency(load) => {
                competitor.is_queue() && competitor.has_consumers(load.consumers)
            }
            Self::Resize { threads } => competitor.is_queue() && competitor.has_consumers(threads),
            Self::Burst | Self::Memory | Self::Stalled => competitor.is_queue(),
        }
    }

    /// Rounds of it, when so many are asked for: histograms and readings over time say much at once.
    pub fn rounds(self, asked: usize) -> usize {
        match self {
            Self::Times(_) | Self::Burst => asked,
            Self::Latency(_) | Self::Resize { .. } | Self::Memory | Self::Stalled => {
                asked.div_ceil(3)
            }
        }
    }

    /// How many times longer than a sample of a time it takes.
    pub const fn weight(self) -> u32 {
        match self {
            // For 1,000 items beyond the 99.9th percentile.
            Self::Latency(_) => 5,
            Self::Stalled => 2,
            Self::Times(_) | Self::Resize { .. } | Self::Burst | Self::Memory => 1,
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Times(case) => case.fmt(f),
            Self::Latency(load) => load.fmt(f),
            Self::Resize { threads } => write!(f, "resize {threads}"),
            Self::Burst => f.write_str("burst"),
            Self::Memory => f.write_str("memory"),
            Self::Stalled => f.write_str("stalled"),
        }
    }
}
