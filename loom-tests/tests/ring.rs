//! Tier A: one ring, without list and reclamation.
#![cfg(segring_loom)]

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use loom_tests::{check, kills};
use segring::model::{Found, Refusal, Ring};

/// What each producer and each consumer got, and what was left inside.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Outcome {
    pushed: Vec<Vec<Result<(), Refusal>>>,
    popped: Vec<Vec<Found<u8>>>,
    left: Vec<u8>,
}

/// For each producer `+` or why not (`c`losed, `o`ccupied, `r`etracted), for each consumer the
/// item, `.` for empty or `!` for drained, and what was left: `++ | 11 . | 12`.
impl fmt::Debug for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pushed = self.pushed.iter().map(|producer| {
            let signs = producer.iter().map(|result| match result {
                Ok(()) => '+',
                Err(Refusal::Closed) => 'c',
                Err(Refusal::Occupied) => 'o',
                Err(Refusal::Retracted) => 'r',
            });
            signs.collect::<String>()
        });
        let popped = self.popped.iter().map(|consumer| {
            let found = consumer.iter().map(|found| match found {
                Found::Item(item) => item.to_string(),
                Found::Empty => ".".to_owned(),
                Found::Drained => "!".to_owned(),
            });
            found.collect::<Vec<_>>().join(" ")
        });
        let (pushed, popped): (Vec<_>, Vec<_>) = (pushed.collect(), popped.collect());
        write!(f, "{} | {} | {:?}", pushed.join(", "), popped.join(", "), self.left)
    }
}

/// Producer `p` pushes `10 p + 1, 10 p + 2, ...`, consumer `c` pops so many times, and one more
/// thread closes the ring if asked to.
#[derive(Clone, Copy, Debug)]
struct Model {
    slots: usize,
    pushes: &'static [u8],
    pops: &'static [usize],
    closes: bool,
}

impl Model {
    fn name(self) -> String {
        let Self { slots, pushes, pops, closes } = self;
        let closes = if closes { ", closed" } else { "" };
        format!("ring of {slots}, pushes {pushes:?}, pops {pops:?}{closes}")
    }

    fn run(self) -> Outcome {
        let ring = Arc::new(Ring::new(self.slots));
        let producers: Vec<_> = (1_u8..)
            .zip(self.pushes)
            .map(|(p, &n)| {
                let ring = Arc::clone(&ring);
                loom::thread::spawn(move || {
                    (1..=n)
                        .map(|i| {
                            let item = 10 * p + i;
                            ring.push(item).map_err(|(back, why)| {
                                assert_eq!(back, item, "the item itself comes back");
                                why
                            })
                        })
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        let consumers: Vec<_> = self
            .pops
            .iter()
            .map(|&n| {
                let ring = Arc::clone(&ring);
                loom::thread::spawn(move || (0..n).map(|_| ring.pop()).collect::<Vec<_>>())
            })
            .collect();
        let closer = self.closes.then(|| {
            let ring = Arc::clone(&ring);
            loom::thread::spawn(move || assert!(ring.close(), "nobody else closes"))
        });
        let pushed: Vec<_> = producers.into_iter().map(|t| t.join().expect("no panic")).collect();
        let popped: Vec<_> = consumers.into_iter().map(|t| t.join().expect("no panic")).collect();
        if let Some(closer) = closer {
            closer.join().expect("no panic");
        }
        let len = ring.len();
        let left = drain(&ring);
        assert_eq!(len, left.len(), "len is exact at rest");
        conserves(&pushed, &popped, &left);
        Outcome { pushed, popped, left }
    }

    fn explore(self) {
        check(&self.name(), None, move || self.run());
    }
}

/// Every item that was pushed came out once, in its producer's order for each consumer.
fn conserves(pushed: &[Vec<Result<(), Refusal>>], popped: &[Vec<Found<u8>>], left: &[u8]) {
    let inside: BTreeSet<u8> = (1_u8..)
        .zip(pushed)
        .flat_map(|(p, results)| {
            (1_u8..).zip(results).filter(|(_, r)| r.is_ok()).map(move |(i, _)| 10 * p + i)
        })
        .collect();
    let outs: Vec<Vec<u8>> = popped
        .iter()
        .map(|found| found.iter().copied().filter_map(item).collect())
        .chain([left.to_vec()])
        .collect();
    let all: Vec<u8> = outs.iter().flatten().copied().collect();
    let once: BTreeSet<u8> = all.iter().copied().collect();
    assert_eq!(all.len(), once.len(), "an item came out twice: {all:?}");
    assert_eq!(once, inside, "lost or made up");
    for out in &outs {
        for p in 1..=3 {
            assert!(out.iter().filter(|&&item| item / 10 == p).is_sorted(), "order: {out:?}");
        }
    }
}

fn item(found: Found<u8>) -> Option<u8> {
    match found {
        Found::Item(item) => Some(item),
        Found::Empty | Found::Drained => None,
    }
}

fn drain(ring: &Ring<u8>) -> Vec<u8> {
    core::iter::from_fn(|| item(ring.pop())).collect()
}

#[test]
fn p1_c1() {
    Model { slots: 1, pushes: &[2], pops: &[2], closes: false }.explore();
    Model { slots: 2, pushes: &[3], pops: &[2], closes: false }.explore();
}

#[test]
fn p2_c1() {
    Model { slots: 1, pushes: &[1, 1], pops: &[2], closes: false }.explore();
    Model { slots: 2, pushes: &[1, 1], pops: &[2], closes: false }.explore();
}

#[test]
fn p1_c2() {
    Model { slots: 1, pushes: &[2], pops: &[1, 1], closes: false }.explore();
    Model { slots: 2, pushes: &[2], pops: &[1, 1], closes: false }.explore();
}

#[test]
fn p2_c2() {
    Model { slots: 1, pushes: &[1, 1], pops: &[1, 1], closes: false }.explore();
    Model { slots: 2, pushes: &[1, 1], pops: &[1, 1], closes: false }.explore();
}

#[test]
fn closing() {
    Model { slots: 1, pushes: &[2], pops: &[2], closes: true }.explore();
    Model { slots: 2, pushes: &[1, 1], pops: &[1], closes: true }.explore();
}

#[test]
fn mutants() {
    let model = Model { slots: 1, pushes: &[1], pops: &[1], closes: false };
    for mutant in [
        &["light-barrier-off"],
        &["heavy-barrier-off"],
        &["publish-relaxed"],
        &["give-up-unmarked"],
    ] {
        kills(mutant, &model.name(), move || model.run());
    }
}
