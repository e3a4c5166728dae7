//! Where a result comes from: the code, the compiler and the machine. Nothing about persons: no host
//! name, no user, no paths.

use core::fmt;
use std::fs;
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::workload::core_count;

/// The origin of a result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The commit that was checked out, shortened.
    pub commit: String,
    /// Whether files differed from it.
    pub dirty: bool,
    /// The compiler.
    pub rustc: String,
    /// The target.
    pub target: String,
    /// Optimisation level, debug assertions, and flags without paths.
    pub flags: String,
    /// The processor's name.
    pub cpu: String,
    /// Cores this process may use.
    pub cores: usize,
    /// The kernel's release.
    pub kernel: String,
}

impl Machine {
    /// This one; what cannot be found out is `unknown`.
    pub fn this() -> Self {
        let unknown = || "unknown".to_owned();
        let changes = git(&["status", "--porcelain"]);
        Self {
            commit: git(&["rev-parse", "--short=12", "HEAD"]).unwrap_or_else(unknown),
            dirty: changes.is_none_or(|changes| !changes.is_empty()),
            rustc: env!("BENCHES_RUSTC").to_owned(),
            target: env!("BENCHES_TARGET").to_owned(),
            flags: flags(),
            cpu: cpu().unwrap_or_else(unknown),
            cores: core_count(),
            kernel: fs::read_to_string("/proc/sys/kernel/osrelease")
                .map_or_else(|_| unknown(), |release| release.trim().to_owned()),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { commit, dirty, rustc, flags, cpu, cores, kernel, .. } = self;
        let changes = if *dirty { " and changes" } else { "" };
        write!(f, "{commit}{changes} on {cpu} ({cores} cores, kernel {kernel}), {rustc}, {flags}")
    }
}

/// The version of a package that this program was built with; of the standard library, the compiler's.
pub fn version_of(package: &str) -> &'static str {
    if package == "std" {
        return env!("BENCHES_RUSTC");
    }
    let packages = env!("BENCHES_VERSIONS").split(';').filter_map(|entry| entry.split_once(' '));
    let mut found = packages.filter(|(name, _)| *name == package);
    found.next().map_or("unknown", |(_, version)| version)
}

/// What git says about the workspace, if there is a git and a repository.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(env!("CARGO_MANIFEST_DIR"))
        .args(arguments)
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn cpu() -> Option<String> {
    let info = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = info.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn flags() -> String {
    let assertions = if cfg!(debug_assertions) { ", debug assertions" } else { "" };
    let mut flags = format!("opt-level {}{assertions}", env!("BENCHES_OPT_LEVEL"));
    for flag in env!("BENCHES_RUSTFLAGS").split('\x1f') {
        if !flag.is_empty() && !flag.contains('/') {
            flags.push(' ');
            flags.push_str(flag);
        }
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::{Machine, version_of};

    #[test]
    fn every_peer_has_a_version() {
        for competitor in crate::peers::roster() {
            let version = version_of(competitor.package);
            assert!(version.contains('.'), "{}: {version}", competitor.name);
        }
    }

    #[test]
    fn says_nothing_about_persons() {
        let machine = format!("{:?}", Machine::this());
        assert!(machine.contains("rustc 1."), "{machine}");
        for private in ["HOME", "USER", "HOSTNAME"] {
            let value = std::env::var(private).unwrap_or_default();
            assert!(value.len() < 5 || !machine.contains(&value), "{private} is in {machine}");
        }
    }
}
