//! The public interface, as far as the compiler can tell: functions have the same types, types the
//! same traits.

use std::cell::Cell;
use std::error::Error;
use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::iter::FusedIterator;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::rc::Rc;

/// Every function for any `T`: what does not fit both does not compile.
macro_rules! functions {
    ($module:ident: $crossbeam:ident, $concurrent:ident) => {
        mod $module {
            use std::rc::Rc;
            use $concurrent::{ConcurrentQueue, ForcePushError, PopError, PushError, TryIter};
            use $crossbeam::{ArrayQueue, SegQueue};

            static SHARED: (SegQueue<Vec<u8>>, ConcurrentQueue<Vec<u8>>) =
                (SegQueue::new(), ConcurrentQueue::unbounded());

            #[test]
            fn functions() {
                fit::<Rc<u8>>();
                assert!(SHARED.0.is_empty() && SHARED.1.is_empty());
            }

            fn fit<T>() {
                const { drop_const(SegQueue::<T>::new()) };
                const { drop_const(ConcurrentQueue::<T>::unbounded()) };

                let _: fn(&SegQueue<T>, T) = SegQueue::push;
                let _: fn(&mut SegQueue<T>, T) = SegQueue::push_mut;
                let _: fn(&SegQueue<T>) -> Option<T> = SegQueue::pop;
                let _: fn(&mut SegQueue<T>) -> Option<T> = SegQueue::pop_mut;
                let _: fn(&SegQueue<T>) -> bool = SegQueue::is_empty;
                let _: fn(&SegQueue<T>) -> usize = SegQueue::len;

                let _: fn(usize) -> ArrayQueue<T> = ArrayQueue::new;
                let _: fn(&ArrayQueue<T>, T) -> Result<(), T> = ArrayQueue::push;
                let _: fn(&mut ArrayQueue<T>, T) -> Result<(), T> = ArrayQueue::push_mut;
                let _: fn(&ArrayQueue<T>, T) -> Option<T> = ArrayQueue::force_push;
                let _: fn(&ArrayQueue<T>) -> Option<T> = ArrayQueue::pop;
                let _: fn(&mut ArrayQueue<T>) -> Option<T> = ArrayQueue::pop_mut;
                let _: fn(&ArrayQueue<T>) -> usize = ArrayQueue::capacity;
                let _: fn(&ArrayQueue<T>) -> bool = ArrayQueue::is_empty;
                let _: fn(&ArrayQueue<T>) -> bool = ArrayQueue::is_full;
                let _: fn(&ArrayQueue<T>) -> usize = ArrayQueue::len;

                let _: fn(usize) -> ConcurrentQueue<T> = ConcurrentQueue::bounded;
                let _: fn(&ConcurrentQueue<T>, T) -> Result<(), PushError<T>> =
                    ConcurrentQueue::push;
                let _: fn(&ConcurrentQueue<T>, T) -> Result<Option<T>, ForcePushError<T>> =
                    ConcurrentQueue::force_push;
                let _: fn(&ConcurrentQueue<T>) -> Result<T, PopError> = ConcurrentQueue::pop;
                let _: for<'a> fn(&'a ConcurrentQueue<T>) -> TryIter<'a, T> =
                    ConcurrentQueue::try_iter;
                let _: fn(&ConcurrentQueue<T>) -> bool = ConcurrentQueue::is_empty;
                let _: fn(&ConcurrentQueue<T>) -> bool = ConcurrentQueue::is_full;
                let _: fn(&ConcurrentQueue<T>) -> usize = ConcurrentQueue::len;
                let _: fn(&ConcurrentQueue<T>) -> Option<usize> = ConcurrentQueue::capacity;
                let _: fn(&ConcurrentQueue<T>) -> bool = ConcurrentQueue::close;
                let _: fn(&ConcurrentQueue<T>) -> bool = ConcurrentQueue::is_closed;

                let _: fn(&PopError) -> bool = PopError::is_empty;
                let _: fn(&PopError) -> bool = PopError::is_closed;
                let _: fn(PushError<T>) -> T = PushError::into_inner;
                let _: fn(&PushError<T>) -> bool = PushError::is_full;
                let _: fn(&PushError<T>) -> bool = PushError::is_closed;
                let _: fn(ForcePushError<T>) -> T = ForcePushError::into_inner;

                // All there is, so that programs may match without a wildcard.
                let _ = |error: PopError| match error {
                    PopError::Empty | PopError::Closed => {}
                };
                let _ = |error: PushError<T>| match error {
                    PushError::Full(item) | PushError::Closed(item) => item,
                };
                let _ = |ForcePushError(item): ForcePushError<T>| item;
            }

            /// A value made at compile time is not dropped there.
            const fn drop_const<Q>(queue: Q) {
                let _ = std::mem::ManuallyDrop::new(queue);
            }
        }
    };
}
functions!(ours: ours_crossbeam_queue, ours_concurrent_queue);
functions!(theirs: theirs_crossbeam_queue, theirs_concurrent_queue);

/// Whether a type has a trait: where the bound holds, the inherent constant comes first.
macro_rules! has {
    ($type:ty, $trait:path) => {{
        #[allow(dead_code, reason = "one of the two constants is not used")]
        const HAS: bool = {
            trait Otherwise {
                const HAS: bool = false;
            }
            impl<T: ?Sized> Otherwise for T {}
            struct Probe<T: ?Sized>(std::marker::PhantomData<T>);
            impl<T: ?Sized + $trait> Probe<T> {
                const HAS: bool = true;
            }
            <Probe<$type>>::HAS
        };
        (concat!(stringify!($type), ": ", stringify!($trait)), HAS)
    }};
}

/// For each type, which of the traits of the standard library it has.
macro_rules! traits {
    ($($type:ty),* $(,)?) => {
        [$(traits!(each $type: Send, Sync, Unpin, UnwindSafe, RefUnwindSafe, Clone, Copy, Debug, Display,
            Default, PartialEq, Eq, PartialOrd, Ord, Hash, Error, Extend<u8>, FromIterator<u8>,
            From<u8>, From<Vec<u8>>, IntoIterator, Iterator, DoubleEndedIterator, ExactSizeIterator,
            FusedIterator)),*].concat()
    };
    (each $type:ty: $($trait:path),*) => { vec![$(has!($type, $trait)),*] };
}

/// An item that has no traits to speak of: no `Debug`, not unwind safe, neither `Send` nor `Sync`.
#[expect(dead_code, reason = "only its traits count")]
struct Bare(Rc<Cell<u8>>, &'static mut u8);

macro_rules! table {
    ($crossbeam:ident, $concurrent:ident) => {{
        use $concurrent::{ConcurrentQueue, ForcePushError, PopError, PushError, TryIter};
        use $crossbeam::{ArrayQueue, SegQueue};
        traits![
            SegQueue<u8>,
            SegQueue<Cell<u8>>,
            SegQueue<Bare>,
            ArrayQueue<u8>,
            ArrayQueue<Cell<u8>>,
            ArrayQueue<Bare>,
            <SegQueue<u8> as IntoIterator>::IntoIter,
            <SegQueue<Bare> as IntoIterator>::IntoIter,
            <ArrayQueue<u8> as IntoIterator>::IntoIter,
            <ArrayQueue<Bare> as IntoIterator>::IntoIter,
            &'static SegQueue<u8>,
            &'static ArrayQueue<u8>,
            &'static ConcurrentQueue<u8>,
            ConcurrentQueue<u8>,
            ConcurrentQueue<Cell<u8>>,
            ConcurrentQueue<Bare>,
            TryIter<'static, u8>,
            TryIter<'static, Cell<u8>>,
            TryIter<'static, Bare>,
            PopError,
            PushError<u8>,
            PushError<Cell<u8>>,
            PushError<Bare>,
            ForcePushError<u8>,
            ForcePushError<Cell<u8>>,
            ForcePushError<Bare>,
        ]
    }};
}

#[test]
fn traits() {
    let ours = table!(ours_crossbeam_queue, ours_concurrent_queue);
    let theirs = table!(theirs_crossbeam_queue, theirs_concurrent_queue);
    assert_eq!((theirs[0].1, theirs[5].1), (true, false), "a queue is Send and not Clone");
    for (ours, theirs) in ours.into_iter().zip(theirs) {
        assert_eq!(ours, theirs);
    }
}
