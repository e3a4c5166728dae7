//! Models of the bounded queue, and what it may answer.
//!
//! The specification is a `VecDeque` with a capacity and a closed flag. A forced push is two steps:
//! the item goes in, and then the oldest one goes if there are too many. The allowed outcomes of a
//! model are those of all interleavings of steps that keep each thread's order.
//!
//! (In real time the queue allows more: a push that a consumer has passed by counts as an item
//! before that, so that one push may find the queue full and a later pop find it empty.)

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use segring::model::live_segments;
use segring::{BoundedHandle, BoundedQueue, PushError};

use crate::interleave::{self, Sequential, outcomes};

/// An operation of a thread.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// `try_push`.
    Push(u8),
    /// `try_force_push`.
    Force(u8),
    /// `pop`.
    Pop,
    /// `close`.
    Close,
    /// `len`.
    Len,
}

/// What it answered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    /// Pushed.
    Pushed,
    /// Rejected: full.
    Full,
    /// Rejected: closed.
    Closed,
    /// Pushed; the item evicted.
    Forced(Option<u8>),
    /// An item or none.
    Popped(Option<u8>),
    /// Whether this call closed the queue.
    Close(bool),
    /// How many were inside.
    Len(usize),
}

/// Short, for lists: `+` pushed, `f` full, `c` closed, `!` forced, `-` popped.
impl core::fmt::Debug for Answer {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let item = |item: Option<u8>| item.map_or(".".to_owned(), |item| item.to_string());
        match *self {
            Self::Pushed => f.write_str("+"),
            Self::Full => f.write_str("f"),
            Self::Closed => f.write_str("c"),
            Self::Forced(evicted) => write!(f, "!{}", item(evicted)),
            Self::Popped(popped) => write!(f, "-{}", item(popped)),
            Self::Close(first) => write!(f, "close {first}"),
            Self::Len(len) => write!(f, "len {len}"),
        }
    }
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
}

/// A model of the bounded queue.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// Its name.
    pub name: &'static str,
    /// The capacity; rings have twice as many slots, rounded up to a power of two.
    pub capacity: usize,
    /// Items pushed before the threads start.
    pub before: &'static [u8],
    /// The threads.
    pub threads: &'static [&'static [Op]],
}

impl Model {
    /// Explores the model and checks its outcomes.
    pub fn check(self, via: Via) {
        crate::check(&self.name(via), Some(&self.allowed()), move || self.run(via));
    }

    /// Asserts that the model finds a fault.
    pub fn kills(self, mutant: &'static [&'static str], via: Via) {
        let allowed = self.allowed();
        crate::kills(mutant, &self.name(via), move || {
            let outcome = self.run(via);
            assert!(allowed.contains(&outcome), "not allowed: {outcome:?}");
        });
    }

    fn name(self, via: Via) -> String {
        format!("bounded by {}: {} via {via:?}", self.capacity, self.name)
    }

    /// One execution.
    fn run(self, via: Via) -> Outcome {
        let queue = Arc::new(BoundedQueue::new(self.capacity));
        for &item in self.before {
            assert_eq!(queue.push(item), Ok(()));
        }
        let spawn = |ops: &&'static [Op]| {
            let (queue, ops) = (Arc::clone(&queue), *ops);
            loom::thread::spawn(move || perform(&queue, via, ops))
        };
        let threads: Vec<_> = self.threads.iter().map(spawn).collect();
        let answers = threads.into_iter().map(|t| t.join().expect("no panic")).collect();
        let len = queue.len();
        let left: Vec<u8> = core::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(len, left.len(), "len is exact at rest");
        assert!(len <= self.capacity, "more than the capacity inside: {left:?}");
        assert!(queue.is_empty());
        assert_eq!(queue.reclaim(), 0, "nothing stays retired at rest");
        assert_eq!(queue.stats().live_segments, live_segments());
        drop(Arc::into_inner(queue).expect("the threads are gone"));
        assert_eq!(live_segments(), 0, "a segment leaked");
        (answers, left)
    }

    /// The outcomes of all interleavings of whole operations.
    fn allowed(self) -> BTreeSet<Outcome> {
        let queue = self.before.iter().copied().collect();
        let start = State { capacity: self.capacity, queue, closed: false };
        let threads: Vec<Vec<Step>> = self
            .threads
            .iter()
            .map(|ops| ops.iter().copied().flat_map(take_apart).collect())
            .collect();
        outcomes(&start, &threads)
    }
}

fn perform(queue: &BoundedQueue<u8>, via: Via, ops: &[Op]) -> Vec<Answer> {
    let mut handle = (via == Via::Handle).then(|| queue.handle());
    let mut perform = |&op: &Op| match op {
        Op::Push(item) => {
            let push = |handle: &mut BoundedHandle<'_, u8>| handle.try_push(item);
            match handle.as_mut().map_or_else(|| queue.try_push(item), push) {
                Ok(()) => Answer::Pushed,
                Err(error) => rejected(error, item),
            }
        }
        Op::Force(item) => match queue.try_force_push(item) {
            Ok(evicted) => Answer::Forced(evicted),
            Err(error) => rejected(error, item),
        },
        Op::Pop => Answer::Popped(handle.as_mut().map_or_else(|| queue.pop(), BoundedHandle::pop)),
        Op::Close => Answer::Close(queue.close()),
        Op::Len => Answer::Len(queue.len()),
    };
    ops.iter().map(&mut perform).collect()
}

fn rejected(error: PushError<u8>, item: u8) -> Answer {
    let answer = match error {
        PushError::Full(_) => Answer::Full,
        PushError::Closed(_) => Answer::Closed,
        PushError::NoMemory(_) => unreachable!("models have memory"),
    };
    assert_eq!(error.into_inner(), item, "a rejected item comes back");
    answer
}

/// A step of an operation.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// The whole of it.
    Whole(Op),
    /// The first half of a forced push: no answer, unless the queue is closed.
    Insert(u8),
    /// The second half.
    Evict,
}

fn take_apart(op: Op) -> Vec<Step> {
    match op {
        Op::Force(item) => vec![Step::Insert(item), Step::Evict],
        op => vec![Step::Whole(op)],
    }
}

#[derive(Clone, Debug)]
struct State {
    capacity: usize,
    queue: VecDeque<u8>,
    closed: bool,
}

impl State {
    fn apply(&mut self, step: Step) -> Option<Answer> {
        let len = self.queue.len();
        let answer = match step {
            Step::Whole(Op::Push(_)) | Step::Insert(_) if self.closed => Answer::Closed,
            Step::Whole(Op::Push(_)) if len >= self.capacity => Answer::Full,
            Step::Whole(Op::Push(item)) => {
                self.queue.push_back(item);
                Answer::Pushed
            }
            Step::Insert(item) => {
                self.queue.push_back(item);
                return None;
            }
            Step::Evict if len > self.capacity => Answer::Forced(self.queue.pop_front()),
            Step::Evict => Answer::Forced(None),
            Step::Whole(Op::Pop) => Answer::Popped(self.queue.pop_front()),
            Step::Whole(Op::Close) => Answer::Close(!core::mem::replace(&mut self.closed, true)),
            Step::Whole(Op::Len) => Answer::Len(len.min(self.capacity)),
            Step::Whole(Op::Force(_)) => unreachable!("taken apart"),
        };
        Some(answer)
    }
}

impl Sequential for State {
    type Step = Step;
    type Answer = Answer;

    fn step(&mut self, step: Step, last: Option<Answer>) -> Option<Answer> {
        let is_over = matches!(step, Step::Evict) && last == Some(Answer::Closed);
        if is_over { None } else { self.apply(step) }
    }

    fn left(&self) -> Vec<u8> {
        self.queue.iter().copied().collect()
    }
}
