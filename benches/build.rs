//! Tells the records which compiler and flags the program was built with.

use std::env;
use std::fs;
use std::path::Path;
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
    println!("cargo::rustc-env=BENCHES_VERSIONS={}", versions());
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    println!("cargo::rustc-env=BENCHES_RUSTFLAGS={flags}");
}

/// Every package of the workspace's lock file, as `name version;name version;...`.
fn versions() -> String {
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
    println!("cargo::rerun-if-changed={}", lock.display());
    let text = fs::read_to_string(lock).unwrap_or_default();
    let value = |line: &str, key| Some(line.strip_prefix(key)?.trim_matches('"').to_owned());
    let packages = text.split("[[package]]").filter_map(|package| {
        let name = package.lines().find_map(|line| value(line, "name = "))?;
        let version = package.lines().find_map(|line| value(line, "version = "))?;
        Some(format!("{name} {version}"))
    });
    packages.collect::<Vec<_>>().join(";")
}
