//! Breadth-first search by many workers, one queue for each distance.
//!
//! ```text
//! cargo run --example bfs --features rayon [-- FILE [START]]
//! ```
//!
//! `FILE` has an undirected edge a line, two numbers; without it, the graph is Zachary's karate club,
//! searched from its instructor. Rayon's workers empty the queue of the vertices at one distance
//! and fill the queue of the next, each through a handle of its own. The result is compared with
//! that of a plain sequential search.

use std::collections::{BTreeMap, VecDeque};
use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use segring::Queue;

const KARATE_CLUB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/karate.txt");

/// The neighbours of each vertex, and the name that each has in the file.
struct Graph {
    names: Vec<u64>,
    neighbours: Vec<Vec<usize>>,
}

/// The distance of a vertex that was not reached.
const UNREACHED: usize = usize::MAX;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().unwrap_or_else(|| KARATE_CLUB.into());
    let graph = Graph::parse(&std::fs::read_to_string(&file)?)?;
    let start = match arguments.next() {
        None => 0,
        Some(name) => {
            let name = name.parse()?;
            graph.names.binary_search(&name).map_err(|_| format!("no vertex {name}"))?
        }
    };

    let distances = graph.search_in_parallel(start);
    if distances != graph.search(start) {
        return Err("the parallel search differs from the sequential one".into());
    }

    let reached = distances.iter().filter(|&&distance| distance != UNREACHED);
    println!("{} of {} vertices from {}", reached.count(), distances.len(), graph.names[start]);
    let mut by_distance = BTreeMap::<_, Vec<_>>::new();
    for (name, distance) in graph.names.iter().zip(distances) {
        by_distance.entry(distance).or_default().push(name.to_string());
    }
    for (distance, names) in by_distance {
        match distance {
            UNREACHED => println!("not at all: {}", names.join(" ")),
            _ => println!("at distance {distance}: {}", names.join(" ")),
        }
    }
    println!("the same as one thread finds");
    Ok(())
}

impl Graph {
    /// Reads edges; a line that begins with `#` is a comment.
    fn parse(text: &str) -> Result<Self, Box<dyn Error>> {
        let mut vertices = BTreeMap::<u64, Vec<u64>>::new();
        for (number, line) in (1..).zip(text.lines()) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = || format!("line {number} is no edge: {line}");
            let (from, to) = line.split_once(' ').ok_or_else(wrong)?;
            let (from, to) = (from.parse().map_err(|_| wrong())?, to.parse().map_err(|_| wrong())?);
            vertices.entry(from).or_default().push(to);
            vertices.entry(to).or_default().push(from);
        }
        if vertices.is_empty() {
            return Err("no edges".into());
        }
        let names: Vec<_> = vertices.keys().copied().collect();
        let index = |name| names.partition_point(|&other| other < name);
        let neighbours =
            vertices.into_values().map(|to| to.into_iter().map(index).collect()).collect();
        Ok(Self { names, neighbours })
    }

    /// The distance of each vertex from `start`, found by all of rayon's workers.
    fn search_in_parallel(&self, start: usize) -> Vec<usize> {
        let distances: Vec<_> = self.names.iter().map(|_| AtomicUsize::new(UNREACHED)).collect();
        distances[start].store(0, Ordering::Relaxed);
        let mut here = Queue::from_iter([start]);
        for distance in 1.. {
            let next = Queue::new();
            here.par_drain().for_each_init(
                || next.handle(),
                |next, vertex| {
                    for &neighbour in &self.neighbours[vertex] {
                        // Whoever reaches it first goes on from there. Relaxed: the distance is all
                        // that there is to know, and rayon waits for its workers.
                        let first = distances[neighbour].compare_exchange(
                            UNREACHED,
                            distance,
                            Ordering::Relaxed,
                            Ordering::Relaxed,
                        );
                        if first.is_ok() {
                            next.push(neighbour);
                        }
                    }
                },
            );
            if next.is_empty() {
                break;
            }
            here = next;
        }
        distances.into_iter().map(AtomicUsize::into_inner).collect()
    }

    /// The same by one thread, as in a textbook.
    fn search(&self, start: usize) -> Vec<usize> {
        let mut distances = vec![UNREACHED; self.names.len()];
        distances[start] = 0;
        let mut queue = VecDeque::from([start]);
        while let Some(vertex) = queue.pop_front() {
            for &neighbour in &self.neighbours[vertex] {
                if distances[neighbour] == UNREACHED {
                    distances[neighbour] = distances[vertex] + 1;
                    queue.push_back(neighbour);
                }
            }
        }
        distances
    }
}
