//! One ring: hands out tickets, publishes and takes items, gives tickets up, closes. It knows no
//! neighbours; [`crate::list`] links rings, [`crate::store`] frees them.
//!
//! A producer's ticket is valid if it was taken while the ring was open. A consumer claims valid
//! tickets only. Each ticket therefore has one producer and one consumer, who meet in its slot.
//! (Tickets and the CLOSED bit are those of morrison2013.)

use core::iter::from_fn;
use core::marker::PhantomData;
use core::mem::{ManuallyDrop, offset_of};
use core::ops::Range;
use core::ptr::NonNull;

use crossbeam_utils::CachePadded;

use crate::contention::Distance;
use crate::hysteresis::{Dwell, LowWater, Policy, is_full};
use crate::reclaim::Stamp;
use crate::slot::Slot;
use crate::sync::Ordering::{Acquire, Relaxed};
use crate::sync::barrier::Pair;
use crate::sync::memory::{Tombstone, Watch};
use crate::sync::{AtomicPtr, AtomicUsize, Counter, Point, mutant, reach};
use crate::ticket::{CLOSED, Geometry};

pub(crate) use admission::{NoPlace, room};
pub(crate) use batch::{BATCH, Filled};
pub(crate) use claim::Unclaimed;
pub(crate) use tickets::{Claim, Claimed, Issued, Unfilled};

mod admission;
mod batch;
mod claim;
mod life;
mod sole;
mod tickets;

/// A ring may have one dead slot for so many slots, each of which refuses a push and a pop a lap.
const SLOTS_PER_DEAD: usize = 32;

/// A ring with its header, in one allocation.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Segment<T> {
    /// The producers' line.
    back: CachePadded<Back>,
    /// The consumers' line.
    front: CachePadded<Front>,
    /// MAX while the ring is open; the number of valid tickets, or more until the closer has
    /// stored it, once it is closed.
    end: AtomicUsize,
    /// Null, the next ring, or the mark that there will be none. Owned by [`crate::list`].
    pub(crate) next: AtomicPtr<Self>,
    /// The list's reference, and one for each handle.
    refs: AtomicUsize,
    slots: NonNull<Slot<T>>,
    geometry: Geometry,
    pair: Pair,
    /// How this ring came about, for the policy.
    pub(crate) origin: Origin,
    /// The position of ticket 0, in a bounded queue: how many tickets the rings before this one
    /// had. Set before the ring is linked.
    base: usize,
    /// Where the allocation starts; the ring itself is aligned within it.
    memory: NonNull<u8>,
    /// The ring itself, by a pointer that may write to all of it: what shared pointers are made of.
    place: NonNull<Self>,
    /// The next of the retired rings. Owned by [`crate::store`].
    pub(crate) limbo_next: AtomicPtr<Self>,
    /// When it was retired. Owned by [`crate::store`].
    pub(crate) retired: Stamp,
    /// Tickets without an item: counted by their producers, counted off by their consumers.
    void: Counter,
    /// Tickets that consumers gave up on.
    pub(crate) give_ups: Counter,
    low_operations: Counter,
    low_peak: Counter,
    pub(crate) tombstone: Tombstone,
}

#[derive(Debug)]
struct Back {
    /// The next ticket of a producer; its top bit is CLOSED.
    tail: AtomicUsize,
    /// A position up to which tickets are claimed, or one before: in a bounded queue it saves most
    /// looks at the consumers' line.
    seen_head: Counter,
    /// The producers' distance from the consumers, in a bounded queue.
    distance: Distance,
    /// Slots that somebody gave up on: they stay out of use.
    dead: Counter,
}

#[derive(Debug)]
struct Front {
    /// The next ticket of a consumer.
    head: AtomicUsize,
    /// A value that `tail` has had, or less. It saves most looks at the producers' line.
    seen_tail: AtomicUsize,
    /// The consumers' distance from the producers.
    distance: Distance,
    /// The ticket at which an only consumer looks at its distance again.
    look_at: Counter,
}

// Producers, consumers and what seldom changes are on lines of their own, the neighbouring line that a
// processor fetches along included.
const _: () = {
    let line = align_of::<CachePadded<u8>>();
    let (back, front) = (offset_of!(Segment<u8>, back), offset_of!(Segment<u8>, front));
    assert!(front - back >= line && offset_of!(Segment<u8>, end) - front >= line);
};

/// What the policy remembers from one ring to the next.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Origin {
    /// The learned patience.
    pub(crate) dwell: Dwell,
    /// Whether this ring replaced a larger one.
    pub(crate) shrunk: bool,
}

/// Why a ring did not take an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// The ring was closed.
    Closed,
    /// The ticket's slot was not free, with so many tickets between head and this one.
    Occupied {
        /// Tickets issued and not claimed.
        depth: usize,
    },
    /// The ticket's consumer had given up.
    Retracted,
}

impl<T> Segment<T> {
    pub(crate) fn capacity(&self) -> usize {
        self.geometry.capacity()
    }

    /// Issues the next ticket. One read-modify-write.
    #[inline]
    pub(crate) fn issue(&self) -> Issued<'_, T> {
        let _watch = self.watch();
        let shape = self.shape(); // Loaded before the exchange, and not in its shadow.
        // [P7] Relaxed: a ticket orders nothing but other tickets, and those are one counter.
        let number = self.back.tail.fetch_add(1, Relaxed);
        let (slot, lap) = shape.at(number);
        Issued { segment: self, slot, number, lap }
    }

    /// Issues the next ticket, which the caller thinks is this one. One read-modify-write. An error
    /// is the number of the ticket that it was instead.
    ///
    /// A thread that pushes alone can tell. Then the slot is found, and the item on its way there,
    /// while the processor is still at the read-modify-write.
    #[inline]
    pub(crate) fn issue_expected(&self, expected: usize) -> Result<Issued<'_, T>, usize> {
        let _watch = self.watch();
        let (slot, lap) = self.shape().at(expected);
        // [P7] Relaxed: as in `issue`.
        let number = self.back.tail.fetch_add(1, Relaxed);
        if number != expected && !mutant("taken-for-expected") {
            return Err(number);
        }
        Ok(Issued { segment: self, slot, number: expected, lap })
    }

    /// How many tickets have been issued, void ones among them: to see how fast others are.
    pub(crate) fn issued_so_far(&self) -> usize {
        let _watch = self.watch();
        self.back.tail.load(Relaxed) & !CLOSED
    }

    /// Issues the next ticket without a read-modify-write.
    #[inline]
    pub(crate) fn issue_mut(&mut self) -> Issued<'_, T> {
        let number = self.back.tail.load(Relaxed);
        self.back.tail.store(number + 1, Relaxed);
        let (slot, lap) = self.shape().at(number);
        Issued { segment: self, slot, number, lap }
    }

    /// Pushes; returns the ticket's number.
    ///
    /// # Safety
    /// After `Ok` the item has moved.
    pub(crate) unsafe fn push(&self, item: &ManuallyDrop<T>) -> Result<usize, Why> {
        let ticket = self.issue();
        let number = ticket.number;
        // SAFETY: the caller's promise.
        unsafe { ticket.put(item) }.map(|()| number)
    }

    /// How many tickets there are, as far as a value of `tail` and `end` tell.
    ///
    /// In a closed ring whose closer has not stored `end` yet this counts void tickets too:
    /// claiming one is harmless, and passing them all is enough to leave.
    #[inline]
    fn limit(&self, tail: usize) -> usize {
        if tail & CLOSED == 0 { tail } else { (tail & !CLOSED).min(self.end.load(Relaxed)) }
    }

    /// Closes the ring: every ticket taken from now on is void. True for the call that did it.
    pub(crate) fn close(&self) -> bool {
        let _watch = self.watch();
        let early = mutant("end-before-closing").then(|| self.back.tail.load(Relaxed));
        // [P14] Relaxed: a ticket is void or valid by its place in the order of this one counter.
        let before = self.back.tail.fetch_or(CLOSED, Relaxed);
        if before & CLOSED != 0 {
            return false;
        }
        reach(Point::RingClosed);
        // [P15] Relaxed: too large a limit is harmless, see `limit`.
        let end = early.unwrap_or(before).saturating_sub(mutant("end-too-low").into());
        self.end.store(end, Relaxed);
        reach(Point::RingEnded);
        true
    }

    /// How many items are inside: exact when nobody is at work here.
    pub(crate) fn len(&self) -> usize {
        let _watch = self.watch();
        // [SEG-3 acquire <- SEG-4 release] Head first, as in `claim`.
        let head = self.front.head.load(Acquire);
        let limit = self.limit(self.back.tail.load(Relaxed));
        let tickets =
            if mutant("len-wraps") { limit.wrapping_sub(head) } else { limit.saturating_sub(head) };
        let void = self.void.get();
        // A count below zero: consumers gave up on tickets whose producers are still at work.
        let void = if void > usize::MAX / 2 { 0 } else { void };
        tickets.saturating_sub(void)
    }

    /// Whether there was a moment without items: exact when nobody is at work here.
    pub(crate) fn is_empty(&self) -> bool {
        let _watch = self.watch();
        let shape = self.shape();
        loop {
            let early = mutant("empty-tail-first").then(|| self.back.tail.load(Relaxed));
            // [SEG-3 acquire <- SEG-4 release] Head first, as in `claim`.
            let head = self.front.head.load(Acquire);
            let limit = self.limit(early.unwrap_or_else(|| self.back.tail.load(Relaxed)));
            if head >= limit {
                return true;
            }
            if self.void.get() < limit - head {
                return false;
            }
            reach(Point::LookCounted);
            // All of these tickets may be void. That count is not taken in one step with the
            // tickets, so look. If there is no item, and none was claimed meanwhile, then none was
            // inside when the look began. (An only consumer takes first and claims afterwards.)
            let has_had = |number| {
                let (slot, lap) = shape.at(number);
                slot.has_had(lap)
            };
            if (head..limit).any(has_had) {
                return false;
            }
            // [SEG-3 acquire <- SEG-4 release] Behind the looks at the slots.
            if self.front.head.load(Acquire) == head {
                return true;
            }
        }
    }

    /// Whether the owner of this ticket should look after the ring.
    #[inline]
    pub(crate) fn is_tick(&self, ticket: usize) -> bool {
        self.geometry.is_tick(ticket)
    }

    /// Whether the ring has lived as long as it may.
    pub(crate) fn is_expired(&self, ticket: usize) -> bool {
        self.geometry.is_expired(ticket) && !mutant("never-expired") || mutant("expired-at-once")
    }

    /// The policy's look at a ring, by the owner of a ticket at a quarter of a lap. Returns the
    /// capacity of the smaller ring that should follow, if any, and the depth seen.
    pub(crate) fn sample(&self, policy: Policy, ticket: usize) -> (Option<usize>, usize) {
        let _watch = self.watch();
        let head = self.front.head.load(Relaxed);
        let depth = (ticket + 1).saturating_sub(head);
        // Consumers are still in the rings before this one: what they hold is not counted here.
        let to =
            if head == 0 { None } else { self.observe(policy, self.geometry.tick_weight(), depth) };
        (to, depth)
    }

    /// The same for a consumer that found nothing, as on an idle queue no producer looks.
    pub(crate) fn sample_idle(&self, policy: Policy) -> Option<usize> {
        self.observe(policy, 1, 0)
    }

    fn observe(&self, policy: Policy, weight: usize, depth: usize) -> Option<usize> {
        if !policy.can_shrink(self.capacity()) || mutant("never-shrinks") {
            return None;
        }
        // Not one step for others, and it need not be: any decision is a correct one.
        let low = LowWater { operations: self.low_operations.get(), peak: self.low_peak.get() };
        let (next, to) = policy.observe(low, weight, depth, self.capacity(), self.origin.dwell);
        if next != low {
            self.low_operations.set(next.operations);
            self.low_peak.set(next.peak);
        }
        to
    }

    /// Whether a push that was refused for this reason, and has skipped so many slots before, should
    /// simply try the next one: the ring is neither full nor too old, and no more than a few of its
    /// slots are dead.
    ///
    /// A ring with a dead slot has a refused push a lap, so that it is found too old even if those slots
    /// are dead whose tickets would show it.
    pub(crate) fn can_skip(&self, why: Why, skipped: usize) -> bool {
        let is_roomy = match why {
            Why::Closed => false,
            Why::Occupied { depth } => !is_full(depth, self.capacity()),
            Why::Retracted => true,
        };
        let most = self.capacity() / SLOTS_PER_DEAD + usize::from(mutant("small-rings-skip"));
        let tail = self.back.tail.load(Relaxed) & !CLOSED;
        is_roomy && skipped < most && self.back.dead.get() <= most && !self.is_expired(tail)
    }

    /// What the next ring should remember.
    pub(crate) fn heir(&self, capacity: usize) -> Origin {
        let _watch = self.watch();
        let laps = self.geometry.lap(self.back.tail.load(Relaxed) & !CLOSED) as usize;
        let (shrunk, grows) = (capacity < self.capacity(), capacity > self.capacity());
        Origin { dwell: self.origin.dwell.next(laps, self.origin.shrunk, grows), shrunk }
    }

    /// Moves the first item into a fresh ring.
    ///
    /// # Safety
    /// The ring is fresh, and nobody else can see it.
    pub(crate) unsafe fn preload(&self, item: &ManuallyDrop<T>) {
        // SAFETY: the caller's promise.
        unsafe { self.shape().at(0).0.preload(item) };
        self.back.tail.store(usize::from(!mutant("appended-empty")), Relaxed);
    }

    /// Undoes [`preload`](Self::preload): the ring is fresh, the caller's copy is the item again.
    ///
    /// # Safety
    /// The ring is as `preload` left it, and nobody else can see it.
    pub(crate) unsafe fn unload(&self) {
        self.back.tail.store(0, Relaxed);
        // SAFETY: the caller's promise.
        unsafe { self.shape().at(0).0.unload() };
    }

    #[inline]
    fn shape(&self) -> Shape<'_, T> {
        Shape { slots: self.slots, geometry: self.geometry, segment: PhantomData }
    }

    #[inline]
    pub(crate) fn watch(&self) -> Watch<'_> {
        self.tombstone.watch()
    }
}

/// Where a ring's slots are.
struct Shape<'s, T> {
    slots: NonNull<Slot<T>>,
    geometry: Geometry,
    segment: PhantomData<&'s Segment<T>>,
}

impl<'s, T> Shape<'s, T> {
    /// Tickets that follow each other, in runs within a lap: the first of a run, the lap, the slots.
    #[inline]
    fn runs(self, tickets: Range<usize>) -> impl Iterator<Item = (usize, u32, &'s [Slot<T>])> {
        let Range { mut start, end } = tickets;
        from_fn(move || {
            let index = self.geometry.index(start);
            let many = (end - start).min(self.geometry.capacity() - index);
            if many == 0 {
                return None;
            }
            // SAFETY: as in `at`.
            let slots = NonNull::slice_from_raw_parts(unsafe { self.slots.add(index) }, many);
            // SAFETY: as in `at`, for all of them: they are within the capacity.
            let slots = unsafe { slots.as_ref() };
            let run = (start, self.geometry.lap(start), slots);
            start += many;
            Some(run)
        })
    }

    /// The slot and the lap of a ticket.
    #[inline]
    fn at(&self, number: usize) -> (&'s Slot<T>, u32) {
        // SAFETY: an index is below the capacity, so that the slot lies in the allocation.
        let slot = unsafe { self.slots.add(self.geometry.index(number)) };
        // SAFETY: the memory was zeroed, which is a fresh slot, lives as long as the segment, and
        // is only ever accessed through shared references.
        (unsafe { slot.as_ref() }, self.geometry.lap(number))
    }
}
