"""Hypothesis strategies for traces: well-formed events with any columns, whatever they mean."""

from __future__ import annotations

from hypothesis import strategies as st

from wheelproof.trace.format import schema
from wheelproof.trace.format.parts import event_of

INT64, ID = st.integers(-(1 << 63), (1 << 63) - 1), st.integers(1, (1 << 63) - 1)
TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)


def _token():
    def modes(kind):
        return st.tuples(
            st.just(kind),
            TEXT,
            st.integers(1 if kind == "L" else 0, 1 << 40),
            st.sampled_from(schema.MODES[kind]),
            st.none() | st.integers(0, 1 << 20),
        )

    return (
        st.sampled_from(tuple(schema.TOKEN_KINDS))
        .flatmap(modes)
        .map(lambda token: token[:4] if token[4] is None else (*token[:4], token[2] + token[4]))
    )


OBSERVED = st.fixed_dictionaries(
    {},
    optional={
        field.name: st.booleans() if field.type == "bool" else INT64 for field in schema.OBSERVED
    },
)


def _column(field: schema.Field):
    if field.type == "enum":
        return st.sampled_from(field.values)
    if field.type == "token":
        return st.lists(_token(), max_size=4)
    if field.type == "observed":
        return OBSERVED
    if field.name in schema.IDS | {"span", "tseq", "lc"}:
        return ID
    return st.integers(-(1 << 31), (1 << 31) - 1) if field.type == "int32" else INT64


@st.composite
def events(draw):
    """An event as a reader gives it."""
    kind = draw(st.sampled_from(tuple(schema.KINDS)))
    required = {field.name for field in schema.COLUMNS if field.required} | set(
        schema.REQUIRED_IDS.get(kind, ())
    )
    strategies = {field.name: _column(field) for field in schema.COLUMNS}
    value = draw(
        st.fixed_dictionaries(
            {name: strategies[name] for name in strategies if name in required},
            optional={name: strategies[name] for name in strategies if name not in required},
        )
    )
    return event_of(value | {"k": kind}, "drawn", 1)


HEADERS = st.fixed_dictionaries(
    {
        "schema": st.just(schema.SCHEMA),
        "schema_minor": st.just(0),
        "run_id": TEXT,
        "producer": st.dictionaries(TEXT, TEXT, max_size=2),
        "clock": st.just({"kind": "virtual", "virtual": True}),
        "threads": st.dictionaries(st.integers(0, 99).map(str), TEXT, max_size=3),
        "capture": st.just({"mode": "full"}),
    },
    optional={
        "variant": TEXT,
        "config": st.dictionaries(TEXT, INT64, max_size=2),
        "sources": st.lists(TEXT, max_size=3),
        "initial": st.just({"lists": {"1": [2, 3]}, "tasks": {}}),
    },
)
