//! A thread in the middle of an operation, two others with work to do, and what must hold.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use segring::model::is_mutant;
use shuttle::thread::{JoinHandle, spawn, yield_now};

use crate::freezer::{BUDGET, Report, Run, SCHEDULES, Stuck, say, sweep};

/// Who pushed it and how many it pushed before.
pub(crate) type Item = (u8, u8);

/// A queue that can be tried.
pub(crate) trait Subject: Send + Sync + 'static {
    /// An empty queue whose smallest ring has so many slots.
    fn with_slots(slots: usize) -> Self;

    /// Looks at an empty queue after all threads have gone, and drops it.
    fn end(self);
}

/// A way to use a queue.
pub(crate) trait Via: 'static {
    /// What it is called.
    const NAME: &'static str;
    /// The queue.
    type Queue: Subject;
    /// What a thread has of it.
    type Ends<'q>: Ends + Send;

    /// For one thread.
    fn ends(queue: &Self::Queue) -> Self::Ends<'_>;
}

/// Two operations.
pub(crate) trait Ends {
    /// Puts an item at the back; whether it did.
    fn push(&mut self, item: Item) -> bool;
    /// Takes the item at the front.
    fn pop(&mut self) -> Option<Item>;
}

/// A thread, with its record of what it does.
#[derive(Debug)]
pub(crate) struct Actor {
    id: u8,
    pushes: u8,
    ledger: Arc<Mutex<Ledger>>,
}

impl Actor {
    /// Pushes an item of its own.
    pub(crate) fn push(&mut self, ends: &mut impl Ends) {
        self.pushing(1, |items| usize::from(ends.push(items[0])));
    }

    /// Pushes items of its own in a way that tells how many of them were taken, from the first on.
    pub(crate) fn pushing(&mut self, count: u8, push: impl FnOnce(&[Item]) -> usize) {
        let numbers = self.pushes..self.pushes + count;
        self.pushes = numbers.end;
        let items: Vec<Item> = numbers.map(|number| (self.id, number)).collect();
        self.with(|ledger| ledger.going.extend(&items));
        let taken = push(&items);
        self.with(|ledger| {
            ledger.going.retain(|item| !items.contains(item));
            ledger.pushed.extend(&items[..taken]);
        });
    }

    /// Pops an item, if there is one.
    pub(crate) fn pop(&mut self, ends: &mut impl Ends) -> bool {
        let item = ends.pop();
        self.popped(item);
        item.is_some()
    }

    /// Notes what it has popped.
    pub(crate) fn popped(&mut self, items: impl IntoIterator<Item = Item>) {
        let id = self.id;
        self.with(|ledger| ledger.popped.extend(items.into_iter().map(|item| (id, item))));
    }

    fn with<R>(&self, f: impl FnOnce(&mut Ledger) -> R) -> R {
        f(&mut self.ledger.lock().expect("nobody panics while holding it"))
    }
}

#[derive(Debug, Default)]
struct Ledger {
    going: BTreeSet<Item>,
    pushed: BTreeSet<Item>,
    popped: Vec<(u8, Item)>,
}

impl Ledger {
    /// Nothing came out twice or from nowhere; nothing is lost but what a stopped thread may hold;
    /// and each thread got each other's items in their order.
    fn check(&self, held: usize) {
        let mut out = BTreeSet::new();
        let mut newest = BTreeMap::new();
        for &(by, item) in &self.popped {
            assert!(out.insert(item), "{item:?} came out twice: {self:?}");
            assert!(
                self.pushed.contains(&item) || self.going.contains(&item),
                "{item:?} came out of nowhere: {self:?}"
            );
            let before = newest.insert((by, item.0), item.1);
            assert!(before < Some(item.1), "{item:?} came out too late: {self:?}");
        }
        let lost: Vec<_> = self.pushed.difference(&out).collect();
        let held = if is_mutant("losses-pass") { usize::MAX } else { held };
        assert!(lost.len() <= held, "{lost:?} are lost: {self:?}");
    }
}

/// What a thread does in a queue.
type Act<V> = for<'q> fn(&mut Actor, &mut <V as Via>::Ends<'q>, &'q <V as Via>::Queue);

/// An operation that is tried, and the state it finds.
pub(crate) struct Trial<V: Via> {
    before: Act<V>,
    stalled: Option<Act<V>>,
    operation: Act<V>,
    held: usize,
}

impl<V: Via> Trial<V> {
    pub(crate) fn of(operation: Act<V>) -> Self {
        Self { before: |_, _, _| (), stalled: None, operation, held: 0 }
    }

    /// What has been done before, by the thread that does the operation.
    pub(crate) fn after(self, before: Act<V>) -> Self {
        Self { before, ..self }
    }

    /// What yet another thread is in the middle of, stopped for ever too.
    pub(crate) fn while_stalled_in(self, stalled: Act<V>) -> Self {
        Self { stalled: Some(stalled), ..self }
    }

    /// How many items of others the operation may have taken while it has not returned.
    pub(crate) fn holding(self, held: usize) -> Self {
        Self { held, ..self }
    }

    /// Tries the operation under all schedules.
    pub(crate) fn sweep(self, name: &str, slots: usize) -> (String, Report) {
        let s = if slots == 1 { "" } else { "s" };
        let title = format!("{name} via {}, ring of {slots} slot{s}", V::NAME).replace('_', " ");
        let report = sweep(&title.clone(), move |run| self.execute(run, slots));
        (title, report)
    }

    /// The same, and asserts that nobody is kept from anything.
    pub(crate) fn check(self, name: &str, slots: usize) {
        let (title, report) = self.sweep(name, slots);
        if let Some(Stuck { step, seed }) = report.stuck.first() {
            panic!(
                "freeze {title}: STUCK: with the thread stopped after step {step}, the others did \
                 not finish within {BUDGET} steps (seed {seed})"
            );
        }
        let Report { steps: Some((shortest, longest)), freezes, most, .. } = report else {
            panic!("freeze {title}: nothing was run");
        };
        assert!(shortest > 0, "freeze {title}: the operation was over before it could be stopped");
        say(&format!(
            "freeze {title}: {SCHEDULES} schedules x {shortest} to {longest} steps = {freezes} \
             freezes, others finished within {most} steps"
        ));
    }

    /// One execution.
    fn execute(&self, run: &Arc<Run>, slots: usize) {
        // Not scoped threads: in shuttle a scope may end before its threads' thread-locals do.
        let queue: &'static V::Queue = Box::leak(Box::new(V::Queue::with_slots(slots)));
        let ledger = Arc::new(Mutex::new(Ledger::default()));
        let actor = |id| Actor { id, pushes: 0, ledger: Arc::clone(&ledger) };
        let mut main = actor(0);
        let mut ends = V::ends(queue);
        (self.before)(&mut main, &mut ends, queue);
        let stalled = self.stalled.map(|act| {
            let thread = start(run, actor(1), move |run, actor| {
                let mut ends = V::ends(queue);
                run.stall(|| act(actor, &mut ends, queue));
            });
            while !run.has_stalled() {
                yield_now();
            }
            thread
        });
        let operation = self.operation;
        let tried = start(run, actor(2), move |run, actor| {
            run.freeze(|| operation(actor, &mut ends, queue));
            drop(ends);
        });
        let others = [(3, true), (4, false)].map(|(id, pushes_first)| {
            start(run, actor(id), move |run, actor| {
                work(run, actor, &mut V::ends(queue), pushes_first);
            })
        });
        for other in others {
            other.join().expect("it does not panic");
        }
        // The others may have been through before the thread had its turn.
        while !run.is_settled() {
            yield_now();
        }
        let mut ends = V::ends(queue);
        while main.pop(&mut ends) {}
        main.with(|ledger| ledger.check(self.held));

        run.thaw();
        for stopped in stalled.into_iter().chain([tried]) {
            stopped.join().expect("it does not panic");
        }
        while main.pop(&mut ends) {}
        main.with(|ledger| ledger.check(0));
        drop(ends);
        // SAFETY: leaked above, and all who used it are gone.
        unsafe { Box::from_raw(core::ptr::from_ref(queue).cast_mut()) }.end();
    }
}

fn start(
    run: &Arc<Run>,
    mut actor: Actor,
    act: impl FnOnce(&Run, &mut Actor) + Send + 'static,
) -> JoinHandle<()> {
    let run = Arc::clone(run);
    spawn(move || act(&run, &mut actor))
}

/// Pushes and pops until the thread that is tried is stopped (or through), and then six of each.
fn work(run: &Run, actor: &mut Actor, ends: &mut impl Ends, pushes_first: bool) {
    let (mut early, mut late) = (6, 3);
    while late > 0 {
        if run.is_settled() || early == 0 {
            late -= 1;
        } else {
            early -= 1;
        }
        if pushes_first {
            actor.push(ends);
            actor.push(ends);
            actor.pop(ends);
            actor.pop(ends);
        } else {
            actor.pop(ends);
            actor.push(ends);
            actor.push(ends);
            actor.pop(ends);
        }
    }
}
