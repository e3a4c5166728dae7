//! `SlidingBuffer`: the bytes that come out, the index behind them, and its limits.
#![cfg(feature = "bytes")]
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, reason = "tests have std")]

#[path = "seq_support/watch.rs"]
mod watch;

use std::collections::VecDeque;
use std::io::{BufRead, ErrorKind, IoSlice, Read, Write};

use bytes::{Buf, Bytes};
use proptest::collection::vec;
use proptest::prelude::*;
use segring::HysteresisError;
use segring::seq::{CapacityError, SlidingBuffer};
use watch::{BYTES, allocations, without_memory};

const BYTE: Bytes = Bytes::from_static(b"x");

/// A buffer with `count` segments of one byte.
fn filled(count: usize) -> SlidingBuffer {
    let mut buffer = SlidingBuffer::default();
    for _ in 0..count {
        buffer.append(BYTE).unwrap();
    }
    buffer
}

#[derive(Clone, Debug)]
enum Op {
    Append(usize),
    Write(usize),
    Read(usize),
    ReadExact(usize),
    Advance(usize),
    CopyToBytes(usize),
    Pop,
    GrowTo(usize),
    Reserve(usize),
    Clear,
    Clone,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        6 => (0_usize..30).prop_map(Op::Append),
        3 => (0_usize..30).prop_map(Op::Write),
        4 => (0_usize..60).prop_map(Op::Read),
        1 => (0_usize..60).prop_map(Op::ReadExact),
        2 => (0_usize..60).prop_map(Op::Advance),
        2 => (0_usize..60).prop_map(Op::CopyToBytes),
        2 => Just(Op::Pop),
        1 => (0_usize..600).prop_map(Op::GrowTo),
        1 => (0_usize..400).prop_map(Op::Reserve),
        1 => Just(Op::Clear),
        1 => Just(Op::Clone),
    ];
    vec(op, 0..200)
}

proptest! {
    #[test]
    fn behaves_as_a_queue_of_bytes(ops in ops()) {
        let mut buffer = SlidingBuffer::new(300).with_slots(2, 4).unwrap();
        let mut model = VecDeque::<u8>::new();
        let mut next = 0_u8;
        let mut bytes = |count: usize| -> Vec<u8> {
            std::iter::repeat_with(|| { next = next.wrapping_add(1); next }).take(count).collect()
        };
        for op in ops {
            let free = buffer.capacity() - model.len();
            match op {
                Op::Append(count) => {
                    let segment = Bytes::from(bytes(count));
                    match buffer.append(segment.clone()) {
                        Ok(()) => {
                            prop_assert!(count <= free);
                            model.extend(segment);
                        }
                        Err(error) => {
                            prop_assert!(count > free);
                            prop_assert_eq!(error.into_inner(), segment);
                        }
                    }
                }
                Op::Write(count) => {
                    let source = bytes(count);
                    let written = buffer.write(&source).unwrap();
                    prop_assert_eq!(written, count.min(free));
                    model.extend(&source[..written]);
                }
                Op::Read(count) => {
                    let mut target = vec![0; count];
                    let read = buffer.read(&mut target).unwrap();
                    prop_assert_eq!(read, count.min(model.len()));
                    prop_assert!(model.drain(..read).eq(target[..read].iter().copied()));
                }
                Op::ReadExact(count) if count <= model.len() => {
                    let mut target = vec![0; count];
                    buffer.read_exact(&mut target).unwrap();
                    prop_assert!(model.drain(..count).eq(target));
                }
                Op::Advance(count) if count <= model.len() => {
                    buffer.advance(count);
                    model.drain(..count);
                }
                Op::CopyToBytes(count) if count <= model.len() => {
                    prop_assert!(model.drain(..count).eq(buffer.copy_to_bytes(count)));
                }
                Op::ReadExact(_) | Op::Advance(_) | Op::CopyToBytes(_) => {}
                Op::Pop => match buffer.pop_segment() {
                    Some(segment) => prop_assert!(model.drain(..segment.len()).eq(segment)),
                    None => prop_assert!(model.is_empty()),
                },
                Op::GrowTo(capacity) => {
                    let before = buffer.capacity();
                    let added = buffer.grow_to(capacity);
                    prop_assert_eq!(buffer.capacity(), before.max(capacity));
                    prop_assert_eq!(added, buffer.capacity() - before);
                }
                Op::Reserve(count) => prop_assert_eq!(buffer.reserve(count).is_ok(), count <= free),
                Op::Clear => {
                    buffer.clear();
                    model.clear();
                }
                Op::Clone => buffer = buffer.clone(),
            }
            prop_assert_eq!((buffer.len(), buffer.remaining()), (model.len(), model.len()));
            prop_assert_eq!(buffer.is_empty(), model.is_empty());
            prop_assert_eq!(buffer.available(), buffer.capacity() - model.len());
            prop_assert!(buffer.segments().iter().all(|segment| !segment.is_empty()));
            prop_assert!(buffer.segments().iter().flatten().eq(&model));
            prop_assert_eq!(buffer.chunk().is_empty(), model.is_empty());
            prop_assert!(buffer.segments().len() <= buffer.slots());
            prop_assert!(!model.is_empty() || buffer.slots() <= 4);
        }
    }

    /// However appends and reads follow each other, what the slides move is paid for.
    #[test]
    fn the_index_follows_the_rule(runs in vec((any::<bool>(), 1_usize..100), 0..60)) {
        let mut buffer = SlidingBuffer::default().with_slots(4, usize::MAX).unwrap();
        let (mut front, mut end, mut slots) = (0, 0, 0);
        let (mut moved, mut appended) = (0, 0);
        for (append, count) in runs {
            for _ in 0..count {
                if append {
                    if end == slots {
                        if front < slots / 4 || front == 0 {
                            slots = (2 * slots).max(4);
                        }
                        moved += end - front;
                        (front, end) = (0, end - front);
                    }
                    end += 1;
                    appended += 1;
                    buffer.append(BYTE).unwrap();
                } else if buffer.pop_segment().is_some() {
                    front += 1;
                    if front == end {
                        (front, end) = (0, 0);
                    }
                }
                prop_assert_eq!((buffer.segments().len(), buffer.slots()), (end - front, slots));
            }
        }
        prop_assert!(moved <= 3 * appended);
    }
}

#[test]
fn slides_at_a_quarter_and_not_before() {
    let mut buffer = filled(16);
    assert_eq!(buffer.slots(), 16);
    buffer.advance(4);
    // Four of sixteen are free at the front: the twelve slide, and nothing is allocated.
    assert_eq!(allocations(|| (0..4).for_each(|_| buffer.append(BYTE).unwrap())), 0);
    assert_eq!((buffer.slots(), buffer.segments().len()), (16, 16));
    buffer.advance(3);
    // Three are too few.
    assert_eq!(allocations(|| buffer.append(BYTE).unwrap()), 1);
    assert_eq!((buffer.slots(), buffer.segments().len()), (32, 14));
}

#[test]
fn reads_that_keep_up_leave_the_allocator_alone() {
    for backlog in [0, 1, 5, 11, 12, 13, 100, 1000] {
        let mut buffer = filled(backlog);
        let segment = Bytes::from(vec![7; 100]);
        let mut target = [0; 100];
        let cycle = |buffer: &mut SlidingBuffer, target: &mut [u8]| {
            buffer.append(segment.clone()).unwrap();
            buffer.read_exact(target).unwrap();
        };
        // The index may still grow once to have a quarter to spare.
        (0..backlog + 16).for_each(|_| cycle(&mut buffer, &mut target));
        let steady = allocations(|| (0..10_000).for_each(|_| cycle(&mut buffer, &mut target)));
        assert_eq!(steady, 0, "backlog {backlog}");
    }
}

#[test]
fn small_writes_that_are_read_use_their_memory_again() {
    let mut buffer = SlidingBuffer::new(1 << 20);
    let mut target = [0; 100];
    let mut cycle = || {
        buffer.write_all(&[7; 100]).unwrap();
        buffer.read_exact(&mut target).unwrap();
    };
    (0..100).for_each(|_| cycle());
    assert_eq!(allocations(|| (0..10_000).for_each(|_| cycle())), 0);
}

#[test]
fn an_empty_buffer_gives_a_large_index_back() {
    let start = BYTES.get();
    let mut buffer = SlidingBuffer::default().with_slots(8, 64).unwrap();
    for (count, kept) in [(64, 64), (65, 8), (1000, 8), (8, 8)] {
        for _ in 0..count {
            buffer.append(BYTE).unwrap();
        }
        buffer.advance(count - 1);
        assert_eq!(buffer.slots(), count.next_power_of_two());
        buffer.advance(1);
        assert_eq!(buffer.slots(), kept);
        let index = kept * size_of::<Bytes>();
        assert_eq!((BYTES.get() - start).unsigned_abs(), index);
    }
    // Without memory for a small one it keeps the large one, and works.
    (0..100).for_each(|_| buffer.append(BYTE).unwrap());
    without_memory(|| buffer.clear());
    assert_eq!(buffer.slots(), 128);
    assert!(buffer.append(BYTE).is_ok());
}

#[test]
fn an_index_that_cannot_grow_keeps_everything() {
    let mut buffer = filled(16);
    let segment = Bytes::from_static(b"the segment");
    let error = without_memory(|| buffer.append(segment)).unwrap_err();
    assert!(matches!(error.reason(), CapacityError::NoMemory { bytes: 1.. }));
    assert_eq!(error.into_inner(), "the segment");
    assert!(without_memory(|| buffer.reserve(1)).is_err());
    let error = without_memory(|| buffer.write(b"y").map_err(|error| error.kind()));
    assert_eq!(error, Err(ErrorKind::OutOfMemory));
    assert_eq!((buffer.len(), buffer.segments().len(), buffer.slots()), (16, 16, 16));
    // One free place at the front is too few for a slide, unless there is nothing else.
    buffer.advance(1);
    assert!(without_memory(|| buffer.append(BYTE)).is_ok());
    assert_eq!((buffer.len(), buffer.slots()), (16, 16));
}

#[test]
fn a_partly_read_segment_remembers_how_far() {
    let mut buffer = SlidingBuffer::default();
    for segment in ["abcdef", "gh", "ijk"] {
        buffer.append(Bytes::from(segment)).unwrap();
    }
    let mut target = [0; 4];
    buffer.read_exact(&mut target).unwrap();
    assert_eq!(&target, b"abcd");
    assert_eq!(buffer.fill_buf().unwrap(), b"ef");
    buffer.consume(1);
    let mut rest = String::new();
    buffer.read_to_string(&mut rest).unwrap();
    assert_eq!((rest.as_str(), buffer.len()), ("fghijk", 0));
}

#[test]
fn reads_of_nothing_and_from_nothing() {
    let mut buffer = SlidingBuffer::new(10);
    assert_eq!(buffer.read(&mut []).unwrap(), 0);
    assert_eq!(buffer.read(&mut [0; 4]).unwrap(), 0);
    assert_eq!(buffer.read_exact(&mut [0]).unwrap_err().kind(), ErrorKind::UnexpectedEof);
    assert!(buffer.chunk().is_empty() && buffer.segments().is_empty());
    assert!(buffer.fill_buf().unwrap().is_empty());
    buffer.advance(0);
    assert!(buffer.copy_to_bytes(0).is_empty());
    buffer.append(Bytes::from_static(b"abc")).unwrap();
    assert_eq!(buffer.read(&mut []).unwrap(), 0);
    buffer.advance(0);
    assert!(buffer.copy_to_bytes(0).is_empty());
    assert_eq!(buffer.len(), 3);
}

#[test]
fn empty_segments_take_no_place() {
    let mut buffer = SlidingBuffer::new(0);
    assert_eq!(allocations(|| (0..100).for_each(|_| buffer.append(Bytes::new()).unwrap())), 0);
    assert_eq!((buffer.len(), buffer.segments().len(), buffer.slots()), (0, 0, 0));
    assert_eq!(buffer.pop_segment(), None);
    assert_eq!(buffer.write(b"").unwrap(), 0);
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut buffer = SlidingBuffer::new(5);
    buffer.append(Bytes::from_static(b"abc")).unwrap();
    let error = buffer.append(Bytes::from_static(b"def")).unwrap_err();
    assert_eq!(error.reason(), CapacityError::Limit { limit: 5 });
    assert_eq!(error.into_inner(), "def");
    assert_eq!(buffer.reserve(3), Err(CapacityError::Limit { limit: 5 }));
    assert_eq!(buffer.reserve(usize::MAX), Err(CapacityError::Limit { limit: 5 }));
    // Writing takes what fits.
    assert_eq!(buffer.write(b"def").unwrap(), 2);
    assert_eq!(buffer.write_all(b"f").unwrap_err().kind(), ErrorKind::WriteZero);
    assert_eq!(buffer.segments(), ["abc", "de"]);
    assert_eq!(buffer.grow_to(8), 3);
    buffer.append(Bytes::from_static(b"fgh")).unwrap();
    assert_eq!(buffer.copy_to_bytes(8), "abcdefgh");
}

#[test]
fn reserve_makes_the_next_append_free() {
    let mut buffer = filled(16);
    assert!(buffer.reserve(1).is_ok());
    assert_eq!(without_memory(|| allocations(|| buffer.append(BYTE).unwrap())), 0);
    assert_eq!(buffer.len(), 17);
}

#[test]
fn limits_of_the_index_are_checked() {
    let new = |default, idle| SlidingBuffer::new(1).with_slots(default, idle).map(|_| ());
    assert_eq!(new(0, 8), Err(HysteresisError::Zero));
    assert_eq!(new(3, 8), Err(HysteresisError::NotPowerOfTwo { slots: 3 }));
    assert_eq!(new(8, 7), Err(HysteresisError::MinAboveMax { min: 8, max: 7 }));
    assert!(matches!(new(1 << 31, 1 << 31), Err(HysteresisError::TooManySlots { .. })));
    assert_eq!(new(1, 1), Ok(()));
}

#[test]
fn taking_more_than_there_is_panics_and_changes_nothing() {
    let mut buffer = filled(3);
    let acts: [fn(&mut SlidingBuffer); 3] = [
        |buffer| buffer.advance(4),
        |buffer| buffer.consume(4),
        |buffer| drop(buffer.copy_to_bytes(4)),
    ];
    for act in acts {
        let act = std::panic::AssertUnwindSafe(|| act(&mut buffer));
        assert!(std::panic::catch_unwind(act).is_err());
        assert_eq!((buffer.len(), buffer.segments().len()), (3, 3));
    }
}

#[test]
fn whole_segments_pass_without_a_copy() {
    let segment = Bytes::from(vec![1; 100]);
    let mut buffer = SlidingBuffer::default();
    buffer.append(segment.clone()).unwrap();
    buffer.append(segment.clone()).unwrap();
    assert_eq!(buffer.pop_segment().unwrap().as_ptr(), segment.as_ptr());
    assert_eq!(buffer.copy_to_bytes(10).as_ptr(), segment.as_ptr());
    assert_eq!(buffer.copy_to_bytes(90).as_ptr(), segment[10..].as_ptr());
    assert!(buffer.is_empty());
}

#[test]
fn segments_are_let_go_when_read_up() {
    let segment = Bytes::from(vec![1; 100]);
    let mut buffer = filled(1);
    buffer.append(segment.clone()).unwrap();
    buffer.append(BYTE).unwrap();
    buffer.advance(100);
    assert!(!segment.is_unique());
    buffer.advance(1);
    assert!(segment.is_unique());
}

#[test]
fn chunks_come_side_by_side() {
    let mut buffer = SlidingBuffer::default();
    for segment in ["ab", "c", "def"] {
        buffer.append(Bytes::from(segment)).unwrap();
    }
    buffer.advance(1);
    let mut slices = [IoSlice::new(&[]); 2];
    assert_eq!(buffer.chunks_vectored(&mut slices), 2);
    assert_eq!((&*slices[0], &*slices[1]), (&b"b"[..], &b"c"[..]));
    let mut slices = [IoSlice::new(&[]); 9];
    assert_eq!(buffer.chunks_vectored(&mut slices), 3);
    assert_eq!(&*slices[2], b"def");
}

#[test]
fn a_copy_has_the_room_of_the_original() {
    let mut buffer = SlidingBuffer::new(1 << 10);
    for _ in 0..3 {
        buffer.append(Bytes::from_static(b"abc")).unwrap();
    }
    let mut copy = buffer.clone();
    let allocated = allocations(|| copy.append(Bytes::from_static(b"d")).unwrap());
    assert_eq!(allocated, 0);
    assert_eq!((buffer.len(), copy.len()), (9, 10));
    let mut all = Vec::new();
    copy.read_to_end(&mut all).unwrap();
    assert_eq!(all, b"abcabcabcd");
}
