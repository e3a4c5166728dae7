//! What must not compile says why. Builds a small package against this one.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, reason = "tests have std")]

use compile_support::User;

mod compile_support;

#[test]
fn an_inline_ring_of_no_power_of_two_says_so() {
    let user = User::new("seq_compile_errors");
    let with = |slots| {
        user.compile(&format!(
            "fn main() {{ segring::seq::InlineRing::<u8, {{ {slots} }}>::new(); }}\n"
        ))
    };
    for slots in ["0", "3", "6", "1 << 31"] {
        let error = with(slots).expect_err(slots);
        let reason = "the N of an InlineRing must be a power of two";
        assert!(error.contains(reason), "N = {slots}: {error}");
    }
    with("4").unwrap();
}
