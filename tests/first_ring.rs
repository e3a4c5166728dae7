//! A queue has no ring before its first push, so that the first operations race to install one. Here
//! all kinds of them do, round after round, on queues that are a moment old and soon gone.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};

use common::{Counted, in_time};
use segring::mpsc::{self, Consumer, Producer};
use segring::{PopError, Queue};

mod common;

const ROUNDS: usize = if cfg!(miri) { 20 } else { 1_000 };

/// Runs these at once, and returns what they came to.
fn at_once<const N: usize>(work: [Box<dyn FnOnce() -> usize + Send + '_>; N]) -> [usize; N] {
    let start = Barrier::new(N);
    std::thread::scope(|s| {
        let threads = work.map(|work| {
            let start = &start;
            s.spawn(move || {
                start.wait();
                work()
            })
        });
        threads.map(|thread| thread.join().expect("no panic"))
    })
}

/// Two first pushes, a pop, a look, a close and five last owners. Every item is popped, rejected, or
/// dropped with the queue.
#[test]
fn raced_by_push_pop_close_len_and_drop() {
    let drops = AtomicUsize::new(0);
    let count = || drops.load(Ordering::Relaxed);
    in_time(|| {
        let (mut early, mut late) = (0, 0);
        // On one processor the threads may run in the same order each time: until both have been.
        for round in 0.. {
            if round >= ROUNDS && early > 0 && late > 0 {
                break;
            }
            let before = count();
            let queue = Arc::new(Queue::new());
            let push = |queue: Arc<Queue<_>>, handles: bool| -> Box<dyn FnOnce() -> usize + Send> {
                let item = Counted(&drops);
                Box::new(move || {
                    let pushed = if handles {
                        queue.owned_handle().try_push(item)
                    } else {
                        queue.try_push(item)
                    };
                    usize::from(pushed.is_ok())
                })
            };
            let (popping, looking, closing) = (queue.clone(), queue.clone(), queue.clone());
            let first = push(queue.clone(), round % 2 == 0);
            let second = push(queue, round % 3 == 0);
            let [a, b, popped, len, closed] = at_once([
                first,
                second,
                Box::new(move || (0..3).filter_map(|_| popping.pop()).count()),
                Box::new(move || {
                    let (was_empty, len) = (looking.is_empty(), looking.len());
                    assert!(looking.segment_capacity() == 64 && (was_empty || len <= 2));
                    len
                }),
                Box::new(move || {
                    (0..round / ROUNDS * (round % 8)).for_each(|_| std::thread::yield_now());
                    usize::from(closing.close())
                }),
            ]);
            assert!(popped <= a + b && len <= a + b, "{popped} popped, {len} seen of {}", a + b);
            assert_eq!(closed, 1);
            assert_eq!(count() - before, 2, "each item once");
            early += usize::from(a + b < 2);
            late += usize::from(a + b == 2);
        }
    });
}

/// What a look at a queue may say while the very first item comes in, and what it must say then.
#[test]
fn an_item_that_was_seen_is_there() {
    in_time(|| {
        for _ in 0..ROUNDS {
            let queue = Queue::new();
            let [_, found] = at_once([
                Box::new(|| {
                    queue.push(7);
                    0
                }),
                Box::new(|| {
                    while queue.is_empty() {
                        std::thread::yield_now();
                    }
                    queue.pop().expect("it was seen")
                }),
            ]);
            assert_eq!((found, queue.pop()), (7, None));
        }
    });
}

/// The consumer goes away, or asks, while the first ring comes into being; all ends are the last.
#[test]
fn raced_by_ends_that_go_away() {
    let drops = AtomicUsize::new(0);
    in_time(|| {
        for round in 0..ROUNDS {
            let before = drops.load(Ordering::Relaxed);
            let (producer, mut consumer): (Producer<_>, Consumer<_>) = mpsc::queue();
            let push = |mut producer: Producer<_>| -> Box<dyn FnOnce() -> usize + Send> {
                let item = Counted(&drops);
                Box::new(move || usize::from(producer.push(item).is_ok()))
            };
            let (first, second) = (push(producer.clone()), push(producer));
            let [pushed, also, popped] = at_once([
                first,
                second,
                Box::new(move || {
                    if round % 2 == 0 {
                        drop(consumer);
                        return 0;
                    }
                    let mut popped = 0;
                    loop {
                        match consumer.try_pop() {
                            Ok(_) => popped += 1,
                            Err(PopError::Empty) => std::thread::yield_now(),
                            Err(PopError::Closed) => return popped,
                        }
                    }
                }),
            ]);
            assert!(round % 2 == 0 || (pushed + also, popped) == (2, 2));
            assert_eq!(drops.load(Ordering::Relaxed) - before, 2, "each item once");
        }
    });
}
