//! Tier B: the whole queue, with loom's atomics and the epochs' barriers. Freed segments keep
//! a tombstone: nobody may come by any more.
#![cfg(segring_loom)]

use loom_tests::spec::Op::{Close, IsClosed, IsEmpty, NewHandle, Pop, Push, Reclaim};
use loom_tests::spec::{Model, SHRINK, Via};
use segring::model::mutated;

const TWO_PUSHES_ONE_POP: Model = Model {
    name: "two first pushes and a pop",
    min: 1,
    before: &[],
    popped: 0,
    threads: &[&[Push(1)], &[Push(2)], &[Pop]],
};

#[test]
fn two_pushes_one_pop() {
    TWO_PUSHES_ONE_POP.check(Via::Queue);
    TWO_PUSHES_ONE_POP.check(Via::Handle);
}

/// The second push finds the only slot taken, or free again.
const GROW: Model = Model {
    name: "growing against two pops",
    min: 1,
    before: &[1],
    popped: 0,
    threads: &[&[Push(2), Push(3)], &[Pop, Pop]],
};

#[test]
fn grow() {
    GROW.check(Via::Queue);
    GROW.check(Via::Handle);
}

/// Two producers find the ring full: one appends, the other takes its item back out of a ring that
/// was not linked.
const APPEND: Model = Model {
    name: "two appenders",
    min: 1,
    before: &[1],
    popped: 0,
    threads: &[&[Push(2)], &[Push(3)], &[Pop]],
};

#[test]
fn append() {
    APPEND.check(Via::Queue);
    APPEND.check(Via::Handle);
}

/// A ring is left, retired and freed while somebody pushes to it or is about to.
const LEAVE: Model = Model {
    name: "leaving a ring",
    min: 1,
    before: &[1],
    popped: 0,
    threads: &[&[Push(2)], &[Pop, Pop, Reclaim]],
};

#[test]
fn leave() {
    LEAVE.check(Via::Queue);
    LEAVE.check(Via::Handle);
}

/// The same when the thread that linked the second ring stalls before it moves `tail_seg`: the
/// others have to, and a late producer must not find the retired ring there.
const LAGGING_TAIL: Model = Model {
    name: "leaving a ring with a lagging tail",
    min: 1,
    before: &[1, 2],
    popped: 0,
    threads: &[&[Pop, Pop, Reclaim], &[Push(3)]],
};

#[test]
fn lagging_tail() {
    mutated(&["appender-stalls"], || {
        LAGGING_TAIL.check(Via::Queue);
        LAGGING_TAIL.check(Via::Handle);
    });
}

/// Two consumers meet at a drained ring.
const LEAVE_TWICE: Model = Model {
    name: "two consumers leave a ring",
    min: 1,
    before: &[1, 2],
    popped: 1,
    threads: &[&[Pop, Reclaim], &[Pop, Push(3)]],
};

#[test]
fn leave_twice() {
    LEAVE_TWICE.check(Via::Queue);
    LEAVE_TWICE.check(Via::Handle);
}

/// There is always an item in the queue, so nobody may find it empty.
const CIRCULATE: Model = Model {
    name: "items circulate",
    min: 1,
    before: &[1, 2, 3],
    popped: 1,
    threads: &[&[Pop, Push(4)], &[Pop, Push(5)]],
};

#[test]
fn circulate() {
    CIRCULATE.check(Via::Queue);
    CIRCULATE.check(Via::Handle);
}

#[test]
fn shrink() {
    SHRINK.check(Via::Queue); // Through handles in `deep.rs`.
}

const CLOSE: Model = Model {
    name: "closing against a push and a pop",
    min: 1,
    before: &[1],
    popped: 0,
    threads: &[&[Push(2)], &[Close], &[Pop]],
};

#[test]
fn close() {
    CLOSE.check(Via::Queue);
    CLOSE.check(Via::Handle);
}

const CLOSE_FIRST: Model = Model {
    name: "two closes against the first push",
    min: 1,
    before: &[],
    popped: 0,
    threads: &[&[Push(1), Pop], &[Close], &[Close]],
};

#[test]
fn close_first() {
    CLOSE_FIRST.check(Via::Queue);
    CLOSE_FIRST.check(Via::Handle);
}

/// The first ring comes into being while somebody looks and somebody closes.
const FIRST_LOOK: Model = Model {
    name: "looking and closing against the first push",
    min: 1,
    before: &[],
    popped: 0,
    threads: &[&[Push(1)], &[IsEmpty, Pop], &[Close]],
};

#[test]
fn first_look() {
    FIRST_LOOK.check(Via::Queue);
}

/// Whoever knows that the queue is closed and finds nothing has missed nothing.
const CLOSED_AND_EMPTY: Model = Model {
    name: "closed and empty",
    min: 2,
    before: &[1],
    popped: 1,
    threads: &[&[Push(2)], &[Close], &[IsClosed, Pop]],
};

#[test]
fn closed_and_empty() {
    CLOSED_AND_EMPTY.check(Via::Queue);
}

/// A consumer that is slow with the first item is a lap behind: the ring of two goes on without its slot.
const SKIP: Model = Model {
    name: "a slow consumer's slot is skipped",
    min: 2,
    before: &[1],
    popped: 0,
    threads: &[&[Pop], &[Push(2), Pop, Push(3), Push(4)]],
};

/// A producer that is slow with its item is passed by, and its slot skipped before it comes back.
const COME_BACK: Model = Model {
    name: "a slow producer's slot is skipped",
    min: 2,
    before: &[1],
    popped: 1,
    threads: &[&[Push(2)], &[Push(3), Pop, Push(4), Pop]],
};

#[test]
fn skip() {
    // A ring needs 32 slots for that; these have to make do with two.
    mutated(&["small-rings-skip"], || {
        SKIP.check(Via::Queue);
        SKIP.check(Via::Handle);
        COME_BACK.check(Via::Queue);
        COME_BACK.check(Via::Handle);
    });
}

/// Nothing but one ring, and always something in it.
const ONE_RING: Model = Model {
    name: "items circulate in one ring",
    min: 4,
    before: &[1, 2],
    popped: 0,
    threads: &[&[Pop, Push(3), Pop, Push(4)], &[Pop]],
};

const LOOK_AT_ONE_RING: Model = Model {
    name: "looking at one ring that is never empty",
    min: 4,
    before: &[1],
    popped: 0,
    threads: &[&[Push(2), Pop, Push(3), Pop], &[IsEmpty]],
};

/// A push that is not done stands in front of one that is: there is always something to pop.
const BESIDE_A_PUSH: Model = Model {
    name: "popping beside a push that is not done",
    min: 4,
    before: &[1],
    popped: 0,
    threads: &[&[Pop], &[Push(2)], &[Push(3), Pop]],
};

#[test]
fn beside_a_push() {
    BESIDE_A_PUSH.check(Via::Queue);
}

#[test]
fn one_ring() {
    ONE_RING.check(Via::Handle);
    LOOK_AT_ONE_RING.check(Via::Handle);
}

/// A handle gives up a ring that is being retired, and takes another.
const HANDLES: Model = Model {
    name: "handles come and go",
    min: 1,
    before: &[1],
    popped: 0,
    threads: &[&[Pop, NewHandle, Push(2)], &[Push(3), Reclaim, NewHandle, Pop]],
};

#[test]
fn handles() {
    HANDLES.check(Via::Handle);
}

const LOOK: Model = Model {
    name: "looking at a queue that is never empty",
    min: 1,
    before: &[1, 2],
    popped: 0,
    threads: &[&[Pop, Push(3)], &[IsEmpty]],
};

#[test]
fn look() {
    LOOK.check(Via::Queue);
    LOOK.check(Via::Handle);
}

/// With a clock: what has ended is seen by what begins later.
#[test]
fn real_time() {
    TWO_PUSHES_ONE_POP.check_in_real_time(Via::Queue);
    CIRCULATE.check_in_real_time(Via::Handle);
    CLOSE_FIRST.check_in_real_time(Via::Queue);
    LOOK.check_in_real_time(Via::Queue);
}

#[test]
fn mutants() {
    LAGGING_TAIL.kills(&["appender-stalls", "free-at-once"], Via::Queue);
    LAGGING_TAIL.kills(&["appender-stalls", "retire-before-tail-moved"], Via::Queue);
}
