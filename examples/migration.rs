//! Moving from crossbeam-queue: the same program over both queues.
//!
//! ```text
//! cargo run --example migration
//! ```
//!
//! `SegQueue` and `Queue` have the same `new`, `push`, `pop`, `len`, `is_empty`, `Default` and
//! `IntoIterator`, so that a program moves by its `use` line. This one counts primes: workers take
//! ranges from the queue, split what is too large and push the halves back.

use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use crossbeam_utils::Backoff;
use segring::{PopError, Queue};

const LIMIT: usize = 100_000;
const PRIMES: usize = 9_592; // Below the limit.
const WORKERS: usize = 3;

/// The program, with the queue that it uses as the only difference.
macro_rules! program {
    ($module:ident: use $queue:path) => {
        mod $module {
            use super::*;
            use $queue as Jobs;

            pub(super) fn run() -> usize {
                let jobs = Jobs::new();
                let (primes, unfinished) = (AtomicUsize::new(0), AtomicUsize::new(1));
                jobs.push(0..LIMIT);
                std::thread::scope(|s| {
                    for _ in 0..WORKERS {
                        s.spawn(|| {
                            let backoff = Backoff::new();
                            while unfinished.load(Ordering::Acquire) > 0 {
                                let Some(mut range) = jobs.pop() else {
                                    backoff.snooze();
                                    continue;
                                };
                                backoff.reset();
                                while range.len() > 500 {
                                    let middle = range.start + range.len() / 2;
                                    unfinished.fetch_add(1, Ordering::Relaxed);
                                    jobs.push(middle..range.end);
                                    range.end = middle;
                                }
                                primes.fetch_add(count(range), Ordering::Relaxed);
                                unfinished.fetch_sub(1, Ordering::Release);
                            }
                        });
                    }
                });
                assert!(jobs.is_empty());
                primes.into_inner()
            }
        }
    };
}

program!(before: use crossbeam_queue::SegQueue);
program!(after: use segring::Queue);

/// What the new queue adds: handles save an atomic operation each time, closing needs no counter.
fn with_handles() -> usize {
    let jobs = Queue::new();
    std::thread::scope(|s| {
        let workers = [(); WORKERS].map(|()| {
            let mut jobs = jobs.handle();
            s.spawn(move || {
                let (mut primes, backoff) = (0, Backoff::new());
                loop {
                    match jobs.try_pop() {
                        Ok(range) => {
                            backoff.reset();
                            primes += count(range);
                        }
                        Err(PopError::Closed) => break primes,
                        Err(PopError::Empty) => backoff.snooze(),
                    }
                }
            })
        });
        (0..LIMIT).step_by(500).for_each(|start| jobs.push(start..start + 500));
        jobs.close();
        workers.map(|worker| worker.join().expect("workers do not panic")).iter().sum()
    })
}

fn count(range: std::ops::Range<usize>) -> usize {
    let is_prime = |&n: &usize| n > 1 && (2..=n.isqrt()).all(|d| n % d != 0);
    range.filter(is_prime).count()
}

fn main() -> ExitCode {
    let mut exit = ExitCode::SUCCESS;
    for (way, primes) in [
        ("crossbeam_queue::SegQueue", before::run()),
        ("segring::Queue", after::run()),
        ("segring::Handle", with_handles()),
    ] {
        println!("{way}: {primes} primes below {LIMIT}");
        if primes != PRIMES {
            eprintln!("{way}: there are {PRIMES}");
            exit = ExitCode::FAILURE;
        }
    }
    exit
}
