//! Sequential rings with the queue's resize policy, for one owner at a time.
//!
//! Three buffers that grow when full and give memory back when the load has gone, without ever
//! paying for the same resize over and over:
//!
//! | | holds | grows | shrinks |
//! |---|---|---|---|
//! | [`HysteresisRing`] | any `T` | doubles when full | halves when a removal leaves a quarter or less |
//! | [`InlineRing`] | the first `N` items inside itself | as above, but the first array has at least 8 slots | halves after a capacity's worth of low removals, in the end back inside |
//! | `SlidingBuffer` (feature `bytes`) | segments of bytes | doubles when full, unless a quarter of the front is free: then it slides | when empty and above a mark |
//!
//! All three ask the one policy in this crate, [`Hysteresis`](crate::Hysteresis). They differ only
//! in what they call low (a quarter; what fits inside; an empty buffer), in how long it has to last
//! (not at all; one capacity's worth of removals) and in when they look: after a removal. The
//! lock-free queue looks a few times a lap instead and learns to wait longer when it was wrong; the
//! rings here do neither. So under the same policy the two come to the same capacity for a load that
//! lasts, but on the way there the queue may resize later or in other steps.
//!
//! [`Metered`] counts what a ring does, to choose limits and the `N` of an inline ring.

mod error;
mod hysteresis_ring;
mod inline_ring;
mod iter;
mod metered;
mod raw_inline;
mod ring;
#[cfg(feature = "bytes")]
mod sliding_buffer;

pub use error::{CapacityError, TryPushError};
pub use hysteresis_ring::HysteresisRing;
pub use inline_ring::InlineRing;
pub use iter::{Drain, IntoIter, Iter, IterMut};
pub use metered::{DepthStats, Metered};
pub use ring::Ring;
#[cfg(feature = "bytes")]
pub use sliding_buffer::SlidingBuffer;
