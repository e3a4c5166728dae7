//! When the sequential rings allocate, how much they hold, and what they do when there is nothing
//! to be had.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, reason = "tests have std")]

#[path = "seq_support/watch.rs"]
mod watch;

use std::collections::VecDeque;
use std::mem;
use std::process::Command;

use segring::Hysteresis;
use segring::seq::{CapacityError, HysteresisRing, InlineRing};
use watch::{BYTES, LATEST, MARK, MARKING, allocations, without_memory};

#[test]
fn traffic_inside_allocates_nothing() {
    fn cycles<const N: usize>() -> usize {
        allocations(|| {
            let mut ring = InlineRing::<[u64; 2], N>::new();
            for n in 0..10_000 {
                for _ in 0..N {
                    ring.push([n, n]);
                }
                while ring.pop().is_some() {}
            }
            ring = mem::take(&mut ring).into_iter().collect();
            assert!(ring.clone().is_inline());
        })
    }
    assert_eq!([cycles::<1>(), cycles::<2>(), cycles::<8>(), cycles::<32>()], [0; 4]);
}

#[test]
fn a_burst_of_an_inline_ring_allocates_once_and_gives_all_back() {
    let mut ring = InlineRing::<u64, 1>::new();
    let bytes = BYTES.get();
    for _ in 0..100 {
        let burst = allocations(|| (0..8).for_each(|n| ring.push(n)));
        assert_eq!((burst, BYTES.get() - bytes), (1, 64));
        let after = allocations(|| {
            while ring.pop().is_some() {}
            for n in 0..6 {
                ring.push(n);
                ring.pop();
            }
        });
        assert_eq!((after, BYTES.get() - bytes), (0, 0));
        assert!(ring.is_inline());
    }
}

/// Pushes and pops of a ring at a depth allocate nothing, wherever its borders lie.
#[test]
fn a_steady_backlog_allocates_nothing() {
    let mut ring = HysteresisRing::new();
    for backlog in [1, 2, 3, 4, 5, 15, 16, 17, 64, 65, 256, 257, 1023, 1024, 1025] {
        while ring.len() < backlog {
            ring.push(0_u64);
        }
        // The first growth belongs to the burst.
        ring.push(0);
        ring.pop();
        let steady = allocations(|| {
            for n in 0..5_000 {
                ring.push(n);
                ring.pop();
            }
        });
        assert_eq!(steady, 0, "backlog {backlog}");
    }
    // And on the way down, where each quarter is a border too.
    for backlog in (1..1025).rev() {
        ring.pop();
        assert_eq!(ring.len(), backlog);
        ring.push(0);
        ring.pop();
        let steady = allocations(|| {
            for n in 0..100 {
                ring.push(n);
                ring.pop();
            }
        });
        assert_eq!(steady, 0, "backlog {backlog}");
    }
}

#[test]
fn a_burst_is_given_back_to_within_four_times_of_what_is_left() {
    let start = BYTES.get();
    let mut ring: HysteresisRing<u64> = (0..100_000).collect();
    for left in [50_000, 10_000, 1000, 100, 10] {
        while ring.len() > left {
            ring.pop();
        }
        assert!(BYTES.get() - start <= 4 * 8 * left.cast_signed(), "{left}");
    }
    drop(ring);
    let mut deque: VecDeque<u64> = (0..100_000).collect();
    while deque.len() > 10 {
        deque.pop_front();
    }
    assert!(BYTES.get() - start >= 8 * 100_000);
}

/// Without memory for a larger array every item stays, and the new one comes back.
macro_rules! growth_failure {
    ($($name:ident: $ring:ty, $fits:expr;)*) => { $(
        #[test]
        fn $name() {
            let mut ring = <$ring>::new();
            for n in 0..$fits {
                ring.push(n.to_string());
            }
            // Wrapped, to make it harder.
            ring.pop();
            ring.push($fits.to_string());
            let item = String::from("the item");
            let address = item.as_ptr();
            let error = without_memory(|| ring.try_push(item)).unwrap_err();
            let least = 2 * 4 * size_of::<String>();
            assert!(matches!(error.reason(), CapacityError::NoMemory { bytes } if bytes >= least));
            let item = error.into_inner();
            assert_eq!((item.as_str(), item.as_ptr()), ("the item", address));
            assert!(without_memory(|| ring.try_reserve(1)).is_err());
            assert_eq!((ring.len(), ring.capacity()), ($fits, $fits));
            assert!(ring.iter().map(String::as_str).eq((1..=$fits).map(|n| n.to_string())));
            ring.push(item);
            assert_eq!(ring.into_iter().last().unwrap(), "the item");
        }
    )* };
}

growth_failure! {
    a_hysteresis_ring_that_cannot_grow_keeps_everything: HysteresisRing<String>, 16;
    an_inline_ring_that_cannot_leave_keeps_everything: InlineRing<String, 4>, 4;
    an_inline_ring_that_cannot_grow_keeps_everything: InlineRing<String, 4>, 16;
}

#[test]
fn a_ring_that_cannot_begin_returns_the_item() {
    let mut ring = HysteresisRing::new();
    let error = without_memory(|| ring.try_push(1_u64)).unwrap_err();
    assert_eq!(error.reason(), CapacityError::NoMemory { bytes: 16 });
    assert_eq!((error.into_inner(), ring.len(), ring.capacity()), (1, 0, 0));
}

#[test]
fn a_shrink_without_memory_is_put_off() {
    let mut ring: HysteresisRing<u64> = (0..16).collect();
    without_memory(|| {
        while ring.len() > 1 {
            ring.pop();
        }
    });
    assert_eq!((ring.capacity(), ring.front()), (16, Some(&15)));
    ring.clear();
    assert_eq!(ring.capacity(), 2);

    let mut ring: InlineRing<u64, 1> = (0..16).collect();
    without_memory(|| {
        ring.truncate(2);
        for n in 0..100 {
            ring.push(n);
            ring.pop();
        }
    });
    assert_eq!((ring.capacity(), ring.len()), (16, 2));
    // It begins to count anew and succeeds within another lap.
    for n in 0..16 {
        ring.push(n);
        ring.pop();
    }
    assert_eq!(ring.capacity(), 8);
    // The way inside needs no memory.
    assert_eq!((ring.pop(), ring.len()), (Some(14), 1));
    without_memory(|| {
        for n in 0..7 {
            ring.pop();
            ring.push(n);
        }
    });
    assert!(ring.is_inline() && ring.iter().eq(&[6]));
}

#[test]
fn unused_slots_of_an_array_are_not_touched() {
    MARKING.set(true);
    let mut ring = InlineRing::<u64, 2>::new();
    assert!(ring.try_reserve(16).is_ok());
    MARKING.set(false);
    let (array, size) = LATEST.get();
    assert_eq!((ring.capacity(), size), (16, 128));
    for n in 0..5 {
        ring.push(n);
        ring.pop();
    }
    let marked = |slot: usize| {
        (0..8).all(|byte| {
            let byte = array.wrapping_add(8 * slot + byte);
            // SAFETY: the allocator wrote every byte of the array, which is still the ring's.
            unsafe { byte.read_volatile() == MARK }
        })
    };
    assert!((0..5).all(|slot| !marked(slot)));
    assert!((5..16).all(marked));
    drop(ring);
}

#[test]
fn a_policy_with_patience_allocates_nothing_while_low() {
    let policy = Hysteresis::new().with_slots(64, 1024).unwrap();
    let mut ring = HysteresisRing::with(policy);
    ring.push(0_u64);
    let steady = allocations(|| {
        for n in 0..10_000 {
            ring.push(n);
            ring.pop();
        }
    });
    assert_eq!((steady, ring.capacity()), (0, 64));
}

/// `push` has no way to report the failure: it ends the process, as `Vec` does.
#[test]
fn push_without_memory_aborts() {
    const CHILD: &str = "SEGRING_TEST_PUSH_WITHOUT_MEMORY";
    match std::env::var(CHILD).as_deref() {
        Ok("hysteresis") => without_memory(|| HysteresisRing::new().push(1_u64)),
        Ok("inline") => without_memory(|| InlineRing::<u64, 1>::new().extend([1, 2])),
        _ => {
            for (ring, bytes) in [("hysteresis", 16), ("inline", 64)] {
                let output = Command::new(std::env::current_exe().unwrap())
                    .args(["--exact", "push_without_memory_aborts", "--nocapture"])
                    .env(CHILD, ring)
                    .output()
                    .unwrap();
                let message = String::from_utf8_lossy(&output.stderr);
                assert!(!output.status.success(), "{ring}");
                let expected = format!("memory allocation of {bytes} bytes failed");
                assert!(message.contains(&expected), "{ring}: {message}");
            }
        }
    }
}
