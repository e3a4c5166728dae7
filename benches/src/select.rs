//! Which cases and peers a person asks for by name.

use core::fmt;
use std::error::Error;

use serde::{Deserialize, Serialize};

use crate::peers::Competitor;

/// What to run, by name; everything where no name is given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// Cases: by their whole name or by the first words of it.
    pub cases: Vec<String>,
    /// Peers: by their whole name.
    pub peers: Vec<String>,
}

/// A name that nothing has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    what: &'static str,
    name: String,
    known: Vec<String>,
}

/// As options on a command line, each with a space in front.
impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cases.iter().try_for_each(|case| write!(f, " --case '{case}'"))?;
        self.peers.iter().try_for_each(|peer| write!(f, " --peer '{peer}'"))
    }
}

impl Selection {
    /// Those of `all` whose names begin with the words asked for.
    ///
    /// # Errors
    /// When there are none for one of the names.
    pub fn cases<C: fmt::Display>(&self, all: Vec<C>) -> Result<Vec<C>, Unknown> {
        let begins_with = |name: &str, words: &str| {
            let rest = name.strip_prefix(words);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        choose("workload", all, &self.cases, C::to_string, begins_with)
    }

    /// Those of `all` with the names asked for.
    ///
    /// # Errors
    /// When there is none for one of the names.
    pub fn peers(&self, all: Vec<Competitor>) -> Result<Vec<Competitor>, Unknown> {
        let name = |competitor: &Competitor| competitor.name.to_owned();
        choose("peer", all, &self.peers, name, str::eq_ignore_ascii_case)
    }
}

fn choose<T>(
    what: &'static str,
    all: Vec<T>,
    wanted: &[String],
    name: impl Fn(&T) -> String,
    fits: impl Fn(&str, &str) -> bool,
) -> Result<Vec<T>, Unknown> {
    let known: Vec<String> = all.iter().map(name).collect();
    for wanted in wanted {
        if !known.iter().any(|known| fits(known, wanted)) {
            return Err(Unknown { what, name: wanted.clone(), known });
        }
    }
    let is_wanted = |known: &str| wanted.is_empty() || wanted.iter().any(|name| fits(known, name));
    Ok(all.into_iter().zip(known).filter(|(_, known)| is_wanted(known)).map(|(t, _)| t).collect())
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, name, known } = self;
        write!(f, "no {what} is called \"{name}\"; there are: {}", known.join(", "))
    }
}

impl Error for Unknown {}

#[cfg(test)]
mod tests {
    use super::Selection;
    use crate::peers::roster;

    fn cases(names: &[&str]) -> Result<Vec<&'static str>, String> {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let selection = Selection { cases: names, peers: Vec::new() };
        let all = vec!["pair", "pairs 2", "pairs 2 think", "prodcons 1:1"];
        selection.cases(all).map_err(|unknown| unknown.to_string())
    }

    #[test]
    fn words_choose_every_case_that_begins_with_them() {
        assert_eq!(cases(&[]).unwrap().len(), 4);
        assert_eq!(cases(&["pair"]).unwrap(), ["pair"]);
        assert_eq!(
            cases(&["prodcons", "pairs 2"]).unwrap(),
            ["pairs 2", "pairs 2 think", "prodcons 1:1"]
        );
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let error = cases(&["pear"]).unwrap_err();
        assert!(error.contains("\"pear\"") && error.contains("prodcons 1:1"), "{error}");
        let selection = Selection { peers: vec!["moodycamel".to_owned()], ..Selection::default() };
        let error = selection.peers(roster()).unwrap_err().to_string();
        assert!(error.contains("crossbeam SegQueue"), "{error}");
    }
}
