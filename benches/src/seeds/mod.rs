//! The sequential rings beside what they replace: old and new in the same run, sample by sample.
//!
//! The old behaviours are in [`old`], each as it was written, and the ring's also at its cheapest,
//! so that it can be told what is due to the policy alone. One thread; times are of whole samples, allocations are counted.

pub mod burst;
pub mod contest;
pub mod old;
pub mod rings;
pub mod streams;

use core::time::Duration;
use std::io;

use comfy_table::{Table, presets};

use crate::record::{Line, Record};
use burst::Burst;
use contest::Contest;

/// Rounds of a contest: an even number, so that there and back are as often.
const ROUNDS: usize = 10;

/// Runs everything, with samples of about this length; prints tables and targets, and records the
/// samples and the targets.
///
/// # Errors
/// When the record cannot be written.
pub fn run(length: Duration, record: &mut Record) -> io::Result<()> {
    let mut targets = Vec::new();
    for (title, contests) in sections() {
        println!("\n{title}\n");
        for mut contest in contests {
            let outcome = contest.run(ROUNDS, length);
            println!("{outcome}\n");
            record.contest(&outcome)?;
            targets.extend(contest.checks.iter().map(|check| check(&outcome)));
        }
    }
    println!(
        "A burst of 1,000,000 items and back, each operation timed; median [range] of rounds\n"
    );
    let bursts = burst::all();
    println!("{}\n", Burst::table(&bursts));
    targets.extend(burst::targets(&bursts));
    for target in &targets {
        println!("{target}");
        record.line(&Line::Target(target))?;
    }
    Ok(())
}

/// All contests, by seed.
pub fn sections() -> [(&'static str, Vec<Contest>); 3] {
    [
        ("S1 A ring with hysteresis; an operation is a push and a pop", rings::hysteresis()),
        ("S2 A ring with its first slots inside; an operation is an item moved", rings::inline()),
        ("S3 A buffer of segments that slides", streams::contests()),
    ]
}

fn table<const N: usize>(header: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY).set_header(header);
    table
}
