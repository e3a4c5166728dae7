//! The cases: workloads with their numbers filled in.

use core::fmt;

use serde::Serialize;

use super::{
    Amount, Between, ItemKind, NoThink, Placement, Sample, Think, core_count, empty, graph,
    parallel, random, transfer,
};
use crate::peers::Peer;

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
        /// What they do between operations.
        between: Between,
        /// Where they run.
        placement: Placement,
    },
    /// Every thread pushes and pops in turn.
    Pairs {
        /// Threads that do.
        threads: usize,
        /// What they do between operations.
        between: Between,
        /// Where they run.
        placement: Placement,
    },
    /// Every thread tosses a coin before each operation: push or pop.
    Random {
        /// Threads that do.
        threads: usize,
    },
    /// Every thread pops from a queue that stays empty.
    Empty {
        /// Threads that do.
        threads: usize,
    },
    /// Every thread pops an item of this type and pushes it back.
    Large {
        /// The type.
        item: ItemKind,
        /// Threads that do.
        threads: usize,
    },
    /// A rayon parallel iterator pushes, threads pop.
    Rayon {
        /// Threads of rayon's pool.
        producers: usize,
        /// Threads that pop.
        consumers: usize,
    },
    /// Threads search a graph breadth first; the queue is their frontier.
    Search {
        /// Threads that do.
        threads: usize,
    },
}

impl Case {
    /// Threads that take part.
    pub const fn workers(self) -> usize {
        match self {
            Self::Pair | Self::Batch { .. } => 1,
            Self::RingBoundary { threads, .. }
            | Self::Pairs { threads, .. }
            | Self::Random { threads }
            | Self::Empty { threads }
            | Self::Large { threads, .. }
            | Self::Search { threads } => threads,
            Self::ProdCons { producers, consumers, .. } | Self::Rayon { producers, consumers } => {
                producers + consumers
            }
        }
    }

    /// Threads that pop.
    pub const fn consumers(self) -> usize {
        match self {
            Self::ProdCons { consumers, .. } | Self::Rayon { consumers, .. } => consumers,
            _ => self.workers(),
        }
    }

    /// Whether somebody who carries no items, and never finds nothing, can take part.
    pub const fn is_for_counters(self) -> bool {
        !matches!(self, Self::Empty { .. } | Self::Large { .. } | Self::Search { .. })
    }

    /// What tells it from the other cases of its kind.
    pub fn label(self) -> String {
        match self {
            Self::Pair => "1 thread".to_owned(),
            Self::Batch { items } => format!("{items} items"),
            Self::RingBoundary { threads, backlog } => format!("{threads}x{backlog}"),
            Self::ProdCons { producers, consumers, between, placement } => {
                format!("{producers}:{consumers}{between}{placement}")
            }
            Self::Pairs { threads, between, placement } => format!("{threads}{between}{placement}"),
            Self::Random { threads } | Self::Empty { threads } | Self::Search { threads } => {
                threads.to_string()
            }
            Self::Large { item, threads } => format!("{item} {threads}"),
            Self::Rayon { producers, consumers } => format!("{producers}:{consumers}"),
        }
    }

    /// Whether there are more threads than cores, so that waiting for a turn is part of the time.
    pub fn is_oversubscribed(self) -> bool {
        self.workers() > self.cores()
    }

    fn cores(self) -> usize {
        match self {
            Self::ProdCons { placement: Placement::OneCore, .. }
            | Self::Pairs { placement: Placement::OneCore, .. } => 1,
            _ => core_count(),
        }
    }

    /// The capacity that bounded queues get: what segring would come to, and 1,024 where that
    /// depends on the run; in the searches all that can ever be inside, because there those who pop
    /// also push.
    pub const fn capacity(self) -> usize {
        match self {
            Self::Pair | Self::Batch { items: ..=32 } => 64,
            Self::Batch { items } => 2 * items,
            Self::RingBoundary { backlog, .. } => 2 * backlog,
            Self::ProdCons { .. }
            | Self::Pairs { .. }
            | Self::Empty { .. }
            | Self::Rayon { .. } => 1_024,
            Self::Large { .. } => transfer::IN_FLIGHT * 2,
            Self::Random { .. } => random::CAPACITY,
            Self::Search { .. } => graph::NODES * 2,
        }
    }

    /// Runs the case once.
    ///
    /// # Panics
    /// For [`Case::Large`], whose items are no numbers: see [`Large`](super::Large).
    pub fn sample<P: Peer<u64>>(self, amount: Amount, seed: u64) -> Sample {
        let queue = P::new(self.capacity());
        let own = Placement::Own;
        let race = match self {
            Self::Pair => transfer::pairs(&queue, 1, own, 0, amount, |_| NoThink),
            Self::Batch { items } => transfer::batches(&queue, items, amount),
            Self::RingBoundary { threads, backlog } => {
                transfer::pairs(&queue, threads, own, backlog, amount, |_| NoThink)
            }
            Self::Pairs { threads, between, placement } => match between.think() {
                None => transfer::pairs(&queue, threads, placement, 0, amount, |_| NoThink),
                Some(nanos) => transfer::pairs(&queue, threads, placement, 0, amount, |worker| {
                    Think::new(nanos.clone(), seed ^ worker as u64)
                }),
            },
            Self::ProdCons { producers, consumers, between, placement } => {
                let sides = (producers, consumers);
                match between.think() {
                    None => transfer::prodcons(&queue, sides, placement, amount, |_| NoThink),
                    Some(nanos) => transfer::prodcons(&queue, sides, placement, amount, |worker| {
                        Think::new(nanos.clone(), seed ^ worker as u64)
                    }),
                }
            }
            Self::Random { threads } => random::coin_tosses(&queue, threads, amount, seed),
            Self::Empty { threads } => empty::polling(&queue, threads, amount),
            Self::Rayon { producers, consumers } => {
                parallel::iterator(&queue, producers, consumers, amount)
            }
            Self::Search { threads } => graph::search(&queue, threads, amount, seed),
            Self::Large { .. } => unreachable!("its items are no numbers"),
        };
        race.into()
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let label = self.label();
        match self {
            Self::Pair => f.write_str("pair"),
            Self::Batch { .. } => write!(f, "batch of {label}"),
            Self::RingBoundary { .. } => write!(f, "ring_boundary {label}"),
            Self::ProdCons { .. } => write!(f, "prodcons {label}"),
            Self::Pairs { .. } => write!(f, "pairs {label}"),
            Self::Random { .. } => write!(f, "random {label}"),
            Self::Empty { .. } => write!(f, "empty {label}"),
            Self::Large { .. } => write!(f, "large {label}"),
            Self::Rayon { .. } => write!(f, "rayon {label}"),
            Self::Search { .. } => write!(f, "search {label}"),
        }
    }
}
