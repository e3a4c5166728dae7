//! S1 and S2: rings of items.

use alloc::collections::VecDeque;
use core::hint::black_box;

use segring::seq::{HysteresisRing, InlineRing};
use smallvec::SmallVec;

use super::contest::{Check, Contest, Entrant, Outcome};
use super::old::{EagerDeque, EagerRing};
use crate::compare::Spread;
use crate::report::Target;

/// A pointer and a length, as a job or a receive descriptor has them.
pub type Descriptor = [u64; 2];

/// What every ring here can do.
pub trait Ring<T>: Default {
    /// Its name in the tables.
    const NAME: &'static str;

    /// Appends an item.
    fn push(&mut self, item: T);
    /// Removes the oldest item.
    fn pop(&mut self) -> Option<T>;
    /// Slots.
    fn capacity(&self) -> usize;
}

macro_rules! rings {
    ($([$($generics:tt)*] $ring:ty, $name:literal, $push:ident, $pop:ident;)*) => { $(
        impl<$($generics)*> Ring<T> for $ring {
            const NAME: &'static str = $name;

            #[inline]
            fn push(&mut self, item: T) {
                self.$push(item);
            }

            #[inline]
            fn pop(&mut self) -> Option<T> {
                self.$pop()
            }

            fn capacity(&self) -> usize {
                self.capacity()
            }
        }
    )* };
}

rings! {
    [T] HysteresisRing<T>, "HysteresisRing", push, pop;
    [T, const N: usize] InlineRing<T, N>, "InlineRing", push, pop;
    [T: Copy + Default] EagerRing<T>, "old: halves at half", push, pop;
    [T] EagerDeque<T>, "old, moved in blocks", push, pop;
    [T] VecDeque<T>, "VecDeque", push_back, pop_front;
}

/// No ring, but what is at hand: an array inside, whose front is removed by moving the rest.
impl<T> Ring<T> for SmallVec<[T; 1]> {
    const NAME: &'static str = "SmallVec, remove(0)";

    #[inline]
    fn push(&mut self, item: T) {
        self.push(item);
    }

    #[inline]
    fn pop(&mut self) -> Option<T> {
        if self.is_empty() { None } else { Some(self.remove(0)) }
    }

    fn capacity(&self) -> usize {
        self.capacity()
    }
}

/// S1: the border of a ring, and what steady traffic costs.
pub fn hysteresis() -> Vec<Contest> {
    let mut contests = Vec::new();
    for (backlog, saves) in [(64, saves::<980> as Check), (1024, saves::<995>)] {
        contests.push(Contest {
            title: format!("ring_boundary, backlog {backlog}, 16-byte items"),
            entrants: vec![
                over_backlog::<Descriptor, HysteresisRing<_>>(backlog, [0; 2]),
                over_backlog::<Descriptor, EagerRing<_>>(backlog, [0; 2]),
                over_backlog::<Descriptor, EagerDeque<_>>(backlog, [0; 2]),
                over_backlog::<Descriptor, VecDeque<_>>(backlog, [0; 2]),
            ],
            checks: vec![saves, Outcome::allocates_nothing],
        });
    }
    for depth in [1, 64, 1024] {
        contests.push(Contest {
            title: format!("steady, depth {depth}, 8-byte items"),
            entrants: vec![
                over_backlog::<u64, HysteresisRing<_>>(depth, 0),
                over_backlog::<u64, VecDeque<_>>(depth, 0),
            ],
            checks: vec![keeps_up],
        });
    }
    contests
}

/// S2: at most one item, bursts, and whole lives.
pub fn inline() -> Vec<Contest> {
    vec![
        Contest {
            title: "inline, depth 0 and 1, 16-byte items".to_owned(),
            entrants: vec![
                over_backlog::<Descriptor, InlineRing<_, 1>>(0, [0; 2]),
                over_backlog::<Descriptor, VecDeque<_>>(0, [0; 2]),
                over_backlog::<Descriptor, SmallVec<[_; 1]>>(0, [0; 2]),
            ],
            checks: vec![Outcome::allocates_nothing],
        },
        Contest {
            title: "overflow, bursts of 8 items, then 8 one by one, 16-byte items".to_owned(),
            entrants: vec![
                bursts::<InlineRing<_, 1>>(),
                bursts::<VecDeque<_>>(),
                bursts::<SmallVec<[_; 1]>>(),
            ],
            checks: Vec::new(),
        },
        Contest {
            title: "life of a connection, made, one item at a time, dropped".to_owned(),
            entrants: vec![
                lives::<InlineRing<_, 1>>(),
                lives::<VecDeque<_>>(),
                lives::<SmallVec<[_; 1]>>(),
            ],
            checks: vec![Outcome::allocates_nothing],
        },
    ]
}

/// Pairs of a push and a pop over a backlog; the first growth is outside.
fn over_backlog<T: Copy + 'static, R: Ring<T> + 'static>(backlog: usize, item: T) -> Entrant {
    let mut ring = R::default();
    (0..backlog).for_each(|_| ring.push(item));
    ring.push(item);
    ring.pop();
    Entrant::new(R::NAME, move |operations| pairs(&mut ring, operations, item))
}

/// Out of line, so that everybody's ring is behind a pointer.
#[inline(never)]
fn pairs<T: Copy, R: Ring<T>>(ring: &mut R, operations: u64, item: T) {
    for _ in 0..operations {
        ring.push(black_box(item));
        black_box(ring.pop());
    }
}

/// Sixteen items at a time: eight at once, eight alone, after which an inline ring is inside again.
fn bursts<R: Ring<Descriptor> + 'static>() -> Entrant {
    let mut ring = R::default();
    Entrant::new(R::NAME, move |operations| {
        for _ in 0..operations.div_ceil(16) {
            (0..8).for_each(|n| ring.push(black_box([n, n])));
            (0..8).for_each(|_| {
                black_box(ring.pop());
            });
            pairs(&mut ring, 8, [0; 2]);
        }
    })
}

/// Sixteen items a life.
fn lives<R: Ring<Descriptor> + 'static>() -> Entrant {
    Entrant::new(R::NAME, |operations| {
        for _ in 0..operations.div_ceil(16) {
            let mut ring = black_box(R::default());
            pairs(&mut ring, 16, [0; 2]);
            black_box(&mut ring);
        }
    })
}

/// That we take at least so many per mille less time than the old policy.
fn saves<const PER_MILLE: u32>(outcome: &Outcome) -> Target {
    let least = f64::from(PER_MILLE) / 10.0;
    let per_cent = |ratio: f64| 100.0 * (1.0 - ratio);
    let Spread { median, low, high } = outcome.ratio(&outcome.rows[1]);
    outcome.target(
        &format!("at least {least} % less time than the old policy"),
        format!("{:.2} [{:.2}-{:.2}] %", per_cent(median), per_cent(high), per_cent(low)),
        per_cent(median) >= least,
    )
}

/// That a ring costs no more than the deque it is built on.
fn keeps_up(outcome: &Outcome) -> Target {
    let ratio = outcome.ratio(&outcome.rows[1]);
    let wanted = "a median of at most 1.1 times a VecDeque";
    outcome.target(wanted, ratio.to_string(), ratio.median <= 1.1)
}
