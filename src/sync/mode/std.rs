//! The standard library's atomics.

pub(crate) use alloc::sync::Arc;
pub(crate) use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, fence};
pub(crate) use core::sync::atomic::{AtomicPtr as EpochPtr, AtomicUsize as EpochWord};
pub(crate) use std::thread_local as per_thread;

pub(crate) use cell::UnsafeCell;

mod cell;

/// Whether the fault of this name is switched on: by `SEGRING_MUTANT=name` in builds with
/// `--cfg segring_mutants`, never otherwise.
#[inline(always)]
#[allow(clippy::inline_always, reason = "a constant in normal builds")]
pub(crate) fn mutant(name: &str) -> bool {
    #[cfg(segring_mutants)]
    {
        static NAME: std::sync::OnceLock<Option<String>> = std::sync::OnceLock::new();
        NAME.get_or_init(|| std::env::var("SEGRING_MUTANT").ok()).as_deref() == Some(name)
    }
    #[cfg(not(segring_mutants))]
    {
        let _ = name;
        false
    }
}
