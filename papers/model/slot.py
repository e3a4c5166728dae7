#!/usr/bin/env python3
"""The slot protocol under x86-TSO, with the kernel's process-wide barrier: every reachable state.

The loom models of this project know fences on both sides of the barrier pair, but not the pair that
Linux uses: nothing at all in the producer and a system call in the consumer. Here a machine with
store buffers runs one ring of the queue, and the system call is what the kernel documents: when it
returns, the buffers of all threads have been drained since it was made. All interleavings of all
threads, and of all buffers with memory, are explored; no bound on preemptions.

Threads do what `Slot`, `Segment` and their tickets do (the labels are those of src/ and of the
paper). A producer whose item is refused closes the ring and stops, as it would go on to the next
ring. A bounded wait is a choice: to look again, or to stop waiting.

Checked in every final state, for each ticket: an accepted item is taken once or is still FULL and
unclaimed; a refused item is not taken. In every state: an item that is read is the one that was
pushed under that ticket, and a producer writes to a slot only while nobody reads it.

Prints the number of states of each configuration, then shows that each fault is found. Not covered:
weaker memory models, the list of rings, reclamation.
"""

import sys

DEAD = -1
NEVER = 1 << 20  # `gave_up` holds the lowest lap that somebody gave up on
UNKNOWN = 1 << 20  # `end` before it is stored

# A state: (tail, closed, end, head, seen, slots, threads, owners, fates, taken)
#   slots    ((state, gave_up, value), ...)        state: 2c empty, 2c + 1 full, or DEAD
#   threads  ((pc, left, ticket or head, limit, buffer), ...)
#   owners   the item of each ticket, fates: 0 open, 1 accepted, 2 refused; taken: how often


def explore(slots, producers, consumers, faults=frozenset(), fences=False):
    """Visits every state; returns their number, or raises `Violation`."""
    ring = tuple((0, NEVER, None) for _ in range(slots))
    threads = tuple([("P0", n, 0, 0, ()) for n in producers] + [("C0", n, 0, 0, ()) for n in consumers])
    start = (0, False, UNKNOWN, 0, 0, ring, threads, (), (), ())
    seen, stack = {start}, [start]
    while stack:
        state = stack.pop()
        successors = list(steps(state, slots, len(producers), faults, fences))
        if not successors:
            final(state, slots)
        for successor in successors:
            if successor not in seen:
                seen.add(successor)
                stack.append(successor)
    return len(seen)


class Violation(Exception):
    pass


def final(state, slots):
    _, _, _, head, _, ring, threads, _, fates, taken = state
    if any(pc != "end" for pc, *_ in threads):
        raise Violation("a thread is stuck")
    for ticket, fate in enumerate(fates):
        if fate == 2 and taken[ticket]:
            raise Violation("a refused item was taken")
        if fate == 1 and taken[ticket] != 1:
            full = ring[ticket % slots][0] == 2 * (ticket // slots) + 1
            if taken[ticket] or ticket < head or not full:
                raise Violation("an accepted item was %s" % ("taken twice" if taken[ticket] else "lost"))


def steps(state, slots, producers, faults, fences):
    tail, closed, end, head, seen, ring, threads, owners, fates, taken = state
    for me, (pc, left, ticket, limit, buffer) in enumerate(threads):

        def go(pc, left=left, ticket=ticket, limit=limit, buffer=buffer, **changed):
            """The state after a step of this thread."""
            thread = (pc, left, ticket, limit, buffer)
            now = threads[:me] + (thread,) + threads[me + 1 :]
            new = dict(tail=tail, closed=closed, end=end, head=head, seen=seen, ring=ring,
                       owners=owners, fates=fates, taken=taken)
            new.update(changed)
            return (new["tail"], new["closed"], new["end"], new["head"], new["seen"], new["ring"], now,
                    new["owners"], new["fates"], new["taken"])

        if buffer:  # The oldest store reaches memory.
            (what, where, value), rest = buffer[0], buffer[1:]
            yield go(pc, buffer=rest, **stored(what, where, value, ring))

        def load(what, where=0):
            for w, i, value in reversed(buffer):
                if (w, i) == (what, where):
                    return value
            if what == "end":
                return end
            if what == "seen":
                return seen
            return ring[where][("state", "gave_up", "value").index(what)]

        def store(what, where, value):
            return buffer + ((what, where, value),)

        def in_slot(**fields):
            return {"ring": put(ring, at, **fields)}

        at, lap = ticket % slots, ticket // slots
        given_up = lambda: load("gave_up", at) <= lap
        atomic = not buffer  # A locked instruction waits until the buffer is empty.

        # ---- A producer: Segment::issue, Slot::publish, retract, abandon, Segment::close. ----
        if pc == "P0":
            if left == 0:
                yield go("end")
            elif atomic:
                if closed:  # A void ticket.
                    yield go("end", tail=tail + 1)
                else:
                    item = (me, left)
                    yield go("P1", ticket=tail, tail=tail + 1, owners=owners + (item,),
                             fates=fates + (0,), taken=taken + (0,))
        elif pc == "P1":  # [SLOT-1]
            if load("state", at) == 2 * lap:
                yield go("P2")
            else:
                yield go("P6")  # Or look again, which is to stay here.
        elif pc == "P2":
            for other, (opc, _, t, _, _) in enumerate(threads):
                if opc in ("C5", "C12") and t % slots == at and other != me:
                    raise Violation("a slot was written while it was read")
            if "publish-first" in faults:
                yield go("P3", buffer=store("state", at, 2 * lap + 1))
            elif "load-first" in faults:
                yield go("P3", limit=int(given_up()), buffer=store("value", at, owners[ticket]))
            else:
                yield go("P3", buffer=store("value", at, owners[ticket]))
        elif pc == "P3":
            if "publish-first" in faults:
                yield go("P4", buffer=store("value", at, owners[ticket]))
            else:  # [SLOT-2]
                yield go("P4", buffer=store("state", at, 2 * lap + 1))
        elif pc == "P4":  # [SLOT-5]: nothing, or a fence.
            if not fences or atomic:
                mark = limit if "load-first" in faults else given_up()
                if mark:
                    yield go("P5")
                else:
                    yield go("P0", left=left - 1, limit=0, fates=put1(fates, ticket, 1))
        elif pc == "P5" and atomic:
            if load("state", at) == 2 * lap + 1:
                yield go("P7", fates=put1(fates, ticket, 2), **in_slot(state=DEAD))
            else:
                yield go("P0", left=left - 1, limit=0, fates=put1(fates, ticket, 1))
        elif pc == "P6" and atomic:
            yield go("P7", fates=put1(fates, ticket, 2), **in_slot(gave_up=min(ring[at][1], lap)))
        elif pc == "P7" and atomic:
            if closed:
                yield go("end")
            else:
                yield go("P8", limit=tail, closed=True)
        elif pc == "P8":
            yield go("end", buffer=store("end", 0, limit))

        # ---- A consumer: Segment::claim, Slot::take, wait_or_give_up. ----
        elif pc == "C0":
            if left == 0:
                yield go("end")
            else:  # [SEG-3]
                yield go("C1", ticket=head)
        elif pc == "C1":
            yield go("C3" if ticket < load("seen") else "C2")
        elif pc == "C2":
            bound = min(tail, load("end")) if closed else tail
            if ticket >= bound:  # Empty, or drained.
                yield go("end" if closed else "C0", left=left - 1)
            else:
                yield go("C3", buffer=store("seen", 0, bound) if bound > ticket + 1 else buffer)
        elif pc == "C3" and atomic:  # [SEG-4]
            if head == ticket:
                yield go("C4", head=head + 1)
            else:
                yield go("C0")
        elif pc == "C4":  # [SLOT-3]
            if load("state", at) == 2 * lap + 1:
                yield go("C5")
            else:
                yield go("C7")
        elif pc == "C5" or pc == "C12":
            if ticket >= len(owners) or load("value", at) != owners[ticket]:
                raise Violation("a torn or foreign item was read")
            now = put1(taken, ticket, taken[ticket] + 1)
            if pc == "C12":
                yield go("C0", left=left - 1, taken=now)
            else:
                yield go("C6", taken=now)
        elif pc == "C6":  # [SLOT-4]
            yield go("C0", left=left - 1, buffer=store("state", at, 2 * (lap + 1)))
        elif pc == "C7":
            yield go("C0" if ticket >= load("end") else "C8")
        elif pc == "C8":
            if given_up():
                yield go("C0")
            else:
                yield go("C4")  # Look again,
                yield go("C9")  # or stop waiting.
        elif pc == "C9" and atomic:
            if "unmarked" in faults:
                yield go("C0")
            elif "mark-last" in faults:
                yield go("C10")
            else:
                yield go("C10", **in_slot(gave_up=min(ring[at][1], lap)))
        elif pc == "C10":  # [SLOT-6]: the kernel's barrier drains every buffer; a fence only ours.
            if "heavy-off" in faults or (fences and atomic):
                yield go("C11")
            elif not fences:
                yield drained(go("C11"))
        elif pc == "C11" and atomic:  # [SLOT-7]
            mark = {"gave_up": min(ring[at][1], lap)} if "mark-last" in faults else {}
            if load("state", at) == 2 * lap + 1:
                yield go("C12", **in_slot(state=DEAD, **mark))
            else:
                yield go("C0", **in_slot(**mark))


def stored(what, where, value, ring):
    if what in ("end", "seen"):
        return {what: value}
    return {"ring": put(ring, where, **{what: value})}


def put(ring, at, **fields):
    old = dict(zip(("state", "gave_up", "value"), ring[at]))
    old.update(fields)
    return put1(ring, at, (old["state"], old["gave_up"], old["value"]))


def put1(items, at, item):
    return items[:at] + (item,) + items[at + 1 :]


def drained(state):
    """All buffers emptied, each in its order."""
    tail, closed, end, head, seen, ring, threads, owners, fates, taken = state
    for thread in threads:
        for what, where, value in thread[4]:
            change = stored(what, where, value, ring)
            ring, end, seen = change.get("ring", ring), change.get("end", end), change.get("seen", seen)
    threads = tuple(thread[:4] + ((),) for thread in threads)
    return (tail, closed, end, head, seen, ring, threads, owners, fates, taken)


CONFIGURATIONS = [
    # slots, pushes of each producer, pops of each consumer
    (1, (1,), (1,)),
    (1, (2,), (2,)),
    (2, (3,), (3,)),
    (1, (2,), (1, 1)),
    (1, (1, 1), (2,)),
    (2, (1, 1), (1, 1)),
    (1, (1, 1), (1, 1)),
]
LARGER = [(1, (3,), (2, 1)), (2, (2, 1), (2, 1)), (1, (2, 1), (2, 1))]
FAULTS = ["heavy-off", "load-first", "mark-last", "unmarked", "publish-first"]


def main():
    total = 0
    for slots, producers, consumers in CONFIGURATIONS + (LARGER if "--all" in sys.argv else []):
        for fences in (False, True):
            states = explore(slots, producers, consumers, fences=fences)
            total += states
            pair = "fences" if fences else "process-wide barrier"
            print(f"slots {slots}, pushes {producers}, pops {consumers}, {pair}: {states} states, no violation", flush=True)
    for fault in FAULTS:
        for slots, producers, consumers in CONFIGURATIONS:
            try:
                explore(slots, producers, consumers, frozenset([fault]))
            except Violation as violation:
                print(f"fault {fault}: found, {violation} (slots {slots}, pushes {producers}, pops {consumers})")
                break
        else:
            sys.exit(f"fault {fault}: NOT FOUND")
    print(f"slot: ok: {total} states, {len(FAULTS)} faults found")


if __name__ == "__main__":
    main()
