//! `make targets`: the goals of the queue against a record, and whether all are met.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use comfy_table::{Table, presets};
use segring_benches::goals::{OPEN, goals};
use segring_benches::page;

/// Prints what is wanted, what a record says of it, and whether that is enough.
#[derive(Parser)]
struct Arguments {
    /// The record; the newest one in `records/` and `papers/data/` unless given.
    #[arg(long, env = "RECORD")]
    record: Option<PathBuf>,
}

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read =
        Arguments::parse().record.map_or_else(|| page::newest(&root), |file| page::read(&file));
    let data = match read {
        Ok(data) => data,
        Err(error) => {
            eprintln!("targets: {error}");
            return ExitCode::FAILURE;
        }
    };
    for fault in &data.faults {
        eprintln!("targets: {}{fault}", data.name);
    }
    let goals = goals(&data);
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY).set_header(["", "what", "wanted", "measured"]);
    for goal in &goals {
        let verdict = match goal.measured.as_str() {
            OPEN => "open",
            _ if goal.met => "met",
            _ => "short",
        };
        table.add_row([verdict, &goal.subject, &goal.wanted, &goal.measured]);
    }
    println!("{}\n{table}", data.name);
    let met = goals.iter().filter(|goal| goal.met).count();
    let open = goals.iter().filter(|goal| goal.measured == OPEN).count();
    println!(
        "{met} of {} met, {} short, {open} open, as this record says nothing of them",
        goals.len(),
        goals.len() - met - open
    );
    if met == goals.len() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
