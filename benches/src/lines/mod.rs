//! What more cores would cost, by a model: real code, simulated caches.
//!
//! The queue's own code runs on as many threads as there are to be cores, of which one runs at a time: the
//! one whose clock is behind. Each access to shared memory moves its clock by what [`Caches`] says.
//! So memory is accessed in the order of simulated time, and what is counted are the lines that had to come from
//! another core.
//!
//! It is a model. Cores do one thing after the other (no store buffers, nothing is fetched ahead), caches are endless,
//! all cores are equally far from each other, a line is in one place at a time and goes to whoever asked first,
//! and only accesses to shared memory take time. It says how many lines an operation needs and what
//! becomes of it when many cores want the same line; not how fast a machine is.

mod caches;
#[cfg(segring_lines)]
mod clocks;
#[cfg(segring_lines)]
mod load;

pub use caches::{Caches, Costs};
#[cfg(segring_lines)]
pub use load::{Load, Row, measure};
