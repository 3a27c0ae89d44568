"""Models without a decision: what a thread alone does then, and the properties that break."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from tests.model import delayed_operation, overflow_wheel, timing_wheel
from tests.model.alone import ALONE
from tests.model.artefacts import Artefacts
from tests.model.broken_states import TWO_LISTS
from wheelproof.graph.explorer import explore

NAMES = (*ALONE, "system_timer")
OF = {mechanism: Artefacts(mechanism) for mechanism in NAMES}


class Row(NamedTuple):
    """Programs of one thread, and whether the end of one differs without the decision."""

    mechanism: str
    decision: str
    differs: bool
    scenarios: list[dict[str, Any]]


# -- a thread alone


def of_lists() -> Iterator[Row]:
    start = TWO_LISTS | {"ring": {"l1": ["e3", "e1", "e2"], "l2": []}}
    long = [
        ["add", "l2", "e1"],
        ["schedule", "l1", "e3"],
        ["flush", "l1", "l2"],
        ["cancel", "t2"],
        ["expire", "l2"],
    ]
    seen = {
        "M8": [["cancel", "t1"], ["flush", "l1", "l2"]],
        "M9": [["cancel", "t1"], ["expire", "l1"]],
    }
    for name in ("M4", "M5", "M3", "M2", "FlushWithoutMonitor", "UnguardedTask", *seen):
        program = start | {"threads": {"a": seen.get(name, long)}}
        yield Row("timer_task_list", name, name in seen, [program])


C1, C2, C3 = ["deliver", "c1", "o"], ["deliver", "c2", "o"], ["deliver", "c3", "p"]
TRY, RUN, HOLD = ["attempt", "o"], ["expire", "o"], ["hold", "o"]


def of_operations() -> Iterator[Row]:
    long = [C1, TRY, C3, HOLD, C2, TRY]
    for decision, protocol, program, raises in (
        ("P1", "TryPending", None, ()),
        ("P9", "TryPending", None, ()),
        ("ClearedLate", "TryPending", None, ()),
        ("ReadEarly", "TryPending", None, ()),
        ("NoRetry", "TryPending", None, ()),
        ("BlockingTry", "TryPending", None, ()),
        ("P11", "Blocking", None, ()),
        ("P10", "Blocking", None, ()),
        ("UnlockedTry", "LockedTry", None, ()),
        ("P12", "TryPending", [C1, C2, RUN], ()),
        ("P12", "Blocking", [RUN, RUN], ()),
        ("P12", "Blocking", None, ("o",)),
    ):
        of = delayed_operation.scenario(
            protocol, completes={"o": ["p"]}, raises=raises, a=program or long
        )
        yield Row("delayed_operation", decision, program is not None, [of])


def of_overflow() -> Iterator[Row]:
    program = [["check"], ["place", "a"], ["place", "a"], ["cancel"], ["check"]]
    for decision in OF["overflow_wheel"].mechanism.decisions:
        of = overflow_wheel.scenario(True, a=program)
        yield Row("overflow_wheel", decision, False, [of])


def of_wheels() -> Iterator[Row]:
    """Every entry is added, then an expirer hands all over."""
    seen = {"M12", "M17_late", "M17_turn", "M18", "WrongSlot", "SaysNo"}
    programs = [
        timing_wheel.scenario(
            3, start, deadline, a=[*(["add", entry] for entry in deadline), ["expire"]]
        )
        for start, deadline in (
            (0, {"far": 6, "near": 3}),
            (2, {"turn": 5}),
            (2, {"far": 17, "middle": 8, "near": 4}),
            (0, {"one": 1, "same": 1}),
        )
    ]
    for decision in OF["timing_wheel"].mechanism.decisions:
        yield Row("timing_wheel", decision, decision in seen, programs)


ROWS = [*of_lists(), *of_operations(), *of_overflow(), *of_wheels()]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.mechanism}-{row.decision}")
def test_a_decision_changes_what_a_thread_alone_does_or_matters_between_threads_only(row):
    ends, meant = ALONE[row.mechanism]
    differs = [ends(of, row.decision) != meant(of) for of in row.scenarios]
    assert any(differs) == row.differs, differs
    assert all(ends(of, "") == meant(of) for of in row.scenarios)


# -- all threads


KAFKA = {"timer": "KafkaTimer"}
SHIPPED = {"timer": "SystemTimer"}


def violated(mechanism, scenario, decision="", **more):
    """The invariants that fail somewhere without a decision."""
    declared = OF[mechanism].mechanism
    model = declared.without(decision).model_of(declared.scenarios[scenario] | more)
    states = list(explore(model, bound=50_000).states)
    return {
        name
        for name in declared.invariants
        if not all(model.holds(name, state) for state in states)
    }


@pytest.mark.parametrize(
    ("decision", "within", "broken"),
    [
        ("M11", "withdrawn", {"QueuedOnceWithItsKey"}),
        ("M12", "withdrawn", {"QueuedOnceWithItsKey"}),
        ("ResetLate", "two_withdrawn", {"QueuedOnceWithItsKey"}),
        ("M17_turn", "a_turn", {"NotCurrentSlot", "KeyWindow", "LevelBound"}),
        ("SaysNo", "two_withdrawn", {"TypeOK", "NotEarly", "FiredOnce"}),
    ],
)
def test_a_decision_is_what_keeps_these(decision, within, broken):
    assert violated("timing_wheel", within, decision) == broken
    assert not violated("timing_wheel", within)


def test_behind_a_clock_that_moves_the_key_need_not_be_reset():
    """A reaper that sets the clock to a bucket's key before the flush hides this decision."""
    assert not violated("timing_wheel", "a_turn", "M12")
    assert not violated("timing_wheel", "cascade", "M12")


@pytest.mark.parametrize(
    ("scenario", "broken"),
    [
        ("stalled_adder", {"QueuedOnceWithItsKey", "KeyBeforeDeadline", "LatenessBound"}),
        pytest.param(
            "bystander",
            {"QueuedOnceWithItsKey", "KeyBeforeDeadline", "LatenessBound", "BystandersInTime"},
            marks=pytest.mark.nightly,
        ),
    ],
)
def test_kafkas_order_makes_timers_late_and_the_corrected_one_does_not(scenario, broken):
    timer = "system_timer"
    assert violated(timer, scenario, **KAFKA) == broken
    assert violated(timer, scenario, "D1", **SHIPPED) == broken
    assert not violated(timer, scenario, **SHIPPED)
