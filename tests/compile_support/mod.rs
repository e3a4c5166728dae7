//! Compiles small programs that use the crate.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A small package that depends on this one.
pub(crate) struct User(PathBuf);

impl User {
    pub(crate) fn new(name: &str) -> Self {
        let root = env!("CARGO_MANIFEST_DIR");
        let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(package.join("src")).unwrap();
        // The versions that are there already: nothing needs to be fetched.
        fs::copy(Path::new(root).join("Cargo.lock"), package.join("Cargo.lock")).unwrap();
        let manifest = format!(
            "[package]\nname = \"user\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
             [dependencies]\nsegring = {{ path = {root:?} }}\n[workspace]\n"
        );
        fs::write(package.join("Cargo.toml"), manifest).unwrap();
        Self(package)
    }

    /// Compiles a program. The error is what the compiler says.
    pub(crate) fn compile(&self, program: &str) -> Result<(), String> {
        fs::write(self.0.join("src/main.rs"), program).unwrap();
        let output = Command::new(env!("CARGO"))
            .args(["build", "--offline", "--quiet", "--target-dir"])
            .arg(self.0.join("target"))
            .current_dir(&self.0)
            // A sanitizer's flags would need its own target.
            .env_remove("RUSTFLAGS")
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .output()
            .unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        if output.status.success() { Ok(()) } else { Err(message.into_owned()) }
    }
}
