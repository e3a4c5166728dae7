//! Threads that stop at points of their operations until they are told to go on.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Once;
use std::sync::mpsc::{Receiver, Sender, channel};

use segring::hooks::{self, Point};

/// A point at which a thread stops until it is told to go on.
pub(crate) struct Stop {
    point: Point,
    reached: Sender<()>,
    go: Receiver<()>,
}

/// The test's side of a [`Stop`].
pub(crate) struct Gate {
    reached: Receiver<()>,
    go: Sender<()>,
}

impl Gate {
    pub(crate) fn new(point: Point) -> (Stop, Self) {
        let (reached, is_reached) = channel();
        let (go, may_go) = channel();
        (Stop { point, reached, go: may_go }, Self { reached: is_reached, go })
    }

    pub(crate) fn wait(&self) {
        self.reached.recv().expect("the thread gets there");
    }

    pub(crate) fn open(&self) {
        self.go.send(()).expect("the thread is waiting");
    }
}

std::thread_local! {
    pub(crate) static STOPS: RefCell<VecDeque<Stop>> = const { RefCell::new(VecDeque::new()) };
}

fn at(point: Point) {
    let stop = STOPS.with_borrow_mut(|stops| stops.pop_front_if(|stop| stop.point == point));
    if let Some(stop) = stop {
        stop.reached.send(()).expect("the test waits");
        stop.go.recv().expect("the test opens every gate");
    }
}

pub(crate) fn set_hook() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| hooks::set(at));
}
