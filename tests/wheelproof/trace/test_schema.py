"""The schema as data: its JSON file is the one that is made from it, and the label tables use its
kinds."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import NotRequired, get_origin, get_type_hints

import pytest

from tests.wheelproof.trace.recorded import ROOT, mechanisms
from traces import header as traces_header
from traces import schema as subject
from traces.events import Event, Observed
from traces.initial import Initial
from wheelproof.trace.format import heads, schema
from wheelproof.trace.format.event import Event as ToolEvent
from wheelproof.trace.format.event import Tokens
from wheelproof.trace.format.fields import Field
from wheelproof.trace.steps import format as steps


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


TYPES = {
    "int32": "int",
    "int64": "int",
    "text": "str",
    "bool": "bool",
    "enum": "str",
    "token": "Tokens",
    "observed": "Observed",
}
"""Type of a field -> its type in Python."""


def declared(fields: tuple[Field, ...]) -> dict[str, tuple[str, bool]]:
    return {field.name: (TYPES[field.type], field.required) for field in fields}


def typed(event: type) -> dict[str, tuple[str, bool]]:
    """Column -> (type, required), of the class that type checkers see."""
    names = {str(value): name for name, value in {"Tokens": Tokens, "Observed": Observed}.items()}
    return {
        name: (names.get(str(kind)) or kind.__name__, name in event.__required_keys__)
        for name, kind in get_type_hints(event).items()
    }


def test_the_type_of_an_event_is_that_of_the_columns():
    assert typed(Event) == declared(schema.COLUMNS)
    assert typed(Observed) == declared(schema.OBSERVED)
    own = {column.name for column in (*subject.COLUMNS, *subject.SEQUENCES)}
    kept = {name: found for name, found in typed(ToolEvent).items() if name not in ("pre", "post")}
    assert kept == {
        name: found
        for name, found in declared(schema.COLUMNS).items()
        if name not in own | {"pre", "post"}
    }


@pytest.mark.parametrize(
    "change", [{"values": (), "type": "text"}, {"name": "entri"}, {"required": True}]
)
def test_a_column_of_another_type_is_noticed(change):
    changed = tuple(
        replace(field, **change) if field.name == "entry" else field for field in schema.COLUMNS
    )
    assert typed(Event) != declared(changed)


def named(fields: tuple[Field, ...]) -> dict[str, bool]:
    return {field.name: field.required for field in fields}


def test_the_types_of_a_header_and_a_footer_have_their_fields():
    """A run of which no header can be read has an empty one: no field of the type is required."""
    assert heads.Header.__annotations__.keys() == named(schema.HEADER).keys()
    footer = {name: name in heads.Footer.__required_keys__ for name in get_type_hints(heads.Footer)}
    assert footer == named(schema.FOOTER)


def test_the_type_of_an_initial_state_has_the_fields_that_a_header_is_checked_for():
    assert get_type_hints(Initial).keys() == traces_header._INITIAL.keys()


@pytest.mark.parametrize("left", ["tokens", "events"])
def test_a_field_that_a_type_lacks_is_noticed(left):
    fields = tuple(field for field in schema.FOOTER if field.name != left)
    assert get_type_hints(heads.Footer).keys() != named(fields).keys()


def test_the_type_of_a_step_is_that_of_its_kinds():
    fields = {name for needed in steps.KINDS.values() for name in needed}
    assert fields <= get_type_hints(steps.Event).keys()
    hints = get_type_hints(steps.Event, include_extras=True)
    assert {name for name, kind in hints.items() if get_origin(kind) is not NotRequired} == {
        "k",
        "seq",
    }
