//! The behaviours that the sequential rings replace.

use alloc::collections::VecDeque;
use core::mem;

use bytes::{Buf, Bytes};

/// A ring that doubles when full and halves as soon as half is enough. At a backlog of just half
/// its slots it does one at every push and the other at every pop.
///
/// Written as in a language without uninitialised memory, where it comes from: a new array is
/// zeroed, and items are copied one at a time.
#[derive(Clone, Debug)]
pub struct EagerRing<T> {
    slots: Vec<T>,
    head: usize,
    len: usize,
}

impl<T: Copy + Default> EagerRing<T> {
    const MIN: usize = 2;

    /// An empty ring.
    pub const fn new() -> Self {
        Self { slots: Vec::new(), head: 0, len: 0 }
    }

    /// Appends an item.
    pub fn push(&mut self, item: T) {
        if self.len == self.slots.len() {
            self.resize((2 * self.len).max(Self::MIN));
        }
        let slot = self.slot(self.len);
        self.slots[slot] = item;
        self.len += 1;
    }

    /// Removes the oldest item.
    pub fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        let item = mem::take(&mut self.slots[self.head]);
        self.head = self.slot(1);
        let capacity = self.slots.len();
        if self.len <= capacity / 2 && capacity > Self::MIN {
            self.resize(capacity / 2);
        }
        Some(item)
    }

    /// Slots.
    pub const fn capacity(&self) -> usize {
        self.slots.len()
    }

    /// The slot of the item `offset` places behind the front.
    fn slot(&self, offset: usize) -> usize {
        (self.head + offset) & (self.slots.len() - 1)
    }

    fn resize(&mut self, capacity: usize) {
        let mut slots = vec![T::default(); capacity];
        for (offset, slot) in slots.iter_mut().take(self.len).enumerate() {
            *slot = self.slots[self.slot(offset)];
        }
        self.slots = slots;
        self.head = 0;
    }
}

impl<T: Copy + Default> Default for EagerRing<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// The policy of an [`EagerRing`] at its cheapest: arrays are not initialised, items are moved in
/// blocks.
#[derive(Clone, Debug)]
pub struct EagerDeque<T> {
    items: VecDeque<T>,
    capacity: usize,
}

impl<T> EagerDeque<T> {
    const MIN: usize = 2;

    /// An empty ring.
    pub const fn new() -> Self {
        Self { items: VecDeque::new(), capacity: 0 }
    }

    /// Appends an item.
    pub fn push(&mut self, item: T) {
        if self.items.len() == self.capacity {
            self.resize((2 * self.capacity).max(Self::MIN));
        }
        self.items.push_back(item);
    }

    /// Removes the oldest item.
    pub fn pop(&mut self) -> Option<T> {
        let item = self.items.pop_front()?;
        if self.items.len() <= self.capacity / 2 && self.capacity > Self::MIN {
            self.resize(self.capacity / 2);
        }
        Some(item)
    }

    /// Slots.
    pub const fn capacity(&self) -> usize {
        self.capacity
    }

    fn resize(&mut self, capacity: usize) {
        let mut items = VecDeque::with_capacity(capacity);
        items.append(&mut self.items);
        self.items = items;
        self.capacity = capacity;
    }
}

impl<T> Default for EagerDeque<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// A list of segments that is read by moving its start: the part of the array behind it is lost,
/// so that its capacity is its length again, and the next segment takes a new array for twice as
/// many as are there.
#[derive(Debug, Default)]
pub struct ShiftedBuffer {
    segments: Vec<Bytes>,
    front: usize,
}

impl ShiftedBuffer {
    /// Appends a segment.
    pub fn append(&mut self, segment: Bytes) {
        if self.segments.len() == self.segments.capacity() {
            let live = self.segments.len() - self.front;
            let mut segments = Vec::with_capacity((2 * live).max(1));
            segments.extend(self.segments.drain(self.front..));
            self.segments = segments;
            self.front = 0;
        }
        self.segments.push(segment);
    }

    /// Takes as many bytes as there are, up to the length of `target`.
    pub fn read(&mut self, target: &mut [u8]) -> usize {
        let mut read = 0;
        while read < target.len() && self.front < self.segments.len() {
            let front = &mut self.segments[self.front];
            let count = front.len().min(target.len() - read);
            front.copy_to_slice(&mut target[read..read + count]);
            read += count;
            if front.is_empty() {
                drop(mem::take(front));
                self.front += 1;
            }
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::{EagerDeque, EagerRing, ShiftedBuffer};
    use bytes::Bytes;

    #[test]
    fn an_eager_ring_resizes_at_every_step_at_its_border() {
        let (mut ring, mut deque) = (EagerRing::new(), EagerDeque::new());
        for n in 0..64 {
            ring.push(n);
            deque.push(n);
        }
        assert_eq!((ring.capacity(), deque.capacity()), (64, 64));
        for n in 64..200 {
            ring.push(n);
            deque.push(n);
            assert_eq!((ring.capacity(), deque.capacity()), (128, 128));
            assert_eq!((ring.pop(), ring.capacity()), (Some(n - 64), 64));
            assert_eq!((deque.pop(), deque.capacity()), (Some(n - 64), 64));
        }
        assert!((136..200).all(|n| ring.pop() == Some(n)));
        assert_eq!((ring.pop(), ring.capacity()), (None, 2));
    }

    #[test]
    fn a_shifted_buffer_takes_a_new_array_for_each_segment_that_is_read_at_once() {
        let mut buffer = ShiftedBuffer::default();
        let mut target = [0; 8];
        for n in 0..5 {
            buffer.append(Bytes::copy_from_slice(&[n; 4]));
            assert_eq!(buffer.segments.capacity(), 1);
            assert_eq!((buffer.read(&mut target), &target[..4]), (4, &[n; 4][..]));
        }
        buffer.append(Bytes::from_static(b"abc"));
        buffer.append(Bytes::from_static(b"de"));
        assert_eq!((buffer.read(&mut target[..4]), &target[..4]), (4, &b"abcd"[..]));
        assert_eq!((buffer.read(&mut target), target[0]), (1, b'e'));
    }
}
