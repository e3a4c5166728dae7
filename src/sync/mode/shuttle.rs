//! shuttle's atomics. Whatever ordering is asked for, they are sequentially consistent.

pub(crate) use alloc::sync::Arc;
pub(crate) use shuttle::sync::atomic::fence;
pub(crate) use shuttle::{lazy_static, thread_local as per_thread};

pub(crate) use super::mutant::{AtomicPtr, AtomicU32, AtomicUsize};
pub(crate) use super::mutant::{AtomicPtr as EpochPtr, AtomicUsize as EpochWord};
pub(crate) use cell::UnsafeCell;

mod cell;
