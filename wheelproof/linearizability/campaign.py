"""A check of a class: programs are drawn, all orders of each are run, a failing one is shrunk."""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import hypothesis
from hypothesis.errors import HypothesisException
from hypothesis.internal.reflection import function_digest
from hypothesis.strategies import SearchStrategy

from wheelproof.errors import UsageError
from wheelproof.linearizability import alarms, operations, options, telling, whole_calls
from wheelproof.linearizability.alarms import Alarm
from wheelproof.linearizability.alone import Alone
from wheelproof.linearizability.histories import Specification
from wheelproof.linearizability.judging import HistoryJudge, Outcome
from wheelproof.linearizability.options import LAST, LENIENT, Declaration, Options
from wheelproof.linearizability.programs import Program, drawn
from wheelproof.linearizability.reference import ByReference
from wheelproof.linearizability.running import Driver, OfClass
from wheelproof.plain import texts
from wheelproof.plain.answers import Answer, Exploration
from wheelproof.plain.progress import Progress
from wheelproof.plain.schedulers.replay import Repeat
from wheelproof.plain.searching import Search
from wheelproof.plain.settings import EXPLORING, Settings

ENDS = (Answer.UNSEEN, Answer.NONDETERMINISTIC)
"""Answers for one program that are the answer for all."""


class Refused(AssertionError):
    """A program has a failing order."""


class Campaign:
    """One check of a class. ``answers`` counts the programs by their answers."""

    checks_by = "wheelproof.check"
    """The function that a printed test calls."""

    def __init__(self, declaration: Declaration, progress: Progress | None) -> None:
        self.declaration = declaration
        options_given = self.options = declaration.options
        settings = Settings(
            options_given.into, options_given.bound, options_given.executions, options_given.seed
        )
        self.search = Search(declaration.name, settings, progress)
        self.explorer = self.search.explorer
        self.explorer.execution.patient = options_given.time_outs == LAST
        with self.search.loading():
            self.make, self.second = self._counterparts()
        self.answers: Counter[Answer] = Counter()
        self.outcomes: dict[str, set[str]] = {}
        self.failing: Program | None = None
        self.stopped: Exploration | BaseException | None = None
        self.executions, self.freed = 0, False
        self.programs: dict[str, Answer] = {}

    def _counterparts(self) -> tuple[Callable[[], Any], Options]:
        """The factory and the options, with functions of the exploration's world."""
        first, second = self.options, self.search.second
        factory = self._counterpart(self.declaration.factory)
        declaration = options.declaration_of(factory)
        if declaration is not None:
            return declaration.factory, declaration.options
        observe = None if first.observe is None else self._counterpart(first.observe)
        reference = None if first.reference is None else self._counterpart(first.reference)
        given_operations = first.operations
        if isinstance(given_operations, dict):
            given_operations = {
                name: second.value(value) for name, value in given_operations.items()
            }
        return factory, replace(
            first, observe=observe, reference=reference, operations=given_operations
        )

    def _counterpart(self, function: Any) -> Any:
        if isinstance(function, type):
            parts = (part for base in function.__mro__ for part in vars(base).values())
            if any(isinstance(part, types.FunctionType) for part in parts):
                return self.search.second.of_class(function)
            return function
        if not isinstance(function, types.FunctionType):
            return function
        return self.search.second(function)

    # -- the check

    def answer(self, program: Program | None) -> Exploration:
        """Raises UsageError and Interrupted."""
        self.search.program = self._make_once
        with self.search.running(), self.explorer.ready():
            self._prepare()
            if program is not None:
                self._try(program)
            else:
                self._draw(self._programs())
            if self.failing is not None:
                return self._explain(self.failing)
        if isinstance(self.stopped, BaseException):
            raise self.stopped
        return self._answer() if self.stopped is None else self.stopped

    def _prepare(self) -> None:
        """Look at the class of the object under test. Raises UsageError."""
        self.kind = self._kind()

    def _programs(self) -> SearchStrategy[Program]:
        """A strategy for programs. Raises UsageError."""
        strategies = operations.of_class(self.kind, self.second.operations)
        return drawn(strategies, self.options.sizes())

    def _make_once(self) -> None:
        self._instance = self.make()

    def _kind(self) -> type:
        """The class of the object under test. Raises UsageError."""
        explorer, execution = self.explorer, self.explorer.execution
        execution.run(self._make_once, Repeat(()))
        error = execution.threads[0].error
        execution.end_threads()
        explorer.restore()
        if error is not None:
            raise UsageError(f"{self.declaration.name} raises {type(error).__name__}: {error}.")
        kind = type(self._instance)
        del self._instance
        return kind

    def _draw(self, programs: SearchStrategy[Program]) -> None:
        """Check programs that Hypothesis draws, until one fails, and shrink that one."""

        def check(program: Program) -> None:
            if self.stopped is None and self._explore(program):
                raise Refused

        check._hypothesis_internal_add_digest = function_digest(  # type: ignore[attr-defined]
            self.declaration.factory
        )
        parent: Any = self.options.settings or hypothesis.settings.default
        test: Any = self.seeded(hypothesis.given(program=programs)(check))
        test = hypothesis.settings(
            parent,
            deadline=None,
            report_multiple_bugs=False,
            phases=[phase for phase in parent.phases if phase is not hypothesis.Phase.explain],
            suppress_health_check=list(hypothesis.HealthCheck),
        )(test)
        for program in self.options.examples:
            test = hypothesis.example(program=program)(test)
        for example in self.declaration.explicit or ():
            test = hypothesis.example(program=_program_of(example, self.declaration.name))(test)
        try:
            test()
        except Refused:
            pass
        except HypothesisException as error:
            if self.failing is None:
                raise UsageError(f"{self.declaration.name}: Hypothesis says: {error}") from None

    def seeded(self, test: Any) -> Any:
        """A test of Hypothesis, drawn as the user's settings have it."""
        return test

    def _try(self, program: Program) -> None:
        """Check one program that the user has written. Raises UsageError."""
        self._explore(program)

    def _explore(self, program: Program) -> bool:
        """Run all orders of a program, until one fails. Whether one does."""
        name = repr(program)
        if name not in self.programs:
            try:
                exploration = self._search_program(program, False)
            except UsageError as error:
                self.stopped = error
                return False
            answer = self.programs[name] = exploration.answer
            if answer is not Answer.BUG and self.failing is None:
                self.answers[answer] += 1
                if answer in ENDS:
                    reason = f"{exploration.reason} (in {program!r})"
                    self.stopped = replace(exploration, reason=reason)
        if self.programs[name] is not Answer.BUG:
            return False
        self.failing = program
        return True

    def _search_program(self, program: Program, explains: bool) -> Exploration:
        second_options = self.second
        subject = OfClass(self.make, second_options.observe, second_options.ignored)
        driver = Driver(self.search.world, subject, program)
        if second_options.reference is None:
            return self._judge_program(driver, Alone(self.explorer, driver), explains)
        reference = ByReference(
            second_options.reference, second_options.observe, second_options.ignored, driver.calls
        )
        return self._judge_program(driver, reference, explains)

    def _judge_program(
        self,
        driver: Driver,
        specification: Specification,
        explains: bool,
        outcomes_allowed: frozenset[Outcome] = frozenset(),
    ) -> Exploration:
        """Search the orders of one program. ``explains``: a failing one is shown."""
        explorer, execution = self.explorer, self.explorer.execution
        before = execution.executions
        explorer.program, explorer.bound = driver, self.options.bound
        driver.is_lenient = self.options.time_outs == LENIENT
        explorer.renew(self.options.executions)
        execution.put_off = False
        condition = self.options.condition
        self.judge = HistoryJudge(explorer, driver, specification, condition, outcomes_allowed)
        explorer.judge = self.judge
        exploration = explorer.explored(explains)
        executions = execution.executions - before
        self.executions += executions
        self.freed = self.freed or self.judge.freed
        for call, kinds in self.judge.outcomes.items():
            self.outcomes.setdefault(call, set()).update(kinds)
        if exploration.answer is Answer.EXHAUSTED and execution.put_off:
            exploration = replace(
                exploration,
                answer=Answer.BOUNDED,
                reason="every order in which time-outs come last",
            )
        return replace(exploration, executions=executions)

    # -- answers

    def _explain(self, program: Program) -> Exploration:
        """The failing order of a program with the fewest preemptions."""
        exploration = self._search_program(program, True)
        lines = telling.program(program, self.judge.last)
        if exploration.answer is not Answer.BUG:
            reason = f"{program!r} failed, and does not fail again"
            return replace(exploration, answer=Answer.NONDETERMINISTIC, reason=reason)
        lines += self._alarms(program)
        if self.declaration.explicit is not None:
            lines += ["", "to try this program first, above the declaration:"]
            lines += [f"  @hypothesis.example({program!r})"]
        test = telling.regression(self.declaration, program, self.checks_by)
        if exploration.failure is not None:  # that the program's own thread waits is no news
            waits = tuple(wait for wait in exploration.failure.waits if wait.place.file)
            exploration = replace(exploration, failure=replace(exploration.failure, waits=waits))
        return replace(exploration, table=tuple(lines), test=test, executions=self.executions)

    def _alarms(self, program: Program) -> list[str]:
        """Lines for each reason why the program may fail without a fault in the class."""
        refusal, judge = self.judge.last, self.judge
        if refusal is None:
            return []
        alarm_list = [
            alarms.who_was_first(refusal, judge.specification, self.options.condition),
            alarms.forbidden_order(refusal),
            self._several_calls(program),
            self._early_time_out(program),
        ]
        lines = [str(alarm) for alarm in alarm_list if alarm is not None]
        paragraphs = [texts.lines(line, telling.WIDTH, "  ", "    ") for line in lines]
        head = ["", "perhaps it is no bug of the class:"] if lines else []
        return head + [line for lines in paragraphs for line in lines]

    def _several_calls(self, program: Program) -> Alarm | None:
        """Some operations are several calls, and it fails between them."""
        judge = self.judge
        codes = whole_calls.codes_of(self.kind)
        limit = self.options.executions
        names = whole_calls.names_of_several(self.explorer, judge.driver, codes, limit)
        return alarms.several_calls(names) if names else None

    def _early_time_out(self, program: Program) -> Alarm | None:
        """A time-out fires that need not, and it fails only then."""
        execution = self.explorer.execution
        if execution.patient:
            return None
        execution.patient = True
        try:
            answer = self._search_program(program, False).answer
        finally:
            execution.patient = False
        passes = answer in (Answer.EXHAUSTED, Answer.BOUNDED)
        return alarms.early_time_out(self.options.time_outs == LENIENT) if passes else None

    def _answer(self) -> Exploration:
        """The answer for all programs that were drawn."""
        answers, total = self.answers, self.answers.total()
        dead = sorted(name for name, kinds in self.outcomes.items() if kinds == {"raised"})
        share = f"{answers[Answer.EXHAUSTED] + answers[Answer.VACUOUS]:,} of {total:,} programs"
        if not total or answers[Answer.VACUOUS] == total:
            answer, reason = Answer.VACUOUS, "no program has an object that two threads use"
        elif dead:
            answer, reason = Answer.VACUOUS, f"{', '.join(dead)} raised an exception in every call"
        elif answers[Answer.BUDGET]:
            limit = self.options.executions
            answer = Answer.BUDGET
            reason = (
                f"{share} were exhausted; the search of others ended after {limit:,} executions"
            )
        elif answers[Answer.BOUNDED]:
            answer = Answer.BOUNDED
            bound = self.options.bound
            restriction = "time-outs come last" if bound is None else f"at most {bound} preemptions"
            reason = f"{share} were exhausted, the others but for this: {restriction}"
        else:
            answer, reason = Answer.EXHAUSTED, f"every order of {share}"
            reason += "; a result after a time-out fits any of them" * self.freed
        bound = self.options.bound if answer is Answer.BOUNDED else None
        places = tuple(site.place for site in self.explorer.racy())
        return Exploration(answer, self.executions, places, None, bound, reason, None)


def _program_of(example: Any, name: str) -> Program:
    """The program that ``@hypothesis.example`` gives. Raises UsageError."""
    values = [*example.args, *example.kwargs.values()]
    is_one = len(values) == 1 and isinstance(values[0], Program)
    if not is_one or not example.kwargs.keys() <= {"program"} or example.raises is not None:
        raise UsageError(
            f"@example of {name} gives no program to run first.",
            "Write it as @hypothesis.example(wheelproof.program(...)).",
        )
    program: Program = values[0]
    return program


def checked(
    declaration: Declaration,
    program: Program | None = None,
    progress: Progress | None = None,
    campaign: type[Campaign] = Campaign,
) -> Exploration:
    """Check a declaration by drawn programs, or by a chosen one. Raises UsageError, Interrupted."""
    if EXPLORING:
        raise UsageError(
            f"{declaration.name} is checked while {EXPLORING[-1]} is explored: modules are loaded "
            "again for that.",
            "Check it in a test of its own.",
        )
    return campaign(declaration, progress).answer(program)
