//! The sequential rings beside what they replace: `cargo bench -p segring-benches --bench seeds`.
//!
//! Prints tables of interleaved samples, in which old and new take turns; these are the figures to
//! cite, and they go into a record. Then the same operations under criterion, each on its own, unless `SEEDS_CRITERION=0`.

use core::time::Duration;
use std::{env, io};

use criterion::Criterion;
use jiff::Timestamp;
use segring_benches::clock::Clock;
use segring_benches::heap::Counting;
use segring_benches::machine::Machine;
use segring_benches::record::{Line, Record, VERSION};
use segring_benches::seeds;
use segring_benches::select::Selection;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Long enough that on a busy machine everybody is interrupted alike.
const SAMPLE_MILLIS: u64 = 100;

fn main() -> io::Result<()> {
    // With an argument of its own, criterion is wanted: a filter, `--test`, `--list`.
    if env::args().skip(1).all(|argument| argument == "--bench") {
        interleaved()?;
    }
    if env::var_os("SEEDS_CRITERION").is_none_or(|value| value != "0") {
        let mut criterion = Criterion::default().configure_from_args();
        criterion_groups(&mut criterion);
        criterion.final_summary();
    }
    Ok(())
}

/// Old and new in turn, with a record. `SEEDS_SAMPLE_MILLIS` sets the length of a sample.
fn interleaved() -> io::Result<()> {
    let millis = env::var("SEEDS_SAMPLE_MILLIS").ok().and_then(|millis| millis.parse().ok());
    let length = Duration::from_millis(millis.unwrap_or(SAMPLE_MILLIS));
    let (machine, began) = (Machine::this(), Timestamp::now());
    let mut record = Record::create("seeds", &machine, began)?;
    let selection = Selection::default();
    record.line(&Line::Run {
        selection: &selection,
        size: None,
        version: VERSION,
        program: "seeds",
        began: began.to_string(),
        seconds: None,
        seed: None,
        machine: &machine,
        clock: Clock::new().name(),
    })?;
    seeds::run(length, &mut record)?;
    println!("record: {}", record.finish()?.display());
    Ok(())
}

fn criterion_groups(criterion: &mut Criterion) {
    for contest in seeds::sections().into_iter().flat_map(|(_, contests)| contests) {
        let mut group = criterion.benchmark_group(contest.title);
        group
            .sample_size(10)
            .warm_up_time(Duration::from_millis(100))
            .measurement_time(Duration::from_millis(500));
        for mut entrant in contest.entrants {
            group.bench_function(entrant.name, |bencher| {
                bencher.iter_custom(|operations| entrant.sample(operations).time);
            });
        }
        group.finish();
    }
}
