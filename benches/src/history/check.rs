//! The four conditions, by sorting and sweeping.

use super::{Kind, Operation, Passage, Violation};

/// How many operations of a linearizable history were of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Pushes.
    pub pushes: usize,
    /// Pops that returned a value.
    pub pops: usize,
    /// Pops that found nothing.
    pub empties: usize,
}

impl Checked {
    /// All of them.
    pub const fn operations(self) -> usize {
        self.pushes + self.pops + self.empties
    }
}

/// Checks a history of unique values, in any order of its operations; see the
/// [module](crate::history) for what is checked and why that is enough.
///
/// # Errors
/// The first violation found: match before fresh, fresh before order, order before empty.
///
/// # Panics
/// When an operation responds before it is called: the clock is broken, and no verdict means
/// anything.
pub fn check(operations: impl IntoIterator<Item = Operation>) -> Result<Checked, Box<Violation>> {
    let history = History::matched(operations)?;
    history.fresh()?;

    let mut pushed = history.events(|push, pop| Event { at: push.1, pop: pop.0, index: 0 });
    let called = history.events(|push, pop| Event { at: push.0, pop: pop.1, index: 0 });
    history.order(&pushed, &called)?;

    // Only a value whose push responded before its pop was called is ever certainly inside.
    pushed.retain(|event| event.at < event.pop);
    history.empty(&pushed)?;

    Ok(Checked {
        pushes: history.pushes.len(),
        pops: history.pops.len(),
        empties: history.empties.len(),
    })
}

/// Pushes and pops, each sorted by value; every pop has a push.
struct History {
    pushes: Vec<Operation>,
    pops: Vec<Operation>,
    empties: Vec<Operation>,
}

/// One end of a value's push, together with one end of its pop: what a sweep over pushes needs, in
/// one place so that the sweep reads memory in order.
struct Event {
    at: u64,
    pop: u64,
    /// Of the push.
    index: usize,
}

impl History {
    fn matched(operations: impl IntoIterator<Item = Operation>) -> Result<Self, Box<Violation>> {
        let (mut pushes, mut pops, mut empties) = (Vec::new(), Vec::new(), Vec::new());
        for operation in operations {
            assert!(operation.call <= operation.response, "the clock ran backwards: {operation:?}");
            match operation.kind {
                Kind::Push => pushes.push(operation),
                Kind::Pop => pops.push(operation),
                Kind::Empty => empties.push(operation),
            }
        }
        // Stable sorts, for their use of runs: each producer's values arrive in rising order.
        pushes.sort_by_key(|push: &Operation| push.value);
        pops.sort_by_key(|pop: &Operation| pop.value);

        if let Some(twin) = pushes.windows(2).find(|pair| pair[0].value == pair[1].value) {
            return Err(Box::new(Violation::PushedTwice(twin[0], twin[1])));
        }
        if let Some(twin) = pops.windows(2).find(|pair| pair[0].value == pair[1].value) {
            return Err(Box::new(Violation::PoppedTwice(twin[0], twin[1])));
        }
        let mut candidates = pushes.iter();
        for pop in &pops {
            // Both rise, so a value that was skipped or has run out is nowhere.
            if candidates.find(|push| push.value >= pop.value).is_none_or(|p| p.value != pop.value)
            {
                return Err(Box::new(Violation::NeverPushed(*pop)));
            }
        }
        Ok(Self { pushes, pops, empties })
    }

    /// Each push with its pop, in order of value.
    fn passages(&self) -> impl Iterator<Item = Passage> {
        let mut pops = self.pops.iter().copied().peekable();
        self.pushes.iter().map(move |&push| {
            let pop = pops.next_if(|pop| pop.value == push.value);
            Passage { push, pop }
        })
    }

    fn passage(&self, index: usize) -> Passage {
        let push = self.pushes[index];
        let pop = self.pops.binary_search_by_key(&push.value, |pop| pop.value);
        Passage { push, pop: pop.ok().map(|found| self.pops[found]) }
    }

    /// An event for each value, made from the (call, response) of its push and of its pop, sorted
    /// by instant.
    fn events(&self, event: impl Fn((u64, u64), (u64, u64)) -> Event) -> Vec<Event> {
        let mut events: Vec<Event> = self
            .passages()
            .enumerate()
            .map(|(index, Passage { push, pop })| {
                let pop = pop.map_or((u64::MAX, u64::MAX), |pop| (pop.call, pop.response));
                Event { index, ..event((push.call, push.response), pop) }
            })
            .collect();
        events.sort_by_key(|event| event.at);
        events
    }

    fn fresh(&self) -> Result<(), Box<Violation>> {
        let stale = |p: &Passage| p.pop.is_some_and(|pop| pop.response < p.push.call);
        self.passages()
            .find(stale)
            .map_or(Ok(()), |passage| Err(Box::new(Violation::Stale(passage))))
    }

    /// Sweeps the pushes by call, and remembers of those that had responded by then the one that
    /// left last: nothing that is pushed now may have left before it.
    ///
    /// `pushed` pairs the response of a push with the call of the pop, `called` the call of the
    /// push with the response of the pop.
    fn order(&self, pushed: &[Event], called: &[Event]) -> Result<(), Box<Violation>> {
        let mut earlier = pushed.iter().peekable();
        let mut slowest: Option<&Event> = None;
        for behind in called {
            while let Some(ahead) = earlier.next_if(|ahead| ahead.at < behind.at) {
                if slowest.is_none_or(|slowest| ahead.pop > slowest.pop) {
                    slowest = Some(ahead);
                }
            }
            if let Some(ahead) = slowest.filter(|ahead| behind.pop < ahead.pop) {
                let (ahead, behind) = (self.passage(ahead.index), self.passage(behind.index));
                return Err(Box::new(Violation::Order { ahead, behind }));
            }
        }
        Ok(())
    }

    /// Merges the open spans of time in which some value was certainly inside, and looks for an
    /// empty pop within one. Spans that merely touch stay apart: the instant between is free.
    fn empty(&self, inside: &[Event]) -> Result<(), Box<Violation>> {
        let mut merged: Vec<(u64, u64)> = Vec::new();
        for span in inside {
            match merged.last_mut() {
                Some((_, until)) if span.at < *until => *until = span.pop.max(*until),
                _ => merged.push((span.at, span.pop)),
            }
        }
        for &pop in &self.empties {
            let begun = merged.partition_point(|&(from, _)| from < pop.call);
            let covered = begun.checked_sub(1).is_some_and(|last| pop.response < merged[last].1);
            if covered {
                let covered_by = self.cover(inside, pop);
                return Err(Box::new(Violation::Empty { pop, covered_by }));
            }
        }
        Ok(())
    }

    /// As few values as possible that cover `pop`: from each instant on, the one that stays longest.
    fn cover(&self, inside: &[Event], pop: Operation) -> Vec<Passage> {
        let mut covered_by = Vec::new();
        let mut reached = pop.call;
        let mut spans = inside.iter().peekable();
        let mut longest: Option<&Event> = None;
        while reached <= pop.response {
            while let Some(span) = spans.next_if(|span| span.at < reached) {
                if longest.is_none_or(|longest| span.pop > longest.pop) {
                    longest = Some(span);
                }
            }
            let Some(span) = longest.filter(|span| span.pop > reached) else { break };
            covered_by.push(self.passage(span.index));
            reached = span.pop;
        }
        covered_by
    }
}
