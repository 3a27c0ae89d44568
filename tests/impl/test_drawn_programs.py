"""Drawn programs and schedules: runs that are no histories, and the reach of each schedule."""

import random
from itertools import pairwise

import pytest

from tests.impl.schedules import (
    SCHEDULES,
    Priorities,
    RandomWalk,
    Stall,
    added_again,
    apart,
    composed,
    judge,
    reaped,
    run,
    shared,
)
from tests.impl.test_linearizability import LIST, Given, shipped
from tests.impl.timer_conditions import ManyPoints
from tests.nights import only

# -- runs that are no histories, and what is drawn

UNFINISHED = {
    "deadlock": (
        LIST,
        "        with self.monitor:  # lock C1, unlock C4\n",
        "        self.monitor.acquire()  # lock C1\n        if True:\n",
    ),
    "AttributeError": (LIST, "entry.next = self.root  # write A4", "entry.next = None  # write A4"),
    "no end after 1000 steps": (LIST, "            current.remove(self)\n", "            pass\n"),
}


@pytest.mark.parametrize("says", only(UNFINISHED, "AttributeError"))
def test_a_run_that_does_not_end_is_not_judged_and_not_explained(says):
    draw = Given(
        2, {"a": 1}, t1=[("add", "a"), ("cancel", "a")], t2=[("add", "a")], reaper=[("advance", 5)]
    )
    judged = judge(composed(UNFINISHED[says]), ManyPoints, draw, range(60))
    assert judged.found is None and any(says in end for end in judged.unjudged), judged.unjudged
    assert judged.histories < 60 * len(SCHEDULES)


@pytest.mark.parametrize("kind", SCHEDULES)
def test_a_seed_makes_the_same_run_again(kind):
    runs = {}
    for seed in (1, 2, 3):
        program = shared(random.Random(seed))
        runs[seed] = run(shipped(), program, kind(seed))
        assert run(composed(), program, kind(seed)) == runs[seed]
    assert len({ran.schedule for ran in runs.values()}) == 3


def test_priorities_leave_a_thread_behind_and_a_random_schedule_does_not():
    """Two changes of priority interrupt a thread twice at most; a stall is one interruption.

    A random schedule interrupts at every other step.
    """
    program = Given(20, {"a": 1, "b": 2}, t1=[("add", "a")], t2=[("add", "b")])(None)

    def switches(kind, seed):
        schedule = run(shipped(), program, kind(seed)).schedule
        return sum(one != other for one, other in pairwise(schedule))

    assert max(switches(Stall, seed) for seed in range(50)) <= 3
    assert (
        max(switches(Priorities, seed) for seed in range(50))
        <= 4
        < 10
        < min(switches(RandomWalk, seed) for seed in range(50))
    )


@pytest.mark.parametrize("draw", [apart, added_again, shared, reaped])
def test_what_is_drawn_is_what_the_claim_says(draw):
    seen = set()
    for seed in range(300):
        program = draw(random.Random(seed))
        assert 2 <= len(program.threads) <= 3 and all(
            1 <= len(operations) <= 3 for operations in program.threads.values()
        )
        assert min(program.delays.values()) >= 1 and ("reaper" in program.threads) == (
            draw is reaped
        )
        uses = {}
        for thread, operations in program.threads.items():
            waits = set()
            for name, *arguments in operations:
                seen.add(name)
                if name in ("add", "cancel"):
                    uses.setdefault(arguments[0], set()).add(thread)
                    seen.update(["again"] * (name == "add" and arguments[0] in waits))
                    (waits.add if name == "add" else waits.discard)(arguments[0])
        seen.update(["by several"] * any(len(threads) > 1 for threads in uses.values()))
    assert (
        seen
        == {"add", "cancel", "size"}
        | {
            apart: set(),
            added_again: {"again"},
            shared: {"again", "by several"},
            reaped: {"again", "by several", "advance"},
        }[draw]
    )
