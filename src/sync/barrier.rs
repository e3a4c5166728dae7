//! The asymmetric barrier pair: a cheap side for every push, a dear one for the rare give-up.
//!
//! A producer stores FULL, then loads `gave_up`; a consumer that gives up stores `gave_up`, then
//! looks for FULL. At least one of them must see the other's store, which takes a full barrier on
//! both sides. The kernel can run a barrier on every processor that runs a thread of this process
//! (Linux: `membarrier`, private expedited), and then the producer's side only has to keep the
//! compiler from swapping its two accesses. Elsewhere both sides are `fence(SeqCst)`.
//!
//! The C++ and Rust memory models do not know process-wide barriers: where they are used, the
//! argument rests on the kernel's documentation. Models, and builds with `--cfg segring_fences`
//! (sanitizers do not see the system call either), use fences on both sides.

use super::mutant;

#[cfg(not(all(target_os = "linux", not(any(segring_loom, segring_fences, miri)))))]
use fences as pair;
#[cfg(all(target_os = "linux", not(any(segring_loom, segring_fences, miri))))]
use process as pair;

/// Decides which pair is used. Called before the first ring is published; whoever sees a ring
/// has therefore synchronized with a decision, and the first decision stands for ever.
pub(crate) fn decide() {
    pair::decide();
}

/// The producer's side: orders the store of FULL before the load of `gave_up`.
#[inline]
pub(crate) fn light() {
    if !mutant("light-barrier-off") {
        pair::light();
    }
}

/// The consumer's side: orders the mark in `gave_up` before the look at the state.
pub(crate) fn heavy() {
    if !mutant("heavy-barrier-off") {
        pair::heavy();
    }
}

/// Full fences on both sides.
#[cfg(not(all(target_os = "linux", not(any(segring_loom, segring_fences, miri)))))]
mod fences {
    use super::super::{Ordering::SeqCst, fence};

    pub(super) fn decide() {}

    pub(super) fn light() {
        fence(SeqCst);
    }

    pub(super) fn heavy() {
        fence(SeqCst);
    }
}

/// The kernel's barrier, or full fences where it turns out not to be offered.
#[cfg(all(target_os = "linux", not(any(segring_loom, segring_fences, miri))))]
mod process {
    use core::time::Duration;

    use super::super::{
        AtomicU8,
        Ordering::{Relaxed, SeqCst},
        compiler_fence, fence,
    };
    use rustix::io::Errno;
    use rustix::thread::{MembarrierCommand as Command, membarrier, membarrier_query};

    const UNDECIDED: u8 = 0;
    const FENCES: u8 = 1;
    const PROCESS: u8 = 2;

    /// Store buffers drain within microseconds.
    const WITHDRAWN: Duration = Duration::from_millis(10);

    /// Written once, before the first ring is published. Relaxed: see [`super::decide`].
    static MODE: AtomicU8 = AtomicU8::new(UNDECIDED);

    pub(super) fn decide() {
        if MODE.load(Relaxed) == UNDECIDED {
            let mode = if is_offered() && register().is_ok() { PROCESS } else { FENCES };
            // Losing is fine: all that matters is that there is one decision.
            let _ = MODE.compare_exchange(UNDECIDED, mode, Relaxed, Relaxed);
        }
    }

    fn is_offered() -> bool {
        let offered = membarrier_query();
        offered.contains_command(Command::PrivateExpedited)
            && offered.contains_command(Command::RegisterPrivateExpedited)
    }

    fn register() -> Result<(), Errno> {
        membarrier(Command::RegisterPrivateExpedited)
    }

    #[inline]
    pub(super) fn light() {
        if MODE.load(Relaxed) == PROCESS {
            compiler_fence(SeqCst);
        } else {
            fence(SeqCst);
        }
    }

    pub(super) fn heavy() {
        if MODE.load(Relaxed) != PROCESS {
            fence(SeqCst);
        } else if !barrier() {
            // The kernel has withdrawn its barrier (a sandbox entered after the decision, say).
            // Outwait every store buffer instead: a store that a processor has executed is seen by
            // all others long before this is over, and one that it has not executed yet is
            // followed by a load that sees our mark.
            fence(SeqCst);
            std::thread::sleep(WITHDRAWN);
        }
    }

    fn barrier() -> bool {
        match membarrier(Command::PrivateExpedited) {
            // The registration belongs to the address space; a forked child has a new one.
            Err(Errno::PERM) => register().and_then(|()| membarrier(Command::PrivateExpedited)),
            result => result,
        }
        .is_ok()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_decision_is_made_once_and_matches_the_kernel() {
            decide();
            let first = MODE.load(Relaxed);
            assert_eq!(first == PROCESS, is_offered());
            decide();
            assert_eq!(MODE.load(Relaxed), first);
            assert!(first == FENCES || barrier());
        }

        /// Store buffering, the litmus test of the pair: both sides missing the other's store is
        /// the one outcome that must never be seen.
        #[test]
        fn at_least_one_side_sees_the_other() {
            use super::super::super::AtomicUsize;
            use std::sync::Barrier;

            const ROUNDS: usize = 2_000;
            decide();
            let full: Vec<_> = (0..ROUNDS).map(|_| AtomicUsize::new(0)).collect();
            let mark: Vec<_> = (0..ROUNDS).map(|_| AtomicUsize::new(0)).collect();
            let start = Barrier::new(2);
            let (producer, consumer) = std::thread::scope(|s| {
                let producer = s.spawn(|| {
                    start.wait();
                    (0..ROUNDS)
                        .map(|i| {
                            full[i].store(1, Relaxed);
                            light();
                            mark[i].load(Relaxed)
                        })
                        .collect::<Vec<_>>()
                });
                start.wait();
                let consumer: Vec<_> = (0..ROUNDS)
                    .map(|i| {
                        mark[i].store(1, Relaxed);
                        heavy();
                        full[i].load(Relaxed)
                    })
                    .collect();
                (producer.join().unwrap(), consumer)
            });
            assert!(producer.iter().zip(&consumer).all(|(&mark, &full)| mark + full > 0));
        }
    }
}
