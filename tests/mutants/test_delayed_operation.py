"""DelayedOperation without a decision: changed steps, other protocols, and no field that races."""

import pytest

from model.delayed_operation import Model
from tests.impl.planting import bisimulated
from tests.model.delayed_operation import ARTEFACTS, MECHANISM, NAME, ROOT, source
from wheelproof.python import (
    ControlledImplementation,
    RaceDetector,
    random_schedules,
)

# -- which steps change

OTHER_KINDS = {
    "P1": {"X1": ("cas", "read"), "X2": (None, "write")},
    "P9": {"P5": ("swap", "read")},
    "BlockingTry": {"P1": ("try", "lock")},
}
"""Decision -> label -> (kind with the decision, and without it), where the step itself changes."""

LOST = {"H7": {"S1", "S2"}}
"""Decision -> the steps that no code has without it: LockedTry has those of TryPending then."""


def kinds(subject):
    return {
        label: kind
        for lines in subject.labels.values()
        for of_line in lines.values()
        for kind, label in of_line.items()
    }


@pytest.mark.parametrize("name", MECHANISM.decisions)
def test_a_step_keeps_its_kind_unless_the_decision_is_the_step_s_own(name):
    right, wrong = kinds(ControlledImplementation.load(ROOT, NAME)), kinds(ARTEFACTS.mutant(name))
    assert set(right) - set(wrong) == LOST.get(name, set())
    changed = {
        label: (right.get(label), kind) for label, kind in wrong.items() if right.get(label) != kind
    }
    assert changed == OTHER_KINDS.get(name, {})


# -- what they do

QUICK = ("ReadEarly", "NoRetry", "P10")
"""Decisions for every run of the suite; all of them are for the night."""
SHARED = ("P12",)
"""Decisions of all protocols; P1 is one of those that compare and set."""


def nightly(names):
    return [pytest.param(name, marks=[pytest.mark.nightly] * (name not in QUICK)) for name in names]


def protocol(scenario):
    return MECHANISM.scenarios[scenario]["protocol"]["o"]


@pytest.mark.parametrize("name", nightly(MECHANISM.decisions))
def test_a_decision_of_one_protocol_leaves_the_others_alone(name):
    other = (
        "blocking"
        if protocol(MECHANISM.mutants[name].scenario) == "TryPending"
        else "two_completers"
    )
    assert bisimulated(ARTEFACTS, ARTEFACTS.mutant(name), other).outcome == (
        "different" if name in SHARED else "equal"
    )


# -- data races: every field is final or atomic, so none is possible, whatever lock is lost


def test_no_field_can_race():
    assert not [name for name, mutant in MECHANISM.mutants.items() if mutant.data_race]
    assert "Plain[" not in source("impl") and Model.AUXILIARY


def test_a_plain_field_in_their_place_would_race():
    """The detector is not blind to this mechanism: a field without a lock is found."""
    text = source("impl")
    for old, new in (
        (
            "from impl.runtime import Atomic, Monitor\n",
            "from impl.runtime import Atomic, Monitor, Plain\n",
        ),
        (
            '    __slots__ = ("completed",)\n',
            '    __slots__ = ("completed", "tries")\n    tries: Plain[int]\n',
        ),
        (
            "        self.completed = Atomic(False)\n",
            "        self.completed = Atomic(False)\n        self.tries = 0\n",
        ),
        (
            "            if self.lock.acquire(blocking=False):  # try P1\n",
            "            self.tries = 1  # write Z1\n"
            "            if self.lock.acquire(blocking=False):  # try P1\n",
        ),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    subject = ControlledImplementation.load(ROOT, NAME, texts={f"impl.{NAME}": text}, lint=False)
    detector = RaceDetector()
    random_schedules(
        subject, MECHANISM.scenarios["two_completers"], schedules=20, seed=5, race=detector
    )
    assert {race.field for race in detector.found} == {"DelayedOperation.tries"}
