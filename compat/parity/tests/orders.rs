//! Memory orders that programs rely on: whoever goes to sleep over an empty or a full queue and
//! whoever could wake it do not miss each other.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release, SeqCst};

const ROUNDS: usize = 20_000;

/// A cache line, and its neighbour.
#[derive(Default)]
#[repr(align(128))]
struct Line(AtomicUsize);

impl Line {
    fn set(&self, value: usize, order: Ordering) {
        self.0.store(value, order);
    }

    fn wait_for(&self, value: usize) {
        for looks in 1.. {
            if self.0.load(Acquire) == value {
                return;
            }
            if looks % 1_000 == 0 {
                std::thread::yield_now();
            }
        }
    }
}

/// One side sets a flag, with `order`, and looks at the queue: does it find nothing? The other
/// changes the queue and looks at the flag. At least one must see the other.
fn nobody_is_missed(
    order: Ordering,
    finds_nothing: impl Fn() -> bool,
    change: impl Fn() + Sync,
    reset: impl Fn(),
) {
    let [ready, start, seen, done, asleep] = std::array::from_fn(|_| Line::default());
    // Stores to places that no cache has: they keep the flag's waiting.
    let far: Vec<Line> = std::iter::repeat_with(Line::default).take(1 << 18).collect();
    let weigh_down = |round: usize| {
        for n in 16 * round..16 * (round + 1) {
            far[n.wrapping_mul(0x9e37_79b1) % far.len()].set(n, Relaxed);
        }
    };
    let mut missed = 0;
    std::thread::scope(|s| {
        s.spawn(|| {
            for round in 1..=ROUNDS {
                ready.set(round, SeqCst);
                start.wait_for(round);
                change();
                seen.set(asleep.0.load(SeqCst), Relaxed);
                done.set(round, Release);
            }
        });
        for round in 1..=ROUNDS {
            reset();
            asleep.set(0, SeqCst);
            ready.wait_for(round);
            let before = finds_nothing();
            start.set(round, Release);
            weigh_down(round);
            asleep.set(1, order);
            let nothing = finds_nothing();
            done.wait_for(round);
            missed += usize::from(!before || nothing && seen.0.load(Relaxed) == 0);
        }
    });
    assert_eq!(missed, 0, "of {ROUNDS} rounds");
}

macro_rules! orders {
    ($module:ident: $crossbeam:ident, $concurrent:ident) => {
        mod $module {
            use super::{Relaxed, SeqCst, nobody_is_missed};
            use $concurrent::ConcurrentQueue;
            use $crossbeam::{ArrayQueue, SegQueue};

            #[test]
            fn seg_queue() {
                let q = SegQueue::new();
                let empty = || while q.pop().is_some() {};
                nobody_is_missed(Relaxed, || q.pop().is_none(), || q.push(1), empty);
                nobody_is_missed(SeqCst, || q.is_empty(), || q.push(1), empty);
                nobody_is_missed(SeqCst, || q.len() == 0, || q.push(1), empty);
            }

            #[test]
            fn array_queue() {
                let q = ArrayQueue::new(3);
                let empty = || while q.pop().is_some() {};
                let push = || q.push(1).unwrap();
                nobody_is_missed(Relaxed, || q.pop().is_none(), push, empty);
                nobody_is_missed(SeqCst, || q.is_empty(), push, empty);
                let fill = || while q.push(1).is_ok() {};
                let pop = || assert_eq!(q.pop(), Some(1));
                nobody_is_missed(Relaxed, || q.push(1).is_err(), pop, fill);
                nobody_is_missed(SeqCst, || q.is_full(), pop, fill);
            }

            #[test]
            fn concurrent_queue() {
                for q in [
                    ConcurrentQueue::bounded(1),
                    ConcurrentQueue::bounded(3),
                    ConcurrentQueue::unbounded(),
                ] {
                    let empty = || while q.pop().is_ok() {};
                    let push = || q.push(1).unwrap();
                    nobody_is_missed(Relaxed, || q.pop().is_err(), push, empty);
                    nobody_is_missed(SeqCst, || q.is_empty(), push, empty);
                    if q.capacity().is_some() {
                        let fill = || while q.push(1).is_ok() {};
                        let pop = || assert_eq!(q.pop(), Ok(1));
                        nobody_is_missed(Relaxed, || q.push(1).is_err(), pop, fill);
                        nobody_is_missed(SeqCst, || q.is_full(), pop, fill);
                    }
                }
            }
        }
    };
}
orders!(ours: ours_crossbeam_queue, ours_concurrent_queue);
orders!(theirs: theirs_crossbeam_queue, theirs_concurrent_queue);
