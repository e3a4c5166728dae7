//! The seam to crossbeam-epoch: pin, defer, flush. Nothing else names it.
//!
//! The crate has a collector of its own, so that no other user of the default one can hold our
//! memory back by staying pinned, or is slowed by our threads.
//!
//! In models the collector is the real one, on standard atomics that loom does not see. Its
//! argument is that a reader's fence after the retirer's in the single order of fences sees the
//! unlinking; [`model_fence`] gives loom just those fences.

use crossbeam_epoch::{self as epoch, Collector, LocalHandle};

use crate::sync::{is_model_failing, model_fence, mutant};

#[cfg(not(segring_loom))]
fn collector() -> &'static Collector {
    static COLLECTOR: std::sync::OnceLock<Collector> = std::sync::OnceLock::new();
    COLLECTOR.get_or_init(Collector::new)
}

#[cfg(segring_loom)]
fn collector() -> &'static Collector {
    loom::lazy_static! {
        // A fresh one in every execution.
        static ref COLLECTOR: Collector = Collector::new();
    }
    &COLLECTOR
}

#[cfg(segring_loom)]
use loom::thread_local;
#[cfg(not(segring_loom))]
use std::thread_local;

thread_local! {
    static LOCAL: Participant = Participant(collector().register());
}

/// A thread's registration with the collector.
struct Participant(LocalHandle);

impl Drop for Participant {
    fn drop(&mut self) {
        model_fence();
    }
}

/// While it lives, nothing that this thread can reach from a queue's shared pointers is freed.
#[derive(Debug)]
pub(crate) struct Guard(epoch::Guard);

/// Pins the current thread. One read-modify-write or fence, none if it is pinned already.
#[inline]
pub(crate) fn pin() -> Guard {
    let guard = LOCAL
        .try_with(|local| local.0.pin())
        // The thread is going away and has dropped its registration.
        .unwrap_or_else(|_| collector().register().pin());
    model_fence();
    Guard(guard)
}

impl Guard {
    /// Calls `free` once no thread that is pinned now is pinned any more: after two epochs.
    ///
    /// # Safety
    /// What `free` frees cannot be reached by a thread that pins from now on, and `free` may be
    /// called on any thread.
    pub(crate) unsafe fn defer(&self, free: impl FnOnce()) {
        if mutant("free-at-once") {
            return free();
        }
        // Pinning, too, calls what has become due, before our own fence.
        let due = || {
            model_fence();
            if !is_model_failing() {
                free();
            }
        };
        // SAFETY: the caller's promise.
        unsafe { self.0.defer_unchecked(due) };
    }

    /// Makes this thread's deferred calls visible to all and moves the epoch on by one, if nobody
    /// holds it back; calls what has become due.
    pub(crate) fn flush(&self) {
        model_fence();
        self.0.flush();
    }
}
