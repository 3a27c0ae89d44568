"""Threads, thread-local data and identities of the code under test."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from wheelproof.plain.execution import Execution
from wheelproof.plain.instrument.fields import StateProperty
from wheelproof.plain.operations import JOIN, PEEK, TRY_JOIN
from wheelproof.plain.operations import Thread as Greenlet
from wheelproof.plain.primitives import FOR_EVER, Clock


def identities(execution: Execution) -> Callable[[], int]:
    """``get_ident`` of an execution."""

    def get_ident() -> int:
        return 0 if execution.running is None else execution.running.number + 1

    return get_ident


def local_data(execution: Execution) -> type[Any]:
    """``threading.local`` of an execution."""

    class local:
        """Attributes of their own for each thread."""

        of_each_thread = True

        def __new__(cls, *arguments: Any, **keywords: Any) -> Any:
            new = object.__new__(cls)
            object.__setattr__(new, "_made_with", (arguments, keywords))
            object.__setattr__(new, "_outside", {})
            return new

        def __getattribute__(self, name: str) -> Any:
            fields = _fields(self)
            if name == "__dict__":
                return fields
            if name in fields:
                return fields[name]
            return object.__getattribute__(self, name)

        def __setattr__(self, name: str, value: Any) -> None:
            kind = getattr(type(self), name, None)
            if hasattr(type(kind), "__set__"):
                object.__setattr__(self, name, value)
            else:
                _fields(self)[name] = value

        def __delattr__(self, name: str) -> None:
            try:
                del _fields(self)[name]
            except KeyError:
                raise AttributeError(name) from None

    def _fields(data: Any) -> dict[str, Any]:
        thread = execution.running
        if thread is None:
            outside: dict[str, Any] = object.__getattribute__(data, "_outside")
            return outside
        fields: dict[str, Any] | None = thread.local.get(id(data))
        if fields is None:
            fields = thread.local[id(data)] = {}
            execution.kept.append(data)
            initialize = type(data).__init__
            if initialize is not object.__init__:
                arguments, keywords = object.__getattribute__(data, "_made_with")
                initialize(data, *arguments, **keywords)
        return fields

    return local


class Thread:
    """A thread: a greenlet that the scheduler runs."""

    _execution: Execution
    _clock: Clock
    _initialized = False

    def __init__(
        self,
        group: None = None,
        target: Callable[..., object] | None = None,
        name: str | None = None,
        args: Any = (),
        kwargs: Any = None,
        *,
        daemon: bool | None = None,
        context: Any = None,
    ) -> None:
        assert group is None, "group argument must be None for now"
        if name is None:
            number = self._execution.next_name()
            name = f"Thread-{number}"
            if target is not None and hasattr(target, "__name__"):
                name += f" ({target.__name__})"
        self._name = str(name)
        self._target, self._args, self._kwargs = target, args, kwargs or {}
        me = self._execution.running
        self._daemonic = daemon if daemon is not None else me is not None and me.daemon
        self._greenlet: Greenlet | None = None
        self._run_number = -1
        self._initialized = True

    def start(self) -> None:
        if not self._initialized:
            raise RuntimeError("thread.__init__() not called")
        if self._run_greenlet() is not None:
            raise RuntimeError("threads can only be started once")

        def body() -> None:
            self._greenlet = self._execution.running
            self.run()

        self._run_number = self._execution.number
        self._greenlet = self._execution.start(body, self._name, self, self._daemonic)

    def _run_greenlet(self) -> Greenlet | None:
        return self._greenlet if self._run_number == self._execution.number else None

    def run(self) -> None:
        try:
            if self._target is not None:
                self._execution.judged(self._target)(*self._args, **self._kwargs)
        finally:
            del self._target, self._args, self._kwargs

    def join(self, timeout: float | None = None) -> None:
        if not self._initialized:
            raise RuntimeError("Thread.__init__() not called")
        thread = self._run_greenlet()
        if thread is None:
            raise RuntimeError("cannot join thread before it is started")
        if thread is self._execution.running:
            raise RuntimeError("cannot join current thread")
        if timeout is None or timeout >= FOR_EVER:
            self._execution.point(JOIN, thread.end, None)
        else:
            self._execution.sees_ends()
            start, seconds = self._clock.began(), max(0.0, timeout)
            seconds = self._execution.yields(sys._getframe(1), seconds)
            if self._execution.running is not None:
                self._execution.running.waits_until(start + seconds, timeout > 0)
            self._execution.point(TRY_JOIN, thread.end, None)
            if not thread.done:
                self._clock.passes(start, seconds)

    def is_alive(self) -> bool:
        thread = self._run_greenlet()
        if thread is None:
            return False
        if thread is not self._execution.running:
            self._execution.sees_ends()
            self._execution.point(PEEK, thread.end, None)
        return not thread.done

    def _name_of(self) -> str:
        return self._name

    def _rename(self, name: str) -> None:
        self._name = str(name)
        thread = self._run_greenlet()
        if thread is not None:
            thread.name = ""
            thread.name = self._execution.title(self._name)

    name = StateProperty(_name_of, _rename)
    getName, setName = _name_of, _rename

    def isDaemon(self) -> bool:
        return self._daemonic

    def setDaemon(self, daemonic: bool) -> None:
        if self._run_greenlet() is not None:
            raise RuntimeError("cannot set daemon status of active thread")
        self._daemonic = daemonic

    daemon = property(isDaemon, setDaemon)

    @property
    def ident(self) -> int | None:
        thread = self._run_greenlet()
        return None if thread is None else thread.number + 1

    native_id = ident

    def __repr__(self) -> str:
        return f"<{type(self).__name__}({self._name})>"


class MainThread(Thread):
    """The thread that runs the program."""

    def __init__(self) -> None:
        Thread.__init__(self, name="MainThread", daemon=False)

    def _run_greenlet(self) -> Greenlet | None:
        return self._execution.threads[0] if self._execution.threads else None


def threads(execution: Execution, clock: Clock, identity_class: type) -> dict[str, Any]:
    """``Thread`` of an execution, and the functions that answer about threads."""
    fields = {"__module__": "threading", "_execution": execution, "_clock": clock}
    thread_class = type("Thread", (Thread, identity_class), dict(fields))
    main_class = type("_MainThread", (MainThread, thread_class), dict(fields))
    main = main_class()

    def main_thread() -> Any:
        return main

    def current_thread() -> Any:
        thread = execution.running
        if thread is None or thread.object is None:
            return main
        return thread.object

    def alive() -> list[Any]:
        execution.sees_ends()
        for thread in execution.threads:
            if thread is not execution.running:
                execution.point(PEEK, thread.end, None)
        return [thread.object or main for thread in execution.threads if not thread.done]

    def active_count() -> int:
        return len(alive())

    return {
        "Thread": thread_class,
        "_MainThread": main_class,
        "active_count": active_count,
        "activeCount": active_count,
        "current_thread": current_thread,
        "currentThread": current_thread,
        "enumerate": alive,
        "main_thread": main_thread,
    }
