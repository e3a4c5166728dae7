//! A lock-free FIFO queue of linked rings.
#![warn(missing_docs)]

extern crate alloc;

mod error;
mod hysteresis;

pub mod seq;

pub use error::{HysteresisError, PushError};
pub use hysteresis::Hysteresis;
