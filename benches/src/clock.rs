//! Stamps for recorded histories: tight, and comparable between threads.
//!
//! The tighter the interval between call and response, the more precedence the checker sees and the
//! more it can refute. So where the processor has an invariant time-stamp counter, stamps are raw
//! reads of it, fenced so that the operation stays between them: `lfence; rdtsc; lfence` before
//! (nothing of the operation starts early), `rdtscp; lfence` after (all its loads and
//! read-modify-writes are done). Elsewhere they are nanoseconds of [`Instant`], which is one clock
//! for all threads.
//!
//! **Skew.** Counters of different cores may disagree. If they did by more than it takes to see
//! another thread's response and make a call, `x << y` could be read off two operations that ran the
//! other way round. So the clock hands stamps back and forth between two threads, takes the largest
//! step back in time that it sees as the skew, and adds it to every response: precedences shorter
//! than the skew vanish, which costs power and never raises a false alarm.
//!
//! **No full fence before the response.** A store can leave a core's store buffer after `rdtscp`. An
//! operation that takes effect with a plain store would then respond before it took effect, and the
//! history would show it as out of order. segring publishes with a plain store, but does not take
//! effect there: a push has its place from its ticket on, which is a read-modify-write, and a pop that
//! meets the ticket first waits and, before it gives up, runs a barrier that makes the store visible.
//! The stamps hold it to that: with a full fence a queue that lost such items would pass.

use std::time::Instant;

use crate::workload::pin_to_core;

/// A source of stamps, in ticks of unstated length.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    source: Source,
    skew: u64,
}

#[derive(Clone, Copy, Debug)]
enum Source {
    #[cfg(target_arch = "x86_64")]
    Counter,
    Monotonic {
        origin: Instant,
    },
}

impl Clock {
    /// The best source of this machine, with its skew measured. Takes some milliseconds.
    pub fn new() -> Self {
        let mut clock = Self { source: Source::best(), skew: 0 };
        clock.skew = clock.measure_skew();
        clock
    }

    /// What the stamps are.
    pub const fn name(&self) -> &'static str {
        match self.source {
            #[cfg(target_arch = "x86_64")]
            Source::Counter => "time-stamp counter",
            Source::Monotonic { .. } => "monotonic clock",
        }
    }

    /// By how many ticks the clocks of two cores were seen to disagree.
    pub const fn skew(&self) -> u64 {
        self.skew
    }

    /// The instant just before an operation.
    #[inline]
    pub fn call(&self) -> u64 {
        match self.source {
            #[cfg(target_arch = "x86_64")]
            Source::Counter => counter::before(),
            Source::Monotonic { origin } => nanos_since(origin),
        }
    }

    /// The instant just after an operation, later by the skew.
    #[inline]
    pub fn response(&self) -> u64 {
        let now = match self.source {
            #[cfg(target_arch = "x86_64")]
            Source::Counter => counter::after(),
            Source::Monotonic { origin } => nanos_since(origin),
        };
        now + self.skew
    }

    /// The largest step back that a stamp takes on its way from one thread to another.
    fn measure_skew(&self) -> u64 {
        const HANDOVERS: u64 = 20_000;
        if core_affinity::get_core_ids().is_none_or(|cores| cores.len() < 2) {
            return 0;
        }
        let ball = crate::probe::Ball::new();
        let player = |side| {
            pin_to_core(side);
            let mut skew = 0;
            ball.play(side, HANDOVERS, |sent| {
                let now = self.call();
                skew = sent.saturating_sub(now).max(skew);
                self.response()
            });
            skew
        };
        std::thread::scope(|scope| {
            let other = scope.spawn(|| player(1));
            let skew = scope.spawn(|| player(0)).join();
            skew.unwrap_or(0).max(other.join().unwrap_or(0))
        })
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::new()
    }
}

impl Source {
    fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if counter::is_invariant() {
            return Self::Counter;
        }
        Self::Monotonic { origin: Instant::now() }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "2^64 ns are 584 years")]
fn nanos_since(origin: Instant) -> u64 {
    origin.elapsed().as_nanos() as u64
}

#[cfg(target_arch = "x86_64")]
mod counter {
    use core::arch::x86_64::{__cpuid, __rdtscp, _mm_lfence, _rdtsc};

    /// Whether the counter runs at one rate in every power state, and `rdtscp` exists.
    pub(super) fn is_invariant() -> bool {
        const EXTENDED_FEATURES: u32 = 0x8000_0001;
        const POWER_MANAGEMENT: u32 = 0x8000_0007;
        __cpuid(0x8000_0000).eax >= POWER_MANAGEMENT
            && __cpuid(EXTENDED_FEATURES).edx >> 27 & 1 == 1
            && __cpuid(POWER_MANAGEMENT).edx >> 8 & 1 == 1
    }

    #[inline]
    pub(super) fn before() -> u64 {
        fence();
        // SAFETY: every x86-64 processor has `rdtsc`, and user mode may run it on the systems we
        // support.
        let now = unsafe { _rdtsc() };
        fence();
        now
    }

    #[inline]
    pub(super) fn after() -> u64 {
        let mut core = 0;
        // SAFETY: `Source::Counter` is only chosen where `is_invariant` found `rdtscp`.
        let now = unsafe { __rdtscp(&raw mut core) };
        fence();
        now
    }

    #[inline]
    fn fence() {
        // SAFETY: SSE2, which `lfence` belongs to, is part of x86-64.
        unsafe { _mm_lfence() };
    }
}

#[cfg(test)]
mod tests {
    use super::Clock;

    #[test]
    fn stamps_rise_within_a_thread() {
        let clock = Clock::new();
        let mut last = 0;
        for _ in 0..1_000 {
            let (call, response) = (clock.call(), clock.response());
            assert!(last <= call + clock.skew() && call <= response, "{last} {call} {response}");
            last = response;
        }
    }
}
