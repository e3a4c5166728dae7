//! Every item is dropped exactly once, whichever way it leaves, and also where the destructor of one
//! panics: the others are dropped all the same, and no ring is lost.
//!
//! A test binary of its own, since it replaces the global allocator to see that.

use std::mem::forget;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU8, AtomicUsize};

use common::{Counted, mpsc_queue, queue};
use heap::balance;
use segring::{BoundedQueue, Queue};

mod common;
mod heap;

/// How many items each way has.
const ITEMS: usize = 40;

/// Which items were dropped, how many in all, and which of the drops is to panic.
struct Ledger {
    made: AtomicUsize,
    dropped: [AtomicU8; ITEMS],
    drops: AtomicUsize,
    panics: Option<usize>,
}

/// Enters its drop into the ledger, and panics if its turn has come.
struct Item<'a>(usize, &'a Ledger);

impl Drop for Item<'_> {
    fn drop(&mut self) {
        let Self(number, ledger) = self;
        ledger.dropped[*number].fetch_add(1, Relaxed);
        let so_far = ledger.drops.fetch_add(1, Relaxed);
        if ledger.panics == Some(so_far) {
            resume_unwind(Box::new("as asked")); // A panic without a message.
        }
    }
}

impl Ledger {
    fn new(panics: Option<usize>) -> Self {
        let dropped = [const { AtomicU8::new(0) }; ITEMS];
        Self { made: AtomicUsize::new(0), dropped, drops: AtomicUsize::new(0), panics }
    }

    /// The next `n` items.
    fn items(&self, n: usize) -> std::vec::IntoIter<Item<'_>> {
        let first = self.made.fetch_add(n, Relaxed);
        let items: Vec<_> = (first..first + n).map(|number| Item(number, self)).collect();
        items.into_iter()
    }

    fn queue(&self, n: usize) -> Queue<Item<'_>> {
        let queue = queue(2);
        self.items(n).for_each(|item| queue.push(item));
        queue
    }

    fn bounded(&self, capacity: usize) -> BoundedQueue<Item<'_>> {
        let queue = BoundedQueue::new(capacity);
        self.items(capacity).for_each(|item| assert!(queue.push(item).is_ok()));
        queue
    }
}

type Way = fn(&Ledger);

/// All the ways in which several items go at once. Each makes [`ITEMS`] items and drops them.
const WAYS: [(&str, Way); 21] = [
    ("drop of the queue", |ledger| drop(ledger.queue(ITEMS))),
    ("drop of the queue after pops, in the middle of a ring", |ledger| {
        let queue = ledger.queue(ITEMS);
        (0..7).for_each(|_| drop(queue.pop()));
    }),
    ("drop of a queue that is closed", |ledger| {
        let queue = ledger.queue(ITEMS);
        queue.close();
    }),
    ("drop of a queue that has shrunk", |ledger| {
        let (queue, last) = (ledger.queue(ITEMS - 3), ledger.items(3));
        (0..ITEMS - 6).for_each(|_| drop(queue.pop()));
        queue.shrink_to_fit();
        last.for_each(|item| queue.push(item));
    }),
    ("drop of a queue by its last handle", |ledger| {
        let queue = Arc::new(ledger.queue(ITEMS));
        let mut handle = queue.owned_handle();
        drop(queue);
        drop(handle.pop());
    }),
    ("pops through a handle", |ledger| {
        let queue = ledger.queue(ITEMS);
        queue.handle().try_iter().for_each(drop);
    }),
    ("try_iter", |ledger| ledger.queue(ITEMS).try_iter().for_each(drop)),
    ("clear", |ledger| ledger.queue(ITEMS).clear()),
    ("into_iter", |ledger| ledger.queue(ITEMS).into_iter().for_each(drop)),
    ("into_iter, dropped before its end", |ledger| {
        ledger.queue(ITEMS).into_iter().take(5).for_each(drop);
    }),
    ("drain", |ledger| ledger.queue(ITEMS).drain().for_each(drop)),
    ("drain, dropped before its end", |ledger| {
        ledger.queue(ITEMS).drain().take(5).for_each(drop);
    }),
    ("pop_batch", |ledger| drop(ledger.queue(ITEMS).pop_batch(ITEMS - 1))),
    ("pop_into", |ledger| {
        let (queue, mut items) = (ledger.queue(ITEMS), Vec::new());
        queue.handle().pop_into(&mut items, ITEMS - 1);
    }),
    ("what a closed queue did not take of a batch", |ledger| {
        let queue = ledger.queue(ITEMS - 36);
        queue.close();
        drop(queue.try_push_batch(ledger.items(36)));
    }),
    ("what a closed queue did not take one by one", |ledger| {
        let queue = ledger.queue(ITEMS - 10);
        queue.close();
        ledger.items(10).for_each(|item| drop(queue.try_push(item)));
    }),
    ("drop of the consumer", |ledger| {
        let (mut producer, consumer) = mpsc_queue(2);
        ledger.items(ITEMS).for_each(|item| assert!(producer.push(item).is_ok()));
        drop(consumer);
        drop(producer);
    }),
    ("drop of the producers, then of the consumer", |ledger| {
        let (mut producer, consumer) = mpsc_queue(2);
        ledger.items(ITEMS).for_each(|item| assert!(producer.push(item).is_ok()));
        drop(producer);
        drop(consumer);
    }),
    ("drop of a bounded queue", |ledger| drop(ledger.bounded(ITEMS))),
    ("evictions", |ledger| {
        let queue = ledger.bounded(7);
        ledger.items(ITEMS - 7).for_each(|item| drop(queue.force_push(item)));
    }),
    ("into_iter of a bounded queue, dropped before its end", |ledger| {
        ledger.bounded(ITEMS).into_iter().take(5).for_each(drop);
    }),
];

#[test]
fn every_item_once_also_where_one_panics() {
    for (way, run) in WAYS {
        for panics in (0..ITEMS).map(Some).chain([None]) {
            let ledger = Ledger::new(panics);
            let (leaked, ended) =
                balance(|| catch_unwind(AssertUnwindSafe(|| run(&ledger))).map_err(drop).is_ok());
            assert_eq!(ended, panics.is_none(), "{way}, panics at {panics:?}");
            assert_eq!(ledger.made.load(Relaxed), ITEMS, "{way}: not all were made");
            for (number, drops) in ledger.dropped.iter().enumerate() {
                assert_eq!(
                    drops.load(Relaxed),
                    1,
                    "{way}, panics at {panics:?}: drops of {number}"
                );
            }
            assert_eq!(leaked, 0, "{way}, panics at {panics:?}: bytes");
        }
    }
}

/// Items without a size have destructors all the same, and nothing but their number to be lost.
#[test]
fn items_without_a_size() {
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    struct Unit;
    impl Drop for Unit {
        fn drop(&mut self) {
            DROPS.fetch_add(1, Relaxed);
        }
    }
    let dropped = || DROPS.swap(0, Relaxed);
    let units = |n| std::iter::repeat_with(|| Unit).take(n);

    let queue = queue(2);
    units(100).for_each(|unit| queue.push(unit));
    queue.push_batch(units(100));
    assert_eq!((queue.len(), dropped()), (200, 0));
    drop((queue.pop(), queue.handle().pop(), queue.pop_batch(48)));
    assert_eq!((queue.len(), dropped()), (150, 50));
    drop(queue.into_iter().nth(1));
    assert_eq!(dropped(), 150);

    let (mut producer, mut consumer) = mpsc_queue(2);
    units(100).for_each(|unit| assert!(producer.push(unit).is_ok()));
    assert_eq!(consumer.try_iter().take(30).count(), 30);
    drop(consumer);
    assert_eq!(dropped(), 100);
    assert!(producer.push(Unit).is_err());
    assert_eq!(dropped(), 1);

    let queue = BoundedQueue::new(10);
    assert_eq!(units(15).filter_map(|unit| queue.push(unit).err()).count(), 5);
    assert_eq!(units(5).filter_map(|unit| queue.force_push(unit)).count(), 5);
    assert_eq!((queue.len(), queue.is_full(), dropped()), (10, true, 10));
    drop(queue);
    assert_eq!(dropped(), 10);
}

/// Items may borrow what lives longer than the queue, and no longer: whoever still holds rings of it,
/// no destructor runs later.
#[test]
#[allow(clippy::mem_forget, reason = "the point of the test")]
fn a_forgotten_handle_leaks_a_ring_and_no_destructor_runs_later() {
    let drops = AtomicUsize::new(0);
    let queue = queue(2);
    (0..100).for_each(|_| queue.push(Counted(&drops)));
    // The first rings are left and retired, but a handle that nobody has any more holds one of them.
    let mut handle = queue.handle();
    (0..50).for_each(|_| drop(handle.pop()));
    handle.push(Counted(&drops));
    forget(handle);
    (0..25).for_each(|_| drop(queue.pop()));
    assert!(queue.reclaim() > 0, "no ring is held: {:?}", queue.stats());
    drop(queue);
    assert_eq!(drops.load(Relaxed), 101);
    // Whatever the epochs do from now on.
    let other = Queue::new();
    for n in 0..10_000 {
        other.push(n);
    }
    other.clear();
    other.shrink_to_fit();
    other.reclaim();
    assert_eq!(drops.load(Relaxed), 101);
}

/// Rings are made where they stay: growing takes no more of the stack than pushing does.
#[test]
#[allow(clippy::large_stack_arrays, reason = "the point of the test")]
fn growing_takes_no_stack() {
    /// A debug build has about a dozen copies of an item on the stack on its way in.
    const BYTES: usize = 4 << 10;
    const STACK: usize = 128 << 10;
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(|| {
        let queue = Queue::new();
        (0..100_u8).for_each(|n| queue.push([n; BYTES]));
        assert!(queue.segment_capacity() * BYTES > 3 * STACK);
        (0..100_u8).for_each(|n| assert_eq!(queue.pop().map(|item| item[7]), Some(n)));
    });
    thread.expect("a thread").join().expect("no panic");
}
