"""``wheelproof replay``: a counterexample executed again on the model or the implementation.

It must violate its property at the same step.

Exit code 1 where the violation is reproduced (a finding is a finding), 4 where it is not: then the
file is of other sources, or something is not deterministic.
"""

from __future__ import annotations

from pathlib import Path

from wheelproof import project
from wheelproof.choices import Move, move_of, thread_of
from wheelproof.counterexample import compiled, composed, document
from wheelproof.counterexample.build import follow
from wheelproof.counterexample.document import Counterexample
from wheelproof.counterexample.numbering import SILENT, count, statement, upto
from wheelproof.counterexample.places import places, plain
from wheelproof.decisions.read import names_of
from wheelproof.errors import ToolError, UsageError
from wheelproof.graph.reduced import settle
from wheelproof.project.mechanism import Mechanism
from wheelproof.protocols import State

REPRODUCED = 1


class NotReproduced(ToolError):
    """The run went another way than the file says."""

    def __init__(self, thing: str) -> None:
        super().__init__(
            thing,
            "Make the counterexample anew with `wheelproof verify`: sources or scenario have "
            "changed.",
        )


def run(path: Path, on: str, until: int | None = None, *, root: Path = Path(".")) -> int:
    """Replay a file ``on`` "model" or "impl", up to step ``until`` (then the exit code is 0).

    Steps have the numbers that every view gives them: silent ones have none.

    Raises UsageError for a step behind the last one.
    """
    trace = document.read(path)
    end = count(trace.steps)
    if until is not None and until > end:
        raise UsageError(f"{path}: there is no step {until}.", f"Its last step is {end}.")
    mechanisms = project.find(root)
    if trace.mechanism not in mechanisms:
        raise UsageError(
            f"{path}: there is no mechanism {trace.mechanism} in {root}.",
            "Name its folder with --subject.",
        )
    mechanism = mechanisms[trace.mechanism]
    if trace.scenario not in mechanism.scenarios:
        raise UsageError(f"{path}: {mechanism.toml} has no scenario {trace.scenario}.")
    for decision in (*names_of(trace.model_without), *names_of(trace.impl_without)):
        if decision not in mechanism.decisions:
            raise UsageError(f"{path}: {trace.mechanism} has no decision {decision}.")
    if trace.layer == composed.LAYER:
        return _compose(mechanism, trace, on, until)
    mechanism = mechanism.without(trace.model_without)
    if (
        trace.property in mechanism.properties
        and mechanism.properties[trace.property].kind == "refinement"
        or not all(step.label in mechanism.labels for step in trace.steps)
    ):
        raise UsageError(
            f"{path}: {trace.property} is a property of a module that only TLC runs.",
            f"Run it again with `wheelproof verify {trace.mechanism} --layer tlc`, or show it with "
            "`wheelproof show`.",
        )
    on_impl = OnCompiled if trace.layer == compiled.LAYER else OnImplementation
    replay = {"model": OnModel, "impl": on_impl}[on](mechanism, trace)
    stops = until is not None and until < end
    replay.go(upto(trace.steps, until or 0) if stops else len(trace.steps))
    if stops:
        print(f"stopped after step {until} of {end}:")
        for place, text in places(replay.model, replay.state).items():
            print(f"  {place} = {plain(text)}")
        return 0
    replay.judge()
    artefact = "model" if on == "model" else "implementation"
    labels = [f"{step.thread}.{step.label}" for step in trace.steps if step.kind != SILENT]
    print(
        f"reproduced on the {artefact}: {trace.property} is violated after step "
        f"{end}, {labels[-1] if labels else 'no step.'}"
    )
    return REPRODUCED


def _compose(mechanism: Mechanism, trace: Counterexample, on: str, until: int | None) -> int:
    if on == "model":
        raise UsageError(
            "This counterexample has steps of lower mechanisms, which the model has not.",
            "Replay it with --on impl.",
        )
    if (last := composed.again(mechanism, trace, until)) is None:
        return 0
    print(
        f"reproduced on the implementation: {trace.property} is violated after step {last}, "
        f"{trace.steps[-1].thread}.{trace.steps[-1].label}"
    )
    return REPRODUCED


class OnModel:
    """The schedule followed on the model: the same steps, the same changes, the same end."""

    def __init__(self, mechanism: Mechanism, counterexample: Counterexample) -> None:
        self.mechanism, self.found = mechanism, counterexample
        self.model = mechanism.model(counterexample.scenario)
        self.state = self.model.initial()
        self.states = [self.state]
        if set(self.model.threads) != set(counterexample.threads):
            raise NotReproduced(
                f"The scenario has the threads {', '.join(self.model.threads)}, the file "
                f"{', '.join(counterexample.threads)}."
            )

    def go(self, last: int) -> None:
        """Take the first ``last`` steps."""
        schedule = [
            (self.model.threads.index(step.thread), step.named) for step in self.found.steps[:last]
        ]
        path = follow(self.model, schedule, self.mechanism.silent, exact=True)
        before = places(self.model, self.state)
        for index, (step, (_, _, state)) in enumerate(zip(self.found.steps, path)):
            after = places(self.model, state)
            changes = {
                place: (before[place], text)
                for place, text in after.items()
                if text != before[place]
            }
            if changes != dict(step.changes):
                raise NotReproduced(
                    f"{statement(self.found.steps, index)}, changes {changes or 'nothing'}, in the "
                    f"file {dict(step.changes) or 'nothing'}."
                )
            before, self.state = after, state
            self.states.append(state)

    def kind(self) -> str:
        """The kind of the violated property; "" for one that the tool itself speaks of."""
        name = self.found.property
        return self.mechanism.properties[name].kind if name in self.mechanism.properties else ""

    def judge(self) -> None:
        """The property must fail where the file says; NotReproduced if it holds."""
        model, name, loop = self.model, self.found.property, self.found.loop
        kind = self.kind()
        if name == "Bisimulation" or kind == "race":
            raise UsageError(
                "This counterexample is one of the implementation alone; the model only shows "
                "where its steps lead.",
                "Replay it with --on impl.",
            )
        if kind == "deadlock":
            bad = not model.successors(self.state) and not model.final(self.state)
        elif kind == "liveness":
            start = len(self.states) - 1 if loop is None or loop >= len(self.found.steps) else loop
            closes = (
                loop is None or loop >= len(self.found.steps) or self.states[loop] == self.state
            )
            bad = closes and not any(model.holds(name, state) for state in self.states[start:])
        else:
            bad = not model.holds(name, self.state)
        if not bad:
            raise NotReproduced(f"{name} holds after the last step.")


class OnImplementation(OnModel):
    """The schedule on the controlled implementation, compared with the model after each step."""

    def __init__(self, mechanism: Mechanism, counterexample: Counterexample) -> None:
        super().__init__(mechanism, counterexample)
        from wheelproof.python import ControlledImplementation, RaceDetector

        mutation = mechanism.without(counterexample.impl_without)
        self.implementation = ControlledImplementation.load(
            mechanism.root, mechanism.name, texts=mutation.modules
        )
        self.race = RaceDetector()
        self.execution = self.implementation.begin(
            mechanism.scenarios[counterexample.scenario], race=self.race
        )
        self.settled = settle(self.model, mechanism.silent)
        self.differs = ""

    def go(self, last: int) -> None:
        from wheelproof.python.findings import StepError

        super().go(last)
        silent, names = self.mechanism.silent, [thread.name for thread in self.execution.threads]
        for number, step in enumerate(self.found.steps[:last], 1):
            if step.label in silent:
                continue
            index = names.index(step.thread)
            if self.execution.labels[index] != step.label:
                raise NotReproduced(
                    f"{statement(self.found.steps, number - 1)}: {step.thread} waits at "
                    f"{self.execution.labels[index]}."
                )
            try:
                self.execution.step(move_of(index, step.named))
            except StepError as error:
                self.differs = str(error)
            else:
                self.differs = self.difference(self.states[number])
            if not self.differs and self.execution.choice != step.choice:
                raise NotReproduced(
                    f"{statement(self.found.steps, number - 1)} chooses "
                    f"{', '.join(self.execution.choice) or 'nothing'}."
                )
            if self.differs and (number < last or self.found.property != "Bisimulation"):
                raise NotReproduced(
                    f"{statement(self.found.steps, number - 1)}: the implementation leaves the "
                    f"model: {self.differs}."
                )

    def difference(self, state: State) -> str:
        """How the implementation differs from a model state; "" if it does not."""
        from wheelproof.python.search.difference import compare_shared

        theirs = zip(self.model.variables, self.model.pieces(state))
        if difference := compare_shared(
            self.execution.shared(),
            {name: value for name, value in theirs if name not in self.model.AUXILIARY},
        ):
            return difference[0]
        able = {thread: label for thread, label, _ in self.model.successors(self.settled(state))}
        moves = self.execution.enabled()
        return "" if moves == able else f"able to move: {moves}, in the model {able}"

    def chooses_otherwise(self) -> bool:
        """Whether the next step of a thread chooses among other values than the model's.

        Each choice is taken in a run of its own.
        """
        from wheelproof.python.search.difference import compare_choices

        names, silent = self.model.threads, self.mechanism.silent
        way = [
            move_of(names.index(step.thread), step.named)
            for step in self.found.steps
            if step.label not in silent
        ]
        able = [(move_of(*step[:2]), step[1]) for step in self.model.successors(self.end())]
        for thread, label in self.execution.enabled().items():
            theirs = {move for move, _ in able if thread_of(move) == thread}
            ways = self.alternatives(way, thread)
            if ways != theirs:
                self.differs = compare_choices(ways, theirs, f"{names[thread]}.{label}")
                return True
        return False

    def end(self) -> State:
        """The model's state after the last step and the silent ones."""
        return self.settled(self.states[-1])

    def alternatives(self, way: list[Move], thread: int) -> set[Move]:
        """The keys of a thread's next step after these steps."""
        from wheelproof.python.findings import StepError

        moves, queue = set[Move](), list[Move]([thread])
        while queue:
            run = self.implementation.begin(self.mechanism.scenarios[self.found.scenario])
            run.replay(way)
            try:
                run.step(queue.pop())
            except StepError as error:
                raise NotReproduced(
                    f"A step of {self.model.threads[thread]} ends: {error}"
                ) from error
            moves.add((thread, run.choice) if run.choice else thread)
            queue += [(thread, branch) for branch in run.beside]
        return moves

    def judge(self) -> None:
        if self.found.property == "Bisimulation":
            if not (self.differs or self.chooses_otherwise()):
                raise NotReproduced("The implementation does not leave the model.")
            print(f"the implementation leaves the model: {self.differs}")
            return
        if self.kind() == "race":
            if self.race.met is None:
                raise NotReproduced("No two accesses are unordered.")
            print(self.race.met.race)
            return
        super().judge()
        if self.kind() == "deadlock" and (self.execution.enabled() or self.execution.done):
            raise NotReproduced("A thread of the implementation can move.")


class OnCompiled(OnModel):
    """The schedule run on compiled classes, compared with the model after every step."""

    def __init__(self, mechanism: Mechanism, counterexample: Counterexample) -> None:
        super().__init__(mechanism, counterexample)
        self.execution = compiled.follow(mechanism, counterexample, self.model)
        self.differs = ""

    def go(self, last: int) -> None:
        super().go(last)
        steps, at = self.found.steps[:last], 0
        self.differs = self.execution.difference(0, self.states[0])
        schedule = compiled.schedule_of(self.mechanism, self.found, self.model)
        for number, thread in enumerate(schedule):
            if self.differs:
                after = count(self.found.steps[:at])
                raise NotReproduced(
                    f"After step {after} the classes leave the model: {self.differs}."
                )
            if not self.execution.stutters(number, thread):
                at = self.behind_silent(at)
                if at >= len(steps):
                    return
                self.differs = self.execution.result(number, thread, self.states[at])
                at = self.behind_joined(at + 1)
            self.differs = self.differs or self.execution.difference(number + 1, self.states[at])

    def behind_silent(self, at: int) -> int:
        """The number of steps up to the next one that is not silent."""
        steps = self.found.steps
        while at < len(steps) and steps[at].label in self.mechanism.silent:
            at += 1
        return at

    def behind_joined(self, at: int) -> int:
        """The number of steps with those that the classes take together with the last one."""
        steps = self.found.steps
        while (ahead := self.behind_silent(at)) < len(steps):
            last, following = steps[at - 1], steps[ahead]
            pair = last.label, following.label
            if last.thread != following.thread or pair not in self.execution.pairs:
                break
            at = ahead + 1
        return at

    def judge(self) -> None:
        if self.found.property != "Bisimulation":
            if self.differs:
                raise NotReproduced(f"The classes leave the model: {self.differs}.")
            super().judge()
            return
        if not self.differs:
            raise NotReproduced("The classes do not leave the model.")
        print(f"the classes leave the model: {self.differs}")
