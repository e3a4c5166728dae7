//! Tells the records which compiler and flags the program was built with.

use std::env;
use std::process::Command;

fn main() {
    let variable = |name: &str| env::var(name).unwrap_or_else(|_| "unknown".to_owned());
    let version = Command::new(variable("RUSTC")).arg("--version").output().map_or_else(
        |_| "unknown".to_owned(),
        |output| String::from_utf8_lossy(&output.stdout).into(),
    );

    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=BENCHES_RUSTC={}", version.trim());
    println!("cargo::rustc-env=BENCHES_TARGET={}", variable("TARGET"));
    println!("cargo::rustc-env=BENCHES_OPT_LEVEL={}", variable("OPT_LEVEL"));
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    println!("cargo::rustc-env=BENCHES_RUSTFLAGS={flags}");
}
