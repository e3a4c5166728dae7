//! What the queues are made to do, and for how long it took them.
//!
//! In most workloads one *operation* moves one item: a push and the pop that takes it out. The notes of
//! the families say where it is something else.

mod burst;
mod case;
mod empty;
mod family;
mod graph;
mod item;
mod latency;
mod memory;
mod meter;
mod parallel;
mod race;
mod random;
mod resize;
mod stalled;
mod think;
mod transfer;

use core::time::Duration;

use serde::{Deserialize, Serialize};

use crate::heap::Counts;

pub use burst::{Burst, Resizing};
pub use case::Case;
pub use family::Family;
pub(crate) use item::carry;
pub use item::{Aligned, Bytes, Item, ItemKind, Large};
pub use latency::{Latency, Load};
pub use memory::{Memory, Phase, Point};
pub use meter::Amount;
pub use race::{Gate, Placement, Race, Span, core_count, pin_to_core, race, together};
pub use resize::{Resize, Step};
pub use stalled::Stalled;
pub use think::{Between, NoThink, Pause, Think};

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

impl From<Race> for Sample {
    fn from(race: Race) -> Self {
        let Race { nanos, overlap, operations, allocated, preempted } = race;
        Self { operations, nanos, overlap, allocated, preempted }
    }
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
        let has_result = self.overlap >= Self::MIN_OVERLAP && self.operations > 0 && self.nanos > 0;
        has_result.then(|| self.nanos_per_operation())
    }
}
