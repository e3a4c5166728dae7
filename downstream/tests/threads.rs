//! The same code on real threads.
#![cfg(not(segring_loom))]

use inbox::Inbox;
use segring::Queue;

#[test]
fn every_letter_is_read() {
    let inbox = Inbox::new(Queue::new());
    let letters = std::thread::scope(|s| {
        let reader = s.spawn(|| {
            let mut letters = Vec::new();
            inbox.serve(|letter| letters.push(letter));
            letters
        });
        (0..10_000).for_each(|letter| inbox.post(letter));
        inbox.finish();
        reader.join().unwrap()
    });
    assert!(letters.into_iter().eq(0..10_000));
}
