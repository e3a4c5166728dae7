//! What the queues are made to do, and for how long it took them.
//!
//! In every workload one *operation* moves one item: a push and the pop that takes it out.

mod burst;
mod latency;
mod memory;
mod meter;
mod race;
mod resize;
mod stalled;
mod think;
mod transfer;

use core::fmt;
use core::time::Duration;

use serde::{Deserialize, Serialize};

use crate::heap::Counts;
use crate::peers::Peer;

pub use burst::{Burst, Resizing};
pub use latency::Latency;
pub use memory::{Memory, Phase, Point};
pub use meter::Amount;
pub use race::{Gate, Race, Span, core_count, pin_to_core, race, together};
pub use resize::{Resize, Step};
pub use stalled::Stalled;
pub use think::{NoThink, Pause, Think};

/// A workload with its numbers filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Case {
    /// One thread pushes and pops in turn: the cost of an operation.
    Pair,
    /// One thread pushes so many items at once and pops them at once.
    Batch {
        /// Items in one call, where the queue has a call for many.
        items: usize,
    },
    /// Threads push and pop in turn over a stable backlog that just fills a ring: a queue that
    /// resizes at the wrong moment pays for it at every step.
    RingBoundary {
        /// Threads that push and pop.
        threads: usize,
        /// Items that are always inside.
        backlog: usize,
    },
    /// Some threads push, others pop.
    ProdCons {
        /// Threads that push.
        producers: usize,
        /// Threads that pop.
        consumers: usize,
        /// Whether they work between operations.
        think: bool,
    },
    /// Every thread pushes and pops in turn.
    Pairs {
        /// Threads that do.
        threads: usize,
        /// Whether they work between operations.
        think: bool,
    },
}

/// Cases that share a table.
#[derive(Clone, Debug)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// What an operation is, and what to keep in mind.
    pub note: &'static str,
    /// The columns.
    pub cases: Vec<Case>,
}

impl Case {
    /// Every case, by family.
    pub fn families() -> Vec<Family> {
        let boundary =
            |threads| [64, 1_024, 65_536].map(|backlog| Case::RingBoundary { threads, backlog });
        let prodcons =
            |think| {
                [(1, 1), (2, 1), (1, 2), (2, 2), (4, 4)]
                    .map(|(producers, consumers)| Case::ProdCons { producers, consumers, think })
            };
        let pairs = |think| [1, 2, 4].map(|threads| Case::Pairs { threads, think });
        vec![
            Family {
                name: "pair",
                note: "one thread pushes and pops in turn, on an empty queue",
                cases: vec![Case::Pair],
            },
            Family {
                name: "batch",
                note: "one thread pushes many items and pops them, by calls for many where there are \
                       such; an operation is one item",
                cases: vec![Case::Batch { items: 32 }],
            },
            Family {
                name: "ring_boundary",
                note: "push and pop in turn over a stable backlog that just fills a ring; \
                       the first growth is not timed",
                cases: [boundary(1), boundary(2)].concat(),
            },
            Family {
                name: "prodcons",
                note: "producers push, consumers pop; producers stop at a lead of 16,384 items",
                cases: prodcons(false).to_vec(),
            },
            Family {
                name: "prodcons, think",
                note: "the same with 0 to 100 ns of work between operations, which is included",
                cases: prodcons(true).to_vec(),
            },
            Family {
                name: "pairs",
                note: "every thread pushes and pops in turn",
                cases: pairs(false).to_vec(),
            },
            Family {
                name: "pairs, think",
                note: "the same with 0 to 100 ns of work between operations, which is included",
                cases: pairs(true).to_vec(),
            },
        ]
    }

    /// Threads that take part.
    pub const fn workers(self) -> usize {
        match self {
            Self::Pair | Self::Batch { .. } => 1,
            Self::RingBoundary { threads, .. } | Self::Pairs { threads, .. } => threads,
            Self::ProdCons { producers, consumers, .. } => producers + consumers,
        }
    }

    /// Threads that pop.
    pub const fn consumers(self) -> usize {
        match self {
            Self::ProdCons { consumers, .. } => consumers,
            _ => self.workers(),
        }
    }

    /// What tells it from the other cases of its kind.
    pub fn label(self) -> String {
        let think = |think| if think { " think" } else { "" };
        match self {
            Self::Pair => "1 thread".to_owned(),
            Self::Batch { items } => format!("{items} items"),
            Self::RingBoundary { threads, backlog } => format!("{threads}x{backlog}"),
            Self::ProdCons { producers, consumers, think: thinks } => {
                format!("{producers}:{consumers}{}", think(thinks))
            }
            Self::Pairs { threads, think: thinks } => format!("{threads}{}", think(thinks)),
        }
    }

    /// Whether there are more threads than cores, so that waiting for a turn is part of the time.
    pub fn is_oversubscribed(self) -> bool {
        self.workers() > core_count()
    }

    /// The capacity that bounded queues get: what segring would come to, and 1,024 where that
    /// depends on the run.
    pub const fn capacity(self) -> usize {
        match self {
            Self::Pair | Self::Batch { .. } => 64,
            Self::RingBoundary { backlog, .. } => 2 * backlog,
            Self::ProdCons { .. } | Self::Pairs { .. } => 1_024,
        }
    }

    /// Runs the case once.
    pub fn sample<P: Peer<u64>>(self, amount: Amount, seed: u64) -> Sample {
        let think = |worker| Think::new(seed ^ worker as u64);
        let queue = P::new(self.capacity());
        let race = match self {
            Self::Pair => transfer::pairs(&queue, 1, 0, amount, |_| NoThink),
            Self::Batch { items } => transfer::batches(&queue, items, amount),
            Self::RingBoundary { threads, backlog } => {
                transfer::pairs(&queue, threads, backlog, amount, |_| NoThink)
            }
            Self::Pairs { threads, think: false } => {
                transfer::pairs(&queue, threads, 0, amount, |_| NoThink)
            }
            Self::Pairs { threads, think: true } => {
                transfer::pairs(&queue, threads, 0, amount, think)
            }
            Self::ProdCons { producers, consumers, think: false } => {
                transfer::prodcons(&queue, producers, consumers, amount, |_| NoThink)
            }
            Self::ProdCons { producers, consumers, think: true } => {
                transfer::prodcons(&queue, producers, consumers, amount, think)
            }
        };
        Sample {
            operations: race.operations,
            nanos: race.nanos,
            overlap: race.overlap,
            allocated: race.allocated,
            preempted: race.preempted,
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pair => f.write_str("pair"),
            Self::Batch { .. } => write!(f, "batch of {}", self.label()),
            Self::RingBoundary { .. } => write!(f, "ring_boundary {}", self.label()),
            Self::ProdCons { .. } => write!(f, "prodcons {}", self.label()),
            Self::Pairs { .. } => write!(f, "pairs {}", self.label()),
        }
    }
}

/// One timed run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Sample {
    /// Items moved.
    pub operations: u64,
    /// From the first worker's start to the last one's end.
    pub nanos: u64,
    /// The part of that time in which all workers were between start and end.
    pub overlap: f64,
    /// What the workers allocated in it.
    pub allocated: Counts,
    /// How often the system took the core away from each worker; empty where it does not tell.
    #[serde(default)]
    pub preempted: Vec<u64>,
}

impl Sample {
    /// Below this overlap a sample measures threads that ran one after the other.
    pub const MIN_OVERLAP: f64 = 0.5;

    /// Nanoseconds an operation.
    pub fn nanos_per_operation(&self) -> f64 {
        self.nanos as f64 / self.operations as f64
    }

    /// How long so many operations would take at this rate.
    pub fn time_for(&self, operations: u64) -> Duration {
        Duration::from_nanos(self.nanos).mul_f64(operations as f64 / self.operations as f64)
    }

    /// Nanoseconds an operation, if the workers really ran at the same time.
    pub fn result(&self) -> Option<f64> {
        let has_result = self.overlap >= Self::MIN_OVERLAP && self.operations > 0;
        has_result.then(|| self.nanos_per_operation())
    }
}
