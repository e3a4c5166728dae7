//! Tier B for batches: to others they are one operation after the other. (The ring alone is in
//! `ring.rs`.)
//!
//! Eight slots are the fewest that give two tickets at once.
#![cfg(segring_loom)]

use loom_tests::spec::Op::{Close, Pop, PopBatch, Push, PushBatch};
use loom_tests::spec::{Model, Via};
use segring::model::mutated;

/// A consumer gives tickets of the batch up: what is retracted goes to the next ring, and so does
/// all behind it.
const GIVE_UP: Model = Model {
    name: "a batch against pops",
    min: 8,
    before: &[1],
    popped: 1,
    threads: &[&[PushBatch(&[2, 3])], &[Pop, Pop]],
};

/// A new handle's first item goes alone.
const GIVE_UP_LATER: Model = Model {
    name: "a batch behind a push against pops",
    threads: &[&[Push(9), PushBatch(&[2, 3])], &[Pop, Pop]],
    ..GIVE_UP
};

#[test]
fn give_up() {
    GIVE_UP.check(Via::Queue);
    GIVE_UP_LATER.check(Via::Handle);
    GIVE_UP_LATER.check(Via::Mpsc);
}

/// What is retracted goes to the batch's next ticket.
const SKIP: Model = Model { name: "a batch skips a slot", ..GIVE_UP };
const SKIP_LATER: Model = Model { name: "a batch behind a push skips a slot", ..GIVE_UP_LATER };

#[test]
fn skip() {
    // A ring needs 32 slots for that; these have to make do with eight.
    mutated(&["small-rings-skip"], || {
        SKIP.check(Via::Queue);
        SKIP_LATER.check(Via::Handle);
        SKIP_LATER.check(Via::Mpsc);
    });
}

/// One item fits, the other does not.
const CROSS: Model = Model {
    name: "a batch across the end of a ring",
    min: 8,
    before: &[1, 2, 3, 4, 5, 6, 7],
    popped: 0,
    threads: &[&[PushBatch(&[8, 9])], &[PopBatch(2)]],
};

#[test]
fn cross() {
    CROSS.check(Via::Queue);
}

const TWO: Model = Model {
    name: "a batch against another and a pop",
    min: 8,
    before: &[1],
    popped: 1,
    threads: &[&[PushBatch(&[2, 3])], &[Push(4)], &[Pop]],
};

#[test]
fn two_producers() {
    TWO.check(Via::Queue);
}

const CLOSE: Model = Model {
    name: "a batch against closing",
    min: 8,
    before: &[1],
    popped: 1,
    threads: &[&[PushBatch(&[2, 3, 4]), Pop], &[Close]],
};

#[test]
fn close() {
    CLOSE.check(Via::Queue);
}

/// There is always one more item than a batch takes, so nobody may find nothing.
const CIRCULATE: Model = Model {
    name: "batches circulate",
    min: 8,
    before: &[1, 2, 3, 4],
    popped: 0,
    threads: &[&[PopBatch(2), PushBatch(&[5, 6])], &[Pop, Push(7), Pop]],
};

#[test]
fn circulate() {
    CIRCULATE.check(Via::Handle);
}

#[test]
fn mutants() {
    GIVE_UP.kills(&["batch-goes-on"], Via::Queue);
    GIVE_UP_LATER.kills(&["batch-goes-on"], Via::Mpsc);
}
