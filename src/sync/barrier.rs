//! The asymmetric barrier pair: a cheap side for every push and every pin, a dear one for the rare
//! give-up and for each ring retired.
//!
//! A producer stores FULL, then loads `gave_up`; a consumer that gives up stores `gave_up`, then
//! looks for FULL. At least one of them must see the other's store, which takes a full barrier on
//! both sides. (A thread that pins and one that retires a ring are in the same situation, see
//! [`crate::reclaim`].) The kernel can run a barrier on every processor that runs a thread of this process
//! (Linux: `membarrier`, private expedited), and then the producer's side only has to keep the
//! compiler from swapping its two accesses. Elsewhere both sides are `fence(SeqCst)`. (The idea is that
//! of desnoyers2012.)
//!
//! The C++ and Rust memory models do not know process-wide barriers: where they are used, the
//! argument rests on the kernel's documentation. Models, and builds with `--cfg segring_fences`
//! (sanitizers do not see the system call either), use fences on both sides.

use core::time::Duration;

use super::Ordering::SeqCst;
use super::mutant::is_faulty;
use super::{MODEL, compiler_fence, fence};

/// Which pair is employed. A ring, and a thread's record, have one from beginning to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pair {
    /// A fence on either side.
    Fences,
    /// The kernel's barrier on the heavy side.
    Process,
}

/// Store buffers drain within microseconds.
const OUTWAIT: Duration = Duration::from_millis(10);

impl Pair {
    /// The best pair that this system offers: the same at every call.
    pub(crate) fn choose() -> Self {
        if !MODEL && kernel::is_ready() { Self::Process } else { Self::Fences }
    }

    /// The cheap side: orders the store of FULL before the load of `gave_up`, and the showing of an
    /// epoch before the reading of shared pointers.
    #[inline]
    #[track_caller]
    pub(crate) fn light(self) {
        if is_faulty("off", "light") {
            return;
        }
        match self {
            Self::Process => compiler_fence(SeqCst),
            Self::Fences => fence(SeqCst),
        }
    }

    /// The dear side: orders the mark in `gave_up` before the look at the state, and the unlinking of
    /// a ring before its stamp.
    #[track_caller]
    pub(crate) fn heavy(self) {
        if is_faulty("off", "heavy") {
            return;
        }
        fence(SeqCst);
        if self == Self::Process && !kernel::barrier() {
            // The kernel has withdrawn its barrier (a sandbox entered meanwhile, say). Outwait
            // every store buffer instead: a store that a processor has executed is seen by all
            // others long before this is over, and one that it has not executed yet is followed by
            // a load that sees our mark.
            std::thread::sleep(OUTWAIT);
        }
    }
}

/// The kernel's process-wide barrier.
#[cfg(all(target_os = "linux", not(any(segring_fences, miri))))]
mod kernel {
    use rustix::io::Errno;
    use rustix::thread::{MembarrierCommand as Command, membarrier, membarrier_query};

    use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

    const UNKNOWN: u8 = 0;
    const READY: u8 = 1;
    const ABSENT: u8 = 2;

    /// Whether the kernel offers its barrier and this process is registered for it.
    pub(super) fn is_ready() -> bool {
        // Relaxed: several threads may ask and register, which does no harm; the first answer stays.
        static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);
        if STATE.load(Relaxed) == UNKNOWN {
            let state = if is_offered() && register().is_ok() { READY } else { ABSENT };
            let _ = STATE.compare_exchange(UNKNOWN, state, Relaxed, Relaxed);
        }
        STATE.load(Relaxed) == READY
    }

    pub(super) fn is_offered() -> bool {
        let offered = membarrier_query();
        offered.contains_command(Command::PrivateExpedited)
            && offered.contains_command(Command::RegisterPrivateExpedited)
    }

    fn register() -> Result<(), Errno> {
        membarrier(Command::RegisterPrivateExpedited)
    }

    /// Runs a full barrier on every processor that runs a thread of this process; false if not.
    pub(super) fn barrier() -> bool {
        match membarrier(Command::PrivateExpedited) {
            // The registration belongs to the address space; a forked child has a new one.
            Err(Errno::PERM) => register().and_then(|()| membarrier(Command::PrivateExpedited)),
            result => result,
        }
        .is_ok()
    }
}

/// No such barrier, or nobody to see it.
#[cfg(not(all(target_os = "linux", not(any(segring_fences, miri)))))]
mod kernel {
    pub(super) fn is_ready() -> bool {
        false
    }

    pub(super) fn barrier() -> bool {
        false
    }
}

#[cfg(all(test, not(segring_loom)))]
mod tests {
    use super::super::{AtomicUsize, Ordering::Relaxed};
    use super::*;
    use std::sync::Barrier;

    #[test]
    #[cfg(all(target_os = "linux", not(any(segring_fences, miri))))]
    fn the_choice_matches_the_kernel() {
        assert_eq!(Pair::choose() == Pair::Process, kernel::is_offered());
        assert_eq!(Pair::choose(), Pair::choose());
        assert_eq!(kernel::barrier(), kernel::is_offered());
    }

    /// Store buffering, the litmus test of the pair: both sides missing the other's store is the
    /// one outcome that must never be seen.
    fn at_least_one_side_sees_the_other(pair: Pair) {
        const ROUNDS: usize = 2_000;
        let full: Vec<_> = (0..ROUNDS).map(|_| AtomicUsize::new(0)).collect();
        let mark: Vec<_> = (0..ROUNDS).map(|_| AtomicUsize::new(0)).collect();
        let start = Barrier::new(2);
        let (producer, consumer) = std::thread::scope(|s| {
            let producer = s.spawn(|| {
                start.wait();
                let publish = |i: usize| {
                    full[i].store(1, Relaxed);
                    pair.light();
                    mark[i].load(Relaxed)
                };
                (0..ROUNDS).map(publish).collect::<Vec<_>>()
            });
            start.wait();
            let give_up = |i: usize| {
                mark[i].store(1, Relaxed);
                pair.heavy();
                full[i].load(Relaxed)
            };
            let consumer: Vec<_> = (0..ROUNDS).map(give_up).collect();
            (producer.join().unwrap(), consumer)
        });
        assert!(producer.iter().zip(&consumer).all(|(&mark, &full)| mark + full > 0));
    }

    #[test]
    fn the_best_pair_excludes() {
        at_least_one_side_sees_the_other(Pair::choose());
    }

    #[test]
    fn the_fences_exclude() {
        at_least_one_side_sees_the_other(Pair::Fences);
    }
}
