//! Functions whose assembly `scripts/check-asm` reads.

use std::sync::atomic::{AtomicUsize, Ordering};

use segring::mpsc::{Consumer, Producer};
use segring::{BoundedHandle, Handle, PushError};

/// One push through a handle.
#[inline(never)]
#[unsafe(no_mangle)]
pub fn asm_push(handle: &mut Handle<'_, u64>, item: u64) {
    handle.push(item);
}

/// One pop through a handle.
#[inline(never)]
#[unsafe(no_mangle)]
pub fn asm_pop(handle: &mut Handle<'_, u64>) -> Option<u64> {
    handle.pop()
}

/// One push through a handle of a bounded queue.
#[inline(never)]
#[unsafe(no_mangle)]
pub fn asm_bounded_push(handle: &mut BoundedHandle<'_, u64>, item: u64) -> Result<(), u64> {
    handle.push(item)
}

/// One pop through a handle of a bounded queue.
#[inline(never)]
#[unsafe(no_mangle)]
pub fn asm_bounded_pop(handle: &mut BoundedHandle<'_, u64>) -> Option<u64> {
    handle.pop()
}

/// One push through a producer.
#[inline(never)]
#[unsafe(no_mangle)]
pub fn asm_mpsc_push(producer: &mut Producer<u64>, item: u64) -> Result<(), PushError<u64>> {
    producer.push(item)
}

/// One pop by the only consumer.
#[inline(never)]
#[unsafe(no_mangle)]
pub fn asm_mpsc_pop(consumer: &mut Consumer<u64>) -> Option<u64> {
    consumer.pop()
}

static PUSHED: AtomicUsize = AtomicUsize::new(0);

/// The control: a push with a second locked instruction, which the check must see.
#[inline(never)]
#[unsafe(no_mangle)]
pub fn asm_control(handle: &mut Handle<'_, u64>, item: u64) {
    handle.push(item);
    PUSHED.fetch_add(1, Ordering::Relaxed);
}
