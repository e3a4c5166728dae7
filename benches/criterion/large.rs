//! Every thread pops an item and pushes it back, by type of item.

mod support;

use criterion::{Criterion, criterion_group, criterion_main};

fn large(criterion: &mut Criterion) {
    support::families(criterion, &["large"]);
}

criterion_group!(benches, large);
criterion_main!(benches);
