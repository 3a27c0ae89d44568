"""The rules, family by family: the form of a history, and the properties of the elector.

A property has the name that it has in ``spec/Controller.toml`` and in ``real/chaos/judge.py``.
"""

from wheelproof.pipeline.rule import Family, Finding, Rule

from . import answers, candidates, coverage, elections, order, start

FAMILIES: tuple[Family, ...] = (
    order.THREADS,
    elections.FAMILY,
    candidates.FAMILY,
    answers.FAMILY,
)
RULES: dict[str, Rule] = {rule.name: rule for family in FAMILIES for rule in family.rules}

__all__ = ["FAMILIES", "RULES", "Family", "Finding", "Rule", "coverage", "start"]
