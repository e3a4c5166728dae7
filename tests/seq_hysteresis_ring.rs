//! When `HysteresisRing` resizes, and its limits.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, reason = "tests have std")]

use proptest::collection::vec;
use proptest::prelude::*;
use segring::Hysteresis;
use segring::seq::{CapacityError, HysteresisRing};

fn drain_to<T>(ring: &mut HysteresisRing<T>, depth: usize) {
    while ring.len() > depth {
        ring.pop();
    }
}

#[test]
fn shrinks_at_a_quarter_not_at_half() {
    let mut ring: HysteresisRing<_> = (0..16).collect();
    drain_to(&mut ring, 8);
    assert_eq!(ring.capacity(), 16);
    drain_to(&mut ring, 5);
    assert_eq!(ring.capacity(), 16);
    drain_to(&mut ring, 4);
    assert_eq!(ring.capacity(), 8);
}

#[test]
fn a_burst_to_2048_is_given_back_from_512_on() {
    let mut ring: HysteresisRing<_> = (0..1025).collect();
    assert_eq!(ring.capacity(), 2048);
    drain_to(&mut ring, 1024);
    assert_eq!(ring.capacity(), 2048);
    drain_to(&mut ring, 513);
    assert_eq!(ring.capacity(), 2048);
    drain_to(&mut ring, 512);
    assert_eq!(ring.capacity(), 1024);
}

#[test]
fn order_survives_wrap_growth_and_shrinking() {
    let mut ring = HysteresisRing::new();
    let (mut next_in, mut next_out) = (0, 0);
    for (pushes, pops) in [(13, 7), (9, 11), (40, 3), (0, 30), (20, 21), (300, 290), (5, 22)] {
        for _ in 0..pushes {
            ring.push(next_in);
            next_in += 1;
        }
        for _ in 0..pops {
            assert_eq!(ring.pop(), Some(next_out));
            next_out += 1;
        }
    }
    drain_to(&mut ring, 0);
    assert_eq!((ring.pop(), ring.capacity()), (None, 2));
}

#[test]
fn two_slots_are_the_least() {
    let mut ring = HysteresisRing::new();
    assert_eq!(ring.capacity(), 0);
    for n in 0..10 {
        ring.push(n);
        assert_eq!(ring.capacity(), 2);
        ring.pop();
        assert_eq!(ring.capacity(), 2);
    }
}

proptest! {
    /// The rule in the fewest words: double when a push finds it full, halve when a pop leaves a
    /// quarter or less.
    #[test]
    fn capacity_follows_the_rule(runs in vec((any::<bool>(), 1_usize..150), 0..60)) {
        let mut ring = HysteresisRing::new();
        let (mut depth, mut capacity) = (0, 0);
        for (push, count) in runs {
            for _ in 0..count {
                if push {
                    capacity = if depth == capacity { (2 * capacity).max(2) } else { capacity };
                    depth += 1;
                    ring.push(0);
                } else if ring.pop().is_some() {
                    depth -= 1;
                    capacity = if depth <= capacity / 4 { (capacity / 2).max(2) } else { capacity };
                }
                prop_assert_eq!((ring.len(), ring.capacity()), (depth, capacity));
            }
        }
    }

    /// No removal, however large, leaves a ring that is low, unless it is the smallest.
    #[test]
    fn no_removal_leaves_a_low_ring(steps in vec((0_usize..300, 0_usize..300, 0_u8..3), 1..20)) {
        let mut ring = HysteresisRing::new();
        for (pushes, left, how) in steps {
            ring.extend(0..pushes);
            let left = left.min(ring.len());
            let removed = ring.len() - left;
            match how {
                0 => ring.truncate(left),
                1 => drop(ring.drain(..removed)),
                _ => drain_to(&mut ring, left),
            }
            let capacity = ring.capacity();
            prop_assert!(removed == 0 || capacity == 2 || left > capacity / 4, "{left} of {capacity}");
        }
    }

    /// With patience: as many pops in a row as there are slots, and no push above a quarter in
    /// between. Then half, or four times the highest depth of that time if that is less.
    #[test]
    fn capacity_follows_the_patient_rule(
        laps in 1_u32..4, runs in vec((any::<bool>(), 1_usize..150, 0_usize..100), 0..40)
    ) {
        let policy = Hysteresis::new().with_slots(4, 1 << 14).unwrap().with_patience(laps);
        let mut ring = HysteresisRing::with(policy);
        let (mut depth, mut capacity, mut pops, mut peak) = (0_usize, 0, 0, 0_usize);
        for (push, count, swings) in runs {
            let run = std::iter::repeat_n(push, count);
            let swing = std::iter::repeat_n([true, false], swings).flatten();
            for push in run.chain(swing) {
                if push {
                    capacity = if depth == capacity { (2 * capacity).max(4) } else { capacity };
                    depth += 1;
                    ring.push(0);
                    peak = peak.max(depth);
                } else if ring.pop().is_some() {
                    depth -= 1;
                    pops += 1;
                    peak = peak.max(depth);
                }
                if depth > capacity / 4 {
                    (pops, peak) = (0, 0);
                } else if pops >= capacity * laps as usize && capacity > 4 {
                    capacity = (capacity / 2).min((4 * peak).next_power_of_two()).max(4);
                    // The depth that the next stretch begins with counts.
                    (pops, peak) = (0, depth);
                }
                prop_assert_eq!((ring.len(), ring.capacity()), (depth, capacity));
            }
        }
    }
}

#[test]
fn a_push_at_the_limit_returns_the_item() {
    let mut ring = HysteresisRing::new().with_limit(5);
    for n in 0..5 {
        assert!(ring.try_push(n).is_ok());
    }
    let error = ring.try_push(5).unwrap_err();
    assert_eq!(error.reason(), CapacityError::Limit { limit: 5 });
    assert_eq!(error.into_inner(), 5);
    assert!(ring.iter().eq(&[0, 1, 2, 3, 4]));
    assert_eq!(ring.pop(), Some(0));
    assert!(ring.try_push(6).is_ok());
    assert_eq!(ring.capacity(), 5);
}

#[test]
#[should_panic(expected = "beyond the capacity limit of 1")]
fn push_at_the_limit_panics() {
    let mut ring = HysteresisRing::new().with_limit(1);
    ring.push(1);
    ring.push(2);
}

#[test]
fn limits_below_the_least_capacity_hold_all_the_same() {
    let mut none = HysteresisRing::new().with_limit(0);
    assert_eq!(none.try_push(1).unwrap_err().into_inner(), 1);
    assert_eq!((none.pop(), none.capacity()), (None, 0));

    let mut one = HysteresisRing::new().with_limit(1);
    for n in 0..10 {
        assert!(one.try_push(n).is_ok());
        assert!(one.try_push(n).is_err());
        assert_eq!((one.capacity(), one.pop()), (1, Some(n)));
    }
}

#[test]
fn a_limit_may_come_late_or_be_lifted() {
    let mut ring = (0..10).collect::<HysteresisRing<_>>().with_limit(3);
    assert!(ring.try_push(10).is_err());
    assert_eq!(ring.len(), 10);
    drain_to(&mut ring, 2);
    assert!(ring.try_push(10).is_ok());
    assert!(ring.try_push(11).is_err());
    let mut ring = ring.with_limit(usize::MAX);
    ring.extend(0..100);
    assert_eq!(ring.len(), 103);
}

#[test]
fn a_policy_bounds_the_capacity() {
    let policy = Hysteresis::new().with_slots(8, 32).unwrap().with_patience(0);
    let mut ring = HysteresisRing::with(policy);
    ring.push(0);
    assert_eq!(ring.capacity(), 8);
    ring.extend(1..32);
    assert_eq!(ring.try_push(32).unwrap_err().reason(), CapacityError::Limit { limit: 32 });
    drain_to(&mut ring, 0);
    assert_eq!(ring.capacity(), 8);

    // In bytes: 100 bytes are room for 16 items of 4 bytes, but not for 32.
    let policy = Hysteresis::new().with_slots(1, 1024).unwrap().with_bytes(0, 100).unwrap();
    let mut ring = HysteresisRing::with(policy);
    ring.extend(0..16);
    assert!(ring.try_push(16).is_err());
}

#[test]
fn reserve_beyond_the_limit_is_refused() {
    let mut ring = (0..3).collect::<HysteresisRing<_>>().with_limit(100);
    assert_eq!(ring.try_reserve(98), Err(CapacityError::Limit { limit: 100 }));
    assert!(ring.try_reserve(usize::MAX).is_err());
    assert_eq!(ring.capacity(), 4);
    assert_eq!(ring.try_reserve(97), Ok(()));
    assert_eq!(ring.capacity(), 100);
}

#[test]
fn a_clone_keeps_policy_and_limit_but_not_the_slack() {
    let policy = Hysteresis::new().with_slots(8, 64).unwrap();
    let mut ring = HysteresisRing::with(policy).with_limit(50);
    ring.extend(0..50);
    ring.truncate(9);
    let mut clone = ring.clone();
    assert_eq!((&clone, clone.capacity()), (&ring, 16));
    clone.extend(9..50);
    assert!(clone.try_push(50).is_err());
}

#[test]
fn a_copy_of_a_ring_above_its_limit_is_whole() {
    let ring = (0..10).collect::<HysteresisRing<_>>().with_limit(5);
    let mut copy = ring.clone();
    assert_eq!(copy, ring);
    assert!(copy.try_push(10).is_err());
    drain_to(&mut copy, 4);
    assert!(copy.try_push(10).is_ok());
}
