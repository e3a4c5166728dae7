//! Tier C: the epochs themselves, every word of them seen by loom. The models of queues see of the
//! epochs only their barriers, and rely on what is shown here.
#![cfg(segring_loom)]

use std::sync::Arc;

use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom_tests::{check, kills};
use segring::model::epochs::{Pinned, Retired, move_on, seen};

/// Something that is found through a shared pointer, made unreachable, and in the end destroyed.
struct Shared {
    /// Whether the pointer still leads to it.
    reachable: AtomicUsize,
    thing: UnsafeCell<u32>,
}

// SAFETY: what this model is about: that the accesses do not overlap. loom reports it if they do.
unsafe impl Sync for Shared {}

/// What was found there.
type Found = Option<u32>;

const ALIVE: u32 = 1;

impl Shared {
    fn new() -> Arc<Self> {
        let reachable = AtomicUsize::new(1);
        Arc::new(Self { reachable, thing: UnsafeCell::new(ALIVE) })
    }

    /// Looks, pinned. The access to the thing comes a moment after the pointer was read.
    fn read(&self) -> Found {
        let _pinned = Pinned::new();
        drop(Pinned::new()); // An operation within the operation.
        let reachable = self.reachable.load(Ordering::Relaxed) == 1;
        // SAFETY: what this model is about; loom reports a race with `retire`.
        reachable.then(|| self.thing.with(|thing| unsafe { *thing }))
    }

    /// Makes it unreachable, and destroys it if its epoch is over after so many steps.
    fn retire(&self, steps: usize) -> bool {
        self.reachable.store(0, Ordering::Relaxed);
        let retired = Retired::now();
        (0..steps).for_each(|_| move_on());
        if retired.is_over() {
            // SAFETY: as in `read`.
            self.thing.with_mut(|thing| unsafe { *thing = 0 });
        }
        retired.is_over()
    }
}

/// A reader or two, somebody who retires, and perhaps somebody else who moves the epoch on.
#[derive(Clone, Copy)]
struct Model {
    name: &'static str,
    /// How often each reader looks.
    readers: &'static [usize],
    /// How often others move the epoch on.
    movers: &'static [usize],
    steps: usize,
}

impl Model {
    fn run(self) -> (Vec<Vec<Found>>, bool) {
        let shared = Shared::new();
        let readers: Vec<_> = self
            .readers
            .iter()
            .map(|&times| {
                let shared = Arc::clone(&shared);
                loom::thread::spawn(move || (0..times).map(|_| shared.read()).collect::<Vec<_>>())
            })
            .collect();
        let movers: Vec<_> = self
            .movers
            .iter()
            .map(|&times| loom::thread::spawn(move || (0..times).for_each(|_| move_on())))
            .collect();
        let destroyed = shared.retire(self.steps);
        let found: Vec<_> = readers.into_iter().map(|reader| reader.join().unwrap()).collect();
        for mover in movers {
            mover.join().unwrap();
        }
        assert!(
            found.iter().flatten().all(|found| matches!(found, None | Some(ALIVE))),
            "{found:?}"
        );
        (found, destroyed)
    }

    fn check(self) {
        seen(|| check(self.name, None, move || self.run()));
    }

    fn kills(self, mutant: &'static [&'static str]) {
        seen(|| kills(mutant, self.name, move || self.run()));
    }
}

const ONE_READER: Model = Model { name: "epochs: a reader", readers: &[2], movers: &[], steps: 2 };

/// Whoever destroys has moved the epoch on once at most, and relies on what the mover saw.
const MOVED: Model =
    Model { name: "epochs: a reader and a mover", readers: &[1], movers: &[2], steps: 1 };

/// A thread takes over the record of one that has ended, or makes one of its own.
const TWO_READERS: Model =
    Model { name: "epochs: two readers", readers: &[1, 1], movers: &[], steps: 2 };

#[test]
fn one_reader() {
    ONE_READER.check();
}

#[test]
fn moved() {
    MOVED.check();
}

#[test]
fn two_readers() {
    TWO_READERS.check();
}

#[test]
fn mutants() {
    ONE_READER.kills(&["off:EPOCH-3@show"]);
    ONE_READER.kills(&["off:EPOCH-4@renew"]);
    ONE_READER.kills(&["relaxed:EPOCH-1@hide"]);
    ONE_READER.kills(&["free-at-once"]);
    ONE_READER.kills(&["free-early"]);
    MOVED.kills(&["relaxed:EPOCH-5@renew"]);
    MOVED.kills(&["relaxed:EPOCH-5@advance"]);
}
