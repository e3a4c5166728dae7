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

/// How the threads use the ring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct How {
    /// A producer's items go in as one batch.
    push_batch: bool,
    /// A consumer's items come out as one batch.
    pop_batch: bool,
    /// The consumer knows that it is the only one.
    sole: bool,
    /// Items `1, 2, ...` that are pushed before the threads start, and how many are popped again.
    before: (u8, u8),
}

const PLAIN: How = How { push_batch: false, pop_batch: false, sole: false, before: (0, 0) };

impl How {
    fn push(self, ring: &Ring<u8>, items: &[u8]) -> Vec<Result<(), Refusal>> {
        if self.push_batch {
            let (count, refused) = ring.push_batch(items);
            return std::iter::repeat_n(Ok(()), count).chain(refused.map(Err)).collect();
        }
        let push = |&item: &u8| {
            ring.push(item).map_err(|(back, why)| {
                assert_eq!(back, item, "the item itself comes back");
                why
            })
        };
        items.iter().map(push).collect()
    }

    fn pop(self, ring: &Ring<u8>, count: usize) -> Vec<Found<u8>> {
        if self.pop_batch {
            return ring.pop_batch(count).into_iter().map(Found::Item).collect();
        }
        let pop = || {
            if self.sole {
                // SAFETY: models with one consumer ask for it.
                unsafe { ring.pop_sole() }
            } else {
                ring.pop()
            }
        };
        std::iter::repeat_with(pop).take(count).collect()
    }
}

/// What is there in an ordinary model is left out: `, batches pushed, by the only consumer`.
impl fmt::Display for How {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.push_batch {
            f.write_str(", batches pushed")?;
        }
        if self.pop_batch {
            f.write_str(", batches popped")?;
        }
        if self.sole {
            f.write_str(", by the only consumer")?;
        }
        match self.before {
            (0, 0) => Ok(()),
            (pushed, popped) => write!(f, ", after {pushed} pushes and {popped} pops"),
        }
    }
}

impl Model {
    fn name(self, how: How) -> String {
        let Self { slots, pushes, pops, closes } = self;
        let closes = if closes { ", closed" } else { "" };
        format!("ring of {slots}, pushes {pushes:?}, pops {pops:?}{closes}{how}")
    }

    fn run(self, how: How) -> Outcome {
        let ring = Arc::new(Ring::new(self.slots));
        let before: Vec<u8> = (1..=how.before.0).collect();
        assert!(before.iter().all(|&item| ring.push(item).is_ok()));
        let (popped, before) = before.split_at(how.before.1.into());
        assert!(popped.iter().all(|&item| ring.pop() == Found::Item(item)));
        let producers: Vec<_> = (1_u8..)
            .zip(self.pushes)
            .map(|(p, &n)| {
                let ring = Arc::clone(&ring);
                let items: Vec<u8> = (1..=n).map(|i| 10 * p + i).collect();
                loom::thread::spawn(move || how.push(&ring, &items))
            })
            .collect();
        let consumers: Vec<_> = self
            .pops
            .iter()
            .map(|&n| {
                let ring = Arc::clone(&ring);
                loom::thread::spawn(move || how.pop(&ring, n))
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
        conserves(before, &pushed, &popped, &left);
        Outcome { pushed, popped, left }
    }

    fn explore(self) {
        self.explore_as(PLAIN);
    }

    fn explore_as(self, how: How) {
        check(&self.name(how), None, move || self.run(how));
    }
}

/// Every item that was pushed came out once, in its producer's order for each consumer.
fn conserves(
    before: &[u8],
    pushed: &[Vec<Result<(), Refusal>>],
    popped: &[Vec<Found<u8>>],
    left: &[u8],
) {
    let pushed = (1_u8..).zip(pushed).flat_map(|(p, results)| {
        (1_u8..).zip(results).filter(|(_, r)| r.is_ok()).map(move |(i, _)| 10 * p + i)
    });
    let inside: BTreeSet<u8> = before.iter().copied().chain(pushed).collect();
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
        for p in 0..=3 {
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

const SOLE: How = How { sole: true, ..PLAIN };

/// The only consumer: giving up, laps, closing.
#[test]
fn sole() {
    Model { slots: 1, pushes: &[2], pops: &[2], closes: false }.explore_as(SOLE);
    Model { slots: 2, pushes: &[3], pops: &[2], closes: false }.explore_as(SOLE);
    Model { slots: 1, pushes: &[1, 1], pops: &[1], closes: false }.explore_as(SOLE);
    Model { slots: 2, pushes: &[1, 1], pops: &[2], closes: false }.explore_as(SOLE);
    Model { slots: 1, pushes: &[1], pops: &[2], closes: true }.explore_as(SOLE);
    Model { slots: 2, pushes: &[2], pops: &[1], closes: true }.explore_as(SOLE);
}

const BATCH: How = How { push_batch: true, ..PLAIN };

/// A ring of eight is the smallest that gives two tickets at once.
const ONE_BATCH: Model = Model { slots: 8, pushes: &[2], pops: &[2], closes: false };

/// Batches against consumers that give up, in the middle of a lap and across its end; into a ring
/// with room for one item; into a ring that is closed.
#[test]
fn batches() {
    ONE_BATCH.explore_as(BATCH);
    ONE_BATCH.explore_as(How { sole: true, ..BATCH });
    ONE_BATCH.explore_as(How { before: (7, 7), ..BATCH });
    ONE_BATCH.explore_as(How { before: (7, 0), ..BATCH });
    Model { pops: &[1, 1], ..ONE_BATCH }.explore_as(BATCH);
    Model { pops: &[1], closes: true, ..ONE_BATCH }.explore_as(BATCH);
}

/// Batches that are claimed at once.
#[test]
fn batches_popped() {
    let popped = How { pop_batch: true, ..PLAIN };
    Model { slots: 2, pushes: &[2], pops: &[2], closes: false }.explore_as(popped);
    Model { slots: 2, pushes: &[1, 1], pops: &[2], closes: false }.explore_as(popped);
    Model { slots: 2, pushes: &[1], pops: &[2, 2], closes: false }
        .explore_as(How { before: (1, 0), ..popped });
    Model { slots: 2, pushes: &[2], pops: &[2], closes: true }.explore_as(popped);
    ONE_BATCH.explore_as(How { push_batch: true, ..popped });
}

#[test]
fn mutants() {
    let model = Model { slots: 1, pushes: &[1], pops: &[1], closes: false };
    for mutant in [
        &["off:SLOT-5@publish"],
        &["off:SLOT-6@wait_or_give_up"],
        &["relaxed:SLOT-2@publish"],
        &["give-up-unmarked"],
    ] {
        kills(mutant, &model.name(PLAIN), move || model.run(PLAIN));
    }
    kills(&["batch-goes-on"], &ONE_BATCH.name(BATCH), move || ONE_BATCH.run(BATCH));
}
