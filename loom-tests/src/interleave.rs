//! All orders in which the steps of several threads can follow each other.

use std::collections::BTreeSet;

/// What a queue does when nobody else is at it.
pub(crate) trait Sequential: Clone {
    /// A step of a thread.
    type Step: Copy;
    /// What an operation answers.
    type Answer: Copy + Ord;

    /// Takes a step of a thread whose `last` answer is given.
    fn step(&mut self, step: Self::Step, last: Option<Self::Answer>) -> Option<Self::Answer>;

    /// What is inside.
    fn left(&self) -> Vec<u8>;
}

/// The answers of each thread, and what was left inside.
pub(crate) type Outcome<A> = (Vec<Vec<A>>, Vec<u8>);

/// The outcomes of all interleavings that keep each thread's order.
pub(crate) fn outcomes<S: Sequential>(
    start: &S,
    threads: &[Vec<S::Step>],
) -> BTreeSet<Outcome<S::Answer>> {
    let mut outcomes = BTreeSet::new();
    let (done, answers) = (vec![0; threads.len()], vec![Vec::new(); threads.len()]);
    go_on(start, &done, &answers, threads, &mut outcomes);
    outcomes
}

fn go_on<S: Sequential>(
    state: &S,
    done: &[usize],
    answers: &[Vec<S::Answer>],
    threads: &[Vec<S::Step>],
    outcomes: &mut BTreeSet<Outcome<S::Answer>>,
) {
    let mut over = true;
    for (thread, steps) in threads.iter().enumerate() {
        let Some(&step) = steps.get(done[thread]) else { continue };
        over = false;
        let (mut state, mut done, mut answers) = (state.clone(), done.to_vec(), answers.to_vec());
        let answer = state.step(step, answers[thread].last().copied());
        answers[thread].extend(answer);
        done[thread] += 1;
        go_on(&state, &done, &answers, threads, outcomes);
    }
    if over {
        outcomes.insert((answers.to_vec(), state.left()));
    }
}
