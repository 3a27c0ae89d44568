"""The changes of bindings of compiled classes, and the checks that judge them."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.found import mechanisms
from wheelproof.jvm.tasks import tasks
from wheelproof.mutate import binding_changes
from wheelproof.mutate.plan import Plan, sources

ROOT = Path(__file__).parents[3]
TEXT = """mechanism = "stack"
names = ["one", "two"]
redirect = [
    { in = "A", field = "b/C.d", by = "e/F.g" },
]

[labels]
L1 = ["Stack.push:CALL lock#0"]  # the lock
L2 = ["Stack.push:PUTFIELD top#0", "Stack.push:PUTFIELD top#1"]

[unlabelled]
"Stack.size:*" = "nothing calls it"

[changes.no-lock]
about = "no lock"
scenarios = ["two"]
"""


def test_entries_sites_and_values_are_changed_and_reasons_are_not():
    found = binding_changes.changes(TEXT, "jvm/stack.toml", "jvm")
    assert [(each.line, each.operator, each.hunk()[-1]) for each in found] == [
        (1, "table.drop", '-mechanism = "stack"'),
        (2, "table.drop", '-names = ["one", "two"]'),
        (2, "table.drop", '+names = ["two"]'),
        (2, "table.drop", '+names = ["one"]'),
        (8, "constant", '+L1 = ["Stack.push:CALL lock#1"]  # the lock'),
        (8, "name", '+L2 = ["Stack.push:CALL lock#0"]  # the lock'),
        (8, "table.drop", '-L1 = ["Stack.push:CALL lock#0"]  # the lock'),
        (9, "constant", '+L2 = ["Stack.push:PUTFIELD top#1", "Stack.push:PUTFIELD top#1"]'),
        (9, "constant", '+L2 = ["Stack.push:PUTFIELD top#0", "Stack.push:PUTFIELD top#2"]'),
        (9, "table.drop", '-L2 = ["Stack.push:PUTFIELD top#0", "Stack.push:PUTFIELD top#1"]'),
        (9, "table.drop", '+L2 = ["Stack.push:PUTFIELD top#1"]'),
        (9, "table.drop", '+L2 = ["Stack.push:PUTFIELD top#0"]'),
        (12, "table.drop", '-"Stack.size:*" = "nothing calls it"'),
        (16, "table.drop", '-scenarios = ["two"]'),
    ]
    before = tomllib.loads(TEXT)
    assert all(tomllib.loads(each.after) != before for each in found)
    assert len({each.key for each in found}) == len(found)


def test_the_controls_of_every_binding_can_be_planted():
    files = sources(ROOT, "jvm")
    assert len(files) > 10 and all(file.name != "releases.toml" for file in files)
    without = []
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert binding_changes.changes(text, file.name, "jvm"), file
        fault, harmless = binding_changes.plant(text, file.name, "jvm")
        assert tomllib.loads(harmless.after) == tomllib.loads(text) and harmless.after != text
        if fault is None:
            without.append(file.name)
            continue
        labels = tomllib.loads(text)["labels"], tomllib.loads(fault.after)["labels"]
        assert [key for key in labels[0] if labels[0][key] != labels[1][key]] == [
            next(iter(labels[0]))
        ]
    assert without == []


@pytest.mark.nightly
def test_a_binding_is_checked_by_its_own_rows_and_by_those_of_bindings_that_are_like_it():
    found = mechanisms()
    plan = Plan(ROOT, found)

    def checked_by(name):
        return {
            tasks(found[check.mechanism])[row].binding.name
            for check in plan.checks("jvm", f"jvm/{name}.toml")
            if check.job is not None
            for row in check.job.names
        }

    assert checked_by("purgatory") == {"purgatory", "purgatory_4_1"}
    assert checked_by("purgatory_4_1") == {"purgatory_4_1"}
    assert checked_by("system_timer_java") == {
        "system_timer_java",
        "system_timer_composed",
        "system_timer_fixed",
    }
