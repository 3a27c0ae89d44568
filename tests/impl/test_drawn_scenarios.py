"""Model = implementation in drawn scenarios: bisimulation, and shrinking where they differ.

Misuse is drawn too (see ``tests.model.drawing``). A deadlock and a livelock have finite graphs, and
the implementation must do what its model does in them. Safety is claimed of every drawn scenario,
the absence of deadlock is not.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from model.timer_task_list import Model
from tests.model.drawing import scenarios
from tests.model.timer import MECHANISM, NAME, ROOT, source
from tests.nights import only
from wheelproof import documents
from wheelproof.errors import WheelproofError
from wheelproof.graph import reduced
from wheelproof.graph.explorer import BudgetSpent, first_violation
from wheelproof.python import ControlledImplementation, bisimulate

LARGEST = 2_000
"""Reduced states of the model above which a scenario is rejected."""

FOLDER = ROOT / "build" / "scenarios"
SCHEMA = "wheelproof.scenario/1"
EXAMPLES = max(25, settings.default.max_examples // 2)
"""With fewer the share of rejected scenarios would be left to chance."""


def difference(subject: ControlledImplementation, scenario, rejected=None) -> str:
    """The difference between model and implementation in a scenario, "" if there is none.

    ``rejected``: called where the scenario is too large.
    """
    model = Model(scenario)
    try:
        graph = reduced.reduce(model, MECHANISM.silent, bound=LARGEST)
    except BudgetSpent:
        if rejected is None:
            raise
        rejected()
    for name in MECHANISM.invariants:
        if (state := first_violation(graph, name)) is not None:
            labels = " ".join(label for _, label, _ in graph.path(state))
            return f"the model violates {name} after {labels}"

    bisimulation = bisimulate(
        subject, scenario, reduced.rows(graph), reduced.shared_of(graph), budget=60
    )
    assert bisimulation.outcome != "inconclusive", bisimulation.why
    if bisimulation.difference is not None:
        return str(bisimulation.difference)
    assert bisimulation.figures["model_states"] == graph.distinct
    assert (
        bisimulation.figures["compared_edges"]
        == bisimulation.figures["model_edges"]
        == graph.edge_count
        and not bisimulation.uncovered
    )
    return ""


def comparison(subject: ControlledImplementation, folder, drawn: list[bool], **options):
    """The test: fails with the smallest scenario that differs, and leaves it in ``folder``."""

    @settings(
        **{"max_examples": EXAMPLES, "deadline": None, "suppress_health_check": list(HealthCheck)}
        | options
    )
    @given(scenarios())
    def compare(scenario):
        drawn.append(True)

        def rejected():
            drawn[-1] = False
            assume(False)

        found = difference(subject, scenario, rejected)
        if found:
            # Hypothesis ends with the smallest scenario once more: its file is the one that stays
            raise AssertionError(f"{found}\nreplay: {command(kept(scenario, folder))}")

    return compare


def kept(scenario, folder):
    """Write a scenario. Within a run each smaller one replaces the one before it."""
    file = folder / f"drawn-{os.getpid()}.json"
    documents.write(file, {"schema": SCHEMA, "mechanism": NAME, "scenario": scenario})
    return file


def command(file) -> str:
    shown = file.relative_to(ROOT) if file.is_relative_to(ROOT) else file
    return f".venv/bin/python -m pytest tests/impl/test_drawn_scenarios.py --scenario {shown}"


def read(file):
    return dict(documents.read(file, SCHEMA).object("scenario").value)


@pytest.mark.fuzz
def test_model_and_implementation_are_one_machine(pytestconfig, drawn):
    subject = ControlledImplementation.load(ROOT, NAME)
    if (file := pytestconfig.getoption("scenario", default=None)) is not None:
        found = difference(subject, read(file))
        assert not found, f"{found}\nreplay: {command(file)}"
        return
    comparison(subject, FOLDER, drawn)()
    assert drawn.count(True) > len(drawn) / 2


# -- planted defects, found by the same function and shrunk

DEFECTS = {
    "the counter is not decremented": (
        "self.task_counter.add_and_get(-1)  # update U9",
        "self.task_counter.add_and_get(0)  # update U9",
        1,
    ),
    "flush hands over before it unlinks": (
        "                self.remove(head)\n                callback(head)\n",
        "                callback(head)\n                self.remove(head)\n",
        1,
    ),
    "cancel forgets the pointer of an unlinked entry": (
        "            if entry is not None:\n                entry.remove()\n            self.timer",
        "            if entry is not None:\n"
        "                entry.remove()\n"
        "                return\n"
        "            self.timer",
        1,
    ),
    "remove gives up after two rounds": (
        "        while (current := self.list) is not None:  # read R1\n"
        "            current.remove(self)\n",
        "        rounds = 0\n"
        "        while rounds < 2 and (current := self.list) is not None:  # read R1\n"
        "            current.remove(self)\n            rounds += 1\n",
        3,
    ),
}


@pytest.mark.parametrize("name", only(DEFECTS, "the counter is not decremented"))
def test_a_planted_defect_is_found_and_shrunk(name, tmp_path):
    old, new, operations = DEFECTS[name]
    text = source("impl")
    assert text.count(old) == 1
    subject = ControlledImplementation.load(
        ROOT, NAME, texts={f"impl.{NAME}": text.replace(old, new)}, lint=False
    )
    with pytest.raises(AssertionError, match="replay: .* --scenario ") as raised:
        comparison(
            subject,
            tmp_path,
            [],
            max_examples=5_000,
            database=None,
            derandomize=True,
            print_blob=False,
            # an explanation would trace every line of each comparison
            phases=[Phase.generate, Phase.shrink],
        )()
    (file,) = tmp_path.iterdir()
    scenario = read(file)
    assert str(file) in str(raised.value)
    assert sum(map(len, scenario["threads"].values())) <= max(2, operations) + 1, scenario
    again = difference(subject, scenario)
    assert again and again in str(raised.value), "the file is the scenario of the message"
    assert difference(ControlledImplementation.load(ROOT, NAME), scenario) == ""


# -- replaying a file


def replayed(file, *arguments):
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1"}
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            "tests/impl/test_drawn_scenarios.py",
            "--scenario",
            str(file),
            *arguments,
        ],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )


def test_a_file_is_replayed_alone(tmp_path):
    file = kept(MECHANISM.scenarios["two_adders"], tmp_path)
    done = replayed(file)
    assert done.returncode == 0 and "1 passed" in done.stdout and "deselected" in done.stdout, (
        done.stdout
    )


def test_a_file_that_is_no_scenario_is_refused(tmp_path):
    file = tmp_path / "other.json"
    file.write_text("{}")
    with pytest.raises(WheelproofError, match="has no schema"):
        read(file)


@pytest.mark.nightly
def test_a_file_that_is_no_scenario_is_an_error_of_the_run(tmp_path):
    file = tmp_path / "other.json"
    file.write_text("{}")
    done = replayed(file)
    assert done.returncode == 1 and "has no schema" in done.stdout, done.stdout


# -- what is drawn


def test_drawing_reaches_every_operation_and_shape():
    seen = set()

    @settings(max_examples=250, database=None, derandomize=True)
    @given(scenarios())
    def draw(scenario):
        programs = scenario["threads"].values()
        assert 2 <= len(programs) <= 3 and all(programs) and sum(map(len, programs)) <= 4
        assert len(scenario["lists"]) <= 3 and len(scenario["task_of"]) <= 3
        linked = [e for ring in scenario["ring"].values() for e in ring]
        assert len(linked) == len(set(linked))
        seen.update(operation for program in programs for operation, *_ in program)
        seen.update(
            ["into itself"]
            * any(op[0] == "flush" and op[1] == op[2] for program in programs for op in program)
        )
        seen.update(["cancelled but linked"] * bool(set(linked) - set(scenario["current"])))
        seen.update(
            ["one task, two entries"]
            * (len(set(scenario["task_of"].values())) < len(scenario["task_of"]))
        )

    draw()
    assert seen == {
        "add",
        "remove",
        "cancel",
        "schedule",
        "flush",
        "expire",
        "into itself",
        "cancelled but linked",
        "one task, two entries",
    }


def test_a_scenario_survives_its_file(tmp_path):
    @settings(max_examples=20, database=None)
    @given(scenarios(), st.just(tmp_path))
    def round_trip(scenario, folder):
        assert read(kept(scenario, folder)) == scenario == json.loads(json.dumps(scenario))

    round_trip()


def test_an_inconclusive_comparison_is_no_pass(monkeypatch):
    hasty = functools.partial(bisimulate)
    monkeypatch.setitem(
        globals(), "bisimulate", lambda *arguments, budget: hasty(*arguments, budget=-1.0)
    )
    with pytest.raises(AssertionError, match="CPU seconds were not enough"):
        difference(ControlledImplementation.load(ROOT, NAME), MECHANISM.scenarios["two_adders"])
