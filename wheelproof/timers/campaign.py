"""A check of a timer: programs are drawn, run in one thread or under threads, and shrunk."""

from __future__ import annotations

import contextlib
import types
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import hypothesis

from wheelproof.errors import UsageError
from wheelproof.linearizability.programs import Program
from wheelproof.plain.answers import Answer, Exploration
from wheelproof.plain.progress import Progress
from wheelproof.plain.schedulers.replay import Repeat
from wheelproof.plain.searching import Search
from wheelproof.plain.settings import EXPLORING, Settings
from wheelproof.plain.shortening import counterexample
from wheelproof.timers import telling
from wheelproof.timers.driver import Driver, TimerJudge
from wheelproof.timers.options import Options
from wheelproof.timers.programs import IN_ONE_THREAD, UNDER_THREADS, Way

ENDS = (Answer.UNSEEN, Answer.NONDETERMINISTIC)
"""Answers for one program that are the answer for all."""


class Refused(AssertionError):
    """A program breaks the contract."""


class Check:
    """Checks of one timer. ``answers`` counts the programs by their answers."""

    def __init__(
        self, factory: Callable[[], Any], options: Options, progress: Progress | None = None
    ) -> None:
        self.factory, self.options = factory, options
        self.name = getattr(factory, "__qualname__", repr(factory))
        if EXPLORING:
            raise UsageError(
                f"{self.name} is checked while {EXPLORING[-1]} is explored: modules are loaded "
                "again for that.",
                "Check it in a test of its own.",
            )
        settings = Settings(options.into, options.bound, options.executions, 0)
        self.search = Search(self.name, settings, progress)
        self.explorer = self.search.explorer
        self.explorer.execution.patient = self.explorer.execution.punctual = True
        with self.search.loading():
            self.make = self._counterpart(factory)
        self.excused = set(options.excused)
        self._forget()

    def _forget(self) -> None:
        """Begin to draw: nothing is known of any program."""
        self.answers: Counter[Answer] = Counter()
        self.known: dict[str, Exploration] = {}
        self.failing: Program | None = None
        self.stopped: Exploration | None = None
        self.executions = self.ran = 0

    def _counterpart(self, factory: Callable[[], Any]) -> Callable[[], Any]:
        if isinstance(factory, type):
            return self.search.second.of_class(factory)
        if not isinstance(factory, types.FunctionType):
            raise UsageError(f"{self.name} is no class or function of a module.")
        return self.search.second(factory)

    @contextlib.contextmanager
    def _running(self) -> Iterator[None]:
        self.search.program = lambda: None
        with self.search.running(), self.explorer.ready():
            yield

    # -- the check

    def of_program(self, program: Program) -> Exploration:
        """Check one program. Raises UsageError and Interrupted."""
        with self._running():
            self._look_at(program)
            return self._answer(IN_ONE_THREAD if len(program.threads) == 1 else UNDER_THREADS)

    def breaches(self, way: Way) -> Iterator[Exploration]:
        """Check drawn programs: a shrunk one for each broken clause, then the rest of the contract.

        Raises UsageError and Interrupted.
        """
        while True:
            self._forget()
            with self._running():
                self._draw(way)
                exploration = self._answer(way)
            yield exploration
            if exploration.answer is not Answer.BUG or self.judge.breach is None:
                return
            self.excused.add(self.judge.breach.clause)

    def _draw(self, way: Way) -> None:
        """Check programs that Hypothesis draws, until one fails, and shrink that one."""

        def refuse(program: Program) -> None:
            if self.stopped is None:
                self._look_at(program)
                if self.failing is program:
                    raise Refused

        test: Any = hypothesis.given(program=way.programs(self.options.tick))(refuse)
        test = hypothesis.settings(
            max_examples=way.times * self.options.programs,
            database=None,
            deadline=None,
            phases=(
                hypothesis.Phase.explicit,
                hypothesis.Phase.generate,
                hypothesis.Phase.shrink,
            ),
            report_multiple_bugs=False,
            suppress_health_check=list(hypothesis.HealthCheck),
        )(hypothesis.seed(self.options.seed)(test))
        for program in way.first:
            test = hypothesis.example(program=program)(test)
        with contextlib.suppress(Refused):
            test()

    def _look_at(self, program: Program) -> None:
        """Run a program in all its orders, or in one where it has one thread."""
        name = repr(program)
        if name not in self.known:
            self.known[name] = self._run(program, explains=False)
            if self.failing is None:
                self.answers[self.known[name].answer] += 1
        exploration = self.known[name]
        if exploration.answer is Answer.BUG:
            self.failing = program
        elif exploration.answer in ENDS and self.failing is None:
            reason = f"{exploration.reason} (in {program!r})"
            self.stopped = replace(exploration, reason=reason)

    def _run(self, program: Program, explains: bool) -> Exploration:
        explorer, execution = self.explorer, self.explorer.execution
        driver = Driver(self.search.world, self.make, program, self.options)
        self.judge = explorer.judge = TimerJudge(driver, self.excused)
        explorer.program, before = driver, execution.executions
        explorer.renew(self.options.executions)
        if driver.alone:
            explorer.run(Repeat(()))
            while explorer.failing is None and explorer.grew():
                explorer.run(Repeat(()))
            exploration = self._of_one_run(explains)
        else:
            exploration = explorer.explored(explains)
        executions = execution.executions - before
        self.executions += executions
        self.ran += self.judge.ran
        if exploration.answer in (Answer.EXHAUSTED, Answer.VACUOUS):
            exploration = replace(exploration, answer=Answer.BOUNDED)
        return replace(exploration, executions=executions)

    def _of_one_run(self, explains: bool) -> Exploration:
        explorer = self.explorer
        failure, schedule = None, None
        answer, reason = Answer.BOUNDED, "the order in which no thread is preempted"
        if explorer.trouble is not None:
            answer, reason = explorer.trouble
        elif explorer.failing is not None:
            answer, reason = Answer.BUG, explorer.found.message if explorer.found else ""
            if explains:
                failure, schedule = counterexample(explorer)
        elif explorer.whole is None:
            answer, reason = Answer.BUDGET, f"a run was ended: {explorer.execution.ending}"
        return Exploration(answer, 1, (), failure, None, reason, schedule)

    # -- answers

    def _answer(self, way: Way) -> Exploration:
        if self.failing is not None:
            return self._explain(self.failing)
        if self.stopped is not None:
            return self.stopped
        total, whole = self.answers.total(), self.answers[Answer.BOUNDED]
        answer = Answer.BOUNDED
        bound = self.options.bound
        reason = f"{whole:,} of {total:,} programs, where time passes once no thread can move"
        if bound is not None and way is not IN_ONE_THREAD:
            reason += f", with at most {bound} preemption{'s' * (bound != 1)}"
        if not self.ran:
            answer, reason = Answer.VACUOUS, "no action ran in any program"
        elif whole < total:
            answer = Answer.BUDGET
            reason += f"; the search of others ended after {self.options.executions:,} executions"
        places = tuple(site.place for site in self.explorer.racy())
        return Exploration(answer, self.executions, places, None, None, reason, None)

    def _explain(self, program: Program) -> Exploration:
        """The failing order of a program with the fewest preemptions."""
        exploration = self._run(program, explains=True)
        if exploration.answer is not Answer.BUG:
            reason = f"{program!r} failed, and does not fail again"
            return replace(exploration, answer=Answer.NONDETERMINISTIC, reason=reason)
        lines = telling.program(program, self.judge)
        test = telling.regression(self.factory, program, self.options.tick, self.excused)
        return replace(exploration, table=tuple(lines), test=test, executions=self.executions)
