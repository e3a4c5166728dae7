//! `make soak`: long contended runs that check everything, beside the peers, with a verdict.

use core::time::Duration;
use std::process::ExitCode;

use clap::Parser;
use segring_benches::clock::Clock;
use segring_benches::heap::Counting;
use segring_benches::peers::roster;
use segring_benches::run::{Options, run};
use segring_benches::select::Selection;
use segring_benches::soak::peers::examine;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Soaks segring: checks contended histories for linearizability, compares it with its peers, and
/// ends with the number of violations found.
#[derive(Parser)]
struct Arguments {
    /// About how long to run.
    #[arg(
        long,
        env = "SOAK_SECONDS",
        default_value_t = 120,
        value_parser = clap::value_parser!(u64).range(1..=31_536_000)
    )]
    seconds: u64,

    /// Seed of all random decisions; a new one for each run unless given.
    #[arg(long, env = "SOAK_SEED")]
    seed: Option<u64>,

    /// Only the checks, for all of the time.
    #[arg(long)]
    checks: bool,

    /// Instead of all that: the same checks for every queue that is compared, and what they find.
    #[arg(long)]
    checked_peers: bool,

    /// Compare only in these cases, by the first words of their names, such as "prodcons" or "pairs 2".
    /// Repeatable.
    #[arg(long = "case", value_name = "NAME")]
    cases: Vec<String>,

    /// Compare only these. Repeatable.
    #[arg(long = "peer", value_name = "NAME")]
    peers: Vec<String>,
}

fn main() -> ExitCode {
    let Arguments { seconds, seed, checks, checked_peers, cases, peers } = Arguments::parse();
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    if checked_peers {
        println!("seed {seed}, about {seconds} s");
        let length = Duration::from_secs(seconds);
        for verdict in examine(&roster(), seed, length, &Clock::new()) {
            println!("{verdict}");
        }
        return ExitCode::SUCCESS;
    }
    let selection = Selection { cases, peers };
    match run(&Options { seconds, seed, only_checks: checks, selection }) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
