"""``wheelproof list --update-plan``: the plan made of the declarations, and its changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from wheelproof.checks import planned as planning
from wheelproof.checks import prove
from wheelproof.jvm.tasks import tasks
from wheelproof.project import planned
from wheelproof.project.mechanism import Mechanism


def update(root: Path, mechanisms: Mapping[str, Mechanism], whole: bool) -> int:
    """Write the plan of these mechanisms, and print its changes; 0.

    ``whole``: they are all that the project has, so that the plan keeps no other.
    """
    before = planned.read(root / "spec") or {}
    theorems = prove.declared(root)
    after = {} if whole else dict(before)
    after |= {
        name: planning.declarations(mechanism, theorems) for name, mechanism in mechanisms.items()
    }
    for line in planned.differences(before, after):
        print(line)
    planned.write(root / "spec", after)
    rows = sum(map(len, after.values()))
    state = "written" if before != after else "as it was"
    print(f"{root / 'spec' / planned.FILE}: {rows:,} checks, {state}")
    return 0


def add(root: Path, mechanism: Mechanism) -> None:
    """Add a mechanism without theorems to the project's plan.

    A project whose other mechanisms have no plan gets none.
    """
    there = planned.read(root / "spec")
    if there is None and len(list((root / "spec").glob("*.toml"))) > 1:
        return
    planned.write(
        root / "spec", {**(there or {}), mechanism.name: planning.declarations(mechanism, ())}
    )


def losses(
    root: Path, mechanisms: Iterable[Mechanism], release: str = ""
) -> frozenset[tuple[str, str, str]]:
    """The checks of layer jvm that the plan has and no declaration: (mechanism, layer, name).

    ``release``: those of this release only.
    """
    tasks_by_mechanism = {mechanism.name: tasks(mechanism) for mechanism in mechanisms}
    return frozenset(
        (mechanism, layer, name)
        for mechanism, rows in (planned.read(root / "spec") or {}).items()
        for layer, name in rows
        if layer == "jvm" and name not in tasks_by_mechanism.get(mechanism, {})
        if f"@{release}" in name
    )
