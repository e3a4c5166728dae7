//! The standard library's atomics and cells, which tell a listener of each access: for programs that
//! count how cache lines travel. They are as large as the real ones, so that lines hold what they hold.

pub(crate) use alloc::sync::Arc;
pub(crate) use core::sync::atomic::fence;
pub(crate) use std::thread_local as per_thread;
pub(crate) use {AtomicPtr as EpochPtr, AtomicUsize as EpochWord};

use core::sync::atomic;

use crate::sync::Ordering;
use crate::sync::lines::{Access, tell};

macro_rules! told {
    ($name:ident $(<$t:ident>)?, $value:ty $(, $op:ident)*) => {
        #[derive(Debug)]
        #[repr(transparent)]
        pub(crate) struct $name $(<$t>)? (atomic::$name $(<$t>)?);

        impl $(<$t>)? $name $(<$t>)? {
            pub(crate) const fn new(value: $value) -> Self {
                Self(atomic::$name::new(value))
            }

            fn tell(&self, access: fn(usize) -> Access) {
                tell(access(core::ptr::from_ref(self).addr()));
            }

            pub(crate) fn load(&self, order: Ordering) -> $value {
                self.tell(Access::Load);
                self.0.load(order)
            }

            pub(crate) fn store(&self, value: $value, order: Ordering) {
                self.tell(Access::Store);
                self.0.store(value, order);
            }

            pub(crate) fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.tell(Access::ReadModifyWrite);
                self.0.compare_exchange(current, new, success, failure)
            }

            $(
                pub(crate) fn $op(&self, value: $value, order: Ordering) -> $value {
                    self.tell(Access::ReadModifyWrite);
                    self.0.$op(value, order)
                }
            )*
        }
    };
}

told!(AtomicU32, u32, fetch_max);
told!(AtomicUsize, usize, fetch_add, fetch_sub, fetch_or, fetch_max, fetch_min);
told!(AtomicPtr<T>, *mut T, swap);

/// A cell that is read and written through closures, as loom's is.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct UnsafeCell<T>(core::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(core::cell::UnsafeCell::new(value))
    }

    pub(crate) fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        tell(Access::Load(self.0.get().addr()));
        read(self.0.get())
    }

    pub(crate) fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        tell(Access::Store(self.0.get().addr()));
        write(self.0.get())
    }
}
