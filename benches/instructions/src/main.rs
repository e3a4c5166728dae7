//! Holds counts of instructions against those that were accepted: `make instructions` and
//! `make instructions-accept`.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

use clap::{Parser, Subcommand};
use serde_json::Value;

/// Instructions by operation.
type Counts = BTreeMap<String, u64>;

/// Compares the summaries of a run with the accepted counts.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Where the run has put its summaries.
    #[arg(long)]
    summaries: PathBuf,
    /// The accepted counts.
    #[arg(long)]
    accepted: PathBuf,
}

#[derive(Subcommand)]
enum Command {
    /// Fails where an operation takes more instructions than were accepted.
    Check,
    /// Accepts what was counted.
    Accept,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let Arguments { command, summaries, accepted } = Arguments::parse();
    let mut counted = Counts::new();
    collect(&summaries, &mut counted)?;
    if counted.is_empty() {
        return Err(format!("there are no summaries in {}", summaries.display()).into());
    }
    if matches!(command, Command::Accept) {
        fs::write(&accepted, serde_json::to_string_pretty(&counted)? + "\n")?;
        println!("instructions: accepted {} counts", counted.len());
        return Ok(ExitCode::SUCCESS);
    }
    let before: Counts = serde_json::from_str(&fs::read_to_string(&accepted)?)?;
    let findings = compare(&before, &counted);
    for Finding { name, text, .. } in &findings {
        println!("{name:<24} {text}");
    }
    if findings.iter().any(|finding| finding.fails) {
        println!(
            "instructions: FAILED; if that is meant, `make instructions-accept` and commit the file"
        );
        return Ok(ExitCode::FAILURE);
    }
    println!("instructions: ok: {} operations", counted.len());
    Ok(ExitCode::SUCCESS)
}

/// What is said about an operation.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    name: String,
    text: String,
    fails: bool,
}

/// Fails beyond 2 % more, and where an operation is on one side only.
fn compare(before: &Counts, now: &Counts) -> Vec<Finding> {
    const MOST_PERCENT: u64 = 2;

    let mut names: Vec<&String> = before.keys().chain(now.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let judge = |name: &String| {
        let (text, fails) = match (before.get(name), now.get(name)) {
            (Some(&before), Some(&now)) => {
                #[expect(clippy::cast_precision_loss, reason = "some millions")]
                let percent = (now as f64 / before as f64 - 1.0) * 100.0;
                let fails = 100 * now > (100 + MOST_PERCENT) * before;
                let much = if fails { ", too much" } else { "" };
                (format!("{now:>10} instructions, {percent:+.2} % of {before}{much}"), fails)
            }
            (None, Some(now)) => (format!("{now:>10} instructions, not accepted yet"), true),
            (_, None) => ("is no longer counted".to_owned(), true),
        };
        Finding { name: name.clone(), text, fails }
    };
    names.into_iter().map(judge).collect()
}

/// Reads every summary below a directory.
fn collect(directory: &Path, counts: &mut Counts) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, counts)?;
        } else if path.file_name().is_some_and(|name| name == "summary.json") {
            let (name, count) = read(&fs::read_to_string(&path)?)?;
            counts.insert(name, count);
        }
    }
    Ok(())
}

/// The name and the instructions of a summary.
fn read(text: &str) -> Result<(String, u64), Box<dyn Error>> {
    let summary: Value = serde_json::from_str(text)?;
    let missing = |what| io::Error::other(format!("the summary has no {what}"));
    let name = summary["function_name"].as_str().ok_or_else(|| missing("function name"))?;
    let total = &summary["profiles"][0]["data"]["total"]["metrics"];
    let count = total["Ir"]["values"]["new"].as_u64();
    Ok((name.to_owned(), count.ok_or_else(|| missing("instructions"))?))
}

#[cfg(test)]
mod tests {
    use super::{Counts, compare, read};

    fn counts<const N: usize>(counts: [(&str, u64); N]) -> Counts {
        counts.map(|(name, count)| (name.to_owned(), count)).into()
    }

    #[test]
    fn two_percent_more_are_too_many() {
        let before = counts([("a", 1_000), ("b", 1_000), ("c", 1_000)]);
        let findings = compare(&before, &counts([("a", 1_020), ("b", 1_021), ("c", 10)]));
        let fails: Vec<bool> = findings.iter().map(|finding| finding.fails).collect();
        assert_eq!(fails, [false, true, false], "{findings:?}");
    }

    #[test]
    fn a_summary_is_read() {
        let text = r#"{"function_name":"pair","profiles":[{"data":{"total":{"metrics":{"Ir":{"values":{"new":7}}}}}}]}"#;
        assert_eq!(read(text).unwrap(), ("pair".to_owned(), 7));
        assert!(read(r#"{"function_name":"pair","profiles":[]}"#).is_err());
    }

    #[test]
    fn nothing_comes_or_goes_unseen() {
        let findings = compare(&counts([("gone", 5)]), &counts([("new", 5)]));
        assert_eq!(findings.len(), 2);
        assert!(findings.iter().all(|finding| finding.fails), "{findings:?}");
    }
}
