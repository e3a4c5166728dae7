//! Epochs: when is a retired ring out of everybody's sight?
//!
//! A thread that reads shared pointers is *pinned*: it shows the epoch that it found in a record of
//! its own. The epoch moves on only when every pinned thread shows the current one. So when it has
//! moved on twice since a ring was made unreachable, whoever could have found the ring is gone.
//!
//! ```text
//!   pin      shown = epoch;  light barrier;  shared pointers are read
//!   unpin    shown = 0
//!   retire   the ring is made unreachable;  heavy barrier;  stamp = epoch
//!   advance  e = epoch;  if every thread shows 0 or e:  epoch = e -> e + 1
//!   free     when epoch >= stamp + 2
//! ```
//!
//! Why that is enough: a thread that can still reach the ring pinned before the heavy barrier, so
//! that it shows the stamp's epoch or an older one, and the barrier has made that visible. The step
//! from stamp to stamp + 1 may have looked at the thread before, and says nothing. The step from
//! stamp + 1 to stamp + 2 starts behind the barrier: it sees the thread, and has to wait for it.
//!
//! This is the scheme of fraser2004, as in crossbeam-epoch, with two differences. The barrier of a
//! pin, which is most of its cost, is the light half of an asymmetric [`Pair`], so that a pin takes
//! no read-modify-write. And nothing is deferred here: a retired ring carries its stamp and waits
//! with its queue (see [`crate::store`]), so that retiring allocates nothing.
//!
//! A thread that stalls while pinned lets the epoch move on once at most. It delays nobody, but
//! what is retired meanwhile stays in memory. (A signal handler that uses a queue may interrupt a
//! pin half-way and find itself unprotected: like most allocators, queues are not for handlers.)

use core::cell::Cell;
use core::marker::PhantomData;
use core::ptr::null_mut;

use crossbeam_utils::CachePadded;

use crate::sync::Ordering::{Acquire, Relaxed, Release};
use crate::sync::barrier::Pair;
use crate::sync::{Counter, EpochPtr, EpochWord, is_model_failing, memory, mutant, per_thread};

/// The epoch, and every thread's record.
#[derive(Debug)]
struct Domain {
    epoch: CachePadded<EpochWord>,
    /// The newest record, which leads to all others. A record that its thread has left is given to
    /// another one; none is ever freed.
    records: CachePadded<EpochPtr<CachePadded<Record>>>,
}

/// What one thread shows to the others.
#[derive(Debug)]
struct Record {
    /// 0, or the epoch that the thread found when it pinned, with [`PINNED`].
    shown: EpochWord,
    pair: Pair,
    /// Whether a thread has it: [`FREE`] or [`TAKEN`].
    owner: EpochWord,
    next: Option<&'static CachePadded<Record>>,
}

/// Epochs are even numbers. They may wrap, which 64 bits do not in practice: what is compared is a
/// difference, and one that comes out too small only keeps a ring for longer. (On 32 bits a thread
/// would have to stall in [`advance`] for exactly 2^31 steps to do harm.)
const STEP: usize = 2;
const FIRST: usize = if cfg!(segring_small) { 0_usize.wrapping_sub(20 * STEP) } else { 0 };
const PINNED: usize = 1;

const FREE: usize = 0;
const TAKEN: usize = 1;

memory::static_fn! {
    fn domain() -> &'static Domain { Domain::new() }
}

per_thread! {
    static RECORD: Cell<Option<&'static Record>> = const { Cell::new(None) };
}

per_thread! {
    static LEAVING: Leaving = const { Leaving(Cell::new(None)) };
}

/// Gives a thread's record back when the thread goes away. (Apart from [`RECORD`], which needs no
/// destructor and is faster to read for that.)
struct Leaving(Cell<Option<&'static Record>>);

impl Drop for Leaving {
    fn drop(&mut self) {
        if let Some(record) = self.0.get()
            && !is_model_failing()
        {
            let _ = RECORD.try_with(|current| current.set(None));
            record.give_back();
        }
    }
}

/// While it lives, no ring is freed that its thread can reach from a queue's shared pointers.
///
/// Guards of a thread end in the reverse order: the first one unpins.
#[derive(Debug)]
pub(crate) struct Guard {
    record: &'static Record,
    kind: Kind,
    not_send: PhantomData<*const ()>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Outermost,
    Inner,
    /// Of a thread that is going away: the record serves this guard alone.
    Single,
}

/// Pins the current thread. No read-modify-write and, where the kernel has a process-wide barrier,
/// no fence.
#[inline]
pub(crate) fn pin() -> Guard {
    match RECORD.try_with(Cell::get) {
        Ok(Some(record)) if !record.is_shown() => Guard::show(record, Kind::Outermost),
        _ => pin_in_other_cases(),
    }
}

/// Pins where the thread is pinned already, or has no record.
#[cold]
#[inline(never)]
fn pin_in_other_cases() -> Guard {
    if let Ok(Some(record)) = RECORD.try_with(Cell::get) {
        return Guard { record, kind: Kind::Inner, not_send: PhantomData };
    }
    let record = domain().take_record();
    let keep = |leaving: &Leaving| {
        RECORD.try_with(|current| current.set(Some(record))).map(|()| leaving.0.set(Some(record)))
    };
    let is_kept = LEAVING.try_with(keep).is_ok_and(|kept| kept.is_ok());
    Guard::show(record, if is_kept { Kind::Outermost } else { Kind::Single })
}

impl Guard {
    #[inline]
    fn show(record: &'static Record, kind: Kind) -> Self {
        if !mutant("never-pinned") {
            record.show();
        }
        Self { record, kind, not_send: PhantomData }
    }
}

impl Drop for Guard {
    #[inline]
    fn drop(&mut self) {
        if cfg!(debug_assertions) && self.kind == Kind::Inner && !is_model_failing() {
            assert!(
                self.record.is_shown() || mutant("never-pinned"),
                "guards end in the reverse order"
            );
        }
        if self.kind == Kind::Outermost || mutant("inner-guard-unpins") {
            self.record.hide();
        } else if self.kind == Kind::Single {
            self.record.hide_for_good();
        }
    }
}

impl Record {
    /// Whether its thread is pinned; for that thread alone.
    #[inline]
    fn is_shown(&self) -> bool {
        self.shown.load(Relaxed) != 0
    }

    #[inline]
    fn show(&self) {
        // Relaxed: an older epoch holds the epoch back for longer than need be.
        let epoch = domain().epoch.load(Relaxed);
        // [EPOCH-1 release -> EPOCH-2] What this thread did when it was pinned before.
        self.shown.store(epoch | PINNED, Release);
        // [EPOCH-3 light <-> EPOCH-4 heavy] Shown, and then shared pointers are read.
        self.pair.light();
    }

    #[inline]
    fn hide(&self) {
        // [EPOCH-1 release -> EPOCH-2] What this thread did while it was pinned.
        self.shown.store(0, Release);
    }

    #[cold]
    #[inline(never)]
    fn hide_for_good(&self) {
        self.hide();
        self.give_back();
    }

    fn give_back(&self) {
        // [EPOCH-7 release -> EPOCH-8] The thread's last use of the record.
        self.owner.store(FREE, Release);
    }
}

impl Domain {
    crate::sync::const_unless_model! {
        fn new() -> Self {
            Self {
                epoch: CachePadded::new(EpochWord::new(FIRST)),
                records: CachePadded::new(EpochPtr::new(null_mut())),
            }
        }
    }

    fn records(&self) -> impl Iterator<Item = &'static CachePadded<Record>> {
        // [EPOCH-10 acquire <- EPOCH-9] The record's contents.
        let newest = self.records.load(Acquire);
        // SAFETY: null or a record, and no record is ever freed.
        let newest = unsafe { newest.as_ref() };
        core::iter::successors(newest, |record| record.next)
    }

    /// One that another thread has left, or a new one.
    fn take_record(&self) -> &'static Record {
        for record in self.records() {
            // [EPOCH-8 acquire <- EPOCH-7] The last use of its former owner.
            let taken = record.owner.compare_exchange(FREE, TAKEN, Acquire, Relaxed);
            if taken.is_ok() {
                return record;
            }
        }
        let record = memory::keep(CachePadded::new(Record {
            shown: EpochWord::new(0),
            pair: Pair::choose(),
            owner: EpochWord::new(TAKEN),
            next: None,
        }));
        loop {
            // [EPOCH-10 acquire <- EPOCH-9] The contents of the record that is behind ours.
            let newest = self.records.load(Acquire);
            // SAFETY: null or a record, and no record is ever freed.
            record.next = unsafe { newest.as_ref() };
            // [EPOCH-9 release -> EPOCH-10] The record's contents.
            let ours = core::ptr::from_mut(record);
            if self.records.compare_exchange(newest, ours, Release, Relaxed).is_ok() {
                // SAFETY: never freed; from here on nobody has it mutably.
                return unsafe { &*ours };
            }
        }
    }

    /// Whether every pinned thread shows this epoch.
    fn is_shown_by_all(&self, epoch: usize) -> bool {
        self.records().all(|record| {
            // [EPOCH-2 acquire <- EPOCH-1] What the thread did before it pinned anew, or unpinned.
            let shown = record.shown.load(Acquire);
            shown == 0 || shown == epoch | PINNED || mutant("pinned-unseen")
        })
    }
}

/// When a ring was retired. Whoever passes the ring on publishes it.
#[derive(Debug)]
pub(crate) struct Stamp(Counter);

impl Stamp {
    /// Of a ring that is not retired.
    pub(crate) const fn none() -> Self {
        Self(Counter::new(0))
    }

    /// Stamps what the caller has just made unreachable. One process-wide barrier.
    pub(crate) fn renew(&self) {
        // [EPOCH-4 heavy <-> EPOCH-3 light] Unreachable, and then stamped.
        Pair::choose().heavy();
        // [EPOCH-5 release -> EPOCH-6] The barrier. A read-modify-write, so that the next step of
        // the epoch continues the release.
        self.0.set(domain().epoch.fetch_add(0, Release));
    }

    /// Whether everybody who may have reached it is gone.
    pub(crate) fn is_over(&self) -> bool {
        // [EPOCH-6 acquire <- EPOCH-5] What everybody did in it.
        let epoch = domain().epoch.load(Acquire);
        let passed = epoch.wrapping_sub(self.0.get());
        passed >= 2 * STEP || mutant("free-at-once") || passed >= STEP && mutant("free-early")
    }
}

/// Moves the epoch on by one, unless a thread that pinned in an older one holds it back.
pub(crate) fn advance() {
    let domain = domain();
    // [EPOCH-6 acquire <- EPOCH-5] Barriers of retired rings before the looks at the threads.
    let epoch = domain.epoch.load(Acquire);
    if domain.is_shown_by_all(epoch) {
        let next = epoch.wrapping_add(STEP);
        // [EPOCH-5 release -> EPOCH-6] What all threads did in older epochs. It continues the release
        // of the stamps of this one. Failure: somebody else moved the epoch on.
        let _ = domain.epoch.compare_exchange(epoch, next, Release, Relaxed);
    }
}
