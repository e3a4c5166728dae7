//! `make report`: the page of a record.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use segring_benches::page;

/// Writes a record as one page of HTML that needs nothing else, and prints its path.
#[derive(Parser)]
struct Arguments {
    /// The record; the newest one in `records/` and `papers/data/` unless given.
    #[arg(long, env = "RECORD")]
    record: Option<PathBuf>,

    /// Where the page goes.
    #[arg(long, default_value = "target/report")]
    to: PathBuf,
}

fn main() -> ExitCode {
    match report(&Arguments::parse()) {
        Ok(page) => {
            println!("report: {}", page.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("report: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Where the page is.
fn report(Arguments { record, to }: &Arguments) -> io::Result<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let data = match record {
        Some(record) => page::read(record)?,
        None => page::newest(&root)?,
    };
    for fault in &data.faults {
        eprintln!("report: {}{fault}", data.name);
    }
    page::write(&data, to)
}
