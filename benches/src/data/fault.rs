//! What is wrong with a record, told by line, so that the rest can still be read.

use core::fmt;

use serde_json::Value;

use super::{Data, Line};
use crate::record::VERSION;

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where, counted from 1; nowhere if it is about the whole file.
    pub line: Option<usize>,
    /// What is wrong.
    pub what: String,
    /// Whether it is a line of a kind that is not known, which a reader may pass over.
    pub is_unknown_kind: bool,
}

impl Fault {
    /// About the whole file.
    pub const fn of_file(what: String) -> Self {
        Self { line: None, what, is_unknown_kind: false }
    }
}

/// Follows a file name: `record.jsonl:12: what`.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, ":{line}: {}", self.what),
            None => write!(f, ": {}", self.what),
        }
    }
}

/// Every line of a text, read or told why not.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Result<Line, Fault>> {
    let last = text.lines().count();
    text.lines().enumerate().map(move |(index, line)| {
        let (number, line) = (index + 1, line.trim_start_matches('\u{feff}'));
        serde_json::from_str(line).map_err(|error| {
            let breaks_off = number == last && error.is_eof() && !text.ends_with('\n');
            let (what, is_unknown_kind) = if breaks_off {
                (format!("breaks off after {} bytes: the file is truncated", line.len()), false)
            } else {
                unreadable(line, &error)
            };
            Fault { line: Some(number), what, is_unknown_kind }
        })
    })
}

/// Why a line is none that we know, and whether that is only for its kind.
fn unreadable(line: &str, error: &serde_json::Error) -> (String, bool) {
    let reason = error.to_string();
    // The place in the line is meant; the library counts lines of its own.
    let reason = reason.split(" at line 1 column").next().unwrap_or(&reason);
    let Ok(value) = serde_json::from_str::<Value>(line) else {
        return (format!("not JSON: {reason}, at character {}", error.column()), false);
    };
    match value.get("kind").and_then(Value::as_str) {
        None => ("no line of a record: it has no `kind`".to_owned(), false),
        Some(kind) if reason.starts_with(&format!("unknown variant `{kind}`")) => {
            let kind: String = kind.chars().take(40).collect();
            (format!("of a kind this version does not know, `{kind}`"), true)
        }
        Some(kind) => {
            (format!("a `{kind}` that is not as this version writes it: {reason}"), false)
        }
    }
}

/// A file that has not one line that we know.
pub(super) fn not_a_record(text: &str) -> Fault {
    match text.lines().next() {
        None => Fault::of_file("is empty".to_owned()),
        Some(first) => {
            let start: String = first.chars().take(40).collect();
            let what =
                format!("not a record of segring: no line of it is one; it begins {start:?}");
            Fault { line: Some(1), ..Fault::of_file(what) }
        }
    }
}

/// What a record should have and does not.
pub(super) fn missing(data: &Data) -> Vec<Fault> {
    let mut missing = Vec::new();
    let mut note = |what| missing.push(Fault::of_file(what));
    match data.runs.iter().map(|run| run.version).max() {
        None => note("has no line `run`: whose record it is stays unknown".to_owned()),
        Some(version) if version > VERSION => {
            note(format!("format {version}, newer than the {VERSION} known here: it may say more"));
        }
        Some(_) => {}
    }
    let compares = !data.cases.is_empty() || !data.bursts.is_empty();
    if compares && !data.has_ended {
        let what = "has no end: the run was interrupted, or the file cut short";
        note(what.to_owned());
    }
    missing
}
