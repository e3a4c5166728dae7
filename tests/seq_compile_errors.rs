//! What must not compile says why. Builds a small package against this one.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, reason = "tests have std")]

use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn an_inline_ring_of_no_power_of_two_says_so() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compile_errors");
    fs::create_dir_all(package.join("src")).unwrap();
    // The versions that are there already: nothing needs to be fetched.
    fs::copy(root.join("Cargo.lock"), package.join("Cargo.lock")).unwrap();
    let manifest = format!(
        "[package]\nname = \"user\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
         [dependencies]\nsegring = {{ path = {root:?} }}\n[workspace]\n"
    );
    fs::write(package.join("Cargo.toml"), manifest).unwrap();

    for (slots, compiles) in
        [("0", false), ("3", false), ("6", false), ("1 << 31", false), ("4", true)]
    {
        let program =
            format!("fn main() {{ segring::seq::InlineRing::<u8, {{ {slots} }}>::new(); }}\n");
        fs::write(package.join("src/main.rs"), program).unwrap();
        let output = Command::new(env!("CARGO"))
            .args(["build", "--offline", "--quiet", "--target-dir"])
            .arg(package.join("target"))
            .current_dir(&package)
            // A sanitizer's flags would need its own target.
            .env_remove("RUSTFLAGS")
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .output()
            .unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.success(), compiles, "N = {slots}: {message}");
        let reason = "the N of an InlineRing must be a power of two";
        assert_eq!(message.contains(reason), !compiles, "N = {slots}: {message}");
    }
}
