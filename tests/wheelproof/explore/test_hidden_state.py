"""Hidden state: a count of drain's rounds is refused in each hidden place.

Each channel keeps how often ``drain`` has looked, and gives up after three looks. Two suspended
threads then look alike although they go on differently. ``lint``: the style rule that refuses the
source. ``run``: a part of what the controlled run refuses it with where the linter is off; None for
modules of the standard library, which only the list of imports keeps away.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from wheelproof.explore import ExploreError, StyleError, Unnamed, bisimulate
from wheelproof.explore.findings import StyleFinding

DRAIN = "        while self.full:  # read D1\n            self.take()\n"
LOOP = "        while more{arguments} and self.full:  # read D1\n            self.take()\n"


class Channel(NamedTuple):
    head: str
    """Text before the class; ``more()`` counts and returns whether to go on."""
    lint: str
    run: str | None = None
    before: str = ""
    arguments: str = "()"


COUNTS = "    count = getattr({0}, 'count', 0) + 1\n    {1}\n    return count < 4\n"
CHANNELS = {
    "an attribute of an exception": Channel(
        "def more(error):\n"
        "    error.count = getattr(error, 'count', 0) + 1\n"
        "    return error.count < 4\n",
        "hidden-state",
        "exception .* with attributes",
        "        error = ValueError()\n",
        "(error)",
    ),
    "an attribute of a module": Channel(
        "import math\n\ndef more():\n" + COUNTS.format("math", "math.count = count"),
        "hidden-state",
        "attribute of impl.cell.math",
    ),
    "setattr on a class": Channel(
        "class Holder:\n    __slots__ = ()\n\ndef more():\n"
        + COUNTS.format("Holder", "setattr(Holder, 'count', count)"),
        "hidden-state",
        "attribute of impl.cell.Holder",
    ),
    "an attribute of a class under another name": Channel(
        "class Holder:\n    __slots__ = ()\n\ndef more():\n    held = Holder\n"
        + COUNTS.format("held", "held.count = count"),
        "hidden-state",
        "attribute of impl.cell.Holder",
    ),
    "an attribute of an enum member": Channel(
        "import enum\n\nclass Colour(enum.Enum):\n    RED = 1\n\ndef more():\n"
        + COUNTS.format("Colour.RED", "Colour.RED.count = count"),
        "hidden-state",
        "attribute of impl.cell.Colour",
    ),
    "an attribute of a function": Channel(
        "def more():\n    held = more\n" + COUNTS.format("held", "held.count = count"),
        "hidden-state",
        "attribute of impl.cell.more",
    ),
    "keyword defaults": Channel(
        "def more(*, count=0):\n    more.__kwdefaults__['count'] += 1\n    return count < 3\n",
        "hidden-state",
        "attribute of impl.cell.more",
    ),
    "a logger": Channel(
        "import logging\n"
        "LOG = logging.getLogger('x')\n\n"
        "def more():\n"
        "    LOG.setLevel(LOG.level + 1)\n"
        "    return LOG.level % 40 < 4\n",
        "uncontrolled",
    ),
    "the environment": Channel(
        "import os\n\n"
        "def more():\n"
        "    os.environ['ROUNDS'] = os.environ.get('ROUNDS', '') + 'x'\n"
        "    return len(os.environ['ROUNDS']) % 40 < 4\n",
        "uncontrolled",
    ),
    "the decimal context": Channel(
        "import decimal\n\n"
        "def more():\n"
        "    decimal.getcontext().prec += 1\n"
        "    return decimal.getcontext().prec % 40 < 35\n",
        "uncontrolled",
    ),
    "a context variable": Channel(
        "import contextvars\n"
        "ROUNDS = contextvars.ContextVar('rounds')\n\n"
        "def more():\n"
        "    ROUNDS.set(ROUNDS.get(0) + 1)\n"
        "    return ROUNDS.get() < 4\n",
        "uncontrolled",
    ),
    "warning filters": Channel(
        "import warnings\n\n"
        "def more():\n"
        "    warnings.simplefilter('ignore', append=True)\n"
        "    return len(warnings.filters) % 40 < 30\n",
        "uncontrolled",
    ),
    "the order of a set of objects": Channel(
        "class Key:\n"
        "    __slots__ = ()\n\n"
        "KEYS = Key(), Key()\n\n"
        "def more(keys):\n"
        "    return len(keys) < 4\n",
        "",
        "a set of objects",
        "        keys = set(KEYS)\n",
        "(keys)",
    ),
    "a mutable object of the standard library": Channel(
        "import types\nHELD = types.SimpleNamespace(count=0)\n\ndef more():\n    return True\n",
        "module-state",
    ),
    "an exec": Channel(
        "def more():\n    exec('more.count = 1')\n    return True\n",
        "hidden-state",
        "attribute of impl.cell.more",
    ),
    "the attributes of an object by name": Channel(
        "class Holder:\n"
        "    __slots__ = ()\n\n"
        "def more():\n"
        "    type.__setattr__(Holder, 'count', 1)\n"
        "    return True\n",
        "hidden-state",
        "attribute of impl.cell.Holder",
    ),
    "an attribute of its own of a function in a local": Channel(
        "def more(held):\n"
        "    held.count = getattr(held, 'count', 0) + 1\n"
        "    return held.count < 4\n",
        "hidden-state",
        "the function .* with attributes",
        "        held = lambda: 0\n",
        "(held)",
    ),
    "a list in a default": Channel(
        "def more(held=tuple([[0]])):\n    held[0][0] += 1\n    return held[0][0] < 4\n",
        "module-state",
        "attribute of impl.cell.more",
    ),
    "a list in a default that a function makes": Channel(
        "def made():\n    return [0],\n\n"
        "class Holder:\n    __slots__ = ()\n\n"
        "def more(held=(made()), also=()):\n    held[0][0] += 1\n    return held[0][0] < 4\n",
        "module-state",
        "attribute of impl.cell.more",
    ),
    "a list in a closure": Channel(
        "def counted(function):\n"
        "    rounds = [0]\n\n"
        "    def more():\n"
        "        rounds[0] += 1\n"
        "        return rounds[0] < 4\n\n"
        "    return more\n\n\n"
        "@counted\n"
        "def more():\n"
        "    return True\n",
        "",
        "attribute of impl.cell.more",
    ),
    "an object in a closure": Channel(
        "class Rounds:\n    __slots__ = ('count',)\n\n"
        "def counted(function):\n"
        "    rounds = Rounds()\n"
        "    rounds.count = 0\n\n"
        "    def more():\n"
        "        rounds.count += 1\n"
        "        return rounds.count < 4\n\n"
        "    return more\n\n\n"
        "@counted\n"
        "def more():\n"
        "    return True\n",
        "",
        "attribute of impl.cell.more",
    ),
    "a namespace in a closure": Channel(
        "import types\n\n"
        "def counted(function):\n"
        "    rounds = types.SimpleNamespace(count=0)\n\n"
        "    def more():\n"
        "        rounds.count += 1\n"
        "        return rounds.count < 4\n\n"
        "    return more\n\n\n"
        "@counted\n"
        "def more():\n"
        "    return True\n",
        "hidden-state",
        "attribute of impl.cell.more",
    ),
    "a list in an enum member": Channel(
        "import enum\n\nclass Colour(enum.Enum):\n    RED = tuple([[0]])\n\n"
        "def more():\n"
        "    Colour.RED.value[0][0] += 1\n"
        "    return Colour.RED.value[0][0] < 4\n",
        "module-state",
        "attribute of impl.cell.Colour",
    ),
    "a function by cases": Channel(
        "import functools\n\n@functools.singledispatch\ndef more(*args):\n    return True\n",
        "module-state",
    ),
    "a class of another one by registration": Channel(
        "import abc\n\n"
        "class Some(abc.ABC):\n    __slots__ = ()\n\n"
        "class Holder:\n    __slots__ = ()\n\n"
        "def more():\n"
        "    Some.register(Holder)\n"
        "    return True\n",
        "hidden-state",
    ),
    "a file": Channel(
        "def more():\n"
        "    with open('/dev/null', 'a') as file:\n"
        "        file.write('x')\n"
        "    return True\n",
        "hidden-state",
    ),
    "an address": Channel("def more():\n    return id(more) > 0\n", "hidden-state"),
    "setattr under another name": Channel(
        "class Holder:\n    __slots__ = ()\n\n"
        "change = setattr\n\n"
        "def more():\n"
        "    change(Holder, 'count', 1)\n"
        "    return True\n",
        "hidden-state",
        "attribute of impl.cell.Holder",
    ),
    "a class that a call makes": Channel(
        "def more():\n    return bool(type('Holder', (), {'count': 0}))\n",
        "hidden-state",
    ),
    "a value on the stack": Channel(
        "def more(value):\n    return bool(value)\n",
        "",
        "is on the evaluation stack",
        "",
        "([1].copy())",
    ),
}


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
