//! A lock-free FIFO queue of linked rings.
//!
//! ```
//! let queue = segring::Queue::new();
//! queue.push("one");
//! queue.push("two");
//! assert_eq!((queue.pop(), queue.pop(), queue.pop()), (Some("one"), Some("two"), None));
//! ```
//!
//! [`Queue`] says what it promises and costs, [`Handle`] is the cheaper way in for a thread that does
//! many operations. [`mpsc`] has one consumer, which pops for less, and ends that see each other go;
//! [`BoundedQueue`] has an exact capacity. Longer texts are in [`docs`]: how to use it, how it works, every
//! synchronization edge, and how it compares.
//!
//! Features, none of them on by default: `rayon` for parallel iterators into and out of a queue, `bytes`
//! for `seq::SlidingBuffer`.

// For the library alone: tests and benches are ordinary programs.
#![warn(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::alloc_instead_of_core)]

extern crate alloc;

mod batch;
mod bounded;
mod contention;
#[cfg(any(doc, doctest))]
pub mod docs;
mod error;
mod handle;
mod hysteresis;
mod inlet;
mod lease;
mod list;
#[cfg(any(segring_loom, segring_shuttle))]
pub mod model;
pub mod mpsc;
#[cfg(feature = "rayon")]
pub mod parallel;
mod queue;
mod reclaim;
mod segment;
mod slot;
mod stats;
mod store;
mod sync;
mod ticket;

pub mod seq;

pub use batch::Unpushed;
pub use bounded::{BoundedHandle, BoundedQueue};
pub use error::{BoundError, HysteresisError, PopError, PushError};
pub use handle::{Ends, Handle, OwnedHandle};
pub use hysteresis::Hysteresis;
pub use queue::{Drain, IntoIter, Queue, TryIter};
pub use stats::Stats;
#[cfg(segring_hooks)]
pub use sync::hooks;
#[cfg(segring_lines)]
pub use sync::lines;
