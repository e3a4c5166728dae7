//! Lock-freedom, tried: a thread is parked for ever in the middle of an operation, and two others
//! go on.
//!
//! Built with `--cfg segring_hooks`; empty without.
#![cfg(segring_hooks)]

use std::cell::Cell;
use std::sync::Once;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use common::{Ends, mpsc_queue, queue};
use segring::hooks::{self, Point};
use segring::mpsc::{Consumer, Producer};
use segring::{BoundedQueue, PopError, Queue};

mod common;

std::thread_local! {
    static PARK_AT: Cell<Option<Point>> = const { Cell::new(None) };
    static PARKED: Cell<Option<Sender<()>>> = const { Cell::new(None) };
}

fn at(point: Point) {
    if PARK_AT.get() == Some(point) {
        if let Some(parked) = PARKED.take() {
            parked.send(()).expect("the test waits for this");
        }
        loop {
            std::thread::park();
        }
    }
}

const OPERATIONS: usize = 100_000;

/// Parks a thread at a point of an operation, then lets two others push and pop. The parked thread
/// and its queue are left behind for good.
fn park<E: Ends<usize> + 'static>(
    point: Point,
    ends: impl Fn(&'static Queue<usize>) -> E + Send + Sync + Copy + 'static,
    operation: impl FnOnce(E, &'static Queue<usize>) + Send + 'static,
) {
    park_with(4, 1, point, ends, operation);
}

/// Lets a thread run until it is parked at a point, for good.
fn park_thread(point: Point, operation: impl FnOnce() + Send + 'static) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| hooks::set(at));

    let (parked, is_parked) = channel();
    std::thread::spawn(move || {
        PARKED.set(Some(parked));
        PARK_AT.set(Some(point));
        operation();
    });
    is_parked.recv_timeout(Duration::from_secs(30)).expect("the operation gets there");
}

/// The same with smallest rings of so many slots and an operation on up to so many items.
fn park_with<E: Ends<usize> + 'static>(
    slots: usize,
    items: usize,
    point: Point,
    ends: impl Fn(&'static Queue<usize>) -> E + Send + Sync + Copy + 'static,
    operation: impl FnOnce(E, &'static Queue<usize>) + Send + 'static,
) {
    let queue: &'static Queue<usize> = Box::leak(Box::new(queue(slots)));
    (0..4).for_each(|item| queue.push(item));
    park_thread(point, move || operation(ends(queue), queue));

    let (done, is_done) = channel();
    for worker in 0..2 {
        let done = done.clone();
        std::thread::spawn(move || {
            let mut ends = ends(queue);
            let mut popped = 0;
            for item in 0..OPERATIONS {
                ends.push(4 + worker * OPERATIONS + item);
                popped += usize::from(ends.pop().is_some());
            }
            done.send(popped).expect("the test waits for this");
        });
    }
    let popped: usize = (0..2)
        .map(|_| is_done.recv_timeout(Duration::from_mins(1)).expect("the others go on"))
        .sum();
    // All but those that the parked thread has, and perhaps some that it pushes, come out.
    let left = std::iter::from_fn(|| queue.pop()).count();
    let all = 4 + 2 * OPERATIONS;
    let found = popped + left;
    assert!((all - items..=all + items).contains(&found), "{popped} + {left} of {all}");
}

fn park_both(point: Point, operation: fn(&mut dyn Ends<usize>, &'static Queue<usize>)) {
    park(point, |queue| queue, move |mut ends, queue| operation(&mut ends, queue));
    park(point, Queue::handle, move |mut ends, queue| operation(&mut ends, queue));
}

#[test]
fn producer_with_its_ticket() {
    park_both(Point::PushTicket, |ends, queue| {
        queue.pop();
        ends.push(usize::MAX);
    });
}

#[test]
fn producer_that_has_written() {
    park_both(Point::PushWritten, |ends, queue| {
        queue.pop();
        ends.push(usize::MAX);
    });
}

#[test]
fn producer_that_has_published() {
    park_both(Point::PushPublished, |ends, queue| {
        queue.pop();
        ends.push(usize::MAX);
    });
}

#[test]
fn consumer_with_its_ticket() {
    park_both(Point::PopClaimed, |ends, _| _ = ends.pop());
}

#[test]
fn consumer_that_has_taken() {
    park_both(Point::PopTaken, |ends, _| _ = ends.pop());
}

/// Of 64 slots two may be dead; only with a third one the ring is turned over, once.
fn parked_consumers_cost_slots_and_not_rings(many: usize) {
    const ITEMS: usize = 6_400;

    let queue: &'static Queue<usize> = Box::leak(Box::new(queue(64)));
    let jams = |parked: usize, from: usize| {
        queue.push(from);
        park_thread(Point::PopClaimed, || _ = queue.pop());
        let before = queue.stats();
        for first in (from..from + ITEMS).step_by(many) {
            if many == 1 {
                queue.push(first);
                assert_eq!(queue.pop(), Some(first));
            } else {
                queue.push_batch(first..first + many);
                assert!(queue.pop_batch(many).into_iter().eq(first..first + many));
            }
        }
        let after = queue.stats();
        // Each lap, for as long as the ring lives, every dead slot's ticket is passed over.
        let passed = if after.jams == 0 { ITEMS / 64 * parked - 3 } else { 0 };
        assert!(after.give_ups - before.give_ups >= passed, "{after:?}");
        after.jams
    };
    assert_eq!([1, 2, 3, 4].map(|parked| jams(parked, parked * 10_000)), [0, 0, 1, 1]);
}

#[test]
fn parked_consumers_cost_slots_and_not_rings_one_by_one() {
    parked_consumers_cost_slots_and_not_rings(1);
}

#[test]
fn parked_consumers_cost_slots_and_not_rings_in_batches() {
    parked_consumers_cost_slots_and_not_rings(16);
}

/// Slots that consumers gave up on count as dead as well: a batch that is parked with its tickets leaves as
/// many as it has, and the ring is turned over without a lap of refusals.
#[test]
fn parked_batches_cost_a_ring_of_the_same_size() {
    let queue: &'static Queue<usize> = Box::leak(Box::new(queue(64)));
    queue.push(0);
    for _ in 0..3 {
        park_thread(Point::PushTicket, || queue.push_batch(0..16));
    }
    assert_eq!((queue.pop(), queue.pop()), (Some(0), None));
    queue.push(1);
    assert_eq!(queue.pop(), Some(1), "in one of the slots that are left");
    (2..64).for_each(|item| queue.push(item));
    assert!((2..64).all(|item| queue.pop() == Some(item)));
    let stats = queue.stats();
    assert_eq!((stats.jams, stats.grows, queue.segment_capacity()), (1, 0, 64), "{stats:?}");
}

/// A ring of four is full, so the fifth push closes it.
fn overflow(ends: &mut dyn Ends<usize>, _: &'static Queue<usize>) {
    (0..5).for_each(|_| ends.push(usize::MAX));
}

#[test]
fn closer_that_has_not_stored_the_end() {
    park_both(Point::RingClosed, overflow);
}

#[test]
fn closer_that_has_not_linked() {
    park_both(Point::RingEnded, overflow);
}

#[test]
fn closer_that_has_not_moved_the_tail() {
    park_both(Point::RingLinked, overflow);
}

#[test]
fn consumer_that_has_not_left() {
    park_both(Point::RingLeft, |ends, queue| {
        overflow(ends, queue);
        (0..9).for_each(|_| _ = ends.pop());
    });
}

/// A batch of 16, the most that a ring of 64 gives at once.
fn park_push_batch(point: Point) {
    park_with(64, 16, point, |queue| queue, |ends, _| ends.push_batch(0..16));
    // A new handle's first item goes alone.
    let behind_one = |mut ends: segring::Handle<'_, usize>, _: &Queue<usize>| {
        ends.push_batch(0..17);
    };
    park_with(64, 17, point, Queue::handle, behind_one);
}

#[test]
fn producer_of_a_batch_with_its_tickets() {
    park_push_batch(Point::PushTicket);
}

#[test]
fn producer_of_a_batch_that_has_written() {
    park_push_batch(Point::PushWritten);
}

#[test]
fn producer_of_a_batch_that_has_published_one() {
    park_push_batch(Point::PushPublished);
}

fn park_pop_batch(point: Point) {
    park_with(64, 4, point, |queue| queue, |ends, _| drop(ends.pop_batch(4)));
    // A new handle's first item comes alone.
    let behind_one = |mut ends: segring::Handle<'_, usize>, _: &Queue<usize>| {
        assert!(ends.pop().is_some());
        drop(ends.pop_batch(3));
    };
    park_with(64, 4, point, Queue::handle, behind_one);
}

#[test]
fn consumer_of_a_batch_with_its_tickets() {
    park_pop_batch(Point::PopClaimed);
}

#[test]
fn consumer_of_a_batch_that_has_taken_one() {
    park_pop_batch(Point::PopTaken);
}

/// One of the producers is parked; the only consumer gets all that the other one pushes, in order,
/// and does not wait when it goes away itself.
fn park_producer(point: Point, operation: fn(&mut Producer<usize>)) {
    const PARKED_ITEM: usize = usize::MAX;
    let (mut producer, mut consumer) = mpsc_queue(4);
    let mut stalled = producer.clone();
    park_thread(point, move || operation(&mut stalled));
    let (done, is_done) = channel();
    std::thread::spawn(move || {
        for item in 0..OPERATIONS {
            producer.push(item).expect("the consumer is there");
        }
    });
    std::thread::spawn(move || {
        let mut next = 0;
        while next < OPERATIONS {
            match consumer.try_pop() {
                Ok(PARKED_ITEM) => {}
                Ok(item) => {
                    assert_eq!(item, next);
                    next += 1;
                }
                Err(PopError::Empty) => std::thread::yield_now(),
                Err(PopError::Closed) => panic!("a producer is still there"),
            }
        }
        drop(consumer);
        done.send(()).expect("the test waits for this");
    });
    is_done.recv_timeout(Duration::from_mins(1)).expect("the others go on");
}

fn one(producer: &mut Producer<usize>) {
    // The first push links a ring, the second one goes into it.
    (0..2).for_each(|_| producer.push(usize::MAX).expect("the consumer is there"));
}

fn five(producer: &mut Producer<usize>) {
    (0..5).for_each(|_| producer.push(usize::MAX).expect("the consumer is there"));
}

#[test]
fn producer_beside_the_only_consumer() {
    for point in [Point::PushTicket, Point::PushWritten, Point::PushPublished] {
        park_producer(point, one);
        park_producer(point, |producer| {
            producer.push_batch([usize::MAX; 40]).expect("the consumer is there");
        });
    }
    for point in [Point::RingClosed, Point::RingEnded, Point::RingLinked] {
        park_producer(point, five);
    }
}

/// The only consumer is parked: producers go on, and see what there is.
fn park_consumer(point: Point, before: usize, operation: fn(&mut Consumer<usize>)) {
    let (mut producer, mut consumer) = mpsc_queue(4);
    (0..before).for_each(|item| producer.push(item).expect("the consumer is there"));
    park_thread(point, move || operation(&mut consumer));
    let (done, is_done) = channel();
    for _ in 0..2 {
        let (mut producer, done) = (producer.clone(), done.clone());
        std::thread::spawn(move || {
            for item in 0..OPERATIONS {
                producer.push(item).expect("the consumer is there");
            }
            done.send(()).expect("the test waits for this");
        });
    }
    for _ in 0..2 {
        is_done.recv_timeout(Duration::from_mins(1)).expect("the producers go on");
    }
    assert!(producer.len() >= 2 * OPERATIONS);
    assert!(!producer.is_closed());
}

#[test]
fn the_only_consumer() {
    park_consumer(Point::PopTaken, 4, |consumer| _ = consumer.pop());
    park_consumer(Point::RingLeft, 5, |consumer| _ = consumer.pop_batch(5));
}

/// An operation that a thread is parked in.
type Parked = fn(&'static BoundedQueue<usize>);

/// A bounded queue of four, with a thread parked in the middle of an operation. Two others push
/// and pop. There is an item more than they take, and room for one more than they have: nobody may
/// find the queue full or empty.
fn park_bounded(points: &[(Point, Parked)]) {
    let queue: &'static BoundedQueue<usize> = Box::leak(Box::new(BoundedQueue::new(4)));
    (0..2).for_each(|item| queue.push(item).expect("there is room"));
    for &(point, operation) in points {
        park_thread(point, move || operation(queue));
    }
    let (done, is_done) = channel();
    for handles in [false, true] {
        let done = done.clone();
        std::thread::spawn(move || {
            let mut handle = queue.handle();
            for item in 0..OPERATIONS {
                let pushed = if handles { handle.push(item) } else { queue.push(item) };
                pushed.expect("there is room");
                let popped = if handles { handle.pop() } else { queue.pop() };
                popped.expect("an item is inside");
            }
            done.send(()).expect("the test waits for this");
        });
    }
    for _ in 0..2 {
        is_done.recv_timeout(Duration::from_mins(1)).expect("the others go on");
    }
    assert!(queue.len() <= 2, "{queue:?}");
    // Room for all but one, which the parked thread may hold.
    let room = (0..4).filter(|&item| queue.push(item).is_ok()).count();
    assert!(room >= 2, "{queue:?}");
    assert!(queue.is_full());
    assert!(queue.force_push(7).is_some());
    // Every item comes out, the parked push is passed by, and then there is all the room again.
    assert!((3..=4).contains(&std::iter::from_fn(|| queue.pop()).count()));
    assert_eq!((0..9).filter(|&item| queue.push(item).is_ok()).count(), 4);
}

/// One pop makes room, one push takes it.
fn exchange(queue: &'static BoundedQueue<usize>) {
    let item = queue.pop().expect("an item is inside");
    queue.push(item).expect("there is room");
}

/// Goes on until the slot that a parked consumer holds is in the way.
fn run_into_the_jam(queue: &'static BoundedQueue<usize>) {
    loop {
        exchange(queue);
    }
}

#[test]
fn bounded_producer_with_its_ticket() {
    park_bounded(&[(Point::PushTicket, exchange)]);
}

#[test]
fn bounded_producer_that_has_written() {
    park_bounded(&[(Point::PushWritten, exchange)]);
}

#[test]
fn bounded_producer_that_has_published() {
    park_bounded(&[(Point::PushPublished, exchange)]);
}

#[test]
fn bounded_producer_that_forces() {
    park_bounded(&[(Point::PushWritten, |queue| {
        queue.pop();
        queue.force_push(usize::MAX);
    })]);
}

#[test]
fn bounded_consumer_with_its_ticket() {
    park_bounded(&[(Point::PopClaimed, exchange)]);
}

#[test]
fn bounded_consumer_that_has_taken() {
    park_bounded(&[(Point::PopTaken, exchange)]);
}

fn park_in_a_jam(point: Point) {
    let consumer = |queue: &'static BoundedQueue<usize>| {
        queue.push(usize::MAX).expect("there is room");
        queue.pop();
    };
    park_bounded(&[(Point::PopTaken, consumer), (point, run_into_the_jam)]);
}

#[test]
fn bounded_closer_that_has_not_stored_the_end() {
    park_in_a_jam(Point::RingClosed);
}

#[test]
fn bounded_closer_that_has_not_linked() {
    park_in_a_jam(Point::RingEnded);
}

#[test]
fn bounded_closer_that_has_not_moved_the_tail() {
    park_in_a_jam(Point::RingLinked);
}

#[test]
fn bounded_consumer_that_has_not_left() {
    park_in_a_jam(Point::RingLeft);
}
