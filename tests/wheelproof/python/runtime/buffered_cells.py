"""Cells whose stores are delayed, for the tests of store buffers."""

IMPL = """
from __future__ import annotations

from impl.runtime import Atomic, Monitor, Plain, Volatile


class Cells:
    __slots__ = ("x", "y", "flag", "guard", "other", "number")

    x: Plain[int | None]
    y: Plain[int | None]
    flag: Volatile[int | None]

    def __init__(self):
        self.flag = None
        self.guard, self.other, self.number = Monitor(), Monitor(), Atomic(0)


class Box:
    __slots__ = ("content",)

    content: Plain[int | None]

    def __init__(self):
        self.content = None
        self.content = 1  # write B1


class Seen:
    __slots__ = ("values",)

    values: Plain[tuple]

    def __init__(self):
        self.values = ()
"""

HARNESS = """
from impl import cells as impl
from impl.runtime import Memory

SUBJECT = ("impl.cells",)
MEMORY = ("x", "y", "content", "flag")


class Harness:
    def __init__(self, scenario, impl=impl):
        self.impl = impl
        self.cells, self.buffers = impl.Cells(), Memory()
        self.seen = {name: impl.Seen() for name in scenario["threads"]}
        self.names = {"cells": self.cells, "buffers": self.buffers, **self.seen}

    def note(self, thread, value):
        seen = self.seen[thread]
        seen.values = (*seen.values, value)  # write Z1

    def put_x(self, value):
        self.cells.x = value  # write X1

    def get_x(self, thread):
        value = self.cells.x  # read X2
        self.note(thread, value)

    def put_y(self, value):
        self.cells.y = value  # write Y1

    def get_y(self, thread):
        value = self.cells.y  # read Y2
        self.note(thread, value)

    def put_flag(self, value):
        self.cells.flag = value  # write V1

    def get_flag(self, thread):
        value = self.cells.flag  # read V2
        self.note(thread, value)

    def put_guarded(self, value):
        with self.cells.guard:  # lock G1, unlock G2
            self.cells.y = value  # write G3

    def get_guarded(self, thread):
        with self.cells.guard:  # lock G4, unlock G5
            value = self.cells.y  # read G6
        self.note(thread, value)

    def get_guarded_otherwise(self, thread):
        with self.cells.other:  # lock G7, unlock G8
            value = self.cells.y  # read G9
        self.note(thread, value)

    def count(self):
        self.cells.number.add_and_get(1)  # update N1

    def counted(self, thread):
        value = self.cells.number.get()  # read N2
        self.note(thread, value)

    def make(self, thread):
        box = self.impl.Box()
        value = box.content  # read B2
        self.note(thread, value)

    def memory(self, thread, field):
        more = True
        while more:
            more = self.buffers.write_back(thread, field)  # write W1


def shared(harness):
    return {}
"""
