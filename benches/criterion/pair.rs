//! One thread pushes and pops in turn.

mod support;

use criterion::{Criterion, criterion_group, criterion_main};

fn pair(criterion: &mut Criterion) {
    support::families(criterion, &["pair"]);
}

criterion_group!(benches, pair);
criterion_main!(benches);
