//! What the thread sanitizer watches (`make sanitize`): every way to use a queue, by several threads, on
//! rings that change all the time, with items behind pointers, which are written before a push and
//! read after the pop with no other synchronization.
//!
//! The standard library comes without the sanitizer's instrumentation: it does not see how a scope waits for
//! its threads, how an `Arc` is dropped or how a test harness reports. So threads are joined one by
//! one, whatever is shared outlives them, and this is a program without a harness. Nothing is
//! suppressed. In an ordinary build it is one more test of conservation and order.

use std::thread::{ScopedJoinHandle, scope};

use common::{Batches, Ends, mpsc_queue, queue};
use segring::{BoundedQueue, Queue};

mod common;

type Item = Box<(usize, usize)>;

const THREADS: usize = 3;
const ITEMS: usize = 3_000;

/// What a thread popped: of each producer's items how many, all in order.
#[derive(Default)]
struct Popped {
    last: [usize; THREADS + 1],
    count: usize,
}

impl Popped {
    fn see(&mut self, item: Option<Item>) {
        let Some(item) = item else { return };
        let (producer, n) = *item;
        assert!(self.last[producer] < n, "producer {producer}: {n} after {}", self.last[producer]);
        self.last[producer] = n;
        self.count += 1;
    }
}

fn join_all<T>(threads: Vec<ScopedJoinHandle<'_, T>>) -> Vec<T> {
    threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
}

/// Runs the same in several threads, which have an end each; returns what they popped, and the ends.
fn run<E: Send>(ends: Vec<E>, work: impl Fn(usize, &mut E, &mut Popped) + Sync) -> (usize, Vec<E>) {
    let work = &work;
    let all = scope(|s| {
        join_all(
            ends.into_iter()
                .enumerate()
                .map(|(thread, mut ends)| {
                    s.spawn(move || {
                        let mut popped = Popped::default();
                        work(thread, &mut ends, &mut popped);
                        (popped.count, ends)
                    })
                })
                .collect(),
        )
    });
    let count = all.iter().map(|(count, _)| count).sum();
    (count, all.into_iter().map(|(_, ends)| ends).collect())
}

/// Pushes and pops, one by one and many at once.
fn push_and_pop(thread: usize, ends: &mut impl Batches<Item>, popped: &mut Popped) {
    let item = |n| Box::new((thread, n));
    let mut n = 1;
    while n <= ITEMS {
        if n.is_multiple_of(16) {
            let many = n % 7;
            assert!(ends.push_batch((n..n + many).map(item)).is_empty());
            n += many;
            ends.pop_batch(many).into_iter().for_each(|item| popped.see(Some(item)));
        }
        ends.push(item(n));
        n += 1;
        (0..n % 3).for_each(|_| popped.see(ends.pop()));
    }
}

/// Shared and through handles. What is left is dropped with the queue, by a thread that pushed none.
fn many_to_many(slots: usize) {
    let all = queue(slots);
    let (popped, _) = run(vec![&all; THREADS], |thread, queue, popped| {
        push_and_pop(thread, queue, popped);
    });
    assert!(popped + all.len() >= THREADS * ITEMS);
    drop(all);
    let all = queue(slots);
    let handles = (0..THREADS).map(|_| all.handle()).collect();
    let (popped, handles) = run(handles, |thread, handle, popped| {
        push_and_pop(thread, handle, popped);
        all.shrink_to_fit();
        *handle = all.handle();
        all.reclaim();
    });
    assert!(popped + all.len() >= THREADS * ITEMS);
    drop(handles);
}

/// One consumer, which is thread 0.
fn many_to_one(slots: usize) {
    let (producer, consumer) = mpsc_queue::<Item>(slots);
    let mut consumer = Some(consumer);
    let ends = (0..THREADS).map(|_| (producer.clone(), consumer.take())).collect();
    let (popped, ends) = run(ends, |thread, (producer, consumer), popped| {
        let Some(consumer) = consumer else {
            return (1..=ITEMS).for_each(|n| producer.push(Box::new((thread, n))).expect("open"));
        };
        while popped.count < (THREADS - 1) * ITEMS {
            match consumer.pop() {
                None => std::thread::yield_now(),
                item => popped.see(item),
            }
        }
    });
    assert_eq!(popped, (THREADS - 1) * ITEMS);
    drop((ends, producer));
}

/// A bounded queue that is mostly full, and forced.
fn bounded(capacity: usize) {
    let queue = BoundedQueue::new(capacity);
    let handles = (0..THREADS).map(|_| queue.handle()).collect();
    let (seen, handles) = run(handles, |thread, handle, popped| {
        for n in 1..=ITEMS {
            let item = Box::new((thread, n));
            match n % 4 {
                // A forced push gets the oldest item, or another forced push's: not in order.
                0 => popped.count += usize::from(queue.force_push(item).is_some()),
                1 => popped.count += usize::from(queue.push(item).is_err()),
                _ => popped.count += usize::from(handle.push(item).is_err()),
            }
            if n.is_multiple_of(3) {
                popped.see(handle.pop());
            }
        }
    });
    assert_eq!(seen + queue.len(), THREADS * ITEMS);
    drop(handles);
}

/// Closed while others push and look.
fn closed(slots: usize) {
    let queue = Queue::<Item>::with(
        segring::Hysteresis::new().with_slots(slots, 1 << 10).expect("powers of two"),
    );
    let (popped, _) = run(vec![&queue; THREADS], |thread, ends, popped| {
        for n in 1..=ITEMS {
            if thread == 0 && n == ITEMS / 2 {
                assert!(queue.close());
            }
            let pushed = ends.try_push(Box::new((thread, n)));
            if n.is_multiple_of(2) && !ends.is_empty() {
                popped.see(ends.pop());
            }
            assert!(pushed.is_ok() || ends.is_closed());
        }
    });
    assert!(popped + queue.len() >= ITEMS / 2 - 1);
}

fn main() {
    // What is made once for all (in builds with faults, their names) is made before there are threads: the
    // sanitizer does not see how others would wait for it.
    assert_eq!(Queue::from_iter([1]).pop(), Some(1));
    let mut passed = 0;
    let mut scenario = |run: fn(usize), size| {
        run(size);
        passed += 1;
    };
    for slots in [1, 2, 4, 64] {
        scenario(many_to_many, slots);
        scenario(many_to_one, slots);
        scenario(closed, slots);
    }
    for capacity in [1, 2, 7] {
        scenario(bounded, capacity);
    }
    println!("test result: ok. {passed} passed; 0 failed");
}
