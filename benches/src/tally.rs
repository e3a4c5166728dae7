//! Checks that cost next to nothing, so that they are always on: nothing is lost or made up, and
//! nobody sees a producer's items out of order.

use core::ops::AddAssign;

use crate::history::Value;

/// A set of values, up to collisions that a faulty queue is unlikely to hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many.
    pub count: u64,
    /// Their sum, wrapped.
    pub sum: u64,
    /// Their exclusive or.
    pub xor: u64,
}

impl Tally {
    /// Adds a value.
    #[inline]
    pub const fn add(&mut self, value: Value) {
        let bits = value.to_bits();
        self.count += 1;
        self.sum = self.sum.wrapping_add(bits);
        self.xor ^= bits;
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.sum = self.sum.wrapping_add(other.sum);
        self.xor ^= other.xor;
    }
}

/// The last item that one consumer saw of each producer.
#[derive(Clone, Debug)]
pub struct LastSeen(Vec<Option<u64>>);

impl LastSeen {
    /// For producers numbered below `producers`.
    pub fn of(producers: usize) -> Self {
        Self(vec![None; producers])
    }

    /// Notes a value. A FIFO queue gives each consumer the items of each producer in rising order.
    ///
    /// # Errors
    /// The value that came before it and should have come after, or the value itself if there is no
    /// such producer.
    #[inline]
    pub fn note(&mut self, value: Value) -> Result<(), Value> {
        let producer = value.producer();
        let last = self.0.get_mut(usize::from(producer)).ok_or(value)?;
        match last.replace(value.number()) {
            Some(earlier) if earlier >= value.number() => Err(Value::new(producer, earlier)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LastSeen, Tally};
    use crate::history::Value;

    fn tally(values: impl IntoIterator<Item = Value>) -> Tally {
        let mut tally = Tally::default();
        values.into_iter().for_each(|value| tally.add(value));
        tally
    }

    #[test]
    fn tallies_ignore_order_and_nothing_else() {
        let values: Vec<Value> = (0..9).map(|n| Value::new(3, n)).collect();
        assert_eq!(tally(values.iter().copied()), tally(values.iter().rev().copied()));
        assert_ne!(tally(values[1..].iter().copied()), tally(values.iter().copied()));
        let doubled = values.iter().take(8).chain(&values[..1]).copied();
        assert_ne!(tally(doubled), tally(values.iter().copied()));
    }

    #[test]
    fn last_seen_wants_rising_numbers_of_known_producers() {
        let mut seen = LastSeen::of(2);
        for (producer, number) in [(0, 4), (1, 0), (0, 9)] {
            assert_eq!(seen.note(Value::new(producer, number)), Ok(()));
        }
        assert_eq!(seen.note(Value::new(0, 9)), Err(Value::new(0, 9)));
        assert_eq!(seen.note(Value::new(2, 0)), Err(Value::new(2, 0)));
    }
}
