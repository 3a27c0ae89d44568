"""The catalogue of changes: which edits a text gives, and what a change's key depends on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest

from wheelproof.mutate import pluscal_changes, python_changes
from wheelproof.mutate.change import Change

ROOT = Path(__file__).parents[3]

COUNTER = dedent('''\
    """A counter."""


    class Counter:
        __slots__ = ("lock", "count", "limit")

        def add(self, amount, bonus):
            """Add; False above the limit."""
            before = self.count
            with self.lock:  # lock A1, unlock A3
                total = self.count + amount
                self.count = total  # write A2
            try:
                if amount < self.limit and total > 0:
                    report(amount, bonus)
            except ValueError:
                return False
            finally:
                self.close()
            return True
''')

EXPECTED = {
    "step.drop": "-            self.count = total  # write A2\n+            pass",
    "step.duplicate": "+            self.count = total",
    "step.swap": "+            self.count = total  # write A2",
    "flow.return": "+            return",
    "lock.drop": "-        with self.lock:  # lock A1, unlock A3\n+        if True:",
    "lock.fresh": "+        with type(self.lock)():  # lock A1, unlock A3",
    "lock.narrow": "-            self.count = total  # write A2\n"
    "+        self.count = total  # write A2",
    "lock.widen": "+            before = self.count",
    "exception.finally": "-            self.close()\n+            pass",
    "exception.raise": "-            return False\n+            raise",
    "exception.widen": "-        except ValueError:\n+        except BaseException:",
    "exception.narrow": "-        except ValueError:\n+        except ZeroDivisionError:",
    "comparison": "-            if amount < self.limit and total > 0:\n"
    "+            if amount <= self.limit and total > 0:",
    "operator": "-            total = self.count + amount\n"
    "+            total = self.count - amount",
    "condition.constant": "+            if False:",
    "condition.negate": "+            if not (amount < self.limit and total > 0):",
    "condition.part": "+            if ((total > 0)):",
    "argument.swap": "-                report(amount, bonus)\n"
    "+                report(bonus, amount)",
    "name": "-            total = self.count + amount\n+            total = self.limit + amount",
    "constant": "-        return True\n+        return False",
}


def hunks(changes: list[Change], operator: str) -> list[str]:
    return ["\n".join(change.hunk()) for change in changes if change.operator == operator]


@pytest.mark.parametrize("operator", EXPECTED)
def test_a_python_file_has_changes_of_every_kind(operator):
    changes = python_changes.changes(COUNTER, "impl/counter.py", "impl")
    assert any(EXPECTED[operator] in hunk for hunk in hunks(changes, operator)), hunks(
        changes, operator
    )


def test_no_change_touches_docstrings_slots_or_labels_alone():
    for change in python_changes.changes(COUNTER, "impl/counter.py", "impl"):
        assert change.after != COUNTER
        assert (
            '"""Add; False above the limit."""' in change.after
            and '__slots__ = ("lock", "count", "limit")' in change.after
        )


ALIASES = """\
Pairs = dict[int, tuple[str, str]]
_Steps = Callable[[int, str], bool]
FIRST = PAIRS[0]
first = PAIRS[1]
"""


def test_no_change_touches_an_alias_of_a_type_and_every_constant_has_one():
    changes = python_changes.changes(ALIASES, "impl/pairs.py", "impl")
    assert {change.line for change in changes} == {3, 4}


def test_texts_that_compile_alike_are_the_same_code():
    assert python_changes.same_code("x = 1  # one\n", "x = 1\n\n", "x.py")
    assert not python_changes.same_code("x = 1\n", "x = True\n", "x.py")


TWICE = """\
def f(a):
    if a > 1:
        return
    a.b()
    if a.c:
        return
    a.d()
"""


def test_equal_lines_of_one_function_have_changes_with_keys_of_their_own():
    changes = python_changes.changes(TWICE, "x.py", "impl")
    alike = [each for each in changes if each.hunk() == ["-        return", "+        pass"]]
    assert [each.line for each in alike] == [3, 6] and [each.nth for each in alike] == [0, 1]
    assert len({each.key for each in changes}) == len(changes)
    assert len({replace(each, nth=0).key for each in alike}) == 1


def test_the_changed_lines_are_those_between_the_first_and_the_last():
    change = replace(python_changes.changes(TWICE, "x.py", "impl")[0], before="a\nb\nc\nd\n")
    assert replace(change, after="a\nx\nc\ny\n").lines == (("b", "c", "d"), ("x", "c", "y"))
    assert replace(change, after="a\nb\nb\nc\nd\n").lines == ((), ("b",))
    assert replace(change, after="a\nd\n").lines == (("b", "c"), ())


@pytest.mark.parametrize("file", ["impl/cluster/broker.py", "impl/timing_wheel.py"])
def test_no_two_changes_of_a_file_have_one_key(file):
    changes = python_changes.changes((ROOT / file).read_text(encoding="utf-8"), file, "impl")
    assert len({each.key for each in changes}) == len(changes) > 50


def test_the_key_of_a_change_survives_edits_elsewhere_and_no_edit_of_its_function():
    text = "def f(a):\n    return a + 1\n\n\ndef g(a):\n    b = a\n    return b - 1\n"
    found = {
        change.place: change.key
        for change in python_changes.changes(text, "x.py", "impl")
        if change.operator == "operator"
    }
    elsewhere = {
        change.place: change.key
        for change in python_changes.changes(text.replace("a + 1", "a * 1"), "x.py", "impl")
        if change.operator == "operator"
    }
    inside = {
        change.place: change.key
        for change in python_changes.changes(text.replace("b = a", "b = +a"), "x.py", "impl")
        if change.operator == "operator" and "b - 1" not in change.after and "b + 1" in change.after
    }
    assert found["g"] == elsewhere["g"] and found["f"] != elsewhere["f"]
    assert inside and found["g"] not in inside.values()


MODULE = (ROOT / "examples/one_shot/spec/OneShot.tla").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "operator, hunk",
    [
        ("step.drop", "+O4:   skip;"),
        ("condition.constant", "+O3: if TRUE then"),
        ("condition.negate", "+O1: if ~(done) then return; end if;"),
        ("comparison", "+O2: await owner # NULL;"),
        ("operator", "+O4:   runs := runs - 1;"),
        ("constant", "+O4:   runs := runs + 2;"),
        ("flow.return", "+O5:   return;"),
        ("fairness", "+ process thread \\in Threads"),
    ],
)
def test_a_module_has_changes_of_every_kind(operator, hunk):
    changes = pluscal_changes.changes(MODULE, "spec/OneShot.tla")
    assert any(hunk in each for each in hunks(changes, operator)), hunks(changes, operator)


def test_a_goto_leads_to_the_next_label():
    module = (ROOT / "spec/TimerTaskList.tla").read_text(encoding="utf-8")
    changes = pluscal_changes.changes(module, "spec/TimerTaskList.tla")
    assert any(
        "+U3:  if list[ue] # ul then goto U11; end if;" in each
        for each in hunks(changes, "flow.goto")
    )


def test_the_translation_the_comments_and_the_declarations_of_a_module_are_left_alone():
    begin, end = MODULE.index("\\* BEGIN TRANSLATION"), MODULE.index("\\* END TRANSLATION")
    for change in pluscal_changes.changes(MODULE, "spec/OneShot.tla"):
        assert MODULE[begin:end] in change.after
        assert change.after.splitlines()[:3] == MODULE.splitlines()[:3]


JUNCTIONS = """---- MODULE M ----
Init == /\\ one = {}
        /\\ two = {} /\\ three = {}

Next == \\/ /\\ done
           /\\ IF one
              THEN two
              ELSE \\/ three
                   \\/ four
        \\/ five

Only == /\\ one
Long == one
  /\\ two
====
"""


def test_all_bullets_of_a_junction_list_are_changed_together():
    """A bullet alone makes no module, or the same one."""
    changes = [
        change.hunk()
        for change in pluscal_changes.changes(JUNCTIONS, "spec/M.tla")
        if change.operator == "operator"
    ]
    changed = [
        ["".join(line[1:].split()) for line in hunk if line.startswith("+")] for hunk in changes
    ]
    assert sorted(changed) == sorted(
        [
            ["Init==\\/one={}", "\\/two={}/\\three={}"],
            ["/\\two={}\\/three={}"],
            ["Next==/\\/\\done", "/\\five"],
            ["Next==\\/\\/done", "\\/IFone"],
            ["ELSE/\\three", "/\\four"],
            ["\\/two"],
        ]
    )


def test_an_assumption_is_no_part_of_the_machine():
    text = (
        "---- MODULE M ----\nCONSTANTS A\nASSUME Positive == A > 0\nASSUME A < 9\n\n"
        "Twice == A + A\n====\n"
    )
    assert {change.place for change in pluscal_changes.changes(text, "spec/M.tla")} == {"Twice"}


@pytest.mark.parametrize("folder", ["impl", "model", "harness"])
def test_nearly_every_change_of_the_project_itself_is_python(folder):
    for file in sorted((ROOT / folder).glob("*.py"))[:4]:
        changes = python_changes.changes(file.read_text(encoding="utf-8"), file.name, "impl")[::25]
        broken = [change for change in changes if not python_changes.parses(change)]
        assert len(broken) <= len(changes) // 10, [change.hunk() for change in broken]


def test_the_witnesses_of_a_model_are_changed_as_its_other_methods_are():
    file = ROOT / "model" / "atomic.py"
    found = python_changes.changes(file.read_text(encoding="utf-8"), "model/atomic.py", "model")
    changed = {change.place for change in found}
    assert {"Model.SeesHalf", "Model.Refused", "Model.LockExcludes"} <= changed
