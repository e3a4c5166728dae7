//! Atomics with a shadow, for models only.
//!
//! loom 0.7 remembers only the last access to each atomic when it decides which interleavings
//! differ, and so skips some of "A loads; B loads; B exchanges". Here every operation is preceded
//! by a relaxed read-modify-write of a second atomic: that makes every pair of operations on one
//! atomic dependent, so that loom tries both orders, and adds no ordering. Models run with and
//! without: see [`crate::model::shadowed`].

use loom::sync::atomic;

use crate::sync::Ordering;

#[derive(Debug)]
struct Shadow(atomic::AtomicUsize);

impl Shadow {
    fn new() -> Self {
        Self(atomic::AtomicUsize::new(0))
    }

    fn touch(&self) {
        if crate::model::is_shadowed() {
            self.0.fetch_add(0, Ordering::Relaxed);
        }
    }
}

macro_rules! shadowed {
    ($name:ident $(<$t:ident>)?, $value:ty $(, $op:ident)*) => {
        #[derive(Debug)]
        pub(crate) struct $name $(<$t>)? {
            real: atomic::$name $(<$t>)?,
            shadow: Shadow,
        }

        impl $(<$t>)? $name $(<$t>)? {
            pub(crate) fn new(value: $value) -> Self {
                Self { real: atomic::$name::new(value), shadow: Shadow::new() }
            }

            pub(crate) fn load(&self, order: Ordering) -> $value {
                self.shadow.touch();
                self.real.load(order)
            }

            pub(crate) fn store(&self, value: $value, order: Ordering) {
                self.shadow.touch();
                self.real.store(value, order);
            }

            pub(crate) fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.shadow.touch();
                self.real.compare_exchange(current, new, success, failure)
            }

            $(
                pub(crate) fn $op(&self, value: $value, order: Ordering) -> $value {
                    self.shadow.touch();
                    self.real.$op(value, order)
                }
            )*
        }
    };
}

shadowed!(AtomicU32, u32, fetch_max);
shadowed!(AtomicUsize, usize, fetch_add, fetch_sub, fetch_or, fetch_min);
shadowed!(AtomicPtr<T>, *mut T, swap);
