//! What a soak can find.

use core::fmt;

use serde::{Deserialize, Serialize};

use crate::history::{Value, Violation};
use crate::tally::Tally;

/// A proof that a queue is broken.
#[derive(Clone, Debug)]
pub enum Fault {
    /// A recorded history is not linearizable.
    History(Box<Violation>),
    /// What came out is not what went in.
    Conservation {
        /// What went in.
        pushed: Tally,
        /// What came out, with the queue empty at last.
        popped: Tally,
    },
    /// A consumer saw two items of one producer the wrong way round.
    ProducerOrder {
        /// Who saw them.
        consumer: u16,
        /// What it saw first.
        earlier: Value,
        /// What it saw then.
        later: Value,
    },
    /// A pop found nothing although fewer threads than items were at work.
    FalseEmpty {
        /// Who popped.
        worker: usize,
        /// How many items it had moved.
        moved: u64,
    },
    /// A closing was not one.
    Closing {
        /// How many calls say that they did it.
        closers: usize,
        /// How many pushes were accepted afterwards.
        late: u64,
        /// How many threads were refused before.
        early: usize,
    },
    /// Payloads were not dropped exactly once, each as it was pushed.
    Drops {
        /// How many were not dropped.
        never: u64,
        /// How many were dropped more than once.
        twice: u64,
        /// How many drops met a payload that nobody had pushed.
        corrupt: u64,
    },
}

impl Fault {
    /// What kind of fault it is.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::History(violation) => violation.condition(),
            Self::Conservation { .. } => "conservation",
            Self::ProducerOrder { .. } => "producer order",
            Self::FalseEmpty { .. } => "false empty",
            Self::Closing { .. } => "closing",
            Self::Drops { .. } => "drops",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::History(violation) => write!(f, "{violation}"),
            Self::Conservation { pushed, popped } => {
                write!(f, "conservation: pushed {pushed:?}, popped {popped:?}")
            }
            Self::ProducerOrder { consumer, earlier, later } => {
                write!(f, "producer order: thread {consumer} popped {earlier}, then {later}")
            }
            Self::FalseEmpty { worker, moved } => write!(
                f,
                "false empty: thread {worker} found nothing after moving {moved} items, \
                 with an item inside all the time"
            ),
            Self::Closing { closers, late, early } => write!(
                f,
                "closing: done by {closers}, {late} pushes accepted after it, \
                 {early} threads refused before it"
            ),
            Self::Drops { never, twice, corrupt } => write!(
                f,
                "drops: {never} payloads never dropped, {twice} dropped twice, {corrupt} corrupt"
            ),
        }
    }
}

/// A fault, and how to see it again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// Which queue.
    pub queue: String,
    /// What it was put through.
    pub scenario: String,
    /// The seed of the run.
    pub seed: u64,
    /// The witness.
    pub witness: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { queue, scenario, seed, witness } = self;
        write!(f, "violation in {queue}, {scenario}, seed {seed}\n{witness}")
    }
}
