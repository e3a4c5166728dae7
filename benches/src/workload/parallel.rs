//! A rayon parallel iterator as the producers, as in a file walk whose findings others work off.

use core::hint::black_box;
use core::sync::atomic::AtomicBool;
use core::sync::atomic::Ordering::{Acquire, Release};

use crossbeam_utils::Backoff;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::meter::{Amount, Meter};
use super::{Placement, Race, race};
use crate::peers::{End, Peer, Role};

/// Items of one parallel iterator.
const ITEMS: u64 = 8_192;
/// Items that a task of it pushes: a directory's files, say.
const CHUNK: u64 = 64;

/// One parallel iterator after the other pushes; threads pop, and what they pop counts.
///
/// # Panics
/// When rayon's pool cannot be made.
pub(super) fn iterator<P: Peer<u64>>(
    queue: &P,
    producers: usize,
    consumers: usize,
    amount: Amount,
) -> Race {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(producers).build();
    let pool = pool.expect("threads can be started");
    let (pushed, popped) = (Meter::endless(), Meter::new(amount));
    let push_chunk = |chunk: u64| {
        let mut end = queue.end(Role::Producer);
        for item in 0..CHUNK {
            // Somebody must be left to pop when a bounded queue is full.
            if !popped.is_over() {
                end.push(black_box(chunk * CHUNK + item));
            }
        }
    };
    let produce = || {
        let backoff = Backoff::new();
        while !popped.is_over() {
            if pushed.is_ahead_of(&popped) {
                backoff.snooze();
                continue;
            }
            for_each_chunk(&pool, &push_chunk);
            pushed.add(ITEMS);
            backoff.reset();
        }
        0
    };
    let consume = |end: &mut P::End<'_>| {
        let (mut items, backoff) = (0, Backoff::new());
        while !popped.is_over() {
            if let Some(item) = end.pop() {
                black_box(item);
                items += 1;
                popped.note(items);
                backoff.reset();
            } else {
                backoff.snooze();
            }
        }
        items
    };
    let producing = AtomicBool::new(true);
    let timer = || popped.time();
    race(1 + consumers, Placement::Free, timer, |worker, gate| {
        if worker == 0 {
            let span = gate.time(produce);
            producing.store(false, Release);
            return span;
        }
        let mut end = queue.end(Role::Consumer);
        let span = gate.time(|| consume(&mut end));
        // A producer may be waiting for room in a bounded queue.
        let backoff = Backoff::new();
        while producing.load(Acquire) {
            if end.pop().is_none() {
                backoff.snooze();
            }
        }
        span
    })
}

/// The parallel iterator; compiled once, and not for every peer.
fn for_each_chunk(pool: &rayon::ThreadPool, push_chunk: &(dyn Fn(u64) + Sync)) {
    pool.install(|| (0..ITEMS / CHUNK).into_par_iter().for_each(push_chunk));
}
