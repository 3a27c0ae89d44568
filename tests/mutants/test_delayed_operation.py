"""Each mutant of DelayedOperation takes one decision away and nothing else, and keeps the labels of the steps that are left."""
import inspect

import pytest

from model.delayed_operation import Model
from mutants import delayed_operation as mutants
from tests.impl.planting import walked
from tests.model.delayed_operation import FAST, FLOORS, MECHANISM, ROOT, STEM, source
from tests.mutants.overriding import functions
from wheelproof.explore import RaceDetector, Subject, bisimulate, walk
from wheelproof.graph import reduced

CLASSES = {name: value for name, value in vars(mutants).items() if isinstance(value, type) and hasattr(value, "switch")}
ORIGINALS = functions(source("impl"))
REPLACED = functions(source("mutants"))


# -- which mutants there are

def test_every_decision_has_its_one_mutant():
    switches = [cls.switch for cls in CLASSES.values()]
    assert len(switches) == len(set(switches)) == 10
    assert set(switches) == set(MECHANISM.switches)


def test_every_row_of_the_table_has_its_class():
    assert {mutant.switch for mutant in MECHANISM.mutants.values()} == {cls.switch for cls in CLASSES.values()}
    for name, cls in CLASSES.items():
        assert MECHANISM.mutants[name].switch == cls.switch and cls.__doc__


def test_a_second_row_of_a_switch_is_about_another_property():
    rows = [(mutant.switch, mutant.property) for mutant in MECHANISM.mutants.values()]
    assert len(rows) == len(set(rows)) > len(CLASSES)


# -- what they override

OTHER_KINDS = {"P1": {"X1": ("cas", "read")}, "P9": {"P5": ("swap", "read")}, "BlockingTry": {"P1": ("try", "lock")}}
"""Mutant -> label -> (kind in the implementation, in the mutant): where the decision taken away is the step's own."""


def overridden(name, text=None):
    """The mutant's only method, and the implementation's that it replaces."""
    replaced = functions(text) if text else REPLACED
    ((_, owner, function),) = [path for path in replaced if path[0] == name]
    base = next(cls for cls in getattr(CLASSES[name], owner).__mro__[1:] if function in vars(cls))
    return replaced[name, owner, function], ORIGINALS[base.__name__, function]


def unfit(name, text=None):
    """What is wrong with a mutant's labels: lost ones that its model still takes, and new ones that are not its switch's own."""
    method, original = overridden(name, text)
    switch = CLASSES[name].switch
    taken = set()
    for row in MECHANISM.mutants.values():
        if row.switch == switch:
            taken |= FLOORS.model_graph(row.scenario, switch).labels
    lost = {label for label in original.labels - method.labels if label in taken}
    return lost | {label for label in method.labels - original.labels if MECHANISM.labels[label].only != switch}


@pytest.mark.parametrize("name", CLASSES)
def test_a_mutant_overrides_one_method_and_keeps_its_labels(name):
    method, original = overridden(name)
    assert unfit(name) == set()
    assert [a.arg for a in method.function.args.args] == [a.arg for a in original.function.args.args]
    kept = method.labels & original.labels
    assert {label: (original.kinds[label], method.kinds[label]) for label in kept if original.kinds[label] != method.kinds[label]} == OTHER_KINDS.get(name, {})


def test_labels_come_and_go_where_the_switch_says_so():
    gone = {name: original.labels - method.labels for name in CLASSES for method, original in [overridden(name)]}
    new = {name: method.labels - original.labels for name in CLASSES for method, original in [overridden(name)]}
    assert {name: labels for name, labels in gone.items() if labels} == {"BlockingTry": {"P5"}}
    assert {name: labels for name, labels in new.items() if labels} == {"P1": {"X2"}}
    assert {name for name, label in MECHANISM.labels.items() if label.only} == {"X2"}


@pytest.mark.parametrize("name, label, old, new", [
    ("P10", "B2", "self.completed.get()  # read B2", "self.completed.get()"),
    ("P1", "Y2", "# write X2", "# write Y2"),
    ("P12", "Y2", "            self.on_expiration()", "            self.on_expiration()  # update Y2"),
])
def test_that_comparison_sees_a_lost_label_and_one_too_many(name, label, old, new):
    text = source("mutants")
    assert text.count(old) == 1
    assert label in unfit(name, text.replace(old, new))


@pytest.mark.parametrize("name", CLASSES)
def test_a_mutants_classes_have_no_dict(name):
    inner = [value for value in vars(CLASSES[name]).values() if isinstance(value, type)]
    assert len(inner) == 1
    for cls in inner:
        (base,) = cls.__bases__
        assert cls.__name__ == base.__name__ and cls.__dict__["__slots__"] == ()
        assert inspect.getmodule(base).__name__ == f"impl.{STEM}"


# -- what they do

QUICK = ("ReadEarly", "NoRetry", "P10")
"""Mutants for every run of the suite; all of them are for the night."""


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.nightly] * (name not in QUICK)) for name in CLASSES])
def test_a_mutant_is_its_models_machine_and_no_longer_the_implementations(name):
    scenario, off = MECHANISM.mutants[name].scenario, {CLASSES[name].switch: False}
    subject = Subject.load(ROOT, STEM, mutant=name)
    small = reduced.reduce(MECHANISM.model(scenario, off), MECHANISM.silent)
    walk = bisimulate(subject, MECHANISM.scenarios[scenario], reduced.rows(small), reduced.shared_of(small))
    assert walk.outcome == "equal" and not walk.uncovered, str(walk.difference)
    assert walked(FLOORS, subject, scenario).outcome == "different"


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.nightly] * (name not in QUICK)) for name in CLASSES])
def test_a_mutant_of_one_protocol_leaves_the_others_alone(name):
    scenario = "blocking" if MECHANISM.scenarios[MECHANISM.mutants[name].scenario]["protocol"]["o"] == "TryPending" else "two_completers"
    assert walked(FLOORS, Subject.load(ROOT, STEM, mutant=name), scenario).outcome == "equal"


# -- data races: every field is final or atomic, so none is possible, whatever lock is lost

def test_the_table_says_that_nobody_races():
    assert not [name for name, mutant in MECHANISM.mutants.items() if mutant.data_race]
    assert "Plain[" not in source("impl") and Model.AUXILIARY


@pytest.mark.parametrize("scenario", FAST)
def test_the_implementation_has_no_race(scenario):
    for coarse in False, True:
        detector = RaceDetector()
        walks = walk(Subject.load(ROOT, STEM), MECHANISM.scenarios[scenario], walks=10, seed=5, race=detector, coarse=coarse)
        assert walks.outcome == "passed" and walks.figures["walks"] == 10 and not walks.figures["deadlocks"]
        assert not walks.races and not detector.found


def test_a_plain_field_in_their_place_would_race():
    """The detector is not blind to this mechanism: a field without a lock is found."""
    text = source("impl")
    for old, new in (("from impl.runtime import Atomic, Monitor\n", "from impl.runtime import Atomic, Monitor, Plain\n"),
                     ('    __slots__ = ("timer_task", "lock", "completed")\n',
                      '    __slots__ = ("timer_task", "lock", "completed", "tries")\n    tries: Plain[int]\n'),
                     ("        self.completed = Atomic(False)\n", "        self.completed = Atomic(False)\n        self.tries = 0\n"),
                     ("            if self.lock.acquire(blocking=False):  # try P1\n",
                      "            self.tries = 1  # write Z1\n            if self.lock.acquire(blocking=False):  # try P1\n")):
        assert text.count(old) == 1
        text = text.replace(old, new)
    subject = Subject.load(ROOT, STEM, texts={f"impl.{STEM}": text}, lint=False)
    detector = RaceDetector()
    walk(subject, MECHANISM.scenarios["two_completers"], walks=20, seed=5, race=detector)
    assert {race.field for race in detector.found} == {"DelayedOperation.tries"}
