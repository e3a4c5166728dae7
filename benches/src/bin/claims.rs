//! `make claims` holds the numbers of the paper and the README against the record they come from;
//! `make claims-renew` writes them anew.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use segring_benches::claims::Workspace;

/// The numbers of the paper and the README.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Fails where a number is not what the newest record in `papers/data` says.
    Check,
    /// Writes numbers, tables and figures anew from that record.
    Renew,
}

fn main() -> io::Result<ExitCode> {
    let Arguments { command } = Arguments::parse();
    let workspace = Workspace::open(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))?;
    if matches!(command, Command::Renew) {
        for file in workspace.renew()? {
            println!("claims: renewed {file}");
        }
    }
    let wrong = workspace.check()?;
    for line in &wrong {
        println!("claims: {line}");
    }
    for sentence in workspace.waiting() {
        println!(
            "claims: no record has the sequential rings yet: {}: {}",
            sentence.file, sentence.text
        );
    }
    let (facts, sentences) = workspace.size();
    if wrong.is_empty() {
        println!("claims: ok: {facts} facts, {sentences} sentences");
        return Ok(ExitCode::SUCCESS);
    }
    println!("claims: FAILED");
    Ok(ExitCode::FAILURE)
}
