//! What a record that was not finished already has.

use core::fmt::Display;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::Options;
use crate::machine::Machine;
use crate::record::{Size, at};
use crate::select::Selection;

/// What needs not, or cannot, be done again.
#[derive(Debug, Default)]
pub(super) struct Past {
    cells: Vec<Cell>,
    failures: Vec<(String, String)>,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
struct Cell {
    name: String,
    competitors: Vec<String>,
    rounds: usize,
    millis: u64,
}

/// What a run was to do, and where.
#[derive(Deserialize)]
struct Run {
    program: Option<String>,
    selection: Option<Selection>,
    size: Option<Size>,
    seed: Option<u64>,
    machine: Option<Machine>,
}

/// A line, as far as it matters here.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Line {
    Cell(Cell),
    Failed {
        name: String,
        competitor: String,
    },
    Run(Box<Run>),
    Peer {},
    Probe {},
    End {},
    #[serde(other)]
    Other,
}

impl Past {
    /// Reads a record of this program. What follows the last complete cell is cut off: it belongs to one that
    /// was interrupted.
    ///
    /// # Errors
    /// When it cannot be read or cut, or is no such record; then it stays as it is.
    pub(super) fn of(path: &Path, program: &str) -> io::Result<Self> {
        let refuse = |line: usize, why: &dyn Display| {
            let what = format!("{}:{line}: cannot go on with this file: {why}", path.display());
            Err(io::Error::other(what))
        };
        let text = fs::read_to_string(path).map_err(|error| at(path, &error))?;
        let mut past = Self::default();
        let (mut read, mut kept) = (0, 0);
        for (index, line) in text.split_inclusive('\n').enumerate() {
            read += line.len();
            let parsed = serde_json::from_str(line);
            let begins =
                matches!(&parsed, Ok(Line::Run(run)) if run.program.as_deref() == Some(program));
            if index == 0 && !begins {
                return refuse(1, &format!("it is no record of {program}"));
            }
            match parsed {
                Ok(Line::Other) => continue,
                Ok(Line::Cell(cell)) => past.cells.push(cell),
                Ok(Line::Failed { name, competitor }) => past.failures.push((name, competitor)),
                Ok(Line::Run(_) | Line::Peer {} | Line::Probe {} | Line::End {}) => {}
                // The last line may be half of one.
                Err(_) if read == text.len() => break,
                Err(error) => return refuse(index + 1, &error),
            }
            kept = read;
        }
        if kept < text.len() {
            OpenOptions::new().write(true).open(path)?.set_len(kept as u64)?;
        }
        Ok(past)
    }

    /// Whether a cell is there, in this length and with these competitors.
    pub(super) fn has(&self, name: &str, competitors: &[&str], rounds: usize, millis: u64) -> bool {
        self.cells.iter().any(|cell| {
            let same = (cell.name == name) && (cell.rounds, cell.millis) == (rounds, millis);
            same && cell.competitors == competitors
        })
    }

    /// Whether somebody has failed in this case: it would again.
    pub(super) fn has_failed(&self, name: &str, competitor: &str) -> bool {
        self.failures.iter().any(|(case, who)| case == name && who == competitor)
    }
}

/// The newest record in a directory that was begun with these options by this code on this machine, and has
/// no end.
///
/// # Errors
/// When the directory cannot be read.
pub(super) fn interrupted(
    directory: &Path,
    program: &str,
    machine: &Machine,
    options: &Options,
) -> io::Result<Option<PathBuf>> {
    let is_same = |path: &PathBuf| {
        let text = fs::read_to_string(path).unwrap_or_default();
        let lines = || text.lines().map(serde_json::from_str);
        let Some(Ok(Line::Run(first))) = lines().next() else { return false };
        let has_ended = lines().fold(false, |has_ended, line| match line {
            Ok(Line::End {}) => true,
            Ok(Line::Run(_)) => false,
            _ => has_ended,
        });
        !has_ended
            && !machine.dirty
            && first.program.as_deref() == Some(program)
            && first.machine.as_ref() == Some(machine)
            && (first.selection.as_ref(), first.size, first.seed)
                == (Some(&options.selection), Some(options.size), Some(options.seed))
    };
    let paths = fs::read_dir(directory)?.map(|entry| Ok(entry?.path()));
    let mut paths = paths.collect::<io::Result<Vec<_>>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    paths.sort();
    Ok(paths.into_iter().rev().find(is_same))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Machine, Options, Past, Selection, Size, interrupted};

    #[test]
    fn a_cell_that_was_interrupted_is_cut_off() {
        let cell =
            r#"{"kind":"cell","name":"pair","competitors":["a","b"],"rounds":6,"millis":200}"#;
        let failed =
            r#"{"kind":"failed","name":"pairs 2","competitor":"b","round":1,"reason":"?"}"#;
        let sample = r#"{"kind":"sample","name":"pairs 2"}"#;
        let run = r#"{"kind":"run","program":"bench-all"}"#;
        let whole = format!("{run}\n{sample}\n{cell}\n{failed}\n");
        let path = std::env::temp_dir().join(format!("segring-resume-{}", std::process::id()));
        for rest in ["", &format!("{sample}\n"), &format!("{sample}\n{{\"kind\":\"sam")] {
            fs::write(&path, format!("{whole}{rest}")).unwrap();
            let past = Past::of(&path, "bench-all").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), whole);
            assert!(past.has("pair", &["a", "b"], 6, 200));
            assert!(!past.has("pair", &["a"], 6, 200) && !past.has("pairs 2", &["a", "b"], 6, 200));
            assert!(past.has_failed("pairs 2", "b") && !past.has_failed("pair", "b"));
        }
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_file_that_is_none_of_its_records_stays_as_it_is() {
        let run = r#"{"kind":"run","program":"bench-all"}"#;
        let path = std::env::temp_dir().join(format!("segring-refuse-{}", std::process::id()));
        for (text, line) in [
            ("notes\nof mine\n", 1),
            ("notes", 1),
            ("{\"kind\":\"run\",\"program\":\"soak\"}\n", 1),
            (&format!("{run}\n?\n{{\"kind\":\"sample\"}}\n"), 2),
        ] {
            fs::write(&path, text).unwrap();
            let refused = Past::of(&path, "bench-all").unwrap_err().to_string();
            assert!(refused.contains(&format!(":{line}: cannot go on")), "{refused}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        fs::remove_file(&path).unwrap();
        let missing = Past::of(&path, "bench-all").unwrap_err().to_string();
        assert!(missing.contains("segring-refuse-"), "{missing}");
    }

    #[test]
    fn what_was_begun_otherwise_is_not_gone_on_with() {
        let machine = Machine { commit: "c".to_owned(), cores: 2, ..Machine::default() };
        let options = |peers: &[&str], millis, seed| Options {
            selection: Selection {
                peers: peers.iter().map(|&peer| peer.to_owned()).collect(),
                ..Selection::default()
            },
            size: Size { millis, ..Size::default() },
            seed,
            record: None,
        };
        let run = |machine: &Machine, options: &Options| {
            let Options { selection, size, seed, .. } = options;
            let run = serde_json::json!({ "kind": "run", "program": "bench-all", "seed": seed,
                "selection": selection, "size": size, "machine": machine });
            format!("{run}\n")
        };
        let directory = std::env::temp_dir().join(format!("segring-newest-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let write = |name: &str, text: &str| fs::write(directory.join(name), text).unwrap();
        let usual = options(&[], 200, 1);
        let ended = "{\"kind\":\"end\",\"seconds\":1}\n";
        write("1.jsonl", &run(&machine, &usual));
        write("2.jsonl", &format!("{}{ended}", run(&machine, &usual)));
        write("3.jsonl", &run(&machine, &options(&["kanal"], 200, 1)));
        write("4.jsonl", &run(&machine, &options(&[], 2, 1)));
        write("5.jsonl", &run(&Machine { cores: 64, ..machine.clone() }, &usual));
        write("6.jsonl", "not a record\n");
        let found = |machine: &Machine, options: &Options| {
            let path = interrupted(&directory, "bench-all", machine, options).unwrap();
            path.map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        };
        assert_eq!(found(&machine, &usual).as_deref(), Some("1.jsonl"));
        assert_eq!(found(&machine, &options(&["kanal"], 200, 1)).as_deref(), Some("3.jsonl"));
        assert_eq!(found(&machine, &options(&[], 200, 2)), None);
        assert_eq!(found(&Machine { dirty: true, ..machine.clone() }, &usual), None);
        fs::remove_dir_all(&directory).unwrap();
    }
}
