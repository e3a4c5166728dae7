//! S3: buffers of byte segments.

use alloc::collections::VecDeque;
use core::hint::black_box;
use std::io::Read;

use bytes::{Buf, Bytes};
use segring::seq::SlidingBuffer;

use super::contest::{Contest, Entrant, Outcome};
use super::old::ShiftedBuffer;
use crate::report::Target;

/// What every buffer here can do.
pub trait Stream: Default {
    /// Its name in the tables.
    const NAME: &'static str;

    /// Appends a segment.
    fn append(&mut self, segment: Bytes);
    /// Takes as many bytes as there are, up to the length of `target`.
    fn read(&mut self, target: &mut [u8]) -> usize;
}

impl Stream for SlidingBuffer {
    const NAME: &'static str = "SlidingBuffer";

    fn append(&mut self, segment: Bytes) {
        self.append(segment).unwrap_or_else(|error| panic!("{error}"));
    }

    fn read(&mut self, target: &mut [u8]) -> usize {
        Read::read(self, target).unwrap_or(0)
    }
}

impl Stream for ShiftedBuffer {
    const NAME: &'static str = "old: an array that shifts";

    fn append(&mut self, segment: Bytes) {
        self.append(segment);
    }

    fn read(&mut self, target: &mut [u8]) -> usize {
        self.read(target)
    }
}

impl Stream for VecDeque<Bytes> {
    const NAME: &'static str = "VecDeque<Bytes>";

    fn append(&mut self, segment: Bytes) {
        self.push_back(segment);
    }

    fn read(&mut self, target: &mut [u8]) -> usize {
        let mut read = 0;
        while read < target.len()
            && let Some(front) = self.front_mut()
        {
            let count = front.len().min(target.len() - read);
            front.copy_to_slice(&mut target[read..read + count]);
            read += count;
            if front.is_empty() {
                self.pop_front();
            }
        }
        read
    }
}

/// Small writes that are read at once, and large transfers through a window.
pub fn contests() -> Vec<Contest> {
    vec![
        Contest {
            title: "send_recv, 64 bytes in and out at a time".to_owned(),
            entrants: vec![
                send_recv::<SlidingBuffer>(),
                send_recv::<ShiftedBuffer>(),
                send_recv::<VecDeque<Bytes>>(),
            ],
            checks: vec![Outcome::allocates_nothing],
        },
        Contest {
            title: "send_recv_large, 64 MiB a transfer, segments of 4 KiB, read as they come"
                .to_owned(),
            entrants: vec![
                send_recv_large::<SlidingBuffer>(),
                send_recv_large::<ShiftedBuffer>(),
                send_recv_large::<VecDeque<Bytes>>(),
            ],
            checks: vec![saves_allocations],
        },
    ]
}

fn send_recv<S: Stream + 'static>() -> Entrant {
    let segment = Bytes::from(vec![7; 64]);
    let mut stream = S::default();
    let mut target = [0; 64];
    // The first growth is outside.
    for _ in 0..100 {
        stream.append(segment.clone());
        stream.read(&mut target);
    }
    Entrant::new(S::NAME, move |operations| {
        for _ in 0..operations {
            stream.append(black_box(segment.clone()));
            black_box(stream.read(black_box(&mut target)));
        }
    })
}

/// A new buffer a transfer. The sender runs up to eight segments ahead, now more, now less; the
/// reader's pieces do not end where segments do.
fn send_recv_large<S: Stream + 'static>() -> Entrant {
    const SEGMENT: usize = 4096;
    const TRANSFER: usize = 64 << 20;

    let segment = Bytes::from(vec![7; SEGMENT]);
    let mut target = vec![0; 3 * SEGMENT / 2];
    Entrant::new(S::NAME, move |operations| {
        for _ in 0..operations {
            let mut stream = S::default();
            let (mut sent, mut received) = (0, 0);
            while received < TRANSFER {
                let ahead = 1 + (sent / SEGMENT) % 8;
                while sent < TRANSFER && sent - received < ahead * SEGMENT {
                    stream.append(segment.clone());
                    sent += SEGMENT;
                }
                received += stream.read(black_box(&mut target));
            }
        }
    })
}

/// That at least 99 % of the allocations are gone.
fn saves_allocations(outcome: &Outcome) -> Target {
    let [ours, old] = [0, 1].map(|row| outcome.rows[row].allocations_per_operation());
    let saved = 100.0 * (1.0 - ours / old);
    outcome.target(
        "at least 99 % fewer allocations than the old behaviour",
        format!("{ours:.1} instead of {old:.1} a transfer, {saved:.2} % fewer"),
        saved >= 99.0,
    )
}
