"""The meaning of each kind of label, table and field of a declaration, in a sentence.

The reference page is made of these texts and of the fields themselves. A field without one, and a
text without a field, end the making.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields

from wheelproof.project.mechanism import Composed, Config, Fault, Label, Mutant, Property

LABEL_KINDS = {
    "silent": "a step of the specification alone, which the implementation does not have",
    "lock": "takes a lock, for which the thread waits",
    "unlock": "gives a lock back",
    "try": "tries to take something, and waits for nothing",
    "read": "reads a shared field or value",
    "write": "writes one",
    "change": "changes an object that a field holds, in place",
    "update": "reads and writes in one: an atomic addition, a task that is done, time that passes",
    "swap": "writes a value and returns the one before",
    "cas": "writes a value if the present one is the expected one",
    "choose": "takes one of several values: the step has a successor for each",
    "wait": "begins to wait: goes on at once, or falls asleep",
    "wake": "ends a wait: notified, or because the time is up",
    "notify": "lets those go on that wait",
}
"""Kind of a label -> the operation of the step."""

FIELDS: Mapping[type, Mapping[str, str]] = {
    Property: {
        "kind": "one of the kinds above: the table that it stands in",
        "says": "its meaning in words; a text in the place of the table is this field",
        "holds": "`false` marks a non-property, which must fail somewhere",
        "recurs": "`true` asks that a liveness property comes true again and again",
    },
    Label: {
        "kind": "one of the kinds below",
        "event": "the event of recordings that shows the step; it stands in `traces/events.toml`",
    },
    Config: {
        "scenario": "the scenario; without it, the one with the config's name",
        "about": "what the config shows",
        "expect": "`exhaustive` or `violated`",
        "property": "the one property that is checked; without it, all invariants and `NoDeadlock`",
        "without": "the decision that is taken away, or several as `A-and-B`",
        "constants": "values for the constants of `module`",
        "module": "another module than the mechanism's, for refinements",
        "specification": "the formula of that module; without it, `Spec`",
        "fails": "the invariants that this config breaks; it must break each and keep all others",
        "fair": "the threads with fairness, by `Fairness(T)` of the module; without it, all. "
        "Without `property` the config is about `Termination`",
        "keeps": "for a refinement: the mutants that refine too, each with a reason. All others "
        "must be rejected",
        "profile": "`fast` or `nightly`",
        "stress": "`false` leaves the config out of the layer `stress`",
    },
    Mutant: {
        "scenario": "the scenario that kills it",
        "property": "the property that breaks there",
        "race": "the run in words",
        "dies_at": "the labels at which that run ends: of its last step, of the cycle, or of the "
        "threads that a deadlock leaves waiting. Elsewhere the words are about another run",
        "equivalent": "instead of `property`: why it breaks none",
        "data_race": "`true` if the race detector must report it",
        "untraced": "why the trace rules accept a recording of it",
        "profile": "`fast` or `nightly`",
    },
    Composed: {
        "scenario": "the scenario, with the steps of lower mechanisms",
        "about": "what the run shows",
        "mutant": "a decision of a lower mechanism that is taken away, and that the run rejects",
        "equivalent": "why it need not reject that",
        "data_race": "`true` if the race detector must report the mutant",
        "profile": "`fast` or `nightly`",
    },
    Fault: {
        "scenario": "the scenario in which real threads must reveal it",
        "module": "a module of `impl`",
        "changes": "pairs of texts, old and new; each old one stands in the module exactly once",
        "property": "what must fail: `Exclusion`, `Linearizable`, `NoDeadlock`, `NoException`, "
        "`FinalState` or an invariant",
        "without": "instead of `module` and `changes`: a decision that is taken away",
        "about": "what the fault is",
        "profile": "`fast` or `nightly`",
    },
}
"""Declared class -> field -> its meaning."""

ELSEWHERE = frozenset({"name", "decision", "generated", "distinct", "depth"})
"""Fields that no table of a declaration has: keys of tables, names of files, counts."""


def rows(
    kind: type, meanings: Mapping[type, Mapping[str, str]] = FIELDS
) -> list[tuple[str, str, str]]:
    """Each field with its default and its meaning. ValueError where one of them lacks the other."""
    says = dict(meanings[kind])
    faults = []
    for field in fields(kind):
        if field.name in ELSEWHERE:
            continue
        if field.name not in says:
            raise ValueError(f"{kind.__name__}.{field.name} has no meaning in {__name__}")
        plain = field.default
        default = "" if plain in (MISSING, None, "", ()) else str(plain).lower()
        faults.append((field.name, default, says.pop(field.name)))
    if says:
        raise ValueError(f"{__name__}: {kind.__name__} has no field {', '.join(says)}")
    return faults
