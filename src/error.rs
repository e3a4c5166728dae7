//! The errors of the crate. A rejected item always comes back inside its error.

use core::error::Error;
use core::fmt;

/// Why a queue did not take an item; the item is inside.
///
/// Of a batch, what was not pushed is inside; see [`Unpushed`](crate::Unpushed).
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PushError<T> {
    /// The queue has been closed.
    Closed(T),
    /// The queue is bounded and was full.
    Full(T),
    /// Another ring was needed and the allocator had no memory for it.
    NoMemory(T),
}

impl<T> PushError<T> {
    /// Takes the rejected item out.
    pub fn into_inner(self) -> T {
        match self {
            Self::Closed(item) | Self::Full(item) | Self::NoMemory(item) => item,
        }
    }

    /// Whether the queue was closed.
    pub const fn is_closed(&self) -> bool {
        matches!(self, Self::Closed(_))
    }

    /// Whether the queue was full.
    pub const fn is_full(&self) -> bool {
        matches!(self, Self::Full(_))
    }

    /// Whether the allocator failed.
    pub const fn is_no_memory(&self) -> bool {
        matches!(self, Self::NoMemory(_))
    }

    const fn reason(&self) -> &'static str {
        match self {
            Self::Closed(_) => "push to a closed queue",
            Self::Full(_) => "push to a full queue",
            Self::NoMemory(_) => "no memory for another ring",
        }
    }
}

impl<T> fmt::Debug for PushError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Closed(_) => "Closed(..)",
            Self::Full(_) => "Full(..)",
            Self::NoMemory(_) => "NoMemory(..)",
        })
    }
}

impl<T> fmt::Display for PushError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason())
    }
}

impl<T> Error for PushError<T> {}

/// Why a `try_pop`, as [`Queue::try_pop`](crate::Queue::try_pop), did not give an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PopError {
    /// No item is inside, but one may come.
    Empty,
    /// No item is inside, and none will ever come.
    Closed,
}

impl PopError {
    /// Whether an item may still come.
    pub const fn is_empty(self) -> bool {
        matches!(self, Self::Empty)
    }

    /// Whether no item will ever come.
    pub const fn is_closed(self) -> bool {
        matches!(self, Self::Closed)
    }
}

impl fmt::Display for PopError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "pop from an empty queue",
            Self::Closed => "pop from an empty and closed queue",
        })
    }
}

impl Error for PopError {}

/// Why a [`Hysteresis`](crate::Hysteresis) was refused, with the offending values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HysteresisError {
    /// A limit was zero.
    Zero,
    /// A limit in slots was no power of two.
    NotPowerOfTwo {
        /// The limit asked for.
        slots: usize,
    },
    /// The smallest ring asked for is larger than the largest.
    MinAboveMax {
        /// The lower limit asked for, in slots or bytes.
        min: usize,
        /// The upper limit asked for, in the same unit.
        max: usize,
    },
    /// More slots than a ring may have.
    TooManySlots {
        /// The limit asked for.
        slots: usize,
        /// [`Hysteresis::MAX_SLOTS`](crate::Hysteresis::MAX_SLOTS).
        limit: usize,
    },
}

impl fmt::Display for HysteresisError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Zero => f.write_str("a limit is zero"),
            Self::NotPowerOfTwo { slots } => write!(f, "{slots} slots is no power of two"),
            Self::MinAboveMax { min, max } => {
                write!(f, "the lower limit {min} is above the upper limit {max}")
            }
            Self::TooManySlots { slots, limit } => {
                write!(f, "{slots} slots is more than a ring may have ({limit})")
            }
        }
    }
}

impl Error for HysteresisError {}

/// Why no [`BoundedQueue`](crate::BoundedQueue) of a capacity was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BoundError {
    /// The capacity was zero.
    Zero,
    /// A ring for this capacity would not fit into the address space.
    TooLarge {
        /// The capacity asked for.
        capacity: usize,
    },
    /// The allocator had no memory for the ring.
    NoMemory {
        /// The size of the ring, in bytes.
        bytes: usize,
    },
}

impl fmt::Display for BoundError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Zero => f.write_str("the capacity is zero"),
            Self::TooLarge { capacity } => write!(f, "the capacity {capacity} is too large"),
            Self::NoMemory { bytes } => write!(f, "no memory for a ring of {bytes} bytes"),
        }
    }
}

impl Error for BoundError {}
