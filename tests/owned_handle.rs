//! Handles that own a share of their queue.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use common::{Counted, queue};
use segring::{OwnedHandle, Queue};

mod common;

#[test]
fn the_last_handle_drops_the_queue_and_what_is_inside() {
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    let queue = Arc::new(queue(2));
    let handles: Vec<_> = (0..3)
        .map(|_| {
            let mut handle = queue.owned_handle();
            thread::spawn(move || {
                // Through several rings, so that handles stand in different ones.
                (0..50).for_each(|_| handle.push(Counted(&DROPS)));
                (0..25).for_each(|_| drop(handle.pop().expect("half of them are left")));
                handle
            })
        })
        .map(|thread| thread.join().unwrap())
        .collect();
    drop(queue);
    let mut left = handles.into_iter();
    let last = left.next_back().unwrap();
    left.for_each(drop);
    assert_eq!((last.queue().len(), DROPS.load(Ordering::Relaxed)), (75, 75));
    // On another thread, which has never used the queue.
    thread::spawn(move || drop(last)).join().unwrap();
    assert_eq!(DROPS.load(Ordering::Relaxed), 150);
}

#[test]
fn a_handle_outlives_every_other_owner() {
    struct Outbox {
        handle: OwnedHandle<String>,
    }

    let mut outbox = {
        let queue = Arc::new(Queue::new());
        queue.push(String::from("first"));
        Outbox { handle: queue.owned_handle() }
    };
    outbox.handle.push(String::from("second"));
    assert!(outbox.handle.queue().close());
    assert!(outbox.handle.try_push(String::from("third")).unwrap_err().is_closed());
    assert!(outbox.handle.try_iter().eq(["first", "second"]));
}

#[test]
fn unwrapping_the_queue_needs_all_handles_gone() {
    let mut queue = Arc::new(Queue::new());
    let mut handle = queue.owned_handle();
    handle.push(1);
    assert!(Arc::get_mut(&mut queue).is_none());
    drop(handle);
    assert_eq!(Arc::get_mut(&mut queue).unwrap().pop_mut(), Some(1));
    assert!(Arc::try_unwrap(queue).is_ok());
}
