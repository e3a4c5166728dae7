//! Threads that run one at a time, the one whose clock is behind.

use core::cell::Cell;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use segring::lines::Access;

use super::{Caches, Costs};

/// The simulated machine. One for the process, as the queue knows one listener.
static MACHINE: Mutex<Option<Clocks>> = Mutex::new(None);
/// One for each core, so that a core wakes the one that is next and nobody else.
static TURN: [Condvar; 128] = [const { Condvar::new() }; 128];

std::thread_local! {
    static CORE: Cell<Option<usize>> = const { Cell::new(None) };
}

/// The cores' clocks, and what they count.
#[derive(Debug)]
struct Clocks {
    costs: Costs,
    caches: Caches,
    /// Nanoseconds; infinite for a core that has finished.
    now: Vec<f64>,
    /// Whose turn it is.
    turn: usize,
    /// Cores that are ready to start.
    ready: usize,
    /// Whether pauses take time, or are left out.
    pauses: bool,
    transfers: u64,
}

impl Clocks {
    fn next(&self) -> usize {
        let behind = self.now.iter().enumerate().min_by(|(_, a), (_, b)| a.total_cmp(b));
        behind.map_or(0, |(core, _)| core)
    }
}

fn machine() -> MutexGuard<'static, Option<Clocks>> {
    MACHINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for the turn of a core.
fn wait(core: usize, mut guard: MutexGuard<'static, Option<Clocks>>) {
    while guard.as_ref().is_some_and(|clocks| clocks.turn != core) {
        guard = TURN[core].wait(guard).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Gives the turn to whoever is behind.
fn pass(clocks: &mut Clocks) {
    clocks.turn = clocks.next();
    TURN[clocks.turn].notify_one();
}

/// What the queue tells of an access.
pub(super) fn hear(access: Access) {
    let Some(core) = CORE.get() else { return };
    let mut guard = machine();
    let Some(clocks) = guard.as_mut() else { return };
    let now = clocks.now[core];
    let (address, writes, more) = match access {
        Access::Load(address) => (address, false, 0.0),
        Access::Store(address) => (address, true, 0.0),
        Access::ReadModifyWrite(address) => (address, true, clocks.costs.read_modify_write),
        Access::Pause(time) => {
            if clocks.pauses {
                clocks.now[core] += time.as_secs_f64() * 1e9;
            }
            pass(clocks);
            return wait(core, guard);
        }
    };
    let (done, came) = clocks.caches.access(core, address, writes, now);
    clocks.now[core] = done + more;
    clocks.transfers += u64::from(came);
    if clocks.next() != core {
        pass(clocks);
        wait(core, guard);
    }
}

/// This core's time, and how many lines have come to all cores so far.
pub(super) fn clock() -> (f64, u64) {
    let core = CORE.get().expect("a simulated core asks");
    let guard = machine();
    let clocks = guard.as_ref().expect("it runs");
    (clocks.now[core], clocks.transfers)
}

/// Runs `work` on so many simulated cores, and returns what it returns.
///
/// # Panics
/// When there are more than 128, or `work` does.
pub(super) fn run<R: Send>(
    cores: usize,
    costs: Costs,
    pauses: bool,
    work: impl Fn(usize) -> R + Sync,
) -> Vec<R> {
    let caches = Caches::new(costs);
    let now = vec![0.0; cores];
    *machine() =
        Some(Clocks { costs, caches, now, turn: usize::MAX, ready: 0, pauses, transfers: 0 });
    let core = |core| {
        CORE.set(Some(core));
        let mut guard = machine();
        let clocks = guard.as_mut().expect("it runs");
        clocks.ready += 1;
        if clocks.ready == cores {
            pass(clocks);
        }
        wait(core, guard);
        let result = work(core);
        CORE.set(None);
        let mut guard = machine();
        let clocks = guard.as_mut().expect("it runs");
        clocks.now[core] = f64::INFINITY;
        pass(clocks);
        result
    };
    let results = thread::scope(|scope| {
        let core = &core;
        let threads: Vec<_> = (0..cores).map(|number| scope.spawn(move || core(number))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a core panicked")).collect()
    });
    *machine() = None;
    results
}
