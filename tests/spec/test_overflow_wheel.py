"""OverflowWheel's specification beside the other floors: labels, names, assumptions, and no property that nothing can break."""
import re

import pytest

from model.overflow_wheel import SWITCHES, Model
from tests.model.overflow_wheel import MECHANISM, ROOT, STEM, source
from tests.spec.texts import algorithm, defined, refused_assumption, written
from wheelproof.explore import Subject
from wheelproof.layers.bench import Bench
from wheelproof.layers.whole import labels_of_spec
from wheelproof.subject import Config
from wheelproof.tlc.result import Outcome

SPEC = MECHANISM.spec.read_text(encoding="utf-8")


# -- labels

def test_labels_are_the_same_on_every_floor():
    table = MECHANISM.labels
    assert len(table) == 44
    assert written(SPEC) == labels_of_spec(SPEC) == Model(MECHANISM.scenarios["two"]).labels == set(table)
    in_code = {label: kind for lines in Subject.load(ROOT, STEM).labels.values() for of_line in lines.values() for kind, label in of_line.items()}
    assert in_code == {name: label.kind for name, label in table.items() if label.kind != "silent"}


def test_a_label_that_one_floor_lacks_is_seen():
    assert labels_of_spec(SPEC.replace('pc[self] = "O4"', 'pc[self] = "O3"')) == set(MECHANISM.labels) - {"O4"}
    assert written(SPEC.replace("O4: store", "    store")) == set(MECHANISM.labels) - {"O4"}


# -- names

def test_every_property_is_defined_in_spec_and_model():
    for name, of in MECHANISM.properties.items():
        if of.kind not in ("deadlock", "race"):
            assert name in defined(SPEC) and callable(getattr(Model, name))


def test_switches_and_constants_are_the_same_on_every_floor():
    constants = set(re.findall(r"^  (\w+),? +\\\* ", SPEC[SPEC.index("CONSTANTS"):SPEC.index("Names    ==")], re.MULTILINE))
    assert constants == set(MECHANISM.constants) | set(MECHANISM.switches) | {"NULL"}
    assert set(SWITCHES) == set(MECHANISM.switches)


def test_every_switch_is_read_in_the_algorithm_and_in_the_model():
    for name in MECHANISM.switches:
        assert re.search(rf"\b{name}\b", algorithm(SPEC)) and f'"{name}"' in source("model").partition("class Model")[2], name


def test_no_property_is_without_something_that_breaks_it():
    broken = {config.property for config in MECHANISM.configs.values() if config.expect == "violated"}
    broken |= {mutant.property for mutant in MECHANISM.mutants.values()}
    assert broken == {name for name, of in MECHANISM.properties.items() if of.kind != "race"}
    assert [name for name, mutant in MECHANISM.mutants.items() if mutant.data_race] == ["PlainWheel", "M6", "M7"]


def test_the_questions_are_answered_by_name():
    answers = {name: (mutant.switch, mutant.property) for name, mutant in MECHANISM.mutants.items()}
    assert answers == {
        "PlainWheel": ("WheelVolatile", "SafePublication"), "M16": ("LooksAgain", "OneOverflowWheel"), "KeepsMonitor": ("GivesBack", "NoDeadlock"),
        "M6": ("ListVolatile", "CancelUnlinks"), "M7": ("PointerVolatile", "CancelWins")}


def test_every_store_of_a_scenario_has_its_way():
    """Else a scenario would not end where production does: with all in memory."""
    for name, of in MECHANISM.scenarios.items():
        ways = {tuple(program[0][1:]) for program in of["threads"].values() if program[0][0] == "memory"}
        for mutant in [mutant for mutant in MECHANISM.mutants.values() if mutant.scenario == name and not mutant.switch == "GivesBack"]:
            model = MECHANISM.model(name, {mutant.switch: False})
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


@pytest.mark.parametrize("name", [pytest.param(name, marks=[] if name in FAST else [pytest.mark.nightly]) for name in BAD])
def test_an_assumption_refuses_what_it_is_there_for(name, tmp_path):
    """TLC stops at the assumption of this name before it looks at any state."""
    result = Bench(MECHANISM, tmp_path).tlc("bad", Config("bad", "two", constants=BAD[name]), deadlock=True)
    assert result.outcome is Outcome.ERROR and result.exit_code == 10
    log = (tmp_path / "mc" / MECHANISM.module / "bad" / f"MC{MECHANISM.module}_bad.log").read_text(encoding="utf-8")
    assert refused_assumption(log, SPEC) == name and "states generated" not in log


def test_every_assumption_has_its_bad_constants():
    """But what is no Boolean: switches the generator refuses itself, and of the other TLC cannot say that it is none."""
    assert set(re.findall(r"^ASSUME (\w+) ==", SPEC, re.MULTILINE)) == {*BAD, "SwitchesAreBooleans", "LinkedIsBoolean"}
