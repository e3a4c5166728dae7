//! Tiers A and B for the queue with one consumer: it claims and leaves without the others' exchanges,
//! and each end sees the other one go away. (The ring alone is in `ring.rs`.)
#![cfg(segring_loom)]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use loom_tests::check;
use loom_tests::spec::Op::{
    Close, DropConsumer, DropProducer, IsClosed, IsEmpty, Pop, PopBatch, Push, Reclaim, Shrink,
    TryPop,
};
use loom_tests::spec::{Model, Via};
use segring::{Hysteresis, mpsc};

const FIRST: Model = Model {
    name: "two first pushes and a pop",
    min: 1,
    before: &[],
    popped: 0,
    threads: &[&[Push(1)], &[Push(2)], &[Pop]],
};

#[test]
fn first_pushes() {
    FIRST.check(Via::Mpsc);
}

/// The second push finds the only slot taken, or free again: the consumer leaves rings, or gives a
/// producer up in a ring that goes on.
const GROW: Model = Model {
    name: "growing against pops",
    min: 1,
    before: &[1],
    popped: 0,
    threads: &[&[Push(2), Push(3)], &[Pop, Pop]],
};

/// Several laps of one ring.
const LAPS: Model = Model {
    name: "laps against pops",
    min: 2,
    before: &[1, 2, 3],
    popped: 3,
    threads: &[&[Push(4), Push(5)], &[PopBatch(2)]],
};

#[test]
fn one_producer() {
    GROW.check(Via::Mpsc);
    LAPS.check(Via::Mpsc);
}

/// The consumer leaves, retires and frees a ring that a producer is in, and looks away from.
const LEAVE: Model = Model {
    name: "leaving a ring",
    min: 1,
    before: &[1],
    popped: 0,
    threads: &[&[Push(2), IsEmpty], &[Pop, Pop, Reclaim]],
};

#[test]
fn leave() {
    LEAVE.check(Via::Mpsc);
}

const SHRINK: Model = Model {
    name: "shrinking against a push",
    min: 1,
    before: &[1, 2, 3],
    popped: 3,
    threads: &[&[Push(4)], &[Shrink, Pop, Pop]],
};

#[test]
fn shrink() {
    SHRINK.check(Via::Mpsc);
}

const CLOSE: Model = Model {
    name: "closing against a push and a pop",
    min: 1,
    before: &[1],
    popped: 0,
    threads: &[&[Push(2), Close, IsClosed], &[TryPop, TryPop]],
};

#[test]
fn close() {
    CLOSE.check(Via::Mpsc);
}

/// The last producer closes the queue, and the consumer misses nothing that came before.
const PRODUCERS_GO: Model = Model {
    name: "the producers go away",
    min: 1,
    before: &[],
    popped: 0,
    threads: &[&[Push(1), DropProducer], &[DropProducer], &[TryPop, TryPop]],
};

/// The consumer goes away: a push fails, or its item is dropped.
const CONSUMER_GOES: Model = Model {
    name: "the consumer goes away",
    min: 1,
    before: &[1],
    popped: 0,
    threads: &[&[Push(2), Push(3)], &[DropConsumer]],
};

/// The same before there is a ring.
const CONSUMER_GOES_FIRST: Model = Model {
    name: "the consumer goes away before the first push",
    min: 1,
    before: &[],
    popped: 0,
    threads: &[&[Push(1), Push(2)], &[DropConsumer]],
};

/// Both at once: the last to go frees everything.
const BOTH_GO: Model = Model {
    name: "both ends go away",
    min: 1,
    before: &[1],
    popped: 0,
    threads: &[&[Push(2), DropProducer], &[Pop, DropConsumer]],
};

#[test]
fn ends_go_away() {
    PRODUCERS_GO.check(Via::Mpsc);
    CONSUMER_GOES.check(Via::Mpsc);
    CONSUMER_GOES_FIRST.check(Via::Mpsc);
    BOTH_GO.check(Via::Mpsc);
}

/// With a clock: what has ended is seen by what begins later.
#[test]
fn real_time() {
    FIRST.check_in_real_time(Via::Mpsc);
    GROW.check_in_real_time(Via::Mpsc);
    CLOSE.check_in_real_time(Via::Mpsc);
}

/// Counts how often items are dropped: by whoever got them back, or with the consumer.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// The consumer goes away while a producer pushes: each item comes back or is dropped with it, and
/// nothing is left inside for later.
#[test]
fn the_consumer_drops_what_is_inside() {
    let model = || {
        let drops = Arc::new(AtomicUsize::new(0));
        let policy = Hysteresis::new().with_slots(2, 64).expect("valid");
        let (mut producer, consumer) = mpsc::with(policy);
        assert!(producer.push(Counted(Arc::clone(&drops))).is_ok());
        let leaving = loom::thread::spawn(move || drop(consumer));
        let pushed = (0..2).filter(|_| producer.push(Counted(Arc::clone(&drops))).is_ok()).count();
        leaving.join().expect("no panic");
        assert_eq!(drops.load(Ordering::Relaxed), 3, "while the producer is still there");
        drop(producer);
        assert_eq!(drops.load(Ordering::Relaxed), 3, "once each");
        pushed
    };
    check("dropping the consumer", Some(&BTreeSet::from([0, 1, 2])), model);
}

/// The consumer takes two items, one by one or at once, of three, of which it has pushed the last one.
/// Whoever looks finds something.
fn look_at_what_is_never_empty(at_once: bool) -> bool {
    let (mut producer, mut consumer) =
        mpsc::with(Hysteresis::new().with_slots(4, 64).expect("valid"));
    assert!(producer.push(1).is_ok() && producer.push(2).is_ok());
    let mut own = producer.clone();
    let taking = loom::thread::spawn(move || {
        assert!(own.push(3).is_ok());
        let taken =
            if at_once { consumer.pop_batch(2) } else { consumer.try_iter().take(2).collect() };
        assert_eq!(taken, [1, 2]);
        consumer
    });
    let is_empty = producer.is_empty();
    drop(taking.join().expect("no panic"));
    is_empty
}

#[test]
fn never_empty() {
    let never = BTreeSet::from([false]);
    check("taking from what is never empty", Some(&never), || look_at_what_is_never_empty(false));
    check("taking two from what is never empty", Some(&never), || {
        look_at_what_is_never_empty(true)
    });
}
