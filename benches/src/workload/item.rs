//! What is carried: items from eight bytes to a kibibyte, boxed, shared and over-aligned ones.

use alloc::sync::Arc;
use core::fmt;

use serde::Serialize;

use super::{Amount, Placement, Sample, transfer};
use crate::peers::Peer;

/// Something that every peer can carry.
pub trait Item: Clone + Default + Send + Sync + Unpin + 'static {
    /// One that can be told from others, if it has room for that.
    fn numbered(number: u64) -> Self;
}

impl Item for u64 {
    fn numbered(number: u64) -> Self {
        number
    }
}

/// So many bytes, eight of which tell it from others.
#[derive(Clone, Copy, Debug)]
pub struct Bytes<const N: usize>([u8; N]);

impl<const N: usize> Default for Bytes<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

impl<const N: usize> Item for Bytes<N> {
    fn numbered(number: u64) -> Self {
        let mut bytes = Self::default();
        bytes.0[..8].copy_from_slice(&number.to_ne_bytes());
        bytes
    }
}

impl Item for Box<u64> {
    fn numbered(number: u64) -> Self {
        Self::new(number)
    }
}

impl Item for Arc<u64> {
    fn numbered(number: u64) -> Self {
        Self::new(number)
    }
}

/// A number that wants two cache lines for itself.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(128))]
pub struct Aligned(pub u64);

impl Item for Aligned {
    fn numbered(number: u64) -> Self {
        Self(number)
    }
}

/// A type of item, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum ItemKind {
    /// `u64`.
    Word,
    /// [`Bytes<64>`].
    Line,
    /// [`Bytes<1024>`].
    Kibibyte,
    /// `Box<u64>`.
    Boxed,
    /// `Arc<u64>`.
    Shared,
    /// [`Aligned`].
    Aligned,
}

impl ItemKind {
    /// Every one.
    pub const ALL: [Self; 6] =
        [Self::Word, Self::Line, Self::Kibibyte, Self::Boxed, Self::Shared, Self::Aligned];
}

impl fmt::Display for ItemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Word => "8 B",
            Self::Line => "64 B",
            Self::Kibibyte => "1 KiB",
            Self::Boxed => "Box",
            Self::Shared => "Arc",
            Self::Aligned => "aligned",
        })
    }
}

/// How a queue that takes every item runs [`Case::Large`](super::Case::Large).
pub type Large = fn(ItemKind, usize, Amount) -> Sample;

/// Runs it with one type.
pub(crate) fn carry<T: Item, P: Peer<T>>(
    capacity: usize,
    threads: usize,
    amount: Amount,
) -> Sample {
    let queue = P::new(capacity);
    transfer::carry(&queue, threads, Placement::Own, amount).into()
}
