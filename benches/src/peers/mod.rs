//! The queues that are compared, behind one small trait, one file each.
//!
//! A new peer is one file that implements [`Peer`], and its line in `peers!`.

pub(crate) mod array_queue;
mod concurrent_bounded;
mod concurrent_unbounded;
mod kanal;
pub(crate) mod mutex_deque;
pub(crate) mod seg_queue;
mod segring_bounded;
mod segring_handle;
mod segring_mpsc;
mod segring_queue;
pub(crate) mod std_mpsc;
mod two_counters;

use alloc::sync::Arc;
use core::fmt;
use core::ops::AddAssign;
use core::time::Duration;

use crossbeam_utils::Backoff;
use serde::{Deserialize, Serialize};

use segring::PushError;

use crate::clock::Clock;
use crate::soak::Fault;
use crate::soak::circulation::Circulation;
use crate::soak::contended::{self, Logs, Outcome, Scenario};
use crate::workload::{
    Aligned, Amount, Burst, Bytes, Case, ItemKind, Large, Latency, Load, Memory, Resize, Sample,
    Stalled, carry,
};

pub use segring_bounded::{Bounded, BoundedHandles};
pub use segring_handle::Handles;
pub(crate) use segring_mpsc::OneConsumer;
pub use segring_queue::Shared;

/// A queue of `T` that threads use through an end of their own.
pub trait Peer<T>: Sync + Sized {
    /// As the tables call it.
    const NAME: &'static str;
    /// The package that it comes from.
    const PACKAGE: &'static str;
    /// How it is used: its fastest documented way.
    const USAGE: &'static str;
    /// What it promises, so that a number is not read without it.
    const PROMISE: Promise;

    /// What one thread pushes and pops through.
    type End<'a>: End<T>
    where
        Self: 'a;

    /// An empty queue. Bounded queues take `capacity` items, the others ignore it.
    fn new(capacity: usize) -> Self;

    /// An empty queue whose rings go from `least` to `most` slots, if it has such.
    fn resizing(_least: usize, most: usize) -> Self {
        Self::new(most)
    }

    /// An end for the calling thread.
    ///
    /// # Panics
    /// When a queue for a single consumer already has one.
    fn end(&self, role: Role) -> Self::End<'_>;

    /// Its resizable insides, if it has any.
    fn upkeep(&self) -> Option<&dyn Upkeep> {
        None
    }

    /// Bytes that are retired and not free, if it has such.
    fn retired_bytes(&self) -> Option<usize> {
        self.upkeep().map(Upkeep::retired_bytes)
    }
}

/// A queue that can be closed.
pub trait Closes<T>: Peer<T> {
    /// Closes it for pushes; true for the one call that did it.
    fn close(&self) -> bool;

    /// Appends an item if that can be done at once.
    ///
    /// # Errors
    /// When it cannot.
    fn offer<'a>(end: &mut Self::End<'a>, item: T) -> Result<(), Refusal>
    where
        Self: 'a;
}

/// Why an item was not appended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no room.
    Full,
    /// The queue is closed.
    Closed,
}

impl Refusal {
    /// Of our queues. (Without memory a soak is over.)
    fn of<T>(error: &PushError<T>) -> Self {
        match error {
            PushError::Full(_) => Self::Full,
            PushError::Closed(_) => Self::Closed,
            PushError::NoMemory(_) => panic!("{error}"),
        }
    }
}

/// One thread's access to a queue.
pub trait End<T> {
    /// Appends an item. A full bounded queue makes the caller spin, then yield, until it has room.
    fn push(&mut self, item: T);

    /// Takes the oldest item, or finds nothing.
    fn pop(&mut self) -> Option<T>;

    /// Appends all of them, in order: one by one, unless the queue has a call for many.
    #[inline]
    fn push_all(&mut self, items: impl ExactSizeIterator<Item = T>) {
        items.for_each(|item| self.push(item));
    }

    /// Takes up to `most` items, in order: one by one, unless the queue has a call for many; if that
    /// has no limit, all that are inside.
    #[inline]
    fn pop_all(&mut self, items: &mut Vec<T>, most: usize) {
        items.extend(core::iter::from_fn(|| self.pop()).take(most));
    }
}

/// What a thread will do with its end. Only queues for a single consumer care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Push only.
    Producer,
    /// Pop, and perhaps push.
    Consumer,
}

/// The calls of a queue that resizes, besides push and pop.
pub trait Upkeep: Sync {
    /// Items inside, exact when nothing is in flight.
    fn depth(&self) -> usize;
    /// Asks for the smallest ring that holds what is inside.
    fn shrink_to_fit(&self);
    /// Slots of the current ring.
    fn segment_capacity(&self) -> usize;
    /// Frees what can be freed, and returns the bytes that are still retired.
    fn reclaim(&self) -> usize;
    /// Bytes that are retired and not free.
    fn retired_bytes(&self) -> usize;
    /// What has happened to its rings so far.
    fn rings(&self) -> Rings;
}

/// How often a ring was followed by another, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rings {
    /// By a larger one.
    pub grows: usize,
    /// By a smaller one.
    pub shrinks: usize,
    /// By one of the same size, because a stalled thread was in the way.
    pub jams: usize,
    /// By a smallest one, because whoever closed it was slow to link its own.
    pub helped: usize,
    /// Tickets that a consumer passed over.
    pub give_ups: usize,
}

impl AddAssign for Rings {
    fn add_assign(&mut self, other: Self) {
        self.grows += other.grows;
        self.shrinks += other.shrinks;
        self.jams += other.jams;
        self.helped += other.helped;
        self.give_ups += other.give_ups;
    }
}

impl fmt::Display for Rings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { grows, shrinks, jams, helped, give_ups } = self;
        write!(f, "{grows} grown, {shrinks} shrunk, {jams} jammed, {helped} helped, ")?;
        write!(f, "{give_ups} tickets given up")
    }
}

/// What a queue promises to its users.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Promise<Text = &'static str> {
    /// What a stalled thread does to the others.
    pub progress: Progress,
    /// How many items fit.
    pub bound: Bound,
    /// How many threads may pop.
    pub consumers: Consumers,
    /// When it allocates.
    pub memory: Text,
}

/// What a thread that stalls in the middle of an operation does to the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Progress {
    /// Nothing, the allocator and the system's calls aside.
    LockFree,
    /// It may stop them.
    Blocking,
    /// Not a queue: a floor under the cost of one.
    Floor,
}

/// How many items fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bound {
    /// As many as memory holds.
    Unbounded,
    /// A number fixed when it is made.
    Bounded,
}

/// How many threads may pop at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Consumers {
    /// Any number.
    Many,
    /// One.
    One,
}

impl<Text> fmt::Display for Promise<Text> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.progress {
            Progress::LockFree => "lock-free",
            Progress::Blocking => "blocking",
            Progress::Floor => "floor, no queue",
        })?;
        if self.bound == Bound::Bounded {
            f.write_str(", bounded")?;
        }
        if self.consumers == Consumers::One {
            f.write_str(", 1 consumer")?;
        }
        Ok(())
    }
}

/// A peer with its type erased; the loops behind the function pointers are statically dispatched.
#[derive(Clone, Copy, Debug)]
pub struct Competitor {
    /// As the tables call it.
    pub name: &'static str,
    /// The package that it comes from.
    pub package: &'static str,
    /// How it is used.
    pub usage: &'static str,
    /// What it promises.
    pub promise: Promise,
    run: fn(Case, Amount, u64) -> Sample,
    /// Nothing for who carries only numbers.
    large: Option<Large>,
    /// Runs a burst.
    pub burst: fn() -> Burst,
    /// Runs and checks a contended round.
    pub contend: fn(&Scenario, &Clock, &mut Logs) -> Result<Outcome, Fault>,
    /// Runs and checks a circulation.
    pub circulate: fn(&Circulation) -> Result<u64, Fault>,
    /// Runs a burst and reads the memory.
    pub memory: fn() -> Memory,
    /// Goes up and down in size.
    pub resize: fn(usize) -> Resize,
    /// Takes items by a schedule.
    pub latency: fn(Load, Duration) -> Latency,
    /// Goes on beside a stopped producer, or not.
    pub stalled: fn(Duration) -> Stalled,
    #[cfg(test)]
    is_fifo: fn() -> bool,
}

impl Competitor {
    /// A peer, as a competitor.
    pub const fn of<P: Peer<u64>>() -> Self {
        Self {
            name: P::NAME,
            package: P::PACKAGE,
            usage: P::USAGE,
            promise: P::PROMISE,
            run: Case::sample::<P>,
            large: None,
            burst: Burst::run::<P>,
            contend: |scenario, clock, logs| {
                let pushes = scenario.operations * usize::from(scenario.threads);
                contended::run(&P::new(pushes), scenario, clock, logs)
            },
            circulate: |circulation| circulation.run(&P::new(circulation.items)),
            memory: Memory::run::<P>,
            resize: Resize::run::<P>,
            latency: Load::run::<P>,
            stalled: Stalled::run::<P>,
            #[cfg(test)]
            is_fifo: is_fifo::<P>,
        }
    }

    /// Runs a case with a seed.
    ///
    /// # Panics
    /// When it does not enter the case.
    pub fn sample(&self, case: Case, amount: Amount, seed: u64) -> Sample {
        match case {
            Case::Large { item, threads } => {
                let large = self.large.expect("who carries only numbers does not enter");
                large(item, threads, amount)
            }
            _ => (self.run)(case, amount, seed),
        }
    }

    /// Whether it can run `case` at all.
    pub fn enters(&self, case: Case) -> bool {
        let pops = self.has_consumers(case.consumers());
        pops && (self.is_queue() || case.is_for_counters())
    }

    /// Whether so many threads may pop.
    pub fn has_consumers(&self, consumers: usize) -> bool {
        self.promise.consumers == Consumers::Many || consumers == 1
    }

    /// Whether it really holds items.
    pub fn is_queue(&self) -> bool {
        self.promise.progress != Progress::Floor
    }
}

/// A competitor that carries items of every type.
macro_rules! competitor {
    ($($queue:ident)::+) => {
        Competitor {
            large: Some(|item, threads, amount| {
                let capacity = Case::Large { item, threads }.capacity();
                match item {
                    ItemKind::Word => carry::<u64, $($queue)::+<u64>>(capacity, threads, amount),
                    ItemKind::Line => carry::<Bytes<64>, $($queue)::+<_>>(capacity, threads, amount),
                    ItemKind::Kibibyte => {
                        carry::<Bytes<1024>, $($queue)::+<_>>(capacity, threads, amount)
                    }
                    ItemKind::Boxed => carry::<Box<u64>, $($queue)::+<_>>(capacity, threads, amount),
                    ItemKind::Shared => carry::<Arc<u64>, $($queue)::+<_>>(capacity, threads, amount),
                    ItemKind::Aligned => carry::<Aligned, $($queue)::+<_>>(capacity, threads, amount),
                }
            }),
            ..Competitor::of::<$($queue)::+<u64>>()
        }
    };
}

/// Those of a short comparison; the first ones are ours.
pub fn short_roster() -> Vec<Competitor> {
    vec![
        competitor!(Handles),
        competitor!(Shared),
        competitor!(OneConsumer),
        competitor!(BoundedHandles),
        competitor!(Bounded),
        competitor!(seg_queue::SegQueue),
        competitor!(array_queue::ArrayQueue),
        competitor!(concurrent_unbounded::Unbounded),
        competitor!(concurrent_bounded::Bounded),
        competitor!(std_mpsc::Mpsc),
        competitor!(kanal::Kanal),
        competitor!(mutex_deque::MutexDeque),
        Competitor::of::<two_counters::TwoCounters>(),
    ]
}

/// Files of this directory, and the queue in each.
macro_rules! peers {
    ($($file:ident::$queue:ident,)*) => {
        $(mod $file;)*

        /// Those of a long comparison only.
        fn others() -> Vec<Competitor> {
            vec![$(competitor!($file::$queue)),*]
        }
    };
}

peers! {
    crossbeam_channel::Channel,
    flume::Flume,
    crossfire::Crossfire,
    thingbuf::Thing,
    lfqueue::Lscq,
    lprq::Lprq,
    faaa_queue::Faaa,
    sdd::Sdd,
}

/// Everything that is compared; the first ones are ours.
pub fn roster() -> Vec<Competitor> {
    short_roster().into_iter().chain(others()).collect()
}

/// Offers an item to a bounded queue until it is taken.
#[inline]
fn push_until_taken<T>(mut item: T, mut offer: impl FnMut(T) -> Result<(), T>) {
    let backoff = Backoff::new();
    while let Err(rejected) = offer(item) {
        item = rejected;
        backoff.snooze();
    }
}

#[cfg(test)]
fn is_fifo<P: Peer<u64>>() -> bool {
    let queue = P::new(64);
    let mut end = queue.end(Role::Consumer);
    (1..=64).for_each(|item| end.push(item));
    (1..=64).all(|item| end.pop() == Some(item)) && end.pop().is_none()
}

#[cfg(test)]
mod tests {
    use super::{Bound, Consumers, Progress, roster};
    use crate::workload::Case;

    #[test]
    fn every_peer_but_the_floor_is_a_queue() {
        for competitor in roster() {
            assert_eq!((competitor.is_fifo)(), competitor.is_queue(), "{}", competitor.name);
        }
    }

    #[test]
    fn a_single_consumer_enters_only_its_cases() {
        for competitor in roster() {
            let many = Case::Rayon { producers: 2, consumers: 2 };
            let one = Case::Rayon { producers: 2, consumers: 1 };
            assert!(competitor.enters(one));
            assert_eq!(competitor.enters(many), competitor.promise.consumers == Consumers::Many);
        }
    }

    #[test]
    fn the_readme_speaks_of_peers_that_there_are() {
        let readme = include_str!("../../README.md").replace("&lt;", "<").replace("&gt;", ">");
        let (_, peers) = readme.split_once("## Peers").unwrap();
        let rows = peers.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
        let rows: Vec<_> = rows.take_while(|name| *name != "kind").skip(1).collect();
        assert!(rows.len() > 10, "{rows:?}");
        for row in rows {
            // Some rows are for two of a family: "crossbeam SegQueue, ArrayQueue".
            let family = row.split(' ').next().unwrap();
            for name in row.split(", ") {
                let known = |peer: &str| peer == name || peer == format!("{family} {name}");
                assert!(roster().iter().any(|peer| known(peer.name)), "no peer is called {name}");
            }
        }
    }

    #[test]
    fn a_promise_says_what_is_missing() {
        let promise = |name| roster().into_iter().find(|c| c.name == name).unwrap().promise;
        let array = promise("crossbeam ArrayQueue");
        assert_eq!((array.progress, array.bound), (Progress::Blocking, Bound::Bounded));
        assert_eq!(array.to_string(), "blocking, bounded");
        assert_eq!(promise("std mpsc").to_string(), "blocking, 1 consumer");
    }
}
