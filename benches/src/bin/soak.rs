//! `make soak`: long contended runs that check everything, beside the peers, with a verdict.

use std::io;
use std::process::ExitCode;

use clap::Parser;
use segring_benches::heap::Counting;
use segring_benches::run::{Options, run};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Soaks segring: checks contended histories for linearizability, compares it with its peers, and
/// ends with the number of violations found.
#[derive(Parser)]
struct Arguments {
    /// About how long to run.
    #[arg(long, env = "SOAK_SECONDS", default_value_t = 120)]
    seconds: u64,

    /// Seed of all random decisions; a new one for each run unless given.
    #[arg(long, env = "SOAK_SEED")]
    seed: Option<u64>,
}

fn main() -> io::Result<ExitCode> {
    let Arguments { seconds, seed } = Arguments::parse();
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    let violations = run(Options { seconds, seed })?;
    Ok(if violations == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
