//! Tier B for the bounded queue: its full and its empty edge.
#![cfg(segring_loom)]

use loom_tests::bounded::Op::{Close, Force, Len, Pop, Push};
use loom_tests::bounded::{Model, Via};

/// A pop makes room for one of two.
const EDGE: Model = Model {
    name: "two pushes and a pop at the full edge",
    capacity: 1,
    before: &[1],
    threads: &[&[Push(2)], &[Push(3)], &[Pop]],
};

const EDGE_OF_TWO: Model = Model {
    name: "two pushes and a pop at the full edge",
    capacity: 2,
    before: &[1, 2],
    threads: &[&[Push(3)], &[Push(4)], &[Pop]],
};

#[test]
fn edge() {
    for via in [Via::Queue, Via::Handle] {
        EDGE.check(via);
        EDGE_OF_TWO.check(via);
    }
}

/// Whoever has popped has made room, and there is always something to pop.
const EXCHANGE: Model = Model {
    name: "a full queue takes what was popped",
    capacity: 2,
    before: &[1, 2],
    threads: &[&[Pop, Push(3), Pop, Push(4)], &[Pop, Push(5)]],
};

/// There always is room for one.
const ROOM: Model = Model {
    name: "a push where there always is room",
    capacity: 2,
    before: &[1],
    threads: &[&[Pop, Push(2), Pop, Push(3)], &[Push(4)]],
};

#[test]
fn room() {
    for via in [Via::Queue, Via::Handle] {
        EXCHANGE.check(via);
        ROOM.check(via);
    }
}

/// A consumer passes a push by, which then needs another ring while the other push is at the full
/// edge.
const PASSED_BY: Model = Model {
    name: "a push is passed by at the full edge",
    capacity: 1,
    before: &[],
    threads: &[&[Push(1)], &[Push(2)], &[Pop, Pop]],
};

/// A consumer is slow, so that the ring is jammed a lap later.
const JAM: Model = Model {
    name: "a jam at the full edge",
    capacity: 1,
    before: &[1],
    threads: &[&[Pop], &[Push(2), Pop, Push(3)], &[Push(4)]],
};

/// The same with items in both rings: those in the first one count.
const JAM_BETWEEN: Model = Model {
    name: "a jam between two items",
    capacity: 2,
    before: &[1, 2],
    threads: &[&[Pop], &[Push(3), Pop, Push(4), Pop, Push(5), Push(6)]],
};

/// A producer that knows of room comes to the slot of a slow consumer.
const JAM_IN_KNOWN_ROOM: Model = Model {
    name: "a jam where there is room",
    capacity: 2,
    before: &[1, 2],
    threads: &[&[Pop], &[Pop, Push(3), Push(4), Pop, Pop, Push(5), Push(6)]],
};

#[test]
fn turn_over() {
    JAM.check(Via::Handle);
    for via in [Via::Queue, Via::Handle] {
        PASSED_BY.check(via);
    }
}

#[test]
fn turn_over_between_items() {
    for via in [Via::Queue, Via::Handle] {
        JAM_BETWEEN.check(via);
        JAM_IN_KNOWN_ROOM.check(via);
    }
}

const FORCE_AND_POP: Model = Model {
    name: "a forced push against a pop",
    capacity: 1,
    before: &[1],
    threads: &[&[Force(2)], &[Pop, Pop]],
};

const FORCE_AND_PUSH: Model = Model {
    name: "a forced push against a push and a pop",
    capacity: 2,
    before: &[1, 2],
    threads: &[&[Force(3)], &[Push(4)], &[Pop]],
};

const FORCE_TWICE: Model = Model {
    name: "two forced pushes",
    capacity: 2,
    before: &[1, 2],
    threads: &[&[Force(3)], &[Force(4)]],
};

/// The oldest ticket is that of a forced push which has not published yet, and will count anew.
const FORCE_PAST_A_FORCE: Model = Model {
    name: "forced pushes past one that is not done",
    capacity: 1,
    before: &[1],
    threads: &[&[Force(2)], &[Force(3), Force(4)]],
};

/// The oldest item is in a ring before the one that the forced push goes to.
const FORCE_AND_JAM: Model = Model {
    name: "forced pushes across a jam",
    capacity: 1,
    before: &[1],
    threads: &[&[Pop], &[Force(2), Force(3), Pop]],
};

#[test]
fn force() {
    FORCE_AND_POP.check(Via::Queue);
    FORCE_AND_PUSH.check(Via::Queue);
    FORCE_TWICE.check(Via::Queue);
    FORCE_PAST_A_FORCE.check(Via::Queue);
    FORCE_AND_JAM.check(Via::Queue);
}

const CLOSE: Model = Model {
    name: "closing against a push and a pop at the full edge",
    capacity: 1,
    before: &[1],
    threads: &[&[Push(2)], &[Close], &[Pop]],
};

const CLOSE_AND_FORCE: Model = Model {
    name: "closing against a forced push",
    capacity: 1,
    before: &[1],
    threads: &[&[Force(2), Pop], &[Close]],
};

#[test]
fn close() {
    for via in [Via::Queue, Via::Handle] {
        CLOSE.check(via);
    }
    CLOSE_AND_FORCE.check(Via::Queue);
}

/// The count is that of one moment.
const LOOK: Model = Model {
    name: "looking at a queue that is never empty and never full",
    capacity: 4,
    before: &[1, 2],
    threads: &[&[Pop, Push(3), Push(4), Pop], &[Len]],
};

#[test]
fn look() {
    LOOK.check(Via::Queue);
}

#[test]
fn mutants() {
    ROOM.kills(&["head-before-tail"], Via::Queue);
    PASSED_BY.kills(&["appender-sees-no-limit"], Via::Queue);
    JAM_BETWEEN.kills(&["earlier-rings-unseen"], Via::Queue);
    JAM.kills(&["slot-unseen"], Via::Queue);
    FORCE_AND_POP.kills(&["evict-early"], Via::Queue);
    FORCE_TWICE.kills(&["evict-tail-first"], Via::Queue);
    FORCE_PAST_A_FORCE.kills(&["nothing-evicted"], Via::Queue);
    LOOK.kills(&["len-unconfirmed"], Via::Queue);
}
