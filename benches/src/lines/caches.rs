//! Where the cache lines are.

use std::collections::HashMap;

/// Bytes of a cache line.
const LINE: usize = 64;

/// What things take, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    /// An access to a line that this core has.
    pub hit: f64,
    /// A line's way from another core.
    pub transfer: f64,
    /// What an atomic read-modify-write takes more.
    pub read_modify_write: f64,
}

/// Which cores have a line, and from when on it can go elsewhere.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    /// A bit for each core.
    holders: u128,
    free_at: f64,
}

/// The caches of up to 128 cores: infinite, coherent, all equally far from each other.
#[derive(Debug)]
pub struct Caches {
    costs: Costs,
    lines: HashMap<usize, Line>,
}

impl Caches {
    /// Empty caches.
    pub fn new(costs: Costs) -> Self {
        Self { costs, lines: HashMap::new() }
    }

    /// A core reads or writes at a time; returns when it has done so, and whether a line had to come.
    ///
    /// One core at a time has a line to write to; a line on its way is on its way for everybody.
    pub fn access(&mut self, core: usize, address: usize, writes: bool, now: f64) -> (f64, bool) {
        let line = self.lines.entry(address / LINE).or_default();
        let me = 1_u128 << core;
        let is_here = line.holders & me != 0 && (!writes || line.holders == me);
        // Nobody had a new line: it comes from memory that nobody waits for.
        let is_new = line.holders == 0;
        let done = if is_here || is_new {
            now + self.costs.hit
        } else {
            let done = now.max(line.free_at) + self.costs.transfer;
            line.free_at = done;
            done
        };
        line.holders = if writes { me } else { line.holders | me };
        (done, !(is_here || is_new))
    }
}

#[cfg(test)]
mod tests {
    use super::{Caches, Costs};

    const COSTS: Costs = Costs { hit: 1.0, transfer: 50.0, read_modify_write: 5.0 };

    #[test]
    fn a_line_goes_where_it_is_written() {
        let mut caches = Caches::new(COSTS);
        assert_eq!(caches.access(0, 0, true, 0.0), (1.0, false), "new");
        assert_eq!(caches.access(0, 8, true, 1.0), (2.0, false), "the same line, at home");
        assert_eq!(caches.access(1, 16, false, 10.0), (60.0, true), "shared from here on");
        assert_eq!(caches.access(0, 0, false, 60.0), (61.0, false), "to read it is still at home");
        assert_eq!(caches.access(0, 0, true, 61.0), (111.0, true), "the other copy has to go");
        assert_eq!(caches.access(1, 64, true, 70.0), (71.0, false), "another line");
    }

    #[test]
    fn a_line_is_in_one_place_at_a_time() {
        let mut caches = Caches::new(COSTS);
        caches.access(0, 0, true, 0.0);
        assert_eq!(caches.access(1, 0, true, 10.0), (60.0, true));
        assert_eq!(caches.access(2, 0, true, 10.0), (110.0, true), "behind the other");
    }
}
