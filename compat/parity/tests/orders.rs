//! Memory orders that programs rely on: whoever goes to sleep over an empty or a full queue and
//! whoever could wake it do not miss each other.

use std::sync::atomic::Ordering::{self, Acquire, Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicUsize};

const ROUNDS: usize = 20_000;

/// One side sets a flag, with `order`, and looks at the queue: does it find nothing? The other
/// changes the queue and looks at the flag. At least one must see the other.
fn nobody_is_missed(
    order: Ordering,
    finds_nothing: impl Fn() -> bool,
    change: impl Fn() + Sync,
    reset: impl Fn(),
) {
    let asleep = AtomicBool::new(false);
    let seen = AtomicBool::new(false);
    let arrived = AtomicUsize::new(0);
    let meet = |nth: usize| {
        arrived.fetch_add(1, SeqCst);
        let mut looks = 0;
        while arrived.load(Acquire) < 2 * nth {
            looks += 1;
            if looks % 1_000 == 0 {
                std::thread::yield_now();
            }
        }
    };
    let mut missed = 0;
    std::thread::scope(|s| {
        s.spawn(|| {
            for round in 0..ROUNDS {
                meet(2 * round + 1);
                change();
                seen.store(asleep.load(SeqCst), Relaxed);
                meet(2 * round + 2);
            }
        });
        for round in 0..ROUNDS {
            reset();
            asleep.store(false, Relaxed);
            meet(2 * round + 1);
            asleep.store(true, order);
            let nothing = finds_nothing();
            meet(2 * round + 2);
            missed += usize::from(nothing && !seen.load(Relaxed));
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
