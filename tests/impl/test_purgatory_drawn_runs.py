"""The purgatory under drawn programs of 2 to 4 threads and drawn schedules, and planted faults.

Each run is judged by the properties of the specification, and each of its states by the model. A
failure is shrunk to a small program with few switches, kept in a file, and named with the command
that makes the run again.
"""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from model.purgatory import Model
from tests.impl.beside_model import Beside
from tests.impl.purgatory_runs import (
    FOLDER,
    Schedule,
    command,
    kept,
    lines,
    loaded,
    read,
    run,
    runs,
)
from tests.model.artefacts import Artefacts
from wheelproof.explore.watchdog import Watchdog

MECHANISM = Artefacts("purgatory").mechanism
EXAMPLES = settings.default.max_examples


@cache
def shipped():
    return loaded()


def search(subject, folder, changes=(), only="", **options):
    """The test: fails with the smallest run that breaks a property, and keeps it in ``folder``."""

    @settings(
        **{"max_examples": 4 * EXAMPLES, "deadline": None}
        | {"suppress_health_check": list(HealthCheck)}
        | options
    )
    @given(runs())
    def judged(drawn):
        ran = run(subject, drawn, only or None)
        if ran.broken:
            # Hypothesis ends with the smallest run once more: its file is the one that stays
            file = kept(drawn, folder, changes, only)
            text = "\n".join([*lines(drawn, ran), f"replay: {command(file)}"])
            raise AssertionError(f"{ran.broken}\n{text}")

    return judged


@pytest.mark.fuzz
def test_every_drawn_run_keeps_the_properties():
    search(shipped(), FOLDER)()


def beside(subject, drawn):
    """Make a run step by step beside the model: equal steps and variables, and its properties."""
    schedule, names = Schedule(drawn.switches), list(drawn.scenario["threads"])
    model, programs = Model(drawn.scenario), drawn.scenario["threads"].values()
    # as in the TOML's configs `forced` and `raising_leaves_the_rest`
    forced = any(operation[0] == "force" for program in programs for operation in program)
    false = {"TryExcludesComplete"} if forced else set()
    false |= {"NoLostCompletion"} if drawn.scenario["raises"] else set()
    model.INVARIANTS = tuple(name for name in model.INVARIANTS if name not in false)
    with Watchdog(subject.scheduler):
        both = Beside(subject, model, MECHANISM.silent, drawn.scenario, ())
        try:
            while able := [i for i, name in enumerate(names) if both.can_move(name)]:
                both.some_steps(names[schedule.choose(able)], 1)
            assert both.run.done, f"no thread can move: {both.run.labels}"
        finally:
            subject.scheduler.end()


def compared(subject, folder, changes=(), **options):
    @settings(
        **{"max_examples": EXAMPLES, "deadline": None}
        | {"suppress_health_check": list(HealthCheck)}
        | options
    )
    @given(runs())
    def equal(drawn):
        try:
            beside(subject, drawn)
        except AssertionError as error:
            file = kept(drawn, folder, changes)
            raise AssertionError(f"{error}\nreplay: {command(file)}") from None

    return equal


@pytest.mark.fuzz
def test_every_drawn_run_is_one_of_the_model():
    compared(shipped(), FOLDER)()


# -- planted faults

FAULTS = {
    "P1": "CompletedOnce",
    "P3": "NoLostCompletion",
    "P4": "NoLeakedTimer",
    "P5": "TryExcludesComplete",
    "P6": "WatcherReachable",
    "P7": "WatcherReachable",
    "P10": "TryExcludesComplete",
    "P11": "TryExcludesComplete",
    "P12": "ExpiredByTimeoutOnly",
    "CompletesCancelled": "NoDeadlock",
    "EmptyStays": "WatchedExact",
    "RemovedUnlocked": "WatcherReachable",
    "StillEmpty": "WatcherReachable",
}
"""Decisions of mutants/purgatory, and a property that their absence breaks between threads."""

SEARCH = {
    "max_examples": 20_000,
    "database": None,
    "derandomize": True,
    "print_blob": False,
    "report_multiple_bugs": False,
    # an explanation would trace every line of each run
    "phases": [Phase.generate, Phase.shrink],
}


@pytest.mark.parametrize("decision", FAULTS)
def test_a_planted_fault_is_found_by_its_property_and_shrunk(decision, tmp_path):
    only, changes = FAULTS[decision], [[decision]]
    with pytest.raises(AssertionError, match=f"^{only}: ") as raised:
        search(loaded(changes), tmp_path, changes, only, **SEARCH)()
    print(raised.value)
    (file,) = tmp_path.iterdir()
    assert command(file) in str(raised.value)
    drawn, *_ = read(file)
    assert sum(map(len, drawn.scenario["threads"].values())) <= 5
    assert len(drawn.switches) <= 4
    again = run(loaded(changes), drawn, only)
    assert str(again.broken) in str(raised.value), "the file is the run of the message"
    assert run(shipped(), drawn).broken is None, "the program is not at fault"
