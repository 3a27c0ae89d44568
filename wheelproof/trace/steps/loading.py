"""A mechanism loaded once more, on primitives and fields that report to a recorder.

The sources are the implementation's own. Where the harness declares stand-ins for the standard
library, the marked imports bring those, as under control: their lines have the labels.
"""

from __future__ import annotations

from types import CodeType, MemberDescriptorType
from typing import Any

from wheelproof import isolated
from wheelproof.loading import Loaded
from wheelproof.project.mechanism import Mechanism
from wheelproof.python import labels
from wheelproof.python.runtime import own, production
from wheelproof.python.runtime.fields import put_in_front
from wheelproof.trace.recording.grain import Grain
from wheelproof.trace.steps.moments import Moments, add
from wheelproof.trace.steps.primitives import runtime_module
from wheelproof.trace.steps.recorder import Recorder, frame_of
from wheelproof.trace.steps.unrecorded import refuse_in


class Field:
    """Stands in front of a marked field's slot: each labelled access is one moment."""

    __slots__ = ("_get", "_set", "name", "recorder")

    def __init__(self, member: MemberDescriptorType, recorder: Recorder) -> None:
        self.recorder, self.name = recorder, member.__name__
        self._get, self._set = member.__get__, member.__set__

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        if instance is None:
            return self
        recorder = self.recorder
        actor = recorder.actor
        if actor is None:
            return self._get(instance)
        frame = frame_of(1)
        step = recorder.arrive(actor, frame, "read")
        if step is None:
            return self._get(instance)
        word = (instance, self.name, "r")
        return recorder.perform(actor, step, frame, lambda: self._get(instance), word)

    def __set__(self, instance: object, value: object) -> None:
        recorder = self.recorder
        actor = recorder.actor
        if actor is None:
            self._set(instance, value)
            return
        frame = frame_of(1)
        step = recorder.arrive(actor, frame, "write")
        word = (instance, self.name, "w")
        recorder.perform(actor, step, frame, lambda: self._set(instance, value), word)


class Subject(Loaded):
    """One mechanism on a recorder. Raises UsageError where it cannot be imported."""

    def __init__(self, mechanism: Mechanism, recorder: Recorder) -> None:
        self.recorder = recorder
        self._stand_ins: dict[str, str] = {}
        super().__init__(
            mechanism.root,
            mechanism.name,
            self._prepare,
            texts=mechanism.modules,
            compiler=self._compile,
        )
        label_tables: dict[str, labels.Labels] = {}
        for code in self.codes:
            if code.name in self._own.modules:
                continue
            if code.name.startswith("impl."):
                refuse_in(vars(code.module), recorder)
            label_tables[code.file] = labels.of_source(code.text, self.path_of(code.file))
            put_in_front(code.module, lambda member, volatile: Field(member, recorder))
        atomic = getattr(self.harness_module, "ATOMIC", None) or {}
        recorder.grain = Grain(atomic, self.harness_module.SUBJECT, self.modules, label_tables)
        recorder.shown = {file: self.path_of(file) for file in label_tables}

    def _prepare(self, finder: isolated.Finder) -> None:
        """Make the primitives, those of the project among them."""
        source = finder.locate(f"harness.{self.name}")
        assert source is not None
        text, file = source[0], str(source[1])
        self._stand_ins = production.stand_ins(text, file)
        table = own.declarations(text, file, self.name)
        home = isolated.runtime_of(self.root)
        inner = isolated.load(self.root, home, finder.texts) if home is not None else None
        moments = Moments(self.recorder)
        runtime = runtime_module(moments, self.recorder, inner)
        isolated.replace_runtimes(runtime, finder)
        self._own = add(moments, table, runtime, finder)

    def _compile(self, name: str, text: str, file: str) -> CodeType:
        if self._stand_ins and name.startswith("impl."):
            text = production.substitute(text, self._stand_ins)
        return compile(text, file, "exec", dont_inherit=True)

    @property
    def delays(self) -> bool:
        """Whether the model delays stores, which real threads see at once: then the objects are in
        no state of the model."""
        return bool(getattr(self.harness_module, "MEMORY", ()))
