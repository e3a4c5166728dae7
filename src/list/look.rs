//! Looking at the list without changing it, and working on it alone.

use core::alloc::Layout;

use super::{Link, List};
use crate::reclaim::pin;
use crate::segment::Segment;
use crate::stats::Stats;
use crate::sync::Ordering::Relaxed;

impl<T> List<T> {
    pub(crate) fn is_closed(&self) -> bool {
        matches!(self.last(&pin()).1, Link::Final)
    }

    /// Calls `visit` for each ring from `head_seg` on, until it returns false.
    fn each(&self, mut visit: impl FnMut(&Segment<T>) -> bool) {
        let guard = pin();
        let mut link = self.head(&guard);
        while let Link::To(segment) = link
            && visit(segment)
        {
            link = self.after(Some(segment), &guard);
        }
    }

    pub(crate) fn len(&self) -> usize {
        let mut len = 0_usize;
        self.each(|segment| {
            len = len.saturating_add(segment.len());
            true
        });
        len
    }

    pub(crate) fn is_empty(&self) -> bool {
        let mut empty = true;
        self.each(|segment| {
            empty = segment.is_empty();
            empty
        });
        empty
    }

    pub(crate) fn segment_capacity(&self) -> usize {
        self.last(&pin()).0.map_or(self.policy.min, Segment::capacity)
    }

    /// What the allocator is asked for when the last ring grows.
    pub(crate) fn next_layout(&self) -> Layout {
        Segment::<T>::layout_for(self.policy.grown(self.segment_capacity()))
    }

    pub(crate) fn stats(&self) -> Stats {
        let mut stats = self.store.counters.snapshot();
        self.each(|segment| {
            stats.give_ups += segment.give_ups.get();
            true
        });
        stats
    }

    pub(crate) fn reclaim(&self) -> usize {
        self.store.reclaim()
    }
}

/// With exclusive access. Handles borrow the queue or own a share of it, so that none is left.
impl<T> List<T> {
    /// [`tick`](Self::tick) for the owner of the queue.
    pub(crate) fn tick_mut(&mut self, ticket: usize) {
        let guard = pin();
        if let Some(segment) = self.tail(&guard) {
            self.tick(segment, ticket);
        }
    }

    /// The ring to push to.
    pub(crate) fn tail_mut(&mut self) -> Option<&mut Segment<T>> {
        // SAFETY: exclusive access: every ring in the list is ours alone. Handles borrow the
        // queue or own a share of it, so that none is left.
        unsafe { self.tail_seg.load(Relaxed).as_mut() }
    }

    /// The ring to pop from.
    pub(crate) fn head_mut(&mut self) -> Option<&mut Segment<T>> {
        let head = self.head_seg.load(Relaxed);
        if head == Link::FINAL {
            return None;
        }
        // SAFETY: as in `tail_mut`.
        unsafe { head.as_mut() }
    }
}
