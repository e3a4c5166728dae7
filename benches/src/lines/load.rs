//! What the cores do.

use std::sync::Once;

use segring::lines::{Access, listen};
use segring::{Queue, mpsc};

use super::Costs;
use super::clocks::{clock, hear, run};

/// A load for any number of cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// Two counters, one for pushes and one for pops, and nothing else: the floor. Every core pushes and pops in
    /// turn.
    Floor,
    /// Every core pushes and pops in turn, through a handle.
    Pairs,
    /// Half of the cores push, the others pop, through handles.
    Halves,
    /// All cores but one push, that one pops, by `mpsc`.
    OneConsumer,
}

/// What came of it.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Items that went through the queue in the measured time.
    pub items: u64,
    /// Simulated nanoseconds for each.
    pub nanos: f64,
    /// Lines that had to come from another core, for each.
    pub transfers: f64,
    /// The least that a core did, for one in equal shares. Consumers and producers apart.
    pub least_share: f64,
}

/// Simulated time before what is measured, and until its end.
const WARM_UP: f64 = 100_000.0;
const END: f64 = 600_000.0;

/// What one core did between warm-up and end.
#[derive(Clone, Copy, Debug)]
struct Done {
    items: u64,
    pops: bool,
    lines: (u64, u64),
}

/// Repeats `once`, which tells whether an item went through, until the end.
fn repeat(pops: bool, mut once: impl FnMut() -> bool) -> Done {
    let mut lines = None;
    let mut items = 0;
    loop {
        let (now, transfers) = clock();
        if now >= END {
            return Done { items, pops, lines: (lines.unwrap_or(transfers), transfers) };
        }
        if now >= WARM_UP && lines.is_none() {
            lines = Some(transfers);
        }
        items += u64::from(once() && lines.is_some());
    }
}

/// Runs a load on so many cores.
///
/// # Panics
/// When there are fewer than two cores, or more than 128.
pub fn measure(load: Load, cores: usize, costs: Costs, pauses: bool) -> Row {
    static LISTEN: Once = Once::new();
    LISTEN.call_once(|| listen(hear));
    assert!((2..=128).contains(&cores), "2 to 128 cores, not {cores}");

    let done = match load {
        Load::Floor => run(cores, costs, pauses, |_| {
            // Addresses of two lines that nobody else uses.
            repeat(true, || {
                hear(Access::ReadModifyWrite(usize::MAX - 0x1000));
                hear(Access::ReadModifyWrite(usize::MAX - 0x2000));
                true
            })
        }),
        Load::Pairs => {
            let queue = Queue::new();
            run(cores, costs, pauses, |core| {
                let mut handle = queue.handle();
                repeat(true, || {
                    handle.push(core);
                    handle.pop().is_some()
                })
            })
        }
        Load::Halves => {
            let queue = Queue::new();
            run(cores, costs, pauses, |core| {
                let mut handle = queue.handle();
                if core % 2 == 0 {
                    repeat(false, || {
                        handle.push(core);
                        true
                    })
                } else {
                    repeat(true, || handle.pop().is_some())
                }
            })
        }
        Load::OneConsumer => {
            let (producer, consumer) = mpsc::queue();
            let consumer = std::sync::Mutex::new(Some(consumer));
            run(cores, costs, pauses, |core| {
                if core == 0 {
                    let mut consumer =
                        consumer.lock().ok().and_then(|mut c| c.take()).expect("one");
                    return repeat(true, || consumer.pop().is_some());
                }
                let mut producer = producer.clone();
                repeat(false, || producer.push(core).is_ok())
            })
        }
    };
    row(&done)
}

fn row(done: &[Done]) -> Row {
    let items: u64 = done.iter().filter(|core| core.pops).map(|core| core.items).sum();
    let first = done.iter().map(|core| core.lines.0).min().unwrap_or(0);
    let last = done.iter().map(|core| core.lines.1).max().unwrap_or(0);
    let share = |pops| {
        let ours = || done.iter().filter(move |core| core.pops == pops).map(|core| core.items);
        let (all, count) = (ours().sum::<u64>(), ours().count());
        let fewest = ours().min().unwrap_or(0);
        if all == 0 { f64::INFINITY } else { (fewest * count as u64) as f64 / all as f64 }
    };
    Row {
        items,
        nanos: (END - WARM_UP) / items as f64,
        transfers: (last - first) as f64 / items as f64,
        least_share: share(true).min(share(false)),
    }
}
