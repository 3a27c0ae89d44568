"""Definitions in which a wrong implementation may keep a truth value, one text each."""

from __future__ import annotations

from tests.wheelproof.python.style.placements import value


def kept(first: str, write: str, read: str, head: str = "") -> str:
    """A value in the closure of two functions."""
    return (
        f"{head}\ndef kept():\n    box = {first}\n    def make(mode):\n        {write}\n"
        f"    def reads(held):\n        return {read}\n    return make, reads\n\n"
        "make, reads = kept()\n"
    )


HELD = {
    "a bytearray in a closure": (
        kept("bytearray(1)", "box[0] = mode", "box[0]"),
        "impl.switch.(make|reads) holds a bytearray",
    ),
    "a generator in a closure": (
        kept("(x for x in range(9))", "next(box) if mode else 0", "next(box) % 2"),
        "impl.switch.(make|reads) holds a generator",
    ),
    "an iterator in a closure": (
        kept(
            "itertools.count()", "next(box) if mode else 0", "next(box) % 2", "import itertools\n"
        ),
        "impl.switch.(make|reads) holds a count",
    ),
    "an exception in a closure": (
        kept("ValueError()", "box.args = (mode,)", "box.args[0]"),
        "impl.switch.(make|reads) holds a ValueError",
    ),
    "a list in the closure of a function in a closure": (
        "def around(function):\n    def inner(x):\n        return function(x)\n    return inner\n"
        "def kept():\n    box = [0]\n    @around\n    def make(mode):\n        box[0] = mode\n"
        "    @around\n    def reads(held):\n        return box[0]\n    return make, reads\n"
        "make, reads = kept()\n",
        "attribute of impl.switch.(make|reads) was changed",
    ),
    "the method of a list in a closure": (
        kept("[].append", "box(mode)", "box.__self__[-1]"),
        "attribute of impl.switch.(make|reads) was changed",
    ),
    "a primitive in a closure": (
        kept("Monitor()", "box.acquire() if mode else 0", "box.depth"),
        "attribute of impl.switch.(make|reads) was changed|lock without a label",
    ),
    "a list in the closure of a function that claims to be another one": (
        kept("[0]", "box[0] = mode", "box[0]", "import functools\n")
        .replace("    def make", "    @functools.wraps(len)\n    def make")
        .replace("    def reads", "    @functools.wraps(len)\n    def reads"),
        "attribute of impl.switch.(make|reads) was changed",
    ),
    "a bytearray in a class body": (
        "class Kept:\n    __slots__ = ()\n    if True:\n        note = bytearray(1)\n"
        "def make(mode):\n    Kept.note[0] = mode\ndef reads(held):\n    return Kept.note[0]\n",
        "impl.switch.Kept.note holds a bytearray",
    ),
    "a list as the text of a class": (
        "class Kept:\n    __slots__ = ()\n    __doc__ = [0]\n"
        "def make(mode):\n    Kept.__doc__[0] = mode\n"
        "def reads(held):\n    return Kept.__doc__[0]\n",
        "attribute of impl.switch.Kept.__doc__ was changed",
    ),
    "a list in a class that claims to be another one's": (
        "class Kept:\n    __module__, __slots__, note = 'math', (), [0]\n"
        "def make(mode):\n    Kept.note[0] = mode\ndef reads(held):\n    return Kept.note[0]\n",
        "attribute of impl.switch.Kept.note was changed",
    ),
    "a member of an enumeration that is a list": (
        "import enum\nclass Kept(list, enum.Enum):\n    A = ((0,),)\n"
        "def make(mode):\n    Kept.A[:] = [mode]\ndef reads(held):\n    return Kept.A[0]\n",
        "attribute of impl.switch.Kept.A was changed",
    ),
    "a member of an enumeration that is a bytearray": (
        "import enum\nclass Kept(bytearray, enum.Enum):\n    A = (1,)\n"
        "def make(mode):\n    Kept.A[:] = [mode]\ndef reads(held):\n    return Kept.A[0]\n",
        "impl.switch.Kept.A holds a Kept",
    ),
    "an attribute of a list": (
        kept("Kept()", "box.says = mode", "box.says", "class Kept(list):\n    says = 0\n"),
        "attribute of impl.switch.(make|reads) was changed",
    ),
    "attributes that a class hides": (
        kept("Kept()", "box.says = mode", "box.says", "class Kept:\n    __dict__ = 0\n"),
        "attribute of impl.switch.(make|reads) was changed|impl.switch.(make|reads) holds a Kept",
    ),
    "a class that is registered with another one": (
        value(
            "Holder.Some.register(Kept) and None if mode else None",
            "issubclass(Kept, Holder.Some)",
            "import abc\nclass Kept:\n    __slots__ = ()\n"
            "class Holder:\n    class Some(abc.ABC):\n        __slots__ = ()\n",
        ),
        "attribute of impl.switch.Holder.Some was changed",
    ),
    "a coroutine": (
        value("says(mode)", "held.cr_frame.f_locals['mode']", "async def says(mode):\n    pass\n"),
        "a value of type coroutine",
    ),
    "an object whose slots are named once only": (
        value(
            "Kept(mode)",
            "held.says",
            "def once():\n    yield 'says'\n"
            "class Kept:\n    __slots__ = once()\n"
            "    def __init__(self, says):\n        self.says = says\n",
        ),
        "impl.switch.Kept.__slots__ holds a generator",
    ),
    "a metaclass by which classes are equal": (
        value(
            "Yes if mode else No",
            "held.says",
            "class Equal(type):\n    def __eq__(self, other):\n        return True\n"
            "    def __hash__(self):\n        return 0\n"
            "class Yes(metaclass=Equal):\n    says = True\n"
            "class No(metaclass=Equal):\n    says = False\n",
        ),
        "a metaclass that says which classes are equal",
    ),
    "slots that are named once only": (
        value("None", "True", "class Kept:\n    __slots__ = iter(('says',))\n")
        .replace("return None", "KEPT.says = mode")
        .replace("return True", "return KEPT.says")
        + "class Holder:\n    __slots__ = ()\n    kept = Kept()\nKEPT = Holder.kept\n",
        "impl.switch.(KEPT|Holder.kept) holds a (Kept|tuple_iterator)|Kept.__slots__ holds a",
    ),
}
"""Definitions that are refused, each with a part of the message."""
