//! Payloads that count their drops: each is dropped exactly once, in the queue or out of it.

use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU8, AtomicU64};

use super::disturb::Disturber;
use super::fault::Fault;
use crate::peers::{End, Peer, Role};
use crate::workload::together;

/// How often each payload was dropped.
#[derive(Debug)]
pub struct Ledger {
    drops: Box<[AtomicU8]>,
    corrupt: AtomicU64,
}

/// An item that enters its drop into the ledger.
#[derive(Debug)]
pub struct Payload<'a> {
    ledger: &'a Ledger,
    number: usize,
    /// Follows from the number, so that memory which never held a payload does not pass for one.
    canary: u64,
}

impl Ledger {
    /// For payloads numbered below `payloads`.
    pub fn new(payloads: usize) -> Self {
        let drops = core::iter::repeat_with(AtomicU8::default).take(payloads).collect();
        Self { drops, corrupt: AtomicU64::new(0) }
    }

    fn payload(&self, number: usize) -> Payload<'_> {
        Payload { ledger: self, number, canary: canary(number) }
    }

    /// Whether every payload that was made has been dropped once. To be asked when none is left.
    ///
    /// # Errors
    /// When one was not.
    pub fn verdict(&self) -> Result<(), Fault> {
        let count = |wrong: fn(u8) -> bool| {
            self.drops.iter().filter(|drops| wrong(drops.load(Relaxed))).count() as u64
        };
        let (never, twice) = (count(|drops| drops == 0), count(|drops| drops > 1));
        let corrupt = self.corrupt.load(Relaxed);
        if never + twice + corrupt == 0 {
            return Ok(());
        }
        Err(Fault::Drops { never, twice, corrupt })
    }
}

const fn canary(number: usize) -> u64 {
    (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5e61_5e61_5e61_5e61
}

impl Drop for Payload<'_> {
    fn drop(&mut self) {
        match self.ledger.drops.get(self.number) {
            Some(drops) if self.canary == canary(self.number) => drops.fetch_add(1, Relaxed).into(),
            _ => self.ledger.corrupt.fetch_add(1, Relaxed),
        };
    }
}

/// Pushes all payloads of the ledger from several threads, which pop some of them and leave the rest
/// inside. Returns the number of pushes and pops.
///
/// # Panics
/// When an operation of the queue does.
pub fn run<'a, P: Peer<Payload<'a>>>(
    ledger: &'a Ledger,
    queue: &P,
    threads: usize,
    seed: u64,
) -> u64 {
    let payloads = ledger.drops.len();
    let operations = together((0..threads).collect(), |worker, gate| {
        let mut rng = fastrand::Rng::with_seed(seed ^ worker as u64);
        let mut disturber = Disturber::new(rng.u64(..), 64);
        let mut end = queue.end(Role::Consumer);
        let mut operations = 0;
        gate.wait();
        for number in (worker..payloads).step_by(threads) {
            end.push(ledger.payload(number));
            let pops = [0, 0, 1, 2][rng.usize(..4)];
            (0..pops).for_each(|_| drop(end.pop()));
            operations += 1 + pops;
            disturber.maybe(queue, &mut end);
        }
        operations
    });
    operations.into_iter().sum()
}
