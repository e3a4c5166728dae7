//! Producers push, consumers pop, with and without work in between.

mod support;

use criterion::{Criterion, criterion_group, criterion_main};

fn prodcons(criterion: &mut Criterion) {
    support::families(criterion, &["prodcons", "prodcons, think"]);
}

criterion_group!(benches, prodcons);
criterion_main!(benches);
