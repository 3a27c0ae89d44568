"""Layer jvm: the states of compiled Java classes against the model's, and the table of sites."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Any

from wheelproof.checks.context import LARGE, Context, Report
from wheelproof.counterexample.build import Diverged, build
from wheelproof.errors import ToolError
from wheelproof.explore.difference import Difference
from wheelproof.graph import reduced
from wheelproof.graph.explorer import first_violation
from wheelproof.jvm import product
from wheelproof.jvm.declaration import BISIMULATION, Binding
from wheelproof.jvm.followed import Followed
from wheelproof.jvm.process import Jvm
from wheelproof.jvm.setup import prepare
from wheelproof.jvm.tasks import CHANGE, FINE, PROPERTY, REJECTED, SITES, Task, tasks
from wheelproof.jvm.values import Encoder, lines
from wheelproof.project.mechanism import Mechanism, the_property
from wheelproof.verdict import Verdict

LAYER = "jvm"
MARGIN = (4, 20_000)
"""The search ends at so many times the model's states, and so many more."""


def fetch(context: Context, names: Iterable[str]) -> None:
    """Fetch and compile what these checks need; NotHere where it cannot be had."""
    known = tasks(context.mechanism)
    needed = {(known[name].binding.name, known[name].release): known[name] for name in names}
    for task in needed.values():
        prepare(context.mechanism.root, context.output, task.binding, task.release, fetch=True)


def check(context: Context, names: Sequence[str]) -> Report:
    """Carry out checks of one binding and release, in one process."""
    known = tasks(context.mechanism)
    chosen = [known[name] for name in names]
    # the table of sites counts what the scenarios before it ran; a change needs other classes
    order = {SITES: 1, CHANGE: 2}
    chosen.sort(key=lambda task: order.get(task.kind, 0))
    first = chosen[0]
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


class _Checks:
    """The checks that share a process. A scenario's model graph is made once."""

    def __init__(self, context: Context, jvm: Jvm, report: Report) -> None:
        self.context, self.jvm, self.report = context, jvm, report
        self.mechanism = context.mechanism
        self.loaded: str | None = None
        self.facts: dict[str, Any] = {}
        self.graphs: dict[str, tuple[Any, Any]] = {}

    def carry_out(self, task: Task) -> None:
        started = self.context.begin(LAYER, task.name, self.context.limits.bisimulation_seconds)
        change = task.subject if task.kind == CHANGE else ""
        if self.loaded != change:
            facts = self.jvm.load(task.binding, change)
            self.loaded = change
            self.facts = self.facts or facts
        if task.kind == SITES:
            judged = self.sites(task)
        elif task.kind == CHANGE:
            judged = self.change(task)
        elif task.kind == PROPERTY:
            judged = self.violation(task)
        else:
            judged = self.scenario(task, task.subject, task.kind == FINE)
        broken = self.broken(task)
        self.report.rows.append(
            self.context.row(
                LAYER,
                task.name,
                started,
                expected="violated" if broken else "exhaustive",
                expected_property=broken,
                **judged,
            )
        )

    def broken(self, task: Task) -> str | None:
        """The property that a check must see violated; None where all must be in order."""
        if task.kind == PROPERTY:
            return self.mechanism.configs[task.subject].property
        return BISIMULATION if task.kind in (CHANGE, REJECTED) else None

    def graph(self, scenario: str) -> tuple[Any, Any]:
        """The model's reduced graph, and its rows."""
        if scenario not in self.graphs:
            graph = reduced.reduce(self.mechanism.model(scenario), self.mechanism.silent)
            self.graphs[scenario] = graph, reduced.rows(graph)
        return self.graphs[scenario]

    def scenario(self, task: Task, scenario: str, fine: bool) -> dict[str, Any]:
        """Every state of the classes beside the model's."""
        binding, program = task.binding, self.mechanism.scenarios[scenario]
        graph, rows = self.graph(scenario)
        self.jvm.scenario(lines(program, binding.sites(fine), fine))
        most = MARGIN[0] * len(rows) + MARGIN[1]
        found = self.jvm.explore(most, self.context.limits.bisimulation_seconds)
        made = product.compare(found, graph, rows, Encoder(graph.model, program), binding.waits)
        figures = made.figures | {name: int(found.figures[name]) for name in ("runs", "steps")}
        judged: dict[str, Any] = {"figures": figures, "bound": self.context.bound(scenario)}
        if made.difference is not None:
            trace = self.counterexample(task, scenario, graph.model, made.difference, made.schedule)
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
        why = self.waits(binding, len(made.waited))
        return judged | {"verdict": Verdict.EXHAUSTIVE, "why": why}

    def waits(self, binding: Binding, count: int) -> str:
        """What the model allows beyond the classes; "" where nothing."""
        if not count:
            return ""
        reasons = "; ".join(f"{label}: {reason}" for label, reason in binding.waits.items())
        return f"the model allows {count} steps more ({reasons})"

    def change(self, task: Task) -> dict[str, Any]:
        """Every scenario that the change names rejects it; the row has the first figures."""
        made = []
        for scenario in task.binding.changes[task.subject].scenarios:
            made.append(self.scenario(task, scenario, fine=False))
            if made[-1]["verdict"] is not Verdict.VIOLATED:
                return made[-1] | {"why": f"{scenario} accepts the change"}
        made[0]["figures"]["scenarios"] = len(made)
        return made[0]

    def violation(self, task: Task) -> dict[str, Any]:
        """The model's shortest run to a violation, followed on the classes state by state."""
        graph, _ = self.graph(task.scenario)
        model, name = graph.model, the_property(self.mechanism.configs[task.subject].property)
        bad = first_violation(graph, name)
        if bad is None:
            return {"verdict": Verdict.EXHAUSTIVE, "why": f"{name} holds in every state"}
        path = graph.path(bad)
        program, schedule = self.mechanism.scenarios[task.scenario], [step[0] for step in path]
        self.jvm.scenario(lines(program, task.binding.sites(fine=False), fine=False))
        run = Followed(self.mechanism, task.scenario, model, self.jvm.replay(schedule))
        states = [graph.states[number] for number in (0, *(step[2] for step in path))]
        for step, state in enumerate(states):
            if differs := run.difference(step, state):
                why = f"the classes leave the model before step {step + 1}: {differs}"
                return {"verdict": Verdict.VIOLATED, "property": BISIMULATION, "why": why}
        labelled = [(thread, label) for thread, label, _ in path]
        return {
            "figures": {"steps": len(path)},
            "bound": self.context.bound(task.scenario),
            "verdict": Verdict.VIOLATED,
            "property": name,
            "trace": self.kept(task, task.scenario, model, labelled, schedule, name, ""),
        }

    def sites(self, task: Task) -> dict[str, Any]:
        """The table fits the classes: each label has a site, each access a label or a reason."""
        found = self.jvm.sites()
        hits = {key: hits for key, _, _, _, hits in found["sites"]}
        own = {name.rpartition("/")[2] for name in task.binding.classes}
        accesses = [
            key
            for key, kind, *_ in found["sites"]
            if kind != "INVOKE" and key.partition(".")[0] in own
        ]
        faults = table_faults(task.binding, self.mechanism, accesses, hits)
        faults += [
            f"{name} is no part of the state and has no reason"
            for name in found["opaque"]
            if name not in task.binding.opaque
        ]
        faults += [f"{name} is static and can change" for name in self.facts.get("statics", ())]
        figures = {"sites": len(accesses), "instructions": self.facts.get("compared", 0)}
        if not accesses:
            return {"figures": figures, "verdict": Verdict.VACUOUS, "why": "there is no site"}
        bound = f"{len(task.binding.classes)} classes of {task.release}"
        judged: dict[str, Any] = {"figures": figures, "bound": bound}
        if faults:
            why = "; ".join(faults)
            return judged | {"verdict": Verdict.VIOLATED, "property": "Sites", "why": why}
        return judged | {"verdict": Verdict.EXHAUSTIVE}

    def counterexample(
        self,
        task: Task,
        scenario: str,
        model: Any,
        difference: Difference,
        schedule: Sequence[int],
    ) -> str | None:
        """The file of a difference; None where its steps are no steps of the model."""
        threads = {name: index for index, name in enumerate(model.threads)}
        labelled = [(threads[thread], label) for thread, label in difference.schedule]
        try:
            return self.kept(
                task, scenario, model, labelled, schedule, BISIMULATION, difference.message
            )
        except (Diverged, ToolError):
            return None

    def kept(
        self,
        task: Task,
        scenario: str,
        model: Any,
        labelled: Sequence[tuple[int, str]],
        schedule: Sequence[int],
        violated: str,
        message: str,
    ) -> str:
        """The file of a counterexample. ``labelled``: the model's steps; ``schedule``: all."""
        found = build(
            self.mechanism,
            model,
            labelled,
            layer=LAYER,
            name=task.name,
            scenario=scenario,
            property=violated,
            explanation="\n".join(
                (f"{task.release}: {message}".removesuffix(": "), self.frames(schedule))
            ),
            sources=self.sources(),
        )
        return self.context.keep(found)

    def frames(self, schedule: Sequence[int]) -> str:
        """Where each thread stands after a schedule, with its frames' locals and operands."""
        states = self.jvm.replay(schedule)["states"]
        if not states:
            return ""
        out = []
        for thread in states[-1]["threads"]:
            failure = f", {thread['failure']}" if thread.get("failure") else ""
            out.append(f"{thread['thread']} at {thread['label']}{failure}")
            out += [
                f"  {frame['site']}({', '.join(frame['values'])})" for frame in thread["frames"]
            ]
        return "\n".join(out)

    def sources(self) -> dict[str, str]:
        """label -> "File.java:line" of its first site."""
        out: dict[str, str] = {}
        for key, _, line, label, _ in self.jvm.sites()["sites"]:
            if label and line:
                file = key.partition(".")[0].partition("$")[0]
                out.setdefault(label, f"{file}.java:{line}")
        return out


def table_faults(
    binding: Binding, mechanism: Mechanism, accesses: Sequence[str], hits: dict[str, int]
) -> list[str]:
    """What is wrong with the table. ``accesses``: the hooked ones; ``hits``: how often each ran."""
    faults = []
    steps = {label.name for label in mechanism.labels.values() if label.kind != "silent"}
    labelled = set(binding.labels)
    unused = {name for name in steps if any(fnmatchcase(name, each) for each in binding.unused)}
    faults += [f"the label {name} has no site" for name in sorted(steps - labelled - unused)]
    faults += [f"{name} is no label of {mechanism.stem}" for name in sorted(labelled - steps)]
    idle = sorted(labelled & unused)
    faults += [f"the label {name} has a site and a reason for none" for name in idle]
    wrong = [each for each in binding.unused if not any(fnmatchcase(name, each) for name in steps)]
    faults += [f"no label of {mechanism.stem} is {each}" for each in wrong]
    sites = {site for places in binding.labels.values() for site in places}
    sites |= {site for places in binding.fine.values() for site in places}
    for site in sorted(sites):
        if site not in hits:
            faults.append(f"there is no site {site}")
        elif not hits[site]:
            faults.append(f"no scenario runs {site}")
    used = set()
    for access in accesses:
        patterns = [each for each in binding.unlabelled if fnmatchcase(access, each)]
        used.update(patterns)
        if access in sites and patterns and access not in fine_sites(binding):
            faults.append(f"{access} has a label and a reason for none")
        if access not in sites and not patterns:
            faults.append(f"{access} has no label and no reason")
    unmatched = [pattern for pattern in binding.unlabelled if pattern not in used]
    return faults + [f"there is no site {pattern}" for pattern in unmatched]


def fine_sites(binding: Binding) -> set[str]:
    """The sites that have a label only where each access is a step."""
    return {site for places in binding.fine.values() for site in places}
