"""SystemTimer's specification beside the other floors: labels, names, assumptions, and no property that nothing can break."""
import re

import pytest

from model.system_timer import SWITCHES, Model
from tests.model.floors import ROOT
from tests.model.system_timer import FLOORS, MECHANISM, STEM
from tests.spec.texts import algorithm, assumptions, declared, defined, refused_assumption, written
from wheelproof.explore import Subject, labels
from wheelproof.layers.bench import Bench
from wheelproof.layers.whole import labels_of_spec
from wheelproof.subject import Config
from wheelproof.tlc import process
from wheelproof.tlc.result import Outcome

SPEC = MECHANISM.spec.read_text(encoding="utf-8")


# -- labels

def in_code(of: Subject):
    """Label -> kind under control: of the mechanism's own modules, and what it keeps of those below."""
    return {label: kind for lines in of.labels.values() for of_line in lines.values() for kind, label in of_line.items()}


def test_labels_are_the_same_on_every_floor():
    table = MECHANISM.labels
    assert len(table) == 28
    assert written(SPEC) == labels_of_spec(SPEC) == Model(MECHANISM.scenarios["one_adder"]).labels == set(table)
    assert in_code(Subject.load(ROOT, STEM)) == {name: label.kind for name, label in table.items() if label.kind != "silent"}


def test_what_the_wheel_and_the_list_are_labelled_with_is_kept_by_name():
    """Their other steps belong to mechanisms of their own, and are no steps here."""
    below = [labels.kinds_by_name(labels.of_source((ROOT / "impl" / f"{name}.py").read_text("utf-8"))) for name in ("timing_wheel", "timer_task_list")]
    found = set(in_code(Subject.load(ROOT, STEM)))
    assert found - set(declared(FLOORS)) == {"W1", "W2", "W3", "W4", "V2", "F2"}
    assert {"W5", "V1", "V4"} <= set(below[0]) - found and {"A9", "U9"} <= set(below[1]) - found


def test_a_label_that_one_floor_lacks_is_seen():
    assert labels_of_spec(SPEC.replace('pc[self] = "R7"', 'pc[self] = "R5"')) == set(MECHANISM.labels) - {"R7"}
    assert written(SPEC.replace("W4:  queue", "     queue")) == set(MECHANISM.labels) - {"W4"}
    assert labels_of_spec(algorithm(SPEC)) == set(), "the translation counts, not the algorithm"
    text = FLOORS.source("impl")
    assert text.count("  # update R4") == 1
    changed = Subject.load(ROOT, STEM, texts={f"impl.{STEM}": text.replace("  # update R4", "")}, lint=False)
    assert "R4" not in in_code(changed)


# -- names

def test_every_property_is_defined_in_spec_and_model():
    for name, of in MECHANISM.properties.items():
        if of.kind not in ("deadlock", "race"):
            assert name in defined(SPEC) and callable(getattr(Model, name))
    assert Model.INVARIANTS == MECHANISM.invariants


def test_switches_and_constants_are_the_same_on_every_floor():
    constants = set(re.findall(r"^  (\w+),? +\\\* ", SPEC[SPEC.index("CONSTANTS"):SPEC.index("Entries ==")], re.MULTILINE))
    assert constants == set(MECHANISM.constants) | set(MECHANISM.switches)
    assert set(SWITCHES) == set(MECHANISM.switches) and all(SWITCHES.values())


def unread(spec, model):
    """Switches that the algorithm or the model does not ask."""
    return {name for name in MECHANISM.switches if not re.search(rf"\b{name}\b", algorithm(spec)) or f'"{name}"' not in model.partition("class Model")[2]}


def test_every_switch_is_read_in_the_algorithm_and_in_the_model():
    model = FLOORS.source("model")
    assert not unread(SPEC, model)
    assert unread(SPEC.replace("if ResetKey then key[polled] := -1; end if;", "key[polled] := -1;"), model) == {"ResetKey"}
    assert unread(SPEC, model.replace('self.on["SubmitTest"]', "True")) == {"SubmitTest"}


def test_no_property_is_without_something_that_breaks_it():
    broken = {config.property for config in MECHANISM.configs.values() if config.expect == "violated"}
    broken |= {mutant.property for mutant in MECHANISM.mutants.values() if mutant.property}
    assert broken == {name for name, of in MECHANISM.properties.items() if of.kind != "race"}
    assert [name for name, mutant in MECHANISM.mutants.items() if mutant.data_race] == ["M13_closed"]


def test_what_does_not_hold_is_shown_with_nothing_taken_away():
    shown = {config.property for config in MECHANISM.configs.values() if config.expect == "violated" and not config.switches and config.fair is None}
    assert shown == {name for name, of in MECHANISM.properties.items() if not of.holds} == {"CancelledUnlinked"}


def test_no_decision_is_without_a_mutant_that_needs_it_or_says_why_not():
    rows = MECHANISM.mutants.values()
    assert {mutant.switch for mutant in rows} == set(MECHANISM.switches)
    assert all(bool(mutant.property) != bool(mutant.equivalent) for mutant in rows)
    killed = {mutant.switch for mutant in rows if mutant.property}
    assert not killed & {mutant.switch for mutant in rows if mutant.equivalent}
    assert {"PutBack", "CancelledTest", "SubmitTest", "OfferIfChanged", "ReadLock", "CountAtUnlink", "DueAtTick"} <= killed


def test_kafkas_order_breaks_what_the_corrected_one_keeps():
    rows = {mutant.property: mutant.scenario for mutant in MECHANISM.mutants.values() if mutant.switch == "PutBack"}
    assert rows == {"QueuedOnceWithItsKey": "stalled_adder", "KeyBeforeDeadline": "stalled_adder", "LatenessBound": "stalled_adder",
                    "BystandersInTime": "bystander"}
    kept = MECHANISM.configs["kafka_order_fires"]
    assert kept.switches == {"PutBack": False} and kept.expect == "exhaustive" and kept.property == "EveryTimerFires", "late, never lost"


def test_every_operation_is_in_a_scenario_of_every_run():
    programs = [program for name in FLOORS.fast for program in MECHANISM.scenarios[name]["threads"].values()]
    names = re.search(r"^Names +== \{(.+)\}$", SPEC, re.MULTILINE)[1]
    assert {operation for program in programs for operation, *_ in program} == set(re.findall(r'"(\w+)"', names))


# -- assumptions

SIZES = r"WheelSize >= 2 /\ Levels >= 1"
BAD = {
    SIZES: [{"WheelSize": 1}, {"Levels": 0}],
    "EveryEntryHasADeadline": [{"Deadline": {"far": 3}}, {"Deadline": {"far": -1, "near": 1}}],
    "ProgramsAreOperations": [{"Program": {"adder": [["put", "far"]]}}],
    "SwitchesAreBooleans": [{}],  # the generator refuses these itself, so the cfg is changed by hand
}
FAST = ("ProgramsAreOperations",)


@pytest.mark.parametrize("name, constants", [pytest.param(name, constants, marks=[] if name in FAST else [pytest.mark.nightly])
                                             for name, each in BAD.items() for constants in each])
def test_an_assumption_refuses_what_it_is_there_for(name, constants, tmp_path):
    """TLC stops at this assumption before it looks at any state."""
    result = Bench(MECHANISM, tmp_path).tlc("bad", Config("bad", "one_adder", constants=constants), deadlock=True)
    module = tmp_path / "mc" / MECHANISM.module / "bad" / f"MC{MECHANISM.module}_bad.tla"
    if name == "SwitchesAreBooleans":
        assert result.outcome is Outcome.COMPLETED
        cfg = module.with_suffix(".cfg")
        text = cfg.read_text(encoding="utf-8")
        assert text.count("ResetKey = TRUE") == 1
        cfg.write_text(text.replace("ResetKey = TRUE", "ResetKey = maybe"), encoding="utf-8")
        result = process.run(module, timeout=300)
    assert result.outcome is Outcome.ERROR and result.exit_code == 10
    log = module.with_suffix(".log").read_text(encoding="utf-8")
    assert refused_assumption(log, SPEC) == name and "states generated" not in log


def test_every_assumption_has_its_bad_constants():
    assert set(assumptions(SPEC)) == set(BAD)
