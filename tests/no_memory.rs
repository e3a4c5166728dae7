//! When there is no memory for a ring: the item comes back, nobody hangs, nothing leaks, and with memory
//! again all goes on.
//!
//! A test binary of its own, since it replaces the global allocator.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};

use common::{Batches, Ends, in_time, mpsc_queue, queue};
use heap::{Shortage, balance, starved};
use segring::mpsc::{Consumer, Producer};
use segring::{BoundError, BoundedQueue, PushError, Queue};

mod common;
mod heap;

type Item = Box<usize>;

/// Pushes an item, as often as it comes back for want of memory.
fn push(ends: &mut impl Ends<Item>, n: usize) {
    let mut item = Box::new(n);
    while let Err(error) = ends.try_push(item) {
        assert!(error.is_no_memory(), "neither closed nor bounded: {error}");
        item = error.into_inner();
        assert_eq!(*item, n, "not the item that was pushed");
    }
}

/// The same with many.
fn push_batch(ends: &mut impl Batches<Item>, numbers: std::ops::Range<usize>) {
    let mut rest: Vec<_> = numbers.clone().map(Box::new).collect();
    while !rest.is_empty() {
        rest = ends.push_batch(rest);
        let came_back = numbers.end - rest.len()..numbers.end;
        assert!(rest.iter().map(|item| **item).eq(came_back), "others than were left over");
    }
}

/// All that a queue asks for rings for, one after the other, beside a deque that tells what must come
/// out. Leaves some items inside.
fn life(mut ends: impl Batches<Item>, shrink_to_fit: impl Fn()) {
    let mut model = VecDeque::new();
    let mut numbers = 0..;
    let push_one = |ends: &mut _, model: &mut VecDeque<usize>, n| {
        push(ends, n);
        model.push_back(n);
    };
    let pop_one = |ends: &mut dyn Ends<Item>, model: &mut VecDeque<usize>| {
        assert_eq!(ends.pop().map(|item| *item), model.pop_front());
    };
    // The first ring, and larger ones.
    numbers.by_ref().take(70).for_each(|n| push_one(&mut ends, &mut model, n));
    (0..65).for_each(|_| pop_one(&mut ends, &mut model));
    // Shrinking by use.
    for n in numbers.by_ref().take(300) {
        push_one(&mut ends, &mut model, n);
        pop_one(&mut ends, &mut model);
    }
    // Growing in batches.
    let first = numbers.start;
    numbers.start += 60;
    push_batch(&mut ends, first..first + 60);
    model.extend(first..first + 60);
    let some = ends.pop_batch(40);
    assert!(some.into_iter().map(|item| *item).eq(model.drain(..40)));
    // Shrinking by polling.
    (0..300).for_each(|_| pop_one(&mut ends, &mut model));
    // Shrinking on request.
    numbers.by_ref().take(40).for_each(|n| push_one(&mut ends, &mut model, n));
    (0..38).for_each(|_| pop_one(&mut ends, &mut model));
    shrink_to_fit();
    numbers.take(10).for_each(|n| push_one(&mut ends, &mut model, n));
    pop_one(&mut ends, &mut model);
}

/// Runs a life for every ring that it asks for, which, and so many after it, is refused.
fn for_every_ring(least: usize, life: impl Fn()) {
    for many in [1, 3] {
        for n in 0.. {
            let shortage = Shortage::of(n..n + many);
            let (leaked, ()) = balance(|| shortage.during(&life));
            assert_eq!(leaked, 0, "bytes, with rings {n} and {many} in all refused");
            if !shortage.was_felt() {
                assert!(n >= least, "only {n} rings were asked for");
                break;
            }
        }
    }
}

#[test]
fn whichever_ring_is_refused() {
    for_every_ring(10, || {
        let queue = queue(2);
        life(&queue, || queue.shrink_to_fit());
    });
    for_every_ring(10, || {
        let queue = queue(2);
        life(queue.handle(), || queue.shrink_to_fit());
    });
    for_every_ring(10, || {
        let queue = Arc::new(queue(2));
        life(queue.owned_handle(), || queue.shrink_to_fit());
    });
    for_every_ring(10, || {
        life(mpsc_queue(2), || ()); // Its consumer, who could ask, is busy.
    });
}

/// The only ring that it must have is the first.
#[test]
fn whichever_ring_is_refused_to_a_bounded_queue() {
    for_every_ring(1, || {
        let queue = BoundedQueue::<Item>::try_new(4).or_else(|error| {
            assert!(matches!(error, BoundError::NoMemory { bytes } if bytes > 0), "{error}");
            starved(usize::MAX, || BoundedQueue::try_new(4))
        });
        let queue = queue.expect("there is memory again");
        let mut handle = queue.handle();
        for n in 0..500 {
            for _ in 0..2 {
                queue.try_push(Box::new(n)).expect("there is room, in the ring that is there");
                handle.try_push(Box::new(n)).expect("there is room, in the ring that is there");
            }
            assert!(queue.try_push(Box::new(n)).is_err_and(|error| error.is_full()));
            assert!(queue.try_force_push(Box::new(n)).is_ok_and(|evicted| evicted.is_some()));
            (0..2).for_each(|_| assert!(handle.pop().is_some() && queue.pop().is_some()));
        }
    });
}

const THREADS: usize = 4;
const EACH: usize = 120;

/// How often each item was taken out or came back for good.
type Seen = [AtomicUsize; THREADS * EACH];

fn see(seen: &Seen, item: Option<Item>) {
    if let Some(item) = item {
        seen[*item].fetch_add(1, Ordering::Relaxed);
    }
}

/// The ends of a queue with one consumer, which only one thread has.
struct PerhapsConsumer<'q>(Producer<Item>, Option<&'q mut Consumer<Item>>);

impl Ends<Item> for PerhapsConsumer<'_> {
    fn push(&mut self, item: Item) {
        self.0.push(item).expect("the consumer is there");
    }

    fn try_push(&mut self, item: Item) -> Result<(), PushError<Item>> {
        self.0.push(item)
    }

    fn pop(&mut self) -> Option<Item> {
        self.1.as_mut()?.pop()
    }
}

type BoxedEnds<'q> = Box<dyn Ends<Item> + 'q>;

/// What a thread does with its ends, its items and a shortage.
type Work = fn(&mut dyn Ends<Item>, std::ops::Range<usize>, &Seen, &Shortage);

/// Lets four threads work, short of the same memory. Nothing may be lost, had twice or leaked. Returns
/// whether any ring was refused.
fn contend<Q>(
    shortage: &Shortage,
    work: Work,
    make: impl Fn() -> Q,
    ends: impl for<'q> Fn(&'q mut Q) -> Vec<BoxedEnds<'q>>,
    drain: impl Fn(Q, &Seen),
) -> bool {
    let seen: Seen = [const { AtomicUsize::new(0) }; THREADS * EACH];
    let start = Barrier::new(THREADS);
    let (mut leaked, mut queue) = balance(&make);
    let (bytes, ends) = balance(|| ends(&mut queue));
    leaked += bytes;
    leaked += std::thread::scope(|s| {
        let (seen, start) = (&seen, &start);
        let threads = ends.into_iter().enumerate().map(|(thread, mut ends)| {
            s.spawn(move || {
                let (leaked, ()) = balance(|| {
                    start.wait();
                    work(&mut *ends, thread * EACH..(thread + 1) * EACH, seen, shortage);
                    drop(ends);
                });
                leaked
            })
        });
        let threads: Vec<_> = threads.collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum::<isize>()
    });
    leaked += balance(|| drain(queue, &seen)).0;
    // The array that the ends were in was allocated here and freed while threads were made.
    leaked -= (THREADS * size_of::<BoxedEnds<'_>>()).cast_signed();
    assert_eq!(leaked, 0, "bytes");
    assert!(seen.iter().all(|seen| seen.load(Ordering::Relaxed) == 1), "each item once");
    shortage.was_felt()
}

/// The same for all ways to use a queue.
fn contend_all_ways(work: Work, shortage: impl Fn(usize) -> Shortage) {
    type Mpsc = (Producer<Item>, Consumer<Item>);

    fn shared(queue: &mut Queue<Item>) -> Vec<BoxedEnds<'_>> {
        let queue = &*queue;
        (0..THREADS).map(|_| Box::new(queue) as _).collect()
    }

    fn handles(queue: &mut Queue<Item>) -> Vec<BoxedEnds<'_>> {
        (0..THREADS).map(|_| Box::new(queue.handle()) as _).collect()
    }

    fn one_consumer((producer, consumer): &mut Mpsc) -> Vec<BoxedEnds<'_>> {
        let mut consumer = Some(consumer);
        let ends = (0..THREADS).map(|_| PerhapsConsumer(producer.clone(), consumer.take()));
        ends.map(|ends| Box::new(ends) as _).collect()
    }

    fn drain(queue: Queue<Item>, seen: &Seen) {
        queue.into_iter().for_each(|item| see(seen, Some(item)));
    }

    fn drain_mpsc((_, mut consumer): Mpsc, seen: &Seen) {
        consumer.try_iter().for_each(|item| see(seen, Some(item)));
    }

    let rounds = |round: &dyn Fn(&Shortage) -> bool| {
        in_time(|| {
            let felt = (0..100_000).take_while(|&n| round(&shortage(n))).count();
            assert!(felt > 5, "only {felt} rings were asked for");
        });
    };
    rounds(&|shortage| contend(shortage, work, || queue(2), shared, drain));
    rounds(&|shortage| contend(shortage, work, || queue(2), handles, drain));
    rounds(&|shortage| contend(shortage, work, || mpsc_queue(2), one_consumer, drain_mpsc));
}

#[test]
fn whichever_ring_is_refused_while_three_others_run() {
    let work: Work = |mut ends, numbers, seen, shortage| {
        shortage.during(|| {
            for n in numbers {
                push(&mut ends, n);
                if n % 3 > 0 {
                    see(seen, ends.pop());
                }
            }
        });
    };
    contend_all_ways(work, |n| Shortage::of(n..n + 1));
    contend_all_ways(work, |n| Shortage::of(n..n + 5));
}

/// From some ring on none is to be had, for all four. Then there is memory again.
#[test]
fn no_more_rings_while_three_others_run() {
    let work: Work = |ends, numbers, seen, shortage| {
        let later = numbers.end - EACH / 3;
        shortage.during(|| {
            for n in numbers.start..later {
                if let Err(error) = ends.try_push(Box::new(n)) {
                    assert!(error.is_no_memory(), "neither closed nor bounded: {error}");
                    let item = error.into_inner();
                    assert_eq!(*item, n, "not the item that was pushed");
                    see(seen, Some(item));
                }
                if n % 3 > 0 {
                    see(seen, ends.pop());
                }
            }
        });
        for n in later..numbers.end {
            ends.try_push(Box::new(n)).expect("there is memory again");
            see(seen, ends.pop());
        }
    };
    contend_all_ways(work, |n| Shortage::of(n..usize::MAX));
}

/// A bounded queue asks for another ring only if a thread is stalled for a lap: without it pushes
/// give their items back, pops go on, and nothing is closed.
#[test]
#[cfg(segring_hooks)]
fn a_jam_without_memory() {
    use common::gate::{Gate, STOPS, set_hook};
    use segring::hooks::Point;

    set_hook();
    let queue = BoundedQueue::new(4);
    (0..4).for_each(|n| queue.push(n).expect("there is room"));
    std::thread::scope(|s| {
        let (taken, consumer_has_taken) = Gate::new(Point::PopTaken);
        let queue = &queue;
        let consumer = s.spawn(move || {
            STOPS.set([taken].into());
            queue.pop()
        });
        consumer_has_taken.wait();
        // The ring has eight slots, and the consumer is in the first.
        for n in 4..8 {
            queue.push(n).expect("there is room");
            assert_eq!(queue.pop(), Some(n - 3));
        }
        starved(0, || {
            for _ in 0..100 {
                assert_eq!(queue.try_push(8), Err(PushError::NoMemory(8)));
                assert_eq!(queue.try_force_push(8), Err(PushError::NoMemory(8)));
            }
            assert_eq!((queue.len(), queue.is_closed()), (3, false));
            assert_eq!(queue.pop(), Some(5));
        });
        assert_eq!(queue.stats().jams, 0);
        assert_eq!(queue.try_push(8), Ok(()));
        assert_eq!(queue.stats().jams, 1);
        consumer_has_taken.open();
        assert_eq!(consumer.join().expect("no panic"), Some(0));
    });
    assert!(queue.into_iter().eq([6, 7, 8]));
}

#[test]
fn without_memory_the_item_comes_back_and_the_queue_goes_on() {
    for n in 0..8 {
        let queue = queue::<Box<usize>>(2);
        let mut pushed = 0;
        let back = starved(n, || {
            loop {
                match queue.try_push(Box::new(pushed)) {
                    Ok(()) => pushed += 1,
                    Err(PushError::NoMemory(item)) => return item,
                    Err(error) => panic!("neither closed nor bounded: {error}"),
                }
            }
        });
        assert_eq!(*back, pushed);
        assert_eq!(queue.len(), pushed);
        // Still without memory: pops go on.
        starved(0, || {
            assert!(queue.try_push(Box::new(usize::MAX)).is_err());
            for expected in 0..pushed / 2 {
                assert_eq!(queue.pop().map(|item| *item), Some(expected));
            }
        });
        // With memory again, so do pushes.
        queue.push(back);
        let rest: Vec<_> = queue.into_iter().map(|item| *item).collect();
        assert!(rest.into_iter().eq(pushed / 2..=pushed));
    }
}

#[test]
fn without_memory_the_rest_of_a_batch_comes_back() {
    for n in 0..8 {
        let queue = queue::<Box<usize>>(2);
        let rest: Vec<_> = starved(n, || {
            let error = queue.try_push_batch((0..10_000).map(Box::new)).unwrap_err();
            assert!(error.is_no_memory());
            error.into_inner().collect()
        });
        assert_eq!(queue.len() + rest.len(), 10_000);
        queue.push_batch(rest);
        assert!(queue.into_iter().map(|item| *item).eq(0..10_000));
    }
}

#[test]
fn a_shrink_without_memory_is_skipped() {
    let queue = queue::<usize>(2);
    (0..1_000).for_each(|item| queue.push(item));
    (0..990).for_each(|item| assert_eq!(queue.pop(), Some(item)));
    let capacity = queue.segment_capacity();
    starved(0, || {
        queue.shrink_to_fit();
        for item in 1_000..5_000 {
            queue.push(item);
            assert_eq!(queue.pop(), Some(item - 10));
        }
    });
    assert_eq!(queue.segment_capacity(), capacity);
    queue.shrink_to_fit();
    assert!(queue.segment_capacity() < capacity);
    assert_eq!(queue.len(), 10);
}

#[test]
fn a_bounded_queue_without_memory() {
    let error = starved(0, || BoundedQueue::<u64>::try_new(100).unwrap_err());
    assert!(matches!(error, BoundError::NoMemory { bytes } if bytes > 200 * 16), "{error}");
    // What is there is enough for ever.
    let queue = BoundedQueue::new(100);
    starved(0, || {
        for item in 0..1_000 {
            assert_eq!(queue.push(item), Ok(()));
            assert_eq!(queue.pop(), Some(item));
        }
    });
}
