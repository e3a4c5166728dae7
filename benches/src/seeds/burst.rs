//! A burst: how often rings resize, how long a single operation can take, and what is left.

use alloc::collections::VecDeque;
use std::time::Instant;

use comfy_table::Table;
use segring::seq::{HysteresisRing, InlineRing};

use super::old::EagerRing;
use super::rings::Ring;
use super::table;
use crate::compare::Spread;
use crate::heap::{Counts, peak_bytes, reset_peak};
use crate::report::Target;

/// Items of the burst, and those that stay.
const ITEMS: u64 = 1_000_000;
const LEFT: u64 = 1_000;
const ROUNDS: usize = 5;

/// What a burst of one ring came to, over some rounds.
#[derive(Clone, Debug)]
pub struct Burst {
    /// Whose.
    pub name: &'static str,
    /// Resizes of a round: larger and smaller.
    pub resizes: (u64, u64),
    /// Nanoseconds of the slowest push, by round; clock included.
    pub worst_push: Vec<f64>,
    /// Nanoseconds of the slowest pop.
    pub worst_pop: Vec<f64>,
    /// The most bytes it held.
    pub peak_bytes: i64,
    /// The bytes it holds for the items that stay.
    pub bytes_left: i64,
}

impl Burst {
    fn run<R: Ring<u64>>() -> Self {
        let mut burst = Self {
            name: R::NAME,
            resizes: (0, 0),
            worst_push: Vec::new(),
            worst_pop: Vec::new(),
            peak_bytes: 0,
            bytes_left: 0,
        };
        for _ in 0..ROUNDS {
            burst.round::<R>();
        }
        burst
    }

    fn round<R: Ring<u64>>(&mut self) {
        let before = Counts::now();
        reset_peak();
        let mut ring = R::default();
        let mut watch = Watch { capacity: ring.capacity(), resizes: (0, 0), worst: 0.0 };
        for n in 0..ITEMS {
            watch.time(&mut ring, |ring| ring.push(n));
        }
        self.worst_push.push(core::mem::take(&mut watch.worst));
        for n in 0..ITEMS - LEFT {
            watch.time(&mut ring, |ring| assert_eq!(ring.pop(), Some(n)));
        }
        self.worst_pop.push(watch.worst);
        self.resizes = watch.resizes;
        self.peak_bytes = peak_bytes() - before.live_bytes();
        // Readings are kept in vectors of their own; those are a few words.
        self.bytes_left = (Counts::now() - before).live_bytes();
    }

    /// One row a ring.
    pub fn table(bursts: &[Self]) -> Table {
        let mut table = table([
            "",
            "grown",
            "shrunk",
            "worst push, us",
            "worst pop, us",
            "peak, KiB",
            "left for 1,000, KiB",
        ]);
        for burst in bursts {
            let micros = |nanos: &[f64]| {
                let spread = Spread::of(nanos.iter().map(|nanos| nanos / 1e3));
                spread.map_or_else(String::new, |Spread { median, low, high }| {
                    format!("{median:.0} [{low:.0}-{high:.0}]")
                })
            };
            table.add_row([
                burst.name.to_owned(),
                burst.resizes.0.to_string(),
                burst.resizes.1.to_string(),
                micros(&burst.worst_push),
                micros(&burst.worst_pop),
                (burst.peak_bytes / 1024).to_string(),
                (burst.bytes_left / 1024).to_string(),
            ]);
        }
        table
    }
}

/// Times operations one by one and sees resizes.
struct Watch {
    capacity: usize,
    resizes: (u64, u64),
    worst: f64,
}

impl Watch {
    fn time<R: Ring<u64>>(&mut self, ring: &mut R, operation: impl FnOnce(&mut R)) {
        let start = Instant::now();
        operation(ring);
        self.worst = self.worst.max(start.elapsed().as_nanos() as f64);
        let capacity = ring.capacity();
        self.resizes.0 += u64::from(capacity > self.capacity);
        self.resizes.1 += u64::from(capacity < self.capacity);
        self.capacity = capacity;
    }
}

/// Every ring's burst.
pub fn all() -> Vec<Burst> {
    vec![
        Burst::run::<HysteresisRing<u64>>(),
        Burst::run::<InlineRing<u64, 1>>(),
        Burst::run::<EagerRing<u64>>(),
        Burst::run::<VecDeque<u64>>(),
    ]
}

/// What bursts are meant to leave.
pub fn targets(bursts: &[Burst]) -> Vec<Target> {
    let within = |burst: &Burst| burst.bytes_left.unsigned_abs() <= 4 * 8 * LEFT + 1024;
    let of = |name: &str| bursts.iter().find(|burst| burst.name == name);
    let (Some(ours), Some(deque)) = (of("HysteresisRing"), of("VecDeque")) else {
        return Vec::new();
    };
    vec![Target {
        subject: "memory after a burst".to_owned(),
        wanted: "within 4 times the items left, where a VecDeque's is not".to_owned(),
        measured: format!("{} and {} bytes", ours.bytes_left, deque.bytes_left),
        met: within(ours) && !within(deque),
    }]
}
