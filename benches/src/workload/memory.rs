//! Bytes held over time, through a burst and back.

use serde::{Deserialize, Serialize};

/// What a queue held at some moments of a burst, in their order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Memory {
    /// The moments.
    pub points: Vec<Point>,
}

/// A moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Point {
    /// Since the beginning, in nanoseconds, the time of reading included.
    pub nanos: u64,
    /// What was going on.
    pub phase: Phase,
    /// Pushes and pops so far.
    pub operations: u64,
    /// Items inside.
    pub depth: u64,
    /// Bytes allocated since the beginning and not freed.
    pub live_bytes: i64,
    /// Of these, bytes that are retired and wait to be freed, where the queue tells.
    pub retired_bytes: Option<usize>,
}

/// A part of a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// A push and a pop in turn over a few items.
    Before,
    /// Pushes only.
    Push,
    /// Pops only, until a few items are left.
    Pop,
    /// A push and a pop in turn again.
    After,
}
