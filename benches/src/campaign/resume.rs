//! What a record that was not finished already has.

use core::fmt::Display;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// What needs not, or cannot, be done again.
#[derive(Debug, Default)]
pub(super) struct Past {
    cells: Vec<Cell>,
    failures: Vec<(String, String)>,
    is_finished: bool,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
struct Cell {
    name: String,
    competitors: Vec<String>,
    rounds: usize,
    millis: u64,
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
    Run {
        program: Option<String>,
    },
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
        let text = fs::read_to_string(path).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", path.display()))
        })?;
        let mut past = Self::default();
        let (mut read, mut kept) = (0, 0);
        for (index, line) in text.split_inclusive('\n').enumerate() {
            read += line.len();
            let parsed = serde_json::from_str(line);
            let begins = matches!(&parsed, Ok(Line::Run { program: Some(by) }) if by == program);
            if index == 0 && !begins {
                return refuse(1, &format!("it is no record of {program}"));
            }
            match parsed {
                Ok(Line::Other) => continue,
                Ok(Line::Cell(cell)) => past.cells.push(cell),
                Ok(Line::Failed { name, competitor }) => past.failures.push((name, competitor)),
                Ok(Line::End {}) => past.is_finished = true,
                Ok(Line::Run { .. } | Line::Peer {} | Line::Probe {}) => past.is_finished = false,
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

    /// Whether the last run came to its end.
    pub(super) fn is_finished(&self) -> bool {
        self.is_finished
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

/// The newest record of this program and commit in a directory.
///
/// # Errors
/// When the directory cannot be read.
pub(super) fn newest(directory: &Path, program: &str, commit: &str) -> io::Result<Option<PathBuf>> {
    let ending = format!("_{commit}_{program}.jsonl");
    let mut found = None;
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        if name.is_some_and(|name| name.ends_with(&ending)) {
            found = found.max(Some(path));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::Past;

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
            assert!(past.has("pair", &["a", "b"], 6, 200) && !past.is_finished());
            assert!(!past.has("pair", &["a"], 6, 200) && !past.has("pairs 2", &["a", "b"], 6, 200));
            assert!(past.has_failed("pairs 2", "b") && !past.has_failed("pair", "b"));
        }
        fs::write(&path, format!("{whole}{{\"kind\":\"end\",\"seconds\":1}}\n")).unwrap();
        assert!(Past::of(&path, "bench-all").unwrap().is_finished());
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
}
