"""Callbacks of atomic operations, and classes that derive from atomic ones."""

from functools import partial

import pytest

from tests.wheelproof.python.runtime.atomic_pile import begin, labels, load_pile
from wheelproof.python import RuleBroken


@pytest.fixture
def load(tmp_path):
    return partial(load_pile, tmp_path)


# -- callbacks

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


# -- derived classes

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
    """The additions of a harness's class to an atomic one are one step of the caller."""
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
