"""The runtime of a project on a recorder: controlled primitives, and production's other names."""

from __future__ import annotations

import threading
from queue import Empty, Full
from types import ModuleType
from typing import Annotated, TypeVar

from wheelproof.isolated import DISTRIBUTION
from wheelproof.python.runtime.queues import ShutDown
from wheelproof.python.runtime.threads import Interrupted
from wheelproof.trace.recording.bound import memory
from wheelproof.trace.steps.choices import chooser
from wheelproof.trace.steps.moments import Moments, recorded
from wheelproof.trace.steps.recorder import Recorder
from wheelproof.trace.steps.unrecorded import refuse_in

T = TypeVar("T")


def runtime_module(
    moments: Moments, recorder: Recorder, production: ModuleType | None
) -> ModuleType:
    """The names of a project's runtime, whose primitives report to ``recorder``.

    ``production``: the runtime itself; names that report nothing are taken from it.
    """
    module = ModuleType(DISTRIBUTION, "Primitives that report.")
    inner = {} if production is None else vars(production)
    module.__dict__.update({key: value for key, value in inner.items() if key[0] != "_"})
    refuse_in(vars(module), recorder)
    module.__dict__.update(
        recorded(moments),
        choose=chooser(recorder),
        TIMEOUT_MAX=threading.TIMEOUT_MAX,
        BrokenBarrierError=threading.BrokenBarrierError,
        Empty=Empty,
        Full=Full,
        ShutDown=ShutDown,
        Interrupted=Interrupted,
        Volatile=Annotated[T, "volatile"],
        Plain=Annotated[T, "plain"],
        T=T,
    )
    if "Memory" in inner:
        vars(module)["Memory"] = memory(recorder.dismiss, inner["Memory"])
    return module
