"""Controls: every claimed property is checked in some config, and violated in another.

A property that no run can violate is empty: its antecedent may never hold, or no config may check
it. A property that is declared not to hold must be violated.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from wheelproof import isolated, reading
from wheelproof.checks.context import Context
from wheelproof.checks.jobs import kind_of
from wheelproof.project.mechanism import Mechanism, Property
from wheelproof.verdict import Row, Verdict

WORDS = re.compile(r"\w+")
ALGORITHM = re.compile(r"--(?:fair )?algorithm\b.*?\bend algorithm\b", re.DOTALL)
WAITS = re.compile(r"\b(?:await|when|with)\b")


def controls(context: Context) -> Row:
    """The row over all configs and mutants of all profiles. Their own rows show that each fails."""
    mechanism = context.mechanism
    start = context.begin("tlc", "controls")
    claims_made, denials = claims(mechanism)
    names = {item.name for item in claims_made}
    parts = {
        "checked": {item.name for item in claims_made if is_checked(mechanism, item)},
        "shown": violations(mechanism) & names,
        "plain": plainly_violated(mechanism) & set(denials),
    }
    faults = lacking(claims_made, denials, **parts)
    rejections = {
        f"{name} not {part}": any(
            name in WORDS.findall(fault)
            for fault in lacking(claims_made, denials, **{**parts, part: having - {name}})
        )
        for part, having in parts.items()
        for name in sorted(having)
    }
    return context.row(
        "tlc",
        "controls",
        start,
        expected="exhaustive",
        verdict=Verdict.VACUOUS if faults else Verdict.EXHAUSTIVE,
        why="; ".join(faults),
        controls=rejections,
        figures={"properties": len(claims_made), "non_properties": len(denials)},
    )


def lacking(
    claims: Sequence[Property],
    denials: Sequence[str],
    checked: Collection[str],
    shown: Collection[str],
    plain: Collection[str],
) -> list[str]:
    """The properties that no config or mutant shows, as sentences.

    ``checked``: the properties that some config expects to hold. ``shown``: those that some config
    or mutant violates. ``plain``: those that a config violates with every decision in place.
    """
    names = [item.name for item in claims]
    lists = {
        "no config checks {}": [name for name in names if name not in checked],
        "no config and no mutant shows that {} can fail": [
            name for name in names if name not in shown
        ],
        "no config shows that {} fails, which is declared not to hold": [
            name for name in denials if name not in plain
        ],
    }
    faults = [message.format(", ".join(names)) for message, names in lists.items() if names]
    if any(item.kind == "race" and item.name not in shown for item in claims):
        faults.append("a mutant of what the lock guards shows a race with data_race = true")
    return faults


def claims(mechanism: Mechanism) -> tuple[list[Property], list[str]]:
    """The properties that have to hold, but those that cannot fail, and the names of the others."""
    properties = [
        item
        for item in mechanism.properties.values()
        if item.holds and (item.kind not in POSSIBLE or POSSIBLE[item.kind](mechanism))
    ]
    return properties, [item.name for item in mechanism.properties.values() if not item.holds]


def has_plain_fields(mechanism: Mechanism) -> bool:
    """Whether the implementation has fields on which the detector can find a race.

    Its classes mark them ``Plain``. The detector does not watch those of modules that are atomic:
    by the harness's ATOMIC, or where there are composed runs by its COMPOSED.
    """
    if mechanism.in_java:
        return False
    harness = isolated.load(mechanism.root, f"harness.{mechanism.name}")
    atomic = getattr(harness, "ATOMIC", {})
    modules = {name for name in harness.SUBJECT if name not in atomic}
    if any(entry.raced and not entry.mutant for entry in mechanism.composed.values()):
        modules |= {*harness.SUBJECT, *atomic} - set(getattr(harness, "COMPOSED", ()))
    values = [
        value for name in modules for value in vars(isolated.load(mechanism.root, name)).values()
    ]
    classes = [value for value in values if isinstance(value, type) and value.__module__ in modules]
    return any(
        str(mark).partition("[")[0].rpartition(".")[2] == "Plain"
        for class_ in classes
        for mark in vars(class_).get("__annotations__", {}).values()
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


def is_checked(mechanism: Mechanism, claim: Property) -> bool:
    """Whether some config expects the property to hold.

    Safety configs check all invariants and deadlock, their random schedules check races.
    """
    expecting = [config for config in mechanism.configs.values() if config.expect == "exhaustive"]
    if claim.kind in ("liveness", "refinement"):
        return any(config.property == claim.name for config in expecting)
    return any(kind_of(mechanism, config) == "config" for config in expecting)


def violations(mechanism: Mechanism) -> set[str]:
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
