"""Performs paths of the model on a real ensemble: ``python -m real.replay --help``."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterable, Set
from contextlib import closing
from dataclasses import replace
from pathlib import Path as File

from real.replay import late, paths
from real.replay.followed import Follower
from real.replay.paths import Graphs, Path
from real.replay.sessions import Sessions
from real.zookeeper import ensemble, server
from wheelproof import project
from wheelproof.errors import NothingChecked, WheelproofError
from wheelproof.python import Replay

MECHANISM = "controller"
ROOT = File(__file__).parents[2]
WRONG_AFTER = 10
"""Steps before the state in which a control alters one variable of the model."""


class Report:
    """The performed paths and their differences."""

    def __init__(self, follower: Follower, output: File) -> None:
        self.follower, self.output = follower, output
        self.steps, self.diverged = 0, 0
        self.labels: set[str] = set()

    def perform(self, path: Path) -> Replay:
        """Perform a path that must agree with its model; print where it does not."""
        result = self.follower.follow(path)
        self.steps += len(result.steps)
        self.labels |= {step.label for step in result.steps}
        if result.difference is not None:
            self.diverged += 1
            file = self.output / "replay" / f"{path.name}.json"
            paths.write(path, result.difference, self.follower.mechanism, file)
            print(f"  {path.name}, {result.difference}\n    written to {file}", flush=True)
        return result

    def cover(self, plan: Iterable[Path], labels: Set[str]) -> None:
        """Perform random paths, which have to have all labels that are known."""
        plan = list(plan)
        for path in plan:
            self.perform(path)
        scenarios = len({path.scenario for path in plan})
        print(
            f"{len(plan)} paths of {scenarios} scenarios, {self.steps:,} steps, "
            f"{len(self.labels & labels)} of {len(labels)} labels: {self.diverged} diverge",
            flush=True,
        )
        missing = sorted(labels - self.labels)
        if missing and not self.diverged:
            raise NothingChecked(f"No path has {', '.join(missing)}.", "Take more, by --paths.")

    def counterexamples(self, plan: Iterable[Path]) -> None:
        """Perform counterexamples; an elector without a decision is no run of the whole model."""
        for path in plan:
            result = self.perform(path)
            if result.difference is not None:
                continue
            self.confirm(path, result)
            print(f"{path.name}: {path.property} fails after {len(result.steps)} steps", flush=True)
            if path.impl_without:
                difference = self.follower.follow(replace(path, model_without="")).difference
                if difference is None:
                    raise NothingChecked(f"{path.name} does not diverge from the whole model.")
                print(f"  beside the whole model {difference}", flush=True)

    def confirm(self, path: Path, result: Replay) -> None:
        """A path that agrees with its model has to break the property of the counterexample."""
        graph = self.follower.graphs.graph(path.scenario, path.model_without)
        state = graph.states[paths.end_of(self.follower.graphs, path)]
        is_broken = (
            result.end == "deadlock"
            if path.property == "NoDeadlock"
            else not graph.model.holds(path.property, state)
        )
        if not is_broken:
            raise NothingChecked(f"{path.name}: {path.property} does not fail after its last step.")

    def wrong_states(self, whole: Path) -> None:
        """Each variable, wrong in one state of the model, has to be refused by its name."""
        model = self.follower.graphs.graph(whole.scenario).model
        path = replace(whole, schedule=whole.schedule[:WRONG_AFTER])
        variables = [name for name in model.variables if name not in model.AUXILIARY]
        for variable in variables:
            difference = self.follower.follow(path, wrong=variable).difference
            if difference is None or list(difference.model) != [variable]:
                raise NothingChecked(f"A wrong value of {variable} is not refused: {difference}.")
        print(
            f"a wrong variable in the model's state after {len(path.schedule)} steps: "
            f"{len(variables)} of {len(variables)} refused",
            flush=True,
        )

    def in_time(self, plan: Iterable[Path]) -> None:
        """A server that is to be late, and is not, has to be refused: once by its state."""
        sessions = self.follower.sessions
        assert sessions is not None
        for path in plan:
            if not paths.lags(self.follower.graphs, path):
                continue
            with sessions.in_time():
                difference = self.follower.follow(path).difference
            if difference is None:
                raise NothingChecked(f"{path.name}: a server that is in time is not refused.")
            if "late" in difference.model:
                print(f"a server that does not fall behind, {path.name}: {difference}", flush=True)
                return
        raise NothingChecked("No server lacks anything where it is to be late.", "Take more.")


def late_reads(running: ensemble.Ensemble, many: int) -> bool:
    """Print how many reads are late. Returns whether none is after a request that settles them."""
    with closing(late.Trials(running)) as trials:
        late_lines = late.reads(trials, many)
    for read in late_lines:
        print(f"read at a follower, {read}", flush=True)
    with closing(late.Trials(running)) as trials:
        number = late.elections(trials, 4 * many)
    print(
        f"in election {number} a broker finds its own old node, waits, and is elected", flush=True
    )
    return not any(read.late for read in late_lines if read.after)


def main(arguments: list[str] | None = None) -> int:
    """0; 1 where a path diverges or a read after a sync is late; the code of an error."""
    parser = argparse.ArgumentParser(
        prog="python -m real.replay",
        description="Perform paths of the model of the controller's election on three nodes of "
        "ZooKeeper, and compare the state after each step.",
    )
    parser.add_argument("--paths", type=int, default=7, help="of each scenario (default: 7)")
    parser.add_argument("--seed", type=int, default=1, help="of the choice (default: 1)")
    parser.add_argument("--reads", type=int, default=300, help="of each kind (default: 300)")
    parser.add_argument("--path", type=File, help="perform the path of this file alone")
    parser.add_argument("--output", type=File, default=File("build"), help="folder for files, logs")
    options = parser.parse_args(arguments)
    for option, limit in (("paths", 10_000), ("reads", 100_000)):
        if not 1 <= getattr(options, option) <= limit:
            parser.error(f"--{option}: give a number from 1 to {limit}")
    handler = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        server.command(ensemble.MAIN)
        graphs = Graphs(project.find(ROOT)[MECHANISM])
        if options.path is not None:
            return alone(graphs, paths.read(options.path, graphs.mechanism), options.output)
        return whole(graphs, options)
    except WheelproofError as error:
        print(f"real.replay: {error}", file=sys.stderr)
        return int(error.exit_code)
    finally:
        signal.signal(signal.SIGTERM, handler)


def whole(graphs: Graphs, options: argparse.Namespace) -> int:
    """All that the command does without --path. The models come first: sessions expire."""
    scenarios = paths.performable(graphs.mechanism)
    plan = [
        path
        for scenario in scenarios
        for path in paths.draw(graphs, scenario, options.paths, options.seed)
    ]
    labels = {label for scenario in scenarios for label in graphs.graph(scenario).labels}
    counterexamples = list(paths.counterexamples(graphs))
    with ensemble.running(options.output, linked=True) as running:
        with open_sessions(running) as sessions:
            report = Report(Follower(graphs, sessions), options.output)
            report.cover(plan, labels)
            report.counterexamples(counterexamples)
            report.wrong_states(max(plan, key=lambda path: len(path.schedule)))
            report.in_time(plan)
        waiting = " and ".join(late.waits(running))
        print(f"at a late server {waiting} wait until it has caught up", flush=True)
        fresh = late_reads(running, options.reads)
    return 1 if report.diverged or not fresh else 0


def alone(graphs: Graphs, path: Path, output: File) -> int:
    """Perform one path. The property of a counterexample has to fail after it."""
    graphs.graph(path.scenario, path.model_without)
    with ensemble.running(output, linked=True) as running, open_sessions(running) as sessions:
        report = Report(Follower(graphs, sessions), output)
        result = report.perform(path)
    if result.difference is not None:
        return 1
    if path.property:
        report.confirm(path, result)
    fails = f"; {path.property} fails" if path.property else ""
    print(f"{path.name}: {len(result.steps)} steps, as in the model{fails}")
    return 0


def open_sessions(running: ensemble.Ensemble) -> closing[Sessions]:
    """The sessions of paths, whose states are read at the leader. The first are on followers."""
    print(f"ZooKeeper {server.RELEASE} on {len(running.ports)} nodes", flush=True)
    leader, size = running.leader(), len(running.ports)
    nodes = [(leader + place) % size for place in range(size)]
    links = {place: running.links[node, leader] for place, node in enumerate(nodes) if place}
    return closing(Sessions([running.ports[node] for node in nodes], links=links))


if __name__ == "__main__":
    sys.exit(main())
