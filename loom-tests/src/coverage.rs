//! What each model must have seen: `coverage.txt`.
//!
//! ```text
//! [name of a model]
//! plain EXECUTIONS OUTCOMES
//! shadow EXECUTIONS OUTCOMES
//! one outcome
//! another outcome
//! ```
//!
//! Outcomes are listed where no sequential specification gives them, and must then be exactly
//! these. A model that falls short prints its section as it should be if the change was meant.
//!
//! A section without a line for the shadow is that of a model which takes too long in that mode; `make loom`
//! runs it in both.
//!
//! `coverage-deep.txt` is the same for `make loom`, with the bound on preemptions as the first number and
//! without outcomes.

use std::collections::BTreeSet;
use std::fmt;

use segring::model::is_mutant;

static FILE: &str = include_str!("../coverage.txt");
static DEEP: &str = include_str!("../coverage-deep.txt");

/// How much loom explores changes a little with its version and with harmless changes of the code;
/// what it must have found does not.
const SLACK_PERCENT: usize = 75;

const USUAL_BOUND: usize = 2;

/// A bound on preemptions for all models, by the variable that loom itself reads.
fn bound_for_all() -> Option<usize> {
    let bound = std::env::var("LOOM_MAX_PREEMPTIONS").ok()?;
    Some(bound.parse().expect("LOOM_MAX_PREEMPTIONS is a number"))
}

/// Whether the models run at the bounds of `coverage-deep.txt`, as `make loom` asks for.
fn is_deep() -> bool {
    std::env::var_os("LOOM_DEEP").is_some()
}

/// The numbers of a line of a model's section: what is behind `mode`.
fn numbers<const N: usize>(file: &str, name: &str, mode: &str) -> Option<[usize; N]> {
    let title = format!("[{name}]");
    let section = file.lines().skip_while(|&line| line != title).skip(1);
    let mut lines = section.take_while(|line| !line.is_empty());
    let line = lines.find_map(|line| line.strip_prefix(mode))?;
    let numbers: Result<Vec<_>, _> = line.split_whitespace().map(str::parse).collect();
    Some(numbers.ok()?.try_into().expect("coverage has as many numbers in a line as it should"))
}

fn mode(shadow: bool) -> &'static str {
    if shadow { "shadow " } else { "plain " }
}

/// The bound on preemptions for a model; `None` if it does not run in this mode, as its section says.
pub(crate) fn bound(name: &str, shadow: bool) -> Option<usize> {
    if let Some(bound) = bound_for_all() {
        return Some(bound);
    }
    if is_deep() {
        return numbers::<3>(DEEP, name, mode(shadow)).map(|[bound, ..]| bound);
    }
    let is_new = numbers::<2>(FILE, name, mode(false)).is_none();
    (is_new || numbers::<2>(FILE, name, mode(shadow)).is_some()).then_some(USUAL_BOUND)
}

/// The bound for models that are to fail.
pub(crate) fn bound_of_faults() -> usize {
    bound_for_all().unwrap_or(USUAL_BOUND)
}

/// Executions and outcomes of a model, without and with the shadow.
#[derive(Debug)]
pub(crate) struct Coverage {
    pub(crate) seen: [Option<(usize, usize)>; 2],
    pub(crate) outcomes: BTreeSet<String>,
}

impl Coverage {
    /// How many executions and outcomes there must be, without and with the shadow.
    fn floors(name: &str) -> [Option<(usize, usize)>; 2] {
        [false, true].map(|shadow| {
            if is_deep() {
                numbers(DEEP, name, mode(shadow)).map(|[_, often, outcomes]| (often, outcomes))
            } else {
                numbers(FILE, name, mode(shadow)).map(|[often, outcomes]| (often, outcomes))
            }
        })
    }

    /// The outcomes of a model, where they are listed.
    fn listed(name: &str) -> BTreeSet<String> {
        let title = format!("[{name}]");
        let section = FILE.lines().skip_while(|&line| line != title).skip(1);
        let lines = section.take_while(|line| !line.is_empty());
        lines
            .filter(|line| !line.starts_with("plain ") && !line.starts_with("shadow "))
            .map(str::to_owned)
            .collect()
    }

    /// Whether the outcomes are those listed; a higher bound than the file's may find more.
    fn is_as_listed(&self, listed: &BTreeSet<String>) -> bool {
        if is_deep() || bound_for_all().is_some() {
            self.outcomes.is_superset(listed)
        } else {
            self.outcomes == *listed
        }
    }

    /// Asserts that this is as much as the file asks for.
    pub(crate) fn assert_reaches(&self, name: &str) {
        let reaches = |(seen, floor)| match (seen, floor) {
            (Some((often, outcomes)), Some((floor, least))) => {
                (often * 100 >= floor * SLACK_PERCENT || is_mutant("rarely")) && outcomes >= least
            }
            // At a bound given by hand nothing is known of a model that has no section.
            (Some(_), None) => bound_for_all().is_some(),
            (None, floor) => floor.is_none(),
        };
        let enough = self.seen.into_iter().zip(Self::floors(name)).all(reaches)
            && self.seen.iter().any(Option::is_some)
            && self.is_as_listed(&Self::listed(name));
        let enough = enough || is_mutant("coverage-passes");
        let file = if is_deep() { "coverage-deep.txt" } else { "coverage.txt" };
        assert!(enough, "not what {file} asks for:\n[{name}]\n{self}");
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (shadow, seen) in [false, true].into_iter().zip(self.seen) {
            if let Some((often, outcomes)) = seen {
                writeln!(f, "{}{often} {outcomes}", mode(shadow))?;
            }
        }
        self.outcomes.iter().try_for_each(|outcome| writeln!(f, "{outcome}"))
    }
}
