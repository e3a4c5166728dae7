//! Models of the whole queue as lists of operations, and what a queue may answer.
//!
//! The specification is a `VecDeque` with a closed flag. The allowed outcomes of a model are those
//! of all interleavings of whole operations that keep each thread's order; that is what
//! linearizability leaves to threads which do not otherwise synchronize.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use loom::sync::atomic::{AtomicUsize, Ordering};
use segring::model::live_segments;
use segring::{Hysteresis, Queue, mpsc};

use crate::interleave::{self, Sequential, outcomes};
use ends::{Ends, Leased};

mod ends;

/// An operation of a thread.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// `try_push`.
    Push(u8),
    /// `pop`.
    Pop,
    /// `try_push_batch`: one push after the other.
    PushBatch(&'static [u8]),
    /// `pop_batch`: so many pops, but none after one that found nothing.
    PopBatch(usize),
    /// A producer is dropped: no answer. The last one closes the queue.
    DropProducer,
    /// The only consumer is dropped, which closes the queue and drops what is inside: no answer.
    DropConsumer,
    /// `try_pop`, of the only consumer.
    TryPop,
    /// `close`.
    Close,
    /// `is_empty`.
    IsEmpty,
    /// `is_closed`.
    IsClosed,
    /// `shrink_to_fit`: no answer.
    Shrink,
    /// `reclaim`: no answer.
    Reclaim,
    /// A handle is dropped and a new one taken: no answer.
    NewHandle,
}

/// What it answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    /// Pushed, or rejected.
    Pushed(bool),
    /// An item or none.
    Popped(Option<u8>),
    /// An item, or whether there will never be one.
    Tried(Result<u8, bool>),
    /// Whether this call closed the queue.
    Closed(bool),
    /// Whether there was nothing.
    Empty(bool),
    /// Whether it was closed.
    WasClosed(bool),
}

/// The answers of each thread, and what was left inside.
pub type Outcome = interleave::Outcome<Answer>;

/// How the threads use the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// Through a shared reference, pinning.
    Queue,
    /// Through a handle each.
    Handle,
    /// The thread that pops is the only consumer, the others are producers.
    Mpsc,
}

/// A model of the queue.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// Its name.
    pub name: &'static str,
    /// Slots of the smallest ring.
    pub min: usize,
    /// Items pushed before the threads start.
    pub before: &'static [u8],
    /// How many items are popped again before the threads start.
    pub popped: usize,
    /// The threads.
    pub threads: &'static [&'static [Op]],
}

/// A larger ring, nearly empty, is replaced by a smaller one.
pub const SHRINK: Model = Model {
    name: "shrinking against a push and a pop",
    min: 1,
    before: &[1, 2, 3],
    popped: 3,
    threads: &[&[Op::Push(4)], &[Op::Shrink], &[Op::Pop]],
};

impl Model {
    /// Explores the model and checks its outcomes.
    pub fn check(self, via: Via) {
        self.compare(&self.name(via), move || self.run(via, false));
    }

    /// Explores the model with a clock that orders all operations, and checks each history for
    /// linearizability in real time. (The clock's ordering would hide orderings that are too weak;
    /// [`check`](Self::check) does without.)
    pub fn check_in_real_time(self, via: Via) {
        let name = format!("{}, in real time", self.name(via));
        self.compare(&name, move || self.run(via, true));
    }

    /// Checks that just the allowed outcomes happen; with batches, which others cannot quite get in
    /// between, that no others happen.
    fn compare(self, name: &str, run: impl Fn() -> Outcome + Clone + Send + Sync + 'static) {
        let allowed = self.allowed();
        let is_batch = |op: &Op| matches!(op, Op::PushBatch(_) | Op::PopBatch(_));
        if self.threads.iter().flat_map(|ops| *ops).any(is_batch) {
            crate::check_among(name, &allowed, run);
        } else {
            crate::check(name, Some(&allowed), run);
        }
    }

    /// Asserts that the model finds a fault.
    pub fn kills(self, mutant: &'static [&'static str], via: Via) {
        let allowed = self.allowed();
        crate::kills(mutant, &self.name(via), move || {
            let outcome = self.run(via, false);
            assert!(allowed.contains(&outcome), "an outcome that must not happen");
            outcome
        });
    }

    fn name(self, via: Via) -> String {
        format!("{} via {via:?}", self.name)
    }

    /// One execution.
    fn run(self, via: Via, timed: bool) -> Outcome {
        let clock = timed.then(|| Arc::new(Clock(AtomicUsize::new(0))));
        let (calls, left) = match via {
            Via::Queue | Via::Handle => self.run_shared(via, clock.as_ref()),
            Via::Mpsc => self.run_mpsc(clock.as_ref()),
        };
        assert_eq!(live_segments(), 0, "a segment leaked");
        if timed {
            let mut history: Vec<Call> = calls.iter().flatten().copied().collect();
            assert!(self.start().explains(&mut history), "not linearizable: {calls:#?}");
        }
        let answers = |calls: &Vec<Call>| calls.iter().filter_map(|call| call.answer).collect();
        (calls.iter().map(answers).collect(), left)
    }

    fn policy(self) -> Hysteresis {
        Hysteresis::new().with_slots(self.min, 64).expect("valid")
    }

    /// Puts the ends into the state before the threads start.
    fn prepare(self, push: &mut dyn Ends, pop: &mut dyn Ends) {
        assert!(self.before.iter().all(|&item| push.push(item)));
        assert!(self.before[..self.popped].iter().all(|&item| pop.pop() == Some(item)));
    }

    fn run_shared(self, via: Via, clock: Option<&Arc<Clock>>) -> (Vec<Vec<Call>>, Vec<u8>) {
        let queue = Arc::new(Queue::with(self.policy()));
        self.prepare(&mut &*queue, &mut &*queue);
        nothing_is_retired(&mut &*queue);
        let spawn = |ops: &&'static [Op]| {
            let (ops, queue, clock) = (*ops, Arc::clone(&queue), clock.cloned());
            loom::thread::spawn(move || {
                let clock = clock.as_deref();
                match via {
                    Via::Queue => perform(&mut &*queue, ops, clock),
                    Via::Handle | Via::Mpsc => perform(&mut Leased::new(&queue), ops, clock),
                }
            })
        };
        let threads: Vec<_> = self.threads.iter().map(spawn).collect();
        let calls = threads.into_iter().map(|t| t.join().expect("no panic")).collect();
        let left = at_rest(&mut &*queue);
        assert_eq!(queue.stats().live_segments, live_segments());
        drop(Arc::into_inner(queue).expect("the threads are gone"));
        (calls, left)
    }

    /// If no producer leaves by itself, one more stays to the end, so that none is the last.
    fn run_mpsc(self, clock: Option<&Arc<Clock>>) -> (Vec<Vec<Call>>, Vec<u8>) {
        let (producer, consumer) = mpsc::with(self.policy());
        let (mut first, mut consumer) = (Some(producer), Some(consumer));
        self.prepare(&mut first, &mut consumer);
        let mut producer = first.clone(); // The same without a ring.
        drop(first);
        nothing_is_retired(&mut consumer);
        let spawn = |ops: &&'static [Op]| {
            let (ops, clock) = (*ops, clock.cloned());
            if is_consumer(ops) {
                let mut consumer = consumer.take();
                return loom::thread::spawn(move || {
                    (perform(&mut consumer, ops, clock.as_deref()), consumer)
                });
            }
            let mut producer = producer.clone();
            loom::thread::spawn(move || (perform(&mut producer, ops, clock.as_deref()), None))
        };
        let threads: Vec<_> = self.threads.iter().map(spawn).collect();
        if self.producers_leave() {
            producer = None;
        }
        let mut calls = Vec::new();
        for thread in threads {
            let (done, end) = thread.join().expect("no panic");
            calls.push(done);
            consumer = consumer.or(end);
        }
        let left = if consumer.is_some() { at_rest(&mut consumer) } else { Vec::new() };
        drop((consumer, producer));
        (calls, left)
    }

    fn producers_leave(self) -> bool {
        self.threads.iter().flat_map(|ops| *ops).any(|op| matches!(op, Op::DropProducer))
    }

    /// The state before the threads start.
    fn start(self) -> State {
        State {
            queue: self.before[self.popped..].iter().copied().collect(),
            closed: false,
            producers: self.threads.iter().filter(|ops| !is_consumer(ops)).count(),
        }
    }

    /// The outcomes of all interleavings of whole operations.
    fn allowed(self) -> BTreeSet<Outcome> {
        let threads: Vec<_> = self.threads.iter().map(|ops| take_apart(ops)).collect();
        outcomes(&self.start(), &threads)
    }
}

/// An operation with its answer and when it began and ended.
#[derive(Clone, Copy, Debug)]
struct Call {
    op: Op,
    answer: Option<Answer>,
    begin: usize,
    end: usize,
}

/// Orders all operations of a model, in the eyes of loom too.
struct Clock(AtomicUsize);

impl Clock {
    fn now(&self) -> usize {
        self.0.fetch_add(1, Ordering::AcqRel)
    }
}

/// Whether a thread's end of a queue with one consumer is that one.
fn is_consumer(ops: &[Op]) -> bool {
    let pops = |op: &Op| matches!(op, Op::Pop | Op::PopBatch(_) | Op::TryPop | Op::DropConsumer);
    ops.iter().any(pops)
}

/// Neither before the threads start, or each of their operations would look after it, nor when they
/// are done.
fn nothing_is_retired(queue: &mut dyn Ends) {
    assert_eq!(queue.reclaim(), 0, "nothing stays retired at rest");
}

/// When all threads are done: nothing is wrong with the queue, and this is inside.
fn at_rest(queue: &mut dyn Ends) -> Vec<u8> {
    let len = queue.len();
    let left: Vec<u8> = core::iter::from_fn(|| queue.pop()).collect();
    assert_eq!(len, left.len(), "len is exact at rest");
    assert!(queue.is_empty());
    nothing_is_retired(queue);
    left
}

/// The calls of a thread. A batch becomes as many calls as it has items, all from its begin to its
/// end; their order among themselves is for the allowed outcomes to check.
fn perform(ends: &mut dyn Ends, ops: &[Op], clock: Option<&Clock>) -> Vec<Call> {
    let now = || clock.map_or(0, Clock::now);
    let mut calls = Vec::new();
    for &op in ops {
        let begin = now();
        let answers: Vec<(Op, Option<Answer>)> = match op {
            Op::Push(item) => vec![(op, Some(Answer::Pushed(ends.push(item))))],
            Op::Pop => vec![(op, Some(Answer::Popped(ends.pop())))],
            Op::TryPop => vec![(op, Some(Answer::Tried(ends.try_pop())))],
            Op::PushBatch(items) => {
                let pushed = ends.push_batch(items);
                let answer = |(i, &item)| (Op::Push(item), Some(Answer::Pushed(i < pushed)));
                items.iter().enumerate().map(answer).collect()
            }
            Op::PopBatch(most) => {
                let popped = ends.pop_batch(most);
                let none = (popped.len() < most).then_some(None);
                let found = popped.into_iter().map(Some).chain(none);
                found.map(|item| (Op::Pop, Some(Answer::Popped(item)))).collect()
            }
            Op::Close => vec![(op, Some(Answer::Closed(ends.close())))],
            Op::IsEmpty => vec![(op, Some(Answer::Empty(ends.is_empty())))],
            Op::IsClosed => vec![(op, Some(Answer::WasClosed(ends.is_closed())))],
            Op::Shrink => {
                ends.shrink();
                vec![(op, None)]
            }
            Op::Reclaim => {
                ends.reclaim();
                vec![(op, None)]
            }
            Op::NewHandle => {
                ends.renew();
                vec![(op, None)]
            }
            Op::DropProducer | Op::DropConsumer => {
                ends.leave();
                vec![(op, None)]
            }
        };
        let end = now();
        let call = |(op, answer)| Call { op, answer, begin, end };
        calls.extend(answers.into_iter().map(call));
    }
    calls
}

#[derive(Clone, Debug)]
struct State {
    queue: VecDeque<u8>,
    closed: bool,
    /// How many producers have not left.
    producers: usize,
}

impl State {
    fn apply(&mut self, op: Op) -> Option<Answer> {
        match op {
            Op::Push(item) => {
                if !self.closed {
                    self.queue.push_back(item);
                }
                Some(Answer::Pushed(!self.closed))
            }
            Op::Pop => Some(Answer::Popped(self.queue.pop_front())),
            Op::TryPop => Some(Answer::Tried(self.queue.pop_front().ok_or(self.closed))),
            Op::Close => Some(Answer::Closed(!core::mem::replace(&mut self.closed, true))),
            Op::IsEmpty => Some(Answer::Empty(self.queue.is_empty())),
            Op::IsClosed => Some(Answer::WasClosed(self.closed)),
            Op::Shrink | Op::Reclaim | Op::NewHandle => None,
            Op::DropProducer => {
                self.producers -= 1;
                self.closed |= self.producers == 0;
                None
            }
            Op::DropConsumer => {
                self.queue.clear();
                self.closed = true;
                None
            }
            Op::PushBatch(_) | Op::PopBatch(_) => unreachable!("taken apart"),
        }
    }
}

impl State {
    /// Whether some order of these calls that keeps to real time gives their answers.
    fn explains(&self, calls: &mut Vec<Call>) -> bool {
        let first_end = calls.iter().map(|call| call.end).min();
        let Some(first_end) = first_end else { return true };
        (0..calls.len()).any(|i| {
            let call = calls[i];
            // Nothing that ended before this call began may come later.
            if call.begin > first_end {
                return false;
            }
            let mut state = self.clone();
            if state.apply(call.op) != call.answer {
                return false;
            }
            calls.remove(i);
            let explained = state.explains(calls);
            calls.insert(i, call);
            explained
        })
    }
}

/// A step of a thread: an operation that is no batch.
#[derive(Clone, Copy, Debug)]
struct Step {
    op: Op,
    /// Not taken if the thread has just found nothing.
    more: bool,
}

/// What a batch is to others: one operation after the other.
fn take_apart(ops: &[Op]) -> Vec<Step> {
    let step = |op| Step { op, more: false };
    let steps = ops.iter().flat_map(|&op| match op {
        Op::PushBatch(items) => items.iter().map(|&item| step(Op::Push(item))).collect(),
        Op::PopBatch(most) => (0..most).map(|i| Step { op: Op::Pop, more: i > 0 }).collect(),
        op => vec![step(op)],
    });
    steps.collect()
}

impl Sequential for State {
    type Step = Step;
    type Answer = Answer;

    fn step(&mut self, Step { op, more }: Step, last: Option<Answer>) -> Option<Answer> {
        if more && last == Some(Answer::Popped(None)) { None } else { self.apply(op) }
    }

    fn left(&self) -> Vec<u8> {
        self.queue.iter().copied().collect()
    }
}
