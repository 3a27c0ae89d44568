"""T15 is about this code: ``SystemTimer.add`` on symbols takes exactly the bounded deadlines.

That ``max_deadline_ms`` is M is tested on numbers, since a wheel of a symbolic number of buckets
cannot be built.
"""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

from impl import system_timer
from proofs.arith import code
from wheelproof.prove.arithmetic import Arithmetic, Claim, Mutant, Number, Step, both, when
from wheelproof.prove.symbolic import run_on

REFUSED = -1


def admitting(timer: Any) -> Any:
    """The deadline under which ``add`` enters a task, -1 where it refuses it.

    Its arguments are the time now, the delay and the last deadline.
    """

    def run(now: Any, delay: Any, last: Any) -> Any:
        deadlines: list[Any] = []
        fake = SimpleNamespace(
            lock=SimpleNamespace(read_lock=nullcontext()),
            closed=False,
            clock=SimpleNamespace(hi_res_clock_ms=lambda: now),
            max_deadline_ms=last,
            let_go=lambda: None,
            add_timer_task_entry=lambda entry: deadlines.append(entry.expiration_ms),
        )
        try:
            timer.add(
                fake, SimpleNamespace(delay_ms=delay, set_timer_task_entry=lambda entry: None)
            )
        except ValueError:
            return REFUSED
        return deadlines[0]

    return run


def as_bound_says(timer: Any, now: Number, delay: Number, last: Number) -> Claim:
    deadline = now + delay
    return run_on(admitting(timer), now, delay, last) == when(
        both(0 <= deadline, deadline <= last), deadline, REFUSED
    )


class NoBound:
    """Takes any deadline, as Kafka does."""

    def add(self: Any, task: Any) -> None:
        self.add_timer_task_entry(
            SimpleNamespace(expiration_ms=self.clock.hi_res_clock_ms() + task.delay_ms)
        )


class NoSign:
    """Refuses a deadline that is too far, and takes one before 0."""

    def add(self: Any, task: Any) -> None:
        deadline = self.clock.hi_res_clock_ms() + task.delay_ms
        if deadline > self.max_deadline_ms:
            raise ValueError(deadline)
        self.add_timer_task_entry(SimpleNamespace(expiration_ms=deadline))


def theory(timer: Any) -> Arithmetic:
    """The theorem about a class with the methods of ``SystemTimer``."""
    arithmetic = Arithmetic("arith.timer_code", mechanism="system_timer", after=(code.THEORY,))
    arithmetic.prove(
        "code-deadlines",
        "SystemTimer.add takes a deadline, now and the delay, if it is from 0 to the last one, and "
        "refuses every other",
        lambda now, delay, last: {},
        lambda now, delay, last: as_bound_says(timer, now, delay, last),
        [Step("claim")],
        [
            Mutant(
                "no bound",
                "any deadline is taken: D4",
                claim=lambda now, delay, last: as_bound_says(NoBound, now, delay, last),
                vivid={"now": 7, "delay": 2000, "last": 1000},
            ),
            Mutant(
                "no sign",
                "deadlines before 0 are taken: D5",
                claim=lambda now, delay, last: as_bound_says(NoSign, now, delay, last),
            ),
        ],
        vivid={"now": 7, "last": 1000},
        assumes=("A-PYTHON",),
    )
    return arithmetic


THEORY = theory(system_timer.SystemTimer)
