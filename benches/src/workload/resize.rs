//! What growing from 64 slots to a million and shrinking back costs single operations.

use serde::{Deserialize, Serialize};

use crate::histogram::Histogram;

/// One way up and down.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Resize {
    /// Threads that push and pop.
    pub threads: usize,
    /// Every push on the way up.
    pub push: Histogram,
    /// Every pop on the way down.
    pub pop: Histogram,
    /// The pushes, up or down, during which a ring was closed; empty for a queue without rings.
    pub closing: Histogram,
    /// The slowest operations by depth.
    pub steps: Vec<Step>,
    /// Rings followed by a larger one; nothing for a queue without rings.
    pub grows: Option<usize>,
    /// Rings followed by a smaller one.
    pub shrinks: Option<usize>,
}

/// The slowest push and pop while the depth was between `slots` and twice as many, and the slowest push
/// that closed a ring of so many slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// A power of two.
    pub slots: usize,
    /// Nanoseconds of the slowest push on the way up.
    pub worst_push: u64,
    /// Nanoseconds of the slowest pop on the way down.
    pub worst_pop: u64,
    /// Nanoseconds of the slowest push that closed a ring of this size to grow.
    pub worst_grow: Option<u64>,
    /// Nanoseconds of the slowest push that closed a ring of this size to shrink.
    pub worst_shrink: Option<u64>,
}
