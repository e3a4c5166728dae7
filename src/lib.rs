//! A lock-free FIFO queue of linked rings.

// For the library alone: tests and benches are ordinary programs.
#![warn(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::alloc_instead_of_core)]

extern crate alloc;

mod error;
mod handle;
mod hysteresis;
mod list;
#[cfg(segring_loom)]
pub mod model;
mod queue;
mod reclaim;
mod segment;
mod slot;
mod stats;
mod store;
mod sync;
mod ticket;

pub mod seq;

pub use error::{HysteresisError, PushError};
pub use handle::Handle;
pub use hysteresis::Hysteresis;
pub use queue::{IntoIter, Queue};
pub use stats::Stats;
#[cfg(segring_hooks)]
pub use sync::hooks;
