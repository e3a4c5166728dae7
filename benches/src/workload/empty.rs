//! Pops that find nothing.

use core::hint::black_box;

use super::meter::{Amount, Meter};
use super::{Placement, Race, race};
use crate::peers::{End, Peer, Role};

/// Every thread pops from a queue that stays empty.
pub(super) fn polling<P: Peer<u64>>(queue: &P, threads: usize, amount: Amount) -> Race {
    const WARM_UP: u64 = 1_000;

    let polled = Meter::new(amount);
    let timer = || polled.time();
    race(threads, Placement::Own, timer, |_, gate| {
        let mut end = queue.end(Role::Consumer);
        let mut poll = |_| assert!(black_box(end.pop()).is_none(), "nobody pushes anything");
        (0..WARM_UP).for_each(&mut poll);
        gate.time(|| {
            let mut polls = 0;
            while !polled.is_over() {
                poll(polls);
                polls += 1;
                polled.note(polls);
            }
            polls
        })
    })
}
