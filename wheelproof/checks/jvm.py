"""Layer jvm: the states of compiled Java classes against the model's, and the table of sites."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wheelproof.checks.context import LARGE, Context, Report
from wheelproof.checks.jvm_files import LAYER, Files
from wheelproof.checks.random import RACE
from wheelproof.graph import reduced
from wheelproof.graph.explorer import StateGraph, first_violation
from wheelproof.jvm import classfiles, composed, product
from wheelproof.jvm.answers import Loaded, Races
from wheelproof.jvm.declaration import BISIMULATION, Change
from wheelproof.jvm.followed import Followed
from wheelproof.jvm.joined import Joined
from wheelproof.jvm.marks import Compared, compare
from wheelproof.jvm.process import Jvm
from wheelproof.jvm.setup import jars_of, prepare
from wheelproof.jvm.table import table_faults
from wheelproof.jvm.tasks import (
    CHANGE,
    CLASSES,
    COMPOSED,
    FINE,
    PROPERTY,
    RACES,
    REJECTED,
    SITES,
    Task,
    broken_without,
    tasks,
)
from wheelproof.jvm.values import Encoder
from wheelproof.project.mechanism import the_property
from wheelproof.python.search.difference import Rows
from wheelproof.verdict import Measured, Verdict

MARGIN = (4, 20_000)
"""The search ends at so many times the model's states, and so many more."""

MARKS = "FieldMarks"
"""The property that fails where a field is plain in Java and volatile in Python, or the reverse."""

FEW = 8
"""By day a change of the classes is tried on an eighth as many states as the model has first."""


def fetch(context: Context, names: Iterable[str]) -> None:
    """Fetch and compile what these checks need; NotHere where it cannot be had."""
    known = tasks(context.mechanism)
    needed = {(known[name].binding.name, known[name].release): known[name] for name in names}
    for task in needed.values():
        if task.kind == CLASSES:
            for release in (task.release, task.binding.same[task.release]):
                jars_of(context.mechanism.root, release, fetch=True)
        else:
            prepare(context.mechanism.root, context.output, task.binding, task.release, fetch=True)


def check(context: Context, names: Sequence[str]) -> Report:
    """Carry out checks of one binding and release, in one process."""
    known = tasks(context.mechanism)
    chosen = [known[name] for name in names]
    # two rows are about what the scenarios before them ran; a change needs other classes
    order = {SITES: 1, RACES: 1, CHANGE: 2}
    chosen.sort(key=lambda task: order.get(task.kind, 0))
    first = chosen[0]
    if first.kind == CLASSES:
        return same_classes(context, first)
    setup = prepare(
        context.mechanism.root, context.output, first.binding, first.release, fetch=False
    )
    report = Report()
    sizes = context.mechanism.sizes
    large = any(sizes.get(task.scenario, 0) > LARGE for task in chosen)
    with Jvm(setup, heap_mb=min(3000, context.limits.heap_mb), long=large) as jvm:
        checks = _Checks(context.without(first.binding.without), jvm, report)
        for task in chosen:
            checks.carry_out(task)
    return report


def same_classes(context: Context, task: Task) -> Report:
    """The class files of a release are those of another, on which they are checked."""
    started = context.begin(LAYER, task.name, context.limits.bisimulation_seconds)
    judged = classfiles.measure(context.mechanism.root, task.binding, task.release)
    row = context.row(LAYER, task.name, started, expected="exhaustive", **judged)
    return Report([row])


class _Checks(Files):
    """The checks that share a process. A scenario's model graph is made once."""

    def __init__(self, context: Context, jvm: Jvm, report: Report) -> None:
        super().__init__(context, jvm)
        self.report = report
        self.loaded: str | None = None
        self.facts: Loaded = {"compared": 0, "statics": []}
        self.graphs: dict[tuple[str, str], tuple[StateGraph, Rows]] = {}

    def carry_out(self, task: Task) -> None:
        started = self.context.begin(LAYER, task.name, self.context.limits.bisimulation_seconds)
        change = task.subject if task.kind == CHANGE else ""
        if self.loaded != change:
            facts = self.jvm.load(task.binding, change)
            if self.loaded is None:
                self.facts = facts
            self.loaded = change
        if task.kind == SITES:
            judged = self.sites(task)
        elif task.kind == RACES:
            judged = self.races(task)
        elif task.kind == CHANGE:
            judged = self.change(task)
        elif task.kind == PROPERTY:
            name = the_property(self.mechanism.configs[task.subject].property)
            judged = self.violation(task, task.scenario, name)
        elif task.kind == COMPOSED:
            judged = self.composed(task, task.subject)
        else:
            judged = self.scenario(task, task.subject, task.kind == FINE)
        broken = self.broken(task)
        self.report.rows.append(
            self.context.row(
                LAYER,
                task.name,
                started,
                expected="violated"
                if broken
                else "sampled"
                if task.kind == RACES
                else "exhaustive",
                expected_property=broken,
                **judged,
            )
        )

    def broken(self, task: Task) -> str | None:
        """The property that a check must see violated; None where all must be in order."""
        if task.kind == PROPERTY:
            return self.mechanism.configs[task.subject].property
        change = task.binding.changes.get(task.subject) if task.kind == CHANGE else None
        if change and change.races:
            return RACE
        if change and change.without:
            return broken_without(self.mechanism, change) or BISIMULATION
        if change and task.binding.below:
            return composed.COMPOSITION
        return BISIMULATION if task.kind in (CHANGE, REJECTED) else None

    def graph(self, task: Task, scenario: str, without: str = "") -> tuple[StateGraph, Rows]:
        """The model's reduced graph, and its rows. ``without``: a decision of the mechanism.

        A step that the table joins to another one is taken with that one.
        """
        key = scenario, without
        if key not in self.graphs:
            mechanism = self.mechanism.without(without) if without else self.mechanism
            graph = reduced.reduce(mechanism.model(scenario), mechanism.silent)
            if task.binding.joined:
                self.joined[key] = Joined(graph, task.binding.pairs)
                graph = self.joined[key].graph
            self.graphs[key] = graph, reduced.rows(graph)
        return self.graphs[key]

    def scenario(
        self, task: Task, scenario: str, fine: bool, without: str = "", refused: bool = False
    ) -> Measured:
        """Every state of the classes beside the model's.

        ``refused``: the two must differ, so that by day some of the states are tried first.
        """
        binding, program = task.binding.beside(scenario), self.mechanism.scenarios[scenario]
        graph, rows = self.graph(task, scenario, without)
        encoder = Encoder(graph.model, program, binding.names)
        bounds = [MARGIN[0] * len(rows) + MARGIN[1]]
        if refused and self.context.profile == "fast":
            bounds.insert(0, len(rows) // FEW)
        for most in bounds:
            self.jvm.begin(binding, program, fine)
            found = self.jvm.explore(most, self.context.limits.bisimulation_seconds)
            made = product.compare(found, graph, rows, encoder)
            if made.difference is not None:
                break
        figures = made.figures | {name: int(found.figures[name]) for name in ("runs", "steps")}
        bound = self.context.bound(scenario)
        if joined := self.joined.get((scenario, without)):
            figures["left_out"] = joined.left_out
            bound += f"; {joined}"
        judged: Measured = {"figures": figures, "bound": bound}
        if made.difference is not None:
            key = scenario, without
            trace = self.counterexample(task, key, graph.model, made.difference, made.schedule)
            why = f"{scenario}: {made.difference}" if task.kind == CHANGE else str(made.difference)
            return judged | {
                "verdict": Verdict.VIOLATED,
                "property": BISIMULATION,
                "why": why,
                "trace": trace,
            }
        if found.faults:
            return judged | {"verdict": Verdict.ERROR, "why": "; ".join(found.faults)}
        if not found.complete:
            why = f"the search ended after {len(found):,} states"
            return judged | {"verdict": Verdict.INCONCLUSIVE, "why": why}
        if made.uncovered:
            state, thread = made.uncovered[0]
            label = rows[state][thread][0]
            return judged | {
                "verdict": Verdict.VIOLATED,
                "property": BISIMULATION,
                "why": f"{len(made.uncovered)} edges of the model were not taken, {label} first",
            }
        return judged | {"verdict": Verdict.EXHAUSTIVE}

    def composed(self, task: Task, scenario: str) -> Measured:
        """Every state of the classes with the steps of the operations below, beside the model."""
        graph, rows = self.graph(task, scenario)
        self.jvm.begin(task.binding, self.mechanism.scenarios[scenario])
        most = composed.MARGIN * len(rows) + MARGIN[1]
        found = self.jvm.explore(most, self.context.limits.bisimulation_seconds)
        program = self.mechanism.scenarios[scenario]
        encoder = Encoder(graph.model, program, task.binding.names)
        judged = composed.measure(found, graph, rows, encoder, task.binding.halfway)
        if "why" in judged:
            judged["why"] = f"{scenario}: {judged['why']}"
        return judged | {"bound": f"{self.context.bound(scenario)}, every step"}

    def change(self, task: Task) -> Measured:
        """Every scenario that the change names rejects it; the row has the first figures.

        One that only single accesses show is in order without them. One with races must have them.
        One without a decision has the states of the mechanism without it.
        """
        change = task.binding.changes[task.subject]
        made: list[Measured] = []
        for scenario in change.scenarios:
            if change.races:
                made.append(self.raced(task, scenario, change))
            elif task.binding.below:
                made.append(self.composed(task, scenario))
            else:
                if change.fine:
                    coarse = self.scenario(task, scenario, fine=False)
                    if coarse["verdict"] is not Verdict.EXHAUSTIVE:
                        why = f"{scenario} rejects the change without single accesses, too"
                        return coarse | {"verdict": Verdict.ERROR, "why": why}
                made.append(self.scenario(task, scenario, change.fine, refused=True))
            if made[-1]["verdict"] is not Verdict.VIOLATED:
                why = made[-1].get("why") or f"{scenario} accepts the change"
                return made[-1] | {"why": f"{scenario}: {why}" if change.races else why}
            if change.without:
                same = self.scenario(task, scenario, fine=False, without=change.without)
                if same["verdict"] is not Verdict.EXHAUSTIVE:
                    why = f"{scenario} without {change.without}: {same.get('why')}"
                    return same | {"verdict": Verdict.ERROR, "why": why}
        made[0]["figures"] = {**made[0]["figures"], "scenarios": len(made)}
        broken = broken_without(self.mechanism, change) if change.without else None
        if broken is None:
            return made[0]
        shown = self.violation(task, change.scenarios[0], broken, change.without)
        return shown | {"figures": {**made[0]["figures"], **shown.get("figures", {})}}

    def raced(self, task: Task, scenario: str, change: Change) -> Measured:
        """The change has data races on exactly its fields, whatever its states are."""
        judged = self.scenario(task, scenario, fine=False)
        races = self.jvm.races()["races"]
        found = {field for field, _, _ in races} - set(task.binding.races)
        judged = {"figures": judged["figures"], "bound": judged["bound"]}
        if found != set(change.races):
            why = f"races on {', '.join(sorted(found)) or 'no field'}"
            return judged | {"verdict": Verdict.SAMPLED, "why": why}
        return judged | {"verdict": Verdict.VIOLATED, "property": RACE, "why": shown_races(races)}

    def races(self, task: Task) -> Measured:
        """Data races of what the process has run: on exactly the fields that have a reason.

        A field is plain or volatile as in the Python implementation, if that has it.
        """
        answer = self.jvm.races()
        found = {field for field, _, _ in answer["races"]}
        beside = self.marks(task, answer)
        figures = {
            "plain": len(answer["plain"]),
            "volatile": len(answer["volatile"]),
            "races": len(found),
            "as_in_python": len(beside.same),
        }
        bound = f"{len(task.binding.classes)} classes of {task.release}"
        judged: Measured = {"figures": figures, "bound": bound}
        declared = set(task.binding.races)
        if found - declared:
            races = [race for race in answer["races"] if race[0] not in declared]
            why = shown_races(races)
            return judged | {"verdict": Verdict.VIOLATED, "property": RACE, "why": why}
        if lost := sorted(declared - found):
            why = f"no race on {', '.join(lost)}, which has a reason for one"
            return judged | {"verdict": Verdict.VACUOUS, "why": why}
        if beside.faults:
            why = "; ".join(beside.faults)
            return judged | {"verdict": Verdict.VIOLATED, "property": MARKS, "why": why}
        why = "; ".join(f"{name}: {reason}" for name, reason in task.binding.races.items())
        return judged | {"verdict": Verdict.SAMPLED, "why": why}

    def marks(self, task: Task, answer: Races) -> Compared:
        """The fields of these classes beside the marks of the Python implementation."""
        if self.mechanism.in_java:
            return Compared((), ())
        marks = self.context.implementation().marks
        binding = task.binding
        return compare(answer, marks, binding.fields, binding.races, binding.apart)

    def violation(self, task: Task, scenario: str, name: str, without: str = "") -> Measured:
        """The model's shortest run to a violation, followed on the classes state by state."""
        graph, _ = self.graph(task, scenario, without)
        mechanism = self.mechanism.without(without) if without else self.mechanism
        model = graph.model
        bad = first_violation(graph, name)
        if bad is None:
            return {"verdict": Verdict.EXHAUSTIVE, "why": f"{name} holds in every state"}
        path = graph.path(bad)
        program, schedule = mechanism.scenarios[scenario], [step[0] for step in path]
        self.jvm.begin(task.binding, program)
        answer = self.jvm.replay(schedule)
        run = Followed(mechanism, scenario, model, answer, task.binding.names)
        states = [graph.states[number] for number in (0, *(step[2] for step in path))]
        for step, state in enumerate(states):
            if differs := run.difference(step, state):
                why = f"the classes leave the model before step {step + 1}: {differs}"
                return {"verdict": Verdict.VIOLATED, "property": BISIMULATION, "why": why}
        labelled = [(thread, label) for thread, label, _ in path]
        if (scenario, without) in self.joined:
            labelled = self.joined[scenario, without].schedule(labelled)
        return {
            "figures": {"steps": len(path)},
            "bound": self.context.bound(scenario),
            "verdict": Verdict.VIOLATED,
            "property": name,
            "trace": self.kept(task, scenario, model, labelled, schedule, name, "", mechanism),
        }

    def sites(self, task: Task) -> Measured:
        """The table fits the classes: each label has a site, each access a label or a reason."""
        found = self.jvm.sites()
        hits = {key: hits for key, _, _, _, hits in found["sites"]}
        own = {name.rpartition("/")[2] for name in task.binding.classes}
        accesses = [
            key
            for key, kind, *_ in found["sites"]
            if kind not in ("INVOKE", "INIT") and key.partition(".")[0] in own
        ]
        newest = task.release == task.binding.releases[0]
        faults = table_faults(task.binding, self.mechanism, accesses, hits, newest)
        faults += [
            f"{name} is no part of the state and has no reason"
            for name in found["opaque"]
            if name not in task.binding.opaque
        ]
        faults += [
            f"{name} is declared opaque, and is one of the classes that are compared"
            for name in task.binding.opaque
            if name.rpartition(".")[2] in own
        ]
        faults += [f"{name} is static and can change" for name in self.facts["statics"]]
        met = {pair for joined in self.joined.values() for pair in joined.met}
        idle = [pair for pair in task.binding.pairs if pair not in met]
        faults += [f"no scenario joins {' and '.join(pair)}" for pair in idle]
        figures = {"sites": len(accesses), "instructions": self.facts["compared"]}
        if not accesses:
            return {"figures": figures, "verdict": Verdict.VACUOUS, "why": "there is no site"}
        bound = f"{len(task.binding.classes)} classes of {task.release}"
        judged: Measured = {"figures": figures, "bound": bound}
        if faults:
            why = "; ".join(faults)
            return judged | {"verdict": Verdict.VIOLATED, "property": "Sites", "why": why}
        return judged | {"verdict": Verdict.EXHAUSTIVE}


def shown_races(races: Sequence[Sequence[str]]) -> str:
    """Each race once: its field, and the two accesses."""
    return "; ".join(f"race on {field}: {one} and {other}" for field, one, other in races)
