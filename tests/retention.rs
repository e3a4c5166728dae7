//! How much memory a stalled thread or an idle handle holds back, and that it all comes back.
//!
//! The law: `retained rings <= operations / R + c * threads`, where `R` is the capacity of the
//! smallest ring meanwhile.
//!
//! Built with `--cfg segring_hooks`; empty without. A test binary of its own, as a thread that
//! stalls while pinned holds back the epoch of the whole process.
#![cfg(segring_hooks)]

use std::cell::RefCell;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, Once};
use std::time::Duration;

use common::queue;
use segring::hooks::{self, Point};
use segring::{Handle, Queue};

mod common;

/// Slots of the smallest ring.
const R: usize = 4;
/// What a thread may hold beside the law: the ring in use, two spares, and two rings of a handle.
const PER_THREAD: usize = 5;

/// The tests take turns.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Where the current thread stalls: it says so, and goes on when it is told to.
struct Stall {
    at: Point,
    here: Sender<()>,
    go_on: Receiver<()>,
}

std::thread_local! {
    static STALL: RefCell<Option<Stall>> = const { RefCell::new(None) };
}

fn stall(point: Point) {
    let is_here = |stall: &mut Stall| stall.at == point;
    if let Some(stall) = STALL.with_borrow_mut(|stall| stall.take_if(is_here)) {
        stall.here.send(()).expect("the test waits for this");
        stall.go_on.recv().expect("the test says so");
    }
}

/// Runs `others` while a thread is stalled at this point of its operation, and lets it go on.
fn while_stalled(at: Point, operation: impl FnOnce() + Send, others: impl FnOnce()) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| hooks::set(stall));
    std::thread::scope(|s| {
        let ((here, is_here), (release, go_on)) = (channel(), channel());
        s.spawn(move || {
            STALL.set(Some(Stall { at, here, go_on }));
            operation();
        });
        is_here.recv_timeout(Duration::from_secs(30)).expect("the operation gets there");
        others();
        release.send(()).expect("it waits for this");
    });
}

/// Grows and shrinks the queue again and again; after each round, `law` is told the number of
/// operations so far. Returns that number.
fn churn(queue: &Queue<usize>, rounds: usize, law: impl Fn(usize)) -> usize {
    let mut operations = 0;
    for _ in 0..rounds {
        (0..16 * R).for_each(|item| queue.push(item));
        (0..16 * R).for_each(|_| assert!(queue.pop().is_some()));
        queue.shrink_to_fit();
        operations += 32 * R;
        law(operations);
    }
    operations
}

fn holds(queue: &Queue<usize>, operations: usize, threads: usize) {
    let stats = queue.stats();
    let bound = operations / R + PER_THREAD * threads;
    assert!(stats.live_segments <= bound, "{operations} operations, at most {bound}: {stats:?}");
}

/// A lap of the ring in use, which looks after what is retired at each of its quarters.
fn a_lap(queue: &Queue<usize>) {
    for item in 0..queue.segment_capacity() {
        queue.push(item);
        queue.pop();
    }
}

#[test]
fn a_thread_stalled_while_pinned() {
    let _turn = alone();
    for point in [Point::PushTicket, Point::PushPublished, Point::PopClaimed, Point::PopTaken] {
        let queue = queue(R);
        (0..R).for_each(|item| queue.push(item));
        let operation = || match point {
            Point::PushTicket | Point::PushPublished => {
                queue.pop();
                queue.push(usize::MAX);
            }
            _ => _ = queue.pop(),
        };
        while_stalled(point, operation, || {
            churn(&queue, 100, |operations| holds(&queue, operations, 2));
            let stats = queue.stats();
            assert!(stats.live_segments > 100, "nothing was held back: {stats:?}");
            assert!(queue.reclaim() > 0, "nothing was held back: {stats:?}");
        });
        a_lap(&queue);
        let stats = queue.stats();
        assert_eq!(stats.retired_bytes, 0, "{point:?}: still there after a lap: {stats:?}");
        assert!(stats.live_segments <= 3, "{point:?}: more than a ring and two spares: {stats:?}");
    }
}

#[test]
fn a_handle_stalled_in_a_ring() {
    let _turn = alone();
    for point in [Point::PushTicket, Point::PopClaimed] {
        let queue = queue(R);
        let mut handle = queue.handle();
        handle.push(0);
        handle.pop();
        handle.push(0);
        let operation = |mut handle: Handle<'_, usize>| match point {
            Point::PushTicket => handle.push(usize::MAX),
            _ => _ = handle.pop(),
        };
        while_stalled(
            point,
            || operation(handle),
            || {
                churn(&queue, 100, |_| {
                    a_lap(&queue);
                    let stats = queue.stats();
                    assert!(stats.live_segments <= 2 * PER_THREAD, "{point:?}: {stats:?}");
                });
            },
        );
        a_lap(&queue);
        assert_eq!(queue.stats().retired_bytes, 0, "{point:?}: {:?}", queue.stats());
    }
}

#[test]
fn an_idle_handle() {
    let _turn = alone();
    let queue = queue(R);
    let mut handle = queue.handle();
    handle.push(0);
    handle.pop();
    churn(&queue, 100, |_| {
        a_lap(&queue);
        let stats = queue.stats();
        assert!(stats.live_segments <= 2 * PER_THREAD, "{stats:?}");
    });
    assert!(queue.reclaim() > 0, "the handle holds nothing: {:?}", queue.stats());
    drop(handle);
    a_lap(&queue);
    assert_eq!(queue.stats().retired_bytes, 0, "{:?}", queue.stats());
}
