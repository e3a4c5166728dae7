//! Many items in one call: pulled from an iterator in chunks, pushed a chunk at a time.
//!
//! Whoever has a ticket is waited for, if only for a bounded time. So the caller's iterator is never
//! asked while tickets are held: a chunk is filled first, and as many tickets are taken as there
//! are items in it.

use core::fmt;
use core::iter::{Fuse, FusedIterator, from_fn};
use core::mem::{ManuallyDrop, MaybeUninit};

use alloc::vec::{self, Vec};

use crate::error::PushError;
use crate::list::{List, Rejected};
use crate::reclaim::pin;
use crate::segment::{BATCH, Filled, Segment, Why};

/// Items on their way from an iterator into a ring.
pub(crate) struct Chunk<'m, T> {
    /// Invariant: initialised from `front` to `back`, which are within.
    memory: &'m mut [MaybeUninit<ManuallyDrop<T>>],
    front: usize,
    back: usize,
}

impl<'m, T> Chunk<'m, T> {
    fn new(memory: &'m mut [MaybeUninit<ManuallyDrop<T>>]) -> Self {
        Self { memory, front: 0, back: 0 }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.front == self.back
    }

    /// The items, oldest first.
    fn items(&mut self) -> &mut [ManuallyDrop<T>] {
        // SAFETY: the invariant.
        unsafe { self.memory[self.front..self.back].assume_init_mut() }
    }

    /// Takes the first item out.
    fn take_first(&mut self) -> Option<T> {
        let first: *const _ = self.items().first()?;
        self.front += 1;
        // SAFETY: initialised, and forgotten by now.
        Some(ManuallyDrop::into_inner(unsafe { first.read() }))
    }

    /// Pushes the first items to a ring, as [`Segment::push_some`] does, and looks after the ring if
    /// one of their tickets asks for it.
    pub(crate) fn push_some(&mut self, list: &List<T>, segment: &Segment<T>) -> Filled {
        // SAFETY: those that have moved are forgotten.
        let filled = unsafe { segment.push_some(self.items()) };
        self.front += filled.count;
        if let Some(ticket) = segment.tick_among(&filled.tickets) {
            list.tick(segment, ticket);
        }
        filled
    }

    /// Pushes the first item by a function of the caller's. There is one.
    ///
    /// # Safety
    /// After `Ok` of `push` its item has moved.
    pub(crate) unsafe fn push_first<R>(
        &mut self,
        push: impl FnOnce(&ManuallyDrop<T>) -> Result<R, Rejected>,
    ) -> Result<R, Rejected> {
        let pushed = push(&self.items()[0])?;
        self.front += 1;
        Ok(pushed)
    }

    /// Fills an empty chunk. If `items` panics, what it has given so far is in the chunk.
    fn refill(&mut self, items: &mut impl Iterator<Item = T>) {
        (self.front, self.back) = (0, 0);
        while let Some(place) = self.memory.get_mut(self.back)
            && let Some(item) = items.next()
        {
            place.write(ManuallyDrop::new(item));
            self.back += 1;
        }
    }
}

impl<T> Drop for Chunk<'_, T> {
    fn drop(&mut self) {
        let items = core::ptr::from_mut(self.items()) as *mut [T];
        // SAFETY: initialised, and not used any more.
        unsafe { items.drop_in_place() };
    }
}

/// Pushes all items of an iterator, chunk by chunk.
#[inline]
pub(crate) fn push_all<I: Iterator>(
    items: I,
    push: impl FnMut(&mut Chunk<'_, I::Item>) -> Result<(), Rejected>,
) -> Result<(), PushError<Unpushed<I>>> {
    // A chunk takes at most 2 KiB of the stack, or is a single item.
    match size_of::<I::Item>() {
        0..=64 => push_by::<BATCH, I>(items, push),
        65..=512 => push_by::<4, I>(items, push),
        _ => push_by::<1, I>(items, push),
    }
}

fn push_by<const N: usize, I: Iterator>(
    items: I,
    push: impl FnMut(&mut Chunk<'_, I::Item>) -> Result<(), Rejected>,
) -> Result<(), PushError<Unpushed<I>>> {
    let mut items = items.fuse();
    let mut memory = [const { MaybeUninit::uninit() }; N];
    let mut flush = Flush { chunk: Chunk::new(&mut memory), push };
    loop {
        flush.chunk.refill(&mut items);
        if flush.chunk.is_empty() {
            return Ok(());
        }
        if let Err(rejected) = flush.push() {
            let pulled: Vec<_> = from_fn(|| flush.chunk.take_first()).collect();
            let rest = Unpushed { pulled: pulled.into_iter(), rest: items };
            return Err(rejected.with(ManuallyDrop::new(rest)));
        }
    }
}

/// Pushes what is in the chunk also when it goes out of scope because the iterator panicked.
struct Flush<'m, T, P: FnMut(&mut Chunk<'m, T>) -> Result<(), Rejected>> {
    chunk: Chunk<'m, T>,
    push: P,
}

impl<'m, T, P: FnMut(&mut Chunk<'m, T>) -> Result<(), Rejected>> Flush<'m, T, P> {
    fn push(&mut self) -> Result<(), Rejected> {
        (self.push)(&mut self.chunk)
    }
}

impl<'m, T, P: FnMut(&mut Chunk<'m, T>) -> Result<(), Rejected>> Drop for Flush<'m, T, P> {
    fn drop(&mut self) {
        if !self.chunk.is_empty() {
            // What is rejected is dropped with the chunk.
            let _ = self.push();
        }
    }
}

/// Pushes all items of a chunk through the shared pointers. After an error those that were not
/// pushed are still in the chunk.
pub(crate) fn push_shared<T>(list: &List<T>, chunk: &mut Chunk<'_, T>) -> Result<(), Rejected> {
    let guard = pin();
    let mut at = list.tail(&guard);
    while !chunk.is_empty() {
        let refused = match at {
            None => Some(Why::Closed),
            Some(segment) => chunk.push_some(list, segment).refused,
        };
        if let Some(why) = refused {
            // SAFETY: after `Ok` the item has moved.
            let push = |item: &_| unsafe { list.push_behind(at, why, item, &guard) };
            // SAFETY: as above.
            at = Some(unsafe { chunk.push_first(push) }?);
        }
    }
    Ok(())
}

/// The items that a batch did not push, in their order: those that it had taken from its iterator,
/// and the rest of the iterator.
pub struct Unpushed<I: Iterator> {
    pulled: vec::IntoIter<I::Item>,
    rest: Fuse<I>,
}

impl<I: Iterator> Iterator for Unpushed<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        self.pulled.next().or_else(|| self.rest.next())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let (pulled, (least, most)) = (self.pulled.len(), self.rest.size_hint());
        (least.saturating_add(pulled), most.and_then(|most| most.checked_add(pulled)))
    }
}

impl<I: Iterator> FusedIterator for Unpushed<I> {}

impl<I: Iterator> fmt::Debug for Unpushed<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unpushed").field("pulled", &self.pulled.len()).finish_non_exhaustive()
    }
}
