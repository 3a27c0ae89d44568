"""What rules need is measured, and a rule that is vacuous for want of a kind, a column or a part of
the header says so by name."""

import copy
from collections import Counter
from pathlib import Path

import needs_table
import purgatory
import pytest

from benchmarks.simulated_log import header
from tests.nights import only
from traces.bulk import FAMILIES, RULES
from wheelproof.pipeline import command, in_process, ingest, needs, validate
from wheelproof.pipeline.report import by_kind
from wheelproof.trace.format import parquet
from wheelproof.trace.format.schema import COLUMNS, KINDS, OBSERVED


def test_the_data_is_of_all_rules_and_names_kinds_and_columns():
    assert list(needs.load()) == list(RULES)
    columns = {column.name for column in COLUMNS} | {
        f"{part}.{field.name}" for part in ("pre", "post") for field in OBSERVED
    }
    for rule, found in needs.load().items():
        assert {
            *found.kinds,
            *found.one_of,
            *(kind for kinds, _ in found.columns for kind in kinds),
        } <= KINDS.keys(), rule
        assert {column for _, column in found.columns} <= columns, rule


@pytest.mark.parametrize(
    ("file", "head", "made"),
    [
        (needs_table.PAGE, needs_table.HEAD, needs_table.table),
        (needs_table.FORMAT, needs_table.HEAD_OF_KINDS, needs_table.table_of_kinds),
    ],
)
def test_the_pages_have_the_tables(file, head, made):
    page = file.read_text(encoding="utf-8")
    start, end = needs_table.written(page, head)
    assert page[start:end] == made(), "python tests/wheelproof/pipeline/needs_table.py --write"


def test_what_is_known_of_kafka_s_rules_is_in_the_data():
    found = needs.load()
    assert found["KeyBeforeDeadline"].kinds == ("bucket_expiry_set", "list_remove")
    assert {(("list_remove",), "cause"), (("list_remove",), "exp_ms")} <= set(
        found["KeyBeforeDeadline"].columns
    )
    assert (
        found["StepFollows"].parts == ("header.spec",)
        and "header.config" in found["KeyAligned"].parts
    )
    assert not found["ThreadOnce"].kinds and not found["ThreadOnce"].columns


@pytest.fixture(scope="module")
def events() -> list[dict]:
    return purgatory.Purgatory(2, 12).run()


@pytest.fixture
def lacking(events, tmp_path) -> Path:
    """A trace without a kind, a column and a part of the header."""
    left = needs_table.without(events, "exp_ms", frozenset(("list_remove",)))
    left = [event for event in copy.deepcopy(left) if event["k"] != "bucket_new"]
    head = header("x")
    del head["config"]
    parquet.write(tmp_path / "x.parquet", head, left)
    return tmp_path / "x.parquet"


MISSING = {
    "FreshList": ["no event bucket_new"],
    "SlotInRange": ["no header.config"],
    "KeyBeforeDeadline": ["no exp_ms on list_remove"],
}


def test_spark_finds_what_a_rule_lacks(spark, lacking, tmp_path):
    read = ingest.read(spark, [lacking], tmp_path / "_scratch")
    assert needs.missing(read.inputs.events, by_kind(read.counts), [*MISSING]) == MISSING


@pytest.mark.parametrize("engine", only(["memory", "spark"], "memory"))
def test_a_rule_that_lacks_a_kind_a_column_or_a_part_of_the_header_says_which(
    engine, request, lacking, tmp_path
):
    families = [family for family in FAMILIES if family.name in ("lists", "rows")]
    if engine == "spark":
        spark = request.getfixturevalue("spark")
        found = validate.check(spark, [lacking], tmp_path / "_scratch", families)
    else:
        found = in_process.check([lacking], families=families)
    missing = {name: rule.get("missing") for name, rule in found.rules.items()}
    assert missing | MISSING == missing
    assert found.rules["KeyBeforeDeadline"]["verdict"] == "vacuous"
    line = next(
        each for each in command._rules(found.document()) if each.startswith("KeyBeforeDeadline")
    )
    assert line.split()[1] == "vacuous" and line.endswith(": no exp_ms on list_remove")


def test_a_rule_that_lacks_nothing_says_so(report):
    assert not any("missing" in rule for rule in report.rules.values())


@pytest.mark.nightly
def test_the_data_is_what_is_measured():
    assert needs_table.data() == needs_table.DATA.read_text(encoding="utf-8"), (
        "python tests/wheelproof/pipeline/needs_table.py --write"
    )


def test_a_column_that_a_rule_does_not_need_is_not_taken_for_one(events):
    """The control of the measurement: an event's clock for people is needed by nothing, a column
    that one rule needs is needed by it."""
    counts = {
        "sound": {
            "": {"A": 5, "B": 4},
            "column t_ns x": {"A": 5, "B": 4},
            "column t_ns": {"A": 5, "B": 4},
            "column exp_ms x": {"A": 0, "B": 3},
            "column exp_ms": {"A": 0, "B": 3},
            "kind x": {"A": 0, "B": 4},
            "part header.config": {"A": 5},
        }
    }
    assert needs_table.derived(counts, ["A", "B"]) == {
        "A": {"kinds": ["x"], "one_of": [], "columns": [[["x"], "exp_ms"]], "parts": []},
        "B": {"kinds": [], "one_of": [], "columns": [], "parts": ["header.config"]},
    }
    counts["sound"] |= {
        "column ord x": {"A": 3},
        "column ord": {"A": 2},
        "must ord": {"A": 1},
        "never ord": {"A": 0},
        "column list x": {"A": 3},
        "column list": {"A": 2},
        "must list": {"A": 0},
        "never list": {"A": 0},
    }
    assert needs_table.derived(counts, ["A"])["A"]["columns"] == [[["x"], "exp_ms"], [["x"], "ord"]]
    assert Counter(event["k"] for event in needs_table.without(events, "exp_ms", None)) == Counter(
        event["k"] for event in events
    )
