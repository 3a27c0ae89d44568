"""Controls: every claimed property is checked in some config, and violated in another.

A property that no run can violate is empty: its antecedent may never hold, or no config may check
it. A property that is declared not to hold must be violated.
"""

from __future__ import annotations

import re

from wheelproof import isolated, reading
from wheelproof.checks.context import Context
from wheelproof.checks.jobs import kind_of
from wheelproof.project.mechanism import Mechanism, Property
from wheelproof.verdict import Row, Verdict

ALGORITHM = re.compile(r"--(?:fair )?algorithm\b.*?\bend algorithm\b", re.DOTALL)
WAITS = re.compile(r"\b(?:await|when|with)\b")


def controls(context: Context) -> Row:
    """The row over all configs and mutants of all profiles. Their own rows show that each fails."""
    mechanism = context.mechanism
    started = context.begin("tlc", "controls")
    claimed, denied = claims(mechanism)
    shown = violated(mechanism)
    lists = {
        "no config checks {}": [item.name for item in claimed if not checked(mechanism, item)],
        "no config and no mutant shows that {} can fail": [
            item.name for item in claimed if item.name not in shown
        ],
        "no config shows that {} fails, which is declared not to hold": [
            name for name in denied if name not in plainly_violated(mechanism)
        ],
    }
    faults = [message.format(", ".join(names)) for message, names in lists.items() if names]
    if any(item.kind == "race" and item.name not in shown for item in claimed):
        faults.append("a mutant of what the lock guards shows a race with data_race = true")
    return context.row(
        "tlc",
        "controls",
        started,
        expected="exhaustive",
        verdict=Verdict.VACUOUS if faults else Verdict.EXHAUSTIVE,
        why="; ".join(faults),
        figures={"properties": len(claimed), "non_properties": len(denied)},
    )


def claims(mechanism: Mechanism) -> tuple[list[Property], list[str]]:
    """The properties that have to hold, but those that cannot fail, and the names of the others."""
    claimed = [
        item
        for item in mechanism.properties.values()
        if item.holds and (item.kind not in POSSIBLE or POSSIBLE[item.kind](mechanism))
    ]
    return claimed, [item.name for item in mechanism.properties.values() if not item.holds]


def has_plain_fields(mechanism: Mechanism) -> bool:
    """Whether the implementation has fields on which the detector can find a race.

    Its classes mark them ``Plain``. The detector does not watch those of modules that are atomic:
    by the harness's ATOMIC, or where there are composed runs by its COMPOSED.
    """
    if mechanism.in_java:
        return False
    harness = isolated.load(mechanism.root, f"harness.{mechanism.name}")
    atomic = getattr(harness, "ATOMIC", {})
    watched = {name for name in harness.SUBJECT if name not in atomic}
    if any(entry.raced and not entry.mutant for entry in mechanism.composed.values()):
        watched |= {*harness.SUBJECT, *atomic} - set(getattr(harness, "COMPOSED", ()))
    found = [
        value for name in watched for value in vars(isolated.load(mechanism.root, name)).values()
    ]
    classes = [value for value in found if isinstance(value, type) and value.__module__ in watched]
    return any(
        str(mark).partition("[")[0].rpartition(".")[2] == "Plain"
        for each in classes
        for mark in vars(each).get("__annotations__", {}).values()
    )


def can_wait(mechanism: Mechanism) -> bool:
    """Whether a step of the specification may have to wait: no thread is stuck otherwise.

    PlusCal waits at `await`, at `when`, and at a choice from a set that may be empty. A module
    without an algorithm is taken to wait.
    """
    text = reading.text(mechanism.spec)
    algorithm = ALGORITHM.search(re.sub(r"\\\*.*|\(\*(?!--)[^*]*\*\)", "", text))
    return algorithm is None or WAITS.search(algorithm[0]) is not None


POSSIBLE = {"race": has_plain_fields, "deadlock": can_wait}
"""Built-in properties that some mechanisms cannot break: whether this one can."""


def checked(mechanism: Mechanism, claimed: Property) -> bool:
    """Whether some config expects the property to hold.

    Safety configs check all invariants and deadlock, their random schedules check races.
    """
    expecting = [config for config in mechanism.configs.values() if config.expect == "exhaustive"]
    if claimed.kind in ("liveness", "refinement"):
        return any(config.property == claimed.name for config in expecting)
    return any(kind_of(mechanism, config) == "config" for config in expecting)


def violated(mechanism: Mechanism) -> set[str]:
    """The properties that some config or mutant must violate."""
    names = {
        config.property
        for config in mechanism.configs.values()
        if config.property and config.expect == "violated"
    }
    names |= {mutant.property for mutant in mechanism.mutants.values() if mutant.property}
    races = [mutant.data_race for mutant in mechanism.mutants.values()]
    if any(races) or any(entry.data_race for entry in mechanism.composed.values()):
        names |= {item.name for item in mechanism.properties.values() if item.kind == "race"}
    return names


def plainly_violated(mechanism: Mechanism) -> set[str]:
    """The properties that some config must violate although no decision is taken away."""
    return {
        config.property
        for config in mechanism.configs.values()
        if config.property and config.expect == "violated" and not config.without
    }
