"""OverflowWheel's specification beside the other artefacts: labels, names, assumptions, and no property that nothing can break."""

import re

import pytest

from impl import overflow_wheel, timer_task_list
from model.overflow_wheel import Model
from tests.model.overflow_wheel import MECHANISM, ROOT, STEM
from tests.spec.texts import defined, refused_assumption, written
from wheelproof.checks.context import Context
from wheelproof.checks.coverage import labels_of_spec
from wheelproof.explore import ControlledImplementation
from wheelproof.project.mechanism import Config
from wheelproof.tlc.result import Outcome

SPEC = MECHANISM.spec.read_text(encoding="utf-8")
PROPERTIES = SPEC + MECHANISM.checked.read_text(encoding="utf-8")


# -- labels


def test_labels_are_the_same_on_every_artefact():
    table = MECHANISM.labels
    assert len(table) == 44
    assert (
        written(SPEC)
        == labels_of_spec(SPEC)
        == Model(MECHANISM.scenarios["two"]).labels
        == set(table)
    )
    in_code = {
        label: kind
        for lines in ControlledImplementation.load(ROOT, STEM).labels.values()
        for of_line in lines.values()
        for kind, label in of_line.items()
    }
    assert in_code == {name: label.kind for name, label in table.items() if label.kind != "silent"}


def test_a_label_that_one_artefact_lacks_is_seen():
    assert labels_of_spec(SPEC.replace('pc[self] = "O4"', 'pc[self] = "O3"')) == set(
        MECHANISM.labels
    ) - {"O4"}
    assert written(SPEC.replace("O4:     store", "        store")) == set(MECHANISM.labels) - {"O4"}


# -- names


def test_every_property_is_defined_in_spec_and_model():
    for name, of in MECHANISM.properties.items():
        if of.kind not in ("deadlock", "race"):
            assert name in defined(PROPERTIES) and callable(getattr(Model, name))


def test_the_constants_are_those_of_the_toml():
    constants = set(
        re.findall(
            r"^  (\w+),? +\\\* ",
            SPEC[SPEC.index("CONSTANTS") : SPEC.index("Names    ==")],
            re.MULTILINE,
        )
    )
    assert constants == set(MECHANISM.constants) | {"NULL"}


def test_the_volatile_fields_are_the_same_on_every_artefact():
    declared = set(re.findall(r'"(\w+)"', re.search(r"^Volatile == (.*)$", SPEC, re.MULTILINE)[1]))
    classes = (
        overflow_wheel.Overflowing,
        timer_task_list.TimerTask,
        timer_task_list.TimerTaskEntry,
    )
    in_code = {
        name
        for cls in classes
        for name, mark in cls.__annotations__.items()
        if mark.startswith("Volatile[")
    }
    assert declared == Model.VOLATILE == in_code == {"overflow_wheel", "list", "timer_task_entry"}


def test_no_property_is_without_something_that_breaks_it():
    broken = {
        config.property for config in MECHANISM.configs.values() if config.expect == "violated"
    }
    broken |= {mutant.property for mutant in MECHANISM.mutants.values()}
    assert broken == {name for name, of in MECHANISM.properties.items() if of.kind != "race"}
    assert {name for name, mutant in MECHANISM.mutants.items() if mutant.data_race} == {
        "PlainWheel",
        "M6",
        "M7",
    }


def test_the_questions_are_answered_by_name():
    assert {name: mutant.property for name, mutant in MECHANISM.mutants.items()} == {
        "PlainWheel": "SafePublication",
        "M16": "OneOverflowWheel",
        "KeepsMonitor": "NoDeadlock",
        "M6": "CancelUnlinks",
        "M7": "CancelWins",
    }
    assert MECHANISM.mutants.keys() == MECHANISM.decisions.keys()


def test_every_store_of_a_scenario_has_its_way():
    """Else a scenario would not end where production does: with all in memory."""
    for name, of in MECHANISM.scenarios.items():
        ways = {
            tuple(program[0][1:]) for program in of["threads"].values() if program[0][0] == "memory"
        }
        for mutant in [
            mutant
            for mutant in MECHANISM.mutants.values()
            if mutant.scenario == name and mutant.name != "KeepsMonitor"
        ]:
            model = MECHANISM.without(mutant.decision).model(name)
            todo, known = [model.initial()], set()
            while todo:
                state = todo.pop()
                if state in known:
                    continue
                known.add(state)
                after = [state for _, _, state in model.successors(state)]
                assert after or state[0][0] == (), "a store that never arrives"
                assert {store[:2] for store in state[0][0]} <= ways
                todo += after


# -- assumptions

BAD = {
    "EveryThreadHasItsWheel": {"Wheels": ["w1"]},
    "ProgramsAreOperations": {"Program": {"a": [["place", "b"]], "b": [["place", "b"]]}},
    "MemoryIsOfThreads": {"Program": {"a": [["place", "a"]], "a.next": [["memory", "a", "next"]]}},
    "OneAdd": {"Program": {"a": [["add"]], "b": [["add"]]}},
}
FAST = ("OneAdd",)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in FAST else [pytest.mark.nightly]) for name in BAD],
)
def test_an_assumption_refuses_what_it_is_there_for(name, tmp_path):
    """TLC stops at the assumption of this name before it looks at any state."""
    result = Context(MECHANISM, tmp_path).tlc(
        "bad", Config("bad", "two", constants=BAD[name]), deadlock=True
    )
    assert result.outcome is Outcome.ERROR and result.exit_code == 10
    log = (tmp_path / "mc" / MECHANISM.module / "bad" / f"MC{MECHANISM.module}_bad.log").read_text(
        encoding="utf-8"
    )
    assert refused_assumption(log, SPEC) == name and "states generated" not in log


def test_every_assumption_has_its_bad_constants():
    """But what is no Boolean: TLC cannot say that it is none."""
    assert set(re.findall(r"^ASSUME (\w+) ==", SPEC, re.MULTILINE)) == {*BAD, "LinkedIsBoolean"}
