//! loom's atomics, each with its shadow, and with the faults that a model must find.

pub(crate) use loom::sync::{Arc, atomic::fence};
pub(crate) use loom::{cell::UnsafeCell, lazy_static};

pub(crate) use super::mutant::{AtomicPtr, AtomicU32, AtomicUsize};
pub(crate) use hidden::{EpochPtr, EpochWord};

mod hidden;
pub(super) mod shadow;

/// A value for each thread.
macro_rules! per_thread {
    (static $name:ident: $type:ty = const { $init:expr };) => {
        loom::thread_local! {
            static $name: $type = $init;
        }
    };
}
pub(crate) use per_thread;
