"""The schema as data: its JSON file is the one that is made from it, and the label tables use its
kinds."""

from __future__ import annotations

import json

import pytest

from tests.wheelproof.trace.recorded import ROOT, mechanisms
from wheelproof.trace.format import schema


def test_the_json_schema_is_made_from_the_module():
    stored = json.loads((ROOT / "traces/trace-1.schema.json").read_text())
    assert stored == schema.json_schema(), (
        "write it anew: json.dumps(schema.json_schema(), indent=1)"
    )


def test_every_event_of_a_label_table_is_a_kind():
    used = {
        label.event for mechanism in mechanisms().values() for label in mechanism.labels.values()
    } - {""}
    assert used <= schema.KINDS.keys()
    assert {"list_add", "list_remove", "cancel_check", "force_cas", "dq_poll"} <= used


def test_what_a_kind_requires_are_columns():
    for kind, names in schema.REQUIRED_IDS.items():
        assert kind in schema.KINDS and set(names) <= set(schema.NAMES), kind


def test_the_format_page_names_every_kind_and_column():
    text = (ROOT / "docs/trace-format.md").read_text()
    missing = [
        name
        for name in (
            *schema.KINDS,
            *schema.NAMES,
            *schema.CAUSES,
            *(field.name for field in (*schema.HEADER, *schema.FOOTER)),
        )
        if f"`{name}`" not in text
    ]
    assert not missing


@pytest.mark.parametrize("name", ["tid", "tseq", "lc", "k", "phase"])
def test_the_columns_that_order_events_are_required(name):
    assert schema.COLUMN[name].required
