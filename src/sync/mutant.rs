//! Faults that can be switched on by name, to show that a check can fail. None is compiled into an
//! ordinary build: this module exists in models and with `--cfg segring_mutants` alone.
//!
//! A fault of the algorithm is a hook in the code, `mutant("name")`. A fault of a single operation
//! needs none: `FAULT:LABEL@function` names it by the label in the comment beside it and the
//! function around it, and the shim does it wrongly there.
//!
//! | | |
//! |---|---|
//! | `relaxed:` | an acquire or a release without its ordering |
//! | `skipped:` | a store or a read-modify-write that does not happen |
//! | `torn:` | a read-modify-write as a load and a store |
//! | `weak:` | an exchange that fails for no reason |
//! | `off:` | half of a barrier pair left out |
//!
//! What is on says `SEGRING_MUTANT`, names with commas in between, and in models also
//! [`crate::model::mutated`].

use core::cell::RefCell;
use core::panic::Location;
use std::collections::HashMap;
use std::path::Path;
use std::sync::OnceLock;

#[cfg(segring_loom)]
use super::mode::shadow as inner;
#[cfg(not(any(segring_loom, segring_shuttle)))]
use core::sync::atomic as inner;
#[cfg(segring_shuttle)]
use shuttle::sync::atomic as inner;

use super::Ordering::{self, Acquire, Relaxed, Release};

/// Whether the fault of this name is switched on.
pub(crate) fn mutant(name: &str) -> bool {
    any(|on| on == name)
}

/// Whether the caller's operation is to go wrong in this way. `kind` is that of its label.
#[track_caller]
pub(super) fn is_faulty(fault: &str, kind: &'static str) -> bool {
    let here = Location::caller();
    let place = |on: &'static str| on.strip_prefix(fault)?.strip_prefix(':');
    any(|on| place(on).is_some_and(|place| is_at(place, kind, here)))
}

/// Whether one of the names that are on is such a one.
fn any(is_such: impl Fn(&'static str) -> bool) -> bool {
    static NAMES: OnceLock<Vec<String>> = OnceLock::new();
    let names = NAMES.get_or_init(|| {
        let names = std::env::var("SEGRING_MUTANT").unwrap_or_default();
        names.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect()
    });
    #[cfg(any(segring_loom, segring_shuttle))]
    if crate::model::mutants().iter().any(|&name| is_such(name)) {
        return true;
    }
    names.iter().any(|name| is_such(name))
}

std::thread_local! {
    static FOUND: RefCell<HashMap<(*const str, *const Location<'static>, &'static str), bool>> =
        RefCell::new(HashMap::new());
}

/// Whether `LABEL@function` names the operation that stands here.
fn is_at(place: &'static str, kind: &'static str, here: &'static Location<'static>) -> bool {
    let key = (core::ptr::from_ref(place), core::ptr::from_ref(here), kind);
    let find = || is_beside(place, kind, here);
    // A thread that is going away may have lost it.
    FOUND
        .try_with(|found| *found.borrow_mut().entry(key).or_insert_with(find))
        .unwrap_or_else(|_| find())
}

/// Reads the source: the label stands in a comment at most so many lines above, in the function.
fn is_beside(place: &str, kind: &str, here: &Location<'_>) -> bool {
    const NEAR: usize = 6;
    let (label, function) = place.split_once('@').expect("a place is LABEL@function");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(here.file());
    let source = std::fs::read_to_string(&path).expect("the source is where it was compiled");
    let lines: Vec<&str> = source.lines().take(here.line() as usize).collect();
    let mut inside = lines.iter().rev().take_while(|line| begins(line).is_none());
    let is_label = |line: &&str| match line.split_once(&format!("[{label}")) {
        Some((_, rest)) if kind.is_empty() => rest.starts_with([' ', ']']),
        Some((_, rest)) => rest.starts_with(&format!(" {kind}")),
        None => false,
    };
    let is_near = inside.by_ref().take(NEAR).any(is_label);
    is_near && lines.iter().rev().find_map(|line| begins(line)) == Some(function)
}

/// The function that begins in this line.
fn begins(line: &str) -> Option<&str> {
    let (_, name) = line.split("//").next()?.split_once("fn ")?;
    name.split(['(', '<']).next()
}

#[track_caller]
fn weakened(order: Ordering) -> Ordering {
    let is_relaxed = match order {
        Acquire => is_faulty("relaxed", "acquire"),
        Release => is_faulty("relaxed", "release"),
        _ => false,
    };
    if is_relaxed { Relaxed } else { order }
}

/// Atomics whose operations may go wrong.
macro_rules! atomic {
    ($name:ident $(<$t:ident>)?, $value:ty $(, $op:ident = $new:expr)*) => {
        #[derive(Debug)]
        #[repr(transparent)]
        pub(crate) struct $name $(<$t>)? (inner::$name $(<$t>)?);

        impl $(<$t>)? $name $(<$t>)? {
            super::const_unless_model! {
                pub(crate) fn new(value: $value) -> Self {
                    Self(inner::$name::new(value))
                }
            }

            #[track_caller]
            pub(crate) fn load(&self, order: Ordering) -> $value {
                self.0.load(weakened(order))
            }

            #[track_caller]
            pub(crate) fn store(&self, value: $value, order: Ordering) {
                if !is_faulty("skipped", "") {
                    self.0.store(value, weakened(order));
                }
            }

            #[track_caller]
            pub(crate) fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                if is_faulty("skipped", "") {
                    return Ok(current);
                }
                if is_faulty("weak", "") {
                    return Err(self.0.load(Acquire));
                }
                if is_faulty("torn", "") {
                    let before = self.0.load(Acquire);
                    if before != current {
                        return Err(before);
                    }
                    self.0.store(new, Release);
                    return Ok(before);
                }
                self.0.compare_exchange(current, new, weakened(success), weakened(failure))
            }

            $(
                #[track_caller]
                pub(crate) fn $op(&self, value: $value, order: Ordering) -> $value {
                    if is_faulty("skipped", "") {
                        return self.0.load(Acquire);
                    }
                    if is_faulty("torn", "") {
                        let before = self.0.load(Acquire);
                        let new: fn($value, $value) -> $value = $new;
                        self.0.store(new(before, value), Release);
                        return before;
                    }
                    self.0.$op(value, weakened(order))
                }
            )*
        }
    };
}

atomic!(AtomicU32, u32, fetch_max = Ord::max);
atomic!(
    AtomicUsize,
    usize,
    fetch_add = usize::wrapping_add,
    fetch_sub = usize::wrapping_sub,
    fetch_or = |a, b| a | b,
    fetch_min = Ord::min
);
atomic!(AtomicPtr<T>, *mut T, swap = |_, new| new);
