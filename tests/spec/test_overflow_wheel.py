"""OverflowWheel's specification: constants, assumptions, and its own decisions."""

import re

import pytest

from impl import overflow_wheel, timer_task_list
from model.overflow_wheel import Model
from tests.model.overflow_wheel import MECHANISM
from tests.spec.texts import refused_assumption
from wheelproof.checks.context import Context
from wheelproof.project.mechanism import Config
from wheelproof.tlc.result import Outcome

SPEC = MECHANISM.spec.read_text(encoding="utf-8")


# -- names


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


def test_three_mutants_have_data_races():
    racing = {name for name, mutant in MECHANISM.mutants.items() if mutant.data_race}
    assert racing == {"PlainWheel", "M6", "M7"}


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


@pytest.mark.nightly
@pytest.mark.parametrize("name", BAD)
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
