"""The rules, family by family, in the order in which they are checked: cheap ones first, those of
order tokens last."""

from traces.bulk import (
    calls,
    clock,
    constants,
    coverage,
    entry,
    lateness,
    levels,
    lists,
    objects,
    operation,
    program,
    row,
    start,
    tokens,
    trace,
    watched_lists,
    watchers,
)
from wheelproof.pipeline.rule import Family, Finding, Rule

FAMILIES: tuple[Family, ...] = (
    row.FAMILY,
    trace.FAMILY,
    trace.BRACKETS,
    program.FAMILY,
    clock.FAMILY,
    clock.READINGS,
    clock.REQUESTS,
    levels.FAMILY,
    constants.FAMILY,
    entry.ENTRIES,
    entry.TASKS,
    entry.CANCELS,
    operation.FAMILY,
    operation.ATTEMPTS,
    calls.FAMILY,
    watchers.FAMILY,
    watched_lists.KEYS,
    watched_lists.MEMBERS,
    lists.LISTS,
    objects.FAMILY,
    tokens.TOTALS,
    tokens.TOKENS,
)
RULES: dict[str, Rule] = {rule.name: rule for family in FAMILIES for rule in family.rules}

__all__ = ["FAMILIES", "RULES", "Family", "Finding", "Rule", "coverage", "lateness", "start"]
