"""Export: ITF has every state of the run; the test fails exactly where the fault is back."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from wheelproof import regression
from wheelproof.cli import app
from wheelproof.counterexample import export
from wheelproof.counterexample.build import build
from wheelproof.errors import UsageError
from wheelproof.graph import reduced
from wheelproof.graph.explorer import first_violation
from wheelproof.project import find
from wheelproof.regression import Violated

ROOT = Path(__file__).resolve().parents[3]


def violation(mechanism, name):
    """The model's shortest run to the violation that a mutant is declared to show."""
    declared = find(ROOT)[mechanism]
    mutant = declared.mutants[name]
    without = declared.without(mutant.decision)
    graph = reduced.reduce(without.model(mutant.scenario), without.silent)
    path = graph.path(first_violation(graph, mutant.property))
    return build(
        without,
        graph.model,
        [(thread, label) for thread, label, _ in path],
        layer="mutant",
        name=name,
        scenario=mutant.scenario,
        property=mutant.property,
        explanation="",
    )


@pytest.fixture(scope="module")
def traces():
    """The counterexamples of a mutant and of a deadlock, and one whose run has no end."""
    killed = violation("timer_task_list", "M2")
    stuck = violation("delayed_operation", "BlockingTry")
    return [killed, stuck, replace(killed, loop=3)]


# -- ITF


def test_each_state_of_the_run_is_there(traces):
    killed = traces[0]
    made = json.loads(export.itf(killed))
    assert made["#meta"]["format"] == "ITF" and "loop" not in made
    assert len(made["states"]) == len(killed.steps) + 1
    assert [state["#meta"]["index"] for state in made["states"]] == list(
        range(len(killed.steps) + 1)
    )
    assert all(set(state) - {"#meta"} == set(made["vars"]) for state in made["states"])
    for step, state in zip(killed.steps, made["states"][1:], strict=True):
        assert (state["thread"], state["label"]) == (step.thread, step.label)


def test_a_state_has_the_values_after_its_step(traces):
    killed = traces[0]
    made = json.loads(export.itf(killed))
    number, step = next((n, each) for n, each in enumerate(killed.steps, 1) if each.changes)
    place, (before, after) = next(iter(step.changes.items()))
    variable, _, index = place.rstrip("]").partition("[")

    def value(state):
        return {str(key): found for key, found in state[variable]["#map"]}[index]

    assert value(made["states"][number]) == export._value(after)
    assert value(made["states"][number - 1]) == export._value(before)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TRUE", True),
        ("-3", -3),
        ('"e1"', "e1"),
        ("<<1, 2>>", {"#tup": [1, 2]}),
        ("<<>>", {"#tup": []}),
        ('{"b", "a"}', {"#set": ["a", "b"]}),
        ("{<<2>>, <<1>>}", {"#set": [{"#tup": [1]}, {"#tup": [2]}]}),
        ("[owner |-> 1]", {"owner": 1}),
        ("(0 :> 1 @@ 7 :> 2)", {"#map": [[0, 1], [7, 2]]}),
        ("99999999999999999999", {"#bigint": "99999999999999999999"}),
        ("no value", "no value"),
    ],
)
def test_a_value_has_its_form(text, expected):
    assert export._value(text) == expected


def test_a_run_without_an_end_has_its_loop(traces):
    endless = traces[2]
    made = json.loads(export.itf(endless))
    assert made["loop"] == min(endless.loop, len(endless.steps))
    assert json.loads(export.itf(replace(endless, loop=0)))["loop"] == 0


# -- a regression test


def generated(found):
    """The function of the test that is made, as pytest would find it below the subject."""
    names = {"__file__": str(ROOT / "tests/made.py")}
    exec(export.pytest(found), names)
    return next(value for name, value in names.items() if name.startswith("test_"))


@pytest.mark.parametrize("number", [0, 1])
def test_the_test_passes_on_the_implementation_as_it_is(traces, number):
    generated(traces[number])()


@pytest.mark.parametrize(
    ("number", "decision", "message"),
    [
        (0, "M2", "AtMostOneList is violated|leaves the model|cannot take"),
        (1, "BlockingTry", "Deadlock after step"),
    ],
)
def test_it_fails_where_the_fault_is_back(traces, number, decision, message):
    found = traces[number]
    schedule = export.schedule_of(found)
    arguments = (ROOT / "tests/made.py", found.mechanism, found.scenario, found.property, schedule)
    assert regression.check(*arguments) > 0
    with pytest.raises(Violated, match=message):
        regression.check(*arguments, without=decision)


def test_what_a_finite_schedule_cannot_show_is_refused(traces):
    killed, _, endless = traces
    with pytest.raises(UsageError, match="a run without an end"):
        export.pytest(endless)
    with pytest.raises(UsageError, match="compiled classes"):
        export.pytest(replace(killed, layer="jvm"))


def test_the_command_prints_either_format(traces, tmp_path, capsys):
    traces[0].write(tmp_path / "trace.json")
    for to, part in ("itf", '"format": "ITF"'), ("pytest", "from wheelproof import regression"):
        with pytest.raises(SystemExit) as ended:
            app(["export", str(tmp_path / "trace.json"), "--to", to], standalone_mode=True)
        assert ended.value.code == 0
        assert part in capsys.readouterr().out


def test_names_that_fit_no_subject_are_refused(tmp_path):
    with pytest.raises(UsageError, match="No folder above"):
        regression.root_of(tmp_path / "test_x.py")
    here = ROOT / "tests/made.py"
    with pytest.raises(UsageError, match="has no scenario nothing"):
        regression.check(here, "timer_task_list", "nothing", "P1", [])
    with pytest.raises(UsageError, match="has no thread zz"):
        regression.check(here, "timer_task_list", "two_adders", "AtMostOneList", ["zz"])
