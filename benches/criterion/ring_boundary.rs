//! Push and pop in turn over a stable backlog that just fills a ring.

mod support;

use criterion::{Criterion, criterion_group, criterion_main};

fn ring_boundary(criterion: &mut Criterion) {
    support::families(criterion, &["ring_boundary"]);
}

criterion_group!(benches, ring_boundary);
criterion_main!(benches);
