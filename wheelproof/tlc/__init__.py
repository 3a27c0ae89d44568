"""TLC, the TLA+ model checker: how to find it, run it and read its output.

    files = generate(McConfig(...), folder)                                  # MC module and cfg
    from plain data result = run(files.module, timeout=60, dump=folder / "graph.dot")        # one
    judged run graph = TlcGraph.read(folder / "graph.dot")                              # the state
    graph, with processes by moves()

`java` and `jar` find the runtime and the checker, `server` runs TLC many times in one JVM,
`translation` keeps PlusCal translations current, `values` reads and writes TLA+ values.
"""

from wheelproof.tlc.dot import DotError, Move, TlcGraph, read_dot
from wheelproof.tlc.mc import McConfig, McFiles, generate
from wheelproof.tlc.process import run
from wheelproof.tlc.result import NO_DEADLOCK, Outcome, Progress, TlcResult, TraceState
from wheelproof.tlc.translation import require_current, retranslate
from wheelproof.tlc.values import (
    Function,
    ModelValue,
    Value,
    ValueSyntaxError,
    format_tla,
    freeze,
    parse_value,
)

__all__ = [
    "NO_DEADLOCK",
    "DotError",
    "Function",
    "McConfig",
    "McFiles",
    "ModelValue",
    "Move",
    "Outcome",
    "Progress",
    "TlcGraph",
    "TlcResult",
    "TraceState",
    "Value",
    "ValueSyntaxError",
    "format_tla",
    "freeze",
    "generate",
    "parse_value",
    "read_dot",
    "require_current",
    "retranslate",
    "run",
]
