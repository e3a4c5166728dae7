//! Workloads, peers, checks and records.
#![allow(clippy::cast_precision_loss, reason = "times and counts here stay far below 2^53")]

extern crate alloc;

pub mod campaign;
pub mod claims;
pub mod clock;
pub mod compare;
pub mod data;
pub mod goals;
pub mod heap;
pub mod histogram;
pub mod history;
pub mod interval;
pub mod lines;
pub mod machine;
pub mod page;
pub mod peers;
pub mod probe;
pub mod progress;
pub mod record;
pub mod report;
pub mod run;
pub mod seeds;
pub mod select;
pub mod soak;
pub mod tally;
pub mod workload;
