"""Objects that threads create: named alike in every run, with all that their slots hold."""

from collections import Counter

import pytest

from wheelproof.python import (
    ControlledImplementation,
    ExploreError,
    Unnamed,
    bisimulate,
    random_schedules,
)

SOURCE = """
from __future__ import annotations
from collections.abc import Callable
from impl.runtime import Atomic, Monitor, Volatile

class Node:
    __slots__ = ("value", "below", "hits", "monitor")
    value: Volatile[int]
    below: Volatile[Node | None]

    def __init__(self, value, below):
        self.value, self.below, self.hits, self.monitor = value, below, 0, Monitor()

class Big(Node):
    __slots__ = ("extra",)

    def __init__(self, value, below):
        super().__init__(value, below)
        self.extra = Atomic(value)

class Stack:
    __slots__ = ("top", "all")
    top: Atomic

    def __init__(self):
        self.top, self.all = Atomic(None), []

    def push(self, value):
        pushed = False
        node = Node(value, None)
        while not pushed:
            top = self.top.get()  # read P1
            node.below = top  # write P2
            pushed = self.top.compare_and_set(top, node)  # cas P3

    def push_big(self, value):
        top = self.top.get()  # read B1
        node = Big(value, top)
        self.top.set(node)  # write B2

    def keep(self, value):
        self.top.get()  # read K1
        self.all.append(Node(value, None))
        self.top.get()  # read K2

    def change(self):
        top = self.top.get()  # read C1
        with top.monitor:  # lock C2, unlock C4
            top.value = 9  # write C3
"""
HARNESS = """
from impl import stack
SUBJECT = ("impl.stack",)

class Harness:
    def __init__(self, scenario, impl=stack):
        self.stack = impl.Stack()
        self.names = {"stack": self.stack}
    def push(self, value): self.stack.push(value)
    def push_big(self, value): self.stack.push_big(value)
    def keep(self, value): self.stack.keep(value)
    def change(self): self.stack.change()

def shared(harness):
    out, node = [], harness.stack.top.value
    while node is not None:
        out.append(node.value)
        node = node.below
    return {"stack": tuple(out)}
"""


def derived(body):
    """Changes that put a class derived from Node in its place in push."""
    return (
        ("class Stack", f"class Heavy(Node):\n{body}\n\n\nclass Stack"),
        (
            "        node = Node(value, None)\n        while",
            "        node = Heavy(value, None)\n        while",
        ),
    )


HEAVY = derived("    __slots__ = ()")
TWO = {"threads": {"a": [["push", 1]], "b": [["push", 2]]}}


@pytest.fixture
def load(tmp_path):
    def load(*changes, **options):
        text = SOURCE
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        for artefact, content in (("impl", text), ("harness", HARNESS)):
            (tmp_path / artefact).mkdir(exist_ok=True)
            (tmp_path / artefact / "stack.py").write_text(content, encoding="utf-8")
        return ControlledImplementation.load(tmp_path, "stack", **options)

    return load


def names(run):
    return [name for name, *_ in run._names._new]


def after(implementation, scenario, schedule, table):
    """The fingerprint that a schedule leads to, and its shared part, in a run of its own."""
    run = implementation.begin(scenario, intern=table)
    for index in schedule:
        run.step(index)
    found = run.fingerprint(), names(run), run._names.shared()
    run.end()
    return found


def model(programs):
    """The graph of pushes: (stack, per thread (step, what it read, program left))."""

    def initial():
        return (), tuple(("P1", None, tuple(value for _, value in program)) for program in programs)

    def step(state, i):
        stack, threads = state
        label, seen, left = threads[i]
        if not left:
            return None
        if label == "P1":
            new = ("P2", stack, left)
        elif label == "P2":
            new = ("P3", seen, left)
        elif stack == seen:
            stack, new = (left[0], *stack), ("P1", None, left[1:])
        else:
            new = ("P1", None, left)
        return label, (stack, (*threads[:i], new, *threads[i + 1 :]))

    states, rows, number = [initial()], [], {initial(): 0}
    for state in states:
        row = {}
        for i in range(len(programs)):
            if (found := step(state, i)) is not None:
                label, following = found
                if following not in number:
                    number[following] = len(states)
                    states.append(following)
                row[i] = (label, number[following])
        rows.append(row)
    return rows, lambda i: {"stack": states[i][0]}


def test_a_created_object_has_the_same_name_in_every_run_and_order(load):
    implementation, table = load(), {}
    first = after(implementation, TWO, (0, 0, 0, 1, 1, 1), table)
    assert first == after(implementation, TWO, (0, 0, 0, 1, 1, 1), table)
    assert first[1] == [
        "new Monitor a.1.1",
        "new Monitor b.1.1",
        "new Node a.1.1",
        "new Node b.1.1",
    ]
    # The same places, reached in another order of steps and, below, of creation: one state.
    assert (
        first[0] == after(implementation, TWO, (0, 0, 1, 0, 1, 1, 1, 1, 1), table)[0]
    )  # b has failed once
    assert first[0] != after(implementation, TWO, (1, 1, 1, 0, 0, 0), table)[0]
    scenario = {"threads": {"a": [["push_big", 1]], "b": [["keep", 2]]}}
    one, other = (
        after(implementation, scenario, (0, 1), table),
        after(implementation, scenario, (1, 0), table),
    )
    assert one[0] == other[0] and one[1] == other[1] and "new Big a.1.1" in one[1]


def test_position_and_number_tell_objects_apart(load):
    implementation = load()
    run = implementation.begin(
        {"threads": {"a": [["push", 1], ["push", 2]], "b": [["push_big", 3]]}}
    )
    while run.enabled():
        run.step(next(iter(run.enabled())))
    run.fingerprint()
    assert Counter(name.split()[1] for name in names(run)) == {
        "Node": 2,
        "Monitor": 3,
        "Big": 1,
        "Atomic": 1,
    }
    assert {"new Node a.1.1", "new Node a.2.1", "new Big b.1.1"} <= set(names(run))
    run.end()


def test_an_object_of_the_harness_keeps_its_path(load):
    run = load().begin(TWO)
    run.fingerprint()
    assert "stack.top.value" in run._names.paths and not any("stack" in name for name in names(run))
    run.end()


def test_a_planted_bug_in_a_created_objects_slot_changes_the_state(load):
    planted = load(
        (
            "top = self.top.get()  # read C1",
            "top = self.top.get()  # read C1\n        top.hits = top.hits + self.top_hits()",
        ),
        (
            "    def change(self):",
            "    def top_hits(self):\n        return 1\n\n    def change(self):",
        ),
    )
    scenario, table = {"threads": {"a": [["push", 1]], "b": [["keep", 5], ["change"]]}}, {}
    before = after(load(), scenario, (0, 0, 0, 1, 1, 1), table)[2]
    seen = after(planted, scenario, (0, 0, 0, 1, 1, 1), table)[2]
    assert before != seen
    assert next(x for x, y in zip(seen, before) if x != y)[0] == "new Node a.1.1"


def test_an_object_in_a_container_only_is_seen(load):
    implementation, table = load(), {}
    scenario = {"threads": {"a": [["keep", 1]], "b": [["keep", 1]]}}
    shared = after(implementation, scenario, (0, 1), table)[2]
    assert (
        "@new Node a.1.1" in repr(shared[0])
        and [piece[0] for piece in shared[1:]].count("new Node a.1.1") == 1
    )
    hidden = load(
        ("self.all.append(Node(value, None))", "self.all.append(Node(value + len(self.all), None))")
    )
    assert after(hidden, scenario, (0, 1), table)[2] != shared


def test_the_bisimulation_creates_the_objects_again(load):
    rows, shared_of = model([[("push", 1), ("push", 2)], [("push", 3)]])
    scenario = {"threads": {"a": [["push", 1], ["push", 2]], "b": [["push", 3]]}}
    for changes in ((), HEAVY):
        result = bisimulate(load(*changes), scenario, rows, shared_of, audit=True)
        assert result.outcome == "equal" and result.uncovered == (), result.difference
    assert (
        random_schedules(load(), scenario, schedules=10, rows=rows, shared_of=shared_of).outcome
        == "passed"
    )


def test_the_bisimulation_finds_a_bug_that_only_a_created_object_remembers(load):
    # Wrong only where the thread has failed before: the model's state is the same, the created
    # node's is not.
    planted = load(
        (
            "            node.below = top  # write P2",
            "            node.hits = node.hits + 1\n"
            "            below = top if node.hits < 2 else None\n"
            "            node.below = below  # write P2",
        )
    )
    rows, shared_of = model([[("push", 1)], [("push", 2)]])
    result = bisimulate(planted, TWO, rows, shared_of)
    assert result.outcome == "different" and result.difference.kind == "shared"


def test_names_that_depend_on_the_run_are_noticed(load):
    implementation = load()
    rows, shared_of = model([[("push", 1)], [("push", 2)]])
    assert bisimulate(implementation, TWO, rows, shared_of, audit=True).outcome == "equal"
    calls, begin = [0], implementation.begin

    def unstable(*arguments, **named):
        run = begin(*arguments, **named)
        calls[0] += 1
        objects = implementation.scheduler.created.objects
        objects[:] = [(f"{name} {calls[0]}", value) for name, value in objects]
        return run

    implementation.begin = unstable
    result = bisimulate(implementation, TWO, rows, shared_of, audit=True)
    assert result.outcome == "different" and result.difference.kind == "hidden"


def test_a_derived_class_is_created_under_its_own_name(load):
    run = load(*HEAVY).begin(TWO)
    run.fingerprint()
    name = "new Heavy a.1.1"
    assert name in names(run) and "hits" in {
        slot for each, _, slots in run._names._new if each == name for slot, _ in slots
    }
    run.end()
    sloppy = load(*derived("    pass"), lint=False).begin(TWO)
    with pytest.raises(Unnamed, match=r"new Heavy a.1.1 of class Heavy has a __dict__"):
        sloppy.fingerprint()
    sloppy.end()


def test_a_created_object_that_holds_an_unnamed_value_is_refused_with_its_place(load):
    implementation = load(
        (
            "self.hits, self.monitor = value, below, 0, Monitor()",
            "self.hits, self.monitor = value, below, object(), Monitor()",
        )
    )
    run = implementation.begin(TWO)
    with pytest.raises(Unnamed, match=r"new Node a.1.1.hits holds a value of type object"):
        run.fingerprint()
    run.end()


def test_a_new_run_starts_with_nothing_created(load):
    implementation = load()
    first = implementation.begin(TWO)
    first.fingerprint()
    count = len(names(first))
    second = implementation.begin(TWO)
    second.fingerprint()
    assert len(names(second)) == count == 4
    second.end()
    with pytest.raises(ExploreError):
        implementation.begin({})
