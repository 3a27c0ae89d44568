"""The elector as it is, and electors with a decision of ``mutants/controller/`` taken away."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from real.chaos.processes import ROOT
from wheelproof import decisions
from wheelproof.decisions.read import short_names
from wheelproof.errors import UsageError

MECHANISM, MODULE = "controller", "Controller"
SOURCES = "impl"

CONTROLS = (
    "NoFence",
    "FencesByValue",
    "WritesAnyVersionOfPartition",
    "DoesNotKnowItself",
    "TakesAnothersNode",
    "TwoRequests",
    "KeepsNode",
    "Persists",
)
"""The decisions whose absence each run finds."""


class Variant(NamedTuple):
    """An elector."""

    name: str
    folder: Path
    """The folder of its package ``impl``."""
    broken: frozenset[str] = frozenset()
    """The properties of which a violation must be found."""


AS_IT_IS = Variant("as it is", ROOT)


def names() -> list[str]:
    """The decisions that can be taken away."""
    return sorted(file.stem for file in (ROOT / "mutants" / MECHANISM).glob("*.md"))


def without(name: str, output: Path) -> Variant:
    """The elector without a decision: a package ``impl`` in ``output``, changed as its file says.

    Files that are not changed are links.

    Raises UsageError where there is no such decision, or its changes do not fit.
    """
    if name not in names():
        raise UsageError(
            f"There is no decision {name!r}.", f"Name one of these: {', '.join(names())}."
        )
    file = ROOT / "mutants" / MECHANISM / f"{name}.md"
    decision = decisions.read(file, short_names(MECHANISM, MODULE))
    folder = output / name
    (folder / SOURCES).mkdir(parents=True)
    texts = decision.texts(ROOT, ".py")
    for source in (ROOT / SOURCES).glob("*.py"):
        place = f"{SOURCES}/{source.name}"
        if place in texts:
            (folder / place).write_text(texts[place], encoding="utf-8")
        else:
            (folder / place).symlink_to(source)
    properties = frozenset(str(mutant["property"]) for mutant in decision.mutants.values())
    return Variant(name, folder, properties)
