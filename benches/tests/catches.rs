//! A check that cannot fail checks nothing: queues that are broken on purpose go through the same code
//! as ours, and must be convicted with a witness. The same queue without the fault must pass.

extern crate alloc;

use alloc::collections::VecDeque;
use core::mem::{ManuallyDrop, replace};
use std::sync::{Mutex, PoisonError};

use segring_benches::clock::Clock;
use segring_benches::peers::{
    Bound, Closes, Consumers, End, Peer, Progress, Promise, Refusal, Role,
};
use segring_benches::soak::Fault;
use segring_benches::soak::circulation::Circulation;
use segring_benches::soak::closing::Closing;
use segring_benches::soak::contended::{self, Logs, Outcome, Scenario};
use segring_benches::soak::drops::{self, Ledger};

/// What goes wrong, now and then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Break {
    /// Nothing.
    Never,
    /// A pop takes the newest item.
    Overtake,
    /// A push leaves its item out.
    Lose,
    /// A pop finds nothing, whatever is inside.
    FindNothing,
    /// An item becomes visible only with the next push.
    PublishLate,
    /// A push gets in after the closing.
    AcceptLate,
    /// A second closing says that it was the first.
    CloseTwice,
}

/// A deque behind a mutex that breaks at every so-many-th operation.
struct Broken<T> {
    fault: Break,
    state: Mutex<State<T>>,
}

struct State<T> {
    items: VecDeque<T>,
    late: Option<T>,
    operations: u64,
    closed: bool,
}

impl<T> Broken<T> {
    const BREAKS_AT: u64 = 501;

    fn with(fault: Break) -> Self {
        let state = State { items: VecDeque::new(), late: None, operations: 0, closed: false };
        Self { fault, state: Mutex::new(state) }
    }

    /// Runs an operation, telling it whether to go wrong in a certain way.
    fn operate<R>(&self, run: impl FnOnce(&mut State<T>, &dyn Fn(Break) -> bool) -> R) -> R {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.operations += 1;
        let is_time = state.operations.is_multiple_of(Self::BREAKS_AT);
        run(&mut state, &|fault| is_time && fault == self.fault)
    }
}

impl<T: Send> Peer<T> for Broken<T> {
    const NAME: &'static str = "broken";
    const PACKAGE: &'static str = "segring-benches";
    const USAGE: &'static str = "push and pop by reference";
    const PROMISE: Promise = Promise {
        progress: Progress::Blocking,
        bound: Bound::Unbounded,
        consumers: Consumers::Many,
        memory: "a larger deque when full",
    };

    type End<'a>
        = &'a Self
    where
        T: 'a;

    fn new(_: usize) -> Self {
        Self::with(Break::Never)
    }

    fn end(&self, _: Role) -> &Self {
        self
    }
}

impl<T> End<T> for &Broken<T> {
    fn push(&mut self, item: T) {
        self.operate(|state, breaks| {
            state.items.extend(state.late.take());
            if breaks(Break::Lose) {
                let _never_dropped = ManuallyDrop::new(item);
            } else if breaks(Break::PublishLate) {
                state.late = Some(item);
            } else {
                state.items.push_back(item);
            }
        });
    }

    fn pop(&mut self) -> Option<T> {
        self.operate(|state, breaks| {
            if breaks(Break::FindNothing) {
                return None;
            }
            if breaks(Break::Overtake) { state.items.pop_back() } else { state.items.pop_front() }
        })
    }
}

impl<T: Send> Closes<T> for Broken<T> {
    fn close(&self) -> bool {
        self.operate(|state, _| {
            !replace(&mut state.closed, true) || self.fault == Break::CloseTwice
        })
    }

    fn offer<'a>(end: &mut Self::End<'a>, item: T) -> Result<(), Refusal>
    where
        Self: 'a,
    {
        if end.operate(|state, breaks| state.closed && !breaks(Break::AcceptLate)) {
            return Err(Refusal::Closed);
        }
        end.push(item);
        Ok(())
    }
}

fn contend(fault: Break, recorded: bool, seed: u64) -> Result<Outcome, Fault> {
    contend_for(&Broken::with(fault), recorded, seed)
}

fn contend_for(queue: &Broken<u64>, recorded: bool, seed: u64) -> Result<Outcome, Fault> {
    let scenario = Scenario {
        seed,
        threads: 4,
        min_slots: 2,
        patience: 0,
        operations: 30_000,
        disturbed_one_in: 64,
        stalled: true,
        recorded,
    };
    contended::run(queue, &scenario, &Clock::new(), &mut Logs::default())
}

/// Runs rounds until one notices the fault, which is returned.
///
/// One round need not: where threads take turns on a busy processor, whoever might see the fault may
/// not run in the moment that it lasts.
fn noticed<R>(fault: Break, round: impl Fn(&Broken<u64>, u64) -> Result<R, Fault>) -> Fault {
    const ROUNDS: u64 = 200;
    let noticed = (0..ROUNDS).find_map(|seed| round(&Broken::with(fault), seed).err());
    noticed.unwrap_or_else(|| panic!("{fault:?} was not noticed in {ROUNDS} rounds"))
}

/// The condition that recorded rounds find broken, with its witness.
fn broken_condition(fault: Break) -> (&'static str, String) {
    match noticed(fault, |queue, seed| contend_for(queue, true, seed)) {
        Fault::History(violation) => (violation.condition(), violation.to_string()),
        other => panic!("{fault:?} came to {other:?}"),
    }
}

#[test]
fn a_sound_queue_passes() {
    let outcome = contend(Break::Never, true, 3).expect("a deque behind a mutex is a queue");
    assert_eq!(outcome.checked, outcome.operations);
    assert!(outcome.operations > 4 * 30_000);
    contend(Break::Never, false, 3).expect("and stays one unwatched");
}

#[test]
fn overtaking_is_out_of_order() {
    let (condition, witness) = broken_condition(Break::Overtake);
    assert_eq!(condition, "order");
    assert!(
        witness.contains("came out first") && witness.matches("thread").count() == 4,
        "{witness}"
    );
}

#[test]
fn a_lost_item_is_out_of_order() {
    let (condition, witness) = broken_condition(Break::Lose);
    assert_eq!(condition, "order");
    assert!(witness.contains("alone came out"), "{witness}");
}

#[test]
fn a_false_nothing_is_covered() {
    let (condition, witness) = broken_condition(Break::FindNothing);
    assert_eq!(condition, "empty");
    assert!(witness.contains("pop() = nothing"), "{witness}");
}

#[test]
fn late_publication_is_noticed() {
    let (condition, _) = broken_condition(Break::PublishLate);
    assert_eq!(condition, "empty");
}

#[test]
fn unrecorded_rounds_notice_loss_and_disorder() {
    let noticed = |fault| noticed(fault, |queue, seed| contend_for(queue, false, seed));
    assert!(matches!(noticed(Break::Lose), Fault::Conservation { .. }));
    assert!(matches!(noticed(Break::Overtake), Fault::ProducerOrder { .. }));
}

#[test]
fn circulation_notices_a_false_nothing() {
    let run = |queue: &Broken<_>, seed| {
        Circulation { seed, workers: 4, items: 4, stalled: true, rounds: 5_000 }.run(queue)
    };
    assert_eq!(run(&Broken::with(Break::Never), 5).unwrap(), 2 * (4 * 5_000 + 4));
    assert!(matches!(noticed(Break::FindNothing, run), Fault::FalseEmpty { .. }));
    assert!(matches!(
        noticed(Break::Lose, run),
        Fault::FalseEmpty { .. } | Fault::Conservation { .. }
    ));
}

#[test]
fn closings_that_are_none_are_noticed() {
    let run = |queue: &Broken<_>, seed| {
        let closing = Closing { seed, threads: 3, operations: 5_000 };
        closing.run(queue, &Clock::new(), &mut Logs::default())
    };
    assert_eq!(run(&Broken::with(Break::Never), 5).unwrap().operations, 3 * 5_000);
    assert_eq!(noticed(Break::AcceptLate, run).kind(), "closing");
    assert_eq!(noticed(Break::CloseTwice, run).kind(), "closing");
    assert_eq!(noticed(Break::Overtake, run).kind(), "order");
}

#[test]
fn the_ledger_notices_a_payload_that_is_never_dropped() {
    let run = |fault| {
        let ledger = Ledger::new(10_000);
        let queue = Broken::with(fault);
        drops::run(&ledger, &queue, 3, 9);
        drop(queue);
        ledger.verdict()
    };
    assert!(run(Break::Never).is_ok());
    assert!(matches!(run(Break::Lose), Err(Fault::Drops { never: 1.., twice: 0, corrupt: 0 })));
}
