//! Every interleaving of a poster and a reader, and of both with the inside of the queue.
#![cfg(segring_loom)]

use std::sync::Arc;

use inbox::Inbox;
use segring::{Hysteresis, Queue};

/// Explores all schedules with at most two preemptions; without a bound this takes very long.
fn check(serve: impl Fn(&Inbox<u32>, &mut Vec<u32>) + Copy + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(move || {
        // Rings so small that the second letter needs another one. Made inside the model.
        let policy = Hysteresis::new().with_slots(1, 64).unwrap();
        let inbox = Arc::new(Inbox::new(Queue::with(policy)));
        let poster = loom::thread::spawn({
            let inbox = Arc::clone(&inbox);
            move || {
                inbox.post(1);
                inbox.post(2);
                inbox.finish();
            }
        });
        let reader = loom::thread::spawn({
            let inbox = Arc::clone(&inbox);
            move || {
                let mut letters = Vec::new();
                serve(&inbox, &mut letters);
                letters
            }
        });
        poster.join().unwrap();
        assert_eq!(reader.join().unwrap(), [1, 2], "a letter was lost");
    });
}

#[test]
fn every_letter_is_read() {
    check(|inbox, letters| inbox.serve(|letter| letters.push(letter)));
}

/// The mistake that is easily made: to ask whether that was all *after* the look inside. The second
/// letter may come between the two. Loom must find it, or the test above proves nothing.
#[test]
#[should_panic(expected = "a letter was lost")]
fn asking_too_late_loses_a_letter() {
    check(|inbox, letters| {
        loop {
            match inbox.next() {
                Some(letter) => letters.push(letter),
                None if inbox.is_finished() => return,
                None => loom::thread::yield_now(),
            }
        }
    });
}
