//! When the workers of a sample stop, all together.

use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicBool, AtomicU64};
use core::time::Duration;
use std::thread;

use crossbeam_utils::CachePadded;

/// How much a sample is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// At least so many items, and not many more.
    Items(u64),
    /// Whatever is moved in this time.
    Time(Duration),
}

/// How many items all workers have moved: read by each at every operation, written once in a while,
/// so that it costs next to nothing.
#[derive(Debug)]
pub(super) struct Meter {
    amount: Amount,
    moved: CachePadded<AtomicU64>,
    over: CachePadded<AtomicBool>,
}

impl Meter {
    /// A worker's items between two updates.
    pub(super) const STEP: u64 = 256;
    /// Items between producers and consumers, give or take some steps.
    const LEAD: u64 = 16_384;

    pub(super) fn new(amount: Amount) -> Self {
        Self { amount, moved: CachePadded::default(), over: CachePadded::default() }
    }

    /// Only counts.
    pub(super) fn endless() -> Self {
        Self::new(Amount::Time(Duration::MAX))
    }

    /// Tells how many items the calling worker has moved so far, after each of them.
    #[inline]
    pub(super) fn note(&self, items: u64) {
        if items.is_multiple_of(Self::STEP) {
            let moved = self.moved.fetch_add(Self::STEP, Relaxed) + Self::STEP;
            if matches!(self.amount, Amount::Items(wanted) if moved >= wanted) {
                self.end();
            }
        }
    }

    /// Counts many items at once.
    pub(super) fn add(&self, items: u64) {
        self.moved.fetch_add(items, Relaxed);
    }

    /// Whether the workers are to stop.
    #[inline]
    pub(super) fn is_over(&self) -> bool {
        self.over.load(Relaxed)
    }

    /// Waits until the time is up, if that is what counts. For a thread that is no worker.
    pub(super) fn time(&self) {
        if let Amount::Time(time) = self.amount {
            thread::sleep(time);
            self.end();
        }
    }

    /// Has the workers stop.
    pub(super) fn end(&self) {
        self.over.store(true, Relaxed);
    }

    /// Whether this side has moved so much more than the `other` that it should wait.
    pub(super) fn is_ahead_of(&self, other: &Self) -> bool {
        self.moved.load(Relaxed) > other.moved.load(Relaxed) + Self::LEAD
    }
}
