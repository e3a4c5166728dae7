//! Tier F: lock-freedom, tried at every step.
//!
//! A thread is stopped for ever in the middle of an operation, after its first, its second, ... and
//! so on to its last access to shared memory. Under many schedules two others then have work to do,
//! and must get through with a bounded number of steps. What they and a last consumer find must be
//! all that was pushed, each item once and in order, but for what the stopped thread has in its
//! hands. In the end it is let go after all, and everything must add up.
//!
//! Built with `--cfg segring_shuttle`; empty without. `make freeze` runs it.
#![cfg(segring_shuttle)]

use std::panic::catch_unwind;

use segring::BoundedQueue;
use segring::model::mutated;
use segring::{PushError, Unpushed};

use control::Vyukov;
use freezer::{Report, say};
use scene::{Actor, Ends, Item, Trial};
use subjects::{Bounded, BoundedHandles, Handles, Mpsc, Shared};

mod control;
mod freezer;
mod scene;
mod subjects;

/// One test for each line, `name: operation, conditions`, with each way to use the queue that stands
/// in brackets: on rings of one slot and of two, which are closed, linked and left all the time, and
/// on one so large that it stays open, where nobody is saved from waiting by its being closed.
macro_rules! freeze {
    ($vias:tt $($name:ident: $operation:expr $(, $when:ident $act:expr)*;)+) => {
        $(freeze! { @ $name $vias { $operation $(, $when $act)* } })+
    };
    (@ $name:ident [$($via:ident)+] $trial:tt) => {
        #[test]
        fn $name() {
            for slots in [1, 2, 64] {
                $(freeze!(@ $via $trial).check(stringify!($name), slots);)+
            }
        }
    };
    (@ $via:ident { $operation:expr $(, $when:ident $act:expr)* }) => {
        Trial::<$via>::of($operation)$(.$when($act))*
    };
}

// A thread (`a`) does something through its ends (`e`) of a queue (`q`).
freeze! { [Shared Handles]
    first_push: |a, e, _| a.push(e);
    push: |a, e, _| a.push(e),
        after |a, e, _| push_and_pop(a, e, 1, 1);
    push_that_closes_and_links: |a, e, _| a.push(e),
        after |a, e, _| push_and_pop(a, e, 2, 0);
    push_behind_a_stalled_append: |a, e, _| a.push(e),
        after |a, e, _| push_and_pop(a, e, 2, 0),
        while_stalled_in |a, e, _| a.push(e);
    push_to_a_queue_that_is_closing: |a, e, _| a.push(e),
        after |a, e, _| a.push(e),
        while_stalled_in |_, _, q| _ = q.close();
    pop: |a, e, _| _ = a.pop(e), holding 1,
        after |a, e, _| push_and_pop(a, e, 2, 0);
    pop_of_nothing: |a, e, _| _ = a.pop(e), holding 1,
        after |a, e, _| push_and_pop(a, e, 1, 1);
    pop_behind_a_stalled_push: |a, e, _| _ = a.pop(e), holding 1,
        after |a, e, _| push_and_pop(a, e, 1, 1),
        while_stalled_in |a, e, _| a.push(e);
    pop_that_leaves_and_retires: |a, e, _| _ = a.pop(e), holding 1,
        after |a, e, _| push_and_pop(a, e, 3, 2);
    pop_that_leaves_beside_a_stalled_push: |a, e, _| _ = a.pop(e), holding 1,
        after |a, e, _| push_and_pop(a, e, 3, 2),
        while_stalled_in |a, e, _| a.push(e);
    push_batch: |a, e, _| a.pushing(3, |items| pushed(3, e.try_push_batch(items.iter().copied()))),
        after |a, e, _| push_and_pop(a, e, 1, 1);
    push_batch_into_the_next_ring: |a, e, _| {
            a.pushing(3, |items| pushed(3, e.try_push_batch(items.iter().copied())));
        },
        after |a, e, _| push_and_pop(a, e, 2, 0);
    pop_batch: |a, e, _| a.popped(e.pop_batch(2)), holding 2,
        after |a, e, _| push_and_pop(a, e, 3, 0);
    pop_batch_behind_a_stalled_one: |a, e, _| a.popped(e.pop_batch(2)), holding 2,
        after |a, e, _| push_and_pop(a, e, 1, 1),
        while_stalled_in |a, e, _| {
            a.pushing(3, |items| pushed(3, e.try_push_batch(items.iter().copied())));
        };
    close: |_, _, q| _ = q.close(),
        after |a, e, _| a.push(e);
    close_before_the_first_push: |_, _, q| _ = q.close();
    close_behind_a_stalled_append: |_, _, q| _ = q.close(),
        after |a, e, _| push_and_pop(a, e, 2, 0),
        while_stalled_in |a, e, _| a.push(e);
    shrink_to_fit: |_, _, q| q.shrink_to_fit(),
        after |a, e, _| push_and_pop(a, e, 9, 9);
    reclaim: |_, _, q| _ = q.reclaim(),
        after |a, e, _| push_and_pop(a, e, 9, 9);
    len: |_, _, q| _ = q.len(),
        after |a, e, _| push_and_pop(a, e, 3, 0);
    is_empty: |_, _, q| _ = q.is_empty(),
        after |a, e, _| push_and_pop(a, e, 3, 0);
    is_closed: |_, _, q| _ = q.is_closed(),
        after |a, e, _| push_and_pop(a, e, 3, 0);
}

freeze! { [Handles]
    new_handle_pushes: |a, _, q| a.push(&mut q.handle()),
        after |a, e, _| push_and_pop(a, e, 1, 1);
    new_handle_pops: |a, _, q| _ = a.pop(&mut q.handle()), holding 1,
        after |a, e, _| push_and_pop(a, e, 2, 0);
    // Others have gone on through four rings.
    handle_moves_to_push: |a, e, _| a.push(e),
        after |a, e, mut q| { a.push(e); push_and_pop(a, &mut q, 9, 9); };
    handle_moves_to_pop: |a, e, _| _ = a.pop(e), holding 1,
        after |a, e, mut q| { push_and_pop(a, e, 1, 1); push_and_pop(a, &mut q, 9, 5); };
    handle_is_dropped: |_, e, q| *e = q.handle(),
        after |a, e, mut q| { push_and_pop(a, e, 2, 1); push_and_pop(a, &mut q, 9, 9); };
}

// Capacities of 1, 2 and 64 in place of slots.
freeze! { [Bounded BoundedHandles]
    bounded_push: |a, e, _| a.push(e);
    bounded_push_to_a_full_queue: |a, e, _| a.push(e),
        after |a, e, _| push_and_pop(a, e, 64, 0);
    bounded_push_behind_a_stalled_pop: |a, e, _| a.push(e), holding 1,
        after |a, e, _| push_and_pop(a, e, 64, 0),
        while_stalled_in |a, e, _| _ = a.pop(e);
    bounded_push_behind_a_stalled_push: |a, e, _| a.push(e),
        while_stalled_in |a, e, _| a.push(e);
    bounded_pop: |a, e, _| _ = a.pop(e), holding 1,
        after |a, e, _| push_and_pop(a, e, 64, 0);
    bounded_pop_behind_a_stalled_push: |a, e, _| _ = a.pop(e), holding 1,
        after |a, e, _| push_and_pop(a, e, 1, 1),
        while_stalled_in |a, e, _| a.push(e);
    bounded_force_push: |a, _, q| force_push(a, q), holding 1,
        after |a, e, _| push_and_pop(a, e, 64, 0);
    bounded_force_push_behind_a_stalled_pop: |a, _, q| force_push(a, q), holding 2,
        after |a, e, _| push_and_pop(a, e, 64, 0),
        while_stalled_in |a, e, _| _ = a.pop(e);
    bounded_close: |_, _, q| _ = q.close(),
        after |a, e, _| push_and_pop(a, e, 64, 0);
    bounded_is_full: |_, _, q| _ = q.is_full(),
        after |a, e, _| push_and_pop(a, e, 64, 0);
    bounded_len: |_, _, q| _ = q.len(),
        after |a, e, _| push_and_pop(a, e, 64, 0);
}

fn force_push(actor: &mut Actor, queue: &BoundedQueue<Item>) {
    let mut evicted = None;
    actor.pushing(1, |items| match queue.try_force_push(items[0]) {
        Ok(item) => {
            evicted = item;
            1
        }
        Err(_) => 0,
    });
    actor.popped(evicted);
}

// While the consumer is stopped, nothing comes out.
freeze! { [Mpsc]
    mpsc_push: |a, e, _| a.push(e),
        after |a, e, _| push_and_pop(a, e, 1, 1);
    mpsc_push_that_closes_and_links: |a, e, _| a.push(e),
        after |a, e, _| push_and_pop(a, e, 2, 0);
    mpsc_push_behind_a_stalled_append: |a, e, _| a.push(e),
        after |a, e, _| push_and_pop(a, e, 2, 0),
        while_stalled_in |a, e, _| a.push(e);
    mpsc_push_behind_a_stalled_pop: |a, e, _| a.push(e), holding usize::MAX,
        after |a, e, _| push_and_pop(a, e, 3, 0),
        while_stalled_in |a, e, _| _ = a.pop(e);
    mpsc_push_batch: |a, e, _| a.pushing(4, |items| pushed(4, e.producer.push_batch(items.iter().copied()))),
        after |a, e, _| push_and_pop(a, e, 1, 1);
    mpsc_pop: |a, e, _| _ = a.pop(e), holding usize::MAX,
        after |a, e, _| { push_and_pop(a, e, 2, 0); e.take_consumer(); };
    mpsc_pop_of_nothing: |a, e, _| _ = a.pop(e), holding usize::MAX,
        after |a, e, _| { push_and_pop(a, e, 1, 1); e.take_consumer(); };
    mpsc_pop_behind_a_stalled_push: |a, e, _| _ = a.pop(e), holding usize::MAX,
        after |a, e, _| { push_and_pop(a, e, 1, 1); e.take_consumer(); },
        while_stalled_in |a, e, _| a.push(e);
    mpsc_pop_that_leaves: |a, e, _| _ = a.pop(e), holding usize::MAX,
        after |a, e, _| { push_and_pop(a, e, 3, 2); e.take_consumer(); };
    mpsc_pop_batch: |a, e, _| a.popped(e.consume(|c| c.pop_batch(4)).into_iter().flatten()), holding usize::MAX,
        after |a, e, _| { push_and_pop(a, e, 6, 0); e.take_consumer(); };
    mpsc_close: |_, e, _| _ = e.producer.close(),
        after |a, e, _| push_and_pop(a, e, 2, 0);
    mpsc_producer_is_dropped: |_, e, q| *e = <Mpsc as scene::Via>::ends(q),
        after |a, e, _| push_and_pop(a, e, 9, 8);
}

/// How many items of a batch were taken.
fn pushed<I: Iterator>(all: usize, result: Result<(), PushError<Unpushed<I>>>) -> usize {
    all - result.map_or_else(|error| error.into_inner().count(), |()| 0)
}

fn push_and_pop(actor: &mut Actor, ends: &mut impl Ends, pushes: usize, pops: usize) {
    (0..pushes).for_each(|_| actor.push(ends));
    (0..pops).for_each(|_| assert!(actor.pop(ends)));
}

/// A ring whose threads wait for each other must not pass.
#[test]
fn a_blocking_ring_is_found_out() {
    // Its third step is the exchange that claims a slot. From then on everybody waits for it.
    let push = freeze!(@ Vyukov { |a, e, _| a.push(e) });
    assert_eq!(first_stuck(push.sweep("push", 4)), 3);
    let pop = freeze!(@ Vyukov {
        |a, e, _| _ = a.pop(e), holding 1,
        after |a, e, _| push_and_pop(a, e, 2, 0)
    });
    assert_eq!(first_stuck(pop.sweep("pop", 4)), 3);
}

/// Nor must this queue, with a wait that does not end.
#[test]
fn an_endless_wait_is_found_out() {
    mutated(&["consumer-waits"], || {
        let push = freeze!(@ Handles {
            |a, e, _| a.push(e),
            after |a, e, _| push_and_pop(a, e, 1, 1)
        });
        // The first step takes the ticket that a consumer then waits for.
        assert_eq!(first_stuck(push.sweep("push while consumers wait", 64)), 1);
    });
    mutated(&["producer-waits"], || {
        let push = freeze!(@ Handles {
            |a, e, _| a.push(e),
            after |a, e, _| push_and_pop(a, e, 2, 0)
        });
        // The ring is closed some way behind that.
        assert!(first_stuck(push.sweep("push while producers wait", 2)) > 1);
    });
}

/// The first step after which the others did not get through.
fn first_stuck((title, report): (String, Report)) -> usize {
    let step = report.stuck.iter().map(|stuck| stuck.step).min();
    let step = step.unwrap_or_else(|| panic!("{title}: not found out"));
    say(&format!("freeze control, {title}: stuck from step {step} on"));
    step
}

/// What goes wrong while a thread is stopped must be seen, too.
#[test]
fn faults_are_found_out() {
    finds(&["free-at-once"], "a freed segment was used");
    finds(&["give-up-unmarked"], "are lost");
}

fn finds(fault: &'static [&'static str], symptom: &str) {
    let name = fault[0];
    let sweep = || {
        let pop = freeze!(@ Shared {
            |a, e, _| _ = a.pop(e), holding 1,
            after |a, e, _| push_and_pop(a, e, 3, 2),
            while_stalled_in |a, e, _| a.push(e)
        });
        mutated(fault, || pop.sweep("pop", 1))
    };
    let panic = catch_unwind(sweep).expect_err(name);
    let message = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("?");
    assert!(message.contains(symptom), "{name}: {message}");
    say(&format!("freeze mutant {name}: killed ({symptom})"));
}
