//! Workloads, peers, checks and records.

pub mod history;
