//! Why a history is not linearizable, with the operations that show it.

use core::error::Error;
use core::fmt;

use super::{Kind, Operation};

/// A value's way through the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// How it came in.
    pub push: Operation,
    /// How it left, if it did.
    pub pop: Option<Operation>,
}

/// A witness against a history. Displayed with the operations involved, one a line, and their
/// instants counted from the earliest of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// Match: two pushes of one value. The history, not the queue, is at fault.
    PushedTwice(Operation, Operation),
    /// Match: a value came out twice.
    PoppedTwice(Operation, Operation),
    /// Match: a value came out that nobody put in.
    NeverPushed(Operation),
    /// Fresh: a value came out before it was put in.
    Stale(Passage),
    /// Order: `ahead` was pushed before `behind` was, yet `behind` came out first, or alone.
    Order {
        /// The value that should have come out first.
        ahead: Passage,
        /// The value that did.
        behind: Passage,
    },
    /// Empty: a pop found nothing although at every instant of it a value was inside.
    Empty {
        /// The pop.
        pop: Operation,
        /// Values that were inside, one after the other, for the whole of it.
        covered_by: Vec<Passage>,
    },
}

impl Violation {
    /// The condition that is broken.
    pub const fn condition(&self) -> &'static str {
        match self {
            Self::PushedTwice(..) | Self::PoppedTwice(..) | Self::NeverPushed(_) => "match",
            Self::Stale(_) => "fresh",
            Self::Order { .. } => "order",
            Self::Empty { .. } => "empty",
        }
    }

    fn summary(&self) -> String {
        match self {
            Self::PushedTwice(first, _) => format!("{} was pushed twice", first.value),
            Self::PoppedTwice(first, _) => format!("{} was popped twice", first.value),
            Self::NeverPushed(pop) => format!("{} was popped but never pushed", pop.value),
            Self::Stale(passage) => {
                format!("{} was popped before it was pushed", passage.push.value)
            }
            Self::Order { ahead, behind } => {
                let (ahead_value, behind_value) = (ahead.push.value, behind.push.value);
                let fate = if ahead.pop.is_some() { "came out first" } else { "alone came out" };
                format!("{ahead_value} was pushed before {behind_value}, yet {behind_value} {fate}")
            }
            Self::Empty { covered_by, .. } => {
                format!("a pop found nothing while {} value(s) covered it", covered_by.len())
            }
        }
    }

    /// The operations that prove it.
    pub fn operations(&self) -> Vec<Operation> {
        let both = |passage: &Passage| [Some(passage.push), passage.pop];
        match self {
            Self::PushedTwice(first, second) | Self::PoppedTwice(first, second) => {
                vec![*first, *second]
            }
            Self::NeverPushed(pop) => vec![*pop],
            Self::Stale(passage) => both(passage).into_iter().flatten().collect(),
            Self::Order { ahead, behind } => {
                [both(ahead), both(behind)].into_iter().flatten().flatten().collect()
            }
            Self::Empty { pop, covered_by } => {
                let covers = covered_by.iter().flat_map(both).flatten();
                core::iter::once(*pop).chain(covers).collect()
            }
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// A covering chain can be long; this many operations show the pattern.
        const SHOWN: usize = 12;

        write!(f, "{}: {}", self.condition(), self.summary())?;
        let operations = self.operations();
        let origin = operations.iter().map(|operation| operation.call).min().unwrap_or(0);
        for operation in operations.iter().take(SHOWN) {
            let (from, to) = (operation.call - origin, operation.response - origin);
            let Operation { value, thread, .. } = operation;
            match operation.kind {
                Kind::Push => write!(f, "\n  thread {thread}: push({value})")?,
                Kind::Pop => write!(f, "\n  thread {thread}: pop() = {value}")?,
                Kind::Empty => write!(f, "\n  thread {thread}: pop() = nothing")?,
            }
            write!(f, " in [{from}, {to}]")?;
        }
        match operations.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more operations"),
        }
    }
}

impl Error for Violation {}
