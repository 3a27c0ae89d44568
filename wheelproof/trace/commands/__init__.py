"""``wheelproof trace``: record a scenario or a folder of examples, check traces, replay one in
detail, shrink one, watch a folder of growing ones.

Exit codes: 0 all conform, or the command is done; 1 a trace violates; 2 a file is no
trace; 3 a trace is incomplete or out of the model; 5 nothing was checked.
"""

from __future__ import annotations

from wheelproof.trace.commands import publish, record, verdicts, watch
from wheelproof.trace.commands.options import EXIT, app
from wheelproof.trace.commands.record import has_events

__all__ = ["EXIT", "app", "has_events", "publish", "record", "verdicts", "watch"]
