"""A mechanism loaded once more, on primitives and fields that report to a recorder.

The sources are the implementation's own. Where the harness declares stand-ins for the standard
library, the marked imports bring those, as under control: their lines have the labels.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from types import CodeType, MemberDescriptorType, SimpleNamespace
from typing import Any, cast

from wheelproof import isolated
from wheelproof.errors import UsageError
from wheelproof.mapping import marks_of, shared_of
from wheelproof.project.mechanism import Mechanism
from wheelproof.protocols import Harness, HarnessModule, Scenario, Values
from wheelproof.python import labels
from wheelproof.python.runtime import own, production
from wheelproof.python.runtime.fields import classes_of
from wheelproof.trace.recording.grain import Grain
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


class Loaded:
    """One mechanism on a recorder. ``harness``: its harness module.

    Raises UsageError where it cannot be imported.
    """

    def __init__(self, mechanism: Mechanism, recorder: Recorder) -> None:
        self.mechanism, self.recorder = mechanism, recorder
        self.root = mechanism.root
        module = f"harness.{mechanism.name}"
        texts = mechanism.modules
        source = isolated.Finder(self.root, texts).locate(module)
        stand_ins = {} if source is None else production.stand_ins(source[0], str(source[1]))
        if source is not None and (
            names := own.declarations(source[0], str(source[1]), mechanism.name)
        ):
            raise UsageError(
                f"{source[1]}: {own.TABLE} has {', '.join(names)}, which cannot be recorded.",
                "Use the primitives of wheelproof_runtime, which the recorder knows.",
            )

        def compile_module(name: str, text: str, file: str) -> CodeType:
            if stand_ins and name.startswith("impl."):
                text = production.substitute(text, stand_ins)
            return compile(text, file, "exec", dont_inherit=True)

        finder = isolated.Finder(self.root, texts, compile_module)
        name = isolated.runtime_of(self.root)
        inner = isolated.load(self.root, name) if name is not None else None
        runtime = runtime_module(recorder, inner)
        with isolated.apart(finder):
            isolated.replace_runtimes(runtime, finder)
            self.harness = cast(HarnessModule, importlib.import_module(module))
            for name in self.harness.SUBJECT:
                importlib.import_module(name)
            self.modules = isolated.present()
        self._prepare()

    def _prepare(self) -> None:
        label_tables: dict[str, labels.Labels] = {}
        paths: dict[str, str] = {}
        for name, module in self.modules.items():
            spec = module.__spec__
            if spec is None or name.startswith("model") or not spec.origin:
                continue
            if name.startswith("impl."):
                refuse_in(vars(module), self.recorder)
            paths[spec.origin] = Path(spec.origin).relative_to(self.root).as_posix()
            text = spec.loader.get_source(name)  # type: ignore[union-attr]
            label_tables[spec.origin] = labels.of_source(text, paths[spec.origin])
            for cls in classes_of(module):
                for field in marks_of(cls):
                    member = vars(cls).get(field)
                    if isinstance(member, MemberDescriptorType):
                        setattr(cls, field, Field(member, self.recorder))
        atomic = getattr(self.harness, "ATOMIC", None) or {}
        self.recorder.grain = Grain(atomic, self.harness.SUBJECT, self.modules, label_tables)
        self.recorder.shown = paths

    @property
    def delays(self) -> bool:
        """Whether the model delays stores, which real threads see at once: then the objects are in
        no state of the model."""
        return bool(getattr(self.harness, "MEMORY", ()))

    def set_up(self, scenario: Scenario) -> Harness:
        """The scenario's objects. Nothing of this is recorded."""
        return self.harness.Harness(scenario, self._implementation())

    def shared(self, harness: Harness) -> Mapping[str, Values]:
        """The model's view of the objects."""
        return shared_of(self.harness)(harness)

    def _implementation(self) -> SimpleNamespace:
        modules = [self.modules[name] for name in self.harness.SUBJECT]
        return SimpleNamespace(
            **{
                name: value
                for module in modules
                for name, value in vars(module).items()
                if not name.startswith("__")
            }
        )
