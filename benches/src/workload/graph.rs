//! A breadth-first search by several threads, with the queue as their frontier.

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use crossbeam_utils::{Backoff, CachePadded};

use super::meter::{Amount, Meter};
use super::{Placement, Race, race};
use crate::peers::{End, Peer, Role};

/// Nodes of the graph.
pub(super) const NODES: usize = 1 << 16;
/// Edges that leave each.
const EDGES: u64 = 4;

/// A graph whose edges follow from a seed, and what was visited of it.
struct Graph {
    seed: u64,
    /// The search that visited a node last: so nothing has to be wiped between two of them.
    visited: Vec<AtomicU32>,
    /// Nodes found and not worked off. Who brings it to nothing begins the next search.
    pending: CachePadded<AtomicU32>,
}

impl Graph {
    fn neighbour(&self, node: usize, edge: u64) -> usize {
        let mixed = (self.seed ^ (node as u64 * EDGES + edge)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 40) as usize % NODES
    }

    /// Whether this search sees the node for the first time.
    fn visit(&self, node: usize, search: u32) -> bool {
        let visited = &self.visited[node];
        visited.load(Relaxed) != search && visited.swap(search, Relaxed) != search
    }
}

/// A node in a search, as an item.
const fn item(search: u32, node: usize) -> u64 {
    (search as u64) << 32 | node as u64
}

/// One search after the other, from other nodes. An operation is a node taken off the frontier.
#[expect(clippy::cast_possible_truncation, reason = "an item is two numbers of 32 bits")]
pub(super) fn search<P: Peer<u64>>(queue: &P, threads: usize, amount: Amount, seed: u64) -> Race {
    let visited = (0..NODES).map(|_| AtomicU32::new(0)).collect();
    let graph = Graph { seed, visited, pending: CachePadded::new(AtomicU32::new(1)) };
    graph.visit(0, 1);
    let mut first = queue.end(Role::Producer);
    first.push(item(1, 0));
    drop(first);

    let done = Meter::new(amount);
    let timer = || done.time();
    race(threads, Placement::Own, timer, |_, gate| {
        let mut end = queue.end(Role::Consumer);
        gate.time(|| {
            let (mut nodes, backoff) = (0, Backoff::new());
            while !done.is_over() {
                let Some(next) = end.pop() else {
                    backoff.snooze();
                    continue;
                };
                let (search, node) = ((next >> 32) as u32, next as u32 as usize);
                for edge in 0..EDGES {
                    let neighbour = graph.neighbour(node, edge);
                    if graph.visit(neighbour, search) {
                        graph.pending.fetch_add(1, Relaxed);
                        end.push(item(search, neighbour));
                    }
                }
                if graph.pending.fetch_sub(1, Relaxed) == 1 {
                    let (search, root) = (search + 1, node);
                    graph.visit(root, search);
                    graph.pending.fetch_add(1, Relaxed);
                    end.push(item(search, root));
                }
                nodes += 1;
                done.note(nodes);
                backoff.reset();
            }
            nodes
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{Amount, NODES, search};
    use crate::peers::{Handles, Peer};

    /// Searches follow each other without an end, so more nodes come out than there are.
    #[test]
    fn one_search_follows_the_other() {
        let queue = Handles::<u64>::new(0);
        let race = search(&queue, 2, Amount::Items(3 * NODES as u64), 7);
        assert!(race.operations >= 3 * NODES as u64, "{race:?}");
    }
}
