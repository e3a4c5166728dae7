//! Larger models, for `make loom`.
#![cfg(segring_loom)]

use loom_tests::spec::Op::{Pop, Push};
use loom_tests::spec::{Model, Via};

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
