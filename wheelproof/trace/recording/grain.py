"""Which step of the mechanism an operation of a directed run belongs to, where operations of lower
mechanisms are single steps of it.

The same grain as the explorer's (``wheelproof.python.runtime.atomic``): of a module that the
harness's ``ATOMIC`` names the labels are dropped, all but those that it keeps, and each operation
of such code belongs to the labelled line outside that called it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import CodeType, FrameType, ModuleType
from typing import Any, NamedTuple

from wheelproof.python.labels import STEP_KINDS, Labels
from wheelproof.python.runtime.fields import classes_of


class Step(NamedTuple):
    """``exact``: the operation is the one that the label names, so that the step is over with it.
    ``place``: the frame and the line of the label; the same one again is the same step going on.
    ``call``: the frame that the labelled line has called, where the operation is in it; all that it
    does is the one step, but for labels that are kept."""

    label: str
    exact: bool
    place: tuple[FrameType, int]
    call: FrameType | None = None


class Progress:
    """The step that a thread is in the middle of.

    ``open``: the place of a step whose operation is still to come. ``calls``: frames that labelled
    lines have called, the outermost first: their accesses belong to the line's step.
    """

    def __init__(self) -> None:
        self.open: tuple[FrameType, int] | None = None
        self.calls: tuple[FrameType, ...] = ()

    def begins(self, step: Step, frame: FrameType) -> bool:
        """Whether the operation in ``frame`` begins this step, and does not go on with it."""
        if self.open == step.place:
            if step.exact:
                self.open = None
            return False
        if step.call is not None:
            if any(call is step.call for call in self.calls):
                return False
            # Another call from the same line is a step of its own: the line is in a loop.
            self.calls = (*self._around(frame), step.call)
        self.open = None if step.exact or step.call is not None else step.place
        return True

    def _around(self, frame: FrameType) -> Iterator[FrameType]:
        """The calls that a frame is inside of."""
        around: set[int] = set()
        outer: FrameType | None = frame
        while outer is not None:
            around.add(id(outer))
            outer = outer.f_back
        return (call for call in self.calls if id(call) in around)


class Grain:
    """The steps of one mechanism. ``labels``: file -> its labels, which are not changed."""

    def __init__(
        self,
        atomic: Mapping[str, Collection[str]],
        subject: Collection[str],
        modules: Mapping[str, ModuleType],
        labels: Mapping[str, Labels],
    ) -> None:
        self._labels = {
            file: {line: dict(kinds) for line, kinds in lines.items()}
            for file, lines in labels.items()
        }
        self._files: set[str] = set()
        self._codes: set[CodeType] = set()
        for name, labels_to_keep in atomic.items():
            if source := _file_of(modules[name]):
                self._files.add(source)
                self._drop(source, labels_to_keep, None)
        for module in modules.values():
            file = _file_of(module)
            if not atomic or file is None or file not in self._labels or file in self._files:
                continue
            for cls in classes_of(module):
                base = next(
                    (
                        base.__module__
                        for base in cls.__mro__
                        if base.__module__ in atomic or base.__module__ in subject
                    ),
                    None,
                )
                if base is not None and base in atomic:
                    own_codes = {
                        code
                        for value in vars(cls).values()
                        for code in _codes(getattr(_plain(value), "__code__", None))
                    }
                    self._codes |= own_codes
                    self._drop(
                        file,
                        atomic[base],
                        {
                            line
                            for code in own_codes
                            for _, _, line in code.co_lines()
                            if line is not None
                        },
                    )

    def _drop(
        self, file: str, labels_to_keep: Collection[str], among: Collection[int] | None
    ) -> None:
        lines = self._labels.get(file, {})
        for line in list(lines):
            if among is None or line in among:
                lines[line] = {
                    kind: label for kind, label in lines[line].items() if label in labels_to_keep
                }

    def kinds(self, file: str, line: int) -> Mapping[str, str]:
        """The operations that a line's label names, by kind."""
        return self._labels.get(file, {}).get(line, {})

    def step_of(self, frame: FrameType, operation: str) -> Step | None:
        """The step that an operation begins or goes on with; None where it is none of its own:
        plain reads on the way, and the accesses of a traversal."""
        code = frame.f_code
        kinds = self._labels.get(code.co_filename, {}).get(frame.f_lineno, {})
        if operation in kinds:
            return Step(kinds[operation], True, (frame, frame.f_lineno))
        if operation in ("read", "choose") and (
            label := next((label for kind, label in kinds.items() if kind in STEP_KINDS), "")
        ):
            return Step(label, False, (frame, frame.f_lineno))
        if code.co_name == "__init__" or not (
            code.co_filename in self._files or code in self._codes
        ):
            return None
        inner, outer = frame, frame.f_back
        while outer is not None:
            kinds = self._labels.get(outer.f_code.co_filename, {}).get(outer.f_lineno, {})
            if kinds:
                return Step(next(iter(kinds.values())), False, (outer, -outer.f_lasti), inner)
            inner, outer = outer, outer.f_back
        return None


def _plain(value: Any) -> Any:
    """A method as it was written, under the wrappers that record a call of it."""
    while (inner := getattr(value, "__wrapped__", None)) is not None:
        value = inner
    return value


def _codes(code: CodeType | None) -> Iterator[CodeType]:
    """A function's code and that of the functions nested in it."""
    if code is not None:
        yield code
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield from _codes(constant)


def _file_of(module: ModuleType) -> str | None:
    """The file that a module was loaded from."""
    return getattr(getattr(module, "__spec__", None), "origin", None)
