"""Which instances were enough once: numbers that spare a proof its search.

A proof tries them first, and searches where they are not enough. Both solvers refute the condition
from the instances alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from wheelproof.prove.ts.instances import needed, taken
from wheelproof.prove.ts.shortcuts import Shortcuts
from wheelproof.prove.ts.system import Condition, System

Numbers = Sequence[Sequence[int]]
"""Numbers of instances, as `ground.Instance` has them."""

INSTANCES: Shortcuts[dict[str, Numbers]] = Shortcuts("instances.json", dict)
"""System -> condition -> the instances that it is made of. The last that are heard count: those
before were not enough."""


def instantiated(system: System, condition: Condition) -> Condition:
    """The condition with the instances that were enough once, or with those of a search.

    The former may not be enough any more: then `searched` finds others.
    """
    name = type(system).__name__
    numbers = INSTANCES.known().get(name, {}).get(condition.name)
    ground = taken(system, condition, numbers) if numbers else None
    if numbers is None or ground is None:
        return searched(system, condition)
    INSTANCES.hear(name, condition.name, numbers)
    return ground


def searched(system: System, condition: Condition) -> Condition:
    """The condition with the instances that it needs: see `instances.needed`."""
    ground, numbers = needed(system, condition)
    INSTANCES.hear(type(system).__name__, condition.name, numbers)
    return ground
