//! The queue with one consumer: order, conservation, and each end sees the other one go away. (What
//! it does with batches is in `batch.rs`.)

use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Bomb, Counted, mpsc_queue};
use segring::mpsc::{self, Consumer, Producer};
use segring::{PopError, PushError};

mod common;

const SLOTS: [usize; 4] = [1, 2, 4, 64];

const ITEMS: usize = if cfg!(miri) { 200 } else { 40_000 };

/// The next item, however long it takes; `None` when there will never be one.
fn wait_for<T>(consumer: &mut Consumer<T>) -> Option<T> {
    loop {
        match consumer.try_pop() {
            Ok(item) => return Some(item),
            Err(PopError::Empty) => std::thread::yield_now(),
            Err(PopError::Closed) => return None,
        }
    }
}

#[test]
fn first_in_first_out() {
    for slots in SLOTS {
        let (mut producer, mut consumer) = mpsc_queue(slots);
        let (mut pushed, mut popped) = (0, 0);
        // Fill, drain half, fill again: across wraps, larger rings and smaller ones.
        for round in 0..20 {
            for _ in 0..round * 10 {
                producer.push(pushed).unwrap();
                pushed += 1;
            }
            assert!(consumer.try_iter().take(round * 5).eq(popped..popped + round * 5));
            popped += round * 5;
            assert_eq!((consumer.len(), producer.len()), (pushed - popped, pushed - popped));
        }
        assert!(consumer.try_iter().eq(popped..pushed));
        assert!(consumer.is_empty() && producer.is_empty());
        assert_eq!(consumer.try_pop(), Err(PopError::Empty));
    }
}

#[test]
fn many_producers() {
    const PRODUCERS: usize = 3;
    for slots in SLOTS {
        let (producer, mut consumer) = mpsc_queue(slots);
        let mut next = [0; PRODUCERS];
        std::thread::scope(|s| {
            for p in 0..PRODUCERS {
                let mut producer = producer.clone();
                s.spawn(move || (0..ITEMS).for_each(|n| producer.push((p, n)).unwrap()));
            }
            drop(producer);
            while let Some((p, n)) = wait_for(&mut consumer) {
                assert_eq!(n, next[p], "producer {p} out of order, or an item lost");
                next[p] += 1;
            }
        });
        assert_eq!(next, [ITEMS; PRODUCERS]);
    }
}

#[test]
fn the_consumer_may_change_threads() {
    let (mut producer, mut consumer) = mpsc_queue(2);
    for round in 0..50 {
        (0..round).for_each(|n| producer.push(n).unwrap());
        consumer = std::thread::spawn(move || {
            assert!(consumer.try_iter().eq(0..round));
            consumer
        })
        .join()
        .unwrap();
    }
}

#[test]
fn the_last_producer_closes_and_nothing_is_missed() {
    for slots in SLOTS {
        for inside in [0, 1, 2, 3, 64, 65] {
            let (mut producer, mut consumer) = mpsc_queue(slots);
            let other = producer.clone();
            (0..inside).for_each(|n| producer.push(n).unwrap());
            drop(producer);
            assert!(!consumer.is_closed());
            drop(other);
            assert!(consumer.is_closed());
            for n in 0..inside {
                assert_eq!(consumer.try_pop(), Ok(n));
            }
            assert_eq!(consumer.try_pop(), Err(PopError::Closed));
            assert_eq!(consumer.pop(), None);
        }
    }
}

#[test]
fn closing_by_either_end() {
    for by_producer in [false, true] {
        let (mut producer, mut consumer) = mpsc_queue(2);
        producer.push(1).unwrap();
        assert!(if by_producer { producer.close() } else { consumer.close() });
        assert!(!producer.close() && !consumer.close());
        assert!(producer.is_closed() && consumer.is_closed());
        assert_eq!(producer.push(2), Err(PushError::Closed(2)));
        assert_eq!(consumer.try_pop(), Ok(1));
        assert_eq!(consumer.try_pop(), Err(PopError::Closed));
    }
}

#[test]
fn items_are_dropped_with_the_consumer_and_come_back_from_then_on() {
    for slots in SLOTS {
        for inside in [0, 1, 2, 5, 64, 200] {
            let drops = AtomicUsize::new(0);
            let (mut producer, mut consumer) = mpsc_queue(slots);
            (0..inside + 3).for_each(|_| producer.push(Counted(&drops)).unwrap());
            consumer.try_iter().take(3).for_each(drop);
            drop(consumer);
            assert_eq!(drops.load(Ordering::Relaxed), inside + 3, "at once");
            assert!(producer.is_closed());
            let back = producer.push(Counted(&drops)).unwrap_err();
            assert!(back.is_closed());
            assert_eq!(drops.load(Ordering::Relaxed), inside + 3, "it came back");
            drop((back, producer));
            assert_eq!(drops.load(Ordering::Relaxed), inside + 4);
        }
    }
}

/// Every item that a push took is dropped once, whichever end goes first.
#[test]
fn the_consumer_goes_away_under_way() {
    const PRODUCERS: usize = 2;
    for round in 0..if cfg!(miri) { 5 } else { 200 } {
        let drops = AtomicUsize::new(0);
        let (producer, mut consumer) = mpsc_queue(SLOTS[round % SLOTS.len()]);
        let made: usize = std::thread::scope(|s| {
            let producers: Vec<_> = (0..PRODUCERS)
                .map(|_| {
                    let (mut producer, drops) = (producer.clone(), &drops);
                    s.spawn(move || {
                        let mut made = 1; // The rejected one comes back and is dropped here.
                        while producer.push(Counted(drops)).is_ok() {
                            made += 1;
                        }
                        made
                    })
                })
                .collect();
            (0..round * 10).for_each(|_| drop(wait_for(&mut consumer)));
            drop(consumer);
            producers.into_iter().map(|p| p.join().unwrap()).sum()
        });
        assert_eq!(drops.load(Ordering::Relaxed), made, "a producer is still there");
        drop(producer);
        assert_eq!(drops.load(Ordering::Relaxed), made);
    }
}

#[test]
fn a_panicking_destructor_leaves_no_item_behind() {
    for armed in 0..20 {
        let drops = AtomicUsize::new(0);
        let (mut producer, consumer) = mpsc_queue(2);
        (0..20).for_each(|n| producer.push(Bomb(&drops, n == armed)).unwrap());
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(consumer)));
        assert!(result.is_err());
        assert!(producer.is_closed());
        assert_eq!(drops.load(Ordering::Relaxed), 20, "armed: {armed}");
        drop(producer);
        assert_eq!(drops.load(Ordering::Relaxed), 20, "armed: {armed}");
    }
}

/// An item may hold a producer of its own queue, as a request holds the way back.
#[test]
fn an_item_may_hold_the_last_producer() {
    struct Request(#[expect(dead_code, reason = "held, not used")] Producer<Request>);
    let (mut producer, consumer) = mpsc_queue(2);
    let other = producer.clone();
    producer.push(Request(other)).unwrap();
    drop(producer);
    assert!(!consumer.is_closed(), "one is inside");
    drop(consumer);
}

#[test]
#[cfg(not(segring_small))] // There rings end after three laps, whatever their size.
fn rings_grow_and_shrink() {
    const BURST: usize = 10_000;
    let (mut producer, mut consumer) = mpsc::queue();
    (0..BURST).for_each(|n| producer.push(n).unwrap());
    let largest = consumer.segment_capacity();
    assert_eq!((largest, consumer.stats().grows), (1 << 13, 7));
    assert!(consumer.try_iter().take(BURST - 10).eq(0..BURST - 10));
    for n in 0..2 * largest {
        producer.push(n).unwrap();
        assert!(consumer.pop().is_some());
    }
    assert_eq!(consumer.segment_capacity(), 64);
    // An idle one shrinks by polling, or on request.
    (0..BURST).for_each(|n| producer.push(n).unwrap());
    consumer.try_iter().for_each(drop);
    let capacity = consumer.segment_capacity();
    (0..capacity).for_each(|_| assert_eq!(consumer.pop(), None));
    assert_eq!(consumer.segment_capacity(), 64);
    (0..BURST).for_each(|n| producer.push(n).unwrap());
    consumer.try_iter().for_each(drop);
    consumer.shrink_to_fit();
    assert_eq!(consumer.segment_capacity(), 64);
}

#[test]
fn items_of_any_shape() {
    #[repr(align(256))]
    #[derive(Debug, PartialEq)]
    struct Aligned(u8);

    let (mut producer, mut consumer) = mpsc_queue(2);
    (0..100).for_each(|_| producer.push(()).unwrap());
    assert_eq!(consumer.try_iter().count(), 100);

    let (mut producer, mut consumer) = mpsc_queue(2);
    (0..100).for_each(|n| producer.push(Aligned(n)).unwrap());
    assert!(consumer.try_iter().eq((0..100).map(Aligned)));

    let text = String::from("borrowed");
    let (mut producer, mut consumer) = mpsc::queue();
    producer.push(&text).unwrap();
    assert_eq!(consumer.pop(), Some(&text));
}

#[test]
fn debug_shows_the_queue() {
    let (producer, consumer) = mpsc::queue::<u8>();
    let queue = "Queue { len: 0, segment_capacity: 64, is_closed: false, .. }";
    assert_eq!(format!("{producer:?}"), format!("Producer {{ queue: {queue}, .. }}"));
    assert_eq!(format!("{consumer:?}"), format!("Consumer {{ queue: {queue}, .. }}"));
}
