"""Hidden state: a count of drain's rounds is refused in each hidden place.

Each channel keeps how often ``drain`` has looked, and gives up after three looks. Two suspended
threads then look alike although they go on differently. ``lint``: the style rule that refuses the
source. ``run``: a part of what the controlled run refuses it with where the linter is off; None for
modules of the standard library and for the order of a set of atoms, which only the linter keeps
away.
"""

from __future__ import annotations

import re
from typing import Generic, TypeVar

import pytest

from tests.wheelproof.python.style.hidden_channels import CHANNELS, DRAIN, LOOP, Channel
from wheelproof.python import (
    ExploreError,
    StyleError,
    Unnamed,
    bisimulate,
)
from wheelproof.python.findings import StyleFinding
from wheelproof.python.state.slots import refuse_foreign


def text_of(cell, channel: Channel) -> str:
    return cell.edited(
        ("class Cell:", channel.head + "\n\nclass Cell:"),
        (DRAIN, channel.before + LOOP.format(arguments=channel.arguments)),
    )


@pytest.mark.parametrize("name", [name for name, channel in CHANNELS.items() if channel.lint])
def test_the_linter_refuses_the_channel_by_name(cell, name):
    channel = CHANNELS[name]
    with pytest.raises(StyleError) as refused:
        cell.load(texts={"impl.cell": text_of(cell, channel)})
    assert channel.lint in {
        finding.rule for finding in refused.value.findings if isinstance(finding, StyleFinding)
    }


@pytest.mark.parametrize("name", [name for name, channel in CHANNELS.items() if channel.run])
def test_a_controlled_run_refuses_the_channel_by_name(cell, name):
    channel = CHANNELS[name]
    text = text_of(cell, channel)
    if name == "a value on the stack":  # the second operand waits for the first one's step
        text = cell.edited(
            (
                DRAIN,
                "        while [self.claimed].copy()[0] is not None and "
                "self.both(self.calls(), self.full):  # read D1\n"
                "            self.take()\n",
            ),
            (
                "    def claim(self)",
                "    def calls(self):\n"
                "        return iter(())\n\n"
                "    def both(self, calls, full):\n"
                "        return full\n\n"
                "    def claim(self)",
            ),
        )
    graph = cell.graph("alone")
    implementation = cell.load(texts={"impl.cell": text}, lint=False)
    try:
        found = bisimulate(implementation, cell.scenarios["alone"], graph.rows, graph.shared_of)
    except ExploreError as error:
        message = str(error)
    else:
        assert found.outcome == "different", "the channel passed"
        message = str(found.difference)
    assert re.search(channel.run, message), message


@pytest.mark.parametrize("base", ["list", "dict", "collections.deque", "set", "int", "tuple"])
@pytest.mark.parametrize("made", ["at first", "by a thread"])
def test_an_object_whose_class_inherits_state_is_refused(cell, base, made):
    head = f"import collections\n\nclass Held({base}):\n    __slots__ = ()\n\n"
    text = cell.edited(
        ("class Cell:", head + "\nclass Cell:"),
        ('"claimed")', '"claimed", "held")'),
        (
            "        self.taken = Atomic(0)\n",
            "        self.taken = Atomic(0)\n"
            + (
                "        self.held = Held()\n"
                if made == "at first"
                else "        self.held = None\n"
            ),
        ),
        (DRAIN, "        self.held = self.held or Held()\n" + DRAIN),
    )
    run = None
    refusal = (
        f"class Held inherits from {base.split('.')[-1]}, whose"
        if made == "at first"
        else "cell.held holds a value of type Held, which has no name"
    )
    with pytest.raises(Unnamed, match=refusal):
        run = cell.load(texts={"impl.cell": text}).begin(cell.scenarios["alone"])
        run.step(0)
        run.fingerprint()
    if run is not None:
        run.end()


def test_what_a_named_tuple_contains_is_seen(cell):
    text = cell.edited(
        (
            "class Cell:",
            "import collections\n\nPair = collections.namedtuple('Pair', 'held')\n\n\nclass Cell:",
        ),
        ('"claimed")', '"claimed", "pair")'),
        (
            "        self.taken = Atomic(0)\n",
            "        self.taken = Atomic(0)\n        self.pair = Pair([])\n",
        ),
        (DRAIN, "        self.pair.held.append(1)\n" + DRAIN),
    )
    run = cell.load(texts={"impl.cell": text}, lint=False).begin(cell.scenarios["alone"])
    before = run.fingerprint()
    run.harness.cell.pair.held.append(1)
    assert run.fingerprint() != before
    run.end()


@pytest.mark.parametrize(
    ("imported", "call", "name"),
    [
        ("heapq", "list(heapq.merge([0], [1], key=lambda x: self.take()))", "merge"),
        ("types", "types.DynamicClassAttribute(lambda x: self.take()).__get__(self)", "__get__"),
        ("collections", "collections.UserList([self]).__contains__(Asks(self))", "__contains__"),
    ],
)
def test_a_call_from_code_of_a_library_is_refused(cell, imported, call, name):
    text = cell.edited(
        (
            "class Cell:",
            f"import {imported}\n\n\nclass Asks:\n"
            "    __slots__ = ('cell',)\n\n"
            "    def __init__(self, cell):\n        self.cell = cell\n\n"
            "    def __eq__(self, other):\n        return self.cell.take()\n\n\nclass Cell:",
        ),
        (DRAIN, f"        {call}\n"),
    )
    run = cell.load(texts={"impl.cell": text}, lint=False).begin(cell.scenarios["alone"])
    with pytest.raises(Unnamed, match=rf"Thread a is suspended in a call from \S*{name} \("):
        run.fingerprint()
    run.end()


@pytest.mark.parametrize("root", ["[]", "{}", "set()", "ValueError()"])
def test_a_root_that_can_change_is_no_object_with_slots(cell, root):
    harness = (cell.root / "harness" / "cell.py").read_text()
    text = harness.replace("self.names = {", f"self.names = {{'held': {root}, ")
    with pytest.raises(Unnamed, match="The object held is a .*, whose state is in no slot"):
        cell.load(texts={"harness.cell": text}).begin(cell.scenarios["alone"])


def test_a_context_variable_is_no_root(cell):
    harness = (cell.root / "harness" / "cell.py").read_text()
    text = harness.replace(
        "self.names = {", "self.names = {'rounds': __import__('contextvars').ContextVar('rounds'), "
    )
    with pytest.raises(Unnamed, match="rounds is a ContextVar, whose state is in no slot"):
        cell.load(texts={"harness.cell": text}, lint=False).begin(cell.scenarios["alone"])


@pytest.mark.parametrize(
    ("body", "expression"),
    [
        ("        found = self.calls() + [self.full]  # read D1\n", "self.calls()"),
        ("        self.item = self.calls()  # write D1\n", "self.calls()"),
        ("        with self.pick():  # lock D1, unlock D2\n            pass\n", "self.pick()"),
        ("        self.taken.add_and_get(self.calls())  # update D1\n", "self.calls()"),
        ("        found = (self.calls(), self.full)  # read D1\n", "self.calls()"),
        ("        found = len(self.calls()) < self.taken.get()  # read D1\n", "len(self.calls())"),
        ("        found = {1: self.calls(), 2: self.full}  # read D1\n", "self.calls()"),
        ("        self.box[0] += self.full  # read D1\n", "self.box[0]"),
    ],
)
def test_each_place_of_a_value_on_the_stack_is_refused(cell, body, expression):
    text = cell.edited(
        (DRAIN, body),
        (
            "    def claim(self)",
            "    def calls(self):\n"
            "        return [self.taken.value]\n\n"
            "    def pick(self):\n"
            "        return {'x': self.monitor, None: self.monitor}[self.taken.value]\n\n"
            "    def claim(self)",
        ),
        ('"claimed")', '"claimed", "box")'),
        (
            "        self.taken = Atomic(0)\n",
            "        self.taken = Atomic(0)\n        self.box = [0]\n",
        ),
    )
    graph = cell.graph("alone")
    found = bisimulate(
        cell.load(texts={"impl.cell": text.replace("self.taken.value", "self.item")}, lint=False),
        cell.scenarios["alone"],
        graph.rows,
        graph.shared_of,
    )
    assert found.outcome == "different" and found.difference.kind == "unnamed"
    assert (
        "The value of `" in found.difference.message and expression in found.difference.message
    ), found.difference.message


def test_values_that_locals_and_final_fields_determine_may_wait(cell):
    text = cell.edited(
        (
            DRAIN,
            "        zero = 0\n"
            "        found = (zero + 1, self.monitor, twice(zero), self.full)  # read D1\n"
            "        while found[3]:\n"
            "            self.take()\n"
            "            found = (zero, self.monitor, twice(zero), self.full)  # read D1\n",
        ),
        ("class Cell:", "def twice(x):\n    return 2 * x\n\n\nclass Cell:"),
    )
    graph = cell.graph("alone")
    assert (
        bisimulate(
            cell.load(texts={"impl.cell": text}, lint=False),
            cell.scenarios["alone"],
            graph.rows,
            graph.shared_of,
        ).outcome
        == "equal"
    )


class Base:
    """A class without slots, such as one of a library."""


@pytest.mark.parametrize("base", [list, bytearray, bytes, float, BaseException, Base])
def test_a_class_without_slots_that_holds_state_is_refused(base):
    held = type("Held", (base,), {"__slots__": ()})()
    with pytest.raises(Unnamed, match=f"inherits from {base.__name__}, whose"):
        refuse_foreign(held, "held")


def test_a_generic_class_is_accepted_whichever_language_its_base_is_written_in():
    class Held(Generic[TypeVar("T")]):
        __slots__ = ()

    refuse_foreign(Held(), "held")
