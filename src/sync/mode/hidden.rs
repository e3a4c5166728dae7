//! The words of the epochs, for models only.
//!
//! Models of the epochs see them as they see all atomics. Models of a queue see of the epochs only
//! the barriers: what has been shown about the words need not be explored again at every step of a
//! queue. See [`crate::model::epochs::seen`].

use core::sync::atomic as std;

use super::{AtomicPtr, AtomicUsize};
use crate::model::epochs::are_seen;
use crate::sync::Ordering;

macro_rules! hidden {
    ($name:ident $(<$t:ident>)?, $seen:ident, $value:ty $(, $op:ident)*) => {
        #[derive(Debug)]
        pub(crate) struct $name $(<$t>)? {
            seen: $seen $(<$t>)?,
            hidden: std::$seen $(<$t>)?,
        }

        impl $(<$t>)? $name $(<$t>)? {
            pub(crate) fn new(value: $value) -> Self {
                Self { seen: $seen::new(value), hidden: std::$seen::new(value) }
            }

            #[track_caller]
            pub(crate) fn load(&self, order: Ordering) -> $value {
                if are_seen() { self.seen.load(order) } else { self.hidden.load(order) }
            }

            $(
                #[track_caller]
                pub(crate) fn $op(&self, value: $value, order: Ordering) -> hidden!(@returns $op $value) {
                    if are_seen() { self.seen.$op(value, order) } else { self.hidden.$op(value, order) }
                }
            )*

            #[track_caller]
            pub(crate) fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                if are_seen() {
                    self.seen.compare_exchange(current, new, success, failure)
                } else {
                    self.hidden.compare_exchange(current, new, success, failure)
                }
            }
        }
    };
    (@returns store $value:ty) => { () };
    (@returns $op:ident $value:ty) => { $value };
}

hidden!(EpochWord, AtomicUsize, usize, store, fetch_add);
hidden!(EpochPtr<T>, AtomicPtr, *mut T);
