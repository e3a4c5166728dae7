//! The definition of linearizability itself, by exhaustive search: the oracle for the checker.

use core::ops::Range;
use std::collections::HashSet;

use super::{Kind, Operation, Value, Violation, check};

/// Whether some order of the operations that respects real time is one a queue could have had.
fn linearizable(operations: &[Operation]) -> bool {
    Search { operations, visited: HashSet::new() }.run(0, Contents::default())
}

/// What is in the queue: item numbers, a nibble each, the oldest lowest. Zero is no item.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
struct Contents(u64);

impl Contents {
    fn push(self, value: Value) -> Self {
        let length = (u64::BITS - self.0.leading_zeros()).div_ceil(4);
        Self(self.0 | (value.number() + 1) << (4 * length))
    }

    fn pop(self) -> (Option<Value>, Self) {
        let oldest = (self.0 & 0xf).checked_sub(1).map(|number| Value::new(0, number));
        (oldest, Self(self.0 >> 4))
    }
}

/// Depth first over the sets of operations that have taken effect, each state visited once.
struct Search<'a> {
    operations: &'a [Operation],
    visited: HashSet<(u32, Contents)>,
}

impl Search<'_> {
    fn run(&mut self, done: u32, contents: Contents) -> bool {
        let rest = |index: &usize| done >> index & 1 == 0;
        let count = self.operations.len();
        let Some(deadline) = (0..count).filter(rest).map(|i| self.operations[i].response).min()
        else {
            return true;
        };
        if !self.visited.insert((done, contents)) {
            return false;
        }
        (0..count).filter(rest).any(|index| {
            let Operation { kind, value, call, .. } = self.operations[index];
            let (popped, after_pop) = contents.pop();
            let after = match kind {
                Kind::Push => contents.push(value),
                Kind::Pop if popped == Some(value) => after_pop,
                Kind::Empty if popped.is_none() => contents,
                _ => return false,
            };
            call <= deadline && self.run(done | 1 << index, after)
        })
    }
}

/// At most five values and three empty pops, with calls and lengths drawn from small ranges, so
/// that operations overlap, touch and precede each other about equally often.
fn random_history(rng: &mut fastrand::Rng) -> Vec<Operation> {
    let longest = [2, 5, 12, 24][rng.usize(..4)];
    let interval = |rng: &mut fastrand::Rng, calls: Range<u64>| {
        let call = rng.u64(calls);
        (call, call + rng.u64(0..=longest))
    };
    let mut history = Vec::new();
    for number in 0..rng.u64(1..=5) {
        let value = Value::new(0, number);
        let (call, response) = interval(rng, 0..24);
        history.push(Operation::push(0, value, call, response));
        if rng.u8(..8) > 0 {
            let (call, response) = interval(rng, call.saturating_sub(1)..call + 10);
            history.push(Operation::pop(0, Some(value), call, response));
        }
    }
    for _ in 0..rng.u8(0..=3) {
        let (call, response) = interval(rng, 0..32);
        history.push(Operation::pop(0, None, call, response));
    }
    history
}

/// Pulls stamps of the same tick apart at random, calls and responses alike.
fn without_ties(history: &mut [Operation], rng: &mut fastrand::Rng) {
    let mut jitter: Vec<u64> = (0..2 * history.len() as u64).collect();
    rng.shuffle(&mut jitter);
    for (operation, jitter) in history.iter_mut().zip(jitter.chunks_exact(2)) {
        let (a, b) = (operation.call * 64 + jitter[0], operation.response * 64 + jitter[1]);
        (operation.call, operation.response) = (a.min(b), a.max(b));
    }
}

#[test]
fn agrees_with_exhaustive_search() {
    const HISTORIES: usize = 100_000;

    let mut rng = fastrand::Rng::with_seed(0x05e6_1e55);
    let (mut good, mut fresh, mut order, mut empty) = (0, 0, 0, 0);
    for round in 0..HISTORIES {
        let mut history = random_history(&mut rng);
        if round % 2 == 0 {
            without_ties(&mut history, &mut rng);
        }
        let verdict = check(history.iter().copied());
        assert_eq!(verdict.is_ok(), linearizable(&history), "{verdict:?}: {history:#?}");
        match verdict.map_err(|violation| *violation) {
            Ok(_) => good += 1,
            Err(Violation::Stale(_)) => fresh += 1,
            Err(Violation::Order { .. }) => order += 1,
            Err(Violation::Empty { .. }) => empty += 1,
            Err(other) => panic!("{other} in a history of unique values"),
        }
    }
    // Agreement on one verdict only, or on one kind of violation only, would show little.
    for (kind, count) in [("good", good), ("fresh", fresh), ("order", order), ("empty", empty)] {
        let floor = if kind == "good" { HISTORIES / 4 } else { HISTORIES / 40 };
        assert!(count >= floor, "{count} of {HISTORIES} histories were {kind}");
    }
}

/// A witness must be a violation on its own, or it explains nothing.
#[test]
fn witnesses_convict_by_themselves() {
    let mut rng = fastrand::Rng::with_seed(0x0771_7e55);
    let mut convicted = 0;
    for _ in 0..4_000 {
        if let Err(violation) = check(random_history(&mut rng)) {
            let witness = violation.operations();
            assert!(!linearizable(&witness), "no witness: {violation}");
            convicted += 1;
        }
    }
    assert!(convicted > 1_000, "only {convicted} histories were not linearizable");
}
