//! `make targets`: what the queue is to reach against its peers, held against a record. More is asked for here
//! than by the soak, and of more workloads; a record that lacks one leaves its goals open.

use crate::compare::Spread;
use crate::data::{Case, Data};
use crate::peers::array_queue::ArrayQueue;
use crate::peers::seg_queue::SegQueue;
use crate::peers::std_mpsc::Mpsc;
use crate::peers::{Bound, Handles, OneConsumer, Peer, Progress, Shared};
use crate::report::{OURS, Target};
use crate::workload::Sample;

const HANDLE: &str = <Handles<u64> as Peer<u64>>::NAME;
const SHARED: &str = <Shared<u64> as Peer<u64>>::NAME;
const MPSC: &str = <OneConsumer<u64> as Peer<u64>>::NAME;
const SEG_QUEUE: &str = <SegQueue<u64> as Peer<u64>>::NAME;
const ARRAY_QUEUE: &str = <ArrayQueue<u64> as Peer<u64>>::NAME;
const STD_MPSC: &str = <Mpsc<u64> as Peer<u64>>::NAME;
const KANAL: &str = "kanal";
const FLOOR: &str = "two_counters";

/// What is measured of a goal that the record says nothing about.
pub const OPEN: &str = "not in this record";

/// All goals, with what the record says of them. A mean is over those of its cells that the record has.
pub fn goals(data: &Data) -> Vec<Target> {
    let mut goals = vec![
        ratio(data, "pair", HANDLE, SEG_QUEUE, 0.42),
        ratio(data, "pair", HANDLE, KANAL, 0.90),
        ratio(data, "pair", HANDLE, ARRAY_QUEUE, 1.05),
        ratio(data, "pair", HANDLE, FLOOR, 1.20),
        ratio(data, "pair", SHARED, SEG_QUEUE, 0.75),
        ratio(data, "pair", MPSC, STD_MPSC, 0.28),
        ratio(data, "pair", MPSC, ARRAY_QUEUE, 0.65),
        ratio(data, "batch of 32 items", HANDLE, SEG_QUEUE, 0.12),
    ];
    let thinking = |case: &Case| is_contended(case) && case.name.ends_with(" think");
    goals.push(worst_cell(data, "prodcons and pairs, think", thinking));
    goals.push(mean(data, "prodcons and pairs, think", thinking, Against::SegQueue, 0.7));
    let busy = |case: &Case| is_contended(case) && !case.name.contains("think");
    goals.push(mean(data, "prodcons and pairs", busy, Against::BestUnbounded, 1.0));
    let crowded = |case: &Case| most_oversubscribed(data, case);
    goals.push(mean(data, "pairs with the most threads", crowded, Against::SegQueue, 0.8));
    let one_core = |case: &Case| case.name.ends_with(" one core");
    goals.push(mean(data, "one core", one_core, Against::SegQueue, 0.8));
    goals.push(one_core_of_unpinned(data));
    goals.push(allocations(data));
    goals.extend(burst(data));
    goals.push(closing_push(data));
    goals.push(slow_push(data));
    goals.push(ratio(data, "empty 1", HANDLE, SEG_QUEUE, 0.5));
    goals.push(bytes_at_the_peak(data));
    goals
}

fn goal(
    subject: impl Into<String>,
    wanted: impl Into<String>,
    found: Option<(String, bool)>,
) -> Target {
    let (measured, met) = found.unwrap_or_else(|| (OPEN.to_owned(), false));
    Target { subject: subject.into(), wanted: wanted.into(), measured, met }
}

fn at_most(limit: f64) -> String {
    format!("at most {limit}")
}

/// A median of paired ratios.
fn ratio(data: &Data, case: &str, ours: &str, theirs: &str, limit: f64) -> Target {
    let found = data.cases.iter().find(|found| found.name == case);
    let found = found.and_then(|case| case.ratio(ours, theirs));
    let found = found.map(|ratio| (ratio.to_string(), ratio.median <= limit));
    goal(format!("{case}, {ours} / {theirs}"), at_most(limit), found)
}

/// A contended case of the classical kinds, two threads at least, each on a core of its own where there are enough.
fn is_contended(case: &Case) -> bool {
    let is_placed = ["unpinned", "one core", "work"].iter().any(|word| case.name.contains(word));
    let threads = case.name.strip_prefix("pairs ").and_then(|rest| rest.split(' ').next());
    !is_placed
        && (case.name.starts_with("prodcons ") || threads.is_some_and(|threads| threads != "1"))
}

/// Whether nobody has pairs with more threads, without anything else.
fn most_oversubscribed(data: &Data, case: &Case) -> bool {
    let threads = |case: &Case| case.name.strip_prefix("pairs ")?.parse::<usize>().ok();
    let most = data.cases.iter().filter_map(threads).max();
    case.oversubscribed && threads(case).is_some() && threads(case) == most
}

/// Who is unbounded, and neither ours nor a floor. (All keep one order for each producer at least.)
fn unbounded(data: &Data) -> impl Iterator<Item = &str> {
    let theirs = data.peers.iter().filter(|peer| {
        peer.promise.bound == Bound::Unbounded
            && peer.promise.progress != Progress::Floor
            && OURS.iter().all(|(_, name)| *name != peer.name)
    });
    theirs.map(|peer| peer.name.as_str())
}

/// The highest ratio of `Handle` to any unbounded queue in any of these cases.
fn worst_cell(data: &Data, subject: &str, of: impl Fn(&Case) -> bool) -> Target {
    let cases = data.cases.iter().filter(|case| of(case));
    let cells = cases.flat_map(|case| {
        let cell = |theirs| Some((case.ratio(HANDLE, theirs)?.median, case.name.clone(), theirs));
        unbounded(data).filter_map(cell).collect::<Vec<_>>()
    });
    let worst = cells.max_by(|a, b| a.0.total_cmp(&b.0));
    let found = worst
        .map(|(ratio, case, theirs)| (format!("{ratio:.2}, in {case} to {theirs}"), ratio <= 1.0));
    goal(
        format!("{subject}: the worst cell of {HANDLE} to an unbounded queue"),
        at_most(1.0),
        found,
    )
}

/// Whom a mean is against.
#[derive(Clone, Copy)]
enum Against {
    SegQueue,
    /// In each case the one that `Handle` is furthest behind of.
    BestUnbounded,
}

/// The geometric mean of the ratios of `Handle` in these cases.
fn mean(
    data: &Data,
    subject: &str,
    of: impl Fn(&Case) -> bool,
    against: Against,
    limit: f64,
) -> Target {
    let cases = data.cases.iter().filter(|case| of(case));
    let ratios = cases.filter_map(|case| match against {
        Against::SegQueue => Some(case.ratio(HANDLE, SEG_QUEUE)?.median),
        Against::BestUnbounded => {
            let ratios = unbounded(data).filter_map(|theirs| case.ratio(HANDLE, theirs));
            ratios.map(|ratio| ratio.median).max_by(f64::total_cmp)
        }
    });
    let ratios: Vec<f64> = ratios.collect();
    let found = (!ratios.is_empty()).then(|| {
        let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
        let worst = ratios.iter().copied().fold(0.0, f64::max);
        (format!("{mean:.2} over {} cells, the worst {worst:.2}", ratios.len()), mean <= limit)
    });
    let against = match against {
        Against::SegQueue => SEG_QUEUE,
        Against::BestUnbounded => "the best unbounded queue of each cell",
    };
    goal(format!("{subject}: geometric mean of {HANDLE} / {against}"), at_most(limit), found)
}

/// All threads on one core against the same unpinned: the median time of each.
fn one_core_of_unpinned(data: &Data) -> Target {
    const LIMIT: f64 = 1.5;

    let pairs = data.cases.iter().filter_map(|case| {
        let name = format!("{} unpinned", case.name.strip_suffix(" one core")?);
        let free = data.cases.iter().find(|free| free.name == name)?;
        Some((case.nanos(HANDLE)?.median / free.nanos(HANDLE)?.median, &case.name))
    });
    let worst = pairs.max_by(|a, b| a.0.total_cmp(&b.0));
    let found = worst.map(|(ratio, case)| (format!("{ratio:.2}, in {case}"), ratio <= LIMIT));
    goal(format!("one core: {HANDLE} / the same unpinned, the worst"), at_most(LIMIT), found)
}

fn allocations(data: &Data) -> Target {
    let cases = data.cases.iter().filter(|case| case.name.starts_with("ring_boundary "));
    let samples: Vec<&Sample> = cases
        .flat_map(|case| [HANDLE, SHARED].into_iter().filter_map(|ours| case.samples_of(ours)))
        .flatten()
        .collect();
    let found = (!samples.is_empty()).then(|| {
        let allocations: u64 = samples.iter().map(|sample| sample.allocated.allocations).sum();
        let operations: u64 = samples.iter().map(|sample| sample.operations).sum();
        (format!("{allocations} in {operations} operations"), allocations == 0)
    });
    goal(format!("ring_boundary, {HANDLE} and {SHARED}: allocations"), "none", found)
}

fn burst(data: &Data) -> [Target; 2] {
    let ours = data.bursts.iter().find(|(who, _)| who == HANDLE).map(|(_, bursts)| bursts);
    let ratio = |after_of_before: fn(&crate::workload::Burst) -> f64, limit: f64| {
        let spread = Spread::of(ours?.iter().map(after_of_before))?;
        Some((spread.to_string(), spread.median <= limit))
    };
    let time = ratio(|burst| burst.nanos_after / burst.nanos_before, 1.05);
    let live = ratio(|burst| burst.bytes_after as f64 / burst.bytes_before as f64, 2.0);
    [
        goal(format!("burst, {HANDLE}: ns after / before"), at_most(1.05), time),
        goal(format!("burst, {HANDLE}: bytes after / before"), at_most(2.0), live),
    ]
}

/// Resizes of one producer, by who.
fn resizes<'d>(
    data: &'d Data,
    who: &str,
    value: fn(&crate::workload::Resize) -> u64,
) -> Option<Spread> {
    let (_, rows) = data.resizes.iter().find(|(name, _)| name == "resize 1")?;
    let (_, resizes): &'d (_, _) = rows.iter().find(|(name, _)| name == who)?;
    Spread::of(resizes.iter().map(|resize| value(resize) as f64))
}

fn closing_push(data: &Data) -> Target {
    const LIMIT: f64 = 100.0;

    let spread = resizes(data, HANDLE, |resize| resize.closing.max);
    let found = spread.map(|Spread { median, low, high }| {
        let [median, low, high] = [median, low, high].map(|nanos| nanos / 1e3);
        (format!("{median:.0} [{low:.0}-{high:.0}] us"), median <= LIMIT)
    });
    goal(format!("resize, {HANDLE}: the worst push that changed the ring"), "at most 100 us", found)
}

/// Queues that grow by moving everything.
fn slow_push(data: &Data) -> Target {
    let slow = |who| resizes(data, who, |resize| resize.push.p99_99).map(|spread| spread.median);
    let found = slow(HANDLE).and_then(|ours| {
        let theirs = ["Mutex<VecDeque>", KANAL, "flume"].into_iter().filter_map(slow);
        let best = theirs.min_by(f64::total_cmp)?;
        Some((format!("{ours:.0} ns, the best of them {best:.0} ns"), ours <= best))
    });
    goal(
        format!("resize, {HANDLE}: p99.99 of a push"),
        "at most that of queues that move items",
        found,
    )
}

fn bytes_at_the_peak(data: &Data) -> Target {
    const LIMIT: f64 = 1.15;

    let peak = |who: &str| {
        let (_, bursts) = data.bursts.iter().find(|(name, _)| name == who)?;
        Some(Spread::of(bursts.iter().map(|burst| burst.bytes_peak as f64))?.median)
    };
    let found = peak(HANDLE)
        .zip(peak(SEG_QUEUE))
        .map(|(ours, theirs)| (format!("{:.2}", ours / theirs), ours / theirs <= LIMIT));
    goal(
        format!("bytes with a million items inside, {HANDLE} / {SEG_QUEUE}"),
        at_most(LIMIT),
        found,
    )
}

#[cfg(test)]
mod tests {
    use super::{HANDLE, OPEN, goals};
    use crate::data::Data;

    const EXAMPLE: &str = include_str!("../tests/data/example.jsonl");

    #[test]
    fn what_a_record_lacks_is_not_met() {
        let data = Data::parse("empty.jsonl".to_owned(), "");
        let goals = goals(&data);
        assert!(goals.len() > 15);
        assert!(goals.iter().all(|goal| !goal.met && goal.measured == OPEN));
    }

    #[test]
    fn what_a_record_has_is_judged() {
        let data = Data::parse("example.jsonl".to_owned(), EXAMPLE);
        let goals = goals(&data);
        let goal =
            |subject: &str| goals.iter().find(|goal| goal.subject.starts_with(subject)).unwrap();
        let pair = data.cases.iter().find(|case| case.name == "pair").unwrap();
        let ratio = pair.ratio(HANDLE, super::SEG_QUEUE).unwrap();
        let judged = goal(&format!("pair, {HANDLE} / {}", super::SEG_QUEUE));
        assert_eq!(
            (judged.measured.as_str(), judged.met),
            (&*ratio.to_string(), ratio.median <= 0.42)
        );
        assert!(goal("burst, segring Handle: bytes").met, "1,528 bytes before and after");
        assert!(goal("resize, segring Handle: the worst push").measured.ends_with(" us"));
    }
}
