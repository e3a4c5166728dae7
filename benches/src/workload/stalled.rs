//! What a producer that stops in the middle of a push does to the others.

use serde::{Deserialize, Serialize};

/// Many trials. In each a signal stops a producer wherever it is, mostly within a push, and another
/// producer and a consumer go on for a while; then it may go on too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stalled {
    /// How often a producer was stopped.
    pub trials: u64,
    /// Trials in which the consumer got nothing out, although the other producer could push or had
    /// pushed, or in which an operation did not return.
    pub consumer_stopped: u64,
    /// Trials in which the other producer got nothing in.
    pub producer_stopped: u64,
    /// Items popped while the producer was stopped, in all trials.
    pub moved: u64,
    /// How long it was stopped, in all trials.
    pub nanos: u64,
}
