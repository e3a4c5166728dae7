//! Taking many items at once: `try_iter`, `clear`, `drain`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Bomb, Counted, queue};
use segring::Queue;

mod common;

#[test]
fn try_iter_takes_what_it_is_asked_for_and_goes_on_later() {
    let queue = queue(2);
    (0..10).for_each(|n| queue.push(n));
    let mut items = queue.try_iter();
    assert!(items.by_ref().take(4).eq(0..4));
    assert_eq!(queue.len(), 6, "the rest stays inside");
    assert!(items.by_ref().eq(4..10));
    assert_eq!(items.next(), None);
    queue.push(10);
    assert_eq!(items.next(), Some(10), "not over for good");
}

/// Two iterate while two push: each item comes out once, each producer's in order.
#[test]
fn iterating_while_others_push_and_iterate() {
    const ITEMS: usize = if cfg!(miri) { 100 } else { 20_000 };
    let queue = queue(2);
    let taken = std::thread::scope(|s| {
        let producers = [0, 1].map(|producer| {
            let queue = &queue;
            s.spawn(move || (0..ITEMS).for_each(|n| queue.push((producer, n))))
        });
        let consumers = [true, false].map(|handles| {
            let queue = &queue;
            s.spawn(move || {
                let mut handle = queue.handle();
                let mut taken = [const { Vec::new() }; 2];
                loop {
                    let closed = queue.is_closed();
                    let mut take = |(producer, n): (usize, usize)| taken[producer].push(n);
                    if handles {
                        handle.try_iter().for_each(&mut take);
                    } else {
                        queue.try_iter().for_each(&mut take);
                    }
                    if closed {
                        break taken;
                    }
                    std::thread::yield_now();
                }
            })
        });
        for producer in producers {
            producer.join().unwrap();
        }
        queue.close();
        consumers.map(|consumer| consumer.join().unwrap())
    });
    for producer in 0..2 {
        assert!(taken.iter().all(|taken| taken[producer].is_sorted()));
        let mut all: Vec<_> = taken.iter().flat_map(|taken| &taken[producer]).copied().collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..ITEMS), "producer {producer}");
    }
    assert!(queue.is_empty());
}

#[test]
fn clear_drops_each_item_once_and_keeps_the_queue() {
    let drops = AtomicUsize::new(0);
    let queue = queue(2);
    (0..100).for_each(|_| queue.push(Counted(&drops)));
    let capacity = queue.segment_capacity();
    queue.clear();
    assert_eq!(drops.load(Ordering::Relaxed), 100);
    assert_eq!((queue.len(), queue.segment_capacity()), (0, capacity));
    queue.push(Counted(&drops));
    queue.close();
    queue.clear();
    assert_eq!((drops.load(Ordering::Relaxed), queue.is_closed()), (101, true));
    Queue::<u8>::new().clear();
}

#[test]
fn drain_drops_the_rest() {
    let drops = AtomicUsize::new(0);
    let mut queue = queue(2);
    (0..100).for_each(|_| queue.push(Counted(&drops)));
    let mut drain = queue.drain();
    assert_eq!(drain.by_ref().take(30).count(), 30);
    assert_eq!((drain.len(), drops.load(Ordering::Relaxed)), (70, 30));
    drop(drain);
    assert_eq!((queue.len(), drops.load(Ordering::Relaxed)), (0, 100));
    queue.push(Counted(&drops));
    assert_eq!(queue.len(), 1);
}

#[test]
#[allow(clippy::mem_forget, reason = "the point of the test")]
fn a_forgotten_drain_leaves_the_rest_inside() {
    let mut queue: Queue<_> = (0..10).map(Box::new).collect();
    let mut drain = queue.drain();
    assert_eq!(drain.next().as_deref(), Some(&0));
    std::mem::forget(drain);
    assert!(queue.into_iter().map(|item| *item).eq(1..10));
}

#[test]
fn a_panicking_destructor_stops_clear_and_does_not_stop_drain() {
    let drops = AtomicUsize::new(0);
    let mut queue = queue(2);
    let fill = |queue: &Queue<_>| (0..20).for_each(|n| queue.push(Bomb(&drops, n == 5)));

    fill(&queue);
    assert!(catch_unwind(|| queue.clear()).is_err());
    assert_eq!((queue.len(), drops.load(Ordering::Relaxed)), (14, 6));
    queue.clear();
    assert_eq!((queue.len(), drops.load(Ordering::Relaxed)), (0, 20));

    fill(&queue);
    assert!(catch_unwind(AssertUnwindSafe(|| drop(queue.drain()))).is_err());
    assert_eq!((queue.len(), drops.load(Ordering::Relaxed)), (0, 40));
}
