"""Runs over a specification's graph, taken by a program and compared after each step.

A step may have several successors, of which the program takes one. The state that the program
shows says which, and the run goes on from there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from wheelproof.tla.driving.adapter import Adapter, Program, Raised
from wheelproof.tla.driving.traversal import Edge, Traversal
from wheelproof.tla.logs.mapping import plain
from wheelproof.tla.plain.behaviours import text
from wheelproof.tla.plain.exploration import Exploration
from wheelproof.tla.plain.machine import Label, Machine
from wheelproof.tla.values import canonical
from wheelproof.tlc.values import Value, format_tla


@dataclass
class Report:
    """The outcome: runs and steps that were taken, and edges of the graph.

    difference: the lines of the first one; () where there is none.
    """

    edges: int
    runs: int = 0
    steps: int = 0
    covered: int = 0
    difference: tuple[str, ...] = ()
    trail: list[str] = field(default_factory=list)
    """The steps of the last run."""


class _Differs(Exception):
    """The program shows another state; the arguments are lines for people."""


class Driver:
    """One specification beside one program."""

    def __init__(self, machine: Machine, adapter: Adapter) -> None:
        self.machine, self.adapter = machine, adapter
        self._last: Edge | None = None

    def cover(self, exploration: Exploration) -> Report:
        """Take every edge of a whole graph, up to the first difference."""
        outgoing: list[list[tuple[Label, int]]] = [[] for _ in exploration.states]
        for source, label, target in dict.fromkeys(exploration.edges):
            outgoing[source].append((label, target))
        self.adapter.check({label[0] for edges in outgoing for label, _ in edges})
        targets = [[target for _, target in edges] for edges in outgoing]
        traversal, report = Traversal(exploration.initial, targets), Report(sum(map(len, targets)))
        values = [self._plain(state) for state in map(self.machine.values, exploration.states)]
        try:
            while path := traversal.path(exploration.initial):
                report.runs += 1
                report.trail.clear()
                program = self._begin(values[path[0][0]])
                while path:
                    here = self._follow(program, path, outgoing, values, traversal, report)
                    path = traversal.path([here])
        except _Differs as difference:
            report.difference = difference.args
            self._shorten(traversal, outgoing, values, report)
        report.covered = traversal.covered
        return report

    def _follow(
        self,
        program: Program,
        path: Sequence[tuple[int, int]],
        outgoing: Sequence[Sequence[tuple[Label, int]]],
        values: Sequence[Mapping[str, Value]],
        traversal: Traversal,
        report: Report,
    ) -> int:
        """Take the edges of a path, as far as the program goes along; the state behind them."""
        here = path[0][0]
        for state, number in path:
            label, aim = outgoing[state][number]
            self._last = state, number
            choices = {
                target: place
                for place, (name, target) in enumerate(outgoing[state])
                if name == label
            }
            here = self._step(program, label, aim, list(choices), values, report)
            traversal.take(state, choices[here])
            if here != aim:
                traversal.close(state, number)
                return here
        return here

    def _shorten(
        self,
        traversal: Traversal,
        outgoing: Sequence[Sequence[tuple[Label, int]]],
        values: Sequence[Mapping[str, Value]],
        report: Report,
    ) -> None:
        """Show a difference after the shortest path to its step, where it is there, too."""
        if self._last is None:
            return
        path = traversal.path_to(self._last)
        shorter = Report(report.edges)
        try:
            self._follow(
                self._begin(values[path[0][0]]), path, outgoing, values, traversal, shorter
            )
        except _Differs as difference:
            report.difference, report.trail = difference.args, shorter.trail

    def _step(
        self,
        program: Program,
        label: Label,
        aim: int,
        targets: Sequence[int],
        values: Sequence[Mapping[str, Value]],
        report: Report,
    ) -> int:
        """Take one step; the state that the program shows, ``aim`` where it may be that one."""
        report.steps += 1
        report.trail.append(text(label))
        values_shown = self._act(program, label)
        fitting = [target for target in targets if _fits(values_shown, values[target])]
        if not fitting:
            nearest = min(targets, key=lambda target: len(_wrong(values_shown, values[target])))
            raise _Differs(*_wrong(values_shown, values[nearest]))
        return aim if aim in fitting else fitting[0]

    def behaviour(self, labels: Sequence[Label], states: Sequence[Mapping[str, Value]]) -> Report:
        """Take the steps of one behaviour; ``labels`` begins with that of the initial state."""
        self.adapter.check({label[0] for label in labels[1:]})
        report = Report(len(labels) - 1, runs=1)
        values = [self._plain(state) for state in states]
        try:
            program = self._begin(values[0])
            for number, label in enumerate(labels[1:], start=1):
                self._step(program, label, number, [number], values, report)
                report.covered += 1
        except _Differs as difference:
            report.difference = difference.args
        return report

    # -- the program

    def _begin(self, state: Mapping[str, Value]) -> Program:
        try:
            program = self.adapter.begin(state)
            values_shown = program.state(self.machine.variables)
        except Raised as error:
            raise _Differs(f"the program raises {error}") from error
        if not _fits(values_shown, state):
            raise _Differs(*_wrong(values_shown, state))
        return program

    def _act(self, program: Program, label: Label) -> dict[str, Value]:
        name, arguments = label
        try:
            program.act(name, [plain(canonical(argument)) for argument in arguments])
            return program.state(self.machine.variables)
        except Raised as error:
            raise _Differs(f"the program raises {error}") from error

    def _plain(self, state: Mapping[str, Value]) -> dict[str, Value]:
        return {name: plain(value) for name, value in state.items()}


def _fits(values_shown: Mapping[str, Value], state: Mapping[str, Value]) -> bool:
    return not _wrong(values_shown, state)


def _wrong(values_shown: Mapping[str, Value], state: Mapping[str, Value]) -> list[str]:
    """The variables that a program shows otherwise, as lines."""
    return [
        f"{name} is {format_tla(value)}, and {format_tla(state[name])} in the specification"
        for name, value in values_shown.items()
        if format_tla(value) != format_tla(state[name])
    ]
