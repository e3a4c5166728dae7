//! Every number that the paper and the README state, held against the record it comes from.
//!
//! `papers/claims.toml` names facts and says how each is computed from a record; it lists the
//! sentences of the README that state them, and for the numbers that no record has, which test shows
//! them. The paper does not repeat numbers: it reads `papers/facts.json`, which is written here, and
//! its passages that report measurements may hold no other digit. Figures are drawn here as well.
//!
//! The record is the newest one in `papers/data`.

pub mod fact;
pub mod figures;
pub mod sentence;
pub mod tables;

use alloc::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::data::Data;
use fact::Fact;
use sentence::Sentence;
use tables::Table;

/// What `papers/claims.toml` says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Claims {
    /// By name.
    facts: BTreeMap<String, Fact>,
    /// What texts say with them.
    sentence: Vec<Sentence>,
    /// Numbers that are no measurements.
    shown: Vec<Shown>,
}

/// A sentence whose numbers a test or a script shows.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shown {
    /// The text file.
    file: String,
    /// The sentence. Where it has white space, the file may have any.
    text: String,
    /// Where it is shown: a file, and a name in it.
    by: [String; 2],
    /// What runs that.
    #[expect(dead_code, reason = "for readers")]
    command: String,
}

/// What the paper reads.
#[derive(Debug, Deserialize, PartialEq, Eq, Serialize)]
struct Facts {
    facts: BTreeMap<String, String>,
    tables: BTreeMap<String, Table>,
}

/// A workspace with its claims and what its records say.
#[derive(Debug)]
pub struct Workspace {
    root: PathBuf,
    claims: Claims,
    facts: Facts,
    /// Facts about the sequential rings, as long as no record has them.
    waiting: Vec<String>,
    figures: BTreeMap<&'static str, String>,
}

const PAPER: &str = "papers/segring.typ";
const FACTS: &str = "papers/facts.json";
const FIGURES: &str = "papers/figures";

impl Workspace {
    /// Reads claims and records and computes everything.
    ///
    /// # Errors
    /// When something is not there, or a fact is not in the records.
    pub fn open(root: &Path) -> io::Result<Self> {
        let text = fs::read_to_string(root.join("papers/claims.toml"))?;
        let claims: Claims = toml::from_str(&text).map_err(io::Error::other)?;
        let (soak, seeds) = newest(&root.join("papers/data"))?;
        let seeds = seeds.as_ref().unwrap_or(&soak);
        let mut facts = BTreeMap::new();
        let mut waiting = Vec::new();
        for (name, fact) in &claims.facts {
            if fact.is_of_contests() && seeds.contests.is_empty() {
                waiting.push(name.clone());
                continue;
            }
            let text = fact.text(&soak, seeds);
            let text = text.map_err(|error| io::Error::other(format!("{name}: {error}")))?;
            facts.insert(name.clone(), text);
        }
        let facts = Facts { facts, tables: tables::all(&soak) };
        let figures = figures::draw(&soak).map_err(io::Error::other)?;
        Ok(Self { root: root.to_owned(), claims, facts, waiting, figures })
    }

    /// The sentences that can be held against a record.
    fn sentences(&self) -> impl Iterator<Item = &Sentence> {
        self.claims.sentence.iter().filter(|sentence| !self.waits(sentence))
    }

    fn waits(&self, sentence: &Sentence) -> bool {
        sentence.facts().any(|fact| self.waiting.iter().any(|waiting| waiting == fact))
    }

    /// The sentences that cannot yet, as no record has the sequential rings.
    pub fn waiting(&self) -> impl Iterator<Item = &Sentence> {
        self.claims.sentence.iter().filter(|sentence| self.waits(sentence))
    }

    /// How many facts and sentences are held against records and tests.
    pub fn size(&self) -> (usize, usize) {
        (self.facts.facts.len(), self.sentences().count() + self.claims.shown.len())
    }

    fn read(&self, file: &str) -> io::Result<String> {
        fs::read_to_string(self.root.join(file))
            .map_err(|error| io::Error::other(format!("{file}: {error}")))
    }

    /// Everything that is not as the records have it.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn check(&self) -> io::Result<Vec<String>> {
        let mut wrong = Vec::new();
        for sentence in self.sentences() {
            wrong.extend(sentence.check(&self.read(&sentence.file)?, &self.facts.facts));
        }
        for Shown { file, text, by: [shower, name], .. } in &self.claims.shown {
            let sentence = Sentence { file: file.clone(), text: text.clone() };
            wrong.extend(sentence.check(&self.read(file)?, &self.facts.facts));
            if !self.read(shower)?.contains(name.as_str()) {
                wrong.push(format!("{file}: \"{text}\" should be shown by {name} in {shower}"));
            }
        }
        if serde_json::from_str::<Facts>(&self.read(FACTS)?)? != self.facts {
            wrong.push(format!("{FACTS}: not what the record says"));
        }
        for (name, drawing) in &self.figures {
            if self.read(&format!("{FIGURES}/{name}.svg"))? != *drawing {
                wrong.push(format!("{FIGURES}/{name}.svg: not what the record draws"));
            }
        }
        let paper = self.read(PAPER)?;
        wrong.extend(self.unknown_and_unused(&paper));
        wrong.extend(bare_digits(&paper).into_iter().map(|line| format!("{PAPER}: {line}")));
        Ok(wrong)
    }

    /// Facts that the paper uses and nobody has, and facts that nobody uses.
    fn unknown_and_unused(&self, paper: &str) -> Vec<String> {
        let called = Regex::new(r#"(fact|record-table)\("([a-z0-9-]+)""#).expect("a constant");
        let mut used: Vec<&str> = self.claims.sentence.iter().flat_map(Sentence::facts).collect();
        let mut wrong = Vec::new();
        for call in called.captures_iter(paper) {
            let (_, [function, name]) = call.extract();
            let known = match function {
                "fact" => self.facts.facts.contains_key(name),
                _ => self.facts.tables.contains_key(name),
            };
            if !known {
                wrong.push(format!("{PAPER}: no {function} is called {name}"));
            }
            used.push(name);
        }
        let names = self.facts.facts.keys().chain(self.facts.tables.keys());
        let unused = names.filter(|name| !used.contains(&name.as_str()));
        wrong.extend(unused.map(|name| format!("papers/claims.toml: nobody uses {name}")));
        wrong
    }

    /// Writes texts, the paper's facts and the figures anew. Returns the files that changed.
    ///
    /// # Errors
    /// When a sentence is not there, or a file cannot be written.
    pub fn renew(&self) -> io::Result<Vec<String>> {
        let mut changed = Vec::new();
        let mut write = |file: &str, text: &str| {
            let path = self.root.join(file);
            if fs::read_to_string(&path).ok().as_deref() != Some(text) {
                changed.push(file.to_owned());
                fs::write(path, text)?;
            }
            io::Result::Ok(())
        };
        for sentence in self.sentences() {
            let text = self.read(&sentence.file)?;
            let renewed = sentence.renew(&text, &self.facts.facts);
            let renewed =
                renewed.map_err(|e| io::Error::other(format!("{}: {e}", sentence.file)))?;
            write(&sentence.file, &renewed)?;
        }
        write(FACTS, &(serde_json::to_string_pretty(&self.facts)? + "\n"))?;
        fs::create_dir_all(self.root.join(FIGURES))?;
        for (name, drawing) in &self.figures {
            write(&format!("{FIGURES}/{name}.svg"), drawing)?;
        }
        Ok(changed)
    }
}

/// The newest record of the soak, and the newest that has the sequential rings if that is another.
fn newest(directory: &Path) -> io::Result<(Data, Option<Data>)> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(directory)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    // Names begin with the date.
    paths.sort();
    let mut soak: Option<Data> = None;
    let mut seeds = None;
    for path in paths.iter().rev().filter(|path| path.extension().is_some_and(|x| x == "jsonl")) {
        let data = Data::read(path)?;
        let has_contests = !data.contests.is_empty();
        if soak.is_none() && data.checks.is_some() && !data.cases.is_empty() {
            if has_contests && seeds.is_none() {
                return Ok((data, None));
            }
            soak = Some(data);
        } else if has_contests && seeds.is_none() {
            seeds = Some(data);
        }
        if soak.is_some() && seeds.is_some() {
            break;
        }
    }
    let soak = soak.ok_or_else(|| io::Error::other("no record of a soak"))?;
    Ok((soak, seeds))
}

/// Lines of the paper's passages about measurements that have a digit of their own. Passages go from
/// `// numbers: from records` to `// numbers: end`. Facts, code, labels, names and comments may have digits.
fn bare_digits(paper: &str) -> Vec<String> {
    let allowed = Regex::new(r#"//.*|"[^"]*"|`[^`]*`|<[a-z0-9-]+>|@[a-z0-9-]+|#[a-z-]+\([a-z]*: [^"]*?\)|\b\d+(em|pt|fr|%)|\b[A-Za-z]+\d+"#)
        .expect("a constant");
    let mut inside = false;
    let mut found = Vec::new();
    for (number, line) in paper.lines().enumerate() {
        match line.trim() {
            "// numbers: from records" => inside = true,
            "// numbers: end" => inside = false,
            line if inside
                && allowed.replace_all(line, "").contains(|c: char| c.is_ascii_digit()) =>
            {
                found.push(format!("line {}: a number of its own: {line}", number + 1));
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::bare_digits;

    #[test]
    fn measured_passages_have_no_digits_of_their_own() {
        let paper = |text: &str| {
            format!("In 1 ring\n// numbers: from records\n{text}\n// numbers: end\nand 2 rings")
        };
        for fine in [
            "takes #fact(\"pair-2\") of it, see @fig-2 in `1:1`",
            "#figure(image(\"figures/a1.svg\", width: 100%), caption: [none]) <fig-2>",
        ] {
            assert_eq!(bare_digits(&paper(fine)), [""; 0]);
        }
        for bad in ["takes 0.48 of it", "takes #fact(\"pair\") of 3"] {
            assert_eq!(bare_digits(&paper(bad)).len(), 1, "{bad}");
        }
    }
}
