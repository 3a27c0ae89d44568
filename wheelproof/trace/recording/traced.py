"""The traced model of ``impl/runtime.py``: the same names on real locks, each operation recorded
while it is exclusive.

Locks are in ``traced_locks``, atomic variables in ``traced_atomic``, read/write locks and gates in
``traced_halves``, and marked fields in ``traced_fields``.
"""

from __future__ import annotations

from types import ModuleType
from typing import Annotated, TypeVar

from wheelproof.trace.recording.bound import bound, memory
from wheelproof.trace.recording.recorder import Recorder
from wheelproof.trace.recording.traced_atomic import Atomic
from wheelproof.trace.recording.traced_halves import ReadWriteLock, gate
from wheelproof.trace.recording.traced_locks import Lock, Monitor, NoMonitor

T = TypeVar("T")

PRIMITIVES = (Lock, Monitor, NoMonitor, Atomic, ReadWriteLock)


def runtime_module(recorder: Recorder, production: ModuleType) -> ModuleType:
    """A module with the names of ``impl/runtime.py`` whose primitives write to ``recorder``.

    ``production``: the runtime itself; names that record nothing, such as the gate at which a
    queue's users wait, are taken from it.
    """
    module = ModuleType(production.__name__, "Traced primitives.")
    module.__dict__.update({name: getattr(production, name) for name in production.__all__})
    module.__dict__.update(
        {primitive.__name__: bound(primitive, recorder) for primitive in PRIMITIVES},
        Gate=gate(recorder, production.Gate),
        Memory=memory(recorder.dismiss, production.Memory),
        Volatile=Annotated[T, "volatile"],
        Plain=Annotated[T, "plain"],
        T=T,
    )
    return module
