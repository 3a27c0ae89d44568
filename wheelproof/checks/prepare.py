"""The modules of a verification, translated and exported before the jobs start, by few JVMs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from wheelproof import project, reading
from wheelproof.checks.context import Wanted
from wheelproof.errors import WheelproofError
from wheelproof.tla import export
from wheelproof.tla.export import Source
from wheelproof.tlc import translation


def modules(mechanisms: Sequence[project.Mechanism], profile: str, wants: Wanted) -> None:
    """Translate every algorithm, and export the modules that will be compiled.

    ``wants``: whether one of some layers is to be checked.
    """
    translation.prepare(algorithms(mechanisms))
    export.prepare(trees(mechanisms, profile, wants))


def models(mechanisms: Sequence[project.Mechanism]) -> None:
    """Make one model of each mechanism that has none by hand, with its properties.

    Raises UsageError where its specification is outside of the subset that is compiled.
    """
    for mechanism in mechanisms:
        if mechanism.by_hand:
            continue
        model = mechanism.compiled_model(next(iter(mechanism.scenarios.values())))
        for item in mechanism.properties.values():
            if item.kind in ("invariant", "liveness"):
                model.predicate(item.name)
        for name in mechanism.witnesses:
            model.predicate(name)


def algorithms(mechanisms: Sequence[project.Mechanism]) -> Iterator[str]:
    """The modules to translate: each mechanism's, as it is and without each decision."""
    for mechanism in mechanisms:
        yield reading.text(mechanism.spec)
        lacking = {item.decision for item in mechanism.mutants.values()} | {
            item.without for item in mechanism.configs.values()
        }
        for decision in sorted(lacking - {""}):
            texts = mechanism.without(decision).texts
            yield from (text for file, text in texts.items() if file.endswith(".tla"))


def trees(mechanisms: Sequence[project.Mechanism], profile: str, wants: Wanted) -> Iterator[Source]:
    """The modules to compile, for a graph or for the false part of an invariant.

    A module that cannot be read is reported by the job that needs it.
    """
    for mechanism in mechanisms:
        lacking = {""} if wants("graph") or not mechanism.by_hand else set()
        if wants("graph"):
            lacking |= {item.without for item in mechanism.configs.values() if not item.module}
        if wants("mutant"):
            lacking |= {
                item.decision
                for item in mechanism.mutants.values()
                if item.profile in ("fast", profile)
            }
        for decision in sorted(lacking):
            mutation = mechanism.without(decision)
            with contextlib.suppress(WheelproofError):
                yield export.source(mutation.checked, mutation.specs)
