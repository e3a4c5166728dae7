//! Workloads, peers, checks and records.
