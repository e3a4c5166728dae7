//! The policy on its own: no ring, only numbers.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn policy(min: usize, max: usize, patience: u32) -> Policy {
    let slots = Hysteresis::new().with_slots(min, max).unwrap();
    slots.with_bytes(0, usize::MAX).unwrap().with_patience(patience).for_slot_bytes(1)
}

/// A resize of the simulated ring: after how many operations, and to which capacity.
#[derive(Debug)]
struct Resize {
    operation: usize,
    from: usize,
    to: usize,
}

/// A ring that is nothing but a depth, looked at after every operation: `true` pushes.
fn run(policy: Policy, operations: impl IntoIterator<Item = bool>) -> Vec<Resize> {
    let (mut depth, mut capacity) = (0, policy.min);
    let mut low = LowWater::default();
    let mut resizes = Vec::new();
    let mut note = |operation, from, to| resizes.push(Resize { operation, from, to });
    for (operation, push) in operations.into_iter().enumerate() {
        if push {
            if depth == capacity {
                let to = policy.grown(capacity);
                if to == capacity {
                    continue;
                }
                note(operation, capacity, to);
                (capacity, low) = (to, LowWater::default());
            }
            depth += 1;
            (low, _) = policy.observe(low, 0, depth, capacity, Dwell::default());
        } else if depth > 0 {
            depth -= 1;
            let (next, to) = policy.observe(low, 1, depth, capacity, Dwell::default());
            low = next;
            if let Some(to) = to {
                note(operation, capacity, to);
                capacity = to;
            }
        }
        assert!(depth <= capacity);
        assert!((policy.min..=policy.max).contains(&capacity) && capacity.is_power_of_two());
    }
    resizes
}

fn limits() -> impl Strategy<Value = (usize, usize)> {
    (0_u32..6, 0_u32..6).prop_map(|(min, more)| (1 << min, 1 << (min + more)))
}

/// Runs of pushes and pops, so that depths far from the start are reached.
fn operations() -> impl Strategy<Value = Vec<bool>> {
    vec((any::<bool>(), 1_usize..200), 0..60)
        .prop_map(|runs| runs.iter().flat_map(|&(push, n)| core::iter::repeat_n(push, n)).collect())
}

proptest! {
    #[test]
    fn resizes_are_a_quarter_of_a_ring_apart(
        (min, max) in limits(), patience in 0_u32..3, operations in operations()
    ) {
        let resizes = run(policy(min, max, patience), operations);
        for pair in resizes.windows(2) {
            let (first, second) = (&pair[0], &pair[1]);
            prop_assert_eq!(first.to, second.from);
            let apart = second.operation - first.operation;
            // A grown ring is half full; a shrunk one at most half.
            let least = if second.to > second.from { first.to / 2 } else { first.to / 4 };
            prop_assert!(apart >= least.max(1), "{pair:?}");
        }
    }

    #[test]
    fn n_operations_make_a_bounded_number_of_resizes(
        (min, max) in limits(), patience in 0_u32..3, operations in operations()
    ) {
        let n = operations.len();
        let resizes = run(policy(min, max, patience), operations);
        // No resize of a ring with at least `min` slots comes without a quarter of them.
        prop_assert!(resizes.len() <= 1 + n / (min / 4).max(1));
        // And all that is moved is paid for: at most four items an operation.
        let moved: usize = resizes.iter().map(|resize| resize.from.min(resize.to)).sum();
        prop_assert!(moved <= 4 * n + min, "{moved} of {n}");
    }

    #[test]
    fn inside_the_dead_band_nothing_happens(
        shift in 2_u32..12, steps in vec(any::<bool>(), 0..500)
    ) {
        // From the depth after a growth, all that stays above a quarter and below full.
        let policy = policy(1, 1 << 20, 0);
        let capacity = 1_usize << shift;
        let mut depth = capacity / 2;
        let mut low = LowWater::default();
        for up in steps {
            depth = if up { (depth + 1).min(capacity) } else { (depth - 1).max(capacity / 4 + 1) };
            let (next, to) = policy.observe(low, 1, depth, capacity, Dwell::default());
            prop_assert_eq!(to, None);
            low = next;
        }
    }

    #[test]
    fn a_removal_decides_as_a_look_after_every_operation(
        shift in 0_u32..6, patience in 1_u32..3, operations in operations()
    ) {
        // `observe_removal` sees pops only, and only those that leave little; `observe` sees all.
        let policy = policy(1, Hysteresis::MAX_SLOTS, patience);
        let capacity = 64_usize << shift;
        let (mut every, mut removals, mut depth) = (LowWater::default(), LowWater::default(), 0);
        for push in operations {
            if push && depth < capacity {
                depth += 1;
                let (low, _) = policy.observe(every, 0, depth, capacity, Dwell::default());
                every = low;
            } else if !push && depth > 0 {
                depth -= 1;
                let (low, to) = policy.observe(every, 1, depth, capacity, Dwell::default());
                every = low;
                if is_low(depth, capacity) {
                    let mark = quarter(capacity);
                    let (low, also) =
                        policy.observe_removal(mark, removals, depth + 1, depth, capacity);
                    removals = low;
                    // After a shrink the removal counts the depth it found, too: it may keep more.
                    prop_assert_eq!(to.is_some(), also.is_some());
                    prop_assert!(also >= to);
                } else {
                    prop_assert_eq!(to, None);
                }
            }
        }
    }

    #[test]
    fn shrinking_stays_in_bounds_and_keeps_room(
        (min, max) in limits(), patience in 0_u32..4, weight in 0_usize..5000,
        operations in 0..usize::MAX, depth in 0_usize..2000, shift in 0_u32..11,
        doublings in 0..=Dwell::MAX_DOUBLINGS
    ) {
        let policy = policy(min, max, patience);
        let capacity = (min << shift).min(max);
        let dwell = Dwell(doublings);
        let low = LowWater { operations, peak: depth / 2 };
        let (next, to) = policy.observe(low, weight, depth, capacity, dwell);
        if let Some(to) = to {
            prop_assert!(to < capacity && to >= policy.min && to.is_power_of_two());
            prop_assert!(is_low(depth, capacity) && depth <= to / 2);
            prop_assert_eq!(next, LowWater::default());
        }
    }

    #[test]
    fn limits_in_bytes_never_overflow(
        min in any::<usize>(), max in any::<usize>(), slot in any::<usize>(), near in 0_usize..3
    ) {
        for (min, max, slot) in [
            (min, max, slot),
            (min, usize::MAX - near, slot),
            (usize::MAX - near, usize::MAX, near),
            (near, usize::MAX, usize::MAX - near),
        ] {
            let Ok(limits) = Hysteresis::new().with_bytes(min.min(max), max) else {
                prop_assert_eq!(max, 0);
                continue;
            };
            let policy = limits.for_slot_bytes(slot);
            prop_assert!(policy.min.is_power_of_two() && policy.max.is_power_of_two());
            prop_assert!(policy.min <= policy.max && policy.max <= limits.max_slots());
            let bytes = policy.max.saturating_mul(slot.max(1));
            prop_assert!(bytes <= max || policy.max == 1);
            if policy.min < policy.max {
                prop_assert!(policy.min.saturating_mul(slot.max(1)) >= min.min(max));
            }
            let (_, to) = policy.observe(
                LowWater { operations: usize::MAX, peak: usize::MAX },
                usize::MAX,
                0,
                policy.max,
                Dwell(Dwell::MAX_DOUBLINGS),
            );
            prop_assert_eq!(to.is_some(), policy.min < policy.max);
            prop_assert!(policy.grown(usize::MAX) == policy.max);
            prop_assert!((policy.min..=policy.max).contains(&policy.fitting(usize::MAX)));
        }
    }
}

#[test]
fn a_backlog_at_the_border_resizes_once() {
    for border in [64, 1024] {
        let fill = core::iter::repeat_n(true, border);
        let swing = [true, false].into_iter().cycle().take(10_000);
        let resizes = run(policy(border, 1 << 20, 0), fill.chain(swing));
        assert_eq!(resizes.len(), 1, "{resizes:?}");
    }
}

#[test]
fn patience_counts_only_what_is_low_without_a_break() {
    let policy = policy(2, 64, 1);
    let mut low = LowWater::default();
    for n in 0..15 {
        assert_eq!(policy.observe(low, 1, 4, 16, Dwell::default()).1, None, "{n}");
        low = policy.observe(low, 1, 4, 16, Dwell::default()).0;
    }
    let (after_a_break, _) = policy.observe(low, 1, 5, 16, Dwell::default());
    assert_eq!(after_a_break, LowWater::default());
    assert_eq!(policy.observe(low, 1, 4, 16, Dwell::default()).1, Some(8));
    // Twice as long when it was wrong before.
    let twice = Dwell(1);
    assert_eq!(policy.observe(low, 1, 4, 16, twice).1, None);
    assert_eq!(policy.observe(low, 17, 4, 16, twice).1, Some(8));
}

#[test]
fn a_lasting_low_depth_shrinks_in_one_step() {
    let policy = policy(2, 1 << 20, 1);
    let low = LowWater { operations: 1 << 20, peak: 3 };
    assert_eq!(policy.observe(low, 1, 1, 1 << 20, Dwell::default()).1, Some(16));
}

#[test]
fn a_full_ring_doubles_and_a_ring_with_a_hole_does_not() {
    let policy = policy(2, 64, 0);
    assert_eq!((policy.grown(2), policy.grown(32), policy.grown(64)), (4, 64, 64));
    assert_eq!((policy.successor(16, 12), policy.successor(16, 11)), (32, 16));
    assert_eq!(
        (policy.successor(1, 1), policy.successor(2, 2), policy.successor(64, 64)),
        (2, 4, 64)
    );
}

#[test]
fn limits_are_checked() {
    use HysteresisError::{MinAboveMax, NotPowerOfTwo, TooManySlots, Zero};

    let policy = Hysteresis::new();
    let max = Hysteresis::MAX_SLOTS;
    assert_eq!(policy.with_slots(0, 8), Err(Zero));
    assert_eq!(policy.with_slots(8, 0), Err(Zero));
    assert_eq!(policy.with_slots(16, 8), Err(MinAboveMax { min: 16, max: 8 }));
    assert_eq!(policy.with_slots(3, 8), Err(NotPowerOfTwo { slots: 3 }));
    assert_eq!(policy.with_slots(4, 9), Err(NotPowerOfTwo { slots: 9 }));
    assert_eq!(policy.with_slots(1, max * 2), Err(TooManySlots { slots: max * 2, limit: max }));
    assert_eq!(policy.with_bytes(0, 0), Err(Zero));
    assert_eq!(policy.with_bytes(9, 8), Err(MinAboveMax { min: 9, max: 8 }));
    let set = policy.with_slots(1, max).unwrap().with_bytes(3, 5).unwrap().with_patience(7);
    assert_eq!((set.min_slots(), set.max_slots()), (1, max));
    assert_eq!((set.min_bytes(), set.max_bytes(), set.patience()), (3, 5, 7));
}

#[test]
fn limits_in_bytes_become_slots() {
    let limits = Hysteresis::new().with_slots(2, 1024).unwrap().with_bytes(100, 4096).unwrap();
    let policy = limits.for_slot_bytes(8);
    // 13 slots would do, so 16; 512 slots are the most.
    assert_eq!((policy.min, policy.max), (16, 512));
    // 16 slots of 8 bytes would fall two bytes short of 130.
    let limits = Hysteresis::new().with_slots(2, 1024).unwrap().with_bytes(130, 4096).unwrap();
    assert_eq!(limits.for_slot_bytes(8).min, 32);
    // One slot, when even that is too large.
    let policy = limits.for_slot_bytes(5000);
    assert_eq!((policy.min, policy.max), (1, 1));
}

#[test]
fn dwell_doubles_after_a_mistake_and_forgets_when_calm() {
    let mut dwell = Dwell::default();
    let mut laps = Vec::new();
    for _ in 0..10 {
        laps.push(dwell.laps());
        dwell = dwell.next(8, true, true);
    }
    assert_eq!(laps, [1, 2, 4, 8, 16, 32, 64, 128, 256, 256]);
    // Neither a late growth, nor a growth after a growth, nor another shrink is a mistake.
    assert_eq!(dwell.next(9, true, true), dwell);
    assert_eq!(dwell.next(8, false, true), dwell);
    assert_eq!(dwell.next(8, true, false), dwell);
    assert_eq!(dwell.next(63, false, false), dwell);
    assert_eq!(dwell.next(64, false, false).laps(), 128);
    assert_eq!(Dwell::default().next(64, false, false), Dwell::default());
}

#[test]
fn shrinking_on_request_is_not_for_a_ring_in_use() {
    let policy = policy(2, 64, 1);
    assert_eq!((policy.shrunk_to_fit(32, 8), policy.shrunk_to_fit(32, 9)), (16, 32));
    assert_eq!((policy.shrunk_to_fit(32, 1), policy.shrunk_to_fit(2, 0)), (4, 2));
}
