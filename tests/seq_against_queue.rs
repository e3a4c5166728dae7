//! The lock-free queue and `HysteresisRing` come to the same capacities under the same policy.
//!
//! Only where a load has lasted: the queue looks four times a lap and counts depth ring by ring, so
//! on the way it may resize a little later or in other steps, and when it finds that it shrank too
//! early it learns to wait longer, which the ring does not. Each load here stays for more laps than
//! any of that takes.

use proptest::collection::vec;
use proptest::prelude::*;
use segring::seq::HysteresisRing;
use segring::{Hysteresis, Queue};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_load_that_lasts_meets_the_same_capacity(loads in vec((0_usize..200, 0_u32..7), 1..12)) {
        let policy = Hysteresis::new().with_slots(4, 1024).unwrap();
        let queue = Queue::with(policy);
        let mut ring = HysteresisRing::with(policy);
        for (depth, shift) in loads {
            let depth = depth >> shift;
            while ring.len() < depth {
                queue.push(ring.len());
                ring.push(ring.len());
            }
            while ring.len() > depth {
                prop_assert_eq!(queue.pop(), ring.pop());
            }
            for n in 0..8 * 256 {
                queue.push(n);
                ring.push(n);
                prop_assert_eq!(queue.pop(), ring.pop());
            }
            prop_assert_eq!(queue.len(), ring.len());
            prop_assert_eq!(queue.segment_capacity(), ring.capacity(), "depth {}", depth);
        }
    }
}
