"""Faults planted in impl/task_executor.py and impl/system_timer_reaper.py: the comparison with the
model must find each, and name what differs."""

from __future__ import annotations

import pytest

from tests.impl.planting import Control, bisimulated, noticed, planted
from tests.model.artefacts import Artefacts

EXECUTOR, REAPER = Artefacts("task_executor"), Artefacts("system_timer_reaper")

SUBMITS = "        self.executor.submit(run, entry)\n"
RUNS = "        entry.timer_task.run()\n"
WAITS = "wait=get_ident() != thread"
LOOKS = "while not self.stopping.is_set():"
TELLS = "        self.stopping.set()\n"
JOINS = (
    "        if threading.get_ident() != self.thread.ident:\n"
    "            self.await_end(timeout_s)\n"
)
CLOSES = "        self.timer.close()\n"

FAULTS = {
    "a task is handed over twice": (
        EXECUTOR,
        Control("adds", "enabled", "adder can take S1 in", ((SUBMITS, SUBMITS + SUBMITS),)),
    ),
    "a task is run twice": (
        EXECUTOR,
        Control("submits_and_closes", "label", "takes R1 next, Y1 in", ((RUNS, RUNS + RUNS),)),
    ),
    "a task is run by the thread that hands it over": (
        EXECUTOR,
        Control(
            "raises", "label", "adder takes R1 next, S1 in", ((SUBMITS, "        run(entry)\n"),)
        ),
    ),
    "a refusal is kept quiet": (
        EXECUTOR,
        Control(
            "refuses",
            "result",
            "returns None, ('raised', 'RuntimeError') in the model",
            (
                (
                    SUBMITS,
                    f"        try:\n    {SUBMITS}        except RuntimeError:\n            pass\n",
                ),
            ),
        ),
    ),
    "what a task raises ends the pool's thread": (
        EXECUTOR,
        Control(
            "raises",
            "exception",
            "Failed",
            (("    except Exception:\n", "    except ZeroDivisionError:\n"),),
        ),
    ),
    "close does not wait": (
        EXECUTOR,
        Control("raises", "label", "adder takes D7 next, D4 in", ((WAITS, "wait=False"),)),
    ),
    "close waits inside, and not outside": (
        EXECUTOR,
        Control(
            "raises", "label", "adder takes D7 next, D4 in", ((WAITS, WAITS.replace("!", "=")),)
        ),
    ),
    "close waits for its own thread": (
        EXECUTOR,
        Control("closes_inside", "label", "worker takes D4 next, D7 in", ((WAITS, "wait=True"),)),
    ),
    "the pool's thread says nothing": (
        EXECUTOR,
        Control(
            "closes_inside",
            "label",
            "worker takes Y1 next, B1 in",
            (("        self.thread = me  # write B1\n", "        pass\n"),),
        ),
    ),
    "the pool's thread says that it is none": (
        EXECUTOR,
        Control(
            "closes_inside",
            "shared",
            "thread is (None,), ('worker',) in the model",
            (("        self.thread = me ", "        self.thread = None "),),
        ),
    ),
    "close leaves the pool open": (
        EXECUTOR,
        Control(
            "raises",
            "enabled",
            "adder can take C1 in the model and has ended",
            (("        if self.own:\n", "        if not self.own:\n"),),
        ),
    ),
    "the reaper gets no signal": (
        REAPER,
        Control("closes", "label", "closer takes J1 next, E2 in", ((TELLS, ""),)),
    ),
    "the reaper gets a signal when it has ended": (
        REAPER,
        Control(
            "closes", "label", "closer takes J1 next, E2 in", ((TELLS + JOINS, JOINS + TELLS),)
        ),
    ),
    "the reaper does not look": (
        REAPER,
        Control("closes", "label", "reaper takes P1 next, E1 in", ((LOOKS, "while True:"),)),
    ),
    "the reaper reaps once": (
        REAPER,
        Control(
            "closes",
            "label",
            "reaper takes H1 next, E1 in",
            ((LOOKS, LOOKS.replace("while", "if")),),
        ),
    ),
    "the reaper is not waited for": (
        REAPER,
        Control("closes", "label", "closer takes S1 next, J1 in", ((JOINS, ""),)),
    ),
    "the reaper waits for itself": (
        REAPER,
        Control(
            "is_closed_by_what_it_runs",
            "label",
            "reaper takes J1 next, S1 in",
            (("if threading.get_ident() != self.thread.ident:", "if True:"),),
        ),
    ),
    "the timer is closed before the reaper has ended": (
        REAPER,
        Control(
            "closes_twice", "label", "takes S1 next, J1 in", ((JOINS + CLOSES, CLOSES + JOINS),)
        ),
    ),
    "the timer is left open": (
        REAPER,
        Control("closes", "enabled", "closer can take S1 in the model", ((CLOSES, ""),)),
    ),
    "the reaper's thread is not started": (
        REAPER,
        Control(
            "closes",
            "exception",
            "this thread was not started",
            (("        self.thread.start()\n", ""),),
        ),
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_noticed(name):
    of, control = FAULTS[name]
    noticed(of, control)


LONG = ("closes_twice", "two_adders", "closes_inside_and_outside")


@pytest.mark.parametrize(
    ("of", "scenario"),
    [
        pytest.param(of, name, id=f"{of.name}-{name}")
        for of in (EXECUTOR, REAPER)
        for name in of.mechanism.scenarios
        if of is REAPER or name not in LONG
    ],
)
def test_the_executor_and_the_reaper_are_their_models(of, scenario):
    found = bisimulated(of, planted(of, ()), scenario)
    assert found.outcome == "equal" and not found.uncovered, str(found.difference)
