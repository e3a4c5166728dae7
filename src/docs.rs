//! Texts that belong to the code; their examples run as tests.

#[doc = include_str!("docs/GUIDE.md")]
pub mod guide {}

#[doc = include_str!("docs/DESIGN.md")]
pub mod design {}

#[doc = include_str!("docs/ORDERINGS.md")]
pub mod orderings {}

#[doc = include_str!("docs/EVIDENCE.md")]
pub mod evidence {}

#[doc = include_str!("docs/COMPARE.md")]
pub mod compare {}

/// The front page; here for its example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub mod readme {}
