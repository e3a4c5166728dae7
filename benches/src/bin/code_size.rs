//! The code of the sequential rings in this build: `cargo run --release -p segring-benches --bin
//! code_size`. Bytes of machine code by function, for items of 16 bytes, as `nm` tells them.
//!
//! Smaller is not faster; see what `--bench seeds` says about that.

extern crate alloc;

use alloc::collections::VecDeque;
use core::error::Error;
use core::hint::black_box;
use std::env;
use std::process::Command;

use comfy_table::{Table, presets};
use segring::seq::{HysteresisRing, InlineRing};
use segring_benches::seeds::rings::Descriptor;

/// Functions that are nothing but the operation, with a reference that keeps each in the program.
macro_rules! operations {
    ($($ring:ident: $type:ty, $push:ident, $pop:ident;)*) => {
        $(mod $ring {
            use super::*;

            #[inline(never)]
            pub(super) fn push(ring: &mut $type, item: Descriptor) {
                ring.$push(item);
            }

            #[inline(never)]
            pub(super) fn pop(ring: &mut $type) -> Option<Descriptor> {
                ring.$pop()
            }

            #[inline(never)]
            pub(super) fn front(ring: &$type) -> Option<&Descriptor> {
                ring.front()
            }
        })*

        fn keep() {
            $({
                let mut ring = <$type>::new();
                black_box($ring::push)(&mut ring, [0; 2]);
                black_box(black_box($ring::front)(&ring));
                black_box(black_box($ring::pop)(&mut ring));
            })*
        }
    };
}

operations! {
    inline_ring: InlineRing<Descriptor, 1>, push, pop;
    hysteresis_ring: HysteresisRing<Descriptor>, push, pop;
    vec_deque: VecDeque<Descriptor>, push_back, pop_front;
}

/// Of each ring: its operations, and what they call out of line. Parts of a symbol's name.
const ROWS: [(&str, &str, &[&str]); 14] = [
    ("InlineRing", "push", &["code_size::inline_ring::push"]),
    ("", "pop, with the look at the policy", &["code_size::inline_ring::pop"]),
    ("", "front", &["code_size::inline_ring::front"]),
    ("", "grow: what a full push calls", &["InlineRing", "push_grown"]),
    ("", "shrink, also called by grow: a move to another array", &["RawInline", "resize"]),
    ("HysteresisRing", "push", &["code_size::hysteresis_ring::push"]),
    ("", "pop", &["code_size::hysteresis_ring::pop"]),
    ("", "front", &["code_size::hysteresis_ring::front"]),
    ("", "grow", &["HysteresisRing", "::grow"]),
    ("", "shrink, with the look at the policy", &["HysteresisRing", "::look"]),
    ("VecDeque", "push_back", &["code_size::vec_deque::push"]),
    ("", "pop_front", &["code_size::vec_deque::pop"]),
    ("", "front", &["code_size::vec_deque::front"]),
    ("", "grow", &["VecDeque", "::grow"]),
];

fn main() -> Result<(), Box<dyn Error>> {
    keep();
    let nm = Command::new("nm")
        .args(["--print-size", "--demangle", "--defined-only"])
        .arg(env::current_exe()?)
        .output()?;
    let symbols = String::from_utf8(nm.stdout)?;
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY).set_header(["", "function", "bytes"]);
    for (ring, function, name) in ROWS {
        let bytes = size(&symbols, name).map_or_else(|| "inlined".to_owned(), |b| b.to_string());
        table.add_row([ring, function, &bytes]);
    }
    println!("{table}");
    Ok(())
}

/// The size of the first symbol whose name has all of these parts. A line of `nm` is: address, size,
/// kind, name.
fn size(symbols: &str, parts: &[&str]) -> Option<u64> {
    symbols.lines().find_map(|line| {
        let mut fields = line.splitn(4, ' ');
        let size = fields.nth(1)?;
        let name = fields.nth(1)?;
        let matches = parts.iter().all(|part| name.contains(part));
        matches.then(|| u64::from_str_radix(size, 16).ok())?
    })
}
