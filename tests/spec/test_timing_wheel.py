"""TimingWheel's specification: constants, assumptions, and its own decisions."""

import re
import shutil

import pytest

from model.timing_wheel import Model
from tests.model.timing_wheel import ARTEFACTS, MECHANISM, NAME, ROOT
from tests.spec.texts import assumptions, declared, refused_assumption
from wheelproof import project
from wheelproof.checks.context import Context
from wheelproof.project.mechanism import Config
from wheelproof.python import ControlledImplementation, labels
from wheelproof.tlc.result import Outcome

SPEC = MECHANISM.spec.read_text(encoding="utf-8")


# -- labels


def in_code():
    """Label -> kind under control: the mechanism's own modules, and some labels of those below."""
    return {
        label: kind
        for lines in ControlledImplementation.load(ROOT, NAME).labels.values()
        for of_line in lines.values()
        for kind, label in of_line.items()
    }


def test_the_bucket_monitors_labels_come_from_the_list_below():
    own = set(declared(ARTEFACTS))
    assert (
        set(in_code()) - own
        == {"A1", "A11", "F2"}
        <= set(
            labels.kinds_by_name(
                labels.of_source((ROOT / "impl" / "timer_task_list.py").read_text("utf-8"))
            )
        )
    )
    assert own <= set(in_code()), "what the wheel and its users are labelled with is all taken"


# -- names


def test_the_constants_are_those_of_the_toml():
    constants = set(
        re.findall(
            r"^  (\w+),? +\\\* ",
            SPEC[SPEC.index("CONSTANTS") : SPEC.index("Entries ==")],
            re.MULTILINE,
        )
    )
    assert constants == set(MECHANISM.constants)


def test_one_mutant_has_data_races():
    assert [name for name, mutant in MECHANISM.mutants.items() if mutant.data_race] == ["M13"]


def test_the_bare_wheel_needs_each_decision():
    assert not [name for name, mutant in MECHANISM.mutants.items() if mutant.equivalent]


def test_what_the_timers_lock_hides_shows_here():
    """The decisions that have no effect behind the read/write lock, or none of their own."""
    rows = {(mutant.decision, mutant.property) for mutant in MECHANISM.mutants.values()}
    assert {
        ("M11", "QueuedOnceWithItsKey"),
        ("M12", "QueuedOnceWithItsKey"),
        ("M12", "NoDeadlock"),
    } <= rows
    assert {"M17_late", "M17_turn"} <= {decision for decision, _ in rows}, "M17 is two decisions"
    assert {prop for decision, prop in rows if decision == "M18"} == {
        "EveryTimerFires",
        "DemotionDescends",
    }


def test_rows_of_one_decision_are_about_different_properties():
    rows = [(mutant.decision, mutant.property) for mutant in MECHANISM.mutants.values()]
    assert len(rows) == len(set(rows)) > len(MECHANISM.decisions)


# -- scenarios


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.nightly] * (name not in ARTEFACTS.fast))
        for name in MECHANISM.scenarios
    ],
)
def test_a_scenario_has_the_levels_that_it_needs_and_no_more(name):
    """With a level too few the model lacks a clock; with one too many a bound says too much."""
    assert (
        max(state[0][0] for state in ARTEFACTS.model_graph(name).states)
        == MECHANISM.scenarios[name]["levels"]
    )


def test_the_first_shared_variable_is_the_number_of_levels():
    assert Model(MECHANISM.scenarios["a_turn"]).variables[0] == "made"


# -- assumptions

SIZES = r"WheelSize >= 2 /\ Levels >= 1 /\ Start \in Nat"
BAD = {
    SIZES: [{"WheelSize": 1}, {"Levels": 0}, {"Start": -1}],
    "DeadlinesAreTimes": [{"Deadline": {"far": -1, "near": 3}}],
    "ProgramsAreOperations": [{"Program": {"adder": [["put", "far"]], "reaper": [["expire"]]}}],
}


@pytest.mark.nightly
@pytest.mark.parametrize(
    "name, constants", [(name, constants) for name, each in BAD.items() for constants in each]
)
def test_an_assumption_refuses_what_it_is_there_for(name, constants, tmp_path):
    """TLC stops at this assumption before it looks at any state."""
    result = Context(MECHANISM, tmp_path).tlc(
        "bad", Config("bad", "a_turn", constants=constants), deadlock=True
    )
    module = tmp_path / "mc" / MECHANISM.module / "bad" / f"MC{MECHANISM.module}_bad.tla"
    assert result.outcome is Outcome.ERROR and result.exit_code == 10
    log = module.with_suffix(".log").read_text(encoding="utf-8")
    assert refused_assumption(log, SPEC) == name and "states generated" not in log


def test_every_assumption_has_its_bad_constants():
    assert set(assumptions(SPEC)) == set(BAD)


# -- the queue's heap


def test_a_heap_that_compares_the_wrong_child_needs_four_buckets_to_show(tmp_path):
    """The last bucket takes the first one's place, and goes below the smaller of two children."""
    shutil.copytree(ROOT / "spec", tmp_path / "spec")
    file = tmp_path / "spec" / MECHANISM.spec.name
    assert SPEC.count("k[s[2 * i]] > k[s[2 * i + 1]]") == 1
    file.write_text(SPEC.replace("k[s[2 * i]] > k[", "k[s[1 * i]] > k["), encoding="utf-8")
    item = project.read(tmp_path / "spec" / MECHANISM.toml.name)
    found = {}
    for name in "two_keys", "four_buckets":
        config, context = item.configs[name], Context(item, tmp_path / "build")
        found[name] = context.tlc(name, config, invariants=item.invariants, deadlock=True)
    assert found["two_keys"].outcome is Outcome.COMPLETED
    assert (found["four_buckets"].outcome, found["four_buckets"].property) == (
        Outcome.VIOLATED,
        "OneKeyPerSlot",
    )
