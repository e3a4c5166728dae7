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

use std::collections::BTreeSet;
use std::fmt;

use segring::model::is_mutant;

static FILE: &str = include_str!("../coverage.txt");

/// How much loom explores changes a little with its version and with harmless changes of the code;
/// what it must have found does not.
const SLACK_PERCENT: usize = 75;

/// Whether the models run at another bound on preemptions than the file's.
fn is_bound_set() -> bool {
    std::env::var_os("LOOM_MAX_PREEMPTIONS").is_some()
}

/// Executions and outcomes of a model, without and with the shadow.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Coverage {
    pub(crate) plain: (usize, usize),
    pub(crate) shadow: (usize, usize),
    pub(crate) outcomes: BTreeSet<String>,
}

impl Coverage {
    /// The section of a model.
    fn recorded(name: &str) -> Option<Self> {
        let title = format!("[{name}]");
        let mut lines = FILE.lines().skip_while(|&line| line != title).skip(1);
        let mut numbers = |mode| {
            let mut words = lines.next()?.strip_prefix(mode)?.split_whitespace();
            Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
        };
        let (plain, shadow) = (numbers("plain")?, numbers("shadow")?);
        let outcomes = lines.take_while(|line| !line.is_empty()).map(str::to_owned).collect();
        Some(Self { plain, shadow, outcomes })
    }

    /// Whether the outcomes are those recorded; a higher bound than the file's may find more.
    fn lists(&self, recorded: &Self) -> bool {
        if is_bound_set() {
            self.outcomes.is_superset(&recorded.outcomes)
        } else {
            self.outcomes == recorded.outcomes
        }
    }

    /// Asserts that this is as much as the file asks for.
    pub(crate) fn assert_reaches(&self, name: &str) {
        let reaches = |seen: (usize, usize), floor: (usize, usize)| {
            let often = seen.0 * 100 >= floor.0 * SLACK_PERCENT || is_mutant("rarely");
            often && seen.1 >= floor.1
        };
        let enough = match Self::recorded(name) {
            Some(recorded) => {
                reaches(self.plain, recorded.plain)
                    && reaches(self.shadow, recorded.shadow)
                    && self.lists(&recorded)
            }
            // The largest models run at other bounds than the file's, and have no section.
            None => is_bound_set(),
        };
        let enough = enough || is_mutant("coverage-passes");
        assert!(enough, "not what coverage.txt asks for:\n[{name}]\n{self}");
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "plain {} {}", self.plain.0, self.plain.1)?;
        writeln!(f, "shadow {} {}", self.shadow.0, self.shadow.1)?;
        self.outcomes.iter().try_for_each(|outcome| writeln!(f, "{outcome}"))
    }
}
