//! How long a push, a pop and an item's way through the queue take, when items arrive by a schedule.

use core::fmt;
use core::hint::spin_loop;
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::{Acquire, Release};
use core::time::Duration;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Instant;

use crossbeam_utils::Backoff;
use serde::{Deserialize, Serialize};

use super::{Placement, race};
use crate::histogram::{Histogram, Recorder};
use crate::peers::{End, Peer, Role};

/// The times of one open-loop run. The schedule does not wait for the queue: an item that could only be
/// pushed late because an earlier push stalled is late by all of that, so a stall is counted for
/// everyone it delays (no coordinated omission).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Latency {
    /// Threads that push.
    pub producers: usize,
    /// Threads that pop.
    pub consumers: usize,
    /// Items a second in the schedule, of all producers together.
    pub offered_per_second: f64,
    /// Items a second that came through.
    pub achieved_per_second: f64,
    /// The part of the time in which all threads were running.
    pub overlap: f64,
    /// How often the system took the core away from each worker; empty where it does not tell.
    pub preempted: Vec<u64>,
    /// Allocations of all threads in that time.
    pub allocations: u64,
    /// From an item's place in the schedule until its push returned.
    pub push: Histogram,
    /// A pop that found an item, from call to return.
    pub pop: Histogram,
    /// From an item's place in the schedule until the pop that took it out returned.
    pub transit: Histogram,
}

/// Items that arrive by a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Threads that push.
    pub producers: usize,
    /// Threads that pop.
    pub consumers: usize,
    /// Items a second, of all producers together, at equal distances.
    pub per_second: u32,
}

impl Load {
    /// Every load.
    pub fn all() -> Vec<Self> {
        let load = |producers, consumers, per_second| Self { producers, consumers, per_second };
        vec![load(1, 1, 200_000), load(1, 1, 1_000_000), load(4, 1, 200_000), load(2, 2, 200_000)]
    }

    /// What bounded queues get.
    const CAPACITY: usize = 1_024;

    /// Runs it for about this long; the schedule is over then, and what is inside is still popped.
    pub fn run<P: Peer<u64>>(self, length: Duration) -> Latency {
        let Self { producers, consumers, per_second } = self;
        let gap = Duration::from_secs(1) / per_second;
        let queue = P::new(Self::CAPACITY);
        let origin = OnceLock::new();
        let producing = AtomicUsize::new(producers);
        let times: Mutex<[Recorder; 3]> = Mutex::default();
        let race = race(
            producers + consumers,
            Placement::Own,
            || (),
            |worker, gate| {
                let [mut push, mut pop, mut transit] = <[Recorder; 3]>::default();
                let span = if worker < producers {
                    let mut end = queue.end(Role::Producer);
                    gate.time(|| {
                        let origin = *origin.get_or_init(Instant::now);
                        let mut due = gap * index(worker);
                        while due < length {
                            wait_until(origin + due);
                            end.push(nanos(due));
                            push.note(nanos(origin.elapsed().saturating_sub(due)));
                            due += gap * index(producers);
                        }
                        producing.fetch_sub(1, Release);
                        0
                    })
                } else {
                    let mut end = queue.end(Role::Consumer);
                    gate.time(|| {
                        let origin = *origin.get_or_init(Instant::now);
                        let (mut items, backoff) = (0, Backoff::new());
                        loop {
                            // In this order: what they pushed before they finished is there to be found.
                            let is_last_look = producing.load(Acquire) == 0;
                            let call = origin.elapsed();
                            if let Some(due) = end.pop() {
                                let now = origin.elapsed();
                                pop.note(nanos(now.saturating_sub(call)));
                                transit.note(nanos(now).saturating_sub(due));
                                items += 1;
                                backoff.reset();
                            } else if is_last_look {
                                break;
                            } else {
                                backoff.snooze();
                            }
                        }
                        items
                    })
                };
                let mut times = times.lock().unwrap_or_else(PoisonError::into_inner);
                times.iter_mut().zip([&push, &pop, &transit]).for_each(|(all, mine)| all.add(mine));
                span
            },
        );
        let times = times.into_inner().unwrap_or_else(PoisonError::into_inner);
        let [push, pop, transit] = times.each_ref().map(Histogram::from);
        Latency {
            producers,
            consumers,
            offered_per_second: f64::from(per_second),
            achieved_per_second: race.operations as f64 * 1e9 / race.nanos as f64,
            overlap: race.overlap,
            preempted: race.preempted,
            allocations: race.allocated.allocations,
            push,
            pop,
            transit,
        }
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { producers, consumers, per_second } = self;
        write!(f, "latency {producers}:{consumers} {}k/s", per_second / 1_000)
    }
}

/// Waits for an item's place in the schedule. Threads that outnumber the cores must let others run.
fn wait_until(due: Instant) {
    const SOON: Duration = Duration::from_micros(5);
    loop {
        let left = due.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        if left > SOON { thread::yield_now() } else { spin_loop() }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "2^64 ns are 584 years")]
const fn nanos(time: Duration) -> u64 {
    time.as_nanos() as u64
}

fn index(worker: usize) -> u32 {
    u32::try_from(worker).expect("a few dozen workers")
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use super::Load;
    use crate::heap::is_counting;
    use crate::peers::Handles;
    use crate::peers::array_queue::ArrayQueue;

    const LENGTH: Duration = Duration::from_millis(30);

    #[test]
    fn every_item_of_the_schedule_is_timed_without_allocating() {
        assert!(is_counting());
        let load = Load { producers: 2, consumers: 2, per_second: 100_000 };
        let latency = load.run::<ArrayQueue<u64>>(LENGTH);
        let counts = [&latency.push, &latency.pop, &latency.transit].map(|times| times.count);
        assert_eq!(counts, [3_000; 3]);
        assert_eq!(latency.allocations, 0);
    }

    /// An item that a stall delays is late by what is left of the stall, and so are all behind it.
    #[test]
    fn a_stall_counts_for_everyone_it_delays() {
        use crate::peers::{End, Peer, Promise, Role};

        /// Pushes one item too late.
        struct Stalls(Handles<u64>);
        struct Stalling<'a>(<Handles<u64> as Peer<u64>>::End<'a>);
        impl Peer<u64> for Stalls {
            const NAME: &'static str = "stalls";
            const PACKAGE: &'static str = "";
            const USAGE: &'static str = "";
            const PROMISE: Promise = <Handles<u64> as Peer<u64>>::PROMISE;
            type End<'a> = Stalling<'a>;
            fn new(capacity: usize) -> Self {
                Self(Handles::new(capacity))
            }
            fn end(&self, role: Role) -> Stalling<'_> {
                Stalling(self.0.end(role))
            }
        }
        impl End<u64> for Stalling<'_> {
            fn push(&mut self, item: u64) {
                if item == 10_000_000 {
                    std::thread::sleep(Duration::from_millis(10));
                }
                self.0.push(item);
            }
            fn pop(&mut self) -> Option<u64> {
                self.0.pop()
            }
        }

        let load = Load { producers: 1, consumers: 1, per_second: 100_000 };
        let latency = load.run::<Stalls>(LENGTH);
        assert_eq!(latency.push.count, 3_000);
        // A third of the schedule falls into the stall; on average it waits for half of it.
        let late: u64 =
            latency.push.counts.iter().filter(|(n, _)| *n > 4_000_000).map(|b| b.1).sum();
        assert!(late > 500, "{late} of 3,000 items were late");
    }
}
