"""ATOMIC: an operation of a lower module is one step of the calling line."""

import pytest

from wheelproof.explore import (
    ControlledImplementation,
    ExploreError,
    RaceDetector,
    RuleBroken,
    StyleError,
    random_schedules,
)

LOWER = """
from __future__ import annotations
from impl.runtime import Atomic, Gate, Monitor, Plain, Volatile

class Pile:
    __slots__ = ("monitor", "top", "size", "gate", "count")
    top: Plain[int]
    size: Volatile[int]

    def __init__(self):
        self.monitor, self.gate, self.count = Monitor(), Gate(), Atomic(0)
        self.top = self.size = 0

    def push(self, value):
        with self.monitor:  # lock A1, unlock A4
            self.top = value  # write A2
            self.size = 1  # write A3

    def empty(self, callback):
        with self.monitor:  # lock F1, unlock F4
            while self.size > 0:  # read F2
                self.size = 0  # write F3
                callback(self.top)

    def ready(self):
        return 1 - self.count.get()

    def take(self):
        self.gate.acquire_when(self.ready, 10)
        self.count.add_and_get(-1)
        self.gate.release()

    def give(self):
        with self.gate:
            self.count.add_and_get(1)
            self.gate.notify()

class Late(Pile):
    __slots__ = ()
    def take(self):
        self.size
        super().take()
"""
UPPER = """
from __future__ import annotations
from impl.lower import Late, Pile
from impl.runtime import Atomic

class Upper:
    __slots__ = ("pile", "sum", "late")

    def __init__(self):
        self.pile, self.late, self.sum = Pile(), Late(), Atomic(0)

    def put(self, value):
        self.pile.push(value)  # update P1

    def twice(self, value):
        for i in range(2):
            self.pile.push(value)  # update T1

    def bare(self, value):
        self.pile.push(value)

    def drain(self):
        self.pile.empty(self.add)

    def add(self, value):
        self.sum.add_and_get(value)  # update S1

    def again(self):
        self.pile.empty(self.refill)

    def refill(self, value):
        self.sum.add_and_get(value)  # update R1
        if value > 1:
            self.pile.push(value - 1)  # update R2

    def take(self):
        self.pile.take()  # update G1

    def give(self):
        self.pile.give()  # update G2

    def slow(self):
        self.late.take()  # update G3

    def make(self):
        Pile()
        self.sum.add_and_get(1)  # update M1
"""
HARNESS = """
from impl import upper
SUBJECT = ("impl.upper",)
ATOMIC = {"impl.lower": ("F2",)}

class Harness:
    def __init__(self, scenario, impl=upper):
        self.upper = impl.Upper()
        self.names = {"upper": self.upper}
    def put(self, value): self.upper.put(value)
    def twice(self, value): self.upper.twice(value)
    def bare(self, value): self.upper.bare(value)
    def drain(self): self.upper.drain()
    def again(self): self.upper.again()
    def take(self): self.upper.take()
    def give(self): self.upper.give()
    def slow(self): self.upper.slow()
    def make(self): self.upper.make()

def shared(harness):
    pile = harness.upper.pile
    return {
        "size": pile.size,
        "top": pile.top,
        "sum": harness.upper.sum.value,
        "owner": pile.monitor.owner,
    }
"""


@pytest.fixture
def load(tmp_path):
    def load(*changes):
        texts = {"impl/lower.py": LOWER, "impl/upper.py": UPPER, "harness/upper.py": HARNESS}
        for file, old, new in changes:
            assert old in texts[file]
            texts[file] = texts[file].replace(old, new)
        for file, text in texts.items():
            (tmp_path / file).parent.mkdir(exist_ok=True)
            (tmp_path / file).write_text(text, encoding="utf-8")
        return ControlledImplementation.load(tmp_path, "upper")

    return load


def begin(implementation, **threads):
    return implementation.begin({"threads": threads})


def labels(implementation, *program, before=()):
    """The steps of one thread, alone."""
    run, steps = begin(implementation, a=[*before, *program]), []
    while run.enabled():
        steps.append(run.threads[0].label)
        run.step(0)
    assert run.done
    run.end()
    return " ".join(steps)


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


# -- what an operation that is one step calls back

WEIGHING = (
    (
        "impl/lower.py",
        "    def ready(self):",
        "    def heaviest(self, weight):\n"
        "        with self.monitor:  # lock H1, unlock H2\n"
        "            found = weight(self.top)\n"
        "        return found\n\n"
        "    def ready(self):",
    ),
    (
        "impl/upper.py",
        "    def make(self):",
        "    def compare(self):\n"
        "        self.pile.heaviest(self.weight)  # read C1\n\n"
        "    def weight(self, value):\n"
        "        return value + self.sum.get()\n\n"
        "    def make(self):",
    ),
    (
        "harness/upper.py",
        "    def make(self)",
        "    def compare(self): self.upper.compare()\n"
        "    def weight(self): return self.upper.weight(1)\n"
        "    def make(self)",
    ),
)
"""An operation that calls back code on a line without a label, as a heap calls a comparison."""


def test_a_callback_of_an_atomic_operation_belongs_to_its_step(load):
    assert labels(load(*WEIGHING), ["put", 3], ["compare"], ["compare"]) == "P1 C1 C1"
    run = begin(load(*WEIGHING), a=[["compare"]], b=[["put", 5]])
    assert run.labels == ["C1", "P1"] and run.threads[0].kind == "read"
    run.step(0)
    assert run.labels == ["Done", "P1"] and run.shared()["owner"] is None  # no thread came between
    run.end()


def test_calls_of_a_callback_belong_to_the_step_too(load):
    further = (
        "impl/upper.py",
        "        return value + self.sum.get()",
        "        return value + self.total()\n\n"
        "    def total(self):\n"
        "        return self.sum.get() + self.pile.ready()",
    )
    assert labels(load(*WEIGHING, further), ["put", 3], ["compare"]) == "P1 C1"


def test_the_same_code_called_by_anybody_else_needs_its_label(load):
    with pytest.raises(RuleBroken, match=r"impl/upper.py:\d+: .*without a label in weight"):
        labels(load(*WEIGHING), ["weight"])
    labelled = (
        "impl/upper.py",
        "return value + self.sum.get()",
        "return value + self.sum.get()  # read C2",
    )
    assert labels(load(*WEIGHING, labelled), ["weight"]) == "C2"


def test_a_label_in_a_callback_makes_a_step_of_its_own(load):
    labelled = (
        "impl/upper.py",
        "return value + self.sum.get()",
        "return value + self.sum.get()  # read C2",
    )
    assert labels(load(*WEIGHING, labelled), ["put", 3], ["compare"]) == "P1 C1 C2"


def test_a_callback_of_a_function_with_kept_labels_is_no_part_of_it(load):
    bare = (
        "impl/upper.py",
        "self.sum.add_and_get(value)  # update S1",
        "self.sum.add_and_get(value)",
    )
    with pytest.raises(RuleBroken, match=r"impl/upper.py:\d+: .*without a label in add"):
        labels(load(bare), ["put", 3], ["drain"])
    # once its label goes it is one step, with all that it calls
    whole = (
        ("harness/upper.py", '("F2",)', "()"),
        ("impl/upper.py", "self.pile.empty(self.add)", "self.pile.empty(self.add)  # update D1"),
    )
    assert labels(load(bare, *whole), ["put", 3], ["drain"]) == "P1 D1"


def test_a_callback_is_refused_where_the_operation_has_no_label(load):
    unlabelled = (
        "impl/upper.py",
        "self.pile.heaviest(self.weight)  # read C1",
        "self.pile.heaviest(self.weight)",
    )
    with pytest.raises(
        RuleBroken, match=r"impl/upper.py:\d+: compare calls an operation of an atomic module"
    ):
        labels(load(*WEIGHING, unlabelled), ["compare"])


# -- whose a derived class is

STACK = (
    (
        "impl/upper.py",
        "class Upper:",
        "class Stack(Pile):\n"
        "    __slots__ = ()\n\n"
        "    def push(self, value):\n"
        "        with self.monitor:  # lock U1, unlock U3\n"
        "            super().push(value)  # update U2\n\n\nclass Upper:",
    ),
    (
        "impl/upper.py",
        "self.pile, self.late, self.sum = Pile()",
        "self.pile, self.late, self.sum = Stack()",
    ),
    ("impl/upper.py", "self.pile.push(value)  # update P1", "self.pile.push(value)"),
)
"""A class of the mechanism's own module that derives from an atomic one has its own steps."""


def test_a_class_of_the_mechanism_is_not_atomic_though_it_derives_from_one_that_is(load):
    implementation = load(*STACK)
    assert labels(implementation, ["put", 3]) == "U1 U2 U3"
    run = begin(implementation, a=[["put", 3]], b=[["put", 5]])
    run.step(0)
    assert run.enabled() == {0: "U2"} and run.shared()["owner"].name == "a", (
        "its own lock excludes the other"
    )
    run.end()
    assert labels(implementation, ["put", 3], ["drain"]) == "U1 U2 U3 F2 S1 F2", (
        "what it inherits is atomic as before"
    )


def test_the_same_class_in_another_module_is_atomic(load):
    """What a harness's class adds to an atomic one is one step of the caller."""
    elsewhere = (
        ("impl/upper.py", "= Pile(), Late()", "= self.pile_of(), Late()"),
        ("impl/upper.py", "    def put(self", "    pile_of = Pile\n\n    def put(self"),
        (
            "harness/upper.py",
            "class Harness:",
            "from impl import lower\n\n"
            "class Stack(lower.Pile):\n"
            "    __slots__ = ()\n\n"
            "    def push(self, value):\n"
            "        with self.monitor:  # lock U1, unlock U3\n"
            "            super().push(value)  # update U2\n\n"
            "class Tall(upper.Upper):\n    __slots__ = ()\n    pile_of = Stack\n\nclass Harness:",
        ),
        ("harness/upper.py", "self.upper = impl.Upper()", "self.upper = Tall()"),
    )
    implementation = load(*elsewhere)
    assert (
        labels(implementation, ["put", 3], ["drain"]) == "P1 F2 S1 F2"
        and not implementation.labels["harness/upper.py"]
    )
