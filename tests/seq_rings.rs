//! What every sequential ring does alike: order, conservation, panics. One body, all rings.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, reason = "tests have std")]

mod seq_support;

use std::cell::Cell;
use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem;
use std::rc::Rc;

use proptest::collection::vec;
use proptest::prelude::*;
use segring::seq::{HysteresisRing, InlineRing, Metered};
use seq_support::{Item, Ledger, panics};

#[derive(Clone, Debug)]
enum Op {
    Push(u32),
    Pop(usize),
    Extend(Vec<u32>),
    Drain { from: u32, to: u32, taken: u32 },
    Truncate(u32),
    Clear,
    Reserve(usize),
    ShrinkToFit,
    Increment,
    Clone,
    Take,
    IntoIter(usize),
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        8 => any::<u32>().prop_map(Op::Push),
        6 => (1_usize..12).prop_map(Op::Pop),
        4 => vec(any::<u32>(), 0..40).prop_map(Op::Extend),
        2 => any::<(u32, u32, u32)>().prop_map(|(from, to, taken)| Op::Drain { from, to, taken }),
        1 => any::<u32>().prop_map(Op::Truncate),
        1 => Just(Op::Clear),
        1 => (0_usize..100).prop_map(Op::Reserve),
        1 => Just(Op::ShrinkToFit),
        1 => Just(Op::Increment),
        1 => Just(Op::Clone),
        1 => Just(Op::Take),
        1 => (0_usize..50).prop_map(Op::IntoIter),
    ];
    vec(op, 0..120)
}

/// Any number as one from 0 to `max`.
fn scaled(n: u32, max: usize) -> usize {
    n as usize % (max + 1)
}

macro_rules! rings {
    ($($name:ident: $ring:ident $(, $n:literal)?;)*) => { $(
        mod $name {
            use super::*;

            type Ring<T> = $ring<T $(, $n)?>;

            fn filled(ledger: &Rc<Ledger>, from: u32, to: u32) -> Ring<Item> {
                // Half way round first, so that the items wrap.
                let mut ring: Ring<Item> = (from..to).map(|n| ledger.item(n)).collect();
                let half = (to - from) / 2;
                for n in to..to + half {
                    ring.pop();
                    ring.push(ledger.item(n));
                }
                ring
            }

            proptest! {
                #[test]
                fn behaves_as_a_deque(ops in ops()) {
                    let ledger = Ledger::new();
                    let mut ring = Ring::<Item>::new();
                    let mut model = VecDeque::<u32>::new();
                    for op in ops {
                        match op {
                            Op::Push(n) => {
                                ring.push(ledger.item(n));
                                model.push_back(n);
                            }
                            Op::Pop(count) => for _ in 0..count {
                                let popped = ring.pop().map(|item| item.value);
                                prop_assert_eq!(popped, model.pop_front());
                            },
                            Op::Extend(all) => {
                                ring.extend(all.iter().map(|&n| ledger.item(n)));
                                model.extend(all);
                            }
                            Op::Drain { from, to, taken } => {
                                let to = scaled(to, model.len());
                                let from = scaled(from, to);
                                let taken = scaled(taken, to - from);
                                let mut drain = ring.drain(from..to);
                                prop_assert_eq!(drain.len(), to - from);
                                let got: Vec<_> =
                                    drain.by_ref().take(taken).map(|item| item.value).collect();
                                drop(drain);
                                let all: Vec<_> = model.drain(from..to).collect();
                                prop_assert_eq!(got, &all[..taken]);
                            }
                            Op::Truncate(len) => {
                                let len = scaled(len, model.len());
                                ring.truncate(len);
                                model.truncate(len);
                            }
                            Op::Clear => {
                                ring.clear();
                                model.clear();
                            }
                            Op::Reserve(additional) => {
                                ring.try_reserve(additional).unwrap();
                                prop_assert!(ring.capacity() >= model.len() + additional);
                            }
                            Op::ShrinkToFit => {
                                ring.shrink_to_fit();
                                let again = ring.capacity();
                                prop_assert!(again <= (2 * model.len()).max(64));
                            }
                            Op::Increment => {
                                for item in &mut ring {
                                    item.value = item.value.wrapping_add(1);
                                }
                                for n in &mut model {
                                    *n = n.wrapping_add(1);
                                }
                            }
                            Op::Clone => {
                                let clone = ring.clone();
                                prop_assert_eq!(&clone, &ring);
                                ring = clone;
                            }
                            Op::Take => {
                                let taken = mem::take(&mut ring);
                                prop_assert!(ring.is_empty() && ring.pop().is_none());
                                ring.push(ledger.item(0));
                                ring = taken;
                            }
                            Op::IntoIter(count) => {
                                let mut items = ring.into_iter();
                                let back = items.next_back().map(|item| item.value);
                                prop_assert_eq!(back, model.pop_back());
                                for item in items.by_ref().take(count) {
                                    prop_assert_eq!(Some(item.value), model.pop_front());
                                }
                                ring = items.collect();
                            }
                        }
                        prop_assert_eq!(ring.len(), model.len());
                        prop_assert_eq!(ring.is_empty(), model.is_empty());
                        prop_assert!(ring.capacity() >= ring.len());
                        prop_assert!(ring.iter().map(|item| item.value).eq(model.iter().copied()));
                        let newest_first = ring.iter().rev().map(|item| item.value);
                        prop_assert!(newest_first.eq(model.iter().rev().copied()));
                        let (front, back) = (model.front().copied(), model.back().copied());
                        prop_assert_eq!(ring.front().map(|item| item.value), front);
                        prop_assert_eq!(ring.front_mut().map(|item| item.value), front);
                        prop_assert_eq!(ring.back().map(|item| item.value), back);
                        let (first, second) = ring.as_slices();
                        prop_assert_eq!(first.len() + second.len(), model.len());
                        prop_assert_eq!(ledger.alive(), model.len());
                    }
                    drop(ring);
                    ledger.assert_settled();
                }
            }

            #[test]
            fn items_are_aligned_wherever_they_live() {
                let ledger = Ledger::new();
                let mut ring = Ring::<Item>::new();
                for n in 0..70 {
                    ring.push(ledger.item(n));
                    for item in &ring {
                        assert!(std::ptr::from_ref(item).is_aligned());
                    }
                }
            }

            #[test]
            fn items_without_a_size_are_counted_and_dropped() {
                thread_local!(static DROPS: Cell<u32> = const { Cell::new(0) });
                struct Nothing;
                impl Drop for Nothing {
                    fn drop(&mut self) {
                        DROPS.set(DROPS.get() + 1);
                    }
                }
                let mut ring = Ring::<Nothing>::new();
                for _ in 0..100 {
                    ring.push(Nothing);
                }
                assert_eq!((ring.len(), ring.capacity()), (100, 128));
                for left in (40..100).rev() {
                    assert!(ring.pop().is_some());
                    assert_eq!(ring.len(), left);
                }
                assert_eq!(DROPS.get(), 60);
                drop(ring);
                assert_eq!(DROPS.get(), 100);
            }

            #[test]
            fn a_popped_item_is_the_callers_alone() {
                let mut ring: Ring<_> = (0..40).map(Rc::new).collect();
                for _ in 0..40 {
                    let item = ring.pop().unwrap();
                    assert_eq!(Rc::strong_count(&item), 1);
                    assert_eq!(Rc::weak_count(&item), 0);
                }
            }

            #[test]
            fn standard_traits() {
                let ring: Ring<u32> = [1, 2, 3].into_iter().collect();
                // Equal items in another place of another capacity.
                let mut other: Ring<u32> = (0..40).collect();
                other.truncate(4);
                other.pop();
                assert_eq!(ring, other);
                let hash = |ring: &Ring<u32>| {
                    let mut hasher = DefaultHasher::new();
                    ring.hash(&mut hasher);
                    hasher.finish()
                };
                assert_eq!(hash(&ring), hash(&other));
                other.push(4);
                assert_ne!(ring, other);
                assert_eq!(format!("{ring:?} {:?}", ring.iter()), "[1, 2, 3] [1, 2, 3]");
                assert!(Ring::<u32>::default().is_empty());
                let mut copied = Ring::<u32>::new();
                copied.extend(&[1, 2, 3]);
                assert_eq!(copied, ring);
                assert_eq!(copied.into_iter().rev().collect::<Vec<_>>(), [3, 2, 1]);
            }

            #[test]
            fn may_be_sent_and_shared_and_moved_over_an_unwind() {
                fn check<T: Send + Sync + std::panic::UnwindSafe + std::panic::RefUnwindSafe>() {}
                check::<Ring<String>>();
            }

            #[test]
            fn a_range_outside_of_the_ring_is_refused() {
                for (from, to) in [(0, 4), (2, 1), (4, 4), (usize::MAX, usize::MAX)] {
                    let mut ring: Ring<u32> = (0..3).collect();
                    assert!(panics(|| drop(ring.drain(from..to))), "{from}..{to}");
                    assert!(ring.iter().eq(&[0, 1, 2]));
                }
                let mut ring: Ring<u32> = (0..3).collect();
                assert!(panics(|| drop(ring.drain(..=usize::MAX))));
                assert_eq!(ring.drain(3..).len(), 0);
                assert!(ring.drain(1..=1).eq([1]));
            }

            #[test]
            fn a_leaked_drain_leaves_a_valid_ring() {
                let mut ring: Ring<u32> = (0..9).collect();
                let mut drain = ring.drain(2..7);
                drain.next();
                #[expect(clippy::mem_forget, reason = "the subject")]
                mem::forget(drain);
                let mut left: Vec<_> = ring.into_iter().collect();
                left.sort_unstable();
                assert_eq!(left, [0, 1, 3, 4, 5, 6, 7, 8]);
            }

            /// `act` meets a destructor that panics, the first, the second and so on to the last.
            /// Each item is dropped once all the same, in or after `act`.
            fn with_a_bad_drop(size: u32, act: impl Fn(&mut Ring<Item>)) {
                for bad in 0..size as usize {
                    let ledger = Ledger::new();
                    let mut ring = filled(&ledger, 0, size);
                    ledger.panic_in_drop(bad);
                    let before = ledger.drops();
                    let panicked = panics(|| act(&mut ring));
                    assert_eq!(panicked, ledger.drops() - before > bad, "drop {bad} of {size}");
                    // Still a queue.
                    ring.push(ledger.item(1));
                    assert_eq!(ring.iter().len(), ring.len());
                    while panics(|| while ring.pop().is_some() {}) {}
                    assert!(ring.is_empty());
                    drop(ring);
                    ledger.assert_settled();
                }
            }

            #[test]
            fn panicking_destructors() {
                for size in [1, 2, 5, 8, 17] {
                    with_a_bad_drop(size, Ring::clear);
                    with_a_bad_drop(size, |ring| ring.truncate(size as usize / 2));
                    with_a_bad_drop(size, |ring| drop(mem::take(ring)));
                    with_a_bad_drop(size, |ring| drop(ring.drain(..)));
                    with_a_bad_drop(size, |ring| drop(ring.drain(size as usize / 3..)));
                    with_a_bad_drop(size, |ring| drop(ring.drain(..size as usize / 2)));
                    with_a_bad_drop(size, |ring| ring.drain(..).take(2).for_each(drop));
                    with_a_bad_drop(size, |ring| drop(mem::take(ring).into_iter()));
                    with_a_bad_drop(size, |ring| {
                        mem::take(ring).into_iter().take(2).for_each(drop);
                    });
                    with_a_bad_drop(size, |ring| while ring.pop().is_some() {});
                }
            }

            #[test]
            fn a_panicking_destructor_leaves_the_rest_of_a_drained_ring_in_order() {
                let ledger = Ledger::new();
                let mut ring: Ring<_> = (0..9).map(|n| ledger.item(n)).collect();
                ledger.panic_in_drop(1);
                assert!(panics(|| drop(ring.drain(2..6))));
                assert!(ring.iter().map(|item| item.value).eq([0, 1, 6, 7, 8]));
            }

            #[test]
            fn panicking_clone() {
                for bad in 0..17 {
                    let ledger = Ledger::new();
                    let ring = filled(&ledger, 0, 17);
                    ledger.panic_in_clone(bad);
                    assert!(panics(|| drop(ring.clone())));
                    assert_eq!(ledger.alive(), 17, "the clones are gone, the ring is not");
                    drop(ring);
                    ledger.assert_settled();
                }
            }

            #[test]
            fn panicking_iterator_in_extend() {
                for bad in 0..17 {
                    let ledger = Ledger::new();
                    let mut ring = filled(&ledger, 0, 3);
                    let items = (0..17).map(|n| {
                        assert_ne!(n, bad, "the step that was to panic");
                        ledger.item(n)
                    });
                    assert!(panics(|| ring.extend(items)));
                    assert_eq!(ring.len(), 3 + bad as usize);
                    assert!(ring.iter().skip(3).map(|item| item.value).eq(0..bad));
                    drop(ring);
                    ledger.assert_settled();
                }
            }

            #[test]
            fn metered_counts_and_conserves() {
                let mut ring = Metered::new(Ring::<u32>::from_iter([0]));
                let (mut grows, mut shrinks) = (0, 0);
                let mut capacity = ring.ring().capacity();
                let mut count = |ring: &Metered<Ring<u32>>| {
                    let now = ring.ring().capacity();
                    grows += u64::from(now > capacity);
                    shrinks += u64::from(now < capacity);
                    capacity = now;
                    assert!(ring.is_conserved());
                };
                for n in 0..100 {
                    ring.push(n);
                    count(&ring);
                    assert_eq!(ring.stats().last_depth, u64::from(n) + 2);
                }
                while ring.pop().is_some() {
                    count(&ring);
                }
                for n in 0..200 {
                    assert!(ring.try_push(n).is_ok());
                    ring.pop();
                    count(&ring);
                }
                ring.push(1);
                ring.clear();
                count(&ring);
                let stats = *ring.stats();
                assert_eq!((stats.initial, stats.pushed, stats.popped), (1, 301, 301));
                assert_eq!((stats.cleared, stats.refused, stats.peak_depth), (1, 0, 101));
                assert_eq!((stats.grows, stats.shrinks), (grows, shrinks));
                assert!(grows >= 2 && shrinks >= 2, "{stats:?}");
                // Depth 1: 201 times. Depth 2: once. Depths 3 and 4: once each, and so on.
                assert_eq!(stats.depths[..8], [201, 1, 2, 4, 8, 16, 32, 37]);
                assert_eq!(ring.into_ring().len(), 0);
            }
        }
    )* };
}

rings! {
    hysteresis: HysteresisRing;
    inline_1: InlineRing, 1;
    inline_2: InlineRing, 2;
    inline_4: InlineRing, 4;
    inline_8: InlineRing, 8;
    inline_16: InlineRing, 16;
    inline_32: InlineRing, 32;
}
