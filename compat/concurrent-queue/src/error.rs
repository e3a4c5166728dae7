use core::error::Error;
use core::fmt;

/// Why a pop found nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PopError {
    /// Empty, not closed.
    Empty,
    /// Empty and closed: nothing will come.
    Closed,
}

impl PopError {
    /// Whether the queue was empty, not closed.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Empty)
    }

    /// Whether the queue was empty and closed.
    pub fn is_closed(&self) -> bool {
        matches!(self, Self::Closed)
    }
}

impl fmt::Debug for PopError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for PopError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", if self.is_empty() { "Empty" } else { "Closed" })
    }
}

#[cfg(feature = "std")]
impl Error for PopError {}

/// Why a push did not take an item; the item is inside.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PushError<T> {
    /// Full, not closed.
    Full(T),
    /// Closed.
    Closed(T),
}

impl<T> PushError<T> {
    /// Takes the rejected item out.
    pub fn into_inner(self) -> T {
        match self {
            Self::Full(value) | Self::Closed(value) => value,
        }
    }

    /// Whether the queue was full, not closed.
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Full(_))
    }

    /// Whether the queue was closed.
    pub fn is_closed(&self) -> bool {
        matches!(self, Self::Closed(_))
    }
}

impl<T: fmt::Debug> fmt::Debug for PushError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full(value) => f.debug_tuple("Full").field(value).finish(),
            Self::Closed(value) => f.debug_tuple("Closed").field(value).finish(),
        }
    }
}

impl<T> fmt::Display for PushError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", if self.is_full() { "Full" } else { "Closed" })
    }
}

#[cfg(feature = "std")]
impl<T: fmt::Debug> Error for PushError<T> {}

/// A forced push met a closed queue; the item is inside.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ForcePushError<T>(pub T);

impl<T> ForcePushError<T> {
    /// Takes the rejected item out.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T: fmt::Debug> fmt::Debug for ForcePushError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ForcePushError").field(&self.0).finish()
    }
}

impl<T> fmt::Display for ForcePushError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Closed")
    }
}

#[cfg(feature = "std")]
impl<T: fmt::Debug> Error for ForcePushError<T> {}
