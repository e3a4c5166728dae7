//! Tickets, laps and slots: pure arithmetic.
//!
//! A ring hands out tickets 0, 1, 2, ...; ticket `t` of a ring with `R` slots has lap `t / R` and
//! slot `t % R`. The top bit of a ticket counter says that the ring is closed.

/// The bit of a ticket counter that says "closed: tickets taken from now on are void".
pub(crate) const CLOSED: usize = 1 << (usize::BITS - 1);

/// After this many laps a ring is followed by a fresh one of the same capacity.
///
/// Slot states hold laps in 31 bits, so a ring must end before lap 2^31. The ring is closed by the
/// first ticket at a quarter of a lap that sees the limit reached, or at a dead slot, which is not skipped any
/// more; a thread can be stalled right there, but each thread can hold up only one such ticket, and
/// between the limit and the wrap there are at least 2^29 of them. Hence no state is ever met again
/// in another lap: no ABA.
const LAP_LIMIT: usize = if cfg!(segring_small) { 3 } else { 1 << 30 };

/// Where `usize` has 32 bits the ticket counter itself ends first; half of its range stays free
/// for the tickets in flight.
const TICKET_LIMIT: usize = if cfg!(segring_small) { 1 << 17 } else { CLOSED / 2 };

/// Whether a void ticket's number comes near the top bit: no valid ticket is as high.
pub(crate) const fn is_far_beyond_the_end(number: usize) -> bool {
    const FAR: usize = if cfg!(segring_small) { 1 << 10 } else { CLOSED / 4 * 3 };
    number & !CLOSED >= FAR
}

/// The shape of a ring whose capacity is a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    mask: usize,
    shift: u32,
}

impl Geometry {
    pub(crate) const fn new(capacity: usize) -> Self {
        assert!(capacity.is_power_of_two(), "a ring's capacity is a power of two");
        Self { mask: capacity - 1, shift: capacity.trailing_zeros() }
    }

    pub(crate) const fn capacity(self) -> usize {
        self.mask + 1
    }

    /// Index of the slot that a ticket belongs to.
    pub(crate) const fn index(self, ticket: usize) -> usize {
        ticket & self.mask
    }

    /// The lap of a ticket.
    pub(crate) const fn lap(self, ticket: usize) -> u32 {
        // Invariant: open rings end before lap 2^31 (`is_expired`).
        #[allow(clippy::cast_possible_truncation, reason = "laps end below 2^31")]
        {
            (ticket >> self.shift) as u32
        }
    }

    /// Whether this ticket stands at a quarter of a lap; its owner looks after the ring.
    pub(crate) const fn is_tick(self, ticket: usize) -> bool {
        ticket & (self.mask >> 2) == 0
    }

    /// The ticket at a quarter of a lap among `count` from `first` on. They are at most a quarter of
    /// a lap themselves, so that there is at most one.
    pub(crate) const fn tick_among(self, first: usize, count: usize) -> Option<usize> {
        let quarter = self.mask >> 2;
        let tick = (first + quarter) & !quarter;
        if tick < first + count { Some(tick) } else { None }
    }

    /// How many tickets one such ticket stands for.
    pub(crate) const fn tick_weight(self) -> usize {
        (self.mask >> 2) + 1
    }

    /// Whether a ring that hands out this ticket has lived long enough.
    pub(crate) const fn is_expired(self, ticket: usize) -> bool {
        ticket >> self.shift >= LAP_LIMIT || ticket >= TICKET_LIMIT
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_slot() {
        let ring = Geometry::new(1);
        for ticket in 0..10 {
            assert_eq!(ring.index(ticket), 0);
            assert_eq!(ring.lap(ticket) as usize, ticket);
            assert!(ring.is_tick(ticket));
        }
        assert_eq!(ring.tick_weight(), 1);
    }

    #[test]
    #[should_panic(expected = "power of two")]
    fn three_slots_are_refused() {
        let _ = Geometry::new(3);
    }

    #[test]
    fn four_ticks_a_lap() {
        let ring = Geometry::new(64);
        let ticks: Vec<_> = (0..128).filter(|&t| ring.is_tick(t)).collect();
        assert_eq!(ticks, [0, 16, 32, 48, 64, 80, 96, 112]);
        assert_eq!(ring.tick_weight(), 16);
    }

    #[test]
    fn no_tick_is_lost_or_seen_twice_among_several() {
        for capacity in [1, 2, 4, 8, 64] {
            let ring = Geometry::new(capacity);
            for many in 1..=ring.tick_weight() {
                let runs = (0..3 * capacity).step_by(many);
                let among = runs.filter_map(|first| ring.tick_among(first, many));
                let alone = (0..(3 * capacity).next_multiple_of(many)).filter(|&t| ring.is_tick(t));
                assert!(among.eq(alone), "ring of {capacity}, {many} at once");
            }
            assert_eq!(ring.tick_among(0, 0), None);
            assert_eq!(ring.tick_among(CLOSED, 0), None);
        }
    }

    #[test]
    fn a_ring_ends_exactly_at_its_lap_limit() {
        for shift in [0, 1, 6, 20] {
            let ring = Geometry::new(1 << shift);
            // On 32 bits the ticket counter may be the tighter limit.
            let limit = ((LAP_LIMIT as u64) << shift).min(TICKET_LIMIT as u64);
            let limit = usize::try_from(limit).expect("a number of tickets");
            assert!(!ring.is_expired(limit - 1));
            assert!(ring.is_expired(limit));
            // Room for stragglers: laps still fit 31 bits far beyond the limit.
            assert!(ring.lap(limit).checked_mul(2).is_some());
        }
        assert!(Geometry::new(1).is_expired(CLOSED - 1));
    }

    proptest! {
        #[test]
        fn lap_and_index_name_the_ticket(shift in 0_u32..20, at in any::<u64>()) {
            let ring = Geometry::new(1 << shift);
            // All that a counter can show, but for laps that no ring reaches.
            let most = ((1_u64 << 31) << shift).min(CLOSED as u64);
            let ticket = usize::try_from(at % most).expect("below the top bit");
            let (lap, index) = (ring.lap(ticket) as usize, ring.index(ticket));
            prop_assert!(index < ring.capacity());
            prop_assert_eq!(lap << shift | index, ticket);
            let next = ticket + ring.capacity();
            prop_assert_eq!((ring.lap(next) as usize, ring.index(next)), (lap + 1, index));
        }
    }
}
