"""Places in which a wrong harness or implementation may keep hidden state, one text each."""

from __future__ import annotations

from typing import NamedTuple

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
    "the order of a set of numbers": Channel(
        "def more(seen: frozenset[int]):\n"
        "    for first in seen:\n"
        "        return first > 0\n"
        "    return False\n",
        "set-order",
        before="        seen = frozenset((8, 16))\n",
        arguments="(frozenset((8, 16)))",
    ),
}
_MORE = "\n\ndef more():\n    {}\n    return True\n"
CHANNELS |= {
    name: Channel(head + _MORE.format(body), "uncontrolled")
    for name, (head, body) in {
        "a module that a module imported": ("from enum import sys", "sys.setrecursionlimit(900)"),
        "a module behind a dot": ("import enum", "enum.sys.setrecursionlimit(900)"),
        "a module behind another name": ("import dataclasses as d", "d.inspect.os.environ.clear()"),
        "a module with an underscore": ("import dataclasses", "dataclasses._thread.get_ident()"),
        "a lock of functools": ("from functools import RLock", "RLock().acquire()"),
        "a module of a module in a module": ("import collections as c", "c.abc.sys.exc_info()"),
        "a module of typing": ("import typing", "typing.sys.exc_info()"),
        "a module under a name with an underscore": (
            "from collections import _sys",
            "_sys.exc_info()",
        ),
        "a module by a text": ("import enum", "getattr(enum, 'sys').exc_info()"),
        "a module in a default": ("import enum\n\ndef held(of=enum):\n    return of", "held()"),
        "a module in a local": ("import enum", "held = enum"),
        "a module in a partial": (
            "import enum, functools",
            "functools.partial(len, enum)",
        ),
        "a module's table": ("import enum", "vars(enum)"),
        "a module's own table": ("import enum", "enum.__dict__"),
        "a star import": ("from enum import *", "pass"),
        "an attribute by its text": ("from operator import attrgetter", "attrgetter('x')"),
        "a text that is evaluated": ("import typing", "typing.get_type_hints(more)"),
    }.items()
}
