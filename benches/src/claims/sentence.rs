//! Sentences with numbers in them: found in a text, held against facts, written anew.

use alloc::collections::BTreeMap;
use core::ops::Range;

use regex::Regex;
use serde::Deserialize;

/// A sentence with the names of facts in braces where its numbers stand.
#[derive(Clone, Debug, Deserialize)]
pub struct Sentence {
    /// The text file, from the workspace root.
    pub file: String,
    /// The sentence. Where it has white space, the file may have any.
    pub text: String,
}

/// A number in a text.
#[derive(Debug, PartialEq, Eq)]
pub struct Found<'t> {
    /// The name of the fact.
    pub fact: String,
    /// What the text says.
    pub said: &'t str,
    /// Where it says so.
    pub at: Range<usize>,
}

impl Sentence {
    /// The names of its facts, in order.
    pub fn facts(&self) -> impl Iterator<Item = &str> {
        self.pieces().filter_map(|(_, fact)| fact)
    }

    /// What stands before each fact, with the fact, and what stands behind the last.
    fn pieces(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.text.split('}').map(|piece| match piece.split_once('{') {
            Some((before, fact)) => (before, Some(fact)),
            None => (piece, None),
        })
    }

    /// Its numbers in a text.
    ///
    /// # Errors
    /// When the sentence is not there exactly once.
    pub fn find<'t>(&self, text: &'t str) -> Result<Vec<Found<'t>>, String> {
        if self.text.ends_with('}') {
            return Err(format!("ends with a number, which has no end: {}", self.text));
        }
        let mut pattern = String::from("(?s)");
        for (literal, fact) in self.pieces() {
            pattern.push_str(&literal_pattern(literal));
            // A fact is short, and neither spans lines nor the cells of a table.
            pattern.push_str(if fact.is_some() { r"([^\s|][^\n|]{0,60}?)" } else { "" });
        }
        let pattern = Regex::new(&pattern).map_err(|error| error.to_string())?;
        let mut places = pattern.captures_iter(text);
        let place = places.next().ok_or_else(|| format!("not there: {}", self.text))?;
        if places.next().is_some() {
            return Err(format!("there more than once: {}", self.text));
        }
        let groups = place.iter().skip(1).flatten();
        let found = self.facts().zip(groups).map(|(fact, group)| Found {
            fact: fact.to_owned(),
            said: group.as_str(),
            at: group.range(),
        });
        Ok(found.collect())
    }

    /// Where a text and the facts differ.
    pub fn check(&self, text: &str, facts: &BTreeMap<String, String>) -> Vec<String> {
        let found = match self.find(text) {
            Ok(found) => found,
            Err(error) => return vec![format!("{}: {error}", self.file)],
        };
        let differ = |Found { fact, said, .. }: Found<'_>| match facts.get(&fact) {
            Some(right) if right == said => None,
            Some(right) => {
                Some(format!("{}: {fact}: says {said}, the record says {right}", self.file))
            }
            None => Some(format!("{}: no fact is called {fact}", self.file)),
        };
        found.into_iter().filter_map(differ).collect()
    }

    /// The text with the facts' numbers.
    ///
    /// # Errors
    /// When the sentence is not there exactly once.
    pub fn renew(&self, text: &str, facts: &BTreeMap<String, String>) -> Result<String, String> {
        let mut renewed = text.to_owned();
        for Found { fact, at, .. } in self.find(text)?.into_iter().rev() {
            let right = facts.get(&fact).ok_or_else(|| format!("no fact is called {fact}"))?;
            renewed.replace_range(at, right);
        }
        Ok(renewed)
    }
}

/// The literal, with any white space where it has some.
fn literal_pattern(literal: &str) -> String {
    let words: Vec<String> = literal.split_whitespace().map(regex::escape).collect();
    let edge = |has: bool| if has { r"\s+" } else { "" };
    let starts = literal.starts_with(char::is_whitespace);
    let ends = literal.ends_with(char::is_whitespace) && !words.is_empty();
    format!("{}{}{}", edge(starts), words.join(r"\s+"), edge(ends))
}

#[cfg(test)]
mod tests {
    use super::Sentence;
    use alloc::collections::BTreeMap;

    fn sentence(text: &str) -> Sentence {
        Sentence { file: "README.md".to_owned(), text: text.to_owned() }
    }

    fn facts() -> BTreeMap<String, String> {
        [("won", "96"), ("ratio", "0.48 [0.47-0.49]")]
            .map(|(fact, text)| (fact.to_owned(), text.to_owned()))
            .into()
    }

    const TEXT: &str = "It won\n96 pairings (0.48\u{20}[0.47-0.49] of the time).";

    #[test]
    fn a_number_does_not_reach_across_lines_or_cells() {
        let sentence = sentence("| {won} to {ratio} ns");
        let text = "scope(|s|\n  1 to 2);\n| nothing to see | 96 to 0.48\u{20}[0.47-0.49] ns |";
        assert_eq!(sentence.check(text, &facts()), [""; 0]);
        assert_eq!(sentence.renew(text, &facts()).as_deref(), Ok(text));
    }

    #[test]
    fn a_true_sentence_passes_however_it_is_wrapped() {
        let sentence = sentence("won {won} pairings ({ratio} of");
        assert_eq!(sentence.check(TEXT, &facts()), [""; 0]);
    }

    #[test]
    fn a_number_changed_by_hand_is_found() {
        let sentence = sentence("won {won} pairings ({ratio} of");
        let found = sentence.check(&TEXT.replace("96", "97"), &facts());
        assert_eq!(found, ["README.md: won: says 97, the record says 96"]);
        let found = sentence.check(&TEXT.replace("0.47", "0.46"), &facts());
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn a_sentence_that_is_gone_is_found() {
        let gone = sentence("lost {won} pairings").check(TEXT, &facts());
        assert_eq!(gone, ["README.md: not there: lost {won} pairings"]);
        let twice = sentence("won {won} pairings").check(&TEXT.repeat(2), &facts());
        assert_eq!(twice, ["README.md: there more than once: won {won} pairings"]);
        let unknown = sentence("won {lost} pairings").check(TEXT, &facts());
        assert_eq!(unknown, ["README.md: no fact is called lost"]);
    }

    #[test]
    fn renewing_changes_the_numbers_alone() {
        let sentence = sentence("won {won} pairings ({ratio} of");
        let old = TEXT.replace("96", "1").replace("0.48", "2.00");
        assert_eq!(sentence.renew(&old, &facts()).unwrap(), TEXT);
    }
}
