"""The options of a run, and the changes that it draws."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from wheelproof import reading
from wheelproof.errors import NothingChecked, UsageError
from wheelproof.mutate import binding_changes, pluscal_changes, python_changes
from wheelproof.mutate.change import Change
from wheelproof.mutate.finding import Judged
from wheelproof.mutate.group import Group
from wheelproof.mutate.plan import Plan


@dataclass(frozen=True)
class Options:
    """The options of a run."""

    mechanisms: tuple[str, ...]
    artefacts: tuple[str, ...]
    count: int
    """Changes drawn for each mechanism and artefact."""
    seed: int
    root: Path
    output: Path
    jobs: int = 2
    profile: str = "fast"
    """As in ``Plan``."""
    bound: int = 100_000
    """As in ``Plan``."""
    minutes: float = 0.0
    """Wall time after which no further change is begun, 0 for none."""
    limit: float = 900.0
    """Seconds of wall time for one change."""
    tests: bool = True
    """Whether unit tests take part."""
    stage: int = 9
    """The last stage of checks that takes part."""
    keys: tuple[str, ...] = ()
    """The changes to judge; nothing is drawn then."""
    total: int = 0
    """Changes of each artefact over all groups, in the place of ``count``."""


@dataclass
class Drawn:
    """One group's changes: all of them, those drawn, and the result of each that was judged."""

    group: Group
    every: list[Change]
    sample: list[Change]
    ended: dict[str, Judged] = field(default_factory=dict)
    controls: dict[str, Judged] = field(default_factory=dict)

    def changes_of_words(self, *words: str) -> list[Change]:
        return [
            change
            for change in self.sample
            if change.key in self.ended and self.ended[change.key].finding.word in words
        ]


def makers(artefact: str) -> ModuleType:
    """The module that has ``changes`` and ``planted`` of the artefact's language."""
    return {"spec": pluscal_changes, "jvm": binding_changes}.get(artefact, python_changes)


def changes_of(root: Path, group: Group) -> list[Change]:
    """Every change of a group's files."""
    out: list[Change] = []
    for file in group.files:
        make = makers(group.artefact).changes
        out += make(reading.text(root / file), file, group.artefact)
    return out


def draw(options: Options, root: Path, plan: Plan) -> list[Drawn]:
    """The groups with their changes, some of each drawn by the seed.

    Raises NothingChecked where there is none.
    """
    out = []
    groups = plan.groups(options.mechanisms, options.artefacts)
    changes = {group: changes_of(root, group) for group in groups}
    numbers = dict.fromkeys(groups, options.count)
    if options.total:
        for artefact in options.artefacts:
            of_artefact = {
                group: len(every)
                for group, every in changes.items()
                if group.artefact == artefact and every
            }
            numbers |= dict(zip(of_artefact, shares(options.total, list(of_artefact.values()))))
    for group, every in changes.items():
        order = random.Random(f"{options.seed} {group.mechanism} {group.artefact}").sample(
            every, len(every)
        )
        if options.keys:
            out.append(
                Drawn(group, every, [change for change in every if change.key in options.keys])
            )
            continue
        sample: list[Change] = []
        for change in order:
            if len(sample) == numbers[group]:
                break
            if makers(group.artefact) is not python_changes or python_changes.parses(change):
                sample.append(change)
        out.append(Drawn(group, every, sample))
    if unknown := set(options.keys) - {change.key for draw_ in out for change in draw_.sample}:
        raise UsageError(
            f"No file has the change {', '.join(sorted(unknown))}.",
            "The text around it was edited; --list shows what there is.",
        )
    if not any(draw_.sample for draw_ in out):
        raise NothingChecked(
            "No change was drawn.", "Choose other mechanisms or artefacts, or a larger --count."
        )
    return [draw_ for draw_ in out if draw_.sample]


def shares(total: int, sizes: list[int]) -> list[int]:
    """``total`` split in proportion to ``sizes``, by the largest remainder.

    Each gets one at least, and none more than it has.
    """
    if total < len(sizes):
        raise UsageError(
            f"{total} changes are fewer than the {len(sizes)} groups of files.",
            "Give a larger --total, or choose mechanisms.",
        )
    rest, more = total - len(sizes), [size - 1 for size in sizes]
    exact = [min(count, rest * count / max(1, sum(more))) for count in more]
    shares = [int(share) for share in exact]
    for number in sorted(range(len(sizes)), key=lambda number: shares[number] - exact[number])[
        : max(0, min(rest, sum(more)) - sum(shares))
    ]:
        shares[number] += 1
    return [1 + share for share in shares]
