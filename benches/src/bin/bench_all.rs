//! `make bench-all`: every case, by every peer, into one record; `make aa`: a queue against itself.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use segring_benches::campaign::{Cell, Options, RECORD, compare_with_itself, run};
use segring_benches::heap::Counting;
use segring_benches::peers::roster;
use segring_benches::record::Size;
use segring_benches::select::Selection;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Measures segring and its peers in every case. An interrupted run goes on where it was.
#[derive(Parser)]
struct Arguments {
    /// Only these cases, by the first words of their names, such as "prodcons" or "pairs 2". Repeatable.
    #[arg(long = "case", value_name = "NAME")]
    cases: Vec<String>,

    /// Only these peers. Repeatable.
    #[arg(long = "peer", value_name = "NAME")]
    peers: Vec<String>,

    /// Samples that everybody takes of every case; even, so that everybody comes first as often as last.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    rounds: u16,

    /// Milliseconds of a sample.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=60_000))]
    millis: u64,

    /// Seed of all random decisions.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// A record to begin or to go on with, instead of the newest that was interrupted with the same options,
    /// code and machine.
    #[arg(long, env = RECORD, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Compare the first chosen peer with itself, so many times, in the first chosen case.
    #[arg(long, value_name = "TIMES", value_parser = clap::value_parser!(u16).range(1..=1_000))]
    aa: Option<u16>,

    /// Only list cases and peers.
    #[arg(long)]
    list: bool,
}

/// Of twenty intervals, each of which holds the truth 19 times in 20, fewer than 17 do once in 60 runs.
const LEAST_OF_TWENTY: usize = 17;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.list {
        for cell in Cell::all() {
            println!("case: {cell}");
        }
        for peer in roster() {
            println!("peer: {}, {}: {}", peer.name, peer.promise, peer.usage);
        }
        return ExitCode::SUCCESS;
    }
    start(arguments).unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::FAILURE
    })
}

fn start(arguments: Arguments) -> io::Result<ExitCode> {
    let Arguments { cases, peers, rounds, millis, seed, record, aa, .. } = arguments;
    let selection = Selection { cases, peers };
    let size = Size { rounds: rounds.into(), millis };
    let options = Options { selection, size, seed, record };
    let Some(times) = aa else {
        run(&options)?;
        return Ok(ExitCode::SUCCESS);
    };
    let times = times.into();
    let held = compare_with_itself(&options, times)?;
    Ok(if held * 20 >= times * LEAST_OF_TWENTY { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
