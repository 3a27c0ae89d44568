"""A small machine for drawn programs: all their outcomes, without any part of the checker.

A thread is a list of instructions on one shared state. Locks, conditions, events, semaphores and
queues are spelled out as their documentation has them. All states are searched, each once.
"""

from __future__ import annotations

from typing import Any

MOST = 200_000
"""States of a program, at most."""


class TooLarge(Exception):
    """The program has too many states."""


class Code:
    """Instructions of one thread, as they are written one after the other."""

    def __init__(self, thread: int) -> None:
        self.thread, self.steps = thread, []

    def add(self, *step: Any) -> int:
        self.steps.append(list(step))
        return len(self.steps) - 1

    def here(self) -> int:
        return len(self.steps)

    def wait(self, condition: str, lock: str, timed: bool) -> None:
        """Leaves in the register whether a notification came."""
        self.add("enqueue", condition)
        self.add("release", lock)
        self.add("notified", condition, timed)
        self.add("acquire", lock)
        self.add("dequeue", condition)

    def until(self, test: str, name: str, condition: str, lock: str, timed: bool) -> int | None:
        """Wait until a test holds. The jump that is taken after a time-out, still without goal."""
        again = self.here()
        ready = self.add(test, name, None)
        self.wait(condition, lock, timed)
        failed = None
        if timed:
            self.add("unless", again)
            checked = self.add(test, name, None)
            failed = self.add("jump", None)
            self.steps[checked][2] = self.here()
        else:
            self.add("jump", again)
        self.steps[ready][2] = self.here()
        return failed


def outcomes(codes: list[Code], shared: dict[str, Any]) -> set[Any]:
    """The outcomes of a program: how it ends, its variables, what its threads have recorded."""
    names = sorted(shared)
    where = {name: index for index, name in enumerate(names)}
    start = (
        tuple((0, None, ()) for _ in codes),
        tuple(shared[name] for name in names),
    )
    found, seen, stack = set(), {start}, [start]
    while stack:
        threads, values = stack.pop()
        moved = False
        for code, (position, register, record) in zip(codes, threads, strict=True):
            if position == len(code.steps):
                continue
            for result in _step(code, position, register, record, values, where):
                moved = True
                position_, register_, record_, values_ = result
                new = list(threads)
                new[code.thread] = (position_, register_, record_)
                state = (tuple(new), values_)
                if state not in seen:
                    if len(seen) >= MOST:
                        raise TooLarge
                    seen.add(state)
                    stack.append(state)
        if not moved:
            done = all(t[0] == len(c.steps) for c, t in zip(codes, threads, strict=True))
            shown = tuple(
                values[where[name]] for name in names if name in ("x", "y", "d", "l", "flag")
            )
            finished = tuple(
                t[2] if t[0] == len(c.steps) else None for c, t in zip(codes, threads, strict=True)
            )
            found.add(("done" if done else "stuck", shown, finished))
    return found


def _step(code, position, register, record, values, where):
    """The results of a thread's instruction: none where it cannot be performed."""
    operation, *operands = code.steps[position]
    me, after = code.thread, position + 1

    def value(name):
        return values[where[name]]

    def put(name, new):
        changed = list(values)
        changed[where[name]] = new
        return tuple(changed)

    match operation, operands:
        case "acquire", [lock]:
            if value(lock) is None:
                yield after, register, record, put(lock, me)
        case "again", [lock, taken]:  # a lock that its owner may take again
            yield (taken if value(lock) == me else after), register, record, values
        case "try", [lock, failed]:
            if value(lock) is None:
                yield after, register, record, put(lock, me)
            else:
                yield failed, register, record, values
        case "release", [lock]:
            yield after, register, record, put(lock, None)
        case "held", [lock]:
            yield after, value(lock) is not None, record, values
        case "read", [name]:
            yield after, value(name), record, values
        case "write", [name, new]:
            yield after, register, record, put(name, new)
        case "add", [name, more]:
            yield after, register, record, put(name, register + more)
        case "put", [name, more]:
            yield after, register, record, put(name, (*value(name), more))
        case "record", []:
            yield after, register, (*record, register), values
        case "note", [what]:
            yield after, register, (*record, what), values
        case "jump", [goal]:
            yield goal, register, record, values
        case "unless", [goal]:  # jump if a notification came
            yield (goal if register else after), register, record, values
        case "positive", [name]:  # a loop that polls
            if value(name):
                yield after, register, record, values
        case "positive", [name, goal]:
            yield (goal if value(name) else after), register, record, values
        case "room", [name, goal]:
            yield (goal if not value(name) else after), register, record, values
        case _:
            yield from _waiting(
                operation, operands, me, after, register, record, values, value, put
            )


def _waiting(operation, operands, me, after, register, record, values, value, put):
    """The results of instructions on waiters and containers."""
    match operation, operands:
        case "enqueue", [condition]:
            yield after, register, record, put(condition, (*value(condition), (me, False)))
        case "notify", [condition, count]:
            waiters, left = list(value(condition)), count
            for index, (thread, woken) in enumerate(waiters):
                if not woken and left:
                    waiters[index] = (thread, True)
                    left -= 1
            yield after, register, record, put(condition, tuple(waiters))
        case "notified", [condition, timed]:
            woken = (me, True) in value(condition)
            if woken:
                left = tuple(w for w in value(condition) if w[0] != me)
                yield after, True, record, put(condition, left)
            elif timed:
                yield after, False, record, values
        case "dequeue", [condition]:
            left = tuple(w for w in value(condition) if w[0] != me)
            yield after, register, record, put(condition, left)
        case "set item", [key, new, certain]:
            items = dict(value("d"))
            if certain or key not in items:
                items[key] = new
            yield after, items[key], record, put("d", tuple(items.items()))
        case "get item", [key]:
            yield after, dict(value("d")).get(key), record, values
        case "pop item", [key]:
            items = dict(value("d"))
            gone = items.pop(key, None)
            yield after, gone, record, put("d", tuple(items.items()))
        case "count", [name]:
            yield after, len(value(name)), record, values
        case "await", [name, failed]:
            if value(name):
                yield after, value(name)[0], record, put(name, value(name)[1:])
            elif failed is not None:
                yield failed, register, record, values
        case "take", [name]:
            yield after, value(name)[0], record, put(name, value(name)[1:])
        case _:
            raise ValueError(operation)
