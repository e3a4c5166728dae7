//! Interleavings that were found by argument, replayed step by step.
//!
//! Built with `--cfg segring_hooks`; empty without.
#![cfg(segring_hooks)]

use common::gate::{Gate, STOPS, set_hook};
use common::{mpsc_queue, queue};
use segring::Queue;
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
        let closing = s.spawn(move || {
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
        assert!(closing.join().unwrap().is_err());
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

/// The only consumer takes items first and moves on afterwards. A look that has to go by the slots, as a
/// producer is stalled whose ticket was given up, and finds the old item gone, must not overlook that there
/// has been a new one all the while.
fn an_item_that_is_being_taken_is_inside(at_once: bool) {
    set_hook();
    let many = if at_once { 3 } else { 1 };
    let (mut producer, mut consumer) = mpsc_queue::<u32>(64);
    producer.push(0).unwrap();
    assert_eq!(consumer.pop(), Some(0));
    std::thread::scope(|s| {
        let (with_ticket, producer_has_ticket) = Gate::new(Point::PushTicket);
        let (counted, look_has_counted) = Gate::new(Point::LookCounted);
        let (taken, consumer_has_taken) = Gate::new(Point::SoleTaken);
        let mut stalled = producer.clone();
        s.spawn(move || {
            STOPS.set([with_ticket].into());
            let _ = stalled.push(1); // The consumer may be gone by then.
        });
        producer_has_ticket.wait();
        producer.push(2).unwrap();
        assert_eq!(consumer.pop(), Some(2), "behind a ticket that was given up");
        (0..many).for_each(|n| producer.push(3 + n).unwrap());
        let looking = producer.clone();
        let look = s.spawn(move || {
            STOPS.set([counted].into());
            looking.is_empty()
        });
        look_has_counted.wait();
        producer.push(9).unwrap(); // Inside before one of the others is taken.
        let taking = s.spawn(move || {
            STOPS.set([taken].into());
            let popped =
                if at_once { consumer.pop_batch(3) } else { consumer.pop().into_iter().collect() };
            (popped, consumer)
        });
        consumer_has_taken.wait();
        look_has_counted.open();
        let is_empty = look.join().unwrap();
        consumer_has_taken.open();
        producer_has_ticket.open();
        let (popped, _) = taking.join().unwrap();
        assert!(popped.into_iter().eq((0..many).map(|n| 3 + n)));
        assert!(!is_empty, "9 is inside");
    });
}

#[test]
fn an_item_that_is_being_taken_is_inside_one_by_one() {
    an_item_that_is_being_taken_is_inside(false);
}

#[test]
fn an_item_that_is_being_taken_is_inside_at_once() {
    an_item_that_is_being_taken_is_inside(true);
}

/// Of 64 slots one is dead, and whenever a thread comes to its ticket there others have pushed for a lap, so
/// that the next one is the dead slot's again. It does not try for ever.
fn a_push_skips_a_dead_slot_a_few_times(push: fn(&Queue<u32>, u32)) {
    set_hook();
    let queue = queue::<u32>(64);
    let pairs = |many| {
        for item in 0..many {
            queue.push(item);
            assert_eq!(queue.pop(), Some(item));
        }
    };
    queue.push(0);
    std::thread::scope(|s| {
        let (claimed, consumer_has_claimed) = Gate::new(Point::PopClaimed);
        let (stops, producer_comes): (Vec<_>, Vec<_>) =
            (0..3).map(|_| Gate::new(Point::PushTicket)).unzip();
        let queue = &queue;
        let consumer = s.spawn(move || {
            STOPS.set([claimed].into());
            queue.pop()
        });
        consumer_has_claimed.wait();
        pairs(63);
        let pushing = s.spawn(move || {
            STOPS.set(stops.into());
            push(queue, 7);
        });
        for gate in &producer_comes {
            gate.wait();
            pairs(63);
            gate.open();
        }
        pushing.join().unwrap();
        let stats = queue.stats();
        assert_eq!(stats.jams, 1, "the third time another ring is appended: {stats:?}");
        assert_eq!(queue.pop(), Some(7));
        consumer_has_claimed.open();
        assert_eq!(consumer.join().unwrap(), Some(0));
    });
}

#[test]
fn a_push_skips_a_dead_slot_a_few_times_alone() {
    a_push_skips_a_dead_slot_a_few_times(|queue, item| queue.push(item));
}

#[test]
fn a_push_skips_a_dead_slot_a_few_times_as_a_batch() {
    a_push_skips_a_dead_slot_a_few_times(|queue, item| queue.push_batch([item]));
}
