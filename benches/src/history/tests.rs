//! Each condition by hand, at the border between concurrent and preceding.

use super::{Operation, Passage, Value, Violation, check};

fn value(number: u64) -> Value {
    Value::new(0, number)
}

fn push(number: u64, call: u64, response: u64) -> Operation {
    Operation::push(1, value(number), call, response)
}

fn pop(number: u64, call: u64, response: u64) -> Operation {
    Operation::pop(2, Some(value(number)), call, response)
}

fn nothing(call: u64, response: u64) -> Operation {
    Operation::pop(3, None, call, response)
}

/// The witness against a history that must have one.
fn refuted(history: impl IntoIterator<Item = Operation>) -> Violation {
    *check(history).unwrap_err()
}

#[test]
fn accepts_a_sequential_history() {
    let history = [nothing(0, 1), push(0, 2, 3), push(1, 4, 5), pop(0, 6, 7), pop(1, 8, 9)];
    let checked = check(history).unwrap();
    assert_eq!((checked.pushes, checked.pops, checked.empties), (2, 2, 1));
    assert_eq!(checked.operations(), 5);
}

#[test]
fn match_wants_each_value_once() {
    let twice = [push(0, 0, 1), push(0, 2, 3)];
    assert_eq!(refuted(twice), Violation::PushedTwice(twice[0], twice[1]));

    let twice = [push(0, 0, 1), pop(0, 2, 3), pop(0, 4, 5)];
    assert_eq!(refuted(twice), Violation::PoppedTwice(twice[1], twice[2]));
}

#[test]
fn match_wants_every_popped_value_pushed() {
    for stranger in [0, 2, 4] {
        let history = [push(1, 0, 1), push(3, 2, 3), pop(1, 4, 5), pop(stranger, 6, 7)];
        assert_eq!(refuted(history), Violation::NeverPushed(history[3]));
    }
}

#[test]
fn fresh_wants_the_push_first() {
    let stale = Passage { push: push(0, 5, 6), pop: Some(pop(0, 3, 4)) };
    let history = stale.pop.into_iter().chain([stale.push]);
    assert_eq!(refuted(history), Violation::Stale(stale));

    let touching = [push(0, 5, 6), pop(0, 3, 5)];
    assert!(check(touching).is_ok());
}

#[test]
fn order_wants_first_in_first_out() {
    let pushes = [push(0, 0, 1), push(1, 2, 3)];
    let ahead = Passage { push: pushes[0], pop: Some(pop(0, 6, 7)) };
    let behind = Passage { push: pushes[1], pop: Some(pop(1, 4, 5)) };
    let history = [ahead.push, behind.push, pop(1, 4, 5), pop(0, 6, 7)];
    assert_eq!(refuted(history), Violation::Order { ahead, behind });

    let pops_touch = [pushes[0], pushes[1], pop(1, 4, 6), pop(0, 6, 7)];
    assert!(check(pops_touch).is_ok());
    let pushes_touch = [push(0, 0, 2), push(1, 2, 3), pop(1, 4, 5), pop(0, 6, 7)];
    assert!(check(pushes_touch).is_ok());
}

#[test]
fn order_notices_a_lost_value() {
    let (ahead, behind) = (push(0, 0, 1), push(1, 2, 3));
    let came_out = pop(1, 4, 5);
    let lost = Violation::Order {
        ahead: Passage { push: ahead, pop: None },
        behind: Passage { push: behind, pop: Some(came_out) },
    };
    assert_eq!(refuted([ahead, behind, came_out]), lost);
    assert!(check([ahead, behind]).is_ok(), "both may still be inside");
}

#[test]
fn empty_wants_an_uncovered_instant() {
    let passage = Passage { push: push(0, 0, 2), pop: Some(pop(0, 8, 9)) };
    let with = |empty| [passage.push, pop(0, 8, 9), empty];

    let covered = Violation::Empty { pop: nothing(3, 7), covered_by: vec![passage] };
    assert_eq!(refuted(with(nothing(3, 7))), covered);
    assert!(check(with(nothing(2, 7))).is_ok(), "may precede the push");
    assert!(check(with(nothing(3, 8))).is_ok(), "may follow the pop");
}

#[test]
fn empty_looks_across_values() {
    let chain = |second_push| {
        let second = push(1, 3, second_push);
        [push(0, 0, 1), second, pop(0, 6, 7), pop(1, 11, 12), nothing(2, 10)]
    };
    let Violation::Empty { covered_by, .. } = refuted(chain(5)) else {
        panic!("the second value was in before the first began to leave");
    };
    assert_eq!(covered_by.iter().map(|p| p.push.value).collect::<Vec<_>>(), [value(0), value(1)]);
    assert!(check(chain(6)).is_ok(), "nothing covers the instant at which both touch");
}

#[test]
fn empty_notices_a_lost_value() {
    assert!(check([push(0, 0, 1), nothing(2, 3)]).is_err());
}

#[test]
#[should_panic(expected = "the clock ran backwards")]
fn refuses_a_clock_that_runs_backwards() {
    let _ = check([push(0, 2, 1)]);
}

#[test]
fn a_violation_reads_as_a_witness() {
    let history = [push(0, 100, 101), push(1, 102, 103), pop(1, 104, 105), pop(0, 106, 107)];
    let violation = refuted(history);
    assert_eq!(
        violation.to_string(),
        "order: 0:0 was pushed before 0:1, yet 0:1 came out first\
         \n  thread 1: push(0:0) in [0, 1]\
         \n  thread 2: pop() = 0:0 in [6, 7]\
         \n  thread 1: push(0:1) in [2, 3]\
         \n  thread 2: pop() = 0:1 in [4, 5]"
    );
}

#[test]
fn values_keep_producer_and_number() {
    let value = Value::new(u16::MAX, (1 << 48) - 1);
    assert_eq!((value.producer(), value.number()), (u16::MAX, (1 << 48) - 1));
    assert_eq!(Value::from_bits(value.to_bits()), value);
}
