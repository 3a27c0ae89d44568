"""The short forms of a TOML, and how each wrong one is rejected."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from wheelproof.errors import UsageError
from wheelproof.project import compact, find, read

CONFIG = "[configs.two_adders]"


def test_a_program_is_a_text():
    assert compact.program("here", "add l1 e1; tick * 3;offer -5") == [
        ["add", "l1", "e1"],
        ["tick"],
        ["tick"],
        ["tick"],
        ["offer", -5],
    ]


def test_the_fields_of_every_scenario_come_last():
    tables = {
        "one": {"threads": {"a": "go"}},
        "two": {"like": "one", "size": 2},
        "three": {"size": 3, "threads": {"a": [["stop"]]}},
    }
    groups = {
        "large": {"size": 9, "scenarios": {"four": ["goes twice", {"a": "go; go"}]}},
        "plain": {"scenarios": {"five": ["stops", {"a": "stop"}]}},
    }
    assert compact.scenarios(tables, {"size": 1}, groups) == {
        "one": {"size": 1, "threads": {"a": [["go"]]}},
        "two": {"size": 2, "threads": {"a": [["go"]]}},
        "three": {"size": 3, "threads": {"a": [["stop"]]}},
        "four": {"size": 9, "about": "goes twice", "threads": {"a": [["go"], ["go"]]}},
        "five": {"size": 1, "about": "stops", "threads": {"a": [["stop"]]}},
    }


def test_labels_and_properties_are_listed_by_kind():
    assert compact.labels({"read": ["A1", "A2"], "X1": {"kind": "write", "event": "add"}}) == {
        "A1": {"kind": "read"},
        "A2": {"kind": "read"},
        "X1": {"kind": "write", "event": "add"},
    }
    table = {"invariant": {"Safe": "nothing bad", "Not": {"holds": False, "says": "all is well"}}}
    assert compact.properties(table, ("invariant",)) == {
        "Safe": {"kind": "invariant", "says": "nothing bad"},
        "Not": {"kind": "invariant", "holds": False, "says": "all is well"},
    }


def test_a_group_has_one_row_for_each_config():
    groups = {
        "ends": {
            "property": "Termination",
            "columns": ["scenario", "without"],
            "fast": {"two": "both end", "three": {"about": "all end", "fair": ["a"]}},
            "nightly": {"mutant": ["two", "M1"]},
        },
        "other": {"like": "ends", "prefix": "", "columns": ["without"], "fast": {"four": ["M2"]}},
    }
    shared = {"property": "Termination"}
    fast, nightly = {**shared, "profile": "fast"}, {**shared, "profile": "nightly"}
    assert {
        name: fields for _, name, fields in compact.rows_of_groups(groups, ("fast", "nightly"))
    } == {
        "ends_two": {**fast, "scenario": "two", "about": "both end"},
        "ends_three": {**fast, "scenario": "three", "about": "all end", "fair": ["a"]},
        "ends_mutant": {**nightly, "scenario": "two", "without": "M1"},
        "four": {**fast, "scenario": "four", "without": "M2"},
    }


@pytest.mark.parametrize(
    ("added", "message"),
    [
        (
            '[scenarios.x.threads]\na = "add; ; go"',
            "[scenarios.x.threads.a]: there is an operation",
        ),
        ('[scenarios.x.threads]\na = "go * 0"', "'go * 0' is not repeated a number of times"),
        ('[scenarios.x.threads]\na = "go * b"', "'go * b' is not repeated a number of times"),
        ('[scenarios.x]\nlike = "none"', "[scenarios.x]: there is no scenario 'none' with fields"),
        ("[scenario_groups.x]\nlists = []", "[scenario_groups.x]: needs a table scenarios"),
        (
            '[scenario_groups.x.scenarios]\ny = ["a text"]',
            "[scenario_groups.x.scenarios.y]: is no pair of a text and threads",
        ),
        (
            '[scenario_groups.x.scenarios]\ntwo_adders = ["again", { a = "remove e1" }]',
            "[scenario_groups.x]: there is another scenario two_adders",
        ),
        ("[groups]\nx = 1", "[groups.x]: must be a table"),
        ("[groups.x]\nprefix = 1", "[groups.x]: prefix is no text"),
        ("[groups.x]\ncolumns = 1", "[groups.x]: columns is no list of fields"),
        ('[groups.x]\nlike = "none"', "[groups.x]: there is no group 'none' with fields"),
        ("[groups.x]\nfast = 1", "[groups.x.fast]: must be a table, with one row for each config"),
        ("[groups.x.fast]\ny = 1", "[groups.x.fast.y]: is neither a text nor a table of fields"),
        ('[groups.x.fast]\ny = ["two_adders"]', "[groups.x.fast.y]: is neither a text nor"),
        (
            '[groups.x]\ncolumns = ["scenario", "without"]\nfast = { y = ["two_adders"] }',
            "[groups.x.fast.y]: has not one value for each column",
        ),
        (
            '[groups.x]\nprefix = ""\nfast = { two_adders = "again" }',
            "[configs.two_adders]: there is another config two_adders",
        ),
    ],
)
def test_a_wrong_form_is_rejected_with_its_table(small, added, message):
    text = small.toml.read_text(encoding="utf-8")
    after = text.index(CONFIG) if added.startswith("[scen") else len(text)
    small.toml.write_text(f"{text[:after]}\n{added}\n\n{text[after:]}", encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        read(small.toml)
    assert message in str(caught.value) and str(small.toml) in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('silent = ["T0"', 'silent = ["U1", "T0"', "[labels]: U1 is there twice"),
        ('silent = ["T0"', 'silent = ["T0", "T0"', "[labels]: T0 is there twice"),
        ('update = ["A9", "U9", "K2"]', 'update = "A9"', "[labels]: update is no list of labels"),
        ('update = ["A9", "U9", "K2"]', 'updat = ["A9", "U9", "K2"]', "kind is 'updat'"),
        ("[properties.liveness]", "[properties.lifeness]", "kind is 'lifeness'"),
        (
            "[properties.liveness]",
            '[properties.liveness]\nTypeOK = "again"',
            "[properties.liveness]: TypeOK is there twice",
        ),
        (
            "[properties.liveness]",
            "[properties.liveness]\nEnds = 1",
            "[properties.liveness.Ends]: is neither a text nor a table of fields",
        ),
        (
            "[properties.liveness]",
            "[properties]\nrace = 1\n[properties.liveness]",
            "is no table of",
        ),
    ],
)
def test_a_wrong_label_or_property_is_rejected_with_its_table(small, old, new, message):
    small.change(small.toml, old, new)
    with pytest.raises(UsageError) as caught:
        read(small.toml)
    assert message in str(caught.value) and str(small.toml) in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('owner_read = ["R1"]', 'owner_read = "R1"', "[timer_task_list.owner_read]: is no list"),
        ('owner_read = ["R1"]', 'owner_read = ["R9"]', "there is no label R9"),
        ('owner_read = ["R1"]', 'owner_read = ["K1"]', "K1 has the event"),
        ("[timer_task_list]", "[timer_task_list", "not valid TOML"),
    ],
)
def test_a_wrong_event_is_rejected_with_its_file(small, old, new, message):
    file = small.root / "traces/events.toml"
    small.change(file, old, new)
    with pytest.raises(UsageError) as caught:
        read(small.toml)
    assert message in str(caught.value) and str(file) in str(caught.value)


def test_without_a_file_of_events_no_step_has_one(small):
    assert read(small.toml).labels["R1"].event == "owner_read"
    (small.root / "traces/events.toml").unlink()
    assert read(small.toml).labels["R1"].event == ""


def test_every_table_of_events_is_that_of_a_mechanism():
    root = Path(__file__).resolve().parents[3]
    tables = tomllib.loads((root / "traces/events.toml").read_text(encoding="utf-8"))
    assert tables.keys() <= find(root).keys()
