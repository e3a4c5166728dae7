//! When `InlineRing` leaves its slots inside and comes back, and how large it is.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, reason = "tests have std")]

use std::mem;

use proptest::collection::vec;
use proptest::prelude::*;
use segring::Hysteresis;
use segring::seq::{CapacityError, InlineRing};

/// A receive descriptor: address and length.
type Descriptor = [u64; 2];

#[repr(align(128))]
struct Wide(#[expect(dead_code, reason = "only its layout counts")] u8);

#[test]
#[cfg(target_arch = "x86_64")]
fn sizes_are_what_the_drawing_says() {
    // Sixteen bytes of storage and four counters of four.
    assert_eq!(size_of::<InlineRing<Descriptor, 1>>(), 32);
    assert_eq!(size_of::<InlineRing<Descriptor, 4>>(), 80);
    // A pointer needs eight, even where the slots need less.
    assert_eq!(size_of::<InlineRing<u8, 1>>(), 24);
    assert_eq!(size_of::<InlineRing<u8, 16>>(), 32);
    assert_eq!(size_of::<InlineRing<(), 1>>(), 24);
    assert_eq!(size_of::<InlineRing<Wide, 1>>(), 256);
    assert_eq!(align_of::<InlineRing<Wide, 1>>(), 128);
}

#[test]
fn the_first_array_has_eight_slots_or_twice_as_many_as_inside() {
    fn first<const N: usize>() -> usize {
        let mut ring: InlineRing<usize, N> = (0..N).collect();
        assert!(ring.is_inline() && ring.capacity() == N);
        ring.push(N);
        assert!(!ring.is_inline() && ring.into_iter().eq(0..=N));
        let mut ring: InlineRing<usize, N> = (0..=N).collect();
        ring.shrink_to_fit();
        ring.capacity()
    }
    let all =
        [first::<1>(), first::<2>(), first::<4>(), first::<8>(), first::<16>(), first::<32>()];
    assert_eq!(all, [8, 8, 8, 16, 32, 64]);
}

#[test]
fn eight_low_pops_lead_back_inside() {
    let mut ring = InlineRing::<_, 1>::from_iter([0, 1]);
    // Finds 2 and leaves 1: the first low pop.
    ring.pop();
    for low in 1..8 {
        assert!(!ring.is_inline(), "{low}");
        assert!(ring.pop().is_some());
        ring.push(low);
    }
    assert!(ring.is_inline());
    assert_eq!((ring.pop(), ring.pop()), (Some(7), None));
}

#[test]
fn a_push_above_the_mark_starts_the_count_anew() {
    let mut ring = InlineRing::<_, 1>::from_iter([0, 1]);
    ring.pop();
    for _ in 1..7 {
        ring.pop();
        ring.push(2);
    }
    // Seven low pops; the eighth would do.
    ring.push(3);
    ring.pop();
    for low in 1..8 {
        assert!(!ring.is_inline(), "{low}");
        ring.pop();
        ring.push(4);
    }
    assert!(ring.is_inline());
}

#[test]
fn a_swing_by_one_between_inside_and_array_resizes_once() {
    let mut ring = InlineRing::<_, 1>::from_iter([0]);
    for n in 0..1000 {
        ring.push(n);
        ring.pop();
        assert_eq!(ring.capacity(), 8);
    }
}

#[test]
fn clear_resizes_neither_before_nor_at_once() {
    let mut ring: InlineRing<_, 1> = (0..32).collect();
    ring.clear();
    assert_eq!((ring.len(), ring.capacity()), (0, 32));
    ring.clear();
    assert_eq!(ring.capacity(), 32);
}

#[test]
fn a_wrapped_ring_moves_inside_and_on_the_heap() {
    for extra in [0, 1] {
        let mut ring: InlineRing<_, 4> = (0..4 + extra).collect();
        for n in 0..3 {
            ring.pop();
            ring.push(10 + n);
        }
        assert_eq!(ring.is_inline(), extra == 0);
        let mut moved = Box::new(mem::take(&mut ring));
        // The old one is empty, inside, and usable at once.
        assert!(ring.is_inline() && ring.is_empty() && ring.pop().is_none());
        ring.push(7);
        assert_eq!(ring.pop(), Some(7));
        let back = mem::replace(&mut *moved, InlineRing::new());
        let expected: Vec<_> = (3..4 + extra).chain(10..13).collect();
        assert!(back.iter().eq(&expected));
        assert_eq!(back.into_iter().collect::<Vec<_>>(), expected);
    }
}

/// The rule in the fewest words, for `N` slots inside.
struct Model<const N: usize> {
    depth: usize,
    capacity: usize,
    low_pops: usize,
}

impl<const N: usize> Model<N> {
    const FIRST: usize = if N < 4 { 8 } else { 2 * N };

    fn new() -> Self {
        Self { depth: 0, capacity: N, low_pops: 0 }
    }

    fn is_low(&self) -> bool {
        self.depth <= if self.capacity == Self::FIRST { N } else { self.capacity / 4 }
    }

    fn push(&mut self) {
        if self.depth == self.capacity {
            self.capacity = (2 * self.capacity).max(Self::FIRST);
            self.low_pops = 0;
        }
        self.depth += 1;
        if !self.is_low() {
            self.low_pops = 0;
        }
    }

    fn pop(&mut self) {
        self.depth -= 1;
        self.low_pops = if self.is_low() { self.low_pops + 1 } else { 0 };
        if self.capacity > N && self.low_pops == self.capacity {
            self.capacity = if self.capacity == Self::FIRST { N } else { self.capacity / 2 };
            self.low_pops = 0;
        }
    }
}

fn follows_the_rule<const N: usize>(runs: &[(bool, usize, usize)]) -> Result<(), TestCaseError> {
    let mut ring = InlineRing::<u32, N>::new();
    let mut model = Model::<N>::new();
    for &(push, count, swings) in runs {
        let run = std::iter::repeat_n(push, count);
        let swing = std::iter::repeat_n([true, false], swings).flatten();
        for push in run.chain(swing) {
            if push {
                ring.push(0);
                model.push();
            } else if ring.pop().is_some() {
                model.pop();
            }
            prop_assert_eq!((ring.len(), ring.capacity()), (model.depth, model.capacity));
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn capacity_follows_the_rule(
        runs in vec((any::<bool>(), 0_usize..70, 0_usize..100), 0..40)
    ) {
        follows_the_rule::<1>(&runs)?;
        follows_the_rule::<2>(&runs)?;
        follows_the_rule::<4>(&runs)?;
        follows_the_rule::<8>(&runs)?;
        follows_the_rule::<16>(&runs)?;
        follows_the_rule::<32>(&runs)?;
    }
}

#[test]
fn a_larger_array_halves_step_by_step() {
    let mut ring: InlineRing<_, 1> = (0..64).collect();
    let mut trace = vec![(0, ring.capacity())];
    ring.clear();
    for pops in 1.. {
        ring.push(0);
        ring.pop();
        if ring.capacity() != trace[trace.len() - 1].1 {
            trace.push((pops, ring.capacity()));
        }
        if ring.is_inline() {
            break;
        }
    }
    // `clear` was the first removal; then a capacity's worth each.
    assert_eq!(trace, [(0, 64), (63, 32), (95, 16), (111, 8), (119, 1)]);
}

#[test]
fn reserve_beyond_the_largest_is_refused() {
    let mut ring = InlineRing::<u64, 2>::from_iter([1, 2]);
    let Err(CapacityError::Limit { limit }) = ring.try_reserve(usize::MAX) else {
        panic!("it should not fit");
    };
    assert!(ring.try_reserve(limit - 1).is_err());
    assert!(ring.is_inline() && ring.iter().eq(&[1, 2]));
}

#[test]
fn items_without_a_size_meet_the_largest_capacity() {
    let mut ring = InlineRing::<(), 1>::new();
    let limit = Hysteresis::MAX_SLOTS;
    assert!(ring.try_reserve(limit).is_ok());
    assert_eq!(ring.capacity(), limit);
    assert_eq!(ring.try_reserve(limit + 1), Err(CapacityError::Limit { limit }));
}
