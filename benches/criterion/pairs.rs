//! Every thread pushes and pops in turn, with and without work in between.

mod support;

use criterion::{Criterion, criterion_group, criterion_main};

fn pairs(criterion: &mut Criterion) {
    support::families(criterion, &["pairs", "pairs, think", "pairs, work"]);
}

criterion_group!(benches, pairs);
criterion_main!(benches);
