//! Every thread pops from an empty queue.

mod support;

use criterion::{Criterion, criterion_group, criterion_main};

fn empty(criterion: &mut Criterion) {
    support::families(criterion, &["empty"]);
}

criterion_group!(benches, empty);
criterion_main!(benches);
