//! Many items in one call, whichever way the queue is used: the same as one after the other.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Batches, Counted, mpsc_queue, queue};
use proptest::prelude::*;
use segring::Queue;

mod common;

/// Eight slots are the fewest that give two tickets at once; a chunk is of 32.
const SLOTS: [usize; 6] = [1, 2, 4, 8, 64, 256];

const SIZES: [usize; 16] = [0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 64, 100, 1000];

/// Runs `$body` for each way and each ring size.
macro_rules! for_every_way {
    ($($name:ident: $item:ty, |$ends:ident| $body:block)*) => {$(
        mod $name {
            use super::*;

            fn run(mut $ends: impl Batches<$item>) $body

            #[test]
            fn shared() {
                for slots in SLOTS {
                    run(&queue(slots));
                }
            }

            #[test]
            fn handles() {
                for slots in SLOTS {
                    run(queue(slots).handle());
                }
            }

            #[test]
            fn one_consumer() {
                for slots in SLOTS {
                    run(mpsc_queue(slots));
                }
            }
        }
    )*};
}

for_every_way! {
    in_order: usize, |ends| {
        let (mut pushed, mut popped) = (0, 0);
        for (i, size) in SIZES.into_iter().chain(SIZES.into_iter().rev()).enumerate() {
            assert!(ends.push_batch(pushed..pushed + size).is_empty());
            pushed += size;
            // Single operations in between start the next batch at any place of a lap.
            ends.push(pushed);
            pushed += 1;
            let some = SIZES[(i * 7) % SIZES.len()].min(pushed - popped);
            assert!(ends.pop_batch(some).into_iter().eq(popped..popped + some));
            popped += some;
        }
        assert!(ends.pop_batch(usize::MAX).into_iter().eq(popped..pushed));
        assert!(ends.pop_batch(7).is_empty());
    }

    appended_to_what_is_there: usize, |ends| {
        let mut items = vec![100];
        assert_eq!(ends.pop_into(&mut items, 5), 0);
        assert!(ends.push_batch(0..50).is_empty());
        assert_eq!(ends.pop_into(&mut items, 0), 0);
        assert_eq!(ends.pop_into(&mut items, 40), 40);
        assert_eq!(ends.pop_into(&mut items, 40), 10);
        assert!(items.into_iter().eq([100].into_iter().chain(0..50)));
    }

    // No more items are taken from an iterator than it gives, whatever it says.
    iterators_that_lie: usize, |ends| {
        struct Liar(std::ops::Range<usize>, (usize, Option<usize>));
        impl Iterator for Liar {
            type Item = usize;
            fn next(&mut self) -> Option<usize> {
                self.0.next()
            }
            fn size_hint(&self) -> (usize, Option<usize>) {
                self.1
            }
        }
        impl ExactSizeIterator for Liar {}
        for hint in [(0, Some(0)), (1, Some(1)), (usize::MAX, Some(usize::MAX)), (1_000, None)] {
            for size in [0, 1, 5, 40] {
                assert!(ends.push_batch(Liar(0..size, hint)).is_empty());
                assert!(ends.pop_batch(size + 1).into_iter().eq(0..size));
            }
        }
    }

    // One that has ended is not asked again.
    iterators_that_go_on_after_their_end: usize, |ends| {
        let mut calls = 0;
        let items = std::iter::from_fn(|| {
            calls += 1;
            (calls % 5 != 0).then_some(calls)
        });
        assert!(ends.push_batch(items).is_empty());
        assert_eq!(calls, 5);
        assert_eq!(ends.pop_batch(9), [1, 2, 3, 4]);
    }

    iterators_that_panic: usize, |ends| {
        for given in [0, 1, 2, 16, 31, 32, 33, 100] {
            let items = (0..1_000).map(|n| if n < given { n } else { panic!("as asked") });
            let result = catch_unwind(AssertUnwindSafe(|| ends.push_batch(items)));
            assert!(result.is_err());
            // All that it gave is inside, and nobody is kept from going on.
            ends.push(given);
            assert!(ends.push_batch(given + 1..given + 50).is_empty());
            assert!(ends.pop_batch(usize::MAX).into_iter().eq(0..given + 50));
        }
    }
}

/// An iterator may use the queue itself: no ticket is held meanwhile.
#[test]
fn iterators_over_the_queue() {
    for slots in SLOTS {
        let queue = queue(slots);
        queue.push_batch(0..100);
        let mut left = 1_000;
        queue.push_batch(std::iter::from_fn(|| {
            left -= 1;
            if left > 0 { queue.pop() } else { None }
        }));
        let mut items = queue.pop_batch(usize::MAX);
        items.sort_unstable();
        assert!(items.into_iter().eq(0..100));
    }
}

/// Whatever the moment, what is not pushed comes back: taken from the iterator or not.
#[test]
fn closing_gives_the_rest_back() {
    for slots in SLOTS {
        for at in [0, 1, 15, 31, 32, 33, 63, 64, 100, 200] {
            let queue = queue(slots);
            let items = (0..200).inspect(|&n| {
                if n == at {
                    queue.close();
                }
            });
            let inside = match queue.try_push_batch(items) {
                Ok(()) => {
                    assert_eq!(at, 200);
                    200
                }
                Err(error) => {
                    assert!(error.is_closed());
                    let rest = error.into_inner();
                    let (least, most) = rest.size_hint();
                    let rest: Vec<_> = rest.collect();
                    assert_eq!((least, most), (rest.len(), Some(rest.len())));
                    let inside = 200 - rest.len();
                    assert!(rest.into_iter().eq(inside..200));
                    inside
                }
            };
            assert!(inside <= at);
            assert!(queue.pop_batch(usize::MAX).into_iter().eq(0..inside));
        }
    }
    let queue = Queue::<u8>::new();
    queue.close();
    assert!(queue.try_push_batch([]).is_ok(), "nothing was refused");
}

#[test]
#[should_panic(expected = "push to a closed queue")]
fn a_batch_for_a_closed_queue_panics() {
    let queue = Queue::new();
    queue.close();
    queue.handle().push_batch([1, 2, 3]);
}

/// Items of the sizes that go in chunks of 32, of 4 and alone, each dropped once wherever it is
/// when all ends.
#[test]
fn every_item_is_dropped_once() {
    fn run<const SIZE: usize>() {
        for slots in SLOTS {
            for size in SIZES {
                let drops = AtomicUsize::new(0);
                let queue = queue(slots);
                let item = || (Counted(&drops), [0_u8; SIZE]);
                let items = |n| std::iter::repeat_with(item).take(n).collect::<Vec<_>>();
                queue.push_batch(items(size));
                queue.handle().push_batch(items(size));
                drop(queue.pop_batch(size / 2));
                assert_eq!(drops.load(Ordering::Relaxed), size / 2);
                queue.close();
                let rejected = queue.try_push_batch(items(size));
                assert_eq!(drops.load(Ordering::Relaxed), size / 2);
                drop(rejected);
                assert_eq!(drops.load(Ordering::Relaxed), size + size / 2);
                drop(queue);
                assert_eq!(drops.load(Ordering::Relaxed), 3 * size);
            }
        }
    }
    run::<0>();
    run::<100>();
    run::<1_000>();
}

#[test]
#[allow(clippy::large_stack_arrays, reason = "the point of the test")]
fn items_of_any_shape() {
    let units = queue(8);
    units.push_batch([(); 100]);
    assert_eq!(units.pop_batch(usize::MAX).len(), 100);

    // A chunk is no burden for the stack.
    std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(|| {
            let queue = queue(8);
            queue.push_batch((0..50_u8).map(|n| [n; 64 << 10]));
            assert!(queue.pop_batch(50).iter().map(|item| item[7]).eq(0..50));
        })
        .unwrap()
        .join()
        .unwrap();
}

/// Batches take tickets at quarters of a lap as single pushes do, and their owners look after the
/// ring all the same.
#[test]
fn a_burst_is_forgotten_by_batches() {
    for many in [2, 3, 16, 31, 32] {
        let queue = Queue::new();
        queue.push_batch(0..100_000);
        let largest = queue.segment_capacity();
        drop(queue.pop_batch(100_000));
        for _ in 0..2 * largest / many {
            queue.push_batch(0..many);
            assert_eq!(queue.pop_batch(many).len(), many);
        }
        assert_eq!(queue.segment_capacity(), 64, "{many} at a time");
    }
}

const ITEMS: usize = if cfg!(miri) { 200 } else { 20_000 };

fn contended<'q, E: Batches<(usize, usize)>>(
    queue: &'q Queue<(usize, usize)>,
    ends: impl Fn(&'q Queue<(usize, usize)>) -> E + Sync,
) {
    const THREADS: usize = 2;
    let seen: Vec<_> = (0..THREADS * ITEMS).map(|_| AtomicUsize::new(0)).collect();
    let left = AtomicUsize::new(THREADS * ITEMS);
    std::thread::scope(|s| {
        for producer in 0..THREADS {
            let ends = &ends;
            s.spawn(move || {
                let mut ends = ends(queue);
                let mut items = (0..ITEMS).map(|n| (producer, n)).peekable();
                for size in SIZES.into_iter().cycle() {
                    if items.peek().is_none() {
                        break;
                    }
                    assert!(ends.push_batch(items.by_ref().take(size)).is_empty());
                }
            });
        }
        for consumer in 0..THREADS {
            let (ends, seen, left) = (&ends, &seen, &left);
            s.spawn(move || {
                let mut ends = ends(queue);
                let mut last = [None; THREADS];
                for size in SIZES.into_iter().cycle().skip(consumer) {
                    if left.load(Ordering::Relaxed) == 0 {
                        break;
                    }
                    let items = ends.pop_batch(size);
                    left.fetch_sub(items.len(), Ordering::Relaxed);
                    for (producer, n) in items {
                        assert!(last[producer] < Some(n), "producer {producer} out of order");
                        last[producer] = Some(n);
                        seen[producer * ITEMS + n].fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert!(seen.iter().all(|seen| seen.load(Ordering::Relaxed) == 1));
    assert!(queue.is_empty());
}

#[test]
fn many_producers_many_consumers() {
    for slots in SLOTS {
        contended(&queue(slots), |queue| queue);
        contended(&queue(slots), Queue::handle);
    }
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Push,
    Pop,
    PushBatch(usize),
    PopBatch(usize),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        2 => Just(Op::Push),
        2 => Just(Op::Pop),
        3 => (0_usize..80).prop_map(Op::PushBatch),
        3 => (0_usize..80).prop_map(Op::PopBatch),
    ]
}

fn answers_as_a_deque(mut ends: impl Batches<usize>, ops: &[Op]) {
    let (mut deque, mut next) = (VecDeque::new(), 0);
    for &op in ops {
        match op {
            Op::Push => {
                ends.push(next);
                deque.push_back(next);
                next += 1;
            }
            Op::Pop => assert_eq!(ends.pop(), deque.pop_front()),
            Op::PushBatch(size) => {
                assert!(ends.push_batch(next..next + size).is_empty());
                deque.extend(next..next + size);
                next += size;
            }
            Op::PopBatch(max) => {
                let expected = deque.drain(..max.min(deque.len()));
                assert!(ends.pop_batch(max).into_iter().eq(expected));
            }
        }
    }
    assert!(ends.pop_batch(usize::MAX).into_iter().eq(deque));
}

proptest! {
    #[test]
    fn same_as_a_deque(
        ops in prop::collection::vec(op(), 0..200),
        slots in prop::sample::select(SLOTS.to_vec()),
    ) {
        answers_as_a_deque(&queue(slots), &ops);
        answers_as_a_deque(queue(slots).handle(), &ops);
        answers_as_a_deque(mpsc_queue(slots), &ops);
    }
}
