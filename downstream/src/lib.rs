//! An inbox that readers empty until they are told that there is no more.

#[cfg(segring_loom)]
use loom::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};
#[cfg(not(segring_loom))]
use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use segring::Queue;

/// Letters, and a flag for "no more".
#[derive(Debug)]
pub struct Inbox<T> {
    letters: Queue<T>,
    finished: AtomicBool,
}

impl<T> Inbox<T> {
    pub fn new(letters: Queue<T>) -> Self {
        Self { letters, finished: AtomicBool::new(false) }
    }

    pub fn post(&self, letter: T) {
        self.letters.push(letter);
    }

    /// Says that every letter has been posted.
    pub fn finish(&self) {
        self.finished.store(true, Ordering::Release);
    }

    pub fn is_finished(&self) -> bool {
        self.finished.load(Ordering::Acquire)
    }

    pub fn next(&self) -> Option<T> {
        self.letters.pop()
    }

    /// Reads until there is no letter and will be none.
    pub fn serve(&self, mut read: impl FnMut(T)) {
        loop {
            let finished = self.is_finished(); // Before the look inside.
            match self.next() {
                Some(letter) => read(letter),
                None if finished => return,
                None => thread::yield_now(),
            }
        }
    }
}
