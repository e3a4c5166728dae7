//! What a queue has done and what it holds.

use crate::sync::Counter;

/// A snapshot from [`Queue::stats`](crate::Queue::stats).
///
/// Each number is exact when nothing is in flight; under concurrency the numbers of one snapshot
/// may belong to slightly different moments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Rings followed by a larger one, because they were full.
    pub grows: usize,
    /// Rings followed by a smaller one, after low occupancy or on request.
    pub shrinks: usize,
    /// Rings followed by one of the same capacity, because stalled peers held slots or had their
    /// tickets passed over, more than one slot in 32, or because the largest ring was full.
    pub jams: usize,
    /// Rings followed by a smallest one, because their closer had not linked a successor in time.
    pub helped: usize,
    /// Rings followed by one of the same capacity at the end of their ticket range.
    pub expired: usize,
    /// Tickets that consumers passed over because they had no item: their producers had found the
    /// slot taken, or were too slow.
    pub give_ups: usize,
    /// Rings in memory: in the list, retired, or kept as spares.
    pub live_segments: usize,
    /// Bytes of those rings, headers included.
    pub live_bytes: usize,
    /// Of these, bytes that are retired and not yet free, because a thread or a handle may still
    /// use them.
    pub retired_bytes: usize,
    /// The highest depth of a ring that was seen at a quarter of a lap or when it was full.
    pub peak_depth: usize,
}

/// The live counters behind [`Stats`].
#[derive(Debug)]
pub(crate) struct Counters {
    pub(crate) grows: Counter,
    pub(crate) shrinks: Counter,
    pub(crate) jams: Counter,
    pub(crate) helped: Counter,
    pub(crate) expired: Counter,
    pub(crate) give_ups: Counter,
    pub(crate) live_segments: Counter,
    pub(crate) live_bytes: Counter,
    pub(crate) retired_bytes: Counter,
    pub(crate) peak_depth: Counter,
}

impl Counters {
    pub(crate) const fn new() -> Self {
        Self {
            grows: Counter::new(0),
            shrinks: Counter::new(0),
            jams: Counter::new(0),
            helped: Counter::new(0),
            expired: Counter::new(0),
            give_ups: Counter::new(0),
            live_segments: Counter::new(0),
            live_bytes: Counter::new(0),
            retired_bytes: Counter::new(0),
            peak_depth: Counter::new(0),
        }
    }

    pub(crate) fn snapshot(&self) -> Stats {
        Stats {
            grows: self.grows.get(),
            shrinks: self.shrinks.get(),
            jams: self.jams.get(),
            helped: self.helped.get(),
            expired: self.expired.get(),
            give_ups: self.give_ups.get(),
            live_segments: self.live_segments.get(),
            live_bytes: self.live_bytes.get(),
            retired_bytes: self.retired_bytes.get(),
            peak_depth: self.peak_depth.get(),
        }
    }
}
