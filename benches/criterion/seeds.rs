//! The sequential rings beside what they replace: `cargo bench -p segring-benches --bench seeds`.
//!
//! Prints tables of interleaved samples, in which old and new take turns; these are the figures to
//! cite. Then the same operations under criterion, each on its own, unless `SEEDS_CRITERION=0`.

use core::time::Duration;
use std::env;

use criterion::Criterion;
use segring_benches::heap::Counting;
use segring_benches::seeds;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Long enough that on a busy machine everybody is interrupted alike.
const SAMPLE: Duration = Duration::from_millis(100);

fn main() {
    // With an argument of its own, criterion is wanted: a filter, `--test`, `--list`.
    if env::args().skip(1).all(|argument| argument == "--bench") {
        seeds::run(SAMPLE);
    }
    if env::var_os("SEEDS_CRITERION").is_none_or(|value| value != "0") {
        let mut criterion = Criterion::default().configure_from_args();
        criterion_groups(&mut criterion);
        criterion.final_summary();
    }
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
