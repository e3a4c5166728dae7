//! Every thread tosses a coin before each operation.

mod support;

use criterion::{Criterion, criterion_group, criterion_main};

fn random(criterion: &mut Criterion) {
    support::families(criterion, &["random"]);
}

criterion_group!(benches, random);
criterion_main!(benches);
