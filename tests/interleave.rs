//! Interleavings that were found by argument, replayed step by step.
//!
//! Built with `--cfg segring_hooks`; empty without.
#![cfg(segring_hooks)]

use common::gate::{Gate, STOPS, set_hook};
use common::queue;
use segring::hooks::Point;

mod common;

/// A consumer that gave up counts its ticket off later than it claimed it. Meanwhile the count of
/// void tickets is too high, and a queue with an item inside must not pass for empty.
#[test]
fn a_ticket_that_is_not_counted_off_hides_no_item() {
    set_hook();
    let queue = queue::<u32>(4);
    queue.push(0);
    assert_eq!(queue.pop(), Some(0));
    std::thread::scope(|s| {
        // Made here, so that a failing assertion drops the gates and lets the threads end.
        let (with_ticket, producer_has_ticket) = Gate::new(Point::PushTicket);
        let (with_ring_closed, producer_has_closed) = Gate::new(Point::RingClosed);
        let (given_up, consumer_gave_up) = Gate::new(Point::PopGaveUp);
        let queue = &queue;
        s.spawn(move || {
            STOPS.set([with_ticket, with_ring_closed].into());
            queue.push(1);
        });
        producer_has_ticket.wait();
        let consumer = s.spawn(move || {
            STOPS.set([given_up].into());
            queue.pop()
        });
        consumer_gave_up.wait();
        queue.push(2);
        producer_has_ticket.open();
        producer_has_closed.wait();
        // 2 is inside; 1 has been retracted and is on its way into the next ring.
        assert!(!queue.is_empty());
        assert_eq!(queue.pop(), Some(2));
        assert!(queue.is_empty());
        consumer_gave_up.open();
        producer_has_closed.open();
        let popped = consumer.join().unwrap();
        assert!(matches!(popped, None | Some(1)), "{popped:?}");
    });
    let left: Vec<_> = queue.into_iter().collect();
    assert!(left.is_empty() || left == [1], "{left:?}");
}

/// A closer stalls before it stores the end of its ring, somebody else closes the queue, and
/// others go on trying to push. A consumer does not pass their void tickets one by one.
#[test]
fn void_tickets_behind_a_stalled_closer_are_not_waited_for() {
    set_hook();
    let queue = queue::<u32>(2);
    (0..2).for_each(|item| queue.push(item));
    std::thread::scope(|s| {
        let (closed, closer_has_closed) = Gate::new(Point::RingClosed);
        let queue = &queue;
        let closer = s.spawn(move || {
            STOPS.set([closed].into());
            queue.try_push(2)
        });
        closer_has_closed.wait();
        assert!(queue.close());
        (0..10_000).for_each(|item| assert!(queue.try_push(item).is_err()));
        assert_eq!((queue.pop(), queue.pop(), queue.pop()), (Some(0), Some(1), None));
        let give_ups = queue.stats().give_ups;
        assert!(give_ups <= 2, "{give_ups} tickets were given up");
        closer_has_closed.open();
        assert!(closer.join().unwrap().is_err());
    });
}

/// An appender stalls when it has linked the next ring, and nobody pushes to the old one any more: not
/// even a thread that has kept it, where there would be room again.
#[test]
fn nothing_gets_into_a_ring_that_is_followed() {
    set_hook();
    let queue = queue::<u32>(2);
    let mut handle = queue.handle();
    (0..2).for_each(|item| handle.push(item));
    std::thread::scope(|s| {
        let (linked, appender_has_linked) = Gate::new(Point::RingLinked);
        let queue = &queue;
        s.spawn(move || {
            STOPS.set([linked].into());
            queue.push(2);
        });
        appender_has_linked.wait();
        queue.push(3);
        assert_eq!((queue.pop(), queue.pop()), (Some(0), Some(1)));
        handle.push(4);
        assert_eq!((queue.pop(), queue.pop(), queue.pop()), (Some(2), Some(3), Some(4)));
        appender_has_linked.open();
    });
}

/// A consumer stalls for a whole lap: its ring is turned over to a spare that was allocated when
/// the queue grew, and nothing is allocated.
#[test]
fn the_first_jam_takes_a_spare() {
    set_hook();
    let queue = queue::<u32>(4);
    (0..5).for_each(|item| queue.push(item));
    let before = queue.stats();
    assert_eq!((queue.segment_capacity(), before.live_segments), (8, 4), "{before:?}");
    std::thread::scope(|s| {
        let (taken, consumer_has_taken) = Gate::new(Point::PopTaken);
        let queue = &queue;
        // The last item of the first ring, and then one of the second.
        (0..4).for_each(|item| assert_eq!(queue.pop(), Some(item)));
        s.spawn(move || {
            STOPS.set([taken].into());
            queue.pop()
        });
        consumer_has_taken.wait();
        for item in 5..14 {
            queue.push(item);
            assert!(queue.pop().is_some());
        }
        let stats = queue.stats();
        assert_eq!((stats.jams, stats.grows, queue.segment_capacity()), (1, 1, 8), "{stats:?}");
        assert!(stats.live_segments <= before.live_segments, "{stats:?}");
        consumer_has_taken.open();
    });
}
