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
    """Add what one config's runs have collected to its report."""
    report.lock_classes |= order.classes
    for edge, since in order.found.items():
        report.lock_edges.setdefault(edge, {})[config] = since


def lock_order(context: Context, reports: Iterable[Report]) -> Row:
    """Every edge is declared, every declared edge is taken, and the declared graph has no cycle.

    A mechanism without edges is in order: there is no order to break. It has no controls then.
    """
    started = context.begin("coverage", NAME)
    mechanism = context.mechanism
    taken: Taken = {}
    classes: set[str] = set()
    for report in reports:
        classes |= report.lock_classes
        for edge, configs in report.lock_edges.items():
            taken.setdefault(edge, {}).update(configs)
    documented = read(mechanism.root)
    names = sorted({edge.name for edge in taken})
    figures: dict[str, object] = {"classes": len(classes), "edges": len(names)}
    expected = deadlocks(mechanism)
    profiles = ("fast",) if context.profile == "fast" else ("fast", "nightly")
    absent: list[str] = []
    if documented is None:
        wrong, why = undocumented(taken, expected)
        unnoticed = [
            edge.name
            for edge in inverted(taken)
            if not undocumented(taken | {edge: {"planted": edge.place}}, set())[0]
        ]
    else:
        wrong = differing(documented, taken, mechanism.name)
        absent = idle(documented, taken, mechanism.name, profiles)
        unnoticed = not_rejected(documented, taken, mechanism.name, profiles)
        unknown = sorted(classes - set(documented.classes) - _halves(classes, documented))
        if unknown:
            wrong.append(f"{FILE} does not name {', '.join(unknown)}; add it to [classes]")
        figures["excepted"] = len(documented.exempt & set(names))
        why = ""
    if not (wrong or absent):
        absent += [f"a planted change is not rejected: {each}" for each in unnoticed]
    for name in names:
        places = sorted({edge.place.where for edge in taken if edge.name == name})
        figures[name] = ", ".join(places)
    verdict = Verdict.EXHAUSTIVE
    if wrong:
        verdict = Verdict.VIOLATED
    elif absent:
        verdict = Verdict.VACUOUS
    return context.row(
        "coverage",
        NAME,
        started,
        expected="exhaustive",
        verdict=verdict,
        property=LOCK_ORDER if wrong else None,
        why="; ".join([*wrong, *absent]) or why,
        figures=figures,
    )


def _halves(classes: Iterable[str], documented: Documented) -> set[str]:
    return {name for name in classes if name.partition("(")[0] in documented.classes}


def deadlocks(mechanism: Mechanism) -> set[str]:
    """The configs that must end in a deadlock."""
    return {
        config.name
        for config in mechanism.configs.values()
        if config.expect == "violated"
        and config.property
        and mechanism.properties[config.property].kind == "deadlock"
    }


def inverted(taken: Taken) -> list[Edge]:
    """Each edge between two locks, once, the other way round."""
    found = {}
    for edge in sorted(taken):
        if len(set(ends(edge.name))) == 2:
            found[ends(edge.name)] = Edge(edge.target, edge.held, edge.place)
    return list(found.values())


def not_rejected(
    documented: Documented, taken: Taken, mechanism: str, profiles: tuple[str, ...]
) -> list[str]:
    """The planted changes that pass: edges the other way round, undeclared, or not taken."""
    missed = []
    for edge in list(taken)[:1]:
        other = edge._replace(target="planted")
        faults = differing(documented, taken | {other: {"planted": edge.place}}, mechanism)
        if not any(other.name in fault for fault in faults):
            missed.append(other.name)
    for edge in inverted(taken):
        if {edge.name, Edge(edge.target, edge.held, edge.place).name} & documented.exempt:
            continue
        faults = differing(documented, taken | {edge: {"planted": edge.place}}, mechanism)
        if not any(CYCLE in fault and edge.name in fault for fault in faults):
            missed.append(edge.name)
    mine = documented.of(mechanism, profiles)
    for edge in taken:
        rest = {other: configs for other, configs in taken.items() if other.name != edge.name}
        if (edge.name, edge.place.name) in mine and not any(
            edge.name in fault for fault in idle(documented, rest, mechanism, profiles)
        ):
            missed.append(f"{edge.name}, not taken")
    return missed


def undocumented(taken: Taken, expected: set[str]) -> tuple[list[str], str]:
    """What is wrong without a declaration, and a note on classes of which two are held at once."""
    usual = {edge.name for edge, configs in taken.items() if not set(configs) <= expected}
    twice = sorted(name for name in usual if len(set(ends(name))) == 1)
    found = cycle(usual - set(twice))
    wrong = []
    if found:
        wrong.append(
            f"{CYCLE}: {spelled(found, taken)}; take them in one order, or "
            f"declare the order and this exception in {FILE}"
        )
    why = ""
    if twice:
        why = (
            f"two locks of one class are held at once: {spelled(twice, taken)}; {FILE} can say in "
            "what order"
        )
    return wrong, why


def differing(documented: Documented, taken: Taken, mechanism: str) -> list[str]:
    """Edges that the declaration lacks, cycles, and exceptions that close none."""
    known = {(edge, place) for edge, places in documented.edges.items() for place in places}
    mine = documented.of(mechanism, ("fast", "nightly"))
    wrong = []
    for edge in sorted(taken):
        if (edge.name, edge.place.name) not in mine:
            declared = (edge.name, edge.place.name) in known
            what = f"an edge not declared for {mechanism}" if declared else "an undeclared edge"
            wrong.append(
                f"{what}: {spelled([edge.name], taken, edge)}; check the order, then add "
                f'"{edge.place.name}" = ["{mechanism}"] to [edges."{edge.name}"] in {FILE}'
            )
    everything = set(documented.edges) | {edge.name for edge in taken}
    if found := cycle(everything - documented.exempt, documented.stand_ins):
        wrong.append(f"{CYCLE}: {spelled(found, taken, documented=documented)}")
    for name, each in documented.exceptions.items():
        others = {
            edge
            for other in documented.exceptions.values()
            if other.name != name
            for edge in other.edges
        }
        if not cycle(everything - (others - set(each.edges)), documented.stand_ins):
            wrong.append(f"the exception {name} in {FILE} closes no cycle; remove it")
    return wrong


def idle(
    documented: Documented, taken: Taken, mechanism: str, profiles: tuple[str, ...]
) -> list[str]:
    """Declared edges, and scenarios of exceptions, that no run takes."""
    found = {(edge.name, edge.place.name) for edge in taken}
    absent = [
        f'no run of {mechanism} takes {edge} at "{place}"; take {mechanism} off that line of '
        f"{FILE}, or add a scenario"
        for edge, place in sorted(documented.of(mechanism, profiles) - found)
    ]
    for name, each in documented.exceptions.items():
        for scenario in each.scenarios:
            of, _, config = scenario.partition("/")
            if of == mechanism and not any(
                edge.name in each.edges and config in configs for edge, configs in taken.items()
            ):
                absent.append(f"{scenario} takes no edge of the exception {name} in {FILE}")
    return absent


def spelled(
    edges: Iterable[str],
    taken: Taken,
    only: Edge | None = None,
    documented: Documented | None = None,
) -> str:
    """Edges in words, each with the lines at which both locks are taken."""
    parts = []
    for name in edges:
        found = only or min((edge for edge in taken if edge.name == name), default=None)
        if found is not None:
            config, since = min(taken[found].items())
            parts.append(f"{name} at {found.place.where}, held since {since.where} (in {config})")
        else:
            places: Mapping[str, object] = documented.edges[name] if documented else {}
            parts.append(f"{name} at {min(places)}")
    return "; ".join(parts)
