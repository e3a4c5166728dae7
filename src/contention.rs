//! How threads keep out of each other's way, for throughput alone: nothing depends on it.
//!
//! A cache line that two cores write in turn costs each of them a transfer for every write; many times
//! the price of an operation that finds its lines at home. Two kinds of short pauses keep lines at
//! home. *Turns*: of several threads that push to one ring, one at a time. *Distance*: the two ends of
//! a ring not right behind each other. And whose exchange of a counter fails backs off.
//!
//! Pauses must pay. Whether one did shows at once, and each that did not makes the next one rarer by half: threads
//! that meet now and then, or in step with something else, soon pause hardly at all.
//!
//! A thread that pauses has no ticket. Its own operation takes longer, by at most what [`PAUSE`] and
//! [`WAIT`] say (and [`back_off`] for each time that another thread was faster), and nobody else's does.

use crate::sync::{Counter, MODEL, per_thread, spin_for};
use core::cell::Cell;
use core::time::Duration;

/// The longest pause for another thread's turn, in which it has a run of some hundred tickets. The
/// shortest is half of it.
const PAUSE: Duration = Duration::from_micros(8);

/// The pause for a distance of some hundred items.
const WAIT: Duration = Duration::from_micros(2);

/// No pauses in models, and none where there is no clock.
const OFF: bool = MODEL || cfg!(target_family = "wasm");

/// How one thread takes turns with the others that push to a ring.
///
/// A ticket tells for free whether somebody came in between: then it is not the one behind this thread's
/// last. If that happens again and again the thread pauses, and meanwhile the others have a *run* of
/// tickets that follow each other. Coming back, it bears with a few interleaved tickets, so that
/// whoever has had a run pauses first. (A batch of eight or more is a run by itself.)
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turns {
    /// The ticket behind the last one; 0 if there is none.
    next: usize,
    /// The first one of those that follow each other up to the last one.
    start: usize,
    /// How many more interleaved tickets until the next pause.
    left: u32,
    /// How many there were between the last two.
    patience: u32,
}

impl Turns {
    /// So many tickets that follow each other are a run.
    const RUN: usize = 8;
    /// So many tickets that others took meanwhile were a run, or several.
    const PAID: usize = 64;
    const LEAST_PATIENCE: u32 = 4;
    const MOST_PATIENCE: u32 = 1_024;

    pub(crate) const fn new() -> Self {
        Self { next: 0, start: 0, left: Self::LEAST_PATIENCE, patience: Self::LEAST_PATIENCE }
    }

    /// The ticket behind this thread's last one, which is issued, as are all before it. 0 if there
    /// is none.
    #[inline]
    pub(crate) fn next(&self) -> usize {
        self.next
    }

    /// Forgets the last ticket: the next one may be another ring's.
    pub(crate) fn forget(&mut self) {
        self.next = 0;
    }

    /// Notes that this thread took and used the ticket behind its last.
    #[inline]
    pub(crate) fn go_on(&mut self, ticket: usize) {
        self.next = ticket + 1;
    }

    /// Notes that this thread took the tickets from `first` to `next` and has used them. Pauses if
    /// it is another's turn.
    ///
    /// `issued` tells how many tickets there are by now.
    #[inline]
    pub(crate) fn took(&mut self, first: usize, next: usize, issued: impl Fn() -> usize) {
        if first != self.next {
            self.interleaved(first, issued);
        }
        self.next = next;
    }

    #[cold]
    #[inline(never)]
    fn interleaved(&mut self, first: usize, issued: impl Fn() -> usize) {
        let start = core::mem::replace(&mut self.start, first);
        if OFF || self.next == 0 {
            return;
        }
        if self.next - start >= Self::RUN {
            // This thread has had its turn. Only once more, and somebody else is to have one.
            (self.left, self.patience) = (0, Self::LEAST_PATIENCE);
            return;
        }
        if first.wrapping_sub(self.next) >= Self::PAID {
            // It has been away, in a pause or elsewhere, or pushes far less than others do.
            return;
        }
        if self.left > 0 {
            self.left -= 1;
            return;
        }
        let before = issued();
        // Not the same time for all, or they would come back together.
        spin_for(PAUSE / 2 + (PAUSE / 2).mul_f32(fraction(first)));
        let has_paid = issued().wrapping_sub(before) >= Self::PAID;
        let doubled = (2 * self.patience).min(Self::MOST_PATIENCE);
        self.patience = if has_paid { Self::LEAST_PATIENCE } else { doubled };
        self.left = self.patience;
    }
}

/// A fraction of 1 that differs from number to number (Fibonacci hashing).
fn fraction(number: usize) -> f32 {
    let hash = (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48;
    f32::from(hash as u16) / f32::from(u16::MAX)
}

/// The turns of a thread without a handle, at the ring that it pushed to last.
struct Shared {
    /// The ring's address plus the ticket behind the last one: one word to compare. (Two rings may
    /// have the same sum, and an interleaved ticket then passes unnoticed.)
    next: Cell<usize>,
    ring: Cell<usize>,
    turns: Cell<Turns>,
}

per_thread! {
    static SHARED: Shared = const { Shared::new() };
}

/// As [`Turns::next`], for a thread without a handle: the ticket that it expects next at this ring.
#[inline]
pub(crate) fn next_shared<T>(ring: *const T) -> usize {
    SHARED.try_with(|shared| shared.next.get().wrapping_sub(ring.addr())).unwrap_or(0)
}

/// As [`Turns::go_on`], for a thread without a handle.
#[inline]
pub(crate) fn go_on_shared<T>(ring: *const T, ticket: usize) {
    let _ = SHARED.try_with(|shared| shared.next.set(ring.addr().wrapping_add(ticket + 1)));
}

/// As [`Turns::took`], for a thread without a handle.
#[inline]
pub(crate) fn took_shared<T>(ring: *const T, ticket: usize, issued: impl Fn() -> usize) {
    // Fails in a thread that is going away, which need not be considerate any more.
    let _ = SHARED.try_with(|shared| {
        let here = ring.addr().wrapping_add(ticket);
        if shared.next.get() != here {
            shared.interleaved(ring.addr(), ticket, issued);
        }
        shared.next.set(here.wrapping_add(1));
    });
}

impl Shared {
    const fn new() -> Self {
        Self { next: Cell::new(0), ring: Cell::new(0), turns: Cell::new(Turns::new()) }
    }

    #[cold]
    #[inline(never)]
    fn interleaved(&self, ring: usize, ticket: usize, issued: impl Fn() -> usize) {
        let mut turns = self.turns.get();
        let is_same = self.ring.replace(ring) == ring;
        turns.next = if is_same { self.next.get().wrapping_sub(ring) } else { 0 };
        turns.interleaved(ticket, issued);
        self.turns.set(turns);
    }
}

/// Backs off from a counter: others exchange it, and each failed exchange has taken its line from
/// them. For so many failures in a row, the last one for `ticket`.
#[cold]
#[inline(never)]
pub(crate) fn back_off(failures: u32, ticket: usize) {
    const FIRST: Duration = Duration::from_nanos(100);
    const DOUBLINGS: u32 = 5;

    if !OFF {
        let most = FIRST * (1 << failures.saturating_sub(1).min(DOUBLINGS));
        // Who is beaten to the same ticket must not come back together: they differ in their stacks.
        let mine = core::ptr::from_ref(&most).addr();
        spin_for(most.mul_f32(fraction(ticket.wrapping_add(mine))));
    }
}

/// How the threads at one end of a ring keep a distance from the other end.
///
/// Right behind a producer a consumer waits for the line of each item, and each time the producer must
/// fetch it back. After a pause there are many items to take, and the lines come once for all.
#[derive(Debug)]
pub(crate) struct Distance {
    /// The ticket from which on being near is reason for a pause.
    due: Counter,
    /// How many tickets are to come between the next two pauses.
    patience: Counter,
}

impl Distance {
    /// So much room, or so few items, is near.
    pub(crate) const NEAR: usize = 1;
    /// So much, after a pause, was worth it.
    const PAID: usize = 32;
    const LEAST_PATIENCE: usize = 256;
    const MOST_PATIENCE: usize = 65_536;

    pub(crate) const fn new() -> Self {
        let least = Self::LEAST_PATIENCE;
        Self { due: Counter::new(least), patience: Counter::new(least) }
    }

    /// Whether to pause if the other end is near, with this ticket the next one here.
    #[inline]
    pub(crate) fn is_due(&self, ticket: usize) -> bool {
        !OFF && ticket.wrapping_sub(self.due.get()).cast_signed() >= 0
    }

    /// Lets the other end get ahead, and learns from how far it got.
    pub(crate) fn pause(&self, mut look: impl FnMut() -> (usize, usize)) {
        spin_for(WAIT);
        let (ticket, distance) = look();
        // Not one step for others, and it need not be.
        let patience = if distance >= Self::PAID {
            0
        } else {
            (2 * self.patience.get()).clamp(Self::LEAST_PATIENCE, Self::MOST_PATIENCE)
        };
        self.patience.set(patience);
        self.due.set(ticket.wrapping_add(patience));
    }

    /// Starts over with ticket 0.
    pub(crate) fn renew(&self) {
        self.due.set(Self::LEAST_PATIENCE);
    }
}

#[cfg(all(test, not(segring_loom)))]
mod tests {
    use std::time::Instant;

    use super::*;

    /// Whether this ticket made the thread pause. Others take `meanwhile` tickets in a pause.
    fn pauses(turns: &mut Turns, ticket: usize, meanwhile: usize) -> bool {
        let looks = Cell::new(0);
        turns.took(ticket, ticket + 1, || {
            looks.set(looks.get() + 1);
            ticket + looks.get() * meanwhile
        });
        looks.get() == 2
    }

    #[test]
    fn alone_nobody_pauses() {
        let mut turns = Turns::new();
        assert!((7..1_000).all(|ticket| !pauses(&mut turns, ticket, 0)));
        assert_eq!((turns.next(), turns.start, turns.left), (1_000, 7, Turns::LEAST_PATIENCE));
    }

    #[test]
    fn a_run_comes_to_an_end() {
        let mut turns = Turns::new();
        assert!((1..=Turns::RUN).all(|ticket| !pauses(&mut turns, ticket, 0)));
        assert!(!pauses(&mut turns, 20, 0), "once does not count");
        let start = Instant::now();
        assert!(pauses(&mut turns, 22, Turns::PAID));
        assert!(start.elapsed() >= PAUSE / 2);
        assert_eq!((turns.left, turns.patience), (Turns::LEAST_PATIENCE, Turns::LEAST_PATIENCE));
    }

    #[test]
    fn pauses_that_do_not_pay_become_rare() {
        let mut turns = Turns::new();
        // Every other ticket is somebody else's, always.
        let paused = (0..100_000).filter(|n| pauses(&mut turns, 2 * n + 1, 1)).count();
        assert!((90..130).contains(&paused), "{paused}");
        assert_eq!(turns.patience, Turns::MOST_PATIENCE);
    }

    #[test]
    fn whoever_pushes_now_and_then_never_pauses() {
        // A hundred ends in turn, as of one thread that serves them all.
        let mut all = [Turns::new(); 100];
        let mut push = |ticket: usize| pauses(&mut all[ticket % 100], ticket + 1, Turns::PAID);
        assert_eq!((0..100_000).filter(|&ticket| push(ticket)).count(), 0);
    }

    #[test]
    fn another_ring_is_another_matter() {
        let mut turns = Turns::new();
        pauses(&mut turns, 1, 0);
        turns.forget();
        pauses(&mut turns, 50, 0);
        assert_eq!((turns.next(), turns.start, turns.left), (51, 50, Turns::LEAST_PATIENCE));
    }

    #[test]
    fn a_distance_is_kept_for_as_long_as_it_pays() {
        let distance = Distance::new();
        assert!(!distance.is_due(Distance::LEAST_PATIENCE - 1));
        assert!(distance.is_due(Distance::LEAST_PATIENCE));
        distance.pause(|| (1_000, Distance::PAID));
        assert!(distance.is_due(1_000));
        // From here on nothing comes of it.
        let mut pauses = 0;
        for ticket in 1_000..1_000_000 {
            if distance.is_due(ticket) {
                distance.pause(|| (ticket, Distance::PAID - 1));
                pauses += 1;
            }
        }
        assert!((10..30).contains(&pauses), "{pauses}");
        distance.renew();
        assert!(!distance.is_due(0));
    }

    #[test]
    fn fractions_are_spread() {
        let fractions: Vec<_> = (0..100).map(fraction).collect();
        assert!(fractions.iter().all(|fraction| (0.0..=1.0).contains(fraction)));
        for tenth in 0..10_u8 {
            let tenth = f32::from(tenth) / 10.0;
            let inside = fractions.iter().filter(|&&f| f >= tenth && f < tenth + 0.1).count();
            assert!((5..=15).contains(&inside), "{inside} from {tenth} on");
        }
    }
}
