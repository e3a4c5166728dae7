//! Interleaved samples of closures: the first entrant is ours, the second what it is held against.

use core::fmt;
use core::time::Duration;
use std::time::Instant;

use super::table;
use crate::compare::{Spread, in_rounds};
use crate::heap::Counts;
use crate::report::Target;

/// Somebody who can be timed.
pub struct Entrant {
    /// Who.
    pub name: &'static str,
    run: Box<dyn FnMut(u64)>,
}

impl Entrant {
    /// `run` does that many operations; what it captures stays from sample to sample.
    pub fn new(name: &'static str, run: impl FnMut(u64) + 'static) -> Self {
        Self { name, run: Box::new(run) }
    }

    /// One sample.
    pub fn sample(&mut self, operations: u64) -> Reading {
        let before = Counts::now();
        let start = Instant::now();
        (self.run)(operations);
        let time = start.elapsed();
        Reading { operations, time, allocated: Counts::now() - before }
    }

    /// How many operations roughly fill that time, found by doubling; warms up on the way.
    fn operations_in(&mut self, length: Duration) -> u64 {
        let mut operations = 1;
        loop {
            let time = self.sample(operations).time;
            if time * 8 >= length {
                let times = length.as_nanos() / time.as_nanos().max(1);
                return operations * u64::try_from(times).unwrap_or(1).max(1);
            }
            operations *= 2;
        }
    }
}

impl fmt::Debug for Entrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entrant").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A sample.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// How many operations it had.
    pub operations: u64,
    /// What they took.
    pub time: Duration,
    /// What they allocated.
    pub allocated: Counts,
}

impl Reading {
    /// Time of one operation.
    pub fn nanos_per_operation(&self) -> f64 {
        self.time.as_nanos() as f64 / self.operations as f64
    }
}

/// What is to be compared.
#[derive(Debug)]
pub struct Contest {
    /// What is done.
    pub title: String,
    /// Ours first, the old behaviour second.
    pub entrants: Vec<Entrant>,
    /// What is wanted of the outcome.
    pub checks: Vec<Check>,
}

/// A target that an outcome speaks about.
pub type Check = fn(&Outcome) -> Target;

impl Contest {
    /// Takes a sample of everybody in every round, there and back in turn.
    pub fn run(&mut self, rounds: usize, length: Duration) -> Outcome {
        let operations: Vec<u64> =
            self.entrants.iter_mut().map(|entrant| entrant.operations_in(length)).collect();
        let readings = in_rounds(self.entrants.len(), rounds, |index, _| {
            self.entrants[index].sample(operations[index])
        });
        let rows = self.entrants.iter().zip(readings);
        let rows = rows.map(|(entrant, readings)| Row { name: entrant.name, readings }).collect();
        Outcome { title: self.title.clone(), rows }
    }
}

/// All samples of an entrant, by round.
#[derive(Debug)]
pub struct Row {
    /// Who.
    pub name: &'static str,
    /// One a round.
    pub readings: Vec<Reading>,
}

impl Row {
    fn nanos(&self) -> impl Iterator<Item = f64> {
        self.readings.iter().map(Reading::nanos_per_operation)
    }

    /// What was allocated in all samples together.
    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        for reading in &self.readings {
            total += reading.allocated;
        }
        total
    }

    fn per_operation(&self, count: u64) -> f64 {
        let operations: u64 = self.readings.iter().map(|reading| reading.operations).sum();
        count as f64 / operations as f64
    }

    /// Allocations of one operation.
    pub fn allocations_per_operation(&self) -> f64 {
        self.per_operation(self.total().allocations)
    }
}

/// What came of a contest.
#[derive(Debug)]
pub struct Outcome {
    /// What was done.
    pub title: String,
    /// Ours first.
    pub rows: Vec<Row>,
}

impl Outcome {
    /// Our time as a part of the time of `row`, paired by round.
    ///
    /// # Panics
    /// Without samples.
    pub fn ratio(&self, row: &Row) -> Spread {
        let ratios = self.rows[0].nanos().zip(row.nanos()).map(|(ours, theirs)| ours / theirs);
        Spread::of(ratios).expect("a contest has rounds")
    }

    /// A target of this contest.
    pub fn target(&self, wanted: &str, measured: String, met: bool) -> Target {
        Target { subject: self.title.clone(), wanted: wanted.to_owned(), measured, met }
    }

    /// That our entrant allocates nothing at all.
    pub fn allocates_nothing(&self) -> Target {
        let ours = self.rows[0].total();
        let measured = format!("{} allocations, {} bytes", ours.allocations, ours.bytes_allocated);
        self.target("0 and 0", measured, ours.allocations == 0 && ours.bytes_allocated == 0)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = table(["", "ns/op", "ours / this", "allocs/op", "B/op"]);
        for row in &self.rows {
            let total = row.total();
            let nanos = Spread::of(row.nanos()).map_or_else(String::new, |nanos| nanos.to_string());
            let Spread { median, low, high } = self.ratio(row);
            table.add_row([
                row.name.to_owned(),
                nanos,
                format!("{median:.4} [{low:.4}-{high:.4}]"),
                format!("{:.3}", row.per_operation(total.allocations)),
                format!("{:.1}", row.per_operation(total.bytes_allocated)),
            ]);
        }
        write!(f, "{}\n{table}", self.title)
    }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use super::{Contest, Entrant};

    #[test]
    fn samples_do_what_they_count() {
        use alloc::rc::Rc;
        use core::cell::Cell;

        let done = Rc::new(Cell::new(0));
        let counter = Rc::clone(&done);
        let entrant = Entrant::new("count", move |operations| {
            counter.set(counter.get() + operations);
            std::thread::sleep(Duration::from_micros(100));
        });
        let mut contest =
            Contest { title: String::new(), entrants: vec![entrant], checks: Vec::new() };
        let outcome = contest.run(2, Duration::from_micros(500));
        let [first, second] = outcome.rows[0].readings[..] else { panic!("two rounds") };
        assert_eq!(first.operations, second.operations);
        assert!(done.get() >= first.operations + second.operations);
        assert_eq!(outcome.ratio(&outcome.rows[0]).median.to_bits(), 1.0_f64.to_bits());
    }
}
