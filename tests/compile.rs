//! What the types promise the compiler, and what it must therefore refuse.
//!
//! Auto traits are asserted here and now. Lifetimes need programs that do not compile: each stands
//! beside a twin that does, so that it fails for the reason given.

use std::cell::Cell;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::rc::Rc;

use compile_support::User;
use segring::mpsc::{Consumer, Producer};
use segring::{BoundedHandle, BoundedQueue, Drain, Handle, IntoIter, OwnedHandle, Queue, TryIter};
use static_assertions::{assert_impl_all, assert_not_impl_any};

mod compile_support;

// `T: Send` is enough: items pass from thread to thread, references to them do not.
assert_impl_all!(Queue<Cell<u32>>: Send, Sync, UnwindSafe, RefUnwindSafe);
assert_impl_all!(Handle<'static, Cell<u32>>: Send, Sync);
assert_impl_all!(OwnedHandle<Cell<u32>>: Send, Sync);
assert_impl_all!(IntoIter<Cell<u32>>: Send);
assert_impl_all!(Drain<'static, Cell<u32>>: Send);
assert_impl_all!(TryIter<&'static Queue<Cell<u32>>>: Send);
assert_impl_all!(TryIter<&'static mut Handle<'static, Cell<u32>>>: Send);

assert_impl_all!(BoundedQueue<Cell<u32>>: Send, Sync, UnwindSafe, RefUnwindSafe);
assert_impl_all!(BoundedHandle<'static, Cell<u32>>: Send, Sync, UnwindSafe, RefUnwindSafe);
assert_impl_all!(TryIter<&'static BoundedQueue<Cell<u32>>>: Send);
assert_impl_all!(TryIter<&'static mut BoundedHandle<'static, Cell<u32>>>: Send);

// And it is needed.
assert_not_impl_any!(BoundedQueue<Rc<u32>>: Send, Sync);
assert_not_impl_any!(BoundedHandle<'static, Rc<u32>>: Send, Sync);
assert_not_impl_any!(Queue<Rc<u32>>: Send, Sync);
assert_not_impl_any!(Handle<'static, Rc<u32>>: Send, Sync);
assert_not_impl_any!(OwnedHandle<Rc<u32>>: Send, Sync);
assert_not_impl_any!(IntoIter<Rc<u32>>: Send, Sync);
assert_not_impl_any!(Drain<'static, Rc<u32>>: Send, Sync);

assert_impl_all!(Producer<Cell<u32>>: Send, Sync, Clone);
assert_impl_all!(Consumer<Cell<u32>>: Send);
assert_not_impl_any!(Producer<Rc<u32>>: Send, Sync);
assert_not_impl_any!(Consumer<Rc<u32>>: Send);
assert_not_impl_any!(Consumer<u32>: Sync, Clone);

// A handle is one thread's.
assert_not_impl_any!(Handle<'static, u32>: Clone, Copy);
assert_not_impl_any!(OwnedHandle<u32>: Clone, Copy);
assert_not_impl_any!(BoundedHandle<'static, u32>: Clone, Copy);

#[test]
fn items_may_borrow() {
    fn longest<'a>(words: &Queue<&'a str>) -> Option<&'a str> {
        words.try_iter().max_by_key(|word| word.len())
    }
    let text = String::from("a queue of borrowed words");
    let words = Queue::new();
    std::thread::scope(|s| {
        s.spawn(|| text.split(' ').for_each(|word| words.push(word)));
    });
    let longest = longest(&words);
    drop(words);
    assert_eq!(longest, Some("borrowed"), "items outlive their queue");
}

/// The body of a program's `main`, what the compiler says to it, and how it is right.
struct Pair {
    wrong: &'static str,
    says: &'static str,
    right: &'static str,
}

const PAIRS: [Pair; 7] = [
    // A handle does not outlive its queue ...
    Pair {
        wrong: "let mut handle = { let queue = Queue::new(); queue.handle() };
                handle.push(1);",
        says: "error[E0597]: `queue` does not live long enough",
        right: "let queue = Queue::new();
                let mut handle = { queue.handle() };
                handle.push(1);",
    },
    Pair {
        wrong: "let mut handle = { let queue = BoundedQueue::new(1); queue.handle() };
                let _ = handle.push(1);",
        says: "error[E0597]: `queue` does not live long enough",
        right: "let queue = BoundedQueue::new(1);
                let mut handle = { queue.handle() };
                let _ = handle.push(1);",
    },
    // ... unless it owns a share of it.
    Pair {
        wrong: "let queue = Queue::new();
                let mut handle = queue.handle();
                drop(queue);
                handle.push(1);",
        says: "error[E0505]: cannot move out of `queue` because it is borrowed",
        right: "let queue = Arc::new(Queue::new());
                let mut handle = queue.owned_handle();
                drop(queue);
                handle.push(1);",
    },
    // Exclusive access is exclusive.
    Pair {
        wrong: "let mut queue = Queue::new();
                let mut handle = queue.handle();
                queue.push_mut(1);
                handle.push(2);",
        says: "error[E0502]: cannot borrow `queue` as mutable because it is also borrowed as immutable",
        right: "let mut queue = Queue::new();
                queue.push_mut(1);
                let mut handle = queue.handle();
                handle.push(2);",
    },
    // A queue does not outlive what its items borrow ...
    Pair {
        wrong: "let queue = Queue::new();
                let word = String::new();
                queue.push(&word);",
        says: "error[E0597]: `word` does not live long enough",
        right: "let word = String::new();
                let queue = Queue::new();
                queue.push(&word);",
    },
    // ... nor does an owned handle.
    Pair {
        wrong: "let word = String::new();
                let mut handle = Arc::new(Queue::new()).owned_handle();
                std::thread::spawn(move || handle.push(&word));",
        says: "error[E0597]: `word` does not live long enough",
        right: "let word = String::new();
                let mut handle = Arc::new(Queue::new()).owned_handle();
                std::thread::spawn(move || handle.push(word));",
    },
    // What may not change threads does not do so through a queue.
    Pair {
        wrong: "let queue = Queue::new();
                std::thread::scope(|s| { s.spawn(|| queue.push(Rc::new(1))); });",
        says: "error[E0277]: `Rc<i32>` cannot be sent between threads safely",
        right: "let queue = Queue::new();
                std::thread::scope(|s| { s.spawn(|| queue.push(Arc::new(1))); });",
    },
];

#[test]
fn what_must_not_compile_does_not() {
    let user = User::new("compile");
    let compile = |body| {
        user.compile(&format!(
            "#![allow(unused)]\n\
             use std::{{rc::Rc, sync::Arc}};\n\
             use segring::{{BoundedQueue, Queue}};\n\
             fn main() {{ {body} }}\n"
        ))
    };
    for Pair { wrong, says, right } in PAIRS {
        let message = compile(wrong).expect_err(wrong);
        assert!(message.contains(says), "{wrong}\nexpected {says}\n{message}");
        assert_eq!(message.matches("error[").count(), 1, "{wrong}\nmore than one:\n{message}");
        if let Err(message) = compile(right) {
            panic!("{right}\n{message}");
        }
    }
}
