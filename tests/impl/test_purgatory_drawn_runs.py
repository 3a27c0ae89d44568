"""The purgatory under drawn programs of 2 to 4 threads and drawn schedules, and planted faults.

Each run is judged by the properties of the specification, and each of its states by the model. A
failure is shrunk to a small program with few switches, kept in a file, and named with the command
that makes the run again.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.internal.conjecture import engine

from model.purgatory import Model
from tests.impl.beside_model import Beside
from tests.impl.purgatory_runs import (
    FOLDER,
    GENERATIONS,
    Schedule,
    command,
    kept,
    lines,
    loaded,
    main,
    read,
    run,
    runs,
)
from tests.model.artefacts import Artefacts
from tests.nights import only
from wheelproof.errors import UsageError
from wheelproof.python.runtime.watchdog import Watchdog

MECHANISM = Artefacts("purgatory").mechanism
EXAMPLES = settings.default.max_examples


@cache
def shipped():
    return loaded()


def search(subject, folder, changes=(), only="", drawing=None, **options):
    """The test: fails with the smallest run that breaks a property, and keeps it in ``folder``."""

    @settings(
        **{"max_examples": 4 * EXAMPLES, "deadline": None}
        | {"suppress_health_check": list(HealthCheck)}
        | options
    )
    @given(runs() if drawing is None else drawing)
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

FAULTS = [
    ("P1", "Blocking", "CompletedOnce"),
    ("P3", "Blocking", "NoLostCompletion"),
    ("P4", "Blocking", "NoLeakedTimer"),
    ("P5", "Blocking", "TryExcludesComplete"),
    ("P7", "Blocking", "WatcherReachable"),
    ("P10", "Blocking", "TryExcludesComplete"),
    ("P12", "Blocking", "ExpiredByTimeoutOnly"),
    ("P3", "TryPending", "NoLostCompletion"),
    ("P4", "TryPending", "NoLeakedTimer"),
    ("P7", "TryPending", "WatcherReachable"),
    ("P9", "TryPending", "NoLostCompletion"),
    ("P12", "TryPending", "ExpiredByTimeoutOnly"),
]
"""Decisions of mutants/purgatory, and a property that their absence breaks between threads with
operations of a generation."""

CHEAP = ("P9", "TryPending", "NoLostCompletion")
"""The one of the day, which is found soonest."""

SEARCH = {
    "max_examples": 20_000,
    "database": None,
    "derandomize": True,
    "print_blob": False,
    "report_multiple_bugs": False,
    # an explanation would trace every line of each run
    "phases": [Phase.generate, Phase.shrink],
}


@pytest.mark.parametrize(("decision", "generation", "only"), only(FAULTS, CHEAP))
def test_a_planted_fault_is_found_by_its_property_and_shrunk(
    decision, generation, only, tmp_path, monkeypatch
):
    # else a machine with much to do ends the shrinking earlier, and with a larger program
    monkeypatch.setattr(engine, "MAX_SHRINKING_SECONDS", 3600)
    changes = [[decision]]
    with pytest.raises(AssertionError, match=f"^{only}: ") as raised:
        search(loaded(changes), tmp_path, changes, only, runs((generation,)), **SEARCH)()
    print(raised.value)
    (file,) = tmp_path.iterdir()
    assert command(file) in str(raised.value)
    drawn, *_ = read(file)
    assert drawn.scenario["protocol"] == generation
    # up to 10 operations are drawn; the shrinker can end where it must take two away at once
    assert sum(map(len, drawn.scenario["threads"].values())) <= 7
    assert len(drawn.switches) <= 5
    again = run(loaded(changes), drawn, only)
    assert str(again.broken) in str(raised.value), "the file is the run of the message"
    assert run(shipped(), drawn).broken is None, "the program is not at fault"


# -- programs and schedules that show a planted fault, as files that the command replays

PLANTED = {file.stem: file for file in Path(__file__).with_name("planted_runs").glob("*.json")}
"""Decision of mutants/purgatory -> a run in which its absence breaks the file's property."""

NOT_DRAWN = {
    "Peeks": "it changes no result: the detector of races shows it",
    "Unowned": "two threads are inside one list of the timer, whose calls are single steps here",
}
"""Decisions that no drawn run can show, and why: a composed run with the real timer shows them."""


def test_every_decision_has_a_run_that_shows_its_absence():
    assert PLANTED.keys() | NOT_DRAWN.keys() == MECHANISM.decisions.keys()
    assert not PLANTED.keys() & NOT_DRAWN.keys()


@pytest.mark.daily(2)
@pytest.mark.parametrize("decision", sorted(PLANTED))
def test_a_planted_fault_breaks_its_property_in_a_given_run(decision, capsys):
    file = PLANTED[decision]
    drawn, changes, only = read(file)
    assert changes == [[decision]] and only, "the file names the fault and the property"
    assert main([str(file)]) == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith(f"{only}: ")
    assert run(shipped(), drawn).broken is None, "the program is not at fault"


def test_the_command_makes_the_run_again(tmp_path, capsys):
    drawn, changes, only = read(PLANTED["P4"])
    assert main([str(kept(drawn, tmp_path, changes, only))]) == 1
    shown = capsys.readouterr().out
    assert "t1: watch o" in shown and "NoLeakedTimer: ['o']" in shown
    assert "  t1: A1 Y1 W1 W2 W3 W4 W5 W6 A3 Y1 A4 A5\n  t2: E1" in shown
    assert main([str(kept(drawn, tmp_path))]) == 0
    assert "every property holds" in capsys.readouterr().out
    assert main([]) == 2


def test_a_file_that_is_no_run_is_refused(tmp_path):
    file = tmp_path / "other.json"
    file.write_text("{}")
    with pytest.raises(UsageError, match="has no schema"):
        main([str(file)])


# -- what is drawn


def test_drawing_reaches_every_operation_and_shape():
    seen = set()

    @settings(max_examples=200, database=None, derandomize=True)
    @given(runs())
    def draw(drawn):
        scenario = drawn.scenario
        programs = scenario["threads"].values()
        assert len(programs) <= 4 and all(programs) and len(scenario["keys"]) <= 3
        entered = [op[1] for program in programs for op in program if op[0] == "watch"]
        following = [each for some in scenario["adds"].values() for each in some]
        assert sorted(entered + following) == sorted(scenario["need"]), "each is entered once"
        seen.update(op[0] for program in programs for op in program)
        seen.add(scenario["protocol"])
        seen.add(f"{len(programs)} threads")
        seen.update(["re-entrant"] * bool(following) + ["raises"] * bool(scenario["raises"]))
        shared = len(set(scenario["need"].values())) < len(scenario["need"])
        seen.update(["one condition, two operations"] * shared)

    draw()
    assert seen >= {
        *("watch", "deliver", "check", "force", "expire", "cancel_key", "purge"),
        *("watched", "num_delayed", "2 threads", "3 threads", "4 threads", *GENERATIONS),
        *("re-entrant", "raises", "one condition, two operations"),
    }
