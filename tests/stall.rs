//! Lock-freedom, tried: a thread is parked for ever in the middle of an operation, and two others
//! go on.
//!
//! Built with `--cfg segring_hooks`; empty without.
#![cfg(segring_hooks)]

use std::cell::Cell;
use std::sync::Once;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use common::{Ends, queue};
use segring::Queue;
use segring::hooks::{self, Point};

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
    static HOOK: Once = Once::new();
    HOOK.call_once(|| hooks::set(at));

    let queue: &'static Queue<usize> = Box::leak(Box::new(queue(4)));
    (0..4).for_each(|item| queue.push(item));
    let (parked, is_parked) = channel();
    std::thread::spawn(move || {
        PARKED.set(Some(parked));
        PARK_AT.set(Some(point));
        operation(ends(queue), queue);
    });
    is_parked.recv_timeout(Duration::from_secs(30)).expect("the operation gets there");

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
    // All items but those that the parked thread has, or has yet to publish, come out.
    let left = std::iter::from_fn(|| queue.pop()).count();
    let all = 4 + 2 * OPERATIONS;
    assert!((all - 1..=all + 1).contains(&(popped + left)), "{popped} + {left} of {all}");
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
