"""A ``match`` statement with each kind of pattern, and subjects for each of its cases."""

from collections import OrderedDict, UserList, deque
from dataclasses import dataclass


class Kind:
    RED = "red"


@dataclass
class Point:
    x: object
    y: object = 0


class Bare:
    def __init__(self, **fields):
        vars(self).update(fields)


class Text(str):
    __slots__ = ()


def parts(subject):
    """The number of the case that takes a subject, and what it captures."""
    name = rest = x = y = "unbound"
    match subject:
        case None:
            return 0, ()
        case True | False as name:
            return 1, (name,)
        case -1 | 1.5 | "one":
            return 2, ()
        case Kind.RED:
            return 3, ()
        case int(x) if x > 100:
            return 4, (x,)
        case int() | float():
            return 5, (x,)
        case Text(name):
            return 6, (name,)
        case []:
            return 7, ()
        case [x]:
            return 8, (x,)
        case [Point(x=0) as x, *rest]:
            return 9, (x, rest)
        case ["go", ("north" | "south") as name, *_]:
            return 10, (name,)
        case [x, *rest, y] if x == y:
            return 11, (x, rest, y)
        case (_, _, *rest):
            return 12, (rest,)
        case {"kind": Kind.RED, "at": [x, y], **rest}:
            return 13, (x, y, rest)
        case {"kind": name}:
            return 14, (name,)
        case {}:
            return 15, ()
        case Point(Point(x, y), 0):
            return 16, (x, y)
        case Point(x, y=[y, *_]) | Point(y, x):
            return 17, (x, y)
        case Bare(name=name, rest=Point(x)):
            return 18, (name, x)
        case _:
            return 19, (name, rest, x, y)


CASES = 20


def subjects(module):
    """Subjects of the cases. Classes of this file are those of ``module``, as it was loaded."""
    point, bare = module.Point, module.Bare
    return [
        *(None, True, False, -1, 1.5, "one", "red", 101, 7, 2.5, module.Text("t"), b"bytes"),
        *([], (), [1], ((1,),), deque(["one"]), UserList([3]), range(1), "x", bytearray(2)),
        *([point(0), 1, 2], [point(1), 1, 2], ["go", "north"], ["go", "west"], ["go", "south", 1]),
        *([1, 1], [1, 2, 1], [1, 2, 3], (1, 2), memoryview(b"ab")),
        *({"kind": "red", "at": (1, 2), "more": 3}, {"kind": "red", "at": 1}, {"kind": 5}, {}),
        *({"other": 1}, OrderedDict(kind=1), {1, 2}, {}.keys()),
        *(point(point(1, 2)), point(point(1, 2), 1), point(1, [2, 3]), point(1, []), point(1)),
        *(bare(name=1, rest=point(4)), bare(name=1), bare(rest=point(4)), bare(), object),
    ]
