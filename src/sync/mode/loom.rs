//! loom's atomics, each with its shadow.

pub(crate) use loom::sync::{Arc, atomic::fence};
pub(crate) use loom::{cell::UnsafeCell, lazy_static};

pub(crate) use crate::model::is_mutant as mutant;
pub(crate) use hidden::{EpochPtr, EpochWord};
pub(crate) use shadow::{AtomicPtr, AtomicU32, AtomicUsize};

mod hidden;
mod shadow;

/// A value for each thread.
macro_rules! per_thread {
    (static $name:ident: $type:ty = const { $init:expr };) => {
        loom::thread_local! {
            static $name: $type = $init;
        }
    };
}
pub(crate) use per_thread;
