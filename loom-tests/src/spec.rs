//! Models of the whole queue as lists of operations, and what a queue may answer.
//!
//! The specification is a `VecDeque` with a closed flag. The allowed outcomes of a model are those
//! of all interleavings of whole operations that keep each thread's order; that is what
//! linearizability leaves to threads which do not otherwise synchronize.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use loom::sync::atomic::{AtomicUsize, Ordering};
use segring::model::live_segments;
use segring::{Handle, Hysteresis, Queue};

/// An operation of a thread.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// `try_push`.
    Push(u8),
    /// `pop`.
    Pop,
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
    /// Whether this call closed the queue.
    Closed(bool),
    /// Whether there was nothing.
    Empty(bool),
    /// Whether it was closed.
    WasClosed(bool),
}

/// The answers of each thread, and what was left inside.
pub type Outcome = (Vec<Vec<Answer>>, Vec<u8>);

/// How the threads use the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// Through a shared reference, pinning.
    Queue,
    /// Through a handle each.
    Handle,
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

impl Model {
    /// Explores the model and checks its outcomes.
    pub fn check(self, via: Via) {
        crate::check(&self.name(via), Some(&self.allowed()), move || self.run(via, false));
    }

    /// Explores the model with a clock that orders all operations, and checks each history for
    /// linearizability in real time. (The clock's ordering would hide orderings that are too weak;
    /// [`check`](Self::check) does without.)
    pub fn check_in_real_time(self, via: Via) {
        let name = format!("{}, in real time", self.name(via));
        crate::check(&name, Some(&self.allowed()), move || self.run(via, true));
    }

    /// Asserts that the model finds a fault.
    pub fn kills(self, mutant: &'static [&'static str], via: Via) {
        crate::kills(mutant, &self.name(via), move || self.run(via, false));
    }

    fn name(self, via: Via) -> String {
        format!("{} via {via:?}", self.name)
    }

    /// One execution.
    fn run(self, via: Via, timed: bool) -> Outcome {
        let policy = Hysteresis::new().with_slots(self.min, 64).expect("valid");
        let queue = Arc::new(Queue::with(policy));
        for &item in self.before {
            queue.push(item);
        }
        for &item in &self.before[..self.popped] {
            assert_eq!(queue.pop(), Some(item));
        }
        // Or every operation of the threads would look after what is retired by now.
        assert_eq!(queue.reclaim(), 0, "nothing stays retired before they start");
        let clock = timed.then(|| Arc::new(Clock(AtomicUsize::new(0))));
        let threads: Vec<_> = self
            .threads
            .iter()
            .map(|ops| {
                let (queue, clock) = (Arc::clone(&queue), clock.clone());
                loom::thread::spawn(move || perform(&queue, via, ops, clock.as_deref()))
            })
            .collect();
        let calls: Vec<_> = threads.into_iter().map(|t| t.join().expect("no panic")).collect();
        let len = queue.len();
        let left: Vec<u8> = core::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(len, left.len(), "len is exact at rest");
        assert!(queue.is_empty());
        assert_eq!(queue.reclaim(), 0, "nothing stays retired at rest");
        assert_eq!(queue.stats().live_segments, live_segments());
        drop(Arc::into_inner(queue).expect("the threads are gone"));
        assert_eq!(live_segments(), 0, "a segment leaked");
        if timed {
            let mut history: Vec<Call> = calls.iter().flatten().copied().collect();
            assert!(self.start().explains(&mut history), "not linearizable: {calls:#?}");
        }
        let answers = |calls: &Vec<Call>| calls.iter().filter_map(|call| call.answer).collect();
        (calls.iter().map(answers).collect(), left)
    }

    /// The state before the threads start.
    fn start(self) -> State {
        State { queue: self.before[self.popped..].iter().copied().collect(), closed: false }
    }

    /// The outcomes of all interleavings of whole operations.
    fn allowed(self) -> BTreeSet<Outcome> {
        let mut allowed = BTreeSet::new();
        let answers = vec![Vec::new(); self.threads.len()];
        interleave(
            &self.start(),
            &vec![0; self.threads.len()],
            &answers,
            self.threads,
            &mut allowed,
        );
        allowed
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

fn perform(queue: &Queue<u8>, via: Via, ops: &[Op], clock: Option<&Clock>) -> Vec<Call> {
    let mut handle = (via == Via::Handle).then(|| queue.handle());
    let now = || clock.map_or(0, Clock::now);
    let mut calls = Vec::new();
    for &op in ops {
        let begin = now();
        let answer = match op {
            Op::Push(item) => Some(Answer::Pushed(push(queue, handle.as_mut(), item))),
            Op::Pop => Some(Answer::Popped(match &mut handle {
                Some(handle) => handle.pop(),
                None => queue.pop(),
            })),
            Op::Close => Some(Answer::Closed(queue.close())),
            Op::IsEmpty => Some(Answer::Empty(queue.is_empty())),
            Op::IsClosed => Some(Answer::WasClosed(queue.is_closed())),
            Op::Shrink => {
                queue.shrink_to_fit();
                None
            }
            Op::Reclaim => {
                queue.reclaim();
                None
            }
            Op::NewHandle => {
                handle = handle.map(|_| queue.handle());
                None
            }
        };
        calls.push(Call { op, answer, begin, end: now() });
    }
    calls
}

fn push(queue: &Queue<u8>, handle: Option<&mut Handle<'_, u8>>, item: u8) -> bool {
    let result = match handle {
        Some(handle) => handle.try_push(item),
        None => queue.try_push(item),
    };
    match result {
        Ok(()) => true,
        Err(error) => {
            assert!(error.is_closed(), "models have memory");
            assert_eq!(error.into_inner(), item, "a rejected item comes back");
            false
        }
    }
}

#[derive(Clone, Debug)]
struct State {
    queue: VecDeque<u8>,
    closed: bool,
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
            Op::Close => Some(Answer::Closed(!core::mem::replace(&mut self.closed, true))),
            Op::IsEmpty => Some(Answer::Empty(self.queue.is_empty())),
            Op::IsClosed => Some(Answer::WasClosed(self.closed)),
            Op::Shrink | Op::Reclaim | Op::NewHandle => None,
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

fn interleave(
    state: &State,
    done: &[usize],
    answers: &[Vec<Answer>],
    threads: &[&[Op]],
    allowed: &mut BTreeSet<Outcome>,
) {
    let mut over = true;
    for (thread, ops) in threads.iter().enumerate() {
        let Some(&op) = ops.get(done[thread]) else { continue };
        over = false;
        let (mut state, mut done, mut answers) = (state.clone(), done.to_vec(), answers.to_vec());
        answers[thread].extend(state.apply(op));
        done[thread] += 1;
        interleave(&state, &done, &answers, threads, allowed);
    }
    if over {
        allowed.insert((answers.to_vec(), state.queue.iter().copied().collect()));
    }
}
