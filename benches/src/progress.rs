//! The bar at the bottom of a run: what is going on, how long it will take, what was found.

use core::cell::Cell;
use core::fmt;
use core::time::Duration;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};

use crate::soak::Finding;

/// Progress through a run of known length. Invisible where standard error is no terminal.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    start: Instant,
    length: Duration,
    violations: Cell<u64>,
}

impl Progress {
    /// Starts now.
    pub fn new(length: Duration) -> Self {
        let style = ProgressStyle::with_template("[{elapsed_precise}] {wide_bar} {msg}");
        let bar = ProgressBar::new(length.as_secs());
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { bar, start: Instant::now(), length, violations: Cell::new(0) }
    }

    /// Without a bar, for tests.
    pub fn hidden() -> Self {
        Self { bar: ProgressBar::hidden(), ..Self::new(Duration::ZERO) }
    }

    /// Shows what comes next.
    pub fn case(&self, case: &str) {
        let elapsed = self.start.elapsed();
        let left = self.length.saturating_sub(elapsed).as_secs();
        self.bar.set_position(elapsed.min(self.length).as_secs());
        self.bar
            .set_message(format!("{case}, {left} s left, {} violations", self.violations.get()));
    }

    /// Prints a line above the bar.
    pub fn print(&self, line: impl fmt::Display) {
        self.bar.suspend(|| println!("{line}"));
    }

    /// Prints a violation above the bar, and counts it.
    pub fn violation(&self, finding: &Finding) {
        self.violations.set(self.violations.get() + 1);
        self.print(finding);
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
