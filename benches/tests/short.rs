//! A short soak of the queue itself.

use core::time::Duration;
use std::time::Instant;

use segring_benches::clock::Clock;
use segring_benches::progress::Progress;
use segring_benches::soak::Soak;

#[test]
fn a_short_soak_finds_nothing() {
    let progress = Progress::hidden();
    let mut soak = Soak::new(0x5e61, Clock::new(), &progress);
    let time = Duration::from_millis(1_500);
    soak.contend(Instant::now() + 2 * time, 0);
    soak.circulate(Instant::now() + time);
    soak.close_under_way(Instant::now() + time);
    soak.count_drops(Instant::now() + time);

    assert!(soak.findings().is_empty(), "{}", soak.findings()[0]);
    assert!(soak.done().checked > 100_000, "hardly anything was checked: {:?}", soak.done());
    let rings = soak.rings();
    assert!(rings.grows > 0 && rings.shrinks > 0, "nothing happened to the rings: {rings}");
}
