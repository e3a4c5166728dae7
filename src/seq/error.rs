//! Why a ring could not take more. A rejected item always comes back inside its error.

use alloc::alloc::handle_alloc_error;
use core::alloc::Layout;
use core::error::Error;
use core::fmt;

/// Why there is no room: the limit, or the allocator.
///
/// ```
/// use segring::seq::{CapacityError, HysteresisRing};
///
/// let mut ring = HysteresisRing::<u8>::new().with_limit(100);
/// assert_eq!(ring.try_reserve(101), Err(CapacityError::Limit { limit: 100 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CapacityError {
    /// It would go beyond the limit.
    Limit {
        /// The limit: items of a ring, bytes of a `SlidingBuffer`.
        limit: usize,
    },
    /// The allocator had no memory for a larger array.
    NoMemory {
        /// The size of that array, in bytes.
        bytes: usize,
    },
}

impl CapacityError {
    /// No memory for an array of `slots` slots for `T`.
    pub(super) const fn no_memory<T>(slots: usize) -> Self {
        Self::NoMemory { bytes: slots.saturating_mul(size_of::<T>()) }
    }

    /// Ends an operation that has no way to report the error, as `Vec` does.
    #[cold]
    pub(super) fn raise(self) -> ! {
        if let Self::NoMemory { bytes } = self
            && let Ok(layout) = Layout::from_size_align(bytes, 1)
        {
            handle_alloc_error(layout)
        }
        panic!("{self}")
    }
}

impl fmt::Display for CapacityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Limit { limit } => write!(f, "beyond the capacity limit of {limit}"),
            Self::NoMemory { bytes } => write!(f, "no memory for an array of {bytes} bytes"),
        }
    }
}

impl Error for CapacityError {}

/// Why an item was not taken; the item is inside.
///
/// ```
/// use segring::seq::HysteresisRing;
///
/// let mut ring = HysteresisRing::new().with_limit(1);
/// ring.push("first");
/// let error = ring.try_push("second").unwrap_err();
/// assert_eq!(error.to_string(), "beyond the capacity limit of 1");
/// assert_eq!(error.into_inner(), "second");
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TryPushError<T> {
    item: T,
    reason: CapacityError,
}

impl<T> TryPushError<T> {
    pub(super) const fn new(item: T, reason: CapacityError) -> Self {
        Self { item, reason }
    }

    /// Why it was not taken.
    ///
    /// ```
    /// # use segring::seq::{CapacityError, HysteresisRing};
    /// let mut none = HysteresisRing::new().with_limit(0);
    /// assert_eq!(none.try_push(1).unwrap_err().reason(), CapacityError::Limit { limit: 0 });
    /// ```
    pub const fn reason(&self) -> CapacityError {
        self.reason
    }

    /// Takes the rejected item out.
    ///
    /// ```
    /// # use segring::seq::HysteresisRing;
    /// let mut none = HysteresisRing::new().with_limit(0);
    /// assert_eq!(none.try_push(1).unwrap_err().into_inner(), 1);
    /// ```
    pub fn into_inner(self) -> T {
        self.item
    }
}

impl<T> fmt::Debug for TryPushError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TryPushError").field("reason", &self.reason).finish_non_exhaustive()
    }
}

impl<T> fmt::Display for TryPushError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)
    }
}

impl<T> Error for TryPushError<T> {}
