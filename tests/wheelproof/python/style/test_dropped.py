"""Calls of a harness whose results are compared with nothing are checked where they run."""

from __future__ import annotations

import pytest

from wheelproof.python.style import dropped


class Bolt:
    """A primitive."""

    def close(self): ...


def checked(text: str) -> list[object]:
    """The results that the compiled text of a harness hands to its check, each with ``_ =``."""
    handed: list[object] = []
    space: dict = {dropped.NAME: lambda value, says_so: handed.append((value, says_so))}
    exec(dropped.compile_file("harness.h", text, "h.py", [Bolt]), space)
    space["Harness"]().run()
    return handed


CLASSES = """
class Target:
    def close(self): return 1
    def open(self): return 2

class Beside:
    def __init__(self): self.target = Target()
    def run(self):
        {beside}

class Harness:
    def __init__(self): self.target = Target()
    def run(self):
        {own}
        Beside().run(){rest}
"""


@pytest.mark.parametrize(
    ("own", "beside", "results"),
    [
        ("self.target.open()", "pass", [(2, False)]),
        ("_ = self.target.open()", "pass", [(2, True)]),
        ("x = self.target.open()", "pass", [(2, False)]),
        ("x = self.target.open(); x", "pass", []),
        ("self.target.close()  # lock A1", "pass", []),
        ("self.target.close()", "pass", [(1, False)]),
        ("pass", "self.target.open()", [(2, False)]),
        ("pass", "self.target.close()", []),
        ("pass", "self.target.close()  # lock A1", []),
    ],
)
def test_a_dropped_result_is_checked_unless_a_primitive_returns_it(own, beside, results):
    text = CLASSES.format(own=own, beside=beside, rest="  # of no interest")
    assert [each for each in checked(text) if each[0] is not None] == results


def test_a_module_that_is_no_harness_is_compiled_as_it_is():
    text = "def f(g):\n    g()\n"
    space: dict = {}
    exec(dropped.compile_file("impl.h", text, "h.py", [Bolt]), space)
    assert space["f"](lambda: 1) is None and dropped.NAME not in space
