"""The executor's and the reaper's life under control: in every schedule of small programs
nothing is lost, run twice, or waited for in vain.

The sources are those of production. What they take from the standard library, a thread pool,
threads and events, is rebuilt on the runtime's primitives (``tests/impl/life/stand_ins.py``), so
that every interleaving of its steps is seen.
"""
from __future__ import annotations

import pytest

from tests.impl.production.loading import source
from tests.model.floors import ROOT
from wheelproof.explore import Run, Subject
from wheelproof.explore.states import explore_states

STAND_INS = {
    "task_executor": [
        ("import logging  # production only", "from impl import stand_ins as logging"),
        ("_LOG = logging.getLogger(__name__)  # production only", "_LOG = logging.getLogger(__name__)"),
        ("import threading  # production only", "from impl import stand_ins as threading"),
        ("from concurrent.futures import Executor, ThreadPoolExecutor  # production only", "from impl.stand_ins import ThreadPoolExecutor"),
    ],
    "system_timer_reaper": [("import threading\n", "from impl import stand_ins as threading\n"),
                            ("from impl.system_timer import SystemTimer\n", "")],
}


def text(module: str, changes: list[tuple[str, str]], labels: bool = False) -> str:
    """A module's text with changes: each old text is there once. ``labels``: with the labels of
    its steps."""
    new_text = (ROOT / "impl" / f"{module}.py").read_text(encoding="utf-8") if labels else source(module)
    for old, new in changes:
        assert new_text.count(old) == 1, f"{module}: {old!r} is there {new_text.count(old)} times"
        new_text = new_text.replace(old, new)
    return new_text


def subject(*changes: tuple[str, str, str]) -> Subject:
    """The two modules with the stand-ins, and with (module, old text, new text) changed: each
    old text is there once."""
    texts = {f"impl.{name}": (ROOT / "tests/impl/life" / f"{name}.py").read_text() for name in ("stand_ins",)}
    texts["mapping.life"] = (ROOT / "tests/impl/life/harness.py").read_text()
    for module, stands in STAND_INS.items():
        texts[f"impl.{module}"] = text(module, [*stands, *((old, new) for name, old, new in changes if name == module)])
    return Subject.load(ROOT, "life", texts=texts, lint=False)


WORKER = {"worker": [["work"]]}
REAPER = {"reaper": [["reap"]]}
SCENARIOS = {
    "submits_and_closes": {"tasks": {"a": {}, "b": {}}, "threads": {"adder": [["submit", "a"], ["submit", "b"]], "closer": [["close"]], **WORKER}},
    "two_adders": {"tasks": {"a": {}, "b": {}}, "threads": {"one": [["submit", "a"]], "two": [["submit", "b"]], "closer": [["close"]], **WORKER}},
    "raises": {"tasks": {"a": {"raises": True}, "b": {}}, "threads": {"adder": [["submit", "a"], ["submit", "b"], ["close"]], **WORKER}},
    "adds": {"tasks": {"a": {"does": [["submit", "b"]]}, "b": {}}, "threads": {"adder": [["submit", "a"]], "closer": [["close"]], **WORKER}},
    "closes_inside": {"tasks": {"a": {"does": [["close"]]}, "b": {}},
                      "threads": {"adder": [["submit", "a"], ["submit", "b"]], **WORKER}},
    "closes_twice": {"tasks": {"a": {}}, "threads": {"adder": [["submit", "a"]], "one": [["close"]], "two": [["close"], ["close"]], **WORKER}},
    "reaper_closes": {"threads": {"closer": [["close_reaper"]], **REAPER}},
    "reaper_closes_twice": {"threads": {"one": [["close_reaper"]], "two": [["close_reaper"], ["close_reaper"]], **REAPER}},
    "reaper_is_closed_by_what_it_runs": {"closes": True, "threads": {"closer": [["close_reaper"]], **REAPER}},
}
LONG = ("two_adders", "submits_and_closes", "closes_twice")


def runs_once(world, run: Run) -> bool:
    """A task runs once if the pool has taken it, and not otherwise."""
    ran = [task.ran.value for task in world.tasks.values()]
    return max(ran, default=0) <= 1 and sum(ran) <= world.pool.accepted and (not run.done or sum(ran) == world.pool.accepted)


def nothing_is_lost(world, run: Run) -> bool:
    """What is handed over is taken or refused."""
    return not run.done or world.asked.value == world.pool.accepted + world.refused.value


def close_waits(world, run: Run) -> bool:
    """When close has returned to a thread that is not the executor's own, that one has ended."""
    inside = any(step[0] == "close" for task in world.tasks.values() for step in task.does)
    return inside or "executor" not in world.closed.value or world.worker.ended


def every_close_returns(world, run: Run) -> bool:
    reaped = world.timer.closes and not world.timer.left.value  # what the reaper has run closes it
    return not run.done or len(world.closed.value) == world.closes + reaped


def reaper_ends_before_its_timer_closes(world, run: Run) -> bool:
    calls = world.timer.noted.value
    return world.timer.closes or "close" not in calls or (world.reaper.thread.ended and "poll" not in calls[calls.index("close"):])


def reaper_reaps_until_it_is_closed(world, run: Run) -> bool:
    return not world.reaper.thread.ended or (world.stopping.flag and (not run.done or world.timer.left.value == 0 or "close" in world.timer.noted.value))


def reaper_closes_its_timer(world, run: Run) -> bool:
    return "reaper" not in world.closed.value or "close" in world.timer.noted.value


PROPERTIES = {each.__name__: each for each in (
    runs_once, nothing_is_lost, close_waits, every_close_returns, reaper_ends_before_its_timer_closes, reaper_reaps_until_it_is_closed, reaper_closes_its_timer)}

WAITS = "wait=threading.get_ident() != self.thread"
SUBMITS = "        self.executor.submit(run, entry)\n"
JOINS = "        if threading.current_thread() is not self.thread:\n            self.thread.join()\n"

MUTANTS = {
    "a task is handed over twice": ("submits_and_closes", "nothing_is_lost", "task_executor", SUBMITS, SUBMITS + SUBMITS),
    "a task is run twice": ("raises", "runs_once", "task_executor", "        entry.timer_task.run()\n", "        entry.timer_task.run()\n        entry.timer_task.run()\n"),
    "a task is run by the thread that hands it over": ("raises", "runs_once", "task_executor", SUBMITS, "        run(entry)\n"),
    "a refusal is kept quiet": (
        "closes_twice", "nothing_is_lost", "task_executor", SUBMITS, "        try:\n    " + SUBMITS + "        except RuntimeError:\n            pass\n"),
    "what a task raises ends the pool's thread": ("raises", "exception", "task_executor", "    except Exception:\n", "    except ZeroDivisionError:\n"),
    "close does not wait": ("closes_twice", "close_waits", "task_executor", WAITS, "wait=False"),
    "close waits inside, and not outside": ("closes_twice", "close_waits", "task_executor", "!= self.thread", "== self.thread"),
    "close waits for its own thread": ("closes_inside", "every_close_returns", "task_executor", WAITS, "wait=True"),
    "the pool's thread does not say that it is one": (
        "closes_inside", "every_close_returns", "task_executor", "self.thread = threading.get_ident()", "pass"),
    "close leaves the pool open": ("raises", "NoDeadlock", "task_executor", "        if self.own:\n", "        if not self.own:\n"),
    "the reaper is not told": ("reaper_closes", "CanEnd", "system_timer_reaper", "        self.stopping.set()\n", ""),
    "the reaper does not look": ("reaper_closes", "CanEnd", "system_timer_reaper", "while not self.stopping.is_set():", "while True:"),
    "the reaper is told when it has ended": (
        "reaper_closes", "CanEnd", "system_timer_reaper", "        self.stopping.set()\n" + JOINS, JOINS + "        self.stopping.set()\n"),
    "the reaper is not waited for": ("reaper_closes", "reaper_ends_before_its_timer_closes", "system_timer_reaper", JOINS, ""),
    "the reaper waits for itself": (
        "reaper_is_closed_by_what_it_runs", "exception", "system_timer_reaper", "if threading.current_thread() is not self.thread:", "if True:"),
    "the timer is closed before the reaper has ended": (
        "reaper_closes_twice", "reaper_ends_before_its_timer_closes", "system_timer_reaper", JOINS + "        self.timer.close()\n", "        self.timer.close()\n" + JOINS),
    "the timer is left open": ("reaper_closes", "reaper_closes_its_timer", "system_timer_reaper", "        self.timer.close()\n", ""),
    "the reaper reaps once": (
        "reaper_closes", "reaper_reaps_until_it_is_closed", "system_timer_reaper", "while not self.stopping.is_set():", "if not self.stopping.is_set():"),
}


def explored(scenario: str, *changes: tuple[str, str, str]):
    return explore_states(subject(*changes), SCENARIOS[scenario], PROPERTIES)


@pytest.mark.parametrize("scenario", [pytest.param(name, marks=pytest.mark.nightly) if name in LONG else name for name in SCENARIOS])
def test_the_executor_and_the_reaper_keep_their_promises(scenario):
    found = explored(scenario)
    assert found.outcome == "kept" and found.ends > 0, found


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_breaks_the_named_promise(name):
    scenario, property, module, old, new = MUTANTS[name]
    found = explored(scenario, (module, old, new))
    assert (found.outcome, found.property) == ("violated", property), found
    assert found.schedule or property == "CanEnd"
