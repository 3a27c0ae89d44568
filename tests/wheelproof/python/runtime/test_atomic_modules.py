"""ATOMIC: an operation of a lower module is one step of the calling line."""

from functools import partial

import pytest

from tests.wheelproof.python.runtime.atomic_pile import begin, labels, load_pile
from wheelproof.python import (
    ExploreError,
    RaceDetector,
    RuleBroken,
    StyleError,
    random_schedules,
)


@pytest.fixture
def load(tmp_path):
    return partial(load_pile, tmp_path)


def test_an_operation_is_one_step_of_the_line_that_calls_it(load):
    implementation = load()
    run = begin(implementation, a=[["put", 7]], b=[["put", 8]])
    assert (
        run.labels == ["P1", "P1"]
        and run.threads[0].kind == "update"
        and run.source(0).startswith("impl/upper.py:")
    )
    assert run.shared()["size"] == 0  # it waits in front of the line
    run.step(0)
    assert run.labels == ["Done", "P1"] and run.shared() == {
        "size": 1,
        "top": 7,
        "sum": 0,
        "owner": None,
    }
    run.end()
    assert (
        labels(load(("harness/upper.py", 'ATOMIC = {"impl.lower": ("F2",)}\n', "")), ["put", 7])
        == "A1 A2 A3 A4"
    )


def test_each_call_is_a_step(load):
    assert labels(load(), ["twice", 7]) == "T1 T1"


def test_the_labels_that_are_kept_are_the_declared_ones(load):
    implementation = load()
    assert implementation.labels["impl/lower.py"] and {
        label for line in implementation.labels["impl/lower.py"].values() for label in line.values()
    } == {"F2"}
    assert labels(implementation, ["put", 3], ["drain"]) == "P1 F2 S1 F2"
    assert implementation.exercised == {
        ("impl/upper.py", "P1", "update"),
        ("impl/lower.py", "F2", "read"),
        ("impl/upper.py", "S1", "update"),
    }


def test_accesses_after_a_kept_step_belong_to_it(load):
    run = begin(load(), a=[["put", 3], ["drain"]])
    run.step(0)
    assert run.labels == ["F2"] and run.shared()["size"] == 1
    run.step(0)
    assert run.labels == ["S1"] and run.shared()["size"] == 0
    run.end()


def test_a_callback_calls_back_in(load):
    assert labels(load(), ["put", 3], ["again"]) == "P1 F2 R1 R2 F2 R1 R2 F2 R1 F2"


def test_a_label_on_the_call_of_a_function_with_kept_labels_is_its_first_accesses(load):
    implementation = load(
        ("impl/upper.py", "self.pile.empty(self.add)", "self.pile.empty(self.add)  # update D1")
    )
    assert labels(implementation, ["put", 3], ["drain"]) == "P1 D1 F2 S1 F2"


def test_a_lock_held_over_a_callback_excludes_no_thread(load):
    program = {"a": [["put", 3], ["drain"]], "b": [["put", 5]]}
    run = begin(load(), **program)
    run.step(0)
    run.step(0)
    assert run.enabled() == {0: "S1", 1: "P1"}  # a is inside the monitor, in the callback
    run.step(1)
    assert run.labels == ["S1", "Done"] and run.shared()["top"] == 5
    run.end()
    run = begin(load(("harness/upper.py", 'ATOMIC = {"impl.lower": ("F2",)}\n', "")), **program)
    while run.labels[0] != "S1":
        run.step(0)
    assert run.enabled() == {0: "S1"} and run.labels[1] == "A1"
    run.end()


def test_an_operation_waits_for_the_lock_that_the_harness_names(load):
    atomic = 'ATOMIC = {"impl.lower": ("F2",)}\n'
    names = (
        f'{atomic}WAITS = ("P1",)\n\ndef waits(label, names):\n'
        "    return names['self'].pile.monitor if label == 'P1' else names['no lock']\n\n"
    )
    run = begin(
        load(("harness/upper.py", atomic, names)), a=[["put", 3], ["drain"]], b=[["put", 5]]
    )
    run.step(0)
    run.step(0)
    assert run.enabled() == {0: "S1"} and run.labels[1] == "P1"  # a is inside the monitor
    while run.labels[0] != "Done":
        assert run.enabled() == {0: run.labels[0]}
        run.step(0)
    assert run.enabled() == {1: "P1"}
    run.step(1)
    assert run.labels == ["Done", "Done"] and run.shared()["top"] == 5
    run.end()


def test_a_missing_label_is_refused(load):
    with pytest.raises(
        RuleBroken,
        match=r"impl/upper.py:\d+: bare calls an operation of an atomic module "
        r"\(lock at impl/lower.py:\d+\) without a label",
    ):
        begin(load(), a=[["bare", 1]])


def test_a_line_with_two_labels_cannot_call(load):
    implementation = load(
        (
            "impl/upper.py",
            "        self.pile.push(value)\n\n    def drain",
            "        with self.pile.pushed(value):  # lock B1, unlock B2\n"
            "            pass\n\n"
            "    def drain",
        ),
        (
            "impl/lower.py",
            "    def ready",
            "    def pushed(self, value):\n"
            "        self.push(value)\n"
            "        return self.monitor\n\n"
            "    def ready",
        ),
    )
    with pytest.raises(RuleBroken, match="on a line with two labels"):
        begin(implementation, a=[["bare", 1]])


def test_an_unpublished_object_makes_no_step(load):
    assert labels(load(), ["make"]) == "M1"


def test_a_gate_is_waited_at_in_front_of_the_line(load):
    run = begin(load(), a=[["take"]], b=[["give"]])
    assert run.labels == ["G1", "G2"] and run.enabled() == {1: "G2"}
    run.step(1)
    assert run.enabled() == {0: "G1"}
    run.step(0)
    assert run.done
    run.end()
    assert (
        random_schedules(
            load(), {"threads": {"a": [["take"]], "b": [["take"]], "c": [["give"]]}}, schedules=5
        ).figures["deadlocks"]
        == 5
    )


def test_a_gate_behind_another_access_of_its_call_is_refused(load):
    run = begin(load(), a=[["slow"]])
    assert run.enabled() == {0: "G3"}
    with pytest.raises(RuleBroken, match="the first shared operation of its call"):
        run.step(0)


def test_the_race_detector_looks_at_no_plain_access_of_an_atomic_module(load):
    unlocked = (
        "impl/lower.py",
        "        with self.monitor:  # lock A1, unlock A4\n"
        "            self.top = value  # write A2\n"
        "            self.size = 1  # write A3\n",
        "        self.top = value  # write A2\n        self.size = 1  # write A3\n",
    )
    scenario = {"threads": {"a": [["put", 1]], "b": [["put", 2]]}}
    assert random_schedules(load(unlocked), scenario, schedules=10, race=RaceDetector()).races == ()
    fine = ("harness/upper.py", 'ATOMIC = {"impl.lower": ("F2",)}\n', "")
    assert random_schedules(load(unlocked, fine), scenario, schedules=30, race=RaceDetector()).races


def test_locks_of_atomic_operations_still_order_outer_accesses(load):
    # Written before give, read after take: the gate's lock orders the two, though it has no state.
    changes = (
        (
            "impl/upper.py",
            "from impl.runtime import Atomic\n",
            "from impl.runtime import Atomic, Plain\n",
        ),
        ("impl/upper.py", '"late")\n', '"late", "note")\n    note: Plain[int]\n'),
        ("impl/upper.py", "Late(), Atomic(0)", "Late(), Atomic(0)\n        self.note = 0"),
        (
            "impl/upper.py",
            "        self.pile.give()",
            "        self.note = 1  # write N1\n        self.pile.give()",
        ),
        (
            "impl/upper.py",
            "take()  # update G1\n",
            "take()  # update G1\n        return self.note\n",
        ),
    )
    scenario = {"threads": {"a": [["take"]], "b": [["give"]]}}
    assert random_schedules(load(*changes), scenario, schedules=10, race=RaceDetector()).races == ()
    early = (
        "impl/upper.py",
        "        self.pile.take()  # update G1\n        return self.note\n",
        "        self.note  # read N2\n        self.pile.take()  # update G1\n",
    )
    assert random_schedules(
        load(*changes, early), scenario, schedules=20, race=RaceDetector()
    ).races


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ('{"impl.nowhere": ()}', "names impl.nowhere, which is no loaded module"),
        ('{"impl.lower": ("F9",)}', "keeps F9, which impl.lower does not have"),
        ('{"impl.lower": ("F1", "F2")}', r"keeps one of F1, F4, at impl/lower.py:\d+"),
        ('{"impl.lower": "F2"}', "is no mapping of modules to labels"),
        ('("impl.lower",)', "is no mapping of modules to labels"),
    ],
)
def test_a_wrong_declaration_is_reported(load, declared, message):
    with pytest.raises(ExploreError, match=message):
        load(("harness/upper.py", '{"impl.lower": ("F2",)}', declared))


# -- imports for production only


def test_an_import_for_production_only_passes_and_its_use_stops_the_thread(load):
    plain = ("impl/upper.py", "from impl.lower", "import time\nfrom impl.lower")
    with pytest.raises(StyleError, match="production only"):
        load(plain)
    spared = ("impl/upper.py", "import time\n", "import time  # production only\n")
    assert labels(load(plain, spared), ["put", 1]) == "P1"
    used = (
        "impl/upper.py",
        "        for i in range(2):",
        "        time.sleep(0)\n        for i in range(2):",
    )
    with pytest.raises(
        RuleBroken, match=r"impl/upper.py:\d+: time is imported for production only"
    ):
        labels(load(plain, spared, used), ["twice", 1])
