#!/usr/bin/env python3
"""The epochs under x86-TSO, with the kernel's process-wide barrier: every reachable state.

As slot.py does for a slot. Readers pin, read a shared pointer, use what it leads to a moment later, and
unpin; a thread makes it unreachable, stamps it, moves the epoch on and frees it when its epoch is
over; others move the epoch on as well. A pin has no fence: the store that shows the epoch may be in
the reader's buffer while it reads the pointer. The labels are those of src/reclaim.rs.

Checked: nothing is used after it is free. Shown: it does become free; each fault is found. Not covered:
registration of threads, weaker memory models.
"""

import sys

from slot import Violation, put1

HIDDEN = -1

# A state: (epoch, reachable, freed, shown, threads)
#   shown    what memory has of each reader's record: HIDDEN, or an epoch
#   threads  ((pc, left, epoch seen, stamp, buffer), ...); readers first


def explore(looks, retirer_steps, movers, faults=frozenset(), fences=False):
    """Visits every state; returns their number and whether some execution frees."""
    threads = [("R0", n, 0, 0, ()) for n in looks]
    threads += [("W0", retirer_steps, 0, 0, ())] + [("A0", n, 0, None, ()) for n in movers]
    start = (0, True, False, (HIDDEN,) * len(looks), tuple(threads))
    seen, stack, frees = {start}, [start], False
    while stack:
        state = stack.pop()
        frees |= state[2]
        for successor in steps(state, len(looks), faults, fences):
            if successor not in seen:
                seen.add(successor)
                stack.append(successor)
    return len(seen), frees


def steps(state, readers, faults, fences):
    epoch, reachable, freed, shown, threads = state
    for me, (pc, left, e, stamp, buffer) in enumerate(threads):

        def go(pc, left=left, e=e, stamp=stamp, buffer=buffer, epoch=epoch, reachable=reachable, freed=freed, shown=shown):
            return (epoch, reachable, freed, shown, put1(threads, me, (pc, left, e, stamp, buffer)))

        if buffer:  # The oldest store reaches memory.
            yield go(pc, buffer=buffer[1:], shown=put1(shown, me, buffer[0]))

        # ---- A reader: Record::show, an access, Record::hide. ----
        if pc == "R0":
            if left:
                yield go("R1", e=epoch)
        elif pc == "R1":  # [EPOCH-1]
            if "shown-late" in faults:
                yield go("R2")
            else:
                yield go("R2", buffer=buffer + (e,))
        elif pc == "R2":  # [EPOCH-3]: nothing, or a fence.
            if not fences or not buffer or "pin-barrier-off" in faults:
                found = "R3" if "shown-late" in faults else "R4"
                yield go(found if reachable else "R5")
        elif pc == "R3":  # The compiler has put the store behind the look.
            yield go("R4", buffer=buffer + (e,))
        elif pc == "R4":
            if freed:
                raise Violation("used after it was freed")
            yield go("R5")
        elif pc == "R5":  # [EPOCH-1]
            yield go("R0", left=left - 1, buffer=buffer + (HIDDEN,))

        # ---- The thread that retires: List::leave, Stamp::renew; then Store::collect. ----
        elif pc == "W0":
            yield go("W1", reachable=False)
        elif pc == "W1":  # [EPOCH-4]: the kernel's barrier drains every buffer; its own is empty.
            after = go("W2")
            if not fences and "stamp-barrier-off" not in faults:
                new_shown, new_threads = list(shown), list(after[4])
                for i in range(readers):
                    for value in threads[i][4]:
                        new_shown[i] = value
                    new_threads[i] = new_threads[i][:4] + ((),)
                after = (epoch, False, freed, tuple(new_shown), tuple(new_threads))
            yield after
        elif pc == "W2":  # [EPOCH-5]
            yield go("W3", stamp=epoch)
        elif pc == "W3":  # [EPOCH-6]
            enough = 1 if "free-early" in faults else 2
            if epoch >= stamp + enough:
                yield go("end", freed=True)
            elif left:
                yield go("A0")

        # ---- Moving on: Domain::is_shown_by_all, advance. ----
        elif pc == "A0":  # [EPOCH-6]
            if left:
                yield go("L0", e=epoch)
        elif pc[0] == "L":  # [EPOCH-2], one record at a time.
            i = int(pc[1:])
            back = "A0" if stamp is None else "W3"
            if i == readers:  # [EPOCH-5]
                moved = epoch + 1 if epoch == e else epoch
                yield go(back, left=left - 1, epoch=moved)
            elif shown[i] in (HIDDEN, e):
                yield go("L%d" % (i + 1))
            else:
                yield go(back, left=left - 1)


CONFIGURATIONS = [
    # looks of each reader, steps of the thread that retires, steps of others
    ((1,), 2, ()),
    ((3,), 3, ()),
    ((2,), 2, (2,)),
    ((2,), 1, (1, 2)),
    ((2, 1), 3, ()),
    ((1, 1), 2, (2,)),
]
LARGER = [((2, 1), 2, (2,))]
FAULTS = [("stamp-barrier-off", False), ("shown-late", False), ("free-early", False), ("pin-barrier-off", True)]


def main():
    total = 0
    for looks, retirer, movers in CONFIGURATIONS + (LARGER if "--all" in sys.argv else []):
        for fences in (False, True):
            states, frees = explore(looks, retirer, movers, fences=fences)
            total += states
            pair = "fences" if fences else "process-wide barrier"
            if not frees:
                sys.exit(f"looks {looks}: nothing is ever freed")
            print(f"looks {looks}, steps {retirer} and {movers}, {pair}: {states} states, no violation", flush=True)
    for fault, fences in FAULTS:
        for looks, retirer, movers in CONFIGURATIONS:
            try:
                explore(looks, retirer, movers, frozenset([fault]), fences)
            except Violation as violation:
                print(f"fault {fault}: found, {violation} (looks {looks}, steps {retirer} and {movers})")
                break
        else:
            sys.exit(f"fault {fault}: NOT FOUND")
    print(f"epochs: ok: {total} states, {len(FAULTS)} faults found")


if __name__ == "__main__":
    main()
