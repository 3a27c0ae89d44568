"""Excerpts of the sources: the step of the specification and the line of the implementation."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from wheelproof import reading
from wheelproof.counterexample.document import Counterexample
from wheelproof.decisions.anchors import anchors_of
from wheelproof.decisions.read import changed_together, names_of
from wheelproof.errors import UsageError
from wheelproof.project.mechanism import Mechanism

AROUND = 3
"""Lines of the implementation above and below the one that ran."""

MOST = 14
"""Lines of a step of the specification."""

_BRANCH = re.compile(r"\s*(?:(?:end|else|elsif|or)\b|\\\*|\(\*|\})")

Excerpt = dict[str, object]
"""``file``, ``first`` (the number of the first line), ``lines``, ``marked`` (indices in it)."""


class Excerpts:
    """The excerpts of one page, each read once.

    ``root``: the project's folder; ``mechanisms``: by name. A file that a decision changes is read
    as changed. ``found``: the excerpts by key.
    """

    def __init__(self, root: Path, mechanisms: Mapping[str, Mechanism]) -> None:
        self._root = root
        self._mechanisms = mechanisms
        self._unchanged: dict[str, list[str]] = {}
        self._changed: dict[tuple[str, str], dict[str, str]] = {}
        self._steps: dict[str, dict[str, range]] = {}
        self._functions: dict[str, list[range]] = {}
        self.found: dict[str, Excerpt] = {}

    def of_trace(self, trace: Counterexample) -> list[tuple[str, str]]:
        """Of each step: the keys of its excerpts in the specification and in the implementation.

        "" stands for none: the project no longer has the mechanism, the label or the line.
        """
        without = trace.model_without, trace.impl_without
        return [
            self.of_step(trace.mechanism, step.label, step.source or "", *without)
            for step in trace.steps
        ]

    def of_step(
        self,
        mechanism: str,
        label: str,
        source: str,
        model_without: str = "",
        impl_without: str = "",
    ) -> tuple[str, str]:
        """The same of one step. ``source``: "file:line" or ""."""
        step = self._step(mechanism, label, model_without)
        return step, self._line(mechanism, source, impl_without)

    def _step(self, mechanism: str, label: str, without: str) -> str:
        if mechanism not in self._mechanisms:
            return ""
        file = f"spec/{self._mechanisms[mechanism].module}.tla"
        mark = self._mark(mechanism, file, without)
        key = f"{file}#{label}{mark}"
        if key not in self.found:
            lines = self._lines(mechanism, file, without)
            if file + mark not in self._steps:
                self._steps[file + mark] = _labels(file, lines)
            part = self._steps[file + mark].get(label)
            if part is None:
                return ""
            text = _trim(_statement(lines[part.start : part.stop])[:MOST])
            self.found[key] = _excerpt(file, part.start, text, range(len(text)))
        return key

    def _line(self, mechanism: str, source: str, without: str) -> str:
        file, _, number = source.rpartition(":")
        path = PurePosixPath(file)
        if not file or path.is_absolute() or ".." in path.parts or not number.isdigit():
            return ""
        key = source + self._mark(mechanism, file, without)
        if key not in self.found:
            lines, line = self._lines(mechanism, file, without), int(number) - 1
            if not 0 <= line < len(lines):
                return ""
            function = self._function(mechanism, file, without, line)
            first = max(function.start, line - AROUND)
            text = lines[first : min(function.stop, line + AROUND + 1)]
            self.found[key] = _excerpt(file, first, text, [line - first])
        return key

    def _function(self, mechanism: str, file: str, without: str, line: int) -> range:
        """The lines of the innermost function with a line; all lines where there is none."""
        key = file + self._mark(mechanism, file, without)
        if key not in self._functions:
            self._functions[key] = _functions(file, self._lines(mechanism, file, without))
        around = [lines for lines in self._functions[key] if line in lines]
        return min(around, key=len, default=range(line + AROUND + 1))

    def _mark(self, mechanism: str, file: str, without: str) -> str:
        return f"@{mechanism}/{without}" if file in self._texts(mechanism, without) else ""

    def _texts(self, mechanism: str, without: str) -> Mapping[str, str]:
        """The files that a decision changes, with their changed texts."""
        if (mechanism, without) not in self._changed:
            mechanism_ = self._mechanisms.get(mechanism)
            decisions = mechanism_.decisions if mechanism_ else {}
            lacking = [decisions[name] for name in names_of(without) if name in decisions]
            try:
                self._changed[mechanism, without] = changed_together(lacking, self._root)
            except UsageError:  # it no longer fits the sources
                self._changed[mechanism, without] = {}
        return self._changed[mechanism, without]

    def _lines(self, mechanism: str, file: str, without: str) -> list[str]:
        if file in (texts := self._texts(mechanism, without)):
            return texts[file].split("\n")
        if file not in self._unchanged:
            try:
                text = reading.text(self._root / file)
            except UsageError:
                text = ""
            self._unchanged[file] = text.split("\n") if text else []
        return self._unchanged[file]


def _labels(file: str, lines: list[str]) -> dict[str, range]:
    """The first place of each anchor."""
    ranges: dict[str, range] = {}
    for name, part in anchors_of(Path(file), "\n".join(lines)):
        ranges.setdefault(name, part)
    return ranges


def _statement(lines: list[str]) -> list[str]:
    """The lines of a label up to the next branch, or the end, of a statement around it.

    That stands further to the left than the label's own statement. A comment there is about the
    label below.
    """
    texts = [re.sub(r"^(\s*)(\w+:)(?!=)", lambda mark: " " * len(mark[0]), lines[0]), *lines[1:]]
    margin = next((_indent(text) for text in texts if text.strip()), 0)
    end = next(
        (
            at
            for at, text in enumerate(texts)
            if at and _BRANCH.match(text) and _indent(text) < margin
        ),
        len(lines),
    )
    return lines[:end]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _functions(file: str, lines: list[str]) -> list[range]:
    """The lines of each function, from 0; none where the text is no Python."""
    try:
        tree = reading.tree("\n".join(lines), Path(file))
    except UsageError:
        return []
    return [
        range(node.lineno - 1, node.end_lineno or node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def _trim(lines: list[str]) -> list[str]:
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def _excerpt(file: str, first: int, lines: list[str], marks: range | list[int]) -> Excerpt:
    margin = min((_indent(line) for line in lines if line.strip()), default=0)
    return {
        "file": file,
        "first": first + 1,
        "lines": [line[margin:] for line in lines],
        "marked": list(marks),
    }
