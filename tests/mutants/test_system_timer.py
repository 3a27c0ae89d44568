"""Each mutant of SystemTimer takes one decision away and nothing else, and keeps the labels of the steps that are left."""
import inspect

import pytest

from mutants import system_timer as mutants
from tests.impl.planting import walked
from tests.model.floors import ROOT
from tests.model.system_timer import FLOORS, MECHANISM, STEM
from tests.mutants.overriding import functions
from wheelproof.explore import RaceDetector, Subject, bisimulate, walk
from wheelproof.explore.pairs import Violation
from wheelproof.graph import reduced
from wheelproof.layers.bench import Bench
from wheelproof.layers.mutant import class_of

CLASSES = {name: value for name, value in vars(mutants).items() if isinstance(value, type) and hasattr(value, "switch")}
MODULES = ("system_timer", "timing_wheel", "timer_task_list")
"""Those whose classes the mutants derive from."""
ORIGINALS = {path: found for module in MODULES for path, found in functions((ROOT / "impl" / f"{module}.py").read_text(encoding="utf-8")).items()}


# -- which mutants there are

def test_every_decision_has_its_one_mutant():
    switches = [cls.switch for cls in CLASSES.values()]
    assert len(switches) == len(set(switches)) and set(switches) == set(MECHANISM.switches) and all(cls.__doc__ for cls in CLASSES.values())


def test_every_row_of_the_table_has_its_class(tmp_path):
    bench = Bench(MECHANISM, tmp_path)
    for mutant in MECHANISM.mutants.values():
        assert CLASSES[class_of(bench, mutant)].switch == mutant.switch
    assert set(CLASSES) <= set(MECHANISM.mutants), "a class is named as a row of its switch"


def test_a_row_is_named_once_and_one_of_a_switch_is_about_another_property():
    rows = [(mutant.switch, mutant.scenario, mutant.property) for mutant in MECHANISM.mutants.values()]
    assert len(rows) == len(set(rows)) > len(CLASSES)
    assert len({row[0] for row in rows}) == len(CLASSES)


# -- what they override

OTHER_KINDS = {"M12": {"V2": ("write", "read")}, "M14": {"R1": ("update", "read")}}
"""Mutant -> label -> (kind in the implementation, in the mutant): where the decision taken away is the step's own."""


def steps(kinds):
    """Those of a method's labels that are steps of this mechanism, with their kinds."""
    return {label: kind for label, kind in kinds.items() if label in MECHANISM.labels}


def overridden(name, text=None):
    """The labels of the mutant's only method and of the one that it replaces, their arguments, and whether it calls that one."""
    replaced = functions(text or FLOORS.source("mutants"))
    ((_, owner, function),) = [path for path in replaced if path[0] == name]
    base = next(cls for cls in getattr(CLASSES[name], owner).__mro__[1:] if function in vars(cls))
    method, original = replaced[name, owner, function], ORIGINALS[base.__name__, function]
    arguments = [[a.arg for a in of.function.args.args] for of in (method, original)]
    return steps(method.kinds), steps(original.kinds), arguments, f"super().{function}(" in inspect.getsource(getattr(getattr(CLASSES[name], owner), function))


def unfit(name, text=None):
    """What is wrong with a mutant's labels: lost ones that its model still takes, and new ones."""
    mine, others, _, around = overridden(name, text)
    lost = set() if around else others.keys() - mine.keys()
    if lost:
        lost &= FLOORS.model_graph(MECHANISM.mutants[name].scenario, CLASSES[name].switch).labels
    return lost | (mine.keys() - others.keys())


@pytest.mark.parametrize("name", CLASSES)
def test_a_mutant_overrides_one_method_and_keeps_its_labels(name):
    mine, others, (arguments, of_the_original), around = overridden(name)
    assert unfit(name) == set()
    assert around or arguments == of_the_original
    assert {label: (others[label], kind) for label, kind in mine.items() if others[label] != kind} == OTHER_KINDS.get(name, {})


def test_a_step_is_gone_where_its_decision_was():
    gone = {name: others.keys() - mine.keys() for name in CLASSES for mine, others, _, around in [overridden(name)] if not around}
    assert {name: labels for name, labels in gone.items() if labels} == {"D1": {"R3"}, "M14": {"R3"}}
    assert [name for name in CLASSES if overridden(name)[3]] == ["M13"]


@pytest.mark.parametrize("name, label, old, new", [
    ("M9", "K1", "            entry.cancelled()  # read K1", "            entry.cancelled()"),
    ("D1", "R5", "                while bucket is not None:\n                    expiration = bucket.expiration.get()  # read R5\n                    self.wheel.advance_clock(expiration)  # update R7\n"
     "                    bucket.flush(self.reinsert)\n                    bucket = self.queue.poll_now()  # update R4\n            return True\n\n\nclass Recheck",
     "                self.wheel.advance_clock(bucket.expiration.get())  # update R7\n                self.queue.poll_now()  # update R4\n            return True\n\n\nclass Recheck"),
    ("M10", "W4", "            self.expiration.get_and_set(expiration_ms)  # swap W3\n", "            self.expiration.get_and_set(expiration_ms)  # swap W3\n            pass  # update W4\n"),
], ids=["lost by M9", "lost by D1", "one too many in M10"])
def test_that_comparison_sees_a_lost_label_and_one_too_many(name, label, old, new):
    text = FLOORS.source("mutants")
    assert text.count(old) == 1
    assert label in unfit(name, text.replace(old, new))


@pytest.mark.parametrize("name", CLASSES)
def test_a_mutants_classes_have_no_dict(name):
    inner = [value for value in vars(CLASSES[name]).values() if isinstance(value, type)]
    assert len(inner) == 1
    for cls in inner:
        (base,) = cls.__bases__
        assert cls.__name__ == base.__name__ and cls.__dict__["__slots__"] == ()
        assert inspect.getmodule(base).__name__ in {f"impl.{module}" for module in MODULES}


# -- what they do

QUICK = ("D1", "Recheck", "M14")
"""Mutants for every run of the suite; all of them are for the night."""


def compared(name, scenario, switch):
    """A mutant's class against the model without this decision, and that model's graph."""
    small = reduced.reduce(MECHANISM.model(scenario, {switch: False}), MECHANISM.silent)
    subject = Subject.load(ROOT, STEM, mutant=name)
    return bisimulate(subject, MECHANISM.scenarios[scenario], reduced.rows(small), reduced.shared_of(small)), small


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.nightly] * (name not in QUICK)) for name in CLASSES])
def test_a_mutant_is_its_models_machine_and_no_longer_the_implementations(name):
    mutant = MECHANISM.mutants[name]
    found, small = compared(name, mutant.scenario, mutant.switch)
    assert found.outcome == "equal" and not found.uncovered, str(found.difference)
    broken = {prop for prop in MECHANISM.invariants
              if isinstance(found.graph.first_violation(lambda state: small.model.holds(prop, small.states[state])), Violation)}
    if mutant.equivalent:
        assert not broken and not isinstance(found.graph.first_deadlock(), Violation)
    else:
        assert mutant.property in broken
    assert walked(FLOORS, Subject.load(ROOT, STEM, mutant=name), mutant.scenario).outcome == "different"


@pytest.mark.parametrize("name, other", [("D1", "PollsUnlocked"), ("M14", "PutsBackAlways"), ("Recheck", "PutBack")])
def test_kafkas_order_and_each_correction_is_a_machine_of_its_own(name, other):
    assert compared(name, "stalled_adder", other)[0].outcome == "different"


# -- data races

@pytest.mark.parametrize("coarse", [False, True])
def test_without_the_read_lock_there_is_a_race(coarse):
    scenario, found = MECHANISM.scenarios["one_adder"], {}
    for mutant in "M13", None:
        detector, subject = RaceDetector(), Subject.load(ROOT, STEM, mutant=mutant, grain="COMPOSED")
        for part in range(12):
            walk(subject, scenario, walks=1, seed=part, max_steps=1_000, race=detector, coarse=coarse)
        found[mutant] = {race.field for race in detector.found}
    assert found == {"M13": {"TimingWheel.current_time"}, None: set()}


@pytest.mark.parametrize("scenario", ["one_adder", "two_adders", "cancel_one", "executor"])
def test_the_implementation_has_no_race(scenario):
    for coarse in False, True:
        detector = RaceDetector()
        walks = walk(Subject.load(ROOT, STEM), MECHANISM.scenarios[scenario], walks=10, seed=5, race=detector, coarse=coarse)
        assert walks.outcome == "passed" and walks.figures["walks"] == 10 and not walks.figures["deadlocks"] and not detector.found
