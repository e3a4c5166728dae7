//! What the criterion programs share: every competitor that can run a case, timed by its workers.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use core::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput};
use segring_benches::peers::roster;
use segring_benches::workload::{Amount, Case, Family};

/// With more threads a bench measures how the system places them.
const MOST_WORKERS: usize = 8;

/// Benches the cases of the families with these names.
pub(crate) fn families(criterion: &mut Criterion, names: &[&str]) {
    for family in Family::all() {
        if names.contains(&family.name) {
            let cases = family.cases.into_iter();
            for case in cases.filter(|case| case.workers() <= MOST_WORKERS) {
                bench(criterion, family.name, case);
            }
        }
    }
}

/// One group a case. An iteration moves one item, and what the workers measured is what counts, so
/// that starting threads, filling and warming up do not.
fn bench(criterion: &mut Criterion, family: &str, case: Case) {
    let seed = AtomicU64::new(0);
    let mut group = criterion.benchmark_group(format!("{family}/{}", case.label()));
    group
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .throughput(Throughput::Elements(1));
    for competitor in roster().into_iter().filter(|competitor| competitor.enters(case)) {
        group.bench_function(BenchmarkId::from_parameter(competitor.name), |bencher| {
            bencher.iter_custom(|items| {
                // Workers that stop together move a few items more than asked for.
                let seed = seed.fetch_add(1, Relaxed);
                competitor.sample(case, Amount::Items(items), seed).time_for(items)
            });
        });
    }
    group.finish();
}
