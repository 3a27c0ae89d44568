"""The theorems are about this code: ``impl/timing_wheel.py`` on symbols computes their terms.

The functions are run as they are. Of ``TimingWheel`` the methods ``add``, ``advance_clock`` and
``new_parent`` are run on a level whose fields are symbols and whose buckets, queue and parent note
their arguments. `theory` takes the module, so that a changed one can be given to it.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from impl import timing_wheel
from proofs.arith import bounds
from proofs.arith.clock import advanced, moves, trim
from proofs.arith.slots import LEVEL, key, slot, taken
from wheelproof.prove.arithmetic import (
    Arithmetic,
    Claim,
    Mutant,
    Number,
    Step,
    both,
    implies,
    mul,
    use,
    when,
)
from wheelproof.prove.symbolic import run_on

DUE, TAKEN, PASSED_ON, SOMETHING_ELSE = range(4)


class Level:
    """Stands for a wheel, with its fields. ``arguments``: of one that the code makes."""

    current_time: Any
    tick_ms: Any
    wheel_size: Any
    interval: Any
    buckets: Buckets
    queue: Noting
    upper: Noting
    task_counter: None
    clock: None
    overflow_wheel: Noting
    parent: Callable[[], Noting]

    def __init__(self, *arguments: Any) -> None:
        self.arguments = arguments


class Noting:
    """Stands for a bucket, a queue, a parent or an entry: notes the calls of its methods."""

    def __init__(self, **answers: Any) -> None:
        self.noted: list[tuple[str, Any]] = []
        for name, answer in answers.items():
            setattr(self, name, self.method(name, answer))

    def method(self, name: str, answer: Any) -> Callable[..., Any]:
        """A method that notes its arguments under ``name`` and returns ``answer``."""

        def call(*arguments: Any) -> Any:
            self.noted.append((name, arguments))
            return answer

        return call


class Buckets:
    """Any number of buckets: notes which was taken."""

    def __init__(self) -> None:
        self.index: Any = None
        self.bucket = Noting(add=None, set_expiration=True)

    def __getitem__(self, index: Any) -> Noting:
        self.index = index
        return self.bucket


def level(c: Any, t: Any, w: Any) -> Level:
    level = Level()
    level.current_time, level.tick_ms, level.wheel_size, level.interval = c, t, w, t * w
    level.buckets, level.queue, level.upper = (
        Buckets(),
        Noting(offer=None),
        Noting(add=True, advance_clock=None),
    )
    level.task_counter = level.clock = None
    level.overflow_wheel, level.parent = level.upper, lambda: level.upper
    return level


def adding(wheel: Any) -> Any:
    """(the outcome of ``add``, the slot, the key) for a deadline, a clock, a tick and a size.

    Slot and key are -1 unless the entry is taken.

    An entry is taken that is linked, then keyed, then queued, with the result True.
    """

    def run(e: Any, c: Any, t: Any, w: Any) -> tuple[Any, Any, Any]:
        base = level(c, t, w)
        result = wheel.add(base, SimpleNamespace(expiration_ms=e, cancelled=lambda: False))
        if base.buckets.index is not None:
            calls = base.buckets.bucket.noted
            if (
                result is not True
                or [name for name, _ in calls] != ["add", "set_expiration"]
                or [name for name, _ in base.queue.noted] != ["offer"]
            ):
                return SOMETHING_ELSE, -1, -1
            return TAKEN, base.buckets.index, calls[1][1][0]
        passed_on = [name for name, _ in base.upper.noted] == ["add"] and result is True
        return (PASSED_ON if passed_on else DUE if result is False else SOMETHING_ELSE), -1, -1

    return run


def advancing(wheel: Any) -> Any:
    """(the clock after ``advance_clock``, 1 where the parent gets a time, that time or -1)."""

    def run(c: Any, time: Any, t: Any) -> tuple[Any, Any, Any]:
        base = level(c, t, 2)
        wheel.advance_clock(base, time)
        times = [arguments[0] for name, arguments in base.upper.noted if name == "advance_clock"]
        return base.current_time, len(times), times[0] if times else -1

    return run


def making(wheel: Any) -> Any:
    """(tick, size, start) of the parent that a level makes."""

    def run(c: Any, t: Any, w: Any) -> Any:
        return wheel.new_parent(level(c, t, w)).arguments[:3]

    return run


def decided(e: Number, c: Number, t: Number, w: Number) -> Number:
    """The outcome of ``add`` by the theorems."""
    return when(e < c + t, DUE, when(e < c + mul(t, w), TAKEN, PASSED_ON))


def as_add_says(wheel: Any, e: Number, c: Number, t: Number, w: Number) -> Claim:
    does, index, expiration = run_on(adding(wheel), e, c, t, w)
    return both(
        does == decided(e, c, t, w),
        implies(taken(e, c, t, w), both(index == slot(e, t, w), expiration == key(e, t))),
    )


def as_advance_says(wheel: Any, c: Number, time: Number, t: Number) -> Claim:
    clock, count, upper_time = run_on(advancing(wheel), c, time, t)
    return both(
        clock == advanced(c, time, t),
        count == when(moves(c, time, t), 1, 0),
        implies(moves(c, time, t), upper_time == trim(time, t)),
    )


def as_parent_says(wheel: Any, c: Number, t: Number, w: Number) -> Claim:
    tick, size, start = run_on(making(wheel), c, t, w)
    return both(tick == mul(t, w), size == w, start == c)


# -- what the controls put in place of the code


class AWholeTurn:
    """Takes an entry that is exactly one turn ahead."""

    def add(self: Any, entry: Any) -> Any:
        deadline, current = entry.expiration_ms, self.current_time
        if timing_wheel.expired(deadline, current, self.tick_ms):
            return False
        if deadline <= current + self.interval:
            bucket = self.buckets[
                timing_wheel.bucket_index(deadline, self.tick_ms, self.wheel_size)
            ]
            bucket.add(entry)
            if bucket.set_expiration(timing_wheel.bucket_expiration(deadline, self.tick_ms)):
                self.queue.offer(bucket)
            return True
        return self.parent().add(entry)


class TheTimeItself:
    """Tells the parent the time as it is, and not as this level has it."""

    def advance_clock(self: Any, time_ms: Any) -> None:
        if time_ms >= self.current_time + self.tick_ms:
            self.current_time = timing_wheel.trim(time_ms, self.tick_ms)
            self.overflow_wheel.advance_clock(time_ms)


class FromZero:
    """Makes a parent whose clock stands at 0."""

    def new_parent(self: Any) -> Any:
        return type(self)(self.interval, self.wheel_size, 0, None, None, None)


def theory(code: Any) -> Arithmetic:
    """The theorems about a module with the names of ``impl.timing_wheel``."""
    arithmetic = Arithmetic("arith.code", mechanism="timing_wheel", after=(bounds.THEORY,))
    prove_functions(arithmetic, code)
    prove_bounds(arithmetic, code)
    prove_methods(arithmetic, code.TimingWheel)
    return arithmetic


def prove_functions(arithmetic: Arithmetic, code: Any) -> None:
    """Slot, key and trim are the terms of T1 - T8."""
    arithmetic.prove(
        "code-bucket_index",
        "bucket_index is the slot of T1 - T3",
        lambda e, t, w: {"tick": t >= 1, "size": w >= 1},
        lambda e, t, w: run_on(code.bucket_index, e, t, w) == slot(e, t, w),
        [Step("claim")],
        [
            Mutant(
                "modulus first",
                "the remainder is taken before the quotient",
                claim=lambda e, t, w: run_on(lambda e, t, w: e % w // t, e, t, w) == slot(e, t, w),
            )
        ],
        vivid=LEVEL,
        assumes=("A-PYTHON",),
    )
    arithmetic.prove(
        "code-bucket_expiration",
        "bucket_expiration is the key of T4 and T6",
        lambda e, t: {"tick": t >= 1},
        lambda e, t: run_on(code.bucket_expiration, e, t) == key(e, t),
        [Step("claim", None, lambda e, t: [use("trimmed", T=e, t=t)])],
        [
            Mutant(
                "rounded up",
                "the end of the tick",
                claim=lambda e, t: run_on(lambda e, t: e - e % t + t, e, t) == key(e, t),
            )
        ],
        vivid={"t": 3},
        assumes=("A-PYTHON",),
    )
    arithmetic.prove(
        "code-trim",
        "trim is the trim of T5 and T8",
        lambda T, t: {"tick": t >= 1},
        lambda T, t: run_on(code.trim, T, t) == trim(T, t),
        [Step("claim")],
        [
            Mutant(
                "remainder of the quotient",
                "another remainder is taken away",
                claim=lambda T, t: run_on(lambda T, t: T - T // t % t, T, t) == trim(T, t),
            )
        ],
        vivid={"t": 3},
        assumes=("A-PYTHON",),
    )


def prove_bounds(arithmetic: Arithmetic, code: Any) -> None:
    """A level takes the entries that ``expired`` and ``fits`` say."""
    arithmetic.prove(
        "code-fits",
        "expired and fits are the bounds of what a level takes",
        lambda e, c, t, w: {},
        lambda e, c, t, w: both(
            run_on(code.expired, e, c, t) == (e < c + t),
            (run_on(code.fits, e, c, mul(t, w)) == (e < c + mul(t, w))),
        ),
        [Step("claim")],
        [
            Mutant(
                "up to a turn",
                "fits has no strict bound",
                claim=lambda e, c, t, w: (
                    run_on(lambda e, c, i: e <= c + i, e, c, mul(t, w)) == (e < c + mul(t, w))
                ),
            )
        ],
        vivid=LEVEL | {"c": 6},
        assumes=("A-PYTHON",),
    )


def prove_methods(arithmetic: Arithmetic, wheel: Any) -> None:
    """The methods of a wheel do as the theorems say."""
    arithmetic.prove(
        "code-add",
        "TimingWheel.add does what the theorems say of an entry: "
        "it is due, or taken into its slot under its key, or passed on",
        lambda e, c, t, w: {"tick": t >= 1, "size from 2": w >= 2},
        lambda e, c, t, w: as_add_says(wheel, e, c, t, w),
        [Step("claim", None, lambda e, c, t, w: [use("trimmed", T=e, t=t)])],
        [
            Mutant(
                "a whole turn",
                "it takes what is exactly one turn ahead",
                claim=lambda e, c, t, w: as_add_says(AWholeTurn, e, c, t, w),
            )
        ],
        vivid=LEVEL | {"c": 6},
        assumes=("A-PYTHON", "A-INTERVAL"),
    )
    arithmetic.prove(
        "code-advance_clock",
        "TimingWheel.advance_clock moves the clock as in T5 and T8, and tells the parent this "
        "level's time",
        lambda c, T, t: {"tick": t >= 1},
        lambda c, T, t: as_advance_says(wheel, c, T, t),
        [Step("claim")],
        [
            Mutant(
                "the time itself",
                "the parent gets the time as it is",
                claim=lambda c, T, t: as_advance_says(TheTimeItself, c, T, t),
            )
        ],
        vivid={"t": 3, "c": 6, "T": 17},
        assumes=("A-PYTHON",),
    )
    arithmetic.prove(
        "code-new_parent",
        "a parent's tick is this level's turn, its size the same; "
        "it starts from this level's clock",
        lambda c, t, w: {},
        lambda c, t, w: as_parent_says(wheel, c, t, w),
        [Step("claim")],
        [
            Mutant(
                "from 0",
                "the parent's clock starts at 0",
                claim=lambda c, t, w: as_parent_says(FromZero, c, t, w),
                vivid=LEVEL,
            )
        ],
        vivid=LEVEL | {"c": 6},
        assumes=("A-PYTHON", "A-INTERVAL"),
    )


THEORY = theory(timing_wheel)
