"""Row `arithmetic`: what code computes with numbers is proved on symbols, or listed as it is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.found import mechanisms
from wheelproof import project
from wheelproof.checks import arithmetic
from wheelproof.checks.context import Context
from wheelproof.checks.overall import Reading
from wheelproof.errors import UsageError
from wheelproof.python.style.arithmetic import computations
from wheelproof.verdict import Verdict

ROOT = Path(__file__).resolve().parents[3]
MECHANISMS = mechanisms()

COMPUTES = {
    "min(x, y)": "min(x, y)",
    "lower(x, least=min)": "min",
    "x % 2**31": "x % 2 ** 31",
    "(None, x)[y]": "(None, x)[y]",
    "{y: x}[y]": "{y: x}[y]",
    "{y: x}.get(y)": "{y: x}.get",
    "'ab'[y]": "'ab'[y]",
    "TABLE[y]": "TABLE[y]",
    "x.__mod__(y)": "x.__mod__(y)",
    "math.fmod(x, y)": "math.fmod",
    "0 < x < 4": "4",
    "~x": "~x",
    "x.to_bytes()": "x.to_bytes()",
    "int(x)": "int(x)",
    "[each for each in range(x)]": "range(x)",
    "f'{x + y}'": "x + y",
    "lambda z: z << x": "z << x",
}
HARMLESS = [
    "x",
    "x == 0",
    "x > y",
    "[x, y]",
    "f(x)[1]",
    "f'{x}'",
    "isinstance(x, int)",
    "-1",
    "not x",
]


def within(body):
    text = f"TABLE = {{}}\ndef function(x: int | None, y=1) -> int | None:\n    {body}\n"
    return computations(text, "a.py").get("function", ())


@pytest.mark.parametrize("expression", COMPUTES)
def test_an_expression_with_numbers_is_listed(expression):
    assert within(f"return {expression}") == (COMPUTES[expression],)


@pytest.mark.parametrize("expression", HARMLESS)
def test_an_expression_without_is_not(expression):
    assert within(f"return {expression}") == ()


def test_each_function_has_its_own_name():
    text = (
        "from math import log\nLIMIT = 7\nclass A:\n    size = 3\n    def f(self, x):\n"
        "        def g():\n            return x - 1\n        x += 1\n        return g\n"
    )
    assert computations(text, "a.py") == {
        "<module>": ("from math import log", "7"),
        "A.<body>": ("3",),
        "A.f.g": ("x - 1",),
        "A.f": ("x += 1",),
    }


def context(root, name, tmp_path):
    return Reading(project.find(root)[name], tmp_path / "out")


@pytest.fixture
def copied(tmp_path):
    for folder in ("spec", "model", "harness", "impl", "mutants"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("MC*"))
    return tmp_path


def test_what_is_computed_is_proved_or_listed(tmp_path):
    found = arithmetic.arithmetic(Context(MECHANISMS["timing_wheel"], tmp_path), [])
    assert found.ok and found.verdict is Verdict.EXHAUSTIVE, found.why
    assert found.figures["proved"] == 10 and found.figures["functions"] > 10


PLANTED = {
    "a table at U8": (
        "timer_task_list",
        "impl/timer_task_list.py",
        "entry.list = None  # write U8",
        "entry.list = (None, self)[min(entry.expiration_ms // 2**31, 1)]  # write U8",
        "min",
    ),
    "four readers": (
        "read_write_lock",
        "impl/read_write_lock.py",
        "of.waiting + 1",
        "of.waiting + 1 - len(of.readers) // 4",
        "of.waiting + 1 - len(of.readers) // 4",
    ),
    "a cap": (
        "atomic",
        "impl/atomic.py",
        "self._value + delta",
        "min(self._value + delta, 1000)",
        "min(self._value + delta, 1000)",
    ),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_arithmetic_that_no_scenario_comes_to_is_refused(fault, copied):
    name, file, old, new, expression = PLANTED[fault]
    text = (copied / file).read_text(encoding="utf-8")
    assert text.count(old) >= 1
    (copied / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    found = arithmetic.arithmetic(context(copied, name, copied), [])
    assert (found.ok, found.verdict, found.property) == (False, Verdict.VIOLATED, "Arithmetic")
    assert expression in found.why and file in found.why


def test_what_is_listed_and_gone_is_refused(copied):
    text = (copied / "impl/atomic.py").read_text(encoding="utf-8")
    changed = text.replace("self._value + delta", "delta")
    (copied / "impl/atomic.py").write_text(changed, encoding="utf-8")
    found = arithmetic.arithmetic(context(copied, "atomic", copied), [])
    assert "Atomic.add_and_get is listed, and computes nothing with numbers" in found.why


def test_a_list_that_takes_everything_fails_its_control(tmp_path, monkeypatch):
    monkeypatch.setattr(arithmetic, "faults", lambda computed, listed: [])
    found = arithmetic.arithmetic(Context(MECHANISMS["atomic"], tmp_path), [])
    assert not found.ok and "does not reject what it planted" in found.why


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{ proved = 'T1' }", "are lists of texts"),
        ("{ proved = ['T1'], computes = ['x + 1'], because = 'y' }", "must have either"),
        ("{ computes = ['x + 1'] }", "must have either"),
        ("{ becuase = 'y' }", "unknown field becuase"),
        ("7", "must be a table"),
    ],
)
def test_a_wrong_entry_is_refused_with_its_place(entry, message, tmp_path):
    (tmp_path / "harness").mkdir()
    (tmp_path / arithmetic.FILE).write_text(f"[functions]\n'impl/a.py f' = {entry}\n")
    with pytest.raises(UsageError, match=message) as refused:
        arithmetic.read(tmp_path)
    assert "impl/a.py f" in str(refused.value) and arithmetic.FILE in str(refused.value)


def test_every_theorem_that_is_named_is_in_the_plan():
    listed = arithmetic.read(ROOT)
    planned = (ROOT / "spec/plan.json").read_text(encoding="utf-8")
    theorems = {name for item in listed.values() for name in item.proved}
    assert theorems and all(json.dumps(name) in planned for name in theorems)
