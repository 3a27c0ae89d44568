"""A mechanism's implementation, loaded once more on traced primitives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import CodeType, MemberDescriptorType
from typing import Any

from wheelproof import isolated
from wheelproof.errors import UsageError
from wheelproof.loading import Code, Loaded
from wheelproof.project.mechanism import Mechanism
from wheelproof.protocols import Harness, Scenario
from wheelproof.python import labels
from wheelproof.python.runtime.fields import classes_of, put_in_front
from wheelproof.trace import declared
from wheelproof.trace.recording import traced, traced_fields
from wheelproof.trace.recording.grain import Grain
from wheelproof.trace.recording.recorder import ENDS, Recorder

PATIENCE_SECONDS = 60
"""How long a thread of a directed run may take to its next step before the run is given up."""


COMPOSED_PATIENCE_SECONDS = 2
"""The same where locks that the schedule does not know of may make it impossible: the steps of a
mechanism that takes others' operations for single steps."""


_LOCKS = {"lock": "lock_acquire", "try": "lock_acquire", "unlock": "lock_release"}


_TAKES = frozenset(("lock", "try"))


class Traced(Loaded):
    """The modules of one mechanism on traced primitives.

    ``kinds``: the kinds of event to record; None for all that the label tables name. ``mutant``:
    the decision that it lacks. ``directed``: plain fields wait for their turn too. Raises
    UsageError where the mechanism has no such decision or cannot be imported.
    """

    def __init__(
        self,
        mechanisms: Mapping[str, Mechanism],
        mechanism: str,
        mutant: str | None = None,
        kinds: Iterable[str] | None = None,
        by_schedule: bool = False,
    ) -> None:
        if mechanism not in mechanisms:
            raise UsageError(
                f"There is no mechanism {mechanism!r}.",
                f"Known mechanisms: {', '.join(mechanisms)}.",
            )
        self.mechanism, self.mechanisms = mechanisms[mechanism].without(mutant or ""), mechanisms
        self.kinds = None if kinds is None else frozenset(kinds)
        self.labels: dict[str, labels.Labels] = {}
        self._tables: dict[str, Mapping[str, Any]] = {}
        self._shown: dict[str, str] = {}
        self._calls: list[type] = []
        self._wrapped: set[tuple[type, str, str]] = set()
        self.recorder = Recorder(self._event_of)
        self.translator = declared.part("translator")
        self.recorder.observers = self.translator.observers(self.recorder)
        self.recorder.conditions = self.translator.CONDITIONS
        self.recorder.sections = dict(self.translator.SECTIONS.values())
        root = self.mechanism.root
        production = isolated.load(root, isolated.runtime_of(root) or "impl.runtime")
        runtime = traced.runtime_module(self.recorder, production)
        super().__init__(
            root,
            mechanism,
            lambda finder: isolated.replace_runtimes(runtime, finder),
            texts=self.mechanism.modules,
        )
        for code in self.codes:
            self._prepare(code, by_schedule)
        self._wrap(cls for base in self._calls for cls in _family(base))
        atomic = getattr(self.harness_module, "ATOMIC", None) or {}
        self.grain = Grain(atomic, self.harness_module.SUBJECT, self.modules, self.labels)
        self.patience = COMPOSED_PATIENCE_SECONDS if atomic else PATIENCE_SECONDS

    def _prepare(self, code: Code, by_schedule: bool) -> None:
        file, text = code.file, code.text
        self.labels[file] = labels.of_source(text, file)
        self._shown[file] = self.path_of(file)
        tail = code.name.rpartition(".")[2]
        neighbour = None if tail == self.mechanism.name else self.mechanisms.get(tail)
        self._tables[file] = (neighbour or self.mechanism).labels

        def field(member: MemberDescriptorType, volatile: bool) -> object | None:
            if volatile:
                directed, free = traced_fields.DirectedField, traced_fields.VolatileField
                return (directed if by_schedule else free)(member, self.recorder)
            if by_schedule:
                return traced_fields.PlainField(member, self.recorder)
            if self._writes_field(file, text, member.__name__):
                return traced_fields.RecordedField(member, self.recorder)
            return None

        put_in_front(code.module, field)
        for cls in classes_of(code.module):
            if "__slots__" in vars(cls):
                self.recorder.known.add(cls)
            if cls.__name__ in self.translator.CALLS:
                self._calls.append(cls)

    def _writes_field(self, file: str, text: str, field: str) -> bool:
        """Whether some labelled write of a plain field is an event, or some other access."""
        lines = text.splitlines()
        return any(
            "write" in kinds
            and self._event_of_label(file, kinds["write"])
            and re.search(rf"\.{field}\s*=[^=]", lines[line - 1])
            or self._access(file, kinds)
            and re.search(rf"\.{field}\b", lines[line - 1])
            for line, kinds in self.labels[file].items()
        )

    def _event_of_label(self, file: str, label: str) -> str:
        row = self._tables[file].get(label)
        return row.event if row is not None else ""

    def _access(self, file: str, kinds: Mapping[str, str]) -> tuple[str, str] | None:
        """The label of a line's access of a plain field, with its kind of event; None where the
        access is none."""
        for kind in ("read", "change"):
            if (label := kinds.get(kind)) is not None:
                event = self._event_of_label(file, label)
                if event in self.translator.ACCESSES:
                    return label, event
        return None

    def _wrap(self, classes: Iterable[type]) -> None:
        """Put a recording method in the place of each that CALLS names, in the class that has it
        for these classes: a base, or one that is mixed in."""
        for cls in list(classes):
            for base in cls.__mro__:
                for method, event, values, after in self.translator.CALLS.get(base.__name__, ()):
                    definer = (
                        base
                        if method == "__init__"
                        else next(ancestor for ancestor in cls.__mro__ if method in vars(ancestor))
                    )
                    if (definer, method, event) not in self._wrapped and method in vars(definer):
                        self._wrapped.add((definer, method, event))
                        setattr(
                            definer,
                            method,
                            traced_fields.recorded_call(
                                self.recorder, vars(definer)[method], event, values, after
                            ),
                        )

    def _event_of(self, code: CodeType, line: int, operation: str) -> tuple[str, str, str]:
        """Label, kind of event and place of an operation on a line; the kind is "" where nothing is
        to be recorded."""
        file = code.co_filename
        if operation.startswith("call "):
            event = operation.removeprefix("call ")
            return (
                "",
                event if self.kinds is None or event in self.kinds else "",
                f"{self._shown.get(file, Path(file).name)}:{line}",
            )
        where = f"{self._shown.get(file, Path(file).name)}:{line}"
        if operation == "get":
            label, event = self._access(file, self.labels.get(file, {}).get(line, {})) or ("", "")
            return label, event if self.kinds is None or event in self.kinds else "", where
        label = (
            self.labels.get(file, {})
            .get(line, {})
            .get("lock" if operation == "wait" else operation, "")
        )
        row = self._tables.get(file, {}).get(label) if label else None
        kind = None if label else self._kind_without_label(code.co_qualname, operation)
        if kind is not None:
            event = kind
        elif operation == "wait":
            event = "lock_wait"
        elif row is not None and (row.kind == operation or {row.kind, operation} == _TAKES):
            event = row.event
        elif label:  # a mutant's step of another kind: it does not do what the event says
            event = _LOCKS.get(operation, "")
        else:
            event = _LOCKS.get(operation, "")
        if self.kinds is not None and event not in self.kinds:
            event = ""
        return label, event, where

    def _kind_without_label(self, function: str, operation: str) -> str | None:
        """The kind of event of an operation on a line without a label, "" for none; None where the
        project leaves it to the tool. A section is an event where its lock is given back."""
        if function in self.translator.SECTIONS:
            return self.translator.SECTIONS[function][0] if operation in ENDS else ""
        kind: str | None = self.translator.UNLABELLED.get((function, operation))
        return kind

    def set_up(self, scenario: Scenario) -> Harness:
        """The scenario's Harness. Operations before the recorder begins are not recorded."""
        harness = super().set_up(scenario)
        self._wrap({type(value) for value in list(self.recorder.objects.values())})
        return harness


def _family(cls: type) -> list[type]:
    """A class and all that derive from it."""
    family: list[type] = [cls]
    below: type
    for below in cls.__subclasses__():
        family += _family(below)
    return family
