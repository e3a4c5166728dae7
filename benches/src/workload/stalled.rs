//! What a producer that stops in the middle of a push does to the others.
//!
//! A signal stops it wherever it is, by a handler that sleeps until it is told to stop. That needs no hook
//! in a queue, so it treats all alike. A producer does little else than push, so it is mostly stopped
//! within one, but not always: what counts is the share of trials that stop the others, and that share is
//! nothing for a queue which nothing stops. Whoever allocates for every item may be stopped inside the
//! allocator, which then stops others too: that is a price of allocating, and is counted.

use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{Relaxed, SeqCst};
use core::time::Duration;
use std::sync::{Mutex, Once, OnceLock, PoisonError};
use std::thread;
use std::time::Instant;

use crossbeam_utils::{Backoff, CachePadded};
use nix::libc::c_int;
use nix::sys::pthread::{Pthread, pthread_kill, pthread_self};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use serde::{Deserialize, Serialize};

use super::meter::{Amount, Meter};
use super::{Placement, race};
use crate::peers::{End, Peer, Role};

/// Many trials. In each a producer is stopped until another producer and a consumer have moved a few
/// hundred items, or for [`Stalled::PATIENCE`] if they do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stalled {
    /// How often a producer was stopped.
    pub trials: u64,
    /// Trials in which the consumer did not get enough out.
    pub consumer_stopped: u64,
    /// Trials in which the other producer could not go on either.
    pub producer_stopped: u64,
    /// Items popped while a producer was stopped, in all trials.
    pub moved: u64,
    /// How long one was stopped, in all trials.
    pub nanos: u64,
}

const SIGNAL: Signal = Signal::SIGUSR2;

/// Of a stop: none, asked for, in force, no longer asked for.
static STOP: AtomicU64 = AtomicU64::new(NONE);
const NONE: u64 = 0;
const WANTED: u64 = 1;
const STOPPED: u64 = 2;
const OVER: u64 = 3;

extern "C" fn stop(_: c_int) {
    // Atomic operations and sleeping: safe in a handler.
    STOP.store(STOPPED, SeqCst);
    while STOP.load(SeqCst) == STOPPED {
        thread::sleep(Duration::from_micros(50));
    }
    STOP.store(NONE, SeqCst);
}

/// What the others have done: items for the consumer, turns for the producer.
#[derive(Default)]
struct Done(CachePadded<AtomicU64>);

impl Done {
    fn note(&self) {
        self.0.fetch_add(1, Relaxed);
    }

    fn read(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

impl Stalled {
    /// Longer than the system takes a core away from anybody, on a machine that is not overloaded.
    pub const PATIENCE: Duration = Duration::from_millis(100);
    /// Items that both others are to move while the producer is stopped.
    const ENOUGH: u64 = 256;
    /// Trials are fast where nobody is stopped.
    const MOST_TRIALS: u64 = 2_000;

    /// Runs trials for about this long.
    ///
    /// # Panics
    /// When a thread cannot be signalled.
    pub fn run<P: Peer<u64>>(length: Duration) -> Self {
        // The signal and its handler belong to the process.
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        install();

        let queue = P::new(1_024);
        let (pushed, popped) = (Meter::endless(), Meter::new(Amount::Time(length)));
        let (turns, items) = (Done::default(), Done::default());
        let victim: OnceLock<Pthread> = OnceLock::new();
        let producing = AtomicU64::new(2);
        let mut sum = Self::default();
        let trials = || {
            let until = Instant::now() + length;
            while Instant::now() < until && sum.trials < Self::MOST_TRIALS {
                let victim = *victim.get().expect("the workers have passed the gate");
                sum.trial(victim, &turns, &items);
                thread::sleep(Duration::from_micros(100));
            }
            popped.end();
        };
        race(3, Placement::Own, trials, |worker, gate| {
            if worker == 2 {
                let mut end = queue.end(Role::Consumer);
                return gate.time(|| {
                    let (mut count, backoff) = (0, Backoff::new());
                    while producing.load(SeqCst) > 0 {
                        if end.pop().is_some() {
                            items.note();
                            count += 1;
                            popped.note(count);
                            backoff.reset();
                        } else {
                            backoff.snooze();
                        }
                    }
                    count
                });
            }
            let mut end = queue.end(Role::Producer);
            if worker == 0 {
                victim.get_or_init(pthread_self);
            }
            gate.time(|| {
                let (mut count, backoff) = (0, Backoff::new());
                while !popped.is_over() {
                    if worker == 1 {
                        turns.note();
                    }
                    if count % Meter::STEP == 0 && pushed.is_ahead_of(&popped) {
                        backoff.snooze();
                        continue;
                    }
                    end.push(count);
                    count += 1;
                    pushed.note(count);
                    backoff.reset();
                }
                producing.fetch_sub(1, SeqCst);
                count
            })
        });
        sum
    }

    /// Stops the victim and sees whether the others go on.
    fn trial(&mut self, victim: Pthread, turns: &Done, items: &Done) {
        STOP.store(WANTED, SeqCst);
        pthread_kill(victim, SIGNAL).expect("the producer is at work");
        while STOP.load(SeqCst) == WANTED {
            thread::yield_now();
        }
        let (start, turns_before, items_before) = (Instant::now(), turns.read(), items.read());
        let lacks = |done: &Done, before| done.read() - before < Self::ENOUGH;
        let is_short = || lacks(turns, turns_before) || lacks(items, items_before);
        while is_short() && start.elapsed() < Self::PATIENCE {
            thread::sleep(Duration::from_micros(50));
        }
        self.trials += 1;
        self.producer_stopped += u64::from(lacks(turns, turns_before));
        self.consumer_stopped += u64::from(lacks(items, items_before));
        self.moved += items.read() - items_before;
        self.nanos += u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        STOP.store(OVER, SeqCst);
        while STOP.load(SeqCst) == OVER {
            thread::yield_now();
        }
    }
}

fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let action =
            SigAction::new(SigHandler::Handler(stop), SaFlags::SA_RESTART, SigSet::empty());
        // SAFETY: the handler only does what is allowed in one, and nothing else here uses this signal.
        let before = unsafe { sigaction(SIGNAL, &action) };
        before.expect("SIGUSR2 can be handled");
    });
}

#[cfg(test)]
mod tests {
    use core::time::Duration;
    use std::time::Instant;

    use super::Stalled;
    use crate::peers::Handles;
    use crate::peers::mutex_deque::MutexDeque;

    #[test]
    fn a_lock_is_stopped_and_a_lock_free_queue_is_not() {
        let length = Duration::from_millis(400);
        // A machine that is busy with other things may itself stop threads for longer than PATIENCE.
        let is_stopped = |ours: &Stalled| ours.consumer_stopped + ours.producer_stopped > 0;
        let mut runs = (0..10).map(|_| Stalled::run::<Handles<u64>>(length));
        let ours = runs.find(|ours| !is_stopped(ours)).expect("ten runs, all of them stopped");
        assert!(ours.trials > 0 && ours.moved > 0, "{ours:?}");
        // The signal has to come while the lock is held: sooner or later.
        let start = Instant::now();
        let stops = || {
            let lock = Stalled::run::<MutexDeque<u64>>(length);
            (lock.consumer_stopped > 0, lock.producer_stopped > 0)
        };
        let (mut consumer, mut producer) = (false, false);
        while !(consumer && producer) {
            assert!(start.elapsed() < Duration::from_mins(2), "{consumer} {producer}");
            let stopped = stops();
            (consumer, producer) = (consumer || stopped.0, producer || stopped.1);
        }
    }
}
