//! What a program can observe: results, texts, panics, drops.

use std::cell::RefCell;
use std::panic::{UnwindSafe, catch_unwind};
use std::rc::Rc;

use proptest::prelude::*;

/// One call of a queue. Those that a queue does not have are left out.
#[derive(Clone, Copy, Debug)]
enum Op {
    Push(u8),
    PushMut(u8),
    ForcePush(u8),
    Pop,
    PopMut,
    Look,
    TryIter,
    Close,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        8 => any::<u8>().prop_map(Op::Push),
        4 => any::<u8>().prop_map(Op::PushMut),
        4 => any::<u8>().prop_map(Op::ForcePush),
        8 => Just(Op::Pop),
        4 => Just(Op::PopMut),
        2 => Just(Op::Look),
        1 => Just(Op::TryIter),
        1 => Just(Op::Close),
    ];
    prop::collection::vec(op, 0..400)
}

/// The message of a panic.
fn panic_of<R>(f: impl FnOnce() -> R + UnwindSafe) -> String {
    let payload = catch_unwind(f).err().expect("a panic");
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => (*payload.downcast::<&str>().expect("a text")).to_owned(),
    }
}

/// Notes when it is dropped.
struct Noisy(u32, Rc<RefCell<Vec<u32>>>);

impl Drop for Noisy {
    fn drop(&mut self) {
        self.1.borrow_mut().push(self.0);
    }
}

/// The order in which `f` drops the items that it makes.
fn drops(f: impl FnOnce(&dyn Fn(u32) -> Noisy)) -> Vec<u32> {
    let log = Rc::default();
    f(&|n| Noisy(n, Rc::clone(&log)));
    log.take()
}

macro_rules! observations {
    ($module:ident: $crossbeam:ident, $concurrent:ident) => {
        mod $module {
            use super::{Op, drops, panic_of};
            use $concurrent::{ConcurrentQueue, ForcePushError, PopError, PushError};
            use $crossbeam::{ArrayQueue, SegQueue};

            pub(super) fn texts() -> Vec<String> {
                let (seg, array) = (SegQueue::new(), ArrayQueue::new(3));
                seg.push(1);
                array.push(1).unwrap();
                let bounded = ConcurrentQueue::bounded(7);
                bounded.push(1).unwrap();
                let unbounded = ConcurrentQueue::<u8>::unbounded();
                unbounded.close();
                vec![
                    format!("{seg:?} {seg:#?} {seg:30?}|"),
                    format!("{array:?} {array:#?} {array:30?}|"),
                    format!("{bounded:?} {bounded:#?} {unbounded:?} {:?}", bounded.try_iter()),
                    format!("{:?} {:#?}", seg.into_iter(), array.into_iter()),
                    format!(
                        "{:?} {} {:9?}|{:9}|",
                        PopError::Empty,
                        PopError::Empty,
                        PopError::Empty,
                        PopError::Empty
                    ),
                    format!("{:?} {}", PopError::Closed, PopError::Closed),
                    format!(
                        "{:?} {} {:9}|",
                        PushError::Full("x"),
                        PushError::Full("x"),
                        PushError::Full("x")
                    ),
                    format!("{:#?} {}", PushError::Closed("x"), PushError::Closed("x")),
                    format!(
                        "{:?} {} {:9}|",
                        ForcePushError("x"),
                        ForcePushError("x"),
                        ForcePushError("x")
                    ),
                ]
            }

            pub(super) fn panics() -> Vec<String> {
                vec![
                    panic_of(|| ArrayQueue::<u8>::new(0)),
                    panic_of(|| ArrayQueue::<u8>::new(usize::MAX)),
                    panic_of(|| ArrayQueue::<[u64; 2]>::new(usize::MAX / 2)),
                    panic_of(|| ConcurrentQueue::<u8>::bounded(0)),
                    panic_of(|| ConcurrentQueue::<u8>::bounded(usize::MAX)),
                    panic_of(|| ConcurrentQueue::<[u64; 2]>::bounded(usize::MAX / 2)),
                ]
            }

            pub(super) fn drop_orders() -> Vec<Vec<u32>> {
                const N: u32 = 200;
                vec![
                    drops(|item| {
                        let q = SegQueue::new();
                        (0..N).for_each(|n| q.push(item(n)));
                        drop(q.pop());
                    }),
                    drops(|item| {
                        let q = SegQueue::new();
                        (0..N).for_each(|n| q.push(item(n)));
                        assert_eq!(q.into_iter().take(5).count(), 5);
                    }),
                    drops(|item| {
                        let q = ArrayQueue::new(N as usize);
                        (0..=N).for_each(|n| drop(q.force_push(item(n))));
                        assert!(q.push(item(N + 1)).is_err());
                    }),
                    drops(|item| {
                        let q = ArrayQueue::new(N as usize);
                        (0..N).for_each(|n| assert!(q.push(item(n)).is_ok()));
                        assert_eq!(q.into_iter().take(5).count(), 5);
                    }),
                    drops(|item| {
                        let q = ConcurrentQueue::unbounded();
                        (0..N).for_each(|n| assert!(q.push(item(n)).is_ok()));
                        q.close();
                        assert!(q.force_push(item(N)).is_err());
                    }),
                    drops(|item| {
                        let q = ConcurrentQueue::bounded(1);
                        (0..3).for_each(|n| assert!(q.force_push(item(n)).is_ok()));
                    }),
                ]
            }

            pub(super) fn seg_queue(ops: &[Op]) -> Vec<String> {
                let mut q = SegQueue::default();
                let mut seen: Vec<String> = ops
                    .iter()
                    .map(|op| match *op {
                        Op::Push(n) => format!("{:?}", q.push(n)),
                        Op::PushMut(n) => format!("{:?}", q.push_mut(n)),
                        Op::Pop => format!("{:?}", q.pop()),
                        Op::PopMut => format!("{:?}", q.pop_mut()),
                        _ => format!("{} {}", q.len(), q.is_empty()),
                    })
                    .collect();
                let rest = q.into_iter();
                seen.push(format!("{:?} {:?}", rest.size_hint(), rest.collect::<Vec<_>>()));
                seen
            }

            pub(super) fn array_queue(capacity: usize, ops: &[Op]) -> Vec<String> {
                let mut q = ArrayQueue::new(capacity);
                let mut seen: Vec<String> = ops
                    .iter()
                    .map(|op| match *op {
                        Op::Push(n) => format!("{:?}", q.push(n)),
                        Op::PushMut(n) => format!("{:?}", q.push_mut(n)),
                        Op::ForcePush(n) => format!("{:?}", q.force_push(n)),
                        Op::Pop => format!("{:?}", q.pop()),
                        Op::PopMut => format!("{:?}", q.pop_mut()),
                        _ => {
                            format!("{} {} {} {}", q.len(), q.is_empty(), q.is_full(), q.capacity())
                        }
                    })
                    .collect();
                let rest = q.into_iter();
                seen.push(format!("{:?} {:?}", rest.size_hint(), rest.collect::<Vec<_>>()));
                seen
            }

            /// Capacity 0 stands for unbounded.
            pub(super) fn concurrent_queue(capacity: usize, ops: &[Op]) -> Vec<String> {
                let q = match capacity {
                    0 => ConcurrentQueue::unbounded(),
                    _ => ConcurrentQueue::bounded(capacity),
                };
                ops.iter()
                    .map(|op| match *op {
                        Op::Push(n) | Op::PushMut(n) => format!("{:?}", q.push(n)),
                        Op::ForcePush(n) => format!("{:?}", q.force_push(n)),
                        Op::Pop | Op::PopMut => format!("{:?}", q.pop()),
                        Op::Look => format!("{q:?} {} {}", q.is_empty(), q.is_full()),
                        Op::TryIter => format!("{:?}", q.try_iter().collect::<Vec<_>>()),
                        Op::Close => format!("{:?}", q.close()),
                    })
                    .collect()
            }
        }
    };
}
observations!(ours: ours_crossbeam_queue, ours_concurrent_queue);
observations!(theirs: theirs_crossbeam_queue, theirs_concurrent_queue);

#[test]
fn texts() {
    assert_eq!(ours::texts(), theirs::texts());
}

#[test]
fn panics() {
    assert_eq!(ours::panics(), theirs::panics());
}

#[test]
fn drop_orders() {
    assert_eq!(ours::drop_orders(), theirs::drop_orders());
}

proptest! {
    #[test]
    fn seg_queue(ops in ops()) {
        prop_assert_eq!(ours::seg_queue(&ops), theirs::seg_queue(&ops));
    }

    #[test]
    fn array_queue(capacity in 1_usize..20, ops in ops()) {
        prop_assert_eq!(ours::array_queue(capacity, &ops), theirs::array_queue(capacity, &ops));
    }

    #[test]
    fn concurrent_queue(capacity in 0_usize..20, ops in ops()) {
        prop_assert_eq!(ours::concurrent_queue(capacity, &ops), theirs::concurrent_queue(capacity, &ops));
    }
}
