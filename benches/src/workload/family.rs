//! Which cases there are, by family.

use super::{Between, Case, ItemKind, Placement, core_count};

/// Cases that share a table.
#[derive(Clone, Debug)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// What an operation is, and what to keep in mind.
    pub note: &'static str,
    /// The columns.
    pub cases: Vec<Case>,
}

fn boundary(threads: usize) -> [Case; 3] {
    [64, 1_024, 65_536].map(|backlog| Case::RingBoundary { threads, backlog })
}

fn prodcons<const N: usize>(sides: [(usize, usize); N], between: Between) -> Vec<Case> {
    let case = |(producers, consumers)| Case::ProdCons {
        producers,
        consumers,
        between,
        placement: Placement::Own,
    };
    sides.map(case).to_vec()
}

fn pairs(threads: impl IntoIterator<Item = usize>, between: Between) -> Vec<Case> {
    let case = |threads| Case::Pairs { threads, between, placement: Placement::Own };
    threads.into_iter().map(case).collect()
}

impl Family {
    /// The cases of a short comparison.
    pub fn short() -> Vec<Self> {
        const SIDES: [(usize, usize); 5] = [(1, 1), (2, 1), (1, 2), (2, 2), (4, 4)];
        const THREADS: [usize; 3] = [1, 2, 4];
        vec![
            Self {
                name: "pair",
                note: "one thread pushes and pops in turn, on an empty queue",
                cases: vec![Case::Pair],
            },
            Self {
                name: "batch",
                note: "one thread pushes many items and pops them, by calls for many where there are \
                       such; an operation is one item",
                cases: vec![Case::Batch { items: 32 }],
            },
            Self {
                name: "ring_boundary",
                note: "push and pop in turn over a stable backlog that just fills a ring; \
                       the first growth is not timed",
                cases: [boundary(1), boundary(2)].concat(),
            },
            Self {
                name: "prodcons",
                note: "producers push, consumers pop; producers stop at a lead of 16,384 items",
                cases: prodcons(SIDES, Between::Nothing),
            },
            Self {
                name: "prodcons, think",
                note: "the same with 0 to 100 ns of work between operations, which is included",
                cases: prodcons(SIDES, Between::Think),
            },
            Self {
                name: "pairs",
                note: "every thread pushes and pops in turn",
                cases: pairs(THREADS, Between::Nothing),
            },
            Self {
                name: "pairs, think",
                note: "the same with 0 to 100 ns of work between operations, which is included",
                cases: pairs(THREADS, Between::Think),
            },
        ]
    }

    /// Every case.
    pub fn all() -> Vec<Self> {
        let mut families = Self::short();
        let most = 8 * core_count();
        for family in &mut families {
            match family.name {
                "batch" => family.cases = [8, 32, 256].map(|items| Case::Batch { items }).to_vec(),
                "prodcons" => {
                    let more = [(4, 1), (8, 1), (1, 4), (8, 8), (16, 16)];
                    family.cases.extend(prodcons(more, Between::Nothing));
                    let half = most / 2;
                    family.cases.extend(prodcons([(half, half)], Between::Nothing));
                }
                "pairs" => {
                    let doubled = core::iter::successors(Some(8), |threads| Some(2 * threads));
                    let below = doubled.take_while(|threads| *threads < most);
                    family.cases.extend(pairs(below.chain([most]), Between::Nothing));
                }
                _ => {}
            }
            let mut seen = Vec::new();
            family.cases.retain(|case| {
                let is_new = !seen.contains(case);
                seen.push(*case);
                is_new
            });
        }
        families.extend(Self::further());
        families
    }

    fn further() -> Vec<Self> {
        let placed = |placement| {
            let between = Between::Nothing;
            let prodcons =
                |producers, consumers| Case::ProdCons { producers, consumers, between, placement };
            let pairs = |threads| Case::Pairs { threads, between, placement };
            vec![prodcons(1, 1), prodcons(2, 2), pairs(2), pairs(4)]
        };
        let item = |item| [1, 2].map(|threads| Case::Large { item, threads });
        vec![
            Self {
                name: "pairs, work",
                note: "every thread pushes and pops in turn, with 50 to 150 ns of work between \
                       operations, which is included: the way it is measured in papers",
                cases: pairs([1, 2, 4], Between::Work),
            },
            Self {
                name: "unpinned",
                note: "as in prodcons and pairs, with threads that the system places",
                cases: placed(Placement::Free),
            },
            Self {
                name: "one core",
                note: "as in prodcons and pairs, with all threads on one core: they take turns, and \
                       whoever spins wastes the turn of the one it waits for",
                cases: placed(Placement::OneCore),
            },
            Self {
                name: "random",
                note: "every thread tosses a coin before each operation, over some 1,000 items; an \
                       operation is a push or a pop",
                cases: [1, 2, 4].map(|threads| Case::Random { threads }).to_vec(),
            },
            Self {
                name: "empty",
                note: "every thread pops from an empty queue; an operation is a pop that finds nothing",
                cases: [1, 2].map(|threads| Case::Empty { threads }).to_vec(),
            },
            Self {
                name: "large",
                note: "every thread pops an item and pushes it back, a few of them being inside; by \
                       type and number of threads",
                cases: ItemKind::ALL.map(item).concat(),
            },
            Self {
                name: "rayon",
                note: "a parallel iterator pushes, threads pop; what it costs rayon to begin and end \
                       is included",
                cases: [(1, 1), (2, 2)]
                    .map(|(producers, consumers)| Case::Rayon { producers, consumers })
                    .to_vec(),
            },
            Self {
                name: "search",
                note: "threads search a random graph breadth first; an operation is a node",
                cases: [1, 2, 4].map(|threads| Case::Search { threads }).to_vec(),
            },
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::Family;

    #[test]
    fn names_of_cases_tell_them_apart() {
        let families = Family::all();
        let cases = families.iter().flat_map(|family| &family.cases);
        let mut names: Vec<String> = cases.map(ToString::to_string).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        let short = Family::short();
        for case in short.iter().flat_map(|family| &family.cases) {
            assert!(names.contains(&case.to_string()), "{case} is only in the short list");
        }
    }
}
