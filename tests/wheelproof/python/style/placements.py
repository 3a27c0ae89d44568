"""Places of a truth value in which a wrong implementation may keep it, one text each.

Two threads arm a switch, one with True and one with False, and a third one uses it once both have.
It must open whichever came last. The wrong implementation keeps the value of the last one, and
opens by what it reads of it. In the two orders all else is alike.
"""

from __future__ import annotations

SOURCE = """
from __future__ import annotations
{head}
from impl.runtime import Atomic, Monitor, Volatile

{body}

class Switch:
    __slots__ = ("armed", "held", "open", "other")
    held: Volatile[object]
    open: Volatile[bool]

    def __init__(self):
        self.armed, self.held, self.open, self.other = Atomic(0), None, False, None

    def arm(self, mode):
        value = make(mode)
        self.held = value  # write A1
        value = None
        self.armed.add_and_get(1)  # update A2

    def use(self):
        if self.armed.get() < 2:  # read U1
            return
        held = self.held  # read U2
        if reads(held):
            held = None
            self.open = True  # write U3
"""
HARNESS = """
from impl import switch
SUBJECT = ("impl.switch",)

class Harness:
    def __init__(self, scenario, impl=switch):
        self.switch = impl.Switch()
        self.names = {"switch": self.switch}
    def arm(self, mode): self.switch.arm(mode)
    def use(self): self.switch.use()

def shared(harness):
    return {"open": harness.switch.open, "armed": harness.switch.armed.value}
"""


def source(text: str) -> str:
    """An implementation. ``text``: imports, then ``make(mode)`` and ``reads(held)``."""
    lines = text.strip("\n").split("\n")
    head = [line for line in lines if line.startswith(("import ", "from "))]
    return SOURCE.format(head="\n".join(head), body="\n".join(x for x in lines if x not in head))


def value(makes: str, reads: str, head: str = "") -> str:
    """``make`` and ``reads`` by one expression each, of ``mode`` and of ``held``."""
    return f"{head}\ndef make(mode):\n    return {makes}\n\ndef reads(held):\n    return {reads}\n"


def changed(reads: str, change: str, head: str = "") -> str:
    """An exception that ``change`` changes, and what is read of it."""
    return (
        f"{head}\ndef make(mode):\n    error = {change.split(';')[0]}\n"
        f"    {change.split(';')[1].strip()}\n    return error\n\n"
        f"def reads(held):\n    return {reads}\n"
    )


TWICE = "class Kept:\n    __slots__ = ()\n    says = True\nFirst = Kept\n"
DIFFERENT = {
    "two lambdas of one name": value("(lambda: True) if mode else (lambda: False)", "held()"),
    "two functions of one name": """
def make(mode):
    if mode:
        def says():
            return True
    else:
        def says():
            return False
    return says

def reads(held):
    return held()
""",
    "two functions with other defaults": value("lambda x=mode: x", "held()"),
    "two functions with one variable or two": """
def counter():
    count = 0
    def more():
        nonlocal count
        count += 1
        return count
    return more, lambda: count

def make(mode):
    one, other = counter(), counter()
    return one if mode else (one[0], other[1])

def reads(held):
    return held[0]() == held[1]()
""",
    "one function or two": value(
        "(lambda f, g: (f, f if mode else g))(makes(), makes())",
        "held[0] is held[1]",
        "def makes():\n    return lambda: 0\n",
    ),
    "two classes of one name": value(
        "First if mode else Kept",
        "held.says",
        f"{TWICE}class Kept:\n    __slots__ = ()\n    says = False\n",
    ),
    "two classes of exceptions of one name": value(
        "First() if mode else Kept()",
        "held.says",
        "class Kept(Exception):\n    says = True\nFirst = Kept\n"
        "class Kept(Exception):\n    says = False\n",
    ),
    "two enumerations of one name": value(
        "First.A if mode else Kept.A",
        "held.value",
        "import enum\nclass Kept(enum.Enum):\n    A = True\nFirst = Kept\n"
        "class Kept(enum.Enum):\n    A = False\n",
    ),
    "two named tuples of one name": value(
        "First(1) if mode else Kept(1)",
        "held.says()",
        "import typing\nclass Kept(typing.NamedTuple):\n    x: int\n"
        "    def says(self):\n        return True\nFirst = Kept\n"
        "class Kept(typing.NamedTuple):\n    x: int\n"
        "    def says(self):\n        return False\n",
    ),
    "methods of two classes of one name": value(
        "First.says if mode else Kept.says",
        "held()",
        "class Kept:\n    @classmethod\n    def says(cls):\n        return True\nFirst = Kept\n"
        "class Kept:\n    @classmethod\n    def says(cls):\n        return False\n",
    ),
    "two functions in C of one name": value(
        "math.pow if mode else operator.pow",
        "type(held(2, 2)) is float",
        "import math, operator\n",
    ),
    "two generators of one name": """
def make(mode):
    if mode:
        def says():
            yield True
    else:
        def says():
            yield False
    return says()

def reads(held):
    return next(held)
""",
    "one generator or two": value(
        "(lambda g, h: (g, g if mode else h))(counts(), counts())",
        "next(held[0]) + next(held[1]) == 1",
        "def counts():\n    yield 0\n    yield 1\n",
    ),
    "how far a generator is in a for": """
def make(mode):
    says = zeros((0, 0, 0))
    for _ in range(2 if mode else 1):
        next(says)
    return says

def zeros(items):
    for item in items:
        yield item

def reads(held):
    next(held)
    return next(held, None) is None
""",
    "what a generator handles": """
def handles(mode):
    try:
        raise ValueError(mode)
    except ValueError:
        yield 0
        raise

def make(mode):
    says = handles(mode)
    next(says)
    return says

def reads(held):
    try:
        next(held)
    except ValueError as error:
        return error.args[0]
""",
    "a dictionary seen through a proxy, or its copy": value(
        "(lambda d: (d, types.MappingProxyType(d if mode else dict(d))))({0: 0})",
        "held[0].update({1: 1}) or 1 in held[1]",
        "import types\n",
    ),
    "the sign of a NaN": value(
        "math.copysign(math.nan, 1 if mode else -1)", "math.copysign(1, held) > 0", "import math\n"
    ),
    "one NaN or two": value(
        "(lambda x, y: (x, [x if mode else y]))(float('nan'), float('nan'))", "held[0] in held[1]"
    ),
    "a range from False": value("range(mode, 2)", "held.start is True"),
    "one exception or two": value(
        "(lambda e, f: (e, e if mode else f))(ValueError(), ValueError())", "held[0] is held[1]"
    ),
    "ImportError.name": value("ImportError('m', name='y' if mode else 'n')", "held.name == 'y'"),
    "ImportError.path": value("ImportError('m', path='y' if mode else 'n')", "held.path == 'y'"),
    "StopIteration.value": changed("held.value", "StopIteration(1); error.value = mode"),
    "SystemExit.code": changed("held.code", "SystemExit(1); error.code = mode"),
    "OSError.filename": changed("held.filename", "OSError(1, 'm', 'f'); error.filename = mode"),
    "OSError.errno": changed("held.errno", "OSError(1, 'm'); error.errno = mode"),
    "AttributeError.obj": changed("held.obj", "AttributeError(); error.obj = mode"),
    "NameError.name": value("NameError('m', name='y' if mode else 'n')", "held.name == 'y'"),
    "SyntaxError.text": changed("held.text", "SyntaxError('m'); error.text = mode"),
    "UnicodeError.start": changed(
        "held.start", "UnicodeDecodeError('a', b'bb', 0, 1, 'r'); error.start = int(mode)"
    ),
    "BaseException.args": changed("held.args[0]", "ValueError(); error.args = (mode,)"),
    "BaseException.__cause__": changed(
        "held.__cause__.args[0]", "ValueError(); error.__cause__ = ValueError(mode)"
    ),
    "a context beside a cause": changed(
        "held.__context__.args[0]",
        "ValueError(); error.__cause__, error.__context__ = ValueError(), ValueError(mode)",
    ),
    "BaseException.__suppress_context__": changed(
        "held.__suppress_context__", "ValueError(); error.__suppress_context__ = mode"
    ),
}
"""Values that are compared: the two orders lead to two states."""

REFUSED = {
    "a class that a function makes": (
        "def make(mode):\n    class Kept:\n        says = mode\n    return Kept\n\n"
        "def reads(held):\n    return held.says\n",
        "Kept'>, which no module has",
    ),
    "an enumeration that a function makes": (
        value("enum.Enum('Kept', {'A': mode}).A", "held.value", "import enum\n"),
        "<enum 'Kept'>, which no module has",
    ),
    "an exception that hides its attributes": (
        changed(
            "held.says",
            "Kept(); error.says = mode",
            "class Kept(Exception):\n    __dict__ = {}\n",
        ),
        "an exception Kept with attributes of its own",
    ),
    "a note of an exception": (
        changed("held.__notes__ == ['True']", "ValueError(); error.add_note(str(mode))"),
        "an exception ValueError with attributes",
    ),
    "a function with globals of its own": (
        value(
            "types.FunctionType(says.__code__, {'mode': mode, '__builtins__': {}})",
            "held()",
            "import types\ndef says():\n    return mode\n",
        ),
        "whose globals are those of no module",
    ),
    "an iterator": (value("iter([mode])", "next(held)"), "a value of type list_iterator"),
    "a bytearray": (value("bytearray([mode])", "held[0]"), "a value of type bytearray"),
    "a memoryview": (value("memoryview(bytes([mode]))", "held[0]"), "type memoryview"),
    "a partial": (
        value("functools.partial(bool, mode)", "held()", "import functools\n"),
        "type partial",
    ),
    "an array": (value("array.array('b', [mode])", "held[0]", "import array\n"), "type array"),
    "a weak reference": (
        value("weakref.ref(Kept if mode else make)", "held() is Kept", f"import weakref\n{TWICE}"),
        "type ReferenceType",
    ),
    "a finalizer of the library": (
        value(
            "weakref.finalize(Kept, print, mode)", "held.peek()[2][0]", f"import weakref\n{TWICE}"
        ),
        "type finalize|attribute of impl.switch.weakref.finalize was changed",
    ),
    "a context variable": (
        value("contextvars.ContextVar('x', default=mode)", "held.get()", "import contextvars\n"),
        "type ContextVar",
    ),
}
"""Values that are refused, each with a part of the message."""
