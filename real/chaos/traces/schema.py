"""The kinds of event of an ensemble's history, and the columns that they add to the tool's own.

An event is a part of one of ZooKeeper's transactions, in the order of their numbers. A session is a
thread. The answers to a broker are a thread of their own, whose events come last.
"""

from __future__ import annotations

from wheelproof.trace.format.fields import Field

CONTROLLER, EPOCH, TICK, PARTITION = "/controller", "/controller_epoch", "/tick", "/partition"
"""Nodes, by their paths in the folder of the run."""

IDS: frozenset[str] = frozenset()
OBSERVED_IDS: frozenset[str] = frozenset()

OBJECTS = ("zxid",)
"""The subjects of a violation."""

KINDS = {
    "candidate": "a broker takes part; home",
    "session_open": "the session was opened; home is its broker",
    "session_close": "the session was closed, or has expired; its ephemeral nodes are gone",
    "refused": "the session's transaction was refused",
    "node_create": "a node was made; res is true for an ephemeral one, which goes with the session",
    "node_put": "a node's data were replaced; post.version",
    "node_delete": "a node was deleted",
    "node_check": "a node's version was found to be the expected one",
    "acknowledged": "a broker got the reply that a transaction was performed: its part number part "
    "of so many parts, made in the session by",
}
"""Kind of event -> description."""

CAUSES = ("candidate", "hand")
"""Why: a broker's own step, or one of the process that makes the faults and the ticks."""

OBSERVED = (Field("version", "int32", "the node's version"),)
"""The observations with the step: after it (``post``)."""

COLUMNS = (
    Field("zxid", "int64", "the number of the transaction, which orders all of them"),
    Field("part", "int32", "the part's place in its transaction, from 0"),
    Field("parts", "int32", "how many parts the transaction has"),
    Field("by", "int32", "the thread of the session that made the transaction"),
    Field("home", "text", "the broker that a session is of"),
    Field("node", "text", "the path of a node, without the folder of the run"),
    Field("data", "text", "the data of a node after the step; absent: none"),
    Field("epoch", "int64", "the data of /controller_epoch"),
    Field("leader_epoch", "int64", "of a partition's node: how often its leader was elected"),
    Field("controller_epoch", "int64", "of a partition's node: the epoch that it was written in"),
    Field("isr", "int64", "of a partition's node: how often its ISR was changed"),
    Field("calm", "text", "of a put to /tick: the name of the calm; empty: there is none"),
)
"""After the columns that say whose event it is."""

SEQUENCES: tuple[Field, ...] = ()

_PART = ("zxid", "part", "node", "cause")

REQUIRED = {
    "candidate": ("home",),
    **dict.fromkeys(("session_open", "session_close", "refused"), ("zxid",)),
    **dict.fromkeys(("node_put", "node_delete", "node_check"), _PART),
    "node_create": (*_PART, "res"),
    "acknowledged": ("zxid", "part", "parts", "by", "node"),
}
"""Kind -> columns without which an event of it says nothing."""

CONFIG = "bound: in so many ticks of a calm what has to happen must have happened"
"""The content of a header's ``config``."""

EXACT: dict[str, tuple[str, ...]] = {}
NUMBERED: dict[str, str] = {}
MEASURES = ("bound",)
"""Its fields that the rules in bulk read."""

INITIAL = "nothing: a history begins with the folder of the run"
"""The content of a header's ``initial``."""
