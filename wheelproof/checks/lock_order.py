"""The order of locks over all scenarios of a mechanism: no cycle, and the documented graph.

The bisimulations and the composed runs of the implementation collect its edges
(:mod:`wheelproof.python.runtime.lock_order`). They are held against the project's declaration
(:mod:`wheelproof.project.lock_order`). A project needs none: then a cycle is rejected, unless only
configs that expect a deadlock take one of its edges.

Every run has its controls: an edge taken the other way round must be rejected. On a declared graph
an edge to another class must be, and one that is not taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from wheelproof.checks.context import Context, Report
from wheelproof.project.lock_order import FILE, Documented, cycle, ends, read
from wheelproof.project.mechanism import Mechanism
from wheelproof.python.runtime.lock_order import Edge, LockOrder, Place
from wheelproof.verdict import Row, Verdict

NAME = "lock_order"

LOCK_ORDER = "LockOrder"
"""The property: the locks are taken in the documented order, which has no cycle."""

CYCLE = "locks are taken in a cycle"

Taken = dict[Edge, dict[str, Place]]
"""Edge -> config -> where the held lock had been taken."""


def note(report: Report, order: LockOrder, config: str) -> None:
    """Add the locks and edges of one config's runs to its report."""
    report.lock_classes |= order.classes
    for edge, since in order.found.items():
        report.lock_edges.setdefault(edge, {})[config] = since


def lock_order(context: Context, reports: Iterable[Report]) -> Row:
    """Every edge is declared, every declared edge is taken, and the declared graph has no cycle.

    A mechanism without edges is in order: there is no order to break. It has no controls then.
    """
    start = context.begin("coverage", NAME)
    mechanism = context.mechanism
    edges: Taken = {}
    classes: set[str] = set()
    for report in reports:
        classes |= report.lock_classes
        for edge, configs in report.lock_edges.items():
            edges.setdefault(edge, {}).update(configs)
    declaration = read(mechanism.root)
    names = sorted({edge.name for edge in edges})
    figures: dict[str, object] = {"classes": len(classes), "edges": len(names)}
    deadlock_configs = deadlocks(mechanism)
    profiles = ("fast",) if context.profile == "fast" else ("fast", "nightly")
    absent: list[str] = []
    if declaration is None:
        wrong, why = without_declaration(edges, deadlock_configs)
        accepted_faults = [
            edge.name
            for edge in inversions(edges)
            if not without_declaration(edges | {edge: {"planted": edge.place}}, set())[0]
        ]
    else:
        wrong = differing(declaration, edges, mechanism.name)
        absent = idle(declaration, edges, mechanism.name, profiles)
        accepted_faults = not_rejected(declaration, edges, mechanism.name, profiles)
        unknown = sorted(classes - set(declaration.classes) - _halves(classes, declaration))
        if unknown:
            wrong.append(f"{FILE} does not name {', '.join(unknown)}; add it to [classes]")
        figures["excepted"] = len(declaration.exempt & set(names))
        why = ""
    if not (wrong or absent):
        absent += [f"a planted change is not rejected: {fault}" for fault in accepted_faults]
    for name in names:
        places = sorted({edge.place.where for edge in edges if edge.name == name})
        figures[name] = ", ".join(places)
    verdict = Verdict.EXHAUSTIVE
    if wrong:
        verdict = Verdict.VIOLATED
    elif absent:
        verdict = Verdict.VACUOUS
    return context.row(
        "coverage",
        NAME,
        start,
        expected="exhaustive",
        verdict=verdict,
        property=LOCK_ORDER if wrong else None,
        why="; ".join([*wrong, *absent]) or why,
        figures=figures,
    )


def _halves(classes: Iterable[str], declaration: Documented) -> set[str]:
    return {name for name in classes if name.partition("(")[0] in declaration.classes}


def deadlocks(mechanism: Mechanism) -> set[str]:
    """The configs that must end in a deadlock."""
    return {
        config.name
        for config in mechanism.configs.values()
        if config.expect == "violated"
        and config.property
        and mechanism.properties[config.property].kind == "deadlock"
    }


def inversions(edges: Taken) -> list[Edge]:
    """Each edge between two locks, once, the other way round."""
    inverse = {}
    for edge in sorted(edges):
        if len(set(ends(edge.name))) == 2:
            inverse[ends(edge.name)] = Edge(edge.target, edge.held, edge.place)
    return list(inverse.values())


def not_rejected(
    declaration: Documented, edges: Taken, mechanism: str, profiles: tuple[str, ...]
) -> list[str]:
    """The planted changes that pass: edges the other way round, undeclared, or not taken."""
    misses = []
    for edge in list(edges)[:1]:
        planted_edge = edge._replace(target="planted")
        faults = differing(declaration, edges | {planted_edge: {"planted": edge.place}}, mechanism)
        if not any(planted_edge.name in fault for fault in faults):
            misses.append(planted_edge.name)
    for edge in inversions(edges):
        if {edge.name, Edge(edge.target, edge.held, edge.place).name} & declaration.exempt:
            continue
        faults = differing(declaration, edges | {edge: {"planted": edge.place}}, mechanism)
        if not any(CYCLE in fault and edge.name in fault for fault in faults):
            misses.append(edge.name)
    own_edges = declaration.edges_of(mechanism, profiles)
    for edge in edges:
        rest = {entry: configs for entry, configs in edges.items() if entry.name != edge.name}
        if (edge.name, edge.place.name) in own_edges and not any(
            edge.name in fault for fault in idle(declaration, rest, mechanism, profiles)
        ):
            misses.append(f"{edge.name}, not taken")
    return misses


def without_declaration(edges: Taken, deadlock_configs: set[str]) -> tuple[list[str], str]:
    """The faults without a declaration, and a note on classes of which two are held at once."""
    usual = {edge.name for edge, configs in edges.items() if not set(configs) <= deadlock_configs}
    twice = sorted(name for name in usual if len(set(ends(name))) == 1)
    circle = cycle(usual - set(twice))
    wrong = []
    if circle:
        wrong.append(
            f"{CYCLE}: {spell(circle, edges)}; take them in one order, or "
            f"declare the order and this exception in {FILE}"
        )
    why = ""
    if twice:
        why = (
            f"two locks of one class are held at once: {spell(twice, edges)}; {FILE} can say in "
            "what order"
        )
    return wrong, why


def differing(declaration: Documented, edges: Taken, mechanism: str) -> list[str]:
    """Edges that the declaration lacks, cycles, and exceptions that close none."""
    pairs = {(edge, place) for edge, places in declaration.edges.items() for place in places}
    own_edges = declaration.edges_of(mechanism, ("fast", "nightly"))
    wrong = []
    for edge in sorted(edges):
        if (edge.name, edge.place.name) not in own_edges:
            elsewhere = (edge.name, edge.place.name) in pairs
            subject = f"an edge not declared for {mechanism}" if elsewhere else "an undeclared edge"
            wrong.append(
                f"{subject}: {spell([edge.name], edges, edge)}; check the order, then add "
                f'"{edge.place.name}" = ["{mechanism}"] to [edges."{edge.name}"] in {FILE}'
            )
    all_edges = set(declaration.edges) | {edge.name for edge in edges}
    if circle := cycle(all_edges - declaration.exempt, declaration.stand_ins):
        wrong.append(f"{CYCLE}: {spell(circle, edges, declaration=declaration)}")
    for name, exception in declaration.exceptions.items():
        exempt = {
            edge
            for exception in declaration.exceptions.values()
            if exception.name != name
            for edge in exception.edges
        }
        if not cycle(all_edges - (exempt - set(exception.edges)), declaration.stand_ins):
            wrong.append(f"the exception {name} in {FILE} closes no cycle; remove it")
    return wrong


def idle(
    declaration: Documented, edges: Taken, mechanism: str, profiles: tuple[str, ...]
) -> list[str]:
    """Declared edges, and scenarios of exceptions, that no run takes."""
    pairs = {(edge.name, edge.place.name) for edge in edges}
    absent = [
        f'no run of {mechanism} takes {edge} at "{place}"; take {mechanism} off that line of '
        f"{FILE}, or add a scenario"
        for edge, place in sorted(declaration.edges_of(mechanism, profiles) - pairs)
    ]
    for name, exception in declaration.exceptions.items():
        for scenario in exception.scenarios:
            subject, _, config = scenario.partition("/")
            if subject == mechanism and not any(
                edge.name in exception.edges and config in configs
                for edge, configs in edges.items()
            ):
                absent.append(f"{scenario} takes no edge of the exception {name} in {FILE}")
    return absent


def spell(
    edges: Iterable[str],
    places_by_edge: Taken,
    only: Edge | None = None,
    declaration: Documented | None = None,
) -> str:
    """Edges in words, each with the lines at which both locks are taken."""
    parts = []
    for name in edges:
        edge_there = only or min(
            (edge for edge in places_by_edge if edge.name == name), default=None
        )
        if edge_there is not None:
            config, since = min(places_by_edge[edge_there].items())
            parts.append(
                f"{name} at {edge_there.place.where}, held since {since.where} (in {config})"
            )
        else:
            places: Mapping[str, object] = declaration.edges[name] if declaration else {}
            parts.append(f"{name} at {min(places)}")
    return "; ".join(parts)
