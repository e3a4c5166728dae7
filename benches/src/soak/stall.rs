//! Stalls threads in the middle of whatever they are doing: between taking a ticket and publishing,
//! between claiming and reading, or halfway through a change of rings.
//!
//! A thread that gives up its core between operations is harmless; one that is stopped within an
//! operation is what the others must cope with. The scheduler does that now and then. Here a signal
//! does it thousands of times a second: its handler dawdles for a while.

use core::hint::spin_loop;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;
use core::time::Duration;
use std::sync::{Mutex, Once, PoisonError};
use std::thread;

use nix::libc::c_int;
use nix::sys::pthread::{Pthread, pthread_kill, pthread_self};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

const SIGNAL: Signal = Signal::SIGUSR1;

/// For how many turns the next thread that gets the signal dawdles.
static TURNS: AtomicU32 = AtomicU32::new(0);

extern "C" fn dawdle(_: c_int) {
    // Nothing but an atomic load and a loop: safe in a handler.
    for _ in 0..TURNS.load(Relaxed) {
        spin_loop();
    }
    #[cfg(test)]
    tests::STALLED.fetch_add(1, Relaxed);
}

/// The threads of a round that can be stalled.
#[derive(Debug, Default)]
pub(super) struct Stalls {
    present: Mutex<Present>,
}

#[derive(Debug, Default)]
struct Present {
    working: Vec<Pthread>,
    finished: usize,
}

impl Stalls {
    /// Runs `work` in the calling thread, which can be stalled until it is done.
    pub(super) fn attend<R>(&self, work: impl FnOnce() -> R) -> R {
        let thread = pthread_self();
        self.with(|present| present.working.push(thread));
        let result = work();
        self.with(|present| {
            present.working.retain(|working| *working != thread);
            present.finished += 1;
        });
        result
    }

    /// Stalls one random thread after the other, until `threads` of them are done. Their lengths
    /// spread from below a microsecond to some tens, around the time that a pop waits for a push.
    pub(super) fn run(&self, threads: usize, seed: u64) {
        const PAUSE: Duration = Duration::from_micros(20);
        const LONGEST: u32 = 10;

        install();
        rest_briefly();
        let mut rng = fastrand::Rng::with_seed(seed);
        while self.with(|present| present.finished < threads) {
            let magnitude = rng.u32(1..=LONGEST);
            TURNS.store(rng.u32(..1 << magnitude), Relaxed);
            // Under the lock, so that the thread cannot leave meanwhile.
            self.with(|present| {
                if let Some(thread) = rng.choice(&present.working) {
                    let sent = pthread_kill(*thread, SIGNAL);
                    debug_assert_eq!(sent, Ok(()), "the thread is still at work");
                }
            });
            thread::sleep(PAUSE);
        }
    }

    fn with<R>(&self, look: impl FnOnce(&mut Present) -> R) -> R {
        look(&mut self.present.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let action =
            SigAction::new(SigHandler::Handler(dawdle), SaFlags::SA_RESTART, SigSet::empty());
        // SAFETY: the handler only does what is allowed in one, and nothing else here uses this
        // signal.
        let before = unsafe { sigaction(SIGNAL, &action) };
        before.expect("SIGUSR1 can be handled");
    });
}

/// Lets the calling thread sleep for as short a time as it asks for. Where that is not to be had, there
/// are fewer stalls.
fn rest_briefly() {
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_timerslack(1);
}

#[cfg(test)]
mod tests {
    use core::sync::atomic::AtomicU64;
    use core::sync::atomic::Ordering::Relaxed;
    use core::time::Duration;
    use std::thread;
    use std::time::Instant;

    use super::Stalls;

    pub(super) static STALLED: AtomicU64 = AtomicU64::new(0);

    #[test]
    fn threads_at_work_are_stalled_until_they_are_done() {
        let stalls = Stalls::default();
        let work = || {
            let start = Instant::now();
            while start.elapsed() < Duration::from_millis(100) {}
        };
        thread::scope(|scope| {
            scope.spawn(|| stalls.attend(work));
            scope.spawn(|| stalls.attend(work));
            stalls.run(2, 7);
        });
        let stalled = STALLED.load(Relaxed);
        assert!(stalled > 20, "only {stalled} stalls in a tenth of a second");
    }
}
