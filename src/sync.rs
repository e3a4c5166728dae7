//! The shim: the only place that names atomics and cells.
//!
//! Several modes. Normally atomics and cells are the standard ones. With `--cfg segring_loom` they are
//! loom's, so that a model checker sees every access, and each atomic can have a shadow. With
//! `--cfg segring_shuttle` they are shuttle's, whose scheduler may stop a thread in front of any
//! access for ever; it knows no weak orderings, which is enough to try progress. With `--cfg segring_lines`
//! a listener is told of each access. What the modes
//! differ in is in [`mode`] and, for both models, in [`memory`]. In models, and with
//! `--cfg segring_mutants`, faults can be switched on: see `sync/mutant.rs`.
//!
//! The switch is a cfg of our own, never `cfg(test)` (a library linked into an integration test is
//! built without it) and never a cargo feature (features unify across a build).

use core::time::Duration;

#[cfg(not(segring_lines))]
use core::sync::atomic::AtomicUsize as StdAtomicUsize;
#[cfg(segring_lines)]
use mode::AtomicUsize as StdAtomicUsize;

pub(crate) use core::sync::atomic::{Ordering, compiler_fence};

pub(crate) use mode::{
    Arc, AtomicPtr, AtomicU32, AtomicUsize, EpochPtr, EpochWord, UnsafeCell, fence, per_thread,
};
pub(crate) use mutant::mutant;

pub(crate) mod barrier;
#[cfg_attr(any(segring_loom, segring_shuttle), path = "sync/memory/model.rs")]
pub(crate) mod memory;
#[cfg_attr(segring_loom, path = "sync/mode/loom.rs")]
#[cfg_attr(segring_shuttle, path = "sync/mode/shuttle.rs")]
#[cfg_attr(segring_lines, path = "sync/mode/lines.rs")]
#[cfg_attr(not(any(segring_loom, segring_shuttle, segring_lines)), path = "sync/mode/std.rs")]
pub(crate) mod mode;
#[cfg_attr(not(any(segring_loom, segring_shuttle, segring_mutants)), path = "sync/mutant/none.rs")]
mod mutant;

/// Whether a model checker runs this: loom or shuttle.
pub(crate) const MODEL: bool = cfg!(any(segring_loom, segring_shuttle));

/// A `const fn`, but not for loom, whose atomics are registered when they are made.
macro_rules! const_unless_model {
    ($(#[$meta:meta])* $vis:vis fn $($rest:tt)*) => {
        #[cfg(not(segring_loom))]
        $(#[$meta])*
        $vis const fn $($rest)*

        #[cfg(segring_loom)]
        $(#[$meta])*
        $vis fn $($rest)*
    };
}
pub(crate) use const_unless_model;

/// A number that nothing depends on: statistics, hints, the policy's samples.
///
/// Any value it may show is correct, so models do not explore it: it is a standard atomic in every
/// mode, and always relaxed.
#[derive(Debug)]
pub(crate) struct Counter(StdAtomicUsize);

impl Counter {
    pub(crate) const fn new(value: usize) -> Self {
        Self(StdAtomicUsize::new(value))
    }

    #[inline]
    pub(crate) fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn set(&self, value: usize) {
        self.0.store(value, Ordering::Relaxed);
    }

    /// Wraps, as a difference of two counts may.
    pub(crate) fn add(&self, n: usize) {
        self.0.fetch_add(n, Ordering::Relaxed);
    }

    /// Wraps, as a difference of two counts may.
    pub(crate) fn sub(&self, n: usize) {
        self.0.fetch_sub(n, Ordering::Relaxed);
    }

    pub(crate) fn max(&self, n: usize) {
        if self.get() < n {
            self.0.fetch_max(n, Ordering::Relaxed);
        }
    }
}

/// A bounded wait with growing pauses.
///
/// Models do not wait at all: waiting only repeats loads that they explore anyway.
#[derive(Debug)]
pub(crate) struct Wait {
    backoff: crossbeam_utils::Backoff,
    pauses: u32,
}

impl Wait {
    /// For somebody who may be preempted: spins, then yields the processor.
    /// At most 127 spin hints and 4 yields.
    pub(crate) fn new() -> Self {
        Self::of(11)
    }

    /// For somebody who is running, or else not worth a yield: at most 127 spin hints.
    pub(crate) fn spin() -> Self {
        Self::of(7)
    }

    fn of(pauses: u32) -> Self {
        Self { backoff: crossbeam_utils::Backoff::new(), pauses: if MODEL { 0 } else { pauses } }
    }

    /// Pauses, or returns false when the wait is over.
    pub(crate) fn pause(&mut self) -> bool {
        if self.pauses == 0 {
            return false;
        }
        self.pauses -= 1;
        #[cfg(segring_lines)]
        lines::tell(lines::Access::Pause(lines::WAIT));
        self.backoff.snooze();
        true
    }
}

/// Spins for so long. Meant for times that are shorter than a trip to the scheduler and back.
pub(crate) fn spin_for(time: Duration) {
    #[cfg(segring_lines)]
    lines::tell(lines::Access::Pause(time));
    #[cfg(not(segring_lines))]
    {
        let start = std::time::Instant::now();
        while start.elapsed() < time {
            core::hint::spin_loop();
        }
    }
}

/// Whether a model has failed and its threads are being unwound: loom then forbids what
/// destructors usually do, and a second panic would hide the first.
#[inline(always)]
#[allow(clippy::inline_always, reason = "a constant outside models")]
pub(crate) fn is_model_failing() -> bool {
    MODEL && std::thread::panicking()
}

/// A place inside an operation where a test may park the thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(segring_hooks), allow(unreachable_pub, reason = "public with the hooks only"))]
#[non_exhaustive]
pub enum Point {
    /// A producer has its ticket and has not looked at the slot.
    PushTicket,
    /// A producer has written its item and not published it.
    PushWritten,
    /// A producer has published its item and not looked whether the consumer gave up.
    PushPublished,
    /// A consumer has claimed a ticket and not looked at the slot.
    PopClaimed,
    /// A consumer has read the item and not released the slot.
    PopTaken,
    /// The only consumer has taken an item, or several, and not moved `head`.
    SoleTaken,
    /// A consumer has marked a slot as given up and not looked at it again.
    PopGaveUp,
    /// A look whether a ring is empty has counted tickets, and not looked at their slots.
    LookCounted,
    /// A closer has closed a ring and not stored its end.
    RingClosed,
    /// A closer has stored a ring's end and not linked the next one.
    RingEnded,
    /// A ring is linked and `tail_seg` not moved to it.
    RingLinked,
    /// A drained ring is left by `tail_seg` but not by `head_seg`.
    RingLeft,
}

/// Test hooks: a function that is called at each [`Point`].
#[cfg(segring_hooks)]
pub mod hooks {
    pub use super::Point;
    use std::sync::OnceLock;

    static HOOK: OnceLock<fn(Point)> = OnceLock::new();

    /// Sets the function, once for the process.
    ///
    /// # Panics
    /// When it was set before.
    pub fn set(hook: fn(Point)) {
        assert!(HOOK.set(hook).is_ok(), "the hook is set once");
    }

    pub(super) fn reach(point: Point) {
        if let Some(hook) = HOOK.get() {
            hook(point);
        }
    }
}

/// What a thread does to cache lines, told to a function that is called before each access.
#[cfg(segring_lines)]
pub mod lines {
    use core::time::Duration;
    use std::sync::OnceLock;

    /// What happens, and at which address.
    #[derive(Clone, Copy, Debug)]
    pub enum Access {
        /// A load, of an atomic or of an item.
        Load(usize),
        /// A store.
        Store(usize),
        /// An atomic read-modify-write.
        ReadModifyWrite(usize),
        /// Nothing for a while.
        Pause(Duration),
    }

    /// For one of the growing pauses of a bounded wait.
    pub(super) const WAIT: Duration = Duration::from_nanos(200);

    static LISTENER: OnceLock<fn(Access)> = OnceLock::new();

    /// Sets the function, once for the process.
    ///
    /// # Panics
    /// When it was set before.
    pub fn listen(listener: fn(Access)) {
        assert!(LISTENER.set(listener).is_ok(), "there is one listener");
    }

    pub(crate) fn tell(access: Access) {
        if let Some(listener) = LISTENER.get() {
            listener(access);
        }
    }
}

/// Marks a place where a test may park the thread; nothing in other builds.
#[inline(always)]
#[allow(clippy::inline_always, reason = "nothing at all outside test builds")]
pub(crate) fn reach(point: Point) {
    #[cfg(segring_hooks)]
    hooks::reach(point);
    #[cfg(not(segring_hooks))]
    let _ = point;
}
