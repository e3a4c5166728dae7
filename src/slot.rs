//! One slot of a ring: its states and every legal transition.
//!
//! ```text
//!   EMPTY(c) --publish, producer of c--> FULL(c) --take, consumer of c--> EMPTY(c+1) --> ...
//!                                           |
//!                                           +--retract, producer of c--> DEAD   item back
//!                                           +--seize,   consumer of c--> DEAD   item taken
//! ```
//!
//! `c` is a lap. The ring gives the ticket of each lap to one producer and one consumer, so that a
//! slot has at most one of each at work on a lap. Beside the state stands the mark `gave_up`: the
//! lowest lap at which somebody gave up on this slot. Laps below it go on as usual; the lap itself
//! and later ones never complete, because EMPTY(c+1) is reached through FULL(c) alone.
//!
//! Whoever gives up leaves the mark first and looks at the state afterwards; a producer publishes
//! first and looks at the mark afterwards. With a full barrier between the two steps on both sides
//! (see [`Pair`]) at least one of them sees the other, and where both do, an exchange of the
//! state lets exactly one of them have the item.
//!
//! Exact laps are those of vyukov2010; that either side may end the hand-over is from koval2023. Such
//! keys are entries of papers/references.bib, and labels such as P1 stand in the paper's pseudo-code.

use core::mem::{ManuallyDrop, MaybeUninit};

use crate::sync::Ordering::{Acquire, Relaxed, Release};
use crate::sync::barrier::Pair;
use crate::sync::{AtomicU32, Point, UnsafeCell, Wait, mutant, reach};

/// No lap's EMPTY or FULL: laps end below 2^31.
const DEAD: u32 = u32::MAX;

const fn empty(lap: u32) -> u32 {
    lap.wrapping_mul(2)
}

const fn full(lap: u32) -> u32 {
    lap.wrapping_mul(2) | 1
}

/// A place for one item. All-zero memory is a fresh slot: EMPTY(0), never given up.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Slot<T> {
    /// `EMPTY(c) = 2c`, `FULL(c) = 2c + 1`, or `DEAD`.
    state: AtomicU32,
    /// 0, or `MAX - c` for the lowest lap `c` that somebody gave up on.
    gave_up: AtomicU32,
    /// Invariant: initialised while the state is FULL, and for the producer of lap `c` alone from
    /// its write in EMPTY(c) on.
    value: UnsafeCell<MaybeUninit<T>>,
}

/// Why an item is not simply published.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unpublished {
    /// The slot was not free: its previous item is still there, or it is dead.
    Occupied,
    /// The item is in the slot, but the consumer may have given up before it was there.
    GivenUp,
}

impl<T> Slot<T> {
    /// Only models build slots one by one; elsewhere zeroed memory is enough.
    pub(crate) fn new() -> Self {
        Self {
            state: AtomicU32::new(0),
            gave_up: AtomicU32::new(0),
            value: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    /// Moves the item of a lap in, if the slot is free. No read-modify-write.
    ///
    /// # Safety
    /// The caller is the one producer of this lap, and calls until it is no longer `Occupied` or
    /// abandons the lap. All users of the slot use the same pair. After `Ok` the item has moved;
    /// after `Occupied` it has not, and after `GivenUp` [`retract`](Self::retract) decides.
    #[inline]
    pub(crate) unsafe fn publish_if_free(
        &self,
        lap: u32,
        item: &ManuallyDrop<T>,
        pair: Pair,
    ) -> Result<(), Unpublished> {
        if !self.is_free(lap) {
            return Err(Unpublished::Occupied);
        }
        // SAFETY: the caller's promise, and the slot is free.
        unsafe { self.publish(lap, item, pair) }
    }

    /// Moves the item of a lap into a free slot. No read-modify-write.
    ///
    /// # Safety
    /// As for [`publish_if_free`](Self::publish_if_free), and the caller has seen
    /// [`is_free`](Self::is_free).
    #[inline]
    pub(crate) unsafe fn publish(
        &self,
        lap: u32,
        item: &ManuallyDrop<T>,
        pair: Pair,
    ) -> Result<(), Unpublished> {
        // SAFETY: in EMPTY(lap) only this lap's producer touches the value: the last lap's
        // consumer is done with it (SLOT-1), and this lap's waits for FULL(lap).
        unsafe { self.write(item) }; // [P1]
        reach(Point::PushWritten);
        // [SLOT-2 release -> SLOT-3, SLOT-7] The item.
        self.state.store(full(lap), Release);
        reach(Point::PushPublished);
        // [SLOT-5 light <-> SLOT-6 heavy] Published, and then the mark is read.
        pair.light();
        let given_up = self.is_given_up(lap) && !mutant("mark-unseen");
        if given_up { Err(Unpublished::GivenUp) } else { Ok(()) } // [P2]
    }

    /// Whether the slot can take the item of a lap: once true, it stays so until the lap's producer
    /// publishes.
    #[inline]
    pub(crate) fn is_free(&self, lap: u32) -> bool {
        let empty = empty(lap);
        // [SLOT-1 acquire <- SLOT-4 release] The last lap's consumer has read its item.
        let state = self.state.load(Acquire);
        state == empty || state > empty && mutant("later-lap-is-free")
    }

    /// Takes back an item that its consumer may have passed by: true if the consumer has not got
    /// it, so that the producer's copy is the item again.
    ///
    /// # Safety
    /// The caller is the one producer of this lap and has published its item.
    pub(crate) unsafe fn retract(&self, lap: u32) -> bool {
        // [P3] Relaxed: whoever finds DEAD reads nothing, and a consumer that gave up takes the item
        // by the same exchange, so that only one of the two has it.
        let dead = if mutant("retracted-is-free") { empty(lap.wrapping_add(1)) } else { DEAD };
        self.state.compare_exchange(full(lap), dead, Relaxed, Relaxed).is_ok()
    }

    /// The producer's way to say that nothing will come at this lap. True for the first to give up
    /// on the slot.
    pub(crate) fn abandon(&self, lap: u32) -> bool {
        // [P4] Relaxed: it publishes no data. Missing it, a consumer gives up by itself.
        self.gave_up.fetch_max(u32::MAX - lap, Relaxed) == 0
    }

    /// Takes the item of a lap if it is there, and frees the slot for the next lap. No
    /// read-modify-write.
    ///
    /// # Safety
    /// The caller is the one consumer of this lap and has not given up.
    #[inline]
    pub(crate) unsafe fn take(&self, lap: u32) -> Option<T> {
        // [SLOT-3 acquire <- SLOT-2 release] The item.
        if self.state.load(Acquire) != full(lap) {
            return None;
        }
        if mutant("freed-before-read") {
            self.state.store(empty(lap.wrapping_add(1)), Release); // [SLOT-4]
        }
        // SAFETY: FULL(lap): the item is initialised. Only a consumer that gave up can make its
        // producer retract it, and this one has not.
        let item = unsafe { self.read() };
        reach(Point::PopTaken);
        // [SLOT-4 release -> SLOT-1] The value has been read and may be overwritten.
        self.state.store(empty(lap.wrapping_add(1)), Release);
        Some(item)
    }

    /// Waits for the item of a lap for a bounded time and then gives the lap up. `None`: there is
    /// no item, and there never will be one at this lap. Calls `is_first` if nobody had given up on
    /// the slot before.
    ///
    /// # Safety
    /// The caller is the one consumer of this lap and calls once. All users of the slot use the
    /// same pair.
    #[cold]
    pub(crate) unsafe fn wait_or_give_up(
        &self,
        lap: u32,
        pair: Pair,
        is_closed: impl Fn() -> bool,
        is_first: impl FnOnce(),
    ) -> Option<T> {
        let mut wait = Wait::new();
        loop {
            if self.is_given_up(lap) {
                // [P5]
                return None;
            }
            // In a closed ring nobody is about to come.
            if is_closed() || !(wait.pause() || mutant("consumer-waits")) {
                break;
            }
            // SAFETY: the caller's promise; not given up yet.
            if let Some(item) = unsafe { self.take(lap) } {
                return Some(item);
            }
        }
        if mutant("give-up-unmarked") {
            return None;
        }
        // [P6]
        if self.gave_up.fetch_max(u32::MAX - lap, Relaxed) == 0 {
            is_first();
        }
        reach(Point::PopGaveUp);
        // [SLOT-6 heavy <-> SLOT-5 light] From here on either the producer has seen the mark, or
        // FULL(lap) is seen below.
        pair.heavy();
        let dead = if mutant("seized-is-free") { empty(lap.wrapping_add(1)) } else { DEAD };
        // [SLOT-7 acquire <- SLOT-2 release] The item.
        let exchange = self.state.compare_exchange(full(lap), dead, Acquire, Relaxed);
        // SAFETY: the exchange took the item from FULL(lap); its producer can only fail to retract
        // it.
        exchange.is_ok().then(|| unsafe { self.read() })
    }

    /// Whether the item of a lap is there.
    pub(crate) fn is_full(&self, lap: u32) -> bool {
        // [SLOT-3 acquire <- SLOT-2 release] The item.
        self.state.load(Acquire) == full(lap)
    }

    /// Whether the item of a lap is there, or has been taken and the slot freed for the next lap.
    pub(crate) fn has_had(&self, lap: u32) -> bool {
        // [SLOT-3 acquire <- SLOT-2 release] The order of the looks at several slots.
        let state = self.state.load(Acquire);
        let end = if mutant("taken-unseen") { full(lap) + 1 } else { DEAD };
        (full(lap)..end).contains(&state)
    }

    /// Whether somebody gave up on this slot at this lap or before. No later lap will use it: the
    /// state never gets there.
    pub(crate) fn is_given_up(&self, lap: u32) -> bool {
        let (mark, ours) = (self.gave_up.load(Relaxed), u32::MAX - lap);
        mark > ours && !mutant("earlier-mark-unseen") || mark == ours && !mutant("same-mark-unseen")
    }

    /// # Safety
    /// The item is initialised, and the caller is the only one to read it.
    unsafe fn read(&self) -> T {
        // SAFETY: the caller's promise.
        self.value.with(|value| unsafe { value.cast::<T>().read() })
    }

    /// # Safety
    /// The caller is the only one to touch the value.
    unsafe fn write(&self, item: &ManuallyDrop<T>) {
        let from = core::ptr::from_ref(item).cast::<T>();
        self.value.with_mut(|value| {
            // SAFETY: the caller's promise; one is inside the slot, the other is not.
            unsafe { value.cast::<T>().copy_from_nonoverlapping(from, 1) };
        });
    }

    /// Moves an item into a fresh slot.
    ///
    /// # Safety
    /// The slot is fresh, and nobody else can see it.
    pub(crate) unsafe fn preload(&self, item: &ManuallyDrop<T>) {
        // SAFETY: the caller has the slot to itself.
        unsafe { self.write(item) };
        self.state.store(full(0), Relaxed);
    }

    /// Undoes [`preload`](Self::preload): the caller's copy is the item again.
    ///
    /// # Safety
    /// The slot is as `preload` left it, and nobody else can see it.
    pub(crate) unsafe fn unload(&self) {
        self.state.store(empty(0), Relaxed);
    }
}

#[cfg(all(test, not(any(segring_loom, segring_shuttle))))]
mod tests {
    use super::*;

    /// A slot that has come to this lap.
    fn at_lap(lap: u32) -> Slot<u8> {
        let slot = Slot::new();
        slot.state.store(empty(lap), Relaxed);
        slot
    }

    fn publish(slot: &Slot<u8>, lap: u32, item: u8) -> Result<(), Unpublished> {
        // SAFETY: the tests are the one producer of each lap, and publish once.
        unsafe { slot.publish_if_free(lap, &ManuallyDrop::new(item), Pair::Fences) }
    }

    fn take(slot: &Slot<u8>, lap: u32) -> Option<u8> {
        // SAFETY: the tests are the one consumer of each lap, and have not given up.
        unsafe { slot.take(lap) }
    }

    /// Rings end long before, but no lap below the last is special.
    const LAST: u32 = (1 << 31) - 1;

    #[test]
    fn items_pass_at_all_laps() {
        for first in [0, 1, (1 << 30) - 2, LAST - 3] {
            let slot = at_lap(first);
            for lap in first..first + 3 {
                assert!(!slot.is_free(lap + 1) && !slot.is_full(lap), "{lap}");
                assert!(publish(&slot, lap, 7).is_ok(), "{lap}");
                assert!(matches!(publish(&slot, lap + 1, 8), Err(Unpublished::Occupied)));
                assert_eq!((take(&slot, lap + 1), take(&slot, lap)), (None, Some(7)), "{lap}");
                assert!(slot.is_free(lap + 1) && slot.state.load(Relaxed) != DEAD, "{lap}");
            }
        }
    }

    /// The lowest lap that was given up on is the last that matters; those before it go on.
    #[test]
    fn laps_that_are_given_up_on_stay_so() {
        for lap in [2, 1 << 30, LAST - 2] {
            let slot = at_lap(lap - 2);
            slot.abandon(lap + 1);
            slot.abandon(lap);
            assert!(publish(&slot, lap - 2, 1).is_ok() && take(&slot, lap - 2) == Some(1));
            assert!(publish(&slot, lap - 1, 2).is_ok() && take(&slot, lap - 1) == Some(2));
            assert!(matches!(publish(&slot, lap, 3), Err(Unpublished::GivenUp)), "{lap}");
            // SAFETY: published above.
            assert!(unsafe { slot.retract(lap) });
            assert!(matches!(publish(&slot, lap + 1, 4), Err(Unpublished::Occupied)));
            assert_eq!((take(&slot, lap), take(&slot, lap + 1)), (None, None));
        }
    }
}
