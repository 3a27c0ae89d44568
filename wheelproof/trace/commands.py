"""``wheelproof trace``: record a scenario or a folder of examples, check traces, replay one in
detail, shrink one.

Exit codes: 0 all conform (or what was asked for was done); 1 a trace violates; 2 a file is no
trace; 3 a trace is incomplete or out of the model; 5 nothing was checked.
"""

from __future__ import annotations

from wheelproof.trace import record_commands, verdict_commands
from wheelproof.trace.options import EXIT, app
from wheelproof.trace.record_commands import has_events

__all__ = ["EXIT", "app", "has_events", "record_commands", "verdict_commands"]
