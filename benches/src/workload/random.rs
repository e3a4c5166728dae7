//! A coin decides what comes next.

use core::hint::black_box;

use super::meter::{Amount, Meter};
use super::{Placement, Race, race};
use crate::peers::{End, Peer, Role};

/// Items inside at the beginning.
const BACKLOG: u64 = 1_024;
/// Far more than the number inside ever wanders to: a full bounded queue would have everybody wait.
pub(super) const CAPACITY: usize = 1 << 17;

/// Every thread pushes or pops, as a coin falls. An operation is either; a pop may find nothing.
pub(super) fn coin_tosses<P: Peer<u64>>(
    queue: &P,
    threads: usize,
    amount: Amount,
    seed: u64,
) -> Race {
    let mut producer = queue.end(Role::Producer);
    (0..BACKLOG).for_each(|item| producer.push(item));
    drop(producer);

    let done = Meter::new(amount);
    let timer = || done.time();
    race(threads, Placement::Own, timer, |worker, gate| {
        let mut end = queue.end(Role::Consumer);
        let mut rng = fastrand::Rng::with_seed(seed ^ worker as u64);
        gate.time(|| {
            let (mut operations, mut coins) = (0, 0);
            while !done.is_over() {
                if operations % 64 == 0 {
                    coins = rng.u64(..);
                }
                if coins >> (operations % 64) & 1 == 0 {
                    end.push(black_box(operations));
                } else {
                    black_box(end.pop());
                }
                operations += 1;
                done.note(operations);
            }
            operations
        })
    })
}
