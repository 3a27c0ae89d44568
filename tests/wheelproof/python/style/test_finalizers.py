"""Finalizers: refused where an object can be dropped, taken away where it lives to the end."""

from __future__ import annotations

import weakref

import pytest

from tests.wheelproof.python.style.placements import HARNESS, SOURCE
from tests.wheelproof.python.style.test_placements import graph, scenario
from wheelproof.python import (
    ControlledImplementation,
    ExploreError,
    StyleError,
    Unnamed,
    bisimulate,
    check,
)

ENDS = """
class Ends:
    __slots__ = ("of",)

    def __init__(self, of=None):
        self.of = of

    def __del__(self):
        if self.of is not None:
            self.of.says = True
"""


def text(head, make, reads="held is held", first="None"):
    body = f"{head}\ndef make(mode):\n    {make}\n\ndef reads(held):\n    return {reads}\n"
    made = SOURCE.format(head="", body=body)
    return made.replace("False, None", f"False, {first}", 1)


def judged(folder, source, harness=HARNESS, lint=False):
    for artefact, content in (("impl", source), ("harness", harness)):
        (folder / artefact).mkdir(exist_ok=True)
        (folder / artefact / "switch.py").write_text(content, encoding="utf-8")
    implementation = ControlledImplementation.load(folder, "switch", lint=lint)
    found = bisimulate(implementation, scenario(True), *graph())
    return found.outcome if found.difference is None else found.difference.message


@pytest.mark.parametrize(
    ("head", "make"),
    [
        (ENDS, "return Ends()"),
        (ENDS, "Ends(Ends())"),
        (f"{ENDS}class More(Ends):\n    __slots__ = ()\n", "return More()"),
        (f"{ENDS}class More:\n    __slots__ = ('of',)\n    __del__ = Ends.__del__\n", "More()"),
        (f"{ENDS}def made():\n    class More(Ends):\n        __slots__ = ()\n    return More\n"
         "More = made()\n", "More()"),
    ],
)  # fmt: skip
def test_a_thread_creates_no_object_with_a_finalizer(tmp_path, head, make):
    message = judged(tmp_path, text(head, make))
    assert "impl/switch.py:" in message and "whose finalizer (__del__) runs" in message


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        ("class Ends(ValueError):\n    def __del__(self):\n        pass\n", "Ends"),
        ("class Ends(tuple):\n    def __del__(self):\n        pass\n", "Ends"),
        ("class Ends:\n    def __new__(cls):\n        return super().__new__(cls)\n"
         "    def __del__(self):\n        pass\n", "Ends"),
        ("class Meta(type):\n    def __del__(cls):\n        pass\n", "Meta"),
        ("class Ends:\n    class Inner(Exception):\n        __del__ = print\n", "Ends.Inner"),
        ("import io\nclass Ends(io.StringIO):\n    pass\n", "Ends"),
    ],
)  # fmt: skip
def test_a_class_whose_objects_are_not_noted_has_no_finalizer(tmp_path, head, kind):
    with pytest.raises(ExploreError, match=rf"impl.switch.{kind} has a finalizer \(__del__\)"):
        judged(tmp_path, text(head, "return None"))


def test_an_object_that_others_hold_has_no_finalizer(tmp_path):
    with pytest.raises(ExploreError, match=r"class Ends has a finalizer \(__del__\) and no role"):
        judged(tmp_path, text(ENDS, "return None", first="Ends()"))


def test_an_object_that_is_dropped_before_the_threads_start_has_no_finalizer(tmp_path):
    harness = HARNESS.replace("        self.names", "        impl.Ends()\n        self.names")
    with pytest.raises(ExploreError, match=r"class Ends has a finalizer \(__del__\) and no role"):
        judged(tmp_path, text(ENDS, "return None"), harness)


def test_an_object_of_the_library_with_slots_is_no_object_of_the_project(tmp_path, monkeypatch):
    monkeypatch.setattr(weakref.finalize, "_registered_with_atexit", False)
    head = "import weakref\nclass Kept:\n    __slots__ = ('__weakref__',)\n"
    kept = text(head, "return None", first="weakref.finalize(make, int)")
    with pytest.raises(ExploreError, match=r"weakref.finalize was changed"):
        judged(tmp_path, kept)
    run = ControlledImplementation.load(tmp_path, "switch", lint=False).begin(scenario(True))
    with pytest.raises(Unnamed, match=r"switch.other holds a value of type finalize"):
        run.fingerprint()


def test_a_root_may_have_a_finalizer_and_it_never_runs(tmp_path):
    harness = HARNESS.replace(
        '{"switch": self.switch}', '{"switch": self.switch, "ends": self.switch.other}'
    )
    assert judged(tmp_path, text(ENDS, "return None", first="Ends()"), harness) == "equal"


def test_a_primitive_of_a_project_with_a_finalizer_is_refused(tmp_path):
    (tmp_path / "harness").mkdir()
    (tmp_path / "harness" / "bolts.py").write_text(
        "def bolt(scheduler, earlier):\n"
        "    class Bolt:\n        __slots__ = ()\n"
        "        def __new__(cls):\n            return super().__new__(cls)\n"
        "        def __del__(self):\n            pass\n"
        "    return Bolt\n"
    )
    (tmp_path / "impl").mkdir()
    (tmp_path / "impl" / "runtime.py").write_text("class Bolt: pass\n")
    harness = f"PRIMITIVES = {{'Bolt': 'harness.bolts.bolt'}}\n{HARNESS}"
    with pytest.raises(ExploreError, match=r"Bolt has a finalizer \(__del__\)"):
        judged(tmp_path, text("", "return None"), harness)


@pytest.mark.parametrize(
    "body",
    [
        "    class Ends:\n        def __del__(self):\n            pass\n",
        "    class Ends:\n        __del__ = print\n",
        "    class Ends:\n        from impl.switch import ends as __del__\n",
        "    try:\n        yield 1\n    finally:\n        self.open = 1\n",
        "    try:\n        yield 1\n    except GeneratorExit:\n        self.open = 1\n",
        "    try:\n        yield 1\n    except (ValueError, BaseException):\n        raise\n",
        "    with self.monitor:\n        yield 1\n",
        "    with self.monitor:\n        yield from self.more()\n",
        "    Ends = GeneratorExit\n",
        "    if Ends := BaseException:\n        pass\n",
        "    try:\n        x = 1\n    except X:\n        yield 1\n    finally:\n        pass\n",
    ],
)
def test_the_linter_refuses_what_runs_where_an_object_is_dropped(body):
    source = f"class Switch:\n    __slots__ = ()\n    def use(self):\n{_deeper(body)}"
    assert "finalizer" in {finding.rule for finding in check({"impl/switch.py": source})}


@pytest.mark.parametrize(
    "body",
    [
        "    try:\n        yield 1\n    except ValueError:\n        pass\n",
        "    with self.monitor:\n        pass\n    yield 1\n",
        "    with self.monitor:\n        def later():\n            yield 1\n",
        "    try:\n        pass\n    finally:\n        pass\n    yield 1\n",
    ],
)
def test_the_linter_allows_a_generator_that_runs_nothing_when_it_is_dropped(body):
    source = f"class Switch:\n    __slots__ = ()\n    def use(self):\n{_deeper(body)}"
    assert "finalizer" not in {finding.rule for finding in check({"impl/switch.py": source})}


@pytest.mark.parametrize("module", ["weakref", "gc", "atexit", "contextlib", "_weakref", "signal"])
def test_modules_that_call_back_are_refused(tmp_path, module):
    with pytest.raises(StyleError, match=f"{module} is out of the scheduler's control"):
        judged(tmp_path, text(f"import {module}", "return None"), lint=True)


def _deeper(body):
    return "".join(f"    {line}\n" for line in body.splitlines())
