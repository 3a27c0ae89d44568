"""Modules of a world that are not the real ones.

Locks, threads, thread-local data and time are the checker's. The other classes of ``threading`` are
the interpreter's own source on top of them.
"""

from __future__ import annotations

import _functools  # type: ignore[import-not-found]
import _queue
import _thread
import atexit
import collections
import functools
import importlib
import importlib.util
import itertools
import logging
import queue
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wheelproof.plain import clocks, imports, primitives, threads
from wheelproof.plain.simple_queue import simple_queue

if TYPE_CHECKING:
    from wheelproof.plain.world import World

CLASSES = frozenset(
    {
        "Barrier",
        "BoundedSemaphore",
        "BrokenBarrierError",
        "Condition",
        "Event",
        "Semaphore",
        "Timer",
    }
)
"""The classes of ``threading`` that are the interpreter's own source."""


class _System(types.ModuleType):
    """``sys``, with the modules of the world."""

    def __getattr__(self, name: str) -> Any:
        return getattr(sys, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(sys, name, value)


class _Modules(collections.ChainMap[str, types.ModuleType]):
    """``sys.modules`` of a world: a real module is in it where it is not to be loaded again."""

    def __init__(self, world: World) -> None:
        super().__init__(world.modules, sys.modules)
        self._world = world

    def __getitem__(self, name: str) -> types.ModuleType:
        if name not in self:
            raise KeyError(name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        second, real = self.maps
        return name in second or (name in real and not self._world.loads_again(str(name)))

    def __iter__(self) -> Iterator[str]:
        return iter([name for name in super().__iter__() if name in self])

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def get(self, name: str, default: Any = None) -> Any:
        return super().get(name, default) if name in self else default


def substitute(world: World) -> None:
    """Give a world its ``threading``, ``time`` and all else that must not be real."""
    execution = world.execution
    clock = world.clock
    lock, rlock = primitives.locks(execution, clock)
    ident = threads.identities(execution)
    local = threads.local_data(execution)
    of_threads = threads.threads(execution, clock, world.identified)
    _module(world,
        "_thread", _thread, allocate_lock=lock, LockType=lock, lock=lock, RLock=rlock,
        get_ident=ident, get_native_id=ident, _local=local, error=RuntimeError,
        allocate=lock,
    )  # fmt: skip
    _module(world, "_queue", _queue, SimpleQueue=simple_queue(execution, clock))
    _module(world, "time", time, sleep=clock.sleep, **clocks.of_time(clock))
    vars(world.own_time).update(vars(time), monotonic=clock.own, time=clock.own)
    # A cache in C calls the cached function in the middle of an access. The one in Python shows it.
    _module(world, "_functools", _functools)
    del world.modules["_functools"].__dict__["_lru_cache_wrapper"]
    _module(world, "importlib", importlib, import_module=world.import_module)
    from_spec = functools.partial(imports.module_from_spec, world)
    _module(world, "importlib.util", importlib.util, module_from_spec=from_spec)
    vars(world.modules["importlib"])["util"] = world.modules["importlib.util"]
    _module(world, "logging", logging)
    _module(world, "atexit", atexit, register=_register, unregister=_register)
    system = _System("sys")
    vars(system).update(modules=_Modules(world), meta_path=world.finders)
    world.modules["sys"] = system
    execution.hidden = frozenset({primitives.__file__, threading.__file__, queue.__file__})

    def at_exit(function: Callable[..., object], *arguments: Any, **keywords: Any) -> None:
        outside = execution.running is None  # while a module is loaded: for all runs
        callbacks = execution.at_every_exit if outside else execution.at_exit
        callbacks.append(lambda: function(*arguments, **keywords))

    source = Path(threading.__file__).read_text(encoding="utf-8")
    prelude: dict[str, Any] = {
        "Lock": lock, "RLock": rlock, "_PyRLock": rlock, "_CRLock": rlock,
        "_allocate_lock": lock, "allocate_lock": lock, "LockType": lock, "local": local,
        "get_ident": ident, "get_native_id": ident, "TIMEOUT_MAX": _thread.TIMEOUT_MAX,
        "ThreadError": RuntimeError, "_time": clock.own, "_deque": collections.deque,
        "_islice": itertools.islice, "_count": itertools.count,
        "_register_atexit": at_exit, "_shutdown": _register,
        "excepthook": threading.excepthook, "__excepthook__": threading.excepthook,
        "ExceptHookArgs": threading.ExceptHookArgs, "settrace": _register,
        "setprofile": _register, "stack_size": threading.stack_size,
        "gettrace": _register, "getprofile": _register, **of_threads,
    }  # fmt: skip
    module = world.make("threading", source, threading.__file__, None, CLASSES, **prelude)
    public = [name for name in vars(module) if not name.startswith("_")]
    module.__dict__["__all__"] = public
    world.state.learn(module, "__all__", public)


def _module(world: World, name: str, real: types.ModuleType, **changes: Any) -> None:
    module = types.ModuleType(name)
    module.__dict__.update(vars(real))
    module.__dict__.update(changes)
    world.modules[name] = module


def _register(*arguments: Any, **keywords: Any) -> Any:
    """Registering a function for the interpreter's end has no effect on a run."""
    return arguments[0] if arguments else None
