//! One ring: hands out tickets, publishes and takes items, gives tickets up, closes. It knows no
//! neighbours; [`crate::list`] links rings and frees them.
//!
//! A producer's ticket is valid if it was taken while the ring was open. A consumer claims valid
//! tickets only. Each ticket therefore has one producer and one consumer, who meet in its slot.

use core::alloc::Layout;
use core::ptr::NonNull;

use crossbeam_utils::CachePadded;

use crate::hysteresis::{Dwell, LowWater, Policy};
use crate::slot::{Slot, Unpublished};
use crate::sync::Ordering::{Acquire, Relaxed, Release};
use crate::sync::memory::{Tombstone, Watch};
use crate::sync::{AtomicPtr, AtomicUsize, Counter, Point, barrier, memory, reach};
use crate::ticket::{CLOSED, Geometry};

/// A ring with its header, in one allocation.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Segment<T> {
    /// The next ticket of a producer; its top bit is CLOSED. On a line of its own.
    tail: CachePadded<AtomicUsize>,
    /// The consumers' line.
    front: CachePadded<Front>,
    /// The number of valid tickets once the ring is closed, and MAX before that.
    end: AtomicUsize,
    /// Null, the next ring, or the mark that there will be none. Owned by [`crate::list`].
    pub(crate) next: AtomicPtr<Self>,
    /// The list's reference, and one for each handle and each pending reclamation.
    refs: AtomicUsize,
    slots: NonNull<Slot<T>>,
    geometry: Geometry,
    /// How this ring came about, for the policy.
    pub(crate) origin: Origin,
    /// Where the allocation starts; the ring itself is aligned within it.
    memory: NonNull<u8>,
    /// The next of the retired rings. Owned by [`crate::list`].
    pub(crate) limbo_next: AtomicPtr<Self>,
    /// Tickets without an item: counted by their producers, counted off by their consumers.
    void: Counter,
    /// Tickets that consumers gave up on.
    pub(crate) give_ups: Counter,
    low_operations: Counter,
    low_peak: Counter,
    pub(crate) tombstone: Tombstone,
}

#[derive(Debug)]
struct Front {
    /// The next ticket of a consumer.
    head: AtomicUsize,
    /// A value that `tail` has had, or less. It saves most looks at the producers' line.
    seen_tail: AtomicUsize,
}

/// What the policy remembers from one ring to the next.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Origin {
    /// The learned patience.
    pub(crate) dwell: Dwell,
    /// Whether this ring replaced a larger one.
    pub(crate) shrunk: bool,
}

/// An item that did not get into the ring, and why.
#[derive(Debug)]
pub(crate) struct Refused<T> {
    pub(crate) item: T,
    pub(crate) why: Why,
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

/// What came of [`Segment::fill`], for [`Segment::settle`] to deal with.
#[derive(Debug)]
pub(crate) enum Unfilled<T> {
    /// The ticket is void.
    Void(T),
    /// As [`Unpublished::Occupied`].
    Occupied(T),
    /// As [`Unpublished::GivenUp`].
    GivenUp,
}

/// What a consumer claimed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Claim {
    /// A ticket, for the caller alone.
    Ticket(usize),
    /// Nothing: every ticket issued so far is claimed.
    Empty,
    /// Nothing: the ring is closed and all its tickets are claimed. Nothing will ever come from
    /// here.
    Drained,
}

impl<T> Segment<T> {
    /// Makes an open ring with one reference, or `None` when there is no memory.
    pub(crate) fn allocate(capacity: usize, origin: Origin) -> Option<NonNull<Self>> {
        barrier::decide();
        let (layout, slots_at) = Self::layout(capacity)?;
        let memory = memory::allocate(layout)?;
        // The allocator is asked for a small alignment only: it can then take fresh zero pages
        // from the system, instead of clearing them.
        let aligned = memory.as_ptr().wrapping_add(memory.align_offset(Self::align()));
        let slots = aligned.wrapping_add(slots_at).cast::<Slot<T>>();
        #[cfg(segring_loom)]
        for index in 0..capacity {
            // SAFETY: within the allocation, aligned, and not in use yet.
            unsafe { slots.wrapping_add(index).write(Slot::new()) };
        }
        let segment = Self {
            tail: CachePadded::new(AtomicUsize::new(0)),
            front: CachePadded::new(Front {
                head: AtomicUsize::new(0),
                seen_tail: AtomicUsize::new(0),
            }),
            end: AtomicUsize::new(usize::MAX),
            next: AtomicPtr::new(core::ptr::null_mut()),
            refs: AtomicUsize::new(1),
            // SAFETY: inside an allocation, hence not null.
            slots: unsafe { NonNull::new_unchecked(slots) },
            geometry: Geometry::new(capacity),
            origin,
            memory,
            limbo_next: AtomicPtr::new(core::ptr::null_mut()),
            void: Counter::new(0),
            give_ups: Counter::new(0),
            low_operations: Counter::new(0),
            low_peak: Counter::new(0),
            tombstone: Tombstone::new(),
        };
        // SAFETY: inside an allocation, hence not null.
        let place = unsafe { NonNull::new_unchecked(aligned.cast::<Self>()) };
        // SAFETY: aligned, large enough, and ours alone.
        unsafe { place.write(segment) };
        Some(place)
    }

    /// Frees the ring. Items that are still inside are forgotten.
    ///
    /// # Safety
    /// The segment came from [`allocate`](Self::allocate), and nobody uses it any more.
    pub(crate) unsafe fn free(segment: NonNull<Self>) {
        // SAFETY: not freed yet; the caller's promise.
        let this = unsafe { segment.as_ref() };
        this.tombstone.freed();
        let (layout, _) = Self::layout(this.capacity()).expect("it was allocated with this layout");
        // SAFETY: from `memory::allocate` with this layout; nobody uses it any more.
        unsafe { memory::free(this.memory, layout) };
    }

    /// The allocation of a ring, and where in it, counted from the aligned start, the slots begin.
    fn layout(capacity: usize) -> Option<(Layout, usize)> {
        let slots = Layout::array::<Slot<T>>(capacity).ok()?;
        let (ring, slots_at) = Layout::new::<Self>().extend(slots).ok()?;
        let slack = Self::align() - align_of::<usize>();
        let size = ring.size().checked_add(slack)?;
        Some((Layout::from_size_align(size, align_of::<usize>()).ok()?, slots_at))
    }

    const fn align() -> usize {
        let (ring, slot) = (align_of::<Self>(), align_of::<Slot<T>>());
        if ring > slot { ring } else { slot }
    }

    /// Bytes of the whole allocation.
    pub(crate) fn bytes(&self) -> usize {
        Self::bytes_for(self.capacity())
    }

    /// Bytes of the allocation of a ring of this capacity.
    pub(crate) fn bytes_for(capacity: usize) -> usize {
        Self::layout(capacity).map_or(usize::MAX, |(layout, _)| layout.size())
    }

    pub(crate) fn capacity(&self) -> usize {
        self.geometry.capacity()
    }

    /// Takes another reference.
    pub(crate) fn acquire(&self) {
        let _watch = self.watch();
        // Relaxed: the caller has a reference, or keeps the list's from being dropped.
        self.refs.fetch_add(1, Relaxed);
    }

    /// Drops a reference; the last one frees the ring.
    ///
    /// # Safety
    /// The caller owns a reference and does not use the segment afterwards.
    pub(crate) unsafe fn release(segment: NonNull<Self>) {
        // SAFETY: the caller's reference keeps it alive.
        let this = unsafe { segment.as_ref() };
        // [SEG-1 release -> SEG-2] Everything this owner did in the ring.
        if this.refs.fetch_sub(1, Release) == 1 {
            // [SEG-2 acquire <- SEG-1] Everything all other owners did.
            this.refs.load(Acquire);
            // SAFETY: that was the last reference.
            unsafe { Self::free(segment) };
        }
    }

    /// Whether the caller's reference is the only one, so that it may free the ring.
    pub(crate) fn is_unshared(&self) -> bool {
        let _watch = self.watch();
        // [SEG-2 acquire <- SEG-1] Everything all other owners did.
        self.refs.load(Acquire) == 1
    }

    // ---- Producers. ----

    /// Takes the next ticket. One read-modify-write.
    #[inline]
    pub(crate) fn issue(&self) -> usize {
        let _watch = self.watch();
        // Relaxed: a ticket orders nothing but other tickets, and those are one counter.
        self.tail.fetch_add(1, Relaxed)
    }

    /// Takes the next ticket without a read-modify-write.
    #[inline]
    pub(crate) fn issue_mut(&mut self) -> usize {
        let ticket = self.tail.load(Relaxed);
        self.tail.store(ticket + 1, Relaxed);
        ticket
    }

    /// Leaves an item at a ticket. No read-modify-write.
    ///
    /// # Safety
    /// The ticket was [issued](Self::issue) to the caller, who calls once.
    #[inline]
    pub(crate) unsafe fn fill(&self, ticket: usize, item: T) -> Result<(), Unfilled<T>> {
        let _watch = self.watch();
        if ticket & CLOSED != 0 {
            return Err(Unfilled::Void(item));
        }
        reach(Point::PushTicket);
        let lap = self.geometry.lap(ticket);
        // SAFETY: the caller's ticket makes it the one producer of this lap of the slot.
        match unsafe { self.slot(ticket).publish(lap, item) } {
            Ok(()) => Ok(()),
            Err(Unpublished::Occupied(item)) => Err(Unfilled::Occupied(item)),
            Err(Unpublished::GivenUp) => Err(Unfilled::GivenUp),
        }
    }

    /// Settles what `fill` could not: either the item was taken after all, or here it is.
    ///
    /// # Safety
    /// `unfilled` is what [`fill`](Self::fill) returned for this ticket, and the caller calls once.
    #[cold]
    pub(crate) unsafe fn settle(
        &self,
        ticket: usize,
        unfilled: Unfilled<T>,
    ) -> Result<(), Refused<T>> {
        let _watch = self.watch();
        let (slot, lap) = (self.slot(ticket), self.geometry.lap(ticket));
        let refused = match unfilled {
            Unfilled::Void(item) => return Err(Refused { item, why: Why::Closed }),
            Unfilled::Occupied(item) => {
                slot.abandon(lap);
                let depth = ticket.saturating_sub(self.front.head.load(Relaxed));
                Refused { item, why: Why::Occupied { depth } }
            }
            // SAFETY: the caller is this lap's producer and has published.
            Unfilled::GivenUp => match unsafe { slot.retract(lap) } {
                Some(item) => Refused { item, why: Why::Retracted },
                None => return Ok(()),
            },
        };
        self.void.add(1);
        Err(refused)
    }

    /// Pushes; returns the ticket.
    pub(crate) fn push(&self, item: T) -> Result<usize, Refused<T>> {
        let ticket = self.issue();
        // SAFETY: issued just now, filled once.
        match unsafe { self.fill(ticket, item) } {
            Ok(()) => Ok(ticket),
            // SAFETY: what `fill` returned for this ticket.
            Err(unfilled) => unsafe { self.settle(ticket, unfilled) }.map(|()| ticket),
        }
    }

    // ---- Consumers. ----

    /// Claims the next ticket, if there is one. One read-modify-write.
    #[inline]
    pub(crate) fn claim(&self) -> Claim {
        let _watch = self.watch();
        loop {
            // [SEG-3 acquire <- SEG-4 release] With the loads in this order, `head >= tail` means
            // that at the load of `tail` every ticket issued so far was claimed.
            let head = self.front.head.load(Acquire);
            // Relaxed: a hint; too low a value costs a look at `tail`.
            if head >= self.front.seen_tail.load(Relaxed) {
                let tail = self.tail.load(Relaxed);
                let limit = self.limit(tail);
                if head >= limit {
                    return if tail & CLOSED == 0 { Claim::Empty } else { Claim::Drained };
                }
                // Not for this ticket alone.
                if limit > head + 1 {
                    self.front.seen_tail.store(limit, Relaxed);
                }
            }
            // [SEG-4 release -> SEG-3] What this consumer knows of `tail`. Failure: another
            // consumer claimed the ticket.
            if self.front.head.compare_exchange(head, head + 1, Release, Relaxed).is_ok() {
                reach(Point::PopClaimed);
                return Claim::Ticket(head);
            }
        }
    }

    /// Claims the next ticket without a read-modify-write.
    #[inline]
    pub(crate) fn claim_mut(&mut self) -> Claim {
        let head = self.front.head.load(Relaxed);
        let tail = self.tail.load(Relaxed);
        if head >= self.limit(tail) {
            return if tail & CLOSED == 0 { Claim::Empty } else { Claim::Drained };
        }
        self.front.head.store(head + 1, Relaxed);
        Claim::Ticket(head)
    }

    /// The item of a claimed ticket, if it is there. No read-modify-write.
    ///
    /// # Safety
    /// The caller has claimed the ticket, and calls until it has the item or gives up.
    #[inline]
    pub(crate) unsafe fn take(&self, ticket: usize) -> Option<T> {
        let _watch = self.watch();
        // SAFETY: the caller is the one consumer of this lap, and has not given up.
        unsafe { self.slot(ticket).take(self.geometry.lap(ticket)) }
    }

    /// Waits for the item of a claimed ticket for a bounded time, then gives the ticket up.
    ///
    /// # Safety
    /// The caller has claimed the ticket and not taken its item, and calls once.
    #[cold]
    pub(crate) unsafe fn wait_or_give_up(&self, ticket: usize) -> Option<T> {
        let _watch = self.watch();
        // Claimed before the end was known: its producer knows that it is void.
        if ticket >= self.end.load(Relaxed) {
            return None;
        }
        let lap = self.geometry.lap(ticket);
        let is_closed = || self.tail.load(Relaxed) & CLOSED != 0;
        // SAFETY: the caller is the one consumer of this lap.
        let item = unsafe { self.slot(ticket).wait_or_give_up(lap, is_closed) };
        if item.is_none() {
            self.give_ups.add(1);
            self.void.sub(1);
        }
        item
    }

    /// Notes that a claimed ticket has no item. With exclusive access, an unpublished ticket is a
    /// void one.
    pub(crate) fn pass_mut(&mut self) {
        self.void.sub(1);
    }

    // ---- Both ends. ----

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
        // Relaxed: a ticket is void or valid by its place in the order of this one counter.
        let before = self.tail.fetch_or(CLOSED, Relaxed);
        if before & CLOSED != 0 {
            return false;
        }
        reach(Point::RingClosed);
        // Relaxed: too large a limit is harmless, see `limit`.
        self.end.store(before, Relaxed);
        reach(Point::RingEnded);
        true
    }

    /// How many items are inside: exact when nobody is at work here.
    pub(crate) fn len(&self) -> usize {
        let _watch = self.watch();
        // [SEG-3] Head first, as in `pop`: 0 means that there was a moment without items.
        let head = self.front.head.load(Acquire);
        let tickets = self.limit(self.tail.load(Relaxed)).saturating_sub(head);
        let void = self.void.get();
        // A count below zero: consumers gave up on tickets whose producers are still at work.
        let void = if void > usize::MAX / 2 { 0 } else { void };
        tickets.saturating_sub(void)
    }

    /// Whether the owner of this ticket should look after the ring.
    #[inline]
    pub(crate) fn is_tick(&self, ticket: usize) -> bool {
        self.geometry.is_tick(ticket)
    }

    /// Whether the ring has lived as long as it may.
    pub(crate) fn is_expired(&self, ticket: usize) -> bool {
        self.geometry.is_expired(ticket)
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
        if !policy.can_shrink(self.capacity()) {
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

    /// What the next ring should remember.
    pub(crate) fn heir(&self, capacity: usize) -> Origin {
        let _watch = self.watch();
        let laps = self.geometry.lap(self.tail.load(Relaxed) & !CLOSED) as usize;
        let (shrunk, grows) = (capacity < self.capacity(), capacity > self.capacity());
        Origin { dwell: self.origin.dwell.next(laps, self.origin.shrunk, grows), shrunk }
    }

    /// Puts the first item into a fresh ring.
    ///
    /// # Safety
    /// The ring is fresh, and nobody else can see it.
    pub(crate) unsafe fn preload(&self, item: T) {
        // SAFETY: the caller's promise.
        unsafe { self.slot(0).preload(item) };
        self.tail.store(1, Relaxed);
    }

    /// The inverse of [`preload`](Self::preload): the ring is fresh again.
    ///
    /// # Safety
    /// The ring is as `preload` left it, and nobody else can see it.
    pub(crate) unsafe fn unload(&self) -> T {
        self.tail.store(0, Relaxed);
        // SAFETY: the caller's promise.
        unsafe { self.slot(0).unload() }
    }

    #[inline]
    fn slot(&self, ticket: usize) -> &Slot<T> {
        // SAFETY: `index` is below the capacity, so the slot lies in the allocation; it was zeroed,
        // which is a fresh slot, and slots are only ever accessed through shared references.
        unsafe { self.slots.add(self.geometry.index(ticket)).as_ref() }
    }

    #[inline]
    pub(crate) fn watch(&self) -> Watch<'_> {
        self.tombstone.watch()
    }
}
