"""A proof's transition system against the model, edge by edge.

A view maps the model's states to those of the proof's system. Every edge of every finite graph of a
mechanism must be a step of that system to the same state, by an action that the view's module names
for the label; or a stutter, where it names that. Every formula of the proof must hold in every
state, and every action must be some edge. The bisimulation shows the implementation's states to be
the model's, so both have the same properties.

These edges carry safety over from the system to the model. For theorems about enabled actions (no
deadlock) the check needs the other direction too: in every state of a graph, a thread with an
enabled action in the system has an edge in the graph. A thread whose program is over has only
actions that begin an operation. The module may name `waits` for a label at which the model waits
where the system does not, and then no theorem of that kind carries over. A view may name an
assumption that its scenario does not keep. Its waits take nothing from theorems with this
assumption. So a state in which the system has an enabled action for a thread within an operation is
no deadlock of the model. Livelock is not covered: the edge may be a stutter.

A project provides `proofs/<mechanism>/view.py`: `SYSTEMS`, the systems of all scenarios,
`ACTIONS`, for each label its actions as a text, and `views(model)`, each a `View` of one scenario.
Its `FREE` names the shared variables whose update a system leaves open, each with the reason.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING

from wheelproof import isolated
from wheelproof.checks.context import COMPARED, Context, Report
from wheelproof.checks.edge_controls import Planted, not_updated, of_table
from wheelproof.graph.explorer import StateGraph
from wheelproof.project.mechanism import Config, Mechanism
from wheelproof.prove.ts.views import STUTTER, WAITS, actions_of, difference, family, table_faults
from wheelproof.prove.variants import Project, within
from wheelproof.verdict import Verdict

if TYPE_CHECKING:
    from wheelproof.prove.ts.concrete import Instance, Move
    from wheelproof.prove.ts.concrete import State as Seen
    from wheelproof.prove.ts.system import System
    from wheelproof.prove.ts.views import View

NAME = "edges"
SHOWN = 3
"""The number of faults that a row shows."""


def declared(mechanism: Mechanism) -> bool:
    """Whether a mechanism's proof has a view of its states."""
    return (mechanism.root / "proofs" / mechanism.name / "view.py").is_file()


def _view_module(mechanism: Mechanism) -> ModuleType:
    with within(Project(mechanism.root)):
        return isolated.load(mechanism.root, f"proofs.{mechanism.name}.view")


def parts(mechanism: Mechanism) -> dict[str, int]:
    """The numbers of systems and formulas that the mechanism's view declares."""
    return numbers(_view_module(mechanism).SYSTEMS)


def numbers(systems: Sequence[type[System]]) -> dict[str, int]:
    names = {name for system in systems for name in formulas_of(system)}
    return {"systems": len(systems), "formulas": len(names)}


def formulas_of(system: type[System] | System) -> list[str]:
    """The names of a system's conjuncts and safety properties."""
    return [*system.conjuncts(), *system.safety()]


@dataclass(frozen=True)
class Falsified:
    """The control of one formula: an instance in whose states it never holds."""

    instance: Instance
    name: str

    @property
    def formulas(self) -> Iterable[str]:
        return self.instance.formulas

    def broken(self, state: Seen, names: Sequence[str]) -> list[str]:
        other_names = [name for name in names if name != self.name]
        false = [self.name] if self.name in names else []
        return [*self.instance.broken(state, other_names), *false]


def refuted(instance: Instance | Falsified, states: Iterable[Seen]) -> dict[str, Seen]:
    """Formula -> the first of the states in which it does not hold."""
    refutations: dict[str, Seen] = {}
    for state in states:
        for name in instance.broken(state, [*instance.formulas]):
            refutations.setdefault(name, state)
    return refutations


def unheard(instance: Instance, state: Seen) -> list[str]:
    """The formulas that are not refuted where they are made false: they are never evaluated."""
    return [
        name
        for name in formulas_of(instance.system)
        if name not in refuted(Falsified(instance, name), [state])
    ]


@dataclass
class Compared:
    """The result of comparing graphs with systems; texts are for a person.

    ``wrong``: edges that are no step. ``broken``: formula -> a state in which it does not hold.
    ``unheard``: formulas whose control, where they are made false, is not refused.
    ``blocked``: threads that have an action and no edge. ``taken``: the methods of actions that are
    some edge, by qualified name: an action that systems share counts once. ``unlike``: system ->
    its first difference but for waits. ``waiting``: system -> its first wait. ``excused``: system,
    assumption -> the first wait in scenarios that do not keep it. The last three are recorded for a
    system and those that it restricts. ``compared``: the names of all compared systems.
    """

    states: int = 0
    edges: int = 0
    wrong: list[str] = field(default_factory=list)
    broken: dict[str, str] = field(default_factory=dict)
    unheard: set[str] = field(default_factory=set)
    blocked: list[str] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    unlike: dict[str, str] = field(default_factory=dict)
    waiting: dict[str, str] = field(default_factory=dict)
    excused: dict[str, dict[str, str]] = field(default_factory=dict)
    compared: set[str] = field(default_factory=set)


def compare(
    view: View, graph: StateGraph, table: Mapping[str, str], tally: Compared, where: str = ""
) -> None:
    """Compare one model graph with one view's system, and add the results to ``tally``."""
    instance = view.instance
    names = family(instance.system)
    tally.compared.update(names)
    before = len(tally.wrong), len(tally.broken)
    states = [view.state(state) for state in graph.states]
    if not instance.initial(states[0]):
        tally.wrong.append(f"{where}: {names[0]} does not start in {instance.named(states[0])}")
    different = dict.fromkeys(states)
    tally.states += len(different)
    for name, state in refuted(instance, different).items():
        tally.broken.setdefault(name, f"{where}: {instance.named(state)}")
    tally.unheard.update(f"{names[0]}.{name}" for name in unheard(instance, states[0]))
    _compare_edges(view, graph, states, table, tally, where)
    if before != (len(tally.wrong), len(tally.broken)):
        first = (
            tally.wrong[before[0]]
            if len(tally.wrong) > before[0]
            else f"{[*tally.broken][before[1]]} does not hold, {where}"
        )
        for name in names:
            tally.unlike.setdefault(name, first)
    _compare_waits(view, graph, states, table, tally, where)


def _compare_edges(
    view: View,
    graph: StateGraph,
    states: list[Seen],
    table: Mapping[str, str],
    tally: Compared,
    where: str,
) -> None:
    """Every edge is a step of the system under its label, or a stutter."""
    instance = view.instance
    visits: set[tuple[Hashable, ...]] = set()
    actions = instance.system.actions()
    of_label = {
        label: [action for action in actions_of(label, table) if action in actions]
        for label in table
    }
    for number, row in enumerate(graph.edges):
        for thread, label, after in row:
            acts = view.acts(thread, graph.states[number])
            edge = (states[number], thread, label, acts, states[after])
            if edge in visits:
                continue
            visits.add(edge)
            names = of_label.get(label, []) if acts else []
            move = next(
                (
                    move
                    for move in instance.moves(states[number], names, thread)
                    if move.after == states[after]
                ),
                None,
            )
            if move is not None:
                tally.taken.add(actions[move.action].method.__qualname__)
            elif states[number] != states[after] or (
                acts and STUTTER not in actions_of(label, table)
            ):
                system = type(instance.system).__name__
                tally.wrong.append(
                    f"{where}: {graph.model.threads[thread]}'s {label} is no step of {system}: "
                    + difference(instance.named(states[number]), instance.named(states[after]))
                )
    tally.edges += len(visits)


def _compare_waits(
    view: View,
    graph: StateGraph,
    states: list[Seen],
    table: Mapping[str, str],
    tally: Compared,
    where: str,
) -> None:
    """A thread without an edge has no action, but for beginning an operation after its end."""
    instance, actions = view.instance, view.instance.system.actions()
    inner = [name for name, action in actions.items() if not action.begins]
    threads = graph.model.threads
    moves: dict[tuple[Hashable, ...], Move | None] = {}
    for index, row in enumerate(graph.edges):
        moving = {thread: label for thread, label, _ in row}
        here, end_count = graph.states[index], 0
        for thread, name in enumerate(threads):
            label = view.pending(thread, here)
            end_count += label is None
            if thread in moving:
                if moving[thread] != label:
                    place = label or "the end of its program"
                    tally.wrong.append(
                        f"{where}: {name} takes {moving[thread]}, and the view shows {place}"
                    )
                    _record(tally.unlike, instance, tally.wrong[-1])
                continue
            if not view.acts(thread, here) and label is not None:
                continue
            key = states[index], thread, label
            if key not in moves:
                acts = (
                    [action for action in actions_of(label, table) if action in actions]
                    if label
                    else []
                )
                moves[key] = next(
                    instance.moves(states[index], [*dict.fromkeys((*acts, *inner))], thread), None
                )
            if (move := moves[key]) is None:
                continue
            place = f"at {label}" if label else "at its end"
            system = type(instance.system).__name__
            wait = f"{where}: {name} waits {place}, and {system} has {move.action} for it"
            if breaks := view.breaks:
                for system_name in family(instance.system):
                    tally.excused.setdefault(system_name, {}).setdefault(breaks, wait)
            else:
                _record(tally.waiting, instance, wait)
            if label is None or WAITS not in actions_of(label, table):
                tally.blocked.append(wait)
        if not row and (end_count == len(threads)) != bool(graph.model.final(here)):
            tally.blocked.append(
                f"{where}: the model {'ends' if graph.model.final(here) else 'is stuck'} where "
                f"{end_count} of {len(threads)} programs are over, seen by {view.name}"
            )
            _record(tally.waiting, instance, tally.blocked[-1])


def star_faults(
    view: View, graph: StateGraph, table: Mapping[str, str]
) -> tuple[list[str], list[str]]:
    """The edges of a small graph that are no steps, and the threads that wait, as texts."""
    tally = Compared()
    states = [view.state(state) for state in graph.states]
    if len(states) > 1:
        _compare_edges(view, graph, states, table, tally, "")
    else:
        _compare_waits(view, graph, states, table, tally, "")
    waits = [*tally.waiting.values(), *tally.blocked]
    return tally.wrong, waits + [wait for item in tally.excused.values() for wait in item.values()]


def _record(differences: dict[str, str], instance: Instance, difference: str) -> None:
    """Keep the first difference of a system and of those that it restricts."""
    for name in family(instance.system):
        differences.setdefault(name, difference)


def idle(systems: Sequence[type[System]], taken_actions: set[str]) -> list[str]:
    """The actions that no edge is, by qualified name."""
    every = {
        action.method.__qualname__ for system in systems for action in system.actions().values()
    }
    return sorted(every - taken_actions)


def check(context: Context) -> Report:
    """The row of one mechanism, over the scenarios of the profile's configs.

    Graphs of more than COMPARED states are left out.
    """
    mechanism = context.mechanism
    start, beat = context.begin("proof", NAME), context.beat("proof", NAME)
    module = _view_module(mechanism)
    faults = table_faults(mechanism.labels, module.ACTIONS, module.SYSTEMS)
    tally = Compared()
    control = Planted(star_faults, module.ACTIONS)
    scenarios: set[str] = set()
    for config in compared_configs(mechanism, context.profile):
        if config.scenario in scenarios:
            continue
        if not (views := module.views(mechanism.model(config.scenario))):
            continue  # the proof is not about this scenario's alternative
        scenarios.add(config.scenario)
        graph = context.explored(config, "proof")
        for view in views:
            control.plant(view, graph)
            compare(view, graph, module.ACTIONS, tally, f"{config.scenario}, {view.name}")
        beat(tally.states)
    free = {not_updated(variable) for variable in getattr(module, "FREE", {})}
    faults += [
        f"FREE has {name}, and the system refuses it" for name in free if control.rejected.get(name)
    ]
    late = () if context.profile == "nightly" else getattr(module, "BY_NIGHT", ())
    systems = [system for system in module.SYSTEMS if system not in late]
    verdict, property_name, why = judged(tally, idle(systems, tally.taken), scenarios)
    row = context.row(
        "proof",
        NAME,
        start,
        expected="exhaustive",
        verdict=verdict,
        property=property_name,
        why=why,
        fault="; ".join(faults),
        bound=f"{len(scenarios)} scenarios",
        controls={name: ok for name, ok in control.rejected.items() if name not in free}
        | of_table(
            lambda changed_table: table_faults(mechanism.labels, changed_table, module.SYSTEMS),
            mechanism.labels,
            module.ACTIONS,
            module.SYSTEMS,
        ),
        figures={
            "states": tally.states,
            "edges": tally.edges,
            **numbers(module.SYSTEMS),
            "actions": len(tally.taken),
            "compared": sorted(tally.compared),
            "unlike": tally.unlike,
            "waiting": tally.waiting,
            "excused": tally.excused,
        },
    )
    return Report([row])


def compared_configs(mechanism: Mechanism, profile: str) -> list[Config]:
    """The configs of a profile whose graphs are the mechanism's own, of at most COMPARED states."""
    profiles = ("fast",) if profile == "fast" else ("fast", "nightly")
    return [
        config
        for config in mechanism.configs.values()
        if config.profile in profiles
        and not config.module
        and not config.without
        and (config.distinct or 0) <= COMPARED
    ]


def judged(
    tally: Compared, idle_actions: Sequence[str], scenarios: Collection[str]
) -> tuple[Verdict, str | None, str]:
    """Verdict, broken property and reason of a comparison. ``idle_actions``: actions of no edge."""
    if tally.wrong or tally.broken:
        examples = tally.wrong[:SHOWN] + [
            f"{name} does not hold: {state}" for name, state in list(tally.broken.items())[:SHOWN]
        ]
        why = (
            f"{len(tally.wrong)} edges are no steps, {len(tally.broken)} formulas do not hold. "
            + " | ".join(examples)
        )
        return Verdict.VIOLATED, next(iter(tally.broken), "EveryEdgeIsAStep"), why
    if tally.unheard:
        unheard_names = ", ".join(sorted(tally.unheard))
        return Verdict.VACUOUS, None, f"made false, these formulas are not refused: {unheard_names}"
    if tally.blocked:
        why = (
            f"{len(tally.blocked)} times a thread waits where the proof's system goes on. "
            + " | ".join(tally.blocked[:SHOWN])
        )
        return Verdict.VIOLATED, "EnabledInTheModel", why
    if not scenarios:
        return Verdict.VACUOUS, None, "no config belongs to this profile"
    if idle_actions:
        return Verdict.VACUOUS, None, f"no edge is {', '.join(idle_actions)}"
    return (
        Verdict.EXHAUSTIVE,
        None,
        "the implementation's states are the model's: layer bisimulation",
    )
