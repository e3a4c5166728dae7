//! The floor: the two read-modify-writes that moving an item between any threads needs.

use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::AcqRel;

use crossbeam_utils::CachePadded;

use super::{Bound, Consumers, End, Peer, Progress, Promise, Role};

/// Counts pushes and pops, each with one `fetch_add`, and carries nothing. A pop never finds it empty,
/// so a consumer never waits for a producer either.
#[derive(Default)]
pub(super) struct TwoCounters {
    pushed: CachePadded<AtomicU64>,
    popped: CachePadded<AtomicU64>,
}

impl Peer<u64> for TwoCounters {
    const NAME: &'static str = "two_counters";
    const PACKAGE: &'static str = "segring-benches";
    const USAGE: &'static str = "a fetch_add for each push, and one for each pop";
    const PROMISE: Promise = Promise {
        progress: Progress::Floor,
        bound: Bound::Unbounded,
        consumers: Consumers::Many,
        memory: "never",
    };

    type End<'a> = &'a Self;

    fn new(_: usize) -> Self {
        Self::default()
    }

    fn end(&self, _: Role) -> &Self {
        self
    }
}

impl End<u64> for &TwoCounters {
    #[inline]
    fn push(&mut self, _: u64) {
        self.pushed.fetch_add(1, AcqRel);
    }

    #[inline]
    fn pop(&mut self) -> Option<u64> {
        Some(self.popped.fetch_add(1, AcqRel))
    }
}
