//! Recorded histories of a FIFO queue, and whether they are linearizable.
//!
//! A history is a set of completed operations, each with the instants of its call and of its
//! response: pushes, pops that returned a value, and pops that found nothing. Every value is pushed
//! once. [`check()`] decides in O(n log n) whether some order of the operations respects both real
//! time and the rules of a queue, and names the operations that rule it out if there is none.
//!
//! # The four conditions
//!
//! Write `x << y` when `x` responded before `y` was called. The comparison is strict: two
//! operations that touch in one tick are concurrent. `push(v)` and `pop(v)` are the operations of
//! value `v`; a value that was never popped has a `pop` that is called and responds at infinity.
//!
//! 1. **Match.** Every popped value was pushed, and is popped once.
//! 2. **Fresh.** No `pop(v) << push(v)`.
//! 3. **Order.** No `push(a) << push(b)` with `pop(b) << pop(a)`. This covers a lost `a`: its pop
//!    is at infinity.
//! 4. **Empty.** While a value is certainly inside, from the response of its push to the call of its
//!    pop, both ends excluded, the queue is *covered*. No empty pop lies wholly in covered time.
//!
//! That conditions of this kind suffice when values are unique is due to Henzinger, Sezgin and
//! Vafeiadis (*Aspect-oriented linearizability proofs*, CONCUR 2013), and to Bouajjani, Emmi, Enea
//! and Hamza (*On reducing linearizability to state reachability*, ICALP 2015); that distinct values
//! make the question easy at all to Gibbons, Bruno and Phillips (*Black-box correctness tests for
//! basic parallel data structures*, Theory of Computing Systems, 2002).
//!
//! # Why they suffice
//!
//! Each condition is plainly necessary. For the converse, draw an edge `a -> b` when `a` must be
//! ahead of `b` in the queue: when `push(a) << push(b)`, `pop(a) << pop(b)` or `pop(a) << push(b)`.
//!
//! *No cycle of two.* Push and pop edges in opposite directions are an order violation. A
//! `pop(a) << push(b)` edge against any edge from `b` to `a` makes one of the two values stale:
//! following the instants around the cycle puts its pop before its push, which *fresh* excludes.
//!
//! *No longer cycle.* An edge of the third kind merges with the edge after it, because a fresh value
//! is not popped before its push is called. What remains uses push and pop edges only, so a cycle
//! of three or more has two edges of one kind, say `push(a) << push(b)` and `push(c) << push(d)`.
//! Among intervals of time, one of `push(a) << push(d)` and `push(c) << push(b)` then holds too:
//! whichever of the two left responses is earlier precedes both right calls. That chord closes a
//! shorter cycle, and so on down to two.
//!
//! *Points.* So the values have a total order that extends the edges. Give the i-th value the push
//! point "latest call among the first i pushes" and the pop point "latest call among the first i
//! pops, but not before its push point". Both rise along the order, so this is a queue. Each point
//! lies within its operation, for otherwise an earlier value's call came after this one's response,
//! which is an edge the wrong way. Values that never left form a suffix, as every popped value has a
//! pop edge to them.
//!
//! *Empty pops.* Take an instant `t` of an empty pop at which nothing covers the queue. Values with
//! a response before `t` go before it, values with a call after `t` go after it; no value does both,
//! because that would be a stale value or one that covers `t`. No edge leads back across `t`, and
//! operations that reach over `t` can be clipped to their side. The two halves are independent
//! histories with fewer empty pops, the first of which ends empty: induct.
//!
//! # What it needs
//!
//! All operations are complete (join the threads first) and stamps of different threads compare; see
//! [`clock`](crate::clock) for what that takes. Leaving out values whole, or empty pops, keeps a
//! linearizable history linearizable, so sampling is sound.

mod check;
#[cfg(test)]
mod oracle;
#[cfg(test)]
mod tests;
mod violation;

use core::fmt;

pub use check::{Checked, check};
pub use violation::{Passage, Violation};

/// A unique value: which producer pushed it, and as which of its items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(u64);

impl Value {
    const NUMBER_BITS: u32 = 48;

    /// The `number`-th item of a producer.
    ///
    /// # Panics
    /// When the number needs more than 48 bits.
    #[inline]
    pub fn new(producer: u16, number: u64) -> Self {
        assert!(number >> Self::NUMBER_BITS == 0, "item number {number} needs more than 48 bits");
        Self(u64::from(producer) << Self::NUMBER_BITS | number)
    }

    /// The value an item carries through the queue.
    #[inline]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// The item that carries this value through the queue.
    #[inline]
    pub const fn to_bits(self) -> u64 {
        self.0
    }

    /// Who pushed it.
    #[inline]
    pub const fn producer(self) -> u16 {
        (self.0 >> Self::NUMBER_BITS) as u16
    }

    /// As which of the producer's items.
    #[inline]
    pub const fn number(self) -> u64 {
        self.0 & ((1 << Self::NUMBER_BITS) - 1)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.producer(), self.number())
    }
}

/// What an operation did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Pushed its value.
    Push,
    /// Popped its value.
    Pop,
    /// A pop that found nothing; its value means nothing.
    Empty,
}

/// One completed operation: 32 bytes, since a run records millions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The value pushed or popped.
    pub value: Value,
    /// The instant of the call, in ticks.
    pub call: u64,
    /// The instant of the response, in ticks.
    pub response: u64,
    /// The thread that ran it.
    pub thread: u16,
    /// What it did.
    pub kind: Kind,
}

const _: () = assert!(size_of::<Operation>() == 32);

impl Operation {
    /// A push of `value`.
    #[inline]
    pub const fn push(thread: u16, value: Value, call: u64, response: u64) -> Self {
        Self { value, call, response, thread, kind: Kind::Push }
    }

    /// A pop, with what it returned.
    #[inline]
    pub const fn pop(thread: u16, popped: Option<Value>, call: u64, response: u64) -> Self {
        match popped {
            Some(value) => Self { value, call, response, thread, kind: Kind::Pop },
            None => Self { value: Value(0), call, response, thread, kind: Kind::Empty },
        }
    }
}
