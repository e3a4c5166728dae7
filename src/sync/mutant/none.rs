//! Ordinary builds: the standard atomics, and no fault to switch on.

#[cfg(not(segring_lines))]
pub(crate) use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize};

/// Whether the fault of this name is switched on: never.
#[inline(always)]
#[allow(clippy::inline_always, reason = "a constant")]
pub(crate) const fn mutant(_name: &str) -> bool {
    false
}

/// Whether the caller's operation is to go wrong: never.
#[inline(always)]
#[allow(clippy::inline_always, reason = "a constant")]
pub(super) const fn is_faulty(_fault: &str, _kind: &str) -> bool {
    false
}
