"""Layer jvm: the states of compiled Java classes against the model's, and the table of sites."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wheelproof.checks.context import LARGE, Context, Report
from wheelproof.checks.jvm_files import LAYER, Files
from wheelproof.checks.random import RACE
from wheelproof.counterexample.build import silent_end
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
    violation,
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
    """Fetch and compile the classes of these checks; NotHere where they cannot be had."""
    by_name = tasks(context.mechanism)
    classes = {(by_name[name].binding.name, by_name[name].release): by_name[name] for name in names}
    for task in classes.values():
        if task.kind == CLASSES:
            for release in (task.release, task.binding.same[task.release]):
                jars_of(context.mechanism.root, release, fetch=True)
        else:
            prepare(context.mechanism.root, context.output, task.binding, task.release, fetch=True)


def check(context: Context, names: Sequence[str]) -> Report:
    """Carry out checks of one binding and release, in one process."""
    by_name = tasks(context.mechanism)
    selection = [by_name[name] for name in names]
    # two rows are about what the scenarios before them ran; a change needs other classes
    order = {SITES: 1, RACES: 1, CHANGE: 2}
    selection.sort(key=lambda task: order.get(task.kind, 0))
    first = selection[0]
    if first.kind == CLASSES:
        return same_classes(context, first)
    setup = prepare(
        context.mechanism.root, context.output, first.binding, first.release, fetch=False
    )
    report = Report()
    sizes = context.mechanism.sizes
    large = any(sizes.get(task.scenario, 0) > LARGE for task in selection)
    with Jvm(setup, heap_mb=min(3000, context.limits.heap_mb), long=large) as jvm:
        checks = _Checks(context.without(first.binding.without), jvm, report)
        for task in selection:
            checks.carry_out(task)
    return report


def same_classes(context: Context, task: Task) -> Report:
    """The class files of a release are those of another, on which they are checked."""
    start = context.begin(LAYER, task.name, context.limits.bisimulation_seconds)
    judgement = classfiles.measure(context.mechanism.root, task.binding, task.release)
    row = context.row(LAYER, task.name, start, expected="exhaustive", **judgement)
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
        start = self.context.begin(LAYER, task.name, self.context.limits.bisimulation_seconds)
        change = task.subject if task.kind == CHANGE else ""
        if self.loaded != change:
            facts = self.jvm.load(task.binding, change)
            if self.loaded is None:
                self.facts = facts
            self.loaded = change
        if task.kind == SITES:
            judgement = self.sites(task)
        elif task.kind == RACES:
            judgement = self.races(task)
        elif task.kind == CHANGE:
            judgement = self.change(task)
        elif task.kind == PROPERTY:
            name = the_property(violation(self.mechanism, task.subject).property)
            judgement = self.violation(task, task.scenario, name)
        elif task.kind == COMPOSED:
            judgement = self.composed(task, task.subject)
        else:
            differs = task.kind == REJECTED
            judgement = self.scenario(task, task.subject, task.kind == FINE, must_differ=differs)
        fault = self.comparison_fault(task)
        self.report.rows.append(
            self.context.row(
                LAYER,
                task.name,
                start,
                expected="violated" if fault else "sampled" if task.kind == RACES else "exhaustive",
                expected_property=fault,
                **judgement,
            )
        )

    def comparison_fault(self, task: Task) -> str | None:
        """The property that a check must see violated; None where all must be in order."""
        if task.kind == PROPERTY:
            return violation(self.mechanism, task.subject).property
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
        self, task: Task, scenario: str, fine: bool, without: str = "", must_differ: bool = False
    ) -> Measured:
        """Every state of the classes beside the model's.

        ``must_differ``: the two must differ, so that by day some of the states are tried first.
        """
        binding, program = task.binding.beside(scenario), self.mechanism.scenarios[scenario]
        graph, rows = self.graph(task, scenario, without)
        encoder = Encoder(graph.model, program, binding.names)
        bounds = [MARGIN[0] * len(rows) + MARGIN[1]]
        if must_differ and self.context.profile == "fast":
            bounds.insert(0, len(rows) // FEW)
        for limit in bounds:
            self.jvm.begin(binding, program, fine)
            search = self.jvm.explore(limit, self.context.limits.bisimulation_seconds)
            comparison = product.compare(search, graph, rows, encoder)
            if comparison.difference is not None:
                break
        figures = comparison.figures | {
            name: int(search.figures[name]) for name in ("runs", "steps")
        }
        bound = self.context.bound(scenario)
        if join := self.joined.get((scenario, without)):
            figures["left_out"] = join.left_out
            bound += f"; {join}"
        judgement: Measured = {"figures": figures, "bound": bound}
        if comparison.difference is not None:
            key = scenario, without
            trace = self.counterexample(
                task, key, graph.model, comparison.difference, comparison.schedule
            )
            why = (
                f"{scenario}: {comparison.difference}"
                if task.kind == CHANGE
                else str(comparison.difference)
            )
            return judgement | {
                "verdict": Verdict.VIOLATED,
                "property": BISIMULATION,
                "why": why,
                "trace": trace,
            }
        if search.faults:
            return judgement | {"verdict": Verdict.ERROR, "why": "; ".join(search.faults)}
        if not search.complete:
            why = f"the search ended after {len(search):,} states"
            return judgement | {"verdict": Verdict.INCONCLUSIVE, "why": why}
        if comparison.uncovered:
            state, thread = comparison.uncovered[0]
            label = rows[state][thread][0]
            return judgement | {
                "verdict": Verdict.VIOLATED,
                "property": BISIMULATION,
                "why": f"{len(comparison.uncovered)} edges of the model were not taken, "
                f"{label} first",
            }
        return judgement | {"verdict": Verdict.EXHAUSTIVE}

    def composed(self, task: Task, scenario: str) -> Measured:
        """Every state of the classes with the steps of the operations below, beside the model."""
        graph, rows = self.graph(task, scenario)
        self.jvm.begin(task.binding, self.mechanism.scenarios[scenario])
        limit = composed.MARGIN * len(rows) + MARGIN[1]
        search = self.jvm.explore(limit, self.context.limits.bisimulation_seconds)
        program = self.mechanism.scenarios[scenario]
        encoder = Encoder(graph.model, program, task.binding.names)
        judgement = composed.measure(search, graph, rows, encoder, task.binding.halfway)
        if "why" in judgement:
            judgement["why"] = f"{scenario}: {judgement['why']}"
        return judgement | {"bound": f"{self.context.bound(scenario)}, every step"}

    def change(self, task: Task) -> Measured:
        """Every scenario that the change names rejects it; the row has the first figures.

        One that only single accesses show is in order without them. One with races must have them.
        One without a decision has the states of the mechanism without it.
        """
        change = task.binding.changes[task.subject]
        rows: list[Measured] = []
        for scenario in change.scenarios:
            if change.races:
                rows.append(self.race_row(task, scenario, change))
            elif task.binding.below:
                rows.append(self.composed(task, scenario))
            else:
                if change.fine:
                    coarse = self.scenario(task, scenario, fine=False)
                    if coarse["verdict"] is not Verdict.EXHAUSTIVE:
                        why = f"{scenario} rejects the change without single accesses, too"
                        return coarse | {"verdict": Verdict.ERROR, "why": why}
                rows.append(self.scenario(task, scenario, change.fine, must_differ=True))
            if rows[-1]["verdict"] is not Verdict.VIOLATED:
                why = rows[-1].get("why") or f"{scenario} accepts the change"
                return rows[-1] | {"why": f"{scenario}: {why}" if change.races else why}
            if change.without:
                same = self.scenario(task, scenario, fine=False, without=change.without)
                if same["verdict"] is not Verdict.EXHAUSTIVE:
                    why = f"{scenario} without {change.without}: {same.get('why')}"
                    return same | {"verdict": Verdict.ERROR, "why": why}
        rows[0]["figures"] = {**rows[0]["figures"], "scenarios": len(rows)}
        target = broken_without(self.mechanism, change) if change.without else None
        if target is None:
            return rows[0]
        row = self.violation(task, change.scenarios[0], target, change.without)
        return row | {"figures": {**rows[0]["figures"], **row.get("figures", {})}}

    def race_row(self, task: Task, scenario: str, change: Change) -> Measured:
        """The change has data races on exactly its fields. Its states do not matter."""
        judgement = self.scenario(task, scenario, fine=False)
        races = self.jvm.races()["races"]
        fields = {field for field, _, _ in races} - set(task.binding.races)
        judgement = {"figures": judgement["figures"], "bound": judgement["bound"]}
        if fields != set(change.races):
            why = f"races on {', '.join(sorted(fields)) or 'no field'}"
            return judgement | {"verdict": Verdict.SAMPLED, "why": why}
        return judgement | {
            "verdict": Verdict.VIOLATED,
            "property": RACE,
            "why": shown_races(races),
        }

    def races(self, task: Task) -> Measured:
        """Data races of the runs of the process: on exactly the fields that have a reason.

        A field is plain or volatile as in the Python implementation, if that has it.
        """
        answer = self.jvm.races()
        fields = {field for field, _, _ in answer["races"]}
        beside = self.marks(task, answer)
        figures = {
            "plain": len(answer["plain"]),
            "volatile": len(answer["volatile"]),
            "races": len(fields),
            "as_in_python": len(beside.same),
        }
        bound = f"{len(task.binding.classes)} classes of {task.release}"
        judgement: Measured = {"figures": figures, "bound": bound}
        excuses = set(task.binding.races)
        if fields - excuses:
            races = [race for race in answer["races"] if race[0] not in excuses]
            why = shown_races(races)
            return judgement | {"verdict": Verdict.VIOLATED, "property": RACE, "why": why}
        if missing := sorted(excuses - fields):
            why = f"no race on {', '.join(missing)}, which has a reason for one"
            return judgement | {"verdict": Verdict.VACUOUS, "why": why}
        if beside.faults:
            why = "; ".join(beside.faults)
            return judgement | {"verdict": Verdict.VIOLATED, "property": MARKS, "why": why}
        why = "; ".join(f"{name}: {reason}" for name, reason in task.binding.races.items())
        return judgement | {"verdict": Verdict.SAMPLED, "why": why}

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
        steps = [(thread, label) for thread, label, _ in path]
        if (scenario, without) in self.joined:
            steps = self.joined[scenario, without].schedule(steps)
        steps += silent_end(model, steps, mechanism.silent)
        return {
            "figures": {"steps": len(path)},
            "bound": self.context.bound(scenario),
            "verdict": Verdict.VIOLATED,
            "property": name,
            "trace": self.counterexample_file(
                task, scenario, model, steps, schedule, name, "", mechanism
            ),
        }

    def sites(self, task: Task) -> Measured:
        """The table fits the classes: each label has a site, each access a label or a reason."""
        table = self.jvm.sites()
        hits = {key: hits for key, _, _, _, hits in table["sites"]}
        classes = {name.rpartition("/")[2] for name in task.binding.classes}
        accesses = [
            key
            for key, kind, *_ in table["sites"]
            if kind not in ("INVOKE", "INIT") and key.partition(".")[0] in classes
        ]
        newest = task.release == task.binding.releases[0]
        faults = table_faults(task.binding, self.mechanism, accesses, hits, newest)
        faults += [
            f"{name} is no part of the state and has no reason"
            for name in table["opaque"]
            if name not in task.binding.opaque
        ]
        faults += [
            f"{name} is declared opaque, and is one of the classes that are compared"
            for name in task.binding.opaque
            if name.rpartition(".")[2] in classes
        ]
        faults += [f"{name} is static and can change" for name in self.facts["statics"]]
        joins = {pair for join in self.joined.values() for pair in join.met}
        idle = [pair for pair in task.binding.pairs if pair not in joins]
        faults += [f"no scenario joins {' and '.join(pair)}" for pair in idle]
        figures = {"sites": len(accesses), "instructions": self.facts["compared"]}
        if not accesses:
            return {"figures": figures, "verdict": Verdict.VACUOUS, "why": "there is no site"}
        bound = f"{len(task.binding.classes)} classes of {task.release}"
        judgement: Measured = {"figures": figures, "bound": bound}
        if faults:
            why = "; ".join(faults)
            return judgement | {"verdict": Verdict.VIOLATED, "property": "Sites", "why": why}
        return judgement | {"verdict": Verdict.EXHAUSTIVE}


def shown_races(races: Sequence[Sequence[str]]) -> str:
    """Each race once: its field, and the two accesses."""
    return "; ".join(f"race on {field}: {first} and {second}" for field, first, second in races)
