//! What every way to use the queue must do: order, conservation, length, closing, and the same
//! answers as a `VecDeque` to any sequence of operations.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use common::{Counted, Ends, queue, reclaim_all};
use proptest::prelude::*;
use segring::{BoundedQueue, Hysteresis, PopError, Queue};

mod common;

/// From rings of one slot, where every second push links a new one, to the default.
const SLOTS: [usize; 4] = [1, 2, 4, 64];

/// Runs `$body` for each way and each ring size.
macro_rules! for_every_way {
    ($($name:ident: $item:ty, |$queue:ident, $ends:ident| $body:block)*) => {$(
        mod $name {
            use super::*;

            fn run<'q, E: Ends<$item>>(
                $queue: &'q Queue<$item>,
                $ends: &(impl Fn(&'q Queue<$item>) -> E + Sync),
            ) $body

            #[test]
            fn shared() {
                for slots in SLOTS {
                    run(&queue(slots), &|queue| queue);
                }
            }

            #[test]
            fn handles() {
                for slots in SLOTS {
                    run(&queue(slots), &Queue::handle);
                }
            }

            #[test]
            fn owned_handles() {
                for slots in SLOTS {
                    let queue = Arc::new(queue(slots));
                    run(&queue, &|_| queue.owned_handle());
                }
            }
        }
    )*};
}

const ITEMS: usize = if cfg!(miri) { 200 } else { 40_000 };

for_every_way! {
    first_in_first_out: usize, |queue, ends| {
        let mut ends = ends(queue);
        assert_eq!(ends.pop(), None);
        // Fill, drain half, fill again: across wraps, larger rings and smaller ones.
        let mut next = 0;
        for round in 0..20 {
            for item in 0..round * 10 {
                ends.push(round * 1_000 + item);
            }
            for _ in 0..round * 5 {
                let item = ends.pop().expect("there is more inside");
                assert!(item >= next, "{item} after {next}");
                next = item + 1;
            }
        }
        assert_eq!(queue.len(), (0..20).map(|round| round * 5).sum::<usize>());
        while let Some(item) = ends.pop() {
            assert!(item >= next);
            next = item + 1;
        }
        assert_eq!(next, 19 * 1_000 + 190);
        assert!(queue.is_empty());
    }

    one_producer_one_consumer: usize, |queue, ends| {
        std::thread::scope(|s| {
            s.spawn(|| {
                let mut ends = ends(queue);
                (0..ITEMS).for_each(|item| ends.push(item));
            });
            s.spawn(|| {
                let mut ends = ends(queue);
                for expected in 0..ITEMS {
                    assert_eq!(wait_for(&mut ends), expected);
                }
            });
        });
        assert_eq!(queue.len(), 0);
    }

    many_producers_many_consumers: (usize, usize), |queue, ends| {
        const THREADS: usize = 3;
        let seen: Vec<_> = (0..THREADS * ITEMS).map(|_| AtomicUsize::new(0)).collect();
        let left = AtomicUsize::new(THREADS * ITEMS);
        std::thread::scope(|s| {
            for producer in 0..THREADS {
                s.spawn(move || {
                    let mut ends = ends(queue);
                    (0..ITEMS).for_each(|n| ends.push((producer, n)));
                });
            }
            for _ in 0..THREADS {
                s.spawn(|| {
                    let mut ends = ends(queue);
                    let mut last = [None; THREADS];
                    while left.load(Ordering::Relaxed) > 0 {
                        let Some((producer, n)) = ends.pop() else {
                            std::thread::yield_now();
                            continue;
                        };
                        assert!(last[producer] < Some(n), "producer {producer} out of order");
                        last[producer] = Some(n);
                        seen[producer * ITEMS + n].fetch_add(1, Ordering::Relaxed);
                        left.fetch_sub(1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert!(seen.iter().all(|seen| seen.load(Ordering::Relaxed) == 1));
        assert!(queue.is_empty());
    }

    // There are always more items than workers that hold one: nobody may find nothing.
    circulation: usize, |queue, ends| {
        const WORKERS: usize = 3;
        (0..WORKERS).for_each(|item| queue.push(item));
        std::thread::scope(|s| {
            for _ in 0..WORKERS {
                s.spawn(|| {
                    let mut ends = ends(queue);
                    for _ in 0..ITEMS {
                        let item = ends.pop().expect("an item is inside");
                        ends.push(item);
                    }
                });
            }
        });
        assert_eq!(queue.len(), WORKERS);
    }

    length_under_way: usize, |queue, ends| {
        let done = AtomicUsize::new(0);
        std::thread::scope(|s| {
            s.spawn(|| {
                let mut ends = ends(queue);
                for item in 0..ITEMS {
                    ends.push(item);
                    if item % 3 == 0 {
                        ends.pop();
                    }
                }
                done.store(1, Ordering::Release);
            });
            while done.load(Ordering::Acquire) == 0 {
                assert!(queue.len() <= ITEMS);
                let _ = queue.is_empty();
                let _ = queue.segment_capacity();
            }
        });
        assert_eq!(queue.len(), ITEMS - ITEMS.div_ceil(3));
    }

    closing_under_way: usize, |queue, ends| {
        let pushed: usize = std::thread::scope(|s| {
            let producers: Vec<_> = (0..2)
                .map(|_| {
                    s.spawn(move || {
                        // A handle and a shared reference reject alike.
                        (0..usize::MAX).take_while(|&item| queue.try_push(item).is_ok()).count()
                    })
                })
                .collect();
            let closers: Vec<_> = (0..2)
                .map(|_| {
                    s.spawn(move || {
                        std::thread::yield_now();
                        usize::from(queue.close())
                    })
                })
                .collect();
            let closed: usize = closers.into_iter().map(|c| c.join().unwrap()).sum();
            assert_eq!(closed, 1, "closed once");
            producers.into_iter().map(|p| p.join().unwrap()).sum()
        });
        assert!(queue.is_closed());
        assert_eq!(queue.len(), pushed);
        let mut ends = ends(queue);
        assert_eq!(std::iter::from_fn(|| ends.pop()).count(), pushed);
        assert_eq!(queue.try_push(7).unwrap_err().into_inner(), 7);
    }
}

fn wait_for(ends: &mut impl Ends<usize>) -> usize {
    loop {
        match ends.pop() {
            Some(item) => return item,
            None => std::thread::yield_now(),
        }
    }
}

#[test]
fn every_item_is_dropped_once() {
    for slots in SLOTS {
        for inside in [0, 1, 2, 3, 5, 8, 64, 65, 200] {
            let drops = AtomicUsize::new(0);
            let queue = queue(slots);
            (0..inside + 10).for_each(|_| queue.push(Counted(&drops)));
            (0..10).for_each(|_| drop(queue.pop()));
            assert_eq!(drops.load(Ordering::Relaxed), 10);
            drop(queue);
            assert_eq!(drops.load(Ordering::Relaxed), inside + 10);
        }
    }
}

#[test]
fn into_iter_gives_the_rest_and_drops_the_rest() {
    let drops = AtomicUsize::new(0);
    let queue = queue(2);
    (0..100).for_each(|_| queue.push(Counted(&drops)));
    let mut items = queue.into_iter();
    assert_eq!(items.len(), 100);
    assert_eq!(items.by_ref().take(30).count(), 30);
    assert_eq!(items.len(), 70);
    drop(items);
    assert_eq!(drops.load(Ordering::Relaxed), 100);
}

#[test]
fn items_of_any_shape() {
    #[repr(align(256))]
    #[derive(Debug, PartialEq)]
    struct Aligned(u8);

    let units = queue(2);
    (0..100).for_each(|_| units.push(()));
    assert_eq!(units.len(), 100);
    assert_eq!(std::iter::from_fn(|| units.pop()).count(), 100);

    let aligned = queue(2);
    (0..100).for_each(|n| aligned.push(Aligned(n)));
    for n in 0..100 {
        let item = aligned.pop().unwrap();
        assert_eq!(item, Aligned(n));
        assert_eq!((&raw const item).addr() % 256, 0);
    }

    let text = String::from("borrowed");
    let borrowed = Queue::new();
    borrowed.push(&text);
    assert_eq!(borrowed.pop(), Some(&text));
}

#[test]
#[allow(clippy::large_stack_arrays, reason = "the point of the test")]
fn large_items_need_no_large_stack() {
    // 64 KiB each; a debug build makes about a dozen copies on the way, an optimised one three.
    std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(|| {
            let queue = Queue::new();
            for n in 0..100_u8 {
                queue.push([n; 64 << 10]);
            }
            for n in 0..100_u8 {
                assert_eq!(queue.pop().unwrap()[7], n);
            }
        })
        .unwrap()
        .join()
        .unwrap();
}

#[test]
#[cfg(not(segring_small))] // There rings end after three laps, whatever their size.
fn rings_grow_when_full_and_stay_at_the_border() {
    let queue = Queue::new();
    (0..64).for_each(|n| queue.push(n));
    assert_eq!(queue.segment_capacity(), 64);
    queue.push(64);
    assert_eq!(queue.segment_capacity(), 128);
    // A backlog that swings around the border of the smaller ring changes nothing.
    for n in 65..100_000 {
        queue.push(n);
        assert_eq!(queue.pop(), Some(n - 65));
    }
    let stats = queue.stats();
    // The ring, and the spares that came with it.
    assert_eq!((stats.grows, stats.shrinks, stats.jams, stats.live_segments), (1, 0, 0, 3));
}

/// In an ordinary build that takes 2^30 laps.
#[test]
#[cfg(segring_small)]
fn a_ring_ends_after_its_last_lap() {
    let queue = Queue::new();
    for n in 0..1_000 {
        queue.push(n);
        assert_eq!(queue.pop(), Some(n));
    }
    // The first ticket beyond three laps of 64 ends a ring.
    assert_eq!(queue.stats().expired, 1_000 / (3 * 64 + 1));
}

/// How many operations at low depth bring a queue back to its smallest ring: two laps of the
/// largest at the most, one that may already be under way and one that is watched.
#[test]
fn a_burst_is_forgotten_after_two_laps() {
    const BURST: usize = 100_000;
    let queue = Queue::new();
    (0..BURST).for_each(|n| queue.push(n));
    let largest = queue.segment_capacity();
    assert_eq!(largest, 1 << 16);
    (0..BURST - 10).for_each(|_| assert!(queue.pop().is_some()));
    for n in 0..2 * largest {
        queue.push(n);
        assert!(queue.pop().is_some());
    }
    assert_eq!(queue.segment_capacity(), 64);
    reclaim_all(|| queue.reclaim());
    let stats = queue.stats();
    // The ring, and perhaps a spare one, or two where rings end soon and turn over all the time.
    let rings = if cfg!(segring_small) { 3 } else { 2 };
    assert!(stats.live_segments <= rings && stats.live_bytes <= rings * 2048, "{stats:?}");
}

#[test]
fn an_idle_queue_shrinks_by_polling() {
    let queue = Queue::new();
    (0..10_000).for_each(|n| queue.push(n));
    while queue.pop().is_some() {}
    let capacity = queue.segment_capacity();
    assert!(capacity > 64);
    let polls = (1..=capacity).find(|_| {
        assert_eq!(queue.pop(), None);
        queue.segment_capacity() == 64
    });
    assert!(polls.is_some(), "{:?}", queue.stats());
    frees_by_polling(|| assert_eq!(queue.pop(), None), || queue.stats());
}

/// Polls until nothing is retired. (Threads of other tests may be inside an operation meanwhile.)
fn frees_by_polling(mut poll: impl FnMut(), stats: impl Fn() -> segring::Stats) {
    let start = Instant::now();
    while stats().retired_bytes > 0 {
        poll();
        assert!(start.elapsed() < Duration::from_mins(1), "{:?}", stats());
    }
}

/// Also a thread that polls several in turn, some of which cannot free theirs yet.
#[test]
fn queues_that_are_polled_in_turn_all_free_what_they_have_left() {
    for others in [1, 2, 3, 7, 15] {
        let shrunk = || {
            let queue = Queue::new();
            (0..1_000).for_each(|n| queue.push(n));
            queue
        };
        let (queue, others): (_, Vec<_>) = (shrunk(), (0..others).map(|_| shrunk()).collect());
        let idle: Vec<_> = others.iter().map(Queue::handle).collect();
        let mut idle: Vec<_> = idle.into_iter().map(|mut handle| (handle.pop(), handle)).collect();
        for queue in others.iter().chain([&queue]) {
            while queue.pop().is_some() {}
            queue.shrink_to_fit();
        }
        let poll = || [&queue].into_iter().chain(&others).for_each(|q| assert_eq!(q.pop(), None));
        poll(); // Leaves the large rings.
        frees_by_polling(poll, || queue.stats());
        assert!(idle.iter_mut().all(|(first, _)| first.take() == Some(0)));
    }
}

#[test]
fn a_closed_queue_frees_what_it_has_left_by_polling() {
    let queue = Queue::new();
    let mut handle = queue.handle();
    (0..10_000).for_each(|n| queue.push(n));
    queue.close();
    while handle.pop().is_some() {}
    drop(handle);
    frees_by_polling(|| assert_eq!(queue.try_pop(), Err(PopError::Closed)), || queue.stats());

    let (mut producer, mut consumer) = segring::mpsc::queue();
    producer.push_batch(0..10_000).unwrap();
    let stats = producer.clone();
    assert!(producer.close());
    drop(producer);
    while consumer.pop().is_some() {}
    frees_by_polling(|| assert_eq!(consumer.try_pop(), Err(PopError::Closed)), || stats.stats());
}

/// On request a queue shrinks to four times what is inside, all rings together, and no further.
#[test]
fn shrinking_on_request_goes_by_all_that_is_inside() {
    let queue: Queue<u64> = (0..10_000).collect();
    let capacity = queue.segment_capacity();
    queue.shrink_to_fit();
    assert_eq!(queue.segment_capacity(), capacity, "there is more inside than fits");
    (0..9_000).for_each(|n| assert_eq!(queue.pop(), Some(n)));
    queue.shrink_to_fit();
    assert_eq!(queue.segment_capacity(), 4_096, "1,000 inside");
    assert!(queue.into_iter().eq(9_000..10_000));
}

/// Whether anything may still come, asked of all that can be asked.
#[test]
fn what_is_not_there_yet_and_what_never_will_be() {
    let (queue, bounded) = (Queue::new(), BoundedQueue::new(2));
    let (mut handle, mut bounded_handle) = (queue.handle(), bounded.handle());
    queue.push(1);
    queue.push(2);
    assert_eq!((bounded.push(1), bounded.push(2)), (Ok(()), Ok(())));
    for closed in [false, true] {
        let none = Err(if closed { PopError::Closed } else { PopError::Empty });
        if closed {
            assert!(queue.close() && bounded.close());
        } else {
            assert_eq!((queue.try_pop(), handle.try_pop()), (Ok(1), Ok(2)));
            assert_eq!((bounded.try_pop(), bounded_handle.try_pop()), (Ok(1), Ok(2)));
        }
        assert_eq!((queue.try_pop(), handle.try_pop()), (none, none));
        assert_eq!((bounded.try_pop(), bounded_handle.try_pop()), (none, none));
    }
}

/// As `catch_unwind` asks for.
#[test]
fn panics_may_pass_all_of_them() {
    fn is_unwind_safe<T: std::panic::UnwindSafe + std::panic::RefUnwindSafe>(_: &T) {}
    let queue = Arc::new(Queue::<u8>::new());
    let bounded = BoundedQueue::<u8>::new(1);
    is_unwind_safe(&queue.handle());
    is_unwind_safe(&queue.owned_handle());
    is_unwind_safe(&queue);
    is_unwind_safe(&bounded.handle());
    is_unwind_safe(&bounded);
    is_unwind_safe(&segring::mpsc::queue::<u8>());
}

#[test]
#[cfg(not(segring_small))] // There no ring lives long enough to learn.
fn patience_doubles_when_a_shrink_was_too_early() {
    // A backlog that alternates between low for a while and full: each shrink is followed by a
    // grow. Patience grows, and resizes become rare.
    let queue = queue::<usize>(16);
    let mut resizes = Vec::new();
    for _ in 0..64 {
        for _ in 0..40 {
            queue.push(0);
        }
        for _ in 0..40 {
            queue.pop();
        }
        for _ in 0..100 {
            queue.push(0);
            queue.pop();
        }
        let stats = queue.stats();
        resizes.push(stats.grows + stats.shrinks);
    }
    let (early, late) = (resizes[15], resizes[63] - resizes[47]);
    assert!(late * 2 < early, "no learning: {resizes:?}");
}

#[test]
fn limits_are_kept() {
    let policy = Hysteresis::new().with_slots(4, 16).unwrap();
    let queue = Queue::with(policy);
    (0..1_000).for_each(|n| queue.push(n));
    assert_eq!(queue.segment_capacity(), 16);
    assert!((0..1_000).all(|n| queue.pop() == Some(n)));

    let policy = Hysteresis::new().with_bytes(0, 4096).unwrap();
    let queue = Queue::with(policy);
    (0..1_000_u64).for_each(|n| queue.push(n));
    assert_eq!(queue.segment_capacity(), 256);
}

#[test]
fn collections_from_and_to_queues() {
    let mut queue: Queue<_> = (0..10).collect();
    queue.extend(10..20);
    (&queue).extend(20..30);
    assert_eq!(queue.len(), 30);
    assert!(queue.into_iter().eq(0..30));
    assert_eq!(format!("{:?}", Queue::<u8>::default()), EMPTY_DEBUG);
}

const EMPTY_DEBUG: &str = "Queue { len: 0, segment_capacity: 64, is_closed: false, .. }";

#[test]
#[should_panic(expected = "push to a closed queue")]
fn pushing_to_a_closed_queue_panics() {
    let queue = Queue::new();
    queue.close();
    queue.push(1);
}

/// With a tiny limit the count of void tickets starts over several times.
#[test]
fn a_closed_queue_stays_closed() {
    for slots in SLOTS {
        let queue = queue(slots);
        (0..10).for_each(|n| queue.push(n));
        queue.close();
        let mut handle = queue.handle();
        for n in 0..5_000 {
            assert!(handle.try_push(n).is_err());
            assert!(queue.try_push(n).is_err());
        }
        assert_eq!((queue.len(), queue.is_closed()), (10, true));
        assert!(queue.into_iter().eq(0..10));
    }
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Push,
    Pop,
    PushMut,
    PopMut,
    Drain,
    TryIter,
    HandleTryIter,
    Clear,
    HandlePush,
    HandlePop,
    NewHandle,
    Len,
    Shrink,
    Reclaim,
    Close,
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        30 => Just(Op::Push),
        25 => Just(Op::Pop),
        5 => Just(Op::PushMut),
        5 => Just(Op::PopMut),
        1 => Just(Op::Drain),
        2 => Just(Op::TryIter),
        2 => Just(Op::HandleTryIter),
        1 => Just(Op::Clear),
        30 => Just(Op::HandlePush),
        25 => Just(Op::HandlePop),
        2 => Just(Op::NewHandle),
        5 => Just(Op::Len),
        1 => Just(Op::Shrink),
        1 => Just(Op::Reclaim),
        1 => Just(Op::Close),
    ]
}

proptest! {
    /// Any sequence of operations answers as a `VecDeque` does.
    #[test]
    fn same_as_a_deque(
        ops in prop::collection::vec(op(), 0..600),
        slots in prop::sample::select(vec![1_usize, 2, 4, 8]),
        fill in prop::sample::select(vec![0_usize, 1, 3, 4, 5, 7, 8, 255, 256, 257]),
    ) {
        let mut queue = queue::<usize>(slots);
        let mut deque: VecDeque<usize> = (0..fill).collect();
        queue.extend(0..fill);
        let mut closed = false;
        // Exclusive operations end a handle's life, so operations come in runs between them.
        let mut ops = ops.into_iter().enumerate().peekable();
        while ops.peek().is_some() {
            match ops.peek() {
                Some(&(n, Op::PushMut)) => {
                    if !closed {
                        queue.push_mut(n);
                        deque.push_back(n);
                    }
                    ops.next();
                }
                Some((_, Op::PopMut)) => {
                    prop_assert_eq!(queue.pop_mut(), deque.pop_front());
                    ops.next();
                }
                Some((_, Op::Drain)) => {
                    let mut drain = queue.drain();
                    prop_assert_eq!(drain.len(), deque.len());
                    prop_assert!(drain.by_ref().take(3).eq(deque.drain(..).take(3)));
                    ops.next();
                }
                _ => {}
            }
            let mut handle = queue.handle();
            while let Some((n, op)) =
                ops.next_if(|(_, op)| !matches!(op, Op::PushMut | Op::PopMut | Op::Drain))
            {
                let push = |deque: &mut VecDeque<usize>, result: Result<(), _>| {
                    if !closed {
                        deque.push_back(n);
                    }
                    let rejected = result.err().map(segring::PushError::into_inner);
                    assert_eq!(rejected, closed.then_some(n));
                };
                match op {
                    Op::Push => push(&mut deque, queue.try_push(n)),
                    Op::HandlePush => push(&mut deque, handle.try_push(n)),
                    Op::Pop => prop_assert_eq!(queue.pop(), deque.pop_front()),
                    Op::HandlePop => prop_assert_eq!(handle.pop(), deque.pop_front()),
                    Op::TryIter => {
                        let some = deque.len().min(3);
                        prop_assert!(queue.try_iter().take(3).eq(deque.drain(..some)));
                    }
                    Op::HandleTryIter => prop_assert!(handle.try_iter().eq(deque.drain(..))),
                    Op::Clear => {
                        queue.clear();
                        deque.clear();
                    }
                    Op::NewHandle => handle = queue.handle(),
                    Op::Len => {
                        prop_assert_eq!(queue.len(), deque.len());
                        prop_assert_eq!(queue.is_empty(), deque.is_empty());
                        prop_assert_eq!(queue.is_closed(), closed);
                    }
                    Op::Shrink => queue.shrink_to_fit(),
                    Op::Reclaim => drop(queue.reclaim()),
                    Op::Close => {
                        prop_assert_eq!(queue.close(), !closed);
                        closed = true;
                    }
                    Op::PushMut | Op::PopMut | Op::Drain => unreachable!("ends the run"),
                }
            }
        }
        prop_assert_eq!(queue.len(), deque.len());
        prop_assert!(queue.into_iter().eq(deque));
    }
}
