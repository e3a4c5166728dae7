//! The standard library's atomics and cells.

pub(crate) use alloc::sync::Arc;
pub(crate) use core::sync::atomic::fence;
pub(crate) use std::thread_local as per_thread;

pub(crate) use super::mutant::{AtomicPtr, AtomicU32, AtomicUsize};
pub(crate) use super::mutant::{AtomicPtr as EpochPtr, AtomicUsize as EpochWord};
pub(crate) use cell::UnsafeCell;

mod cell;
