//! The sliding segment buffer: segments of bytes in, any number of bytes out.
#![forbid(unsafe_code)]

use alloc::vec::Vec;
use core::mem;
use std::io::{self, BufRead, IoSlice, Read, Write};

use bytes::{Buf, Bytes, BytesMut};

use super::error::{CapacityError, TryPushError};
use crate::error::HysteresisError;
use crate::hysteresis::{Dwell, Hysteresis, LowWater, Policy, quarter};

/// A first-in-first-out buffer of byte segments, as the receiving side of a stream multiplexer
/// needs it: whole segments come in without a copy, any number of bytes go out.
///
/// The segments that are not read up lie side by side in one array, the *index*:
///
/// ```text
///   | read up | read up | front segment | segment | segment | free | free |
///   0                   ^ front                             ^ end         ^ slots
/// ```
///
/// A segment that is read up leaves a free place at the front. When the end of the array is
/// reached and at least a quarter of it is free at the front, the segments *slide* down to its
/// start; otherwise the array doubles. Without the slide a reader that keeps up would still make
/// the array grow or be allocated anew all the time. Without the quarter, a nearly full array with
/// one free place would move everything for every segment; so each segment pays for at most three
/// moves.
///
/// | | cost |
/// |---|---|
/// | `append` | O(1) amortised; no allocation while reads keep up |
/// | `read`, `advance` | the bytes copied, and the segments read up |
/// | `write` | a copy; no allocation while reads keep up and writes are small |
/// | memory | the segments, and 32 bytes (64-bit) a slot of the index |
///
/// Its capacity counts *bytes* that have not been read. What does not fit is refused and given
/// back. Empty segments are accepted and forgotten.
///
/// ```
/// use std::io::Read;
/// use bytes::Bytes;
/// use segring::seq::SlidingBuffer;
///
/// let mut buffer = SlidingBuffer::new(16);
/// buffer.append(Bytes::from_static(b"hello, "))?;
/// buffer.append(Bytes::from_static(b"world"))?;
/// let mut start = [0; 9];
/// buffer.read_exact(&mut start)?;
/// assert_eq!(&start, b"hello, wo");
/// assert_eq!(buffer.len(), 3);
/// assert!(buffer.append(Bytes::from_static(b"fourteen bytes")).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SlidingBuffer {
    /// Invariant: those before `front` are empty, those from `front` on are not.
    segments: Vec<Bytes>,
    front: usize,
    /// The size of the index; 0 before the first segment. Invariant: `segments` has a buffer of at
    /// least as many.
    slots: usize,
    /// An empty buffer keeps an index of up to so many slots.
    idle_slots: usize,
    policy: Policy,
    /// Bytes from `front` on. Invariant: at most `capacity`.
    len: usize,
    capacity: usize,
    /// Where `write` puts its bytes.
    scratch: BytesMut,
}

impl Clone for SlidingBuffer {
    /// The same segments (their bytes are shared, not copied), with an index of the same size.
    fn clone(&self) -> Self {
        let mut segments = Vec::with_capacity(self.slots.max(self.segments.len()));
        segments.extend(self.segments.iter().cloned());
        Self { segments, scratch: BytesMut::new(), ..*self }
    }
}

impl SlidingBuffer {
    /// `write` takes memory in pieces of this size, or of the write's if that is larger.
    const SCRATCH_BYTES: usize = 4096;
    const DEFAULT_SLOTS: usize = 16;
    const DEFAULT_IDLE_SLOTS: usize = 1024;

    /// An empty buffer for up to `capacity` bytes. Allocates nothing.
    ///
    /// ```
    /// # use segring::seq::SlidingBuffer;
    /// assert_eq!(SlidingBuffer::new(100).available(), 100);
    /// ```
    pub fn new(capacity: usize) -> Self {
        let default = Hysteresis::new().with_slots(Self::DEFAULT_SLOTS, Hysteresis::MAX_SLOTS);
        Self {
            segments: Vec::new(),
            front: 0,
            slots: 0,
            idle_slots: Self::DEFAULT_IDLE_SLOTS,
            policy: Self::index_policy(default.unwrap_or_default()),
            len: 0,
            capacity,
            scratch: BytesMut::new(),
        }
    }

    /// Sets the size of a new index and the largest an empty buffer keeps, both in slots; by
    /// default 16 and 1024. When the buffer becomes empty and its index is larger than `idle`, it
    /// returns to the size of a new one. `usize::MAX` means that it never does.
    ///
    /// # Errors
    /// When `default` is zero, is no power of two, or is above [`Hysteresis::MAX_SLOTS`], or when
    /// `idle` is below `default`.
    ///
    /// ```
    /// # use segring::seq::SlidingBuffer;
    /// assert!(SlidingBuffer::new(100).with_slots(8, 64).is_ok());
    /// assert!(SlidingBuffer::new(100).with_slots(8, 4).is_err());
    /// ```
    pub fn with_slots(mut self, default: usize, idle: usize) -> Result<Self, HysteresisError> {
        if idle < default {
            return Err(HysteresisError::MinAboveMax { min: default, max: idle });
        }
        let slots = Hysteresis::new().with_slots(default, default.max(Hysteresis::MAX_SLOTS))?;
        self.policy = Self::index_policy(slots);
        self.idle_slots = idle;
        Ok(self)
    }

    /// No limit in bytes and no patience: an empty buffer cannot be less than it is.
    fn index_policy(slots: Hysteresis) -> Policy {
        let bytes = slots.with_bytes(0, isize::MAX as usize);
        bytes.unwrap_or(slots).with_patience(0).for_slot_bytes(size_of::<Bytes>())
    }

    /// Appends a segment, without a copy, or gives it back and leaves everything as it was. An
    /// empty one is always accepted and takes no place.
    ///
    /// # Errors
    /// When it has more bytes than are [`available`](Self::available), or the allocator has no
    /// memory for a larger index.
    ///
    /// ```
    /// # use bytes::Bytes;
    /// # use segring::seq::SlidingBuffer;
    /// let mut buffer = SlidingBuffer::new(3);
    /// assert!(buffer.append(Bytes::from_static(b"abc")).is_ok());
    /// let error = buffer.append(Bytes::from_static(b"d")).unwrap_err();
    /// assert_eq!(error.into_inner(), "d");
    /// ```
    pub fn append(&mut self, segment: Bytes) -> Result<(), TryPushError<Bytes>> {
        if segment.is_empty() {
            return Ok(());
        }
        if let Err(reason) = self.reserve(segment.len()) {
            return Err(TryPushError::new(segment, reason));
        }
        self.append_reserved(segment);
        Ok(())
    }

    /// Makes sure that the next segment fits if it has up to `bytes` bytes: its
    /// [`append`](Self::append) will neither fail nor allocate.
    ///
    /// # Errors
    /// When fewer bytes are [`available`](Self::available), or the allocator has no memory for a
    /// larger index. Nothing has changed then.
    ///
    /// ```
    /// # use segring::seq::{CapacityError, SlidingBuffer};
    /// let mut buffer = SlidingBuffer::new(100);
    /// assert!(buffer.reserve(100).is_ok());
    /// assert_eq!(buffer.reserve(101), Err(CapacityError::Limit { limit: 100 }));
    /// ```
    pub fn reserve(&mut self, bytes: usize) -> Result<(), CapacityError> {
        if bytes > self.available() {
            return Err(CapacityError::Limit { limit: self.capacity });
        }
        if self.segments.len() == self.slots { self.make_slot() } else { Ok(()) }
    }

    /// Raises the capacity to `bytes` and returns by how much; a lower value changes nothing.
    ///
    /// ```
    /// # use segring::seq::SlidingBuffer;
    /// let mut buffer = SlidingBuffer::new(100);
    /// assert_eq!(buffer.grow_to(150), 50);
    /// assert_eq!(buffer.grow_to(120), 0);
    /// assert_eq!(buffer.capacity(), 150);
    /// ```
    pub fn grow_to(&mut self, bytes: usize) -> usize {
        let added = bytes.saturating_sub(self.capacity);
        self.capacity += added;
        added
    }

    /// Removes the front segment, or what is left of it, without a copy.
    ///
    /// ```
    /// # use bytes::{Buf, Bytes};
    /// # use segring::seq::SlidingBuffer;
    /// let mut buffer = SlidingBuffer::new(100);
    /// buffer.append(Bytes::from_static(b"abc"))?;
    /// buffer.advance(1);
    /// assert_eq!(buffer.pop_segment().unwrap(), "bc");
    /// assert_eq!(buffer.pop_segment(), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pop_segment(&mut self) -> Option<Bytes> {
        let segment = mem::take(self.segments.get_mut(self.front)?);
        self.len -= segment.len();
        self.leave_front();
        Some(segment)
    }

    /// What has not been read, oldest first.
    ///
    /// ```
    /// # use bytes::{Buf, Bytes};
    /// # use segring::seq::SlidingBuffer;
    /// let mut buffer = SlidingBuffer::new(100);
    /// buffer.append(Bytes::from_static(b"abc"))?;
    /// buffer.append(Bytes::from_static(b"de"))?;
    /// buffer.advance(1);
    /// assert_eq!(buffer.segments(), ["bc", "de"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn segments(&self) -> &[Bytes] {
        &self.segments[self.front..]
    }

    /// Forgets all that has not been read.
    ///
    /// ```
    /// # use bytes::Bytes;
    /// # use segring::seq::SlidingBuffer;
    /// let mut buffer = SlidingBuffer::new(3);
    /// buffer.append(Bytes::from_static(b"abc"))?;
    /// buffer.clear();
    /// assert_eq!(buffer.available(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn clear(&mut self) {
        self.len = 0;
        self.start_over();
    }

    /// How many bytes have not been read.
    ///
    /// ```
    /// # use segring::seq::SlidingBuffer;
    /// assert_eq!(SlidingBuffer::new(100).len(), 0);
    /// ```
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether all has been read.
    ///
    /// ```
    /// # use segring::seq::SlidingBuffer;
    /// assert!(SlidingBuffer::new(100).is_empty());
    /// ```
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many unread bytes the buffer may hold.
    ///
    /// ```
    /// # use segring::seq::SlidingBuffer;
    /// assert_eq!(SlidingBuffer::new(100).capacity(), 100);
    /// ```
    pub const fn capacity(&self) -> usize {
        self.capacity
    }

    /// How many more bytes fit.
    ///
    /// ```
    /// # use bytes::Bytes;
    /// # use segring::seq::SlidingBuffer;
    /// let mut buffer = SlidingBuffer::new(100);
    /// buffer.append(Bytes::from_static(b"abc"))?;
    /// assert_eq!(buffer.available(), 97);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn available(&self) -> usize {
        self.capacity - self.len
    }

    /// The size of the index, in slots of one segment each; 0 before the first segment.
    ///
    /// ```
    /// # use bytes::Bytes;
    /// # use segring::seq::SlidingBuffer;
    /// let mut buffer = SlidingBuffer::new(100);
    /// buffer.append(Bytes::from_static(b"abc"))?;
    /// assert_eq!(buffer.slots(), 16);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn slots(&self) -> usize {
        self.slots
    }

    /// Appends a segment that is not empty, after `reserve`.
    fn append_reserved(&mut self, segment: Bytes) {
        self.len += segment.len();
        self.segments.push(segment);
    }

    fn front_bytes(&self) -> &[u8] {
        self.segments.get(self.front).map_or(&[], |segment| segment)
    }

    /// Finds a place for one more segment when the end of the index is reached.
    #[cold]
    fn make_slot(&mut self) -> Result<(), CapacityError> {
        // The *quarter* rule, with the free places at the front for the free slots of a ring.
        let slides = self.front > 0 && self.front >= quarter(self.slots);
        if !slides {
            let grown = self.grow();
            // Rather a bad slide than none.
            if self.front == 0 {
                grown?;
            }
        }
        self.segments.drain(..self.front);
        self.front = 0;
        Ok(())
    }

    /// The *full* rule.
    fn grow(&mut self) -> Result<(), CapacityError> {
        let slots = self.policy.grown(self.slots).max(self.policy.min);
        if slots <= self.slots {
            // 2^30 segments, at 64 bits: more than there will be memory for.
            return Err(CapacityError::no_memory::<Bytes>(self.slots.saturating_mul(2)));
        }
        self.segments
            .try_reserve_exact(slots - self.segments.len())
            .map_err(|_| CapacityError::no_memory::<Bytes>(slots))?;
        self.slots = slots;
        Ok(())
    }

    /// Reads up `count` bytes, which must be there, and shows them piece by piece.
    fn consume_pieces(&mut self, count: usize, mut show: impl FnMut(&[u8])) {
        self.len -= count;
        let mut left = count;
        while left > 0 {
            let front = &mut self.segments[self.front];
            if left < front.len() {
                show(&front[..left]);
                // The segment itself remembers how far it has been read.
                front.advance(left);
                return;
            }
            show(front);
            left -= front.len();
            self.leave_front();
        }
    }

    /// Drops the front segment, which has been read up, and steps behind it.
    fn leave_front(&mut self) {
        if self.front + 1 == self.segments.len() {
            self.start_over();
        } else {
            self.segments[self.front] = Bytes::new();
            self.front += 1;
        }
    }

    /// The buffer is empty: the whole index is free, and given back when it is too large.
    fn start_over(&mut self) {
        self.segments.clear();
        self.front = 0;
        if self.slots > self.idle_slots {
            let low = LowWater::default();
            let (_, to) = self.policy.observe(low, 1, 0, self.slots, Dwell::default());
            if let Some(slots) = to {
                self.shrink(slots);
            }
        }
    }

    /// Takes a smaller index, if there is memory for one; this one is empty.
    fn shrink(&mut self, slots: usize) {
        let mut segments = Vec::new();
        if segments.try_reserve_exact(slots).is_ok() {
            self.segments = segments;
            self.slots = slots;
        }
    }
}

impl Default for SlidingBuffer {
    /// A buffer without a limit: `isize::MAX` bytes.
    fn default() -> Self {
        Self::new(isize::MAX as usize)
    }
}

/// Takes what is there, across the borders of segments. `Ok(0)` means that the buffer is empty now
/// (or the target is), not that the stream has ended. Never fails, never allocates.
impl Read for SlidingBuffer {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        let count = target.len().min(self.len);
        let mut filled = 0;
        self.consume_pieces(count, |piece| {
            target[filled..filled + piece.len()].copy_from_slice(piece);
            filled += piece.len();
        });
        Ok(count)
    }
}

/// The front segment without a copy.
impl BufRead for SlidingBuffer {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        Ok(self.front_bytes())
    }

    fn consume(&mut self, count: usize) {
        self.advance(count);
    }
}

/// Copies as much as fits; `Ok(0)` means that the buffer is full. Each write is a segment; the
/// memory of small ones is used again once they have been read and dropped.
impl Write for SlidingBuffer {
    fn write(&mut self, source: &[u8]) -> io::Result<usize> {
        let count = source.len().min(self.available());
        if count == 0 {
            return Ok(0);
        }
        // An error with a payload would need the memory that there is none of.
        self.reserve(count).map_err(|_| io::ErrorKind::OutOfMemory)?;
        if self.scratch.capacity() < count {
            self.scratch.reserve(count.max(Self::SCRATCH_BYTES));
        }
        self.scratch.extend_from_slice(&source[..count]);
        let segment = self.scratch.split().freeze();
        self.append_reserved(segment);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Buf for SlidingBuffer {
    fn remaining(&self) -> usize {
        self.len
    }

    fn chunk(&self) -> &[u8] {
        self.front_bytes()
    }

    fn chunks_vectored<'a>(&'a self, target: &mut [IoSlice<'a>]) -> usize {
        for (slice, segment) in target.iter_mut().zip(self.segments()) {
            *slice = IoSlice::new(segment);
        }
        target.len().min(self.segments().len())
    }

    /// # Panics
    /// When fewer than `count` bytes remain; nothing has changed then.
    fn advance(&mut self, count: usize) {
        assert!(count <= self.len, "advance by {count} of {} bytes", self.len);
        self.consume_pieces(count, |_| {});
    }

    /// # Panics
    /// When fewer than `count` bytes remain; nothing has changed then.
    fn copy_to_bytes(&mut self, count: usize) -> Bytes {
        if count == self.front_bytes().len() {
            return self.pop_segment().unwrap_or_default();
        }
        if count < self.front_bytes().len() {
            self.len -= count;
            return self.segments[self.front].split_to(count);
        }
        assert!(count <= self.len, "copy of {count} of {} bytes", self.len);
        let mut copy = BytesMut::zeroed(count);
        self.copy_to_slice(&mut copy);
        copy.freeze()
    }
}
