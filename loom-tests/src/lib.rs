//! Models of segring.
