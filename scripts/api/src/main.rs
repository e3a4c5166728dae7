//! Prints the public API described by the JSON file that is named: an item a line.

use public_api::Builder;

/// Traits that the compiler keeps to itself: their implementations promise nothing to users.
const INTERNAL: [&str; 3] = ["Freeze", "StructuralPartialEq", "UnsafeUnpin"];

fn main() {
    let json = std::env::args_os().nth(1).expect("the file that rustdoc wrote");
    // Blanket implementations are the same for every type; those of auto traits are promises.
    let api = Builder::from_rustdoc_json(&json).omit_blanket_impls(true).build();
    let api = api.expect("JSON of the version that public-api reads");
    for item in api.items() {
        let line = item.to_string();
        if !INTERNAL.iter().any(|name| line.contains(&format!("core::marker::{name} for "))) {
            println!("{line}");
        }
    }
}
