"""Marked fields and whole methods that are recorded: descriptors in front of slots, in the classes
as they were written.

A volatile field's slot holds a :class:`Word`: the value with a version, a clock and a lock of its
own, so that a read that is recorded sorts before the write that comes after it (strict mode).
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import MemberDescriptorType
from typing import Any

from wheelproof.trace.recording.recorder import Recorder

_frame = sys._getframe


RAISED = object()
"""The result of a call that raised."""


Values = Callable[[Recorder, Any, tuple[Any, ...], Any], tuple[int, int, int, int] | None]
"""(recorder, object, arguments, result) -> object, old, new and argument of a record; None for no
record."""


def recorded_call(recorder: Recorder, method: Any, event: str, values: Values, after: bool) -> Any:
    """A method that records a call of it: the call is one step, and no single primitive of it is.

    ``values(recorder, self, arguments, result)`` gives (object, old, new, argument) as numbers, or
    None where there is nothing to record; it is called ``after`` the call, with the result or
    RAISED, or before it with the result None. The frame that called is two above its own.
    """
    function = method
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    site = recorder.add_site(event, function.__code__)

    def before(self: Any, *arguments: Any) -> Any:
        log = recorder.log()
        if (
            site
            and not log.muted
            and (numbers := values(recorder, self, arguments, None)) is not None
        ):
            log.emit(site, *numbers, 0, 0)
        return method(self, *arguments)

    def afterwards(self: Any, *arguments: Any) -> Any:
        result = RAISED
        try:
            result = method(self, *arguments)
            return result
        finally:
            log = recorder.log()
            if (
                site
                and not log.muted
                and (numbers := values(recorder, self, arguments, result)) is not None
            ):
                log.emit(site, *numbers, 0, 0)

    call: Any = afterwards if after else before
    call.__wrapped__ = method
    return call


class Word:
    """The content of the slot of a volatile field: the value with its version, its clock, and the
    lock that makes them one."""

    __slots__ = ("value", "version", "lc", "lock", "number", "owner", "field")
    kind = "V"

    def __init__(self, value: object, number: int, owner: int, field: str) -> None:
        self.value = value
        self.version = self.lc = 0
        self.lock = threading.Lock()
        self.number, self.owner, self.field = number, owner, field


class VolatileField:
    """Stands in front of a volatile field's slot, which then holds a :class:`Word`."""

    __slots__ = ("recorder", "name", "_get", "_set", "_places", "_local", "_looks", "_wants")

    def __init__(self, member: MemberDescriptorType, recorder: Recorder) -> None:
        self.recorder, self.name = recorder, member.__name__
        self._get, self._set = member.__get__, member.__set__
        self._places, self._local, self._looks, self._wants = (
            recorder.places,
            recorder.local,
            recorder.looks,
            recorder.wants,
        )

    def __get__(self, instance: object, owner: type | None = None, frame: Any = None) -> object:
        """The value; recorded, with the word's clock moved on, where the frame stands at a line
        that is."""
        if instance is None:
            return self
        if frame is None:
            frame = _frame(1)
        word = self._get(instance)
        site = self._places.get(id(frame.f_code) + frame.f_lasti)
        if site is None:
            site = self.recorder.site(frame, "read")
        try:
            log = self._local.log
        except AttributeError:
            log = self.recorder.log()
        if not site or log.muted:
            value = word.value
            if word.lc >= log.lc:
                log.lc = word.lc
                return value
            # A later write sorts after all that this thread has done, though the read is no event.
            with word.lock:
                if word.lc > log.lc:
                    log.lc = word.lc
                else:
                    word.lc = log.lc
                return word.value
        recorder, look, condition = self.recorder, self._looks[site], self._wants[site]
        me = 0 if look is None else look(log, frame)
        with word.lock:
            value = word.value
            if word.lc > log.lc:
                log.lc = word.lc
            if condition is None or condition(value):
                identifier = recorder.id_of(value)
                log.emit(site, word.owner, identifier, identifier, me, word.number, word.version)
            word.lc = log.lc
        return value

    def __set__(self, instance: object, value: object) -> None:
        self.write(instance, value, _frame(1))

    def write(self, instance: object, value: object, frame: Any) -> None:
        """Store the value; a new version, recorded where the line is one that is."""
        recorder = self.recorder
        try:
            word = self._get(instance)
        except AttributeError:  # the constructor's write: no other thread has the object yet
            word = Word(value, 0, recorder.identify(instance), self.name)
            word.number = recorder.register(word)
            self._set(instance, word)
            return
        site = self._places.get(id(frame.f_code) + frame.f_lasti)
        if site is None:
            site = recorder.site(frame, "write")
        try:
            log = self._local.log
        except AttributeError:
            log = recorder.log()
        with word.lock:
            old = word.value
            word.version += recorder.recording
            if word.lc > log.lc:
                log.lc = word.lc
            if site and not log.muted:
                log.emit(
                    site,
                    word.owner,
                    recorder.id_of(old),
                    recorder.id_of(value),
                    0,
                    word.number,
                    word.version,
                )
            word.lc = log.lc
            word.value = value  # last: who reads it without the lock comes after the write


class DirectedField(VolatileField):
    """A volatile field each access of which waits for its turn."""

    __slots__ = ()

    def __get__(self, instance: object, owner: type | None = None, frame: Any = None) -> object:
        if instance is not None and self.recorder.turn is not None:
            self.recorder.turn(_frame(1), "read")
        return super().__get__(instance, owner, _frame(1))

    def __set__(self, instance: object, value: object) -> None:
        if self.recorder.turn is not None:
            self.recorder.turn(_frame(1), "write")
        self.write(instance, value, _frame(1))


class RecordedField:
    """Stands in front of a plain field's slot some accesses of which are events; the lock that
    guards the field orders them."""

    __slots__ = ("recorder", "name", "_get", "_set")

    def __init__(self, member: MemberDescriptorType, recorder: Recorder) -> None:
        self.recorder, self.name = recorder, member.__name__
        self._get, self._set = member.__get__, member.__set__

    def __get__(self, instance: object, owner: type | None = None) -> object:
        return self if instance is None else self.read(instance, _frame(1))

    def __set__(self, instance: object, value: object) -> None:
        self.write(instance, value, _frame(1))

    def read(self, instance: object, frame: Any) -> object:
        """The value. Its use is an event where the line is one: the event is recorded before the
        use, with the field's lock held."""
        recorder = self.recorder
        log = recorder.log()
        if not log.muted and (site := recorder.site(frame, "get")):
            look = recorder.looks[site]
            observation = 0 if look is None else look(log, frame)
            log.emit(site, recorder.identify(instance), 0, 0, observation)
        return self._get(instance)

    def write(self, instance: object, value: object, frame: Any) -> None:
        recorder = self.recorder
        log = recorder.log()
        if not log.muted and (site := recorder.site(frame, "write")):
            log.emit(
                site,
                recorder.identify(instance),
                recorder.id_of(self._get(instance)),
                recorder.id_of(value),
                0,
                0,
                0,
            )
        self._set(instance, value)


class PlainField(RecordedField):
    """Stands in front of a plain field's slot in a directed run, where each access is a step that
    waits for its turn."""

    __slots__ = ()

    def __get__(self, instance: object, owner: type | None = None) -> object:
        if instance is None:
            return self
        if self.recorder.turn is not None:
            self.recorder.turn(_frame(1), "read")
        return self.read(instance, _frame(1))

    def __set__(self, instance: object, value: object) -> None:
        if self.recorder.turn is not None:
            self.recorder.turn(_frame(1), "write")
        self.write(instance, value, _frame(1))
