"""``wheelproof.trace/1``: the columns of an event, its enumerations, the header and the footer, as plain data.

A trace is one run of one implementation: a header, its events, a footer. An event is one step that was really taken, written down while
whatever made the step exclusive was held, so that its order tokens are exact. Ids are positive, never reused in a run, and one
counter serves all classes of objects; in an observation 0 means "none", and an absent value means "not observed".

``docs/trace-format.md`` says the same for those who write traces in another language; ``trace-1.schema.json`` is made from this
module by :func:`json_schema`. Nothing is imported here but the standard library.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

SCHEMA = "wheelproof.trace/1"
"""Name and major version. Another major is refused."""

MINOR = 2
"""Columns, header and footer fields may be added by a minor version: a reader passes over those that it does not know. 1 added ``program``; 2 added
the footer's ``tokens``, in the place of ``per_token_last_seq``, which is read still."""

NONE = 0
"""In an observation: no list, no entry. Same type as an id, so that no comparison ever meets two types."""

NOT_QUEUED = -1
"""As ``key_ms``: the bucket is in no queue."""

KINDS = {
    # timer: entries and lists
    "entry_new": "an entry was made for a task; exp_ms is its deadline",
    "set_entry": "the task's live entry became this one; pre.entry is the one before it",
    "add_request": "a task was handed to the timer; now_ms is the clock that was read, delay_ms its delay",
    "list_add": "the entry was linked into the list; post.list, post.counter",
    "list_remove": "the entry was unlinked from the list; cause, pre.list, post.counter",
    "list_add_retry": "the entry was in a list by then: the adder tries again",
    "owner_read": "the word that says which list has the entry was read; pre.list is what was seen",
    "cancel_check": "the word that says which entry is the task's was read; res is true for a cancelled entry",
    "cancel": "the task's live entry became none; pre.entry is the one before it, pre.list the list that it named when it was read last",
    "reinsert": "a flush handed the entry back to the wheel",
    "expire_submit": "the entry's task was handed to the executor; cause shutdown: because the timer was emptied, due or not; res raised: the executor refused it",
    "task_run": "the task ran; entry is the one that was handed over",
    # timer: wheel, clock, queue
    "wheel_new": "a level was made; level, wheel_ms, and pre.key_ms is its tick",
    "overflow_create": "a level above was published; level is its number",
    "wheel_place": "the wheel chose a bucket; level, bucket, vid, exp_ms, wheel_ms",
    "wheel_reject": "the wheel did not take the entry: cancelled or due; cause",
    "bucket_new": "a bucket was made; list is its id; level, bucket",
    "bucket_expiry_set": "a bucket's key became key_ms; pre.key_ms is the key before; res is whether it changed",
    "dq_offer": "a bucket was put into the delay queue; key_ms",
    "dq_poll": "a bucket was taken from the delay queue; key_ms; list absent: none was due",
    "dq_ready": "a bucket's key was reached; key_ms",
    "clock_advance": "the wheel's clock became wheel_ms",
    "flush_begin": "the walk over a list began, its monitor held",
    "flush_end": "the walk over a list ended, before its monitor was let go",
    # operations
    "op_new": "a delayed operation was made; delay_ms",
    "watch_add": "the operation was put into the watchers of a key",
    "watch_cancel": "the operation was taken out of the watchers of a key; it may be so twice",
    "try_begin": "an attempt; res is whether it comes to tryComplete: it does not where the lock was not got, or the operation was found completed",
    "try_end": "tryComplete was evaluated; res is its value",
    "try_watch_begin": "tryCompleteElseWatch began",
    "try_watch_end": "tryCompleteElseWatch ended; res",
    "check_begin": "checkAndComplete began and took the watchers; key, and in ord the lock that watch_add holds too",
    "check_end": "checkAndComplete ended; key",
    "cancel_key_begin": "cancelForKey began; key",
    "cancel_key_end": "cancelForKey ended; key",
    "pending_set": "the note that an attempt is due was cleared or set; post.pending",
    "pending_getset": "the note that an attempt is due was exchanged; pre.pending, post.pending",
    "force_cas": "completed was set, if nobody had; res is whether this thread did; cause",
    "on_complete_begin": "onComplete began",
    "on_complete_end": "onComplete ended",
    "on_expire": "onExpiration ran",
    "purge": "completed operations were taken out of the watchers",
    # locks
    "lock_acquire": "a monitor was entered, from outside",
    "lock_release": "a monitor is about to be left for good",
    "lock_wait": "a monitor is another thread's, and this one waits for it; its owner is named by task, entry, list or op, and ord has what is held",
    "rw_acquire": "half of a read/write lock was taken; the token's mode says which",
    "rw_release": "half of a read/write lock is about to be given back",
    # control
    "thread_start": "the thread's first event",
    "thread_stop": "the thread's last event",
    "checkpoint": "everything that is observed here is the state of the objects, whatever came before",
    "drop": "events were lost here; count says how many",
}
"""Kind of event -> what took place. Closed: a reader refuses a kind that it does not know."""

PHASES = ("atomic", "begin", "end")
"""One step; the first and the last of a bracket, whose two events bear the same ``span``."""

CAUSES = ("expiry", "cancel", "readd", "flush", "event", "forced", "due", "shutdown")
"""Why: of list_remove cancel, readd (the task or the entry is added anew), flush; of force_cas expiry, event, forced; of wheel_reject
cancel, due; of expire_submit shutdown, where a timer is emptied and nobody asks whether the entry is cancelled or due."""

RESULTS = ("true", "false", "none", "raised")
"""What was returned. Texts, so that the column has one type."""

TOKEN_KINDS = {
    "L": "a lock that excludes: seq counts, from 1 without a gap, the events recorded while it was held",
    "RW": "a read/write lock: seq is how many write holds were over; the readers of one number come before its writer",
    "V": "a volatile or atomic word: seq is its version, 0 at first; a write's is the one it makes, a read's the one it saw",
}

MODES = {"L": ("w",), "RW": ("r", "w"), "V": ("r", "w", "cas+", "cas-")}
"""Token kind -> how the event touched it. ``cas+`` writes, ``cas-`` failed and only reads."""

CLOCKS = ("monotonic", "virtual", "wall", "none")
CAPTURES = ("full", "sampled")


@dataclass(frozen=True)
class Field:
    """One column or field. ``type``: int32, int64, text, bool, enum, token, observed, map or object. ``values``: of an enum."""

    name: str
    type: str
    says: str
    required: bool = False
    values: tuple[str, ...] = ()
    unit: str = ""


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
"""One order token. In JSON Lines it is an array of these in order, four of them when it is exact."""

OBSERVED = (
    Field("list", "int64", "the list that the entry names; 0: none"),
    Field("entry", "int64", "the entry that the task names; 0: none"),
    Field("counter", "int64", "the timer's count of linked entries"),
    Field("key_ms", "int64", "the bucket's key; -1: not queued", unit="ms"),
    Field("completed", "bool", "the operation is completed"),
    Field("pending", "bool", "an attempt on the operation is due"),
)
"""What was read inside the critical section: before the step (``pre``) and after it (``post``)."""

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
    Field("task", "int64", "the task"),
    Field("entry", "int64", "the entry"),
    Field("list", "int64", "the list, or the bucket"),
    Field("op", "int64", "the delayed operation"),
    Field("key", "int64", "the key that is watched"),
    Field("level", "int32", "level of the wheel, from 1; absent: 1"),
    Field("bucket", "int32", "slot in its level, from 0"),
    Field("vid", "int64", "exp_ms // tick of the level; bucket is vid % wheel_size"),
    Field("exp_ms", "int64", "the entry's deadline", unit="ms"),
    Field("delay_ms", "int64", "the delay that was asked for", unit="ms"),
    Field("now_ms", "int64", "the clock that was read in this step", unit="ms"),
    Field("wheel_ms", "int64", "the clock of the level, or of the lowest one", unit="ms"),
    Field("key_ms", "int64", "the bucket's key after the step; -1: not queued", unit="ms"),
    Field("count", "int64", "of drop: how many events were lost"),
    Field("ord", "token", "order tokens: every lock that is held, every word that is touched"),
    Field("eseq", "int64", "seq of the exact L token of the entry's monitor, for window scans"),
    Field("lseq", "int64", "seq of the exact L token of the list's monitor"),
    Field("oseq", "int64", "seq of the exact L token of the operation's lock"),
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
    Field("config", "object", "tick_ms, wheel_size, start_ms, levels: integers"),
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
        f"mode: one of {', '.join(CAPTURES)}; kinds: the kinds recorded, absent: all; keys and rate of a sample",
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
        "what was asked of the threads, from which the model of spec.module is made: threads (name -> its operations "
        "[name, argument, ...]), and the other fields of the mechanism's scenarios; names in it are those of names",
    ),
    Field(
        "initial",
        "object",
        "what was there before the first event: lists (id -> entries, head first), tasks (id -> entry or 0), counters (id as in ord, such as counter:1 -> value), "
        "keys (id of a bucket -> key_ms), queued (id of a bucket -> key_ms), wheel_ms, "
        "operations (id -> protocol, completed, pending, task, and how far it has come), watchers (id of a key -> operations), handed (entries that the executor has taken and not run), "
        "holders (id of a lock -> thread), walks (thread -> open [[span, list]], hand, checked, inside, duty)",
    ),
)
"""The first line of JSON Lines; the metadata ``wheelproof.trace.header`` of a Parquet file."""

FOOTER = (
    Field("events", "int64", "how many events were written", True),
    Field("per_thread_last_tseq", "map", "thread id as a text -> its last tseq", True),
    Field(
        "tokens",
        "object",
        "class of exact tokens, as 'L list' -> count, max, sum: how many tokens of the class all events bear, their greatest seq, and "
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
"""The last line of JSON Lines, as ``{"footer": {...}}``; the metadata ``wheelproof.trace.footer`` of Parquet. Absent: incomplete."""

COLUMN = {column.name: column for column in COLUMNS}
NAMES = tuple(COLUMN)

REQUIRED_IDS = {
    **dict.fromkeys(("list_add", "list_remove"), ("entry", "list")),
    **dict.fromkeys(
        (
            "list_add_retry",
            "owner_read",
            "reinsert",
            "expire_submit",
            "wheel_place",
            "wheel_reject",
        ),
        ("entry",),
    ),
    **dict.fromkeys(("set_entry", "entry_new"), ("task", "entry")),
    "cancel_check": ("task", "entry", "res"),
    **dict.fromkeys(("cancel", "add_request"), ("task",)),
    **dict.fromkeys(("flush_begin", "flush_end"), ("list", "span")),
    **dict.fromkeys(("bucket_new", "bucket_expiry_set", "dq_offer"), ("list",)),
    **dict.fromkeys(("bucket_expiry_set", "dq_offer"), ("list", "key_ms")),
    "clock_advance": ("wheel_ms",),
    "drop": ("count",),
    **dict.fromkeys(
        (
            "op_new",
            "try_end",
            "pending_set",
            "pending_getset",
            "on_complete_begin",
            "on_complete_end",
            "on_expire",
        ),
        ("op",),
    ),
    **dict.fromkeys(("try_begin", "force_cas"), ("op", "res")),
    "try_watch_begin": ("op",),
    "try_watch_end": ("op", "res"),
    **dict.fromkeys(("watch_add", "watch_cancel"), ("op", "key")),
    **dict.fromkeys(("lock_acquire", "lock_release", "rw_acquire", "rw_release"), ("ord",)),
}
"""Kind -> columns without which an event of it says nothing. A line that lacks one is malformed."""


def token_key(kind: str, name: str) -> str:
    """A token's key in the footer's maps."""
    return f"{kind} {name}"


_JSON = {
    "int32": {"type": "integer", "minimum": -(1 << 31), "maximum": (1 << 31) - 1},
    "int64": {"type": "integer", "minimum": -(1 << 63), "maximum": (1 << 63) - 1},
    "text": {"type": "string"},
    "bool": {"type": "boolean"},
    "object": {"type": ["object", "array"]},
    "map": {"type": "object", "additionalProperties": {"type": ["integer", "string"]}},
}


def _described(field: Field) -> dict[str, Any]:
    if field.type == "enum":
        kind: dict[str, Any] = {"enum": list(field.values)}
    elif field.type == "token":
        kind = {"type": "array", "items": {"$ref": "#/$defs/token"}}
    elif field.type == "observed":
        kind = {"$ref": "#/$defs/observed"}
    else:
        kind = dict(_JSON[field.type])
    return kind | {"description": f"{field.says} [{field.unit}]" if field.unit else field.says}


def _object(fields: tuple[Field, ...], **more: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {field.name: _described(field) for field in fields},
        "required": [field.name for field in fields if field.required],
    } | more


def json_schema() -> dict[str, Any]:
    """The JSON Schema of one line of a trace in JSON Lines: header, event or footer."""
    items = [_described(field) for field in TOKEN]
    token = {
        "type": "array",
        "prefixItems": items,
        "minItems": len(items) - 1,
        "maxItems": len(items),
    }
    header = _object(HEADER)
    header["properties"]["schema"] = {"const": SCHEMA}
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
        "$comment": "Made from wheelproof/trace/schema.py. First line: header; last line: footer; all others: events.",
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
