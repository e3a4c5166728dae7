//! The bounded queue: an exact capacity, room after every pop, and the same answers as a
//! `VecDeque` to any sequence of operations.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Counted, reclaim_all};
use proptest::prelude::*;
use segring::{BoundError, BoundedHandle, BoundedQueue, PushError};

mod common;

const CAPACITIES: [usize; 10] = [1, 2, 3, 4, 5, 7, 8, 255, 256, 257];

const ROUNDS: usize = if cfg!(miri) { 100 } else { 10_000 };

/// The operations that a thread has, whichever way it uses the queue.
trait Ends: Send {
    fn try_push(&mut self, item: usize) -> Result<(), PushError<usize>>;
    fn pop(&mut self) -> Option<usize>;
}

impl Ends for &BoundedQueue<usize> {
    fn try_push(&mut self, item: usize) -> Result<(), PushError<usize>> {
        BoundedQueue::try_push(self, item)
    }

    fn pop(&mut self) -> Option<usize> {
        BoundedQueue::pop(self)
    }
}

impl Ends for BoundedHandle<'_, usize> {
    fn try_push(&mut self, item: usize) -> Result<(), PushError<usize>> {
        BoundedHandle::try_push(self, item)
    }

    fn pop(&mut self) -> Option<usize> {
        BoundedHandle::pop(self)
    }
}

/// Runs `$body` for each way and for small capacities.
macro_rules! for_every_way {
    ($($name:ident: |$queue:ident, $ends:ident| $body:block)*) => {$(
        mod $name {
            use super::*;

            fn run<'q, E: Ends>(
                $queue: &'q BoundedQueue<usize>,
                $ends: &(impl Fn(&'q BoundedQueue<usize>) -> E + Sync),
            ) $body

            #[test]
            fn shared() {
                for capacity in [1, 2, 3, 7, 64] {
                    run(&BoundedQueue::new(capacity), &|queue| queue);
                }
            }

            #[test]
            fn handles() {
                for capacity in [1, 2, 3, 7, 64] {
                    run(&BoundedQueue::new(capacity), &BoundedQueue::handle);
                }
            }
        }
    )*};
}

for_every_way! {
    // Whoever has popped has made room.
    a_full_queue_takes_what_was_popped: |queue, ends| {
        (0..queue.capacity()).for_each(|item| queue.push(item).expect("there is room"));
        std::thread::scope(|s| {
            for _ in 0..4 {
                s.spawn(|| {
                    let mut ends = ends(queue);
                    for _ in 0..ROUNDS {
                        if let Some(item) = ends.pop() {
                            ends.try_push(item).expect("a pop has made room");
                        }
                    }
                });
            }
        });
        assert!(queue.is_full());
        let mut left: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        left.sort_unstable();
        assert!(left.into_iter().eq(0..queue.capacity()));
    }

    // There are always more items than workers that hold one: nobody may find nothing.
    circulation: |queue, ends| {
        let workers = (queue.capacity() - 1).min(3);
        (0..=workers).for_each(|item| queue.push(item).expect("there is room"));
        std::thread::scope(|s| {
            for _ in 0..workers {
                s.spawn(|| {
                    let mut ends = ends(queue);
                    for _ in 0..ROUNDS {
                        let item = ends.pop().expect("an item is inside");
                        ends.try_push(item).expect("a pop has made room");
                    }
                });
            }
        });
        assert_eq!(queue.len(), workers + 1);
    }

    // Tokens bound what is under way: an item beyond the capacity would be seen.
    never_more_than_the_capacity: |queue, ends| {
        let inside = AtomicUsize::new(0);
        let popped = AtomicUsize::new(0);
        std::thread::scope(|s| {
            for producer in 0..2 {
                let (inside, popped) = (&inside, &popped);
                s.spawn(move || {
                    let mut ends = ends(queue);
                    for n in 0..ROUNDS {
                        while ends.try_push(producer * ROUNDS + n).is_err() {
                            std::thread::yield_now();
                        }
                        // Completed pushes less begun pops: at most what is inside.
                        inside.fetch_add(1, Ordering::SeqCst);
                    }
                });
                s.spawn(move || {
                    let mut ends = ends(queue);
                    let mut last = [None; 2];
                    while popped.load(Ordering::Relaxed) < 2 * ROUNDS {
                        // Taken off before the pop, put back if there was nothing.
                        let before = inside.fetch_sub(1, Ordering::SeqCst).cast_signed();
                        assert!(before <= queue.capacity().cast_signed(), "{before} inside");
                        let Some(item) = ends.pop() else {
                            inside.fetch_add(1, Ordering::SeqCst);
                            std::thread::yield_now();
                            continue;
                        };
                        popped.fetch_add(1, Ordering::Relaxed);
                        let (producer, n) = (item / ROUNDS, item % ROUNDS);
                        assert!(last[producer] < Some(n), "producer {producer} out of order");
                        last[producer] = Some(n);
                    }
                });
            }
            s.spawn(|| {
                while popped.load(Ordering::Relaxed) < 2 * ROUNDS {
                    assert!(queue.len() <= queue.capacity());
                    std::thread::yield_now();
                }
            });
        });
        assert!(queue.is_empty());
    }

    closing_under_way: |queue, ends| {
        let popped = AtomicUsize::new(0);
        let pushed: usize = std::thread::scope(|s| {
            let producers: Vec<_> = (0..2).map(|_| s.spawn(|| {
                let mut ends = ends(queue);
                let mut pushed = 0;
                loop {
                    match ends.try_push(pushed) {
                        Ok(()) => pushed += 1,
                        Err(PushError::Full(_)) => std::thread::yield_now(),
                        Err(error) => {
                            assert!(error.is_closed());
                            break pushed;
                        }
                    }
                }
            })).collect();
            s.spawn(|| {
                let mut ends = ends(queue);
                loop {
                    let closed = queue.is_closed();
                    match ends.pop() {
                        Some(_) => _ = popped.fetch_add(1, Ordering::Relaxed),
                        None if closed => break,
                        None => std::thread::yield_now(),
                    }
                    if popped.load(Ordering::Relaxed) == 1_000 {
                        assert!(queue.close(), "closed once");
                    }
                }
            });
            producers.into_iter().map(|p| p.join().unwrap()).sum()
        });
        assert!(!queue.close());
        assert_eq!(pushed, popped.into_inner());
        assert!(queue.is_empty());
    }
}

/// Evicted or popped or left: every item once.
#[test]
fn forced_pushes_keep_every_item() {
    for capacity in [1, 2, 3, 7] {
        const PRODUCERS: usize = 3;
        let queue = BoundedQueue::new(capacity);
        let seen: Vec<_> = (0..PRODUCERS * ROUNDS).map(|_| AtomicUsize::new(0)).collect();
        let see = |item: usize| _ = seen[item].fetch_add(1, Ordering::Relaxed);
        std::thread::scope(|s| {
            for producer in 0..PRODUCERS {
                let (queue, see) = (&queue, &see);
                s.spawn(move || {
                    for n in 0..ROUNDS {
                        queue.force_push(producer * ROUNDS + n).into_iter().for_each(see);
                        assert!(queue.len() <= capacity);
                    }
                });
            }
            s.spawn(|| (0..ROUNDS).filter_map(|_| queue.pop()).for_each(see));
        });
        // What comes out, and not only what the queue says.
        let (len, left) =
            (queue.len(), std::iter::from_fn(|| queue.pop()).inspect(|&n| see(n)).count());
        assert!(left == len && left <= capacity, "{left} of {capacity} left, {len} said");
        assert!(seen.iter().all(|seen| seen.load(Ordering::Relaxed) == 1));
    }
}

/// Nothing but the ring is ever allocated while nobody stalls.
#[test]
fn one_ring_is_enough() {
    for capacity in CAPACITIES {
        let queue = BoundedQueue::new(capacity);
        let mut handle = queue.handle();
        for round in 0..100 {
            (0..capacity).for_each(|item| assert_eq!(handle.push(round + item), Ok(())));
            assert_eq!(handle.push(7), Err(7));
            assert_eq!(queue.force_push(round + capacity), Some(round));
            (1..=capacity).for_each(|item| assert_eq!(handle.pop(), Some(round + item)));
            assert_eq!(handle.pop(), None);
        }
        let stats = queue.stats();
        assert_eq!((stats.grows, stats.shrinks, stats.jams, stats.helped), (0, 0, 0, 0));
        // In builds whose rings end after a few laps they are followed by others.
        assert!(stats.live_segments == 1 || stats.expired > 0, "{stats:?}");
    }
}

#[test]
fn capacities_that_cannot_be() {
    assert_eq!(BoundedQueue::<u8>::try_new(0).unwrap_err(), BoundError::Zero);
    for capacity in [usize::MAX, usize::MAX - 1, usize::MAX / 2, usize::MAX / 2 + 1, usize::MAX / 8]
    {
        let error = BoundedQueue::<()>::try_new(capacity).unwrap_err();
        assert_eq!(error, BoundError::TooLarge { capacity });
        assert_eq!(error.to_string(), format!("the capacity {capacity} is too large"));
        let error = BoundedQueue::<[u8; 4096]>::try_new(capacity).unwrap_err();
        assert_eq!(error, BoundError::TooLarge { capacity });
    }
    // More than a 64-bit machine has; a ring that a 32-bit one can ask for at all may be there.
    if cfg!(target_pointer_width = "64") {
        let error = BoundedQueue::<[u8; 1 << 20]>::try_new(usize::MAX >> 23).unwrap_err();
        assert!(matches!(error, BoundError::NoMemory { bytes } if bytes > usize::MAX >> 3));
    }
}

#[test]
#[should_panic(expected = "the capacity is zero")]
fn no_capacity() {
    let _ = BoundedQueue::<u8>::new(0);
}

#[test]
#[should_panic(expected = "is too large")]
fn too_much_capacity() {
    let _ = BoundedQueue::<u8>::new(usize::MAX);
}

#[test]
#[should_panic(expected = "push to a closed queue")]
fn a_forced_push_to_a_closed_queue() {
    let queue = BoundedQueue::new(1);
    queue.close();
    queue.force_push(1);
}

#[test]
fn every_item_is_dropped_once() {
    for capacity in CAPACITIES {
        let drops = AtomicUsize::new(0);
        let queue = BoundedQueue::new(capacity);
        let pushed = (0..capacity + 3).filter(|_| queue.push(Counted(&drops)).is_ok()).count();
        assert_eq!((pushed, drops.load(Ordering::Relaxed)), (capacity, 3));
        drop(queue.force_push(Counted(&drops)));
        assert_eq!(drops.load(Ordering::Relaxed), 4);
        drop(queue.pop());
        let mut items = queue.into_iter();
        assert_eq!(items.len(), capacity - 1);
        drop(items.next());
        drop(items);
        assert_eq!(drops.load(Ordering::Relaxed), capacity + 4);
    }
}

#[test]
fn what_it_says_of_itself() {
    let queue = BoundedQueue::new(3);
    assert_eq!(queue.push("a"), Ok(()));
    assert_eq!(format!("{queue:?}"), "BoundedQueue { len: 1, capacity: 3, is_closed: false, .. }");
    assert!(format!("{:?}", queue.handle()).starts_with("BoundedHandle { queue: "));
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Push(u16),
    HandlePush(u16),
    ForcePush(u16),
    Pop,
    HandlePop,
    PopMut,
    NewHandle,
    Close,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        6 => any::<u16>().prop_map(Op::Push),
        6 => any::<u16>().prop_map(Op::HandlePush),
        2 => any::<u16>().prop_map(Op::ForcePush),
        4 => Just(Op::Pop),
        4 => Just(Op::HandlePop),
        1 => Just(Op::PopMut),
        1 => Just(Op::NewHandle),
    ];
    (proptest::collection::vec(op, 0..600), any::<bool>()).prop_map(|(mut ops, closes)| {
        if closes {
            ops.insert(ops.len() / 2, Op::Close);
        }
        ops
    })
}

proptest! {
    #[test]
    fn same_answers_as_a_vec_deque(capacity in prop::sample::select(&CAPACITIES[..]), ops in ops()) {
        let mut queue = BoundedQueue::new(capacity);
        let mut model = VecDeque::new();
        let mut closed = false;
        // Long queues are filled up to where the edge is near.
        for item in (0_u16..).take(capacity.saturating_sub(8)) {
            prop_assert_eq!(queue.push(item), Ok(()));
            model.push_back(item);
        }
        let mut ops = ops.into_iter().peekable();
        while ops.peek().is_some() {
            if let Some(Op::PopMut) = ops.peek() {
                prop_assert_eq!(queue.pop_mut(), model.pop_front());
                ops.next();
            }
            let mut handle = queue.handle();
            while let Some(op) = ops.next_if(|op| !matches!(op, Op::PopMut)) {
                let mut expected = |item| {
                    if closed {
                        Err(PushError::Closed(item))
                    } else if model.len() == capacity {
                        Err(PushError::Full(item))
                    } else {
                        model.push_back(item);
                        Ok(())
                    }
                };
                match op {
                    Op::Push(item) => prop_assert_eq!(queue.try_push(item), expected(item)),
                    Op::HandlePush(item) => prop_assert_eq!(handle.try_push(item), expected(item)),
                    Op::ForcePush(item) if closed => {
                        prop_assert_eq!(queue.try_force_push(item), Err(PushError::Closed(item)));
                    }
                    Op::ForcePush(item) => {
                        let oldest = if model.len() == capacity { model.pop_front() } else { None };
                        model.push_back(item);
                        prop_assert_eq!(queue.try_force_push(item), Ok(oldest));
                    }
                    Op::Pop => prop_assert_eq!(queue.pop(), model.pop_front()),
                    Op::HandlePop => prop_assert_eq!(handle.pop(), model.pop_front()),
                    Op::NewHandle => handle = queue.handle(),
                    Op::Close => {
                        prop_assert_eq!(queue.close(), !closed);
                        closed = true;
                    }
                    Op::PopMut => unreachable!("not taken above"),
                }
                prop_assert_eq!(queue.len(), model.len());
                prop_assert_eq!(queue.is_empty(), model.is_empty());
                prop_assert_eq!(queue.is_full(), model.len() == capacity);
                prop_assert_eq!(queue.is_closed(), closed);
            }
        }
        prop_assert!(queue.into_iter().eq(model));
    }
}

/// Nobody pops: forced pushes leave the rings that they have drained.
#[test]
fn forced_pushes_leave_no_rings_behind() {
    const THREADS: usize = 4;
    const PUSHES: usize = 50_000;
    for capacity in [1, 3, 7] {
        let queue = BoundedQueue::new(capacity);
        std::thread::scope(|s| {
            for _ in 0..THREADS {
                s.spawn(|| (0..PUSHES).for_each(|item| _ = queue.force_push(item)));
            }
        });
        assert_eq!(queue.len(), capacity);
        let left: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(left.len(), capacity);
        assert!(left.into_iter().all(|item| queue.push(item).is_ok()));
        assert!(queue.is_full() && queue.push(0).is_err());
        queue.force_push(0);
        reclaim_all(|| queue.reclaim());
        // Two spares, and the rings that the last items lie in: as a rule one, but
        // rings that end early can hold an item each. Thousands were left behind.
        let stats = queue.stats();
        assert!(stats.live_segments <= 2 * capacity + 4, "{stats:?}");
    }
}
