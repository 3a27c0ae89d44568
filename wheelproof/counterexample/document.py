"""A counterexample: one run of a scenario that violates a property, step by step.

The file has the schema `wheelproof.counterexample/2`. Values are texts, because each layer has a
notation of its own and a counterexample is read and replayed, never computed with. Names are names:
commands, files and tests are made with them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wheelproof import documents
from wheelproof.choices import Choice, labelled

SCHEMA = "wheelproof.counterexample/2"
_SOURCE = re.compile(r"[^:]+:[1-9][0-9]{0,8}")


@dataclass(frozen=True)
class Step:
    """One step of one thread.

    `kind` is the label's (lock, read ...); `source` is "path:line" in the project.

    `changes` maps a place ("next[e1]") to its text before and after the step. `access`: of the two
    that race, the one in this step; "" elsewhere. `choice`: the values chosen by the step.
    """

    thread: str
    label: str
    kind: str
    source: str | None = None
    changes: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    access: str = ""
    choice: Choice = ()

    @property
    def named(self) -> str:
        """The label, with the choice."""
        return labelled(self.label, self.choice)


@dataclass(frozen=True)
class Wait:
    """A thread that cannot move in the last state.

    `label` and `source`: its next step. `places`: the variables that it waits for; () if no single
    one keeps it. `holders`: the threads that their values name. `locals`: its own variables with
    another value than initially.
    """

    thread: str
    label: str
    source: str | None
    places: tuple[str, ...]
    holders: tuple[str, ...]
    locals: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Counterexample:
    """The run."""

    mechanism: str
    layer: str
    name: str
    scenario: str
    property: str
    explanation: str
    threads: tuple[str, ...]
    initial: Mapping[str, str]
    steps: tuple[Step, ...]
    model_without: str = ""
    """The decision that model and specification lack; "" for none."""
    impl_without: str = ""
    """The decision that the implementation lacks; "" for none."""
    loop: int | None = None
    """None for a finite run, else the index in `steps` to which the last step returns; len(steps)
    where the run stays in its last state for ever.
    """
    schedule: tuple[str, ...] = ()
    """The threads of all steps of an implementation that takes more than the model has; () where it
    takes those in `steps`.
    """
    waits: tuple[Wait, ...] = ()
    """The waits of each thread that has not ended at a deadlock."""
    says: tuple[str, ...] = ()
    """Sentences of the property on the last state."""

    def is_declared(self) -> bool:
        """Whether ``explanation`` is a mutant's declaration, which no check has compared."""
        return self.layer == "mutant" and bool(self.explanation)

    def ends_at(self) -> tuple[str, ...]:
        """The labels of the end, in their order: those that threads wait at in a deadlock, those of
        a cycle, or that of the last step."""
        if self.waits:
            return tuple(sorted({wait.label for wait in self.waits}))
        last = self.steps[-1:] if self.loop is None else self.steps[self.loop :]
        return tuple(sorted({step.label for step in last}))

    def document(self) -> dict[str, Any]:
        """The document of the schema."""
        return {
            "schema": SCHEMA,
            "mechanism": self.mechanism,
            "layer": self.layer,
            "name": self.name,
            "scenario": self.scenario,
            "model_without": self.model_without,
            "impl_without": self.impl_without,
            "verdict": "violated",
            "property": self.property,
            "explanation": self.explanation,
            "threads": list(self.threads),
            "initial": dict(self.initial),
            "steps": [
                {
                    "thread": step.thread,
                    "label": step.label,
                    "kind": step.kind,
                    "source": step.source,
                    "changes": {place: list(values) for place, values in step.changes.items()},
                    **({"access": step.access} if step.access else {}),
                    **({"choice": list(step.choice)} if step.choice else {}),
                }
                for step in self.steps
            ],
            "loop": self.loop,
            **({"schedule": list(self.schedule)} if self.schedule else {}),
            **({"waits": [_waiting(wait) for wait in self.waits]} if self.waits else {}),
            **({"says": list(self.says)} if self.says else {}),
        }

    def write(self, path: Path) -> None:
        """Writes the file, whole or not at all."""
        documents.write(path, self.document())


def read(path: Path) -> Counterexample:
    """The counterexample in a file; a UsageError names the file and the field that is wrong."""
    document = documents.read(path, SCHEMA)
    if (verdict := document.text("verdict")) != "violated":
        raise document.fault("verdict", f"must be 'violated', not {verdict!r}")
    threads = document.words("threads")
    if len(set(threads)) != len(threads):
        raise document.fault("threads", "names a thread twice")
    steps = tuple(_step(record, threads) for record in document.objects("steps"))
    return Counterexample(
        mechanism=document.word("mechanism"),
        layer=document.word("layer"),
        name=document.title("name"),
        scenario=document.word("scenario"),
        model_without=document.optional_word("model_without"),
        impl_without=document.optional_word("impl_without"),
        property=document.word("property"),
        explanation=document.text("explanation"),
        threads=threads,
        initial=document.text_by_name("initial"),
        steps=steps,
        loop=document.optional_index("loop", len(steps)),
        schedule=_schedule(document, threads),
        waits=_waits(document, threads),
        says=document.texts("says") if "says" in document.value else (),
    )


def _waiting(wait: Wait) -> dict[str, Any]:
    return {
        "thread": wait.thread,
        "label": wait.label,
        "source": wait.source,
        "places": list(wait.places),
        "holders": list(wait.holders),
        **({"locals": dict(wait.locals)} if wait.locals else {}),
    }


def _waits(document: documents.Record, threads: tuple[str, ...]) -> tuple[Wait, ...]:
    if "waits" not in document.value:
        return ()
    waits = []
    for record in document.objects("waits"):
        names = (record.text("thread"), *record.texts("holders"))
        if unknown := sorted(set(names) - set(threads)):
            raise record.fault("thread", f"names {unknown[0]!r}, which is no thread")
        waits.append(
            Wait(
                names[0],
                record.text("label"),
                record.optional_text("source"),
                record.texts("places"),
                names[1:],
                record.text_by_name("locals") if "locals" in record.value else {},
            )
        )
    return tuple(waits)


def _schedule(document: documents.Record, threads: tuple[str, ...]) -> tuple[str, ...]:
    if "schedule" not in document.value:
        return ()
    schedule = document.texts("schedule")
    if unknown := sorted(set(schedule) - set(threads)):
        raise document.fault("schedule", f"names {unknown[0]!r}, which is no thread")
    return schedule


def _step(record: documents.Record, threads: tuple[str, ...]) -> Step:
    if (thread := record.text("thread")) not in threads:
        raise record.fault(
            "thread", f"must be one of the threads {', '.join(threads)}, not {thread!r}"
        )
    source = record.optional_text("source")
    if source is not None and not _SOURCE.fullmatch(source):
        raise record.fault("source", f"must be a path, a colon and a line number, not {source!r}")
    changes = record.object("changes")
    return Step(
        thread,
        record.text("label"),
        record.text("kind"),
        source,
        {name: _change(changes, name) for name in changes.value},
        record.optional_text("access") or "",
        record.texts("choice") if "choice" in record.value else (),
    )


def _change(changes: documents.Record, name: str) -> tuple[str, str]:
    values = changes.texts(name)
    if len(values) != 2:
        raise changes.fault(
            name, f"must be the value before and the value after, not {len(values)} values"
        )
    return values[0], values[1]
