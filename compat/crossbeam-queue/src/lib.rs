//! The interface of crossbeam-queue 0.3.14 over [`segring`].
//!
//! * [`SegQueue`] is unbounded, a [`segring::Queue`].
//! * [`ArrayQueue`] holds a fixed number of items, a [`segring::BoundedQueue`].
//!
//! Signatures, traits, panics, results and memory orderings are the original's, and its own tests
//! pass. What differs is said at each type; for both: they need `std` and Rust 1.95, and no
//! operation waits without a bound for a thread that stalls inside another.

// Like the original, which is empty without this feature.
#![cfg(feature = "alloc")]

mod array_queue;
#[path = "../../common.rs"]
mod common;
mod seg_queue;

pub use array_queue::ArrayQueue;
pub use seg_queue::SegQueue;
