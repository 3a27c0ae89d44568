"""A program in Java behind its adapter: a class with a method for each action, and ``state``."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypedDict, cast

from wheelproof import java, reading
from wheelproof.errors import ToolError, UsageError
from wheelproof.java import QUICK_START
from wheelproof.jvm import setup
from wheelproof.tla.driving.adapter import Adapter, Program, Raised, refuse_lacking, shown
from wheelproof.tlc.itf import decoded
from wheelproof.tlc.values import Function, ModelValue, Value

CLASSES = ("Driven.java", "Json.java")
"""The tool's own sources in the process."""

SECONDS = 60
"""The longest that one call may take."""

_PACKAGE = re.compile(r"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)
_SIGNS = re.compile(r"[\t\n\r]")


class _Answer(TypedDict, total=False):
    methods: list[str]
    state: object
    raises: str
    """The exception of the program."""
    refused: str
    """Why a call is none of the adapter."""


class InJava(Adapter):
    """The class of ``FILE.java:CLASS`` in a process of its own, which all runs share."""

    def __init__(self, name: str, process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
        """``errors``: the file with the output of the program."""
        self.name, self._process, self._errors = name, process, errors

    def check(self, actions: Iterable[str]) -> None:
        refuse_lacking(self.name, set(self.ask("methods")["methods"]), actions)

    def begin(self, start: Mapping[str, Value]) -> Program:
        words = [f":{len(start)}"]
        for name, value in start.items():
            words += [f'"{name}', *_words(value)]
        self.ask("begin", *words)
        return _Run(self)

    def ask(self, *words: str) -> _Answer:
        """Send one call; its answer. Raises Raised where the program does."""
        channel, answers = self._process.stdin, self._process.stdout
        assert channel is not None and answers is not None
        late = threading.Timer(SECONDS, self._process.kill)
        late.start()
        try:
            channel.write(("\t".join(words) + "\n").encode())
            channel.flush()
            line = answers.readline()
        except BrokenPipeError:
            line = b""
        finally:
            late.cancel()
        if not line:
            self._errors.seek(0)
            printed = self._errors.read().decode(errors="replace").strip()
            raise UsageError(
                f"{self.name}: {words[0]} has no answer within {SECONDS} s; its process printed "
                f"{printed[-1000:] or 'nothing'}.",
                "Let each method of the adapter return.",
            )
        answer = cast(_Answer, json.loads(line))
        if "raises" in answer:
            raise Raised(answer["raises"])
        if "refused" in answer:
            raise UsageError(f"{self.name}: {answer['refused']}.", "Correct the adapter.")
        return answer


class _Run(Program):
    """The object that the process has now."""

    def __init__(self, adapter: InJava) -> None:
        self._adapter = adapter

    def act(self, name: str, arguments: Iterable[Value]) -> None:
        self._adapter.ask(name, *(word for value in arguments for word in _words(value)))

    def state(self, variables: Iterable[str]) -> dict[str, Value]:
        values = self._adapter.ask("state")["state"]
        if isinstance(values, dict) and not any(name.startswith("#") for name in values):
            values = {name: decoded(value) for name, value in values.items()}
        return shown(values, variables)


@contextmanager
def run(place: str, jars: Sequence[Path] = (), fetch: bool = True) -> Iterator[InJava]:
    """The adapter ``FILE.java:CLASS``, compiled with all sources of its folder.

    Raises UsageError where there is none, and ToolError where Java cannot run.
    """
    file, _, name = place.rpartition(":")
    source = Path(file)
    for part in (source, *jars):
        if not part.is_file():
            raise UsageError(f"There is no file {part}.", "Give FILE.java:CLASS, and jars.")
    runtime = java.locate("An adapter in Java", setup.MINIMUM, "Install Java 17 or newer.")
    executable = runtime.executable
    sources = [setup.SOURCES / name for name in CLASSES]
    tool = setup.compile_java(executable, sources, [], fetch)
    subject = setup.compile_java(executable, sorted(source.parent.glob("*.java")), jars, fetch)
    package = _PACKAGE.search(reading.text(source))
    path = os.pathsep.join(str(entry.absolute()) for entry in (tool, subject, *jars))
    whole_name = f"{package[1]}.{name}" if package else name
    command = [str(executable), *QUICK_START, "-ea", "-cp", path, "wheelproof.jvm.Driven"]
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [*command, whole_name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
        try:
            yield InJava(name, process, errors)
        finally:
            process.kill()
            process.communicate()


def _words(value: Value) -> Iterator[str]:
    """A value as the words of a call."""
    match value:
        case bool():
            yield f"?{str(value).lower()}"
        case int():
            yield f"#{value}"
        case str() | ModelValue():
            text = value if isinstance(value, str) else value.name
            if _SIGNS.search(text):
                raise ToolError(f"The string {text!r} has a tab or a line break.")
            yield f'"{text}'
        case tuple() | frozenset():
            yield f"{'[' if isinstance(value, tuple) else '{'}{len(value)}"
            for item in value:
                yield from _words(item)
        case Function():
            yield f":{len(value)}"
            for key in value:
                yield from _words(key)
                yield from _words(value[key])
