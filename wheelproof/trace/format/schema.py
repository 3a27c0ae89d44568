"""``wheelproof.trace/1``: the columns of an event, its enumerations, the header and the footer, as
plain data.

A trace is one run of one implementation: a header, its events, a footer. An event is one step that
was really taken, written down while the exclusion of the step was held, so that its order
tokens are exact. Ids are positive, never reused in a run, and one counter serves all classes of
objects; in an observation 0 means "none", and an absent value means "not observed".

``docs/trace-format.md`` says the same for writers of traces in another language;
``trace-1.schema.json`` is made from this module by :func:`json_schema`. The project's part of it is
in its folder (``declared``).
"""

from __future__ import annotations

from wheelproof.trace import declared
from wheelproof.trace.format.fields import NONE, Field

_OWN = declared.find("schema")
"""The project's declarations; None where it declares nothing."""

__all__ = ["NONE", "Field"]

SCHEMA = "wheelproof.trace/1"
"""Name and major version. Another major is refused."""

MINOR = 3
"""Columns, header and footer fields may be added by a minor version: a reader passes over those
that it does not know. 1 added ``program``; 2 added the footer's ``tokens``, in the place of
``per_token_last_seq``, which is read still; 3 added ``hashes`` and ``faults``, and the project's
fields."""

KINDS = {
    **(_OWN.KINDS if _OWN else {}),
    # locks
    "lock_acquire": "a monitor was entered, from outside",
    "lock_release": "a monitor is about to be left for good",
    "lock_wait": "a monitor is another thread's, and this one waits for it; its owner is named by "
    "task, entry, list or op, and ord has what is held",
    "rw_acquire": "half of a read/write lock was taken; the token's mode says which",
    "rw_release": "half of a read/write lock is about to be given back",
    # control
    "thread_start": "the thread's first event",
    "thread_stop": "the thread's last event",
    "checkpoint": "everything that is observed here is the state of the objects, whatever came "
    "before",
    "drop": "events were lost here; count says how many",
}
"""Kind of event -> its meaning. Closed: a reader refuses a kind that it does not know."""

PHASES = ("atomic", "begin", "end")
"""One step; the first and the last of a bracket, whose two events bear the same ``span``."""

CAUSES: tuple[str, ...] = _OWN.CAUSES if _OWN else ()
"""Why a step was made: the project's."""

RESULTS = ("true", "false", "none", "raised")
"""The results of operations. Texts, so that the column has one type."""

TOKEN_KINDS = {
    "L": "a lock that excludes: seq counts, from 1 without a gap, the events recorded while it "
    "was held",
    "RW": "a read/write lock: seq is how many write holds were over; the readers of one number "
    "come before its writer",
    "V": "a volatile or atomic word: seq is its version, 0 at first; a write's is the one it "
    "makes, a read's the one it saw",
}

MODES = {"L": ("w",), "RW": ("r", "w"), "V": ("r", "w", "cas+", "cas-")}
"""Token kind -> how the event touched it. ``cas+`` writes, ``cas-`` failed and only reads."""

CLOCKS = ("monotonic", "virtual", "wall", "none")
CAPTURES = ("full", "sampled")


IDS: frozenset[str] = _OWN.IDS if _OWN else frozenset()
"""Columns whose values are ids; the header's names say which of the program's names each is."""

OBJECTS: tuple[str, ...] = _OWN.OBJECTS if _OWN else ()
"""Those of them that name an object: the subject of a violation."""

OBSERVED_IDS: frozenset[str] = _OWN.OBSERVED_IDS if _OWN else frozenset()
"""The same in ``pre`` and ``post``."""

MEASURES: tuple[str, ...] = _OWN.MEASURES if _OWN else ()
"""The values of a header's ``config`` that the rules in bulk read: integers, a column of each
run."""

NUMBERED: dict[str, str] = _OWN.NUMBERED if _OWN else {}
"""Column that repeats the number of a monitor's token -> the column of the monitor's object."""

EXACT: dict[str, tuple[str, ...]] = _OWN.EXACT if _OWN else {}
"""Kind -> columns that name an object whose monitor, or a word of which, must be among the exact
tokens of an event: without them its order is not known."""

TOKEN = (
    Field("kind", "enum", "what orders here", True, tuple(TOKEN_KINDS)),
    Field(
        "id",
        "text",
        "which one: class:id, and for a word .field, as in list:7 or entry:17.list",
        True,
    ),
    Field("seq", "int64", "its number; of an interval the least that is possible", True),
    Field("mode", "enum", "how it was touched", True, ("r", "w", "cas+", "cas-")),
    Field("upto", "int64", "of an interval the greatest that is possible; absent: seq is exact"),
)
"""One order token. In JSON Lines it is an array of these in order, four of them when it is
exact."""

OBSERVED: tuple[Field, ...] = _OWN.OBSERVED if _OWN else ()
"""The values that were read inside the critical section: before the step (``pre``) and after it
(``post``)."""

COLUMNS = (
    Field("tid", "int32", "the thread", True),
    Field("tseq", "int64", "the event's number in its thread, from 1 without a gap", True),
    Field(
        "lc",
        "int64",
        "Lamport clock: greater than that of all earlier events of this thread and of each token",
        True,
    ),
    Field("k", "enum", "the kind of event", True, tuple(KINDS)),
    Field("phase", "enum", "one step, or an end of a bracket", True, PHASES),
    Field("span", "int64", "the bracket that this event opens or closes"),
    Field("parent", "int64", "the innermost open bracket of the thread"),
    *(_OWN.COLUMNS if _OWN else ()),
    Field("count", "int64", "of drop: how many events were lost"),
    Field("ord", "token", "order tokens: every lock that is held, every word that is touched"),
    *(_OWN.SEQUENCES if _OWN else ()),
    Field("pre", "observed", "what was read before the step, inside the critical section"),
    Field("post", "observed", "what was read after the step, inside the critical section"),
    Field("cause", "enum", "why the step was made", values=CAUSES),
    Field("res", "enum", "what the step returned", values=RESULTS),
    Field("t_ns", "int64", "some clock, for people; never used for order", unit="ns"),
    Field("src", "int32", "index into the header's sources"),
)
"""The columns of an event, in the order in which they are written."""

HEADER = (
    Field("schema", "text", "wheelproof.trace/1", True),
    Field("schema_minor", "int32", "the minor version", True),
    Field("run_id", "text", "names the run; no two runs in a folder share it", True),
    Field("producer", "object", "name, git, lang, build: texts", True),
    Field(
        "spec",
        "object",
        "module, git, sha256: texts; the specification that the producer has in mind",
    ),
    Field("variant", "text", "which variant of the mechanism ran, as TryPending"),
    Field("config", "object", _OWN.CONFIG if _OWN else "the project's measures: integers"),
    Field(
        "clock",
        "object",
        f"kind: one of {', '.join(CLOCKS)}; virtual: whether time is the test's",
        True,
    ),
    Field("threads", "map", "thread id as a text -> its name", True),
    Field(
        "capture",
        "object",
        f"mode: one of {', '.join(CAPTURES)}; kinds: the kinds recorded, absent: all; before: "
        "the kinds that are numbered before their effect can be seen; keys and rate of a sample",
        True,
    ),
    Field(
        "sources",
        "object",
        "array of places in the code, 'path:line label'; src is an index into it",
    ),
    Field("names", "map", "id as a text -> a name; with a program, the name that it has there"),
    Field(
        "program",
        "object",
        "the operations of the threads, from which the model of spec.module is made: threads "
        "(name -> its operations "
        "[name, argument, ...]), and the other fields of the mechanism's scenarios; names in it "
        "are those of names",
    ),
    Field("initial", "object", _OWN.INITIAL if _OWN else "what was there before the first event"),
    Field("hashes", "map", "file name of the recorder and of each recorded program -> its SHA-256"),
    Field(
        "faults",
        "object",
        "array of texts: what was done to the run on purpose; absent: nothing",
    ),
)
"""The first line of JSON Lines; the metadata ``wheelproof.trace.header`` of a Parquet file."""

FOOTER = (
    Field("events", "int64", "how many events were written", True),
    Field("per_thread_last_tseq", "map", "thread id as a text -> its last tseq", True),
    Field(
        "tokens",
        "object",
        "class of exact tokens, as 'L list' -> count, max, sum: how many tokens of the class all "
        "events bear, their greatest seq, and "
        "the sum of their seq modulo 2^32; required unless per_token_last_seq is there",
    ),
    Field(
        "per_token_last_seq",
        "map",
        "before minor 2: 'kind id' of each exact token, as 'L list:7' -> its last seq",
    ),
    Field("dropped", "int64", "how many events are known to be lost; 0 in a whole trace", True),
    Field("cut", "map", "'kind id' -> last seq that is evidence; absent: the whole trace is"),
    Field(
        "sha256",
        "text",
        "of the canonical lines of header and events, each with its newline; absent: not computed",
    ),
)
"""The last line of JSON Lines, as ``{"footer": {...}}``; the metadata ``wheelproof.trace.footer``
of Parquet. Absent: incomplete."""

COLUMN = {column.name: column for column in COLUMNS}
NAMES = tuple(COLUMN)

REQUIRED_IDS = {
    **(_OWN.REQUIRED if _OWN else {}),
    "drop": ("count",),
    **dict.fromkeys(("lock_acquire", "lock_release", "rw_acquire", "rw_release"), ("ord",)),
}
"""Kind -> columns without which an event of it says nothing. A line that lacks one is malformed."""


_JSON: dict[str, dict[str, object]] = {
    "int32": {"type": "integer", "minimum": -(1 << 31), "maximum": (1 << 31) - 1},
    "int64": {"type": "integer", "minimum": -(1 << 63), "maximum": (1 << 63) - 1},
    "text": {"type": "string"},
    "bool": {"type": "boolean"},
    "object": {"type": ["object", "array"]},
    "map": {"type": "object", "additionalProperties": {"type": ["integer", "string"]}},
}


def _schema_of_field(field: Field) -> dict[str, object]:
    if field.type == "enum":
        kind: dict[str, object] = {"enum": list(field.values)}
    elif field.type == "token":
        kind = {"type": "array", "items": {"$ref": "#/$defs/token"}}
    elif field.type == "observed":
        kind = {"$ref": "#/$defs/observed"}
    else:
        kind = {**_JSON[field.type]}
    return kind | {"description": f"{field.says} [{field.unit}]" if field.unit else field.says}


def _object(fields: tuple[Field, ...], **properties: object) -> dict[str, object]:
    """``properties``: others than the fields say."""
    return {
        "type": "object",
        "properties": {field.name: _schema_of_field(field) for field in fields} | properties,
        "required": [field.name for field in fields if field.required],
    }


def json_schema() -> dict[str, object]:
    """The JSON Schema of one line of a trace in JSON Lines: header, event or footer."""
    items = [_schema_of_field(field) for field in TOKEN]
    token = {
        "type": "array",
        "prefixItems": items,
        "minItems": len(items) - 1,
        "maxItems": len(items),
    }
    header = _object(HEADER, schema={"const": SCHEMA})
    footer = {"type": "object", "properties": {"footer": _object(FOOTER)}, "required": ["footer"]}
    event = _object(COLUMNS)
    event["allOf"] = [
        {"if": {"properties": {"k": {"const": kind}}}, "then": {"required": list(names)}}
        for kind, names in sorted(REQUIRED_IDS.items())
    ]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "trace-1.schema.json",
        "title": f"One line of {SCHEMA}, minor {MINOR}",
        "$comment": "Made from wheelproof/trace/format/schema.py. First line: header; last line: "
        "footer; all others: events.",
        "anyOf": [
            {"$ref": "#/$defs/header"},
            {"$ref": "#/$defs/event"},
            {"$ref": "#/$defs/footer"},
        ],
        "$defs": {
            "header": header,
            "event": event,
            "footer": footer,
            "token": token,
            "observed": _object(OBSERVED),
        },
    }
