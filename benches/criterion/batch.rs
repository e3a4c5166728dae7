//! One thread pushes many items and pops them, by calls for many where there are such.

mod support;

use criterion::{Criterion, criterion_group, criterion_main};

fn batch(criterion: &mut Criterion) {
    support::families(criterion, &["batch"]);
}

criterion_group!(benches, batch);
criterion_main!(benches);
