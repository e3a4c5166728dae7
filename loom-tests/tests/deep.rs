//! Larger models, for `make loom`.
#![cfg(segring_loom)]

use loom_tests::bounded;
use loom_tests::bounded::Op as Bounded;
use loom_tests::spec::Op::{Pop, Push};
use loom_tests::spec::{Model, SHRINK, Via};

/// One thread links a ring, a second one leaves its predecessor, and a third one knows the new ring
/// from `head_seg` alone.
const THREE_COME_THROUGH: Model = Model {
    name: "three come through",
    min: 1,
    before: &[1],
    popped: 1,
    threads: &[&[Push(2), Push(3)], &[Pop, Pop], &[Pop]],
};

#[test]
fn three_come_through() {
    THREE_COME_THROUGH.check(Via::Queue);
}

/// In `queue.rs` without handles.
#[test]
fn shrink() {
    SHRINK.check(Via::Handle);
}

const FORCE_TWICE_AND_POP: bounded::Model = bounded::Model {
    name: "two forced pushes and a pop",
    capacity: 1,
    before: &[1],
    threads: &[&[Bounded::Force(2)], &[Bounded::Force(3)], &[Bounded::Pop]],
};

/// The push that is passed by needs another ring and finds none.
const CLOSE_PASSED_BY: bounded::Model = bounded::Model {
    name: "closing against a push that is passed by",
    capacity: 1,
    before: &[],
    threads: &[&[Bounded::Push(1)], &[Bounded::Close], &[Bounded::Pop, Bounded::Pop]],
};

#[test]
fn bounded_queue() {
    FORCE_TWICE_AND_POP.check(bounded::Via::Queue);
    CLOSE_PASSED_BY.check(bounded::Via::Queue);
}
