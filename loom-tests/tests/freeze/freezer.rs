//! The scheduler that stops a thread for ever, and the runs under it.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, MutexGuard};

use fastrand::Rng;
use segring::model::is_mutant;
use shuttle::current::me;
use shuttle::scheduler::{Schedule, Scheduler, Task, TaskId};
use shuttle::{Config, FailurePersistence, MaxSteps, Runner};

/// Schedules, under each of which the thread is stopped after each of its steps.
pub(crate) const SCHEDULES: u64 = 200;

/// How many steps, accesses to shared memory that is, the others may take for all they have to do
/// while the thread is stopped. See `DESIGN.md`, "The freeze tests", for where it comes from.
pub(crate) const BUDGET: usize = 5_000;

/// No execution that ends takes so many steps before the freeze or after the thaw.
const ALL_STEPS: usize = 200_000;

/// One kind of scene under all schedules.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// How many steps the operation had in the shortest and in the longest schedule.
    pub(crate) steps: Option<(usize, usize)>,
    /// In how many executions its thread was stopped.
    pub(crate) freezes: usize,
    /// The most steps that the others took meanwhile.
    pub(crate) most: usize,
    /// When they did not get through.
    pub(crate) stuck: Vec<Stuck>,
}

/// The others did not get through.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stuck {
    /// The thread was stopped after so many steps.
    pub(crate) step: usize,
    /// The schedule.
    pub(crate) seed: u64,
}

/// What the scheduler and the threads of an execution share. (Locks are never held across a
/// scheduling point, and all threads run on one thread of the system.)
#[derive(Debug, Default)]
pub(crate) struct Run(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    step: usize,
    seed: u64,
    /// The threads that stop, and how many steps they have left.
    doomed: Vec<Doomed>,
    /// The one whose operation is tried is stopped, and the others have taken so many steps since.
    since: Option<usize>,
    /// The doomed thread's operation is over: it has been stopped, or it is through.
    settled: bool,
    /// The operation of the other doomed thread is over.
    stalled: bool,
    thawed: bool,
    report: Report,
}

#[derive(Debug)]
struct Doomed {
    task: usize,
    left: usize,
    tried: bool,
}

impl Run {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("nobody panics while holding it")
    }

    /// Calls the operation that is tried, whose thread stops on the way.
    pub(crate) fn freeze(&self, operation: impl FnOnce()) {
        let left = self.state().step;
        self.doom(left, true, operation);
        self.state().settled = true;
    }

    /// Calls an operation whose thread stops on the way, at a step drawn from the seed.
    pub(crate) fn stall(&self, operation: impl FnOnce()) {
        let left = Rng::with_seed(!self.state().seed).usize(0..40);
        self.doom(left, false, operation);
        self.state().stalled = true;
    }

    fn doom(&self, left: usize, tried: bool, operation: impl FnOnce()) {
        let task = usize::from(me());
        self.state().doomed.push(Doomed { task, left, tried });
        operation();
        self.state().doomed.retain(|doomed| doomed.task != task);
    }

    /// Whether the thread that [`stall`](Self::stall)s is stopped, or through.
    pub(crate) fn has_stalled(&self) -> bool {
        let state = self.state();
        state.stalled || state.doomed.iter().any(|doomed| !doomed.tried && doomed.left == 0)
    }

    /// Whether the thread whose operation is tried is stopped, or through.
    pub(crate) fn is_settled(&self) -> bool {
        let state = self.state();
        state.settled || state.since.is_some()
    }

    /// Lets the stopped threads go on: the others are through.
    pub(crate) fn thaw(&self) {
        self.state().thawed = true;
    }
}

impl State {
    fn is_frozen(&self, task: usize) -> bool {
        !self.thawed
            && !is_mutant("nobody-stops")
            && self.doomed.iter().any(|doomed| doomed.task == task && doomed.left == 0)
    }
}

/// Picks threads at random, but stops one after its k-th step: for every schedule, and for every k
/// from 0 on until the thread is through before that. (Up to there a schedule is the same for every k:
/// it follows from the seed alone.)
#[derive(Debug)]
struct Freezer {
    run: Arc<Run>,
    rng: Rng,
    /// A thread is stayed with for so many steps on average.
    turn: usize,
}

impl Scheduler for Freezer {
    fn new_execution(&mut self) -> Option<Schedule> {
        let mut state = self.run.state();
        let state = &mut *state;
        if state.since.is_some() {
            state.report.freezes += 1;
            state.step += 1;
        } else {
            if state.seed > 0 {
                let (least, most) = state.report.steps.unwrap_or((usize::MAX, 0));
                state.report.steps = Some((least.min(state.step), most.max(state.step)));
            }
            if state.seed == SCHEDULES {
                return None;
            }
            state.seed += 1;
            state.step = 0;
        }
        (state.doomed, state.since) = (Vec::new(), None);
        (state.settled, state.stalled, state.thawed) = (false, false, false);
        self.rng = Rng::with_seed(state.seed);
        self.turn = self.rng.choice([1, 4, 16]).expect("not empty");
        Some(Schedule::new(state.seed))
    }

    fn next_task(
        &mut self,
        runnable: &[&Task],
        current: Option<TaskId>,
        is_yielding: bool,
    ) -> Option<TaskId> {
        let mut state = self.run.state();
        let state = &mut *state;
        if !state.thawed && state.doomed.iter().any(|doomed| doomed.tried && doomed.left == 0) {
            let since = state.since.get_or_insert(0);
            *since += 1;
            state.report.most = state.report.most.max(*since);
        }
        let able: Vec<TaskId> = runnable
            .iter()
            .map(|task| task.id())
            .filter(|&task| !state.is_frozen(task.into()))
            .collect();
        if able.is_empty() || state.since.is_some_and(|since| since > BUDGET) {
            state.report.stuck.push(Stuck { step: state.step, seed: state.seed });
            // Ends this execution; what is on the threads' stacks is leaked.
            return None;
        }
        let stay = current
            .filter(|task| !is_yielding && able.contains(task))
            .filter(|_| self.rng.usize(0..self.turn) > 0);
        let next = stay.or_else(|| self.rng.choice(able))?;
        if let Some(doomed) = state.doomed.iter_mut().find(|d| d.task == usize::from(next)) {
            doomed.left = doomed.left.saturating_sub(1);
        }
        Some(next)
    }

    fn next_u64(&mut self) -> u64 {
        self.rng.u64(..)
    }
}

/// Runs a scene under every schedule.
pub(crate) fn sweep(title: &str, scene: impl Fn(&Arc<Run>) + Send + Sync + 'static) -> Report {
    let run = Arc::new(Run::default());
    let freezer = Freezer { run: Arc::clone(&run), rng: Rng::with_seed(0), turn: 1 };
    let mut config = Config::new();
    config.silence_warnings = true; // That everything is sequentially consistent.
    config.failure_persistence = FailurePersistence::None; // Step and seed say it all.
    config.max_steps = MaxSteps::FailAfter(ALL_STEPS);
    let for_scene = Arc::clone(&run);
    let result = catch_unwind(AssertUnwindSafe(|| {
        Runner::new(freezer, config).run(move || scene(&for_scene));
    }));
    let mut state = run.state();
    if let Err(panic) = result {
        say(&format!("freeze {title}: FAILED at step {}, seed {}", state.step, state.seed));
        resume_unwind(panic);
    }
    std::mem::take(&mut state.report)
}

/// Writes a line that the test harness does not swallow.
pub(crate) fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).expect("stdout is open");
}
