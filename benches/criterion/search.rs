//! Threads search a graph breadth first; a parallel iterator pushes what threads pop.

mod support;

use criterion::{Criterion, criterion_group, criterion_main};

fn search(criterion: &mut Criterion) {
    support::families(criterion, &["search", "rayon"]);
}

criterion_group!(benches, search);
criterion_main!(benches);
