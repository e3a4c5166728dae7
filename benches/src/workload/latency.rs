//! How long a push, a pop and an item's way through the queue take, when items arrive by a schedule.

use serde::{Deserialize, Serialize};

use crate::histogram::Histogram;

/// The times of one open-loop run. The schedule does not wait for the queue: an item that could only be
/// pushed late because an earlier push stalled is late by all of that, so a stall is counted for
/// everyone it delays (no coordinated omission).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Latency {
    /// Threads that push.
    pub producers: usize,
    /// Threads that pop.
    pub consumers: usize,
    /// Items a second in the schedule, of all producers together.
    pub offered_per_second: f64,
    /// Items a second that came through.
    pub achieved_per_second: f64,
    /// The part of the time in which all threads were running.
    pub overlap: f64,
    /// How often the system took the core away from each worker; empty where it does not tell.
    pub preempted: Vec<u64>,
    /// From an item's place in the schedule until its push returned.
    pub push: Histogram,
    /// A pop that found an item, from call to return.
    pub pop: Histogram,
    /// From an item's place in the schedule until the pop that took it out returned.
    pub transit: Histogram,
}
