"""A check of a state machine: its rules in programs of threads, judged by their own orders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import hypothesis
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from wheelproof.errors import UsageError
from wheelproof.linearizability.alone import Alone
from wheelproof.linearizability.campaign import Campaign
from wheelproof.linearizability.judging import Outcome, outcome
from wheelproof.linearizability.machines import drawing
from wheelproof.linearizability.machines.admission import Admission
from wheelproof.linearizability.machines.rules import Rules, checked_machine
from wheelproof.linearizability.machines.running import OfMachine
from wheelproof.linearizability.options import Declaration, options
from wheelproof.linearizability.programs import Program
from wheelproof.linearizability.running import Driver
from wheelproof.linearizability.values import Raised
from wheelproof.linearizability.whole_calls import codes_of, outcomes
from wheelproof.plain.answers import Answer, Exploration
from wheelproof.plain.progress import Progress

OWN_MODEL = (
    "own model: in {count} of them a rule fails even where no call of the class is divided:",
    "  {names}.",
    "  The machine's model is not thread-safe, or the rule asserts an order. Such outcomes are not",
    "  reported, any other one would be. Remedy: return from a rule what the class returns.",
)


OF_CLASSES = ("operations", "observe", "reference")
"""Options that a state machine does not have: its rules say it."""


def declared(machine: Any, given_options: Mapping[str, Any]) -> Declaration:
    """The declaration of a state machine. Raises UsageError."""
    for name in OF_CLASSES:
        if name in given_options:
            raise UsageError(f"A state machine has no option {name}.", "Its rules say it.")
    return Declaration(checked_machine(machine), options(**given_options))


class MachineCampaign(Campaign):
    """One check of a state machine.

    ``modelled``: for each rule that fails by the machine's own model, the number of programs.
    """

    checks_by = "wheelproof.run_concurrently"

    def __init__(self, declaration: Declaration, progress: Progress | None) -> None:
        super().__init__(declaration, progress)
        self.modelled: Counter[str] = Counter()
        self.programs_modelled = 0

    def _prepare(self) -> None:
        rules = self.rules = Rules(self.make)  # type: ignore[arg-type]  # a machine's class
        functions = [rule.function for rule in rules.all().values()]
        functions += [invariant.function for invariant in rules.invariants]
        self.codes = codes_of(rules.machine, functions)

    def _programs(self) -> SearchStrategy[Program]:
        return drawing.programs(self.rules, self.options.sizes())

    def _driver(self, program: Program) -> Driver:
        subject = OfMachine(self.rules, self.options.ignored)
        return Driver(self.search.world, subject, program)

    # -- programs

    def _try(self, program: Program) -> None:
        def explore() -> None:
            if self._admissible(program) != program:
                raise UsageError(
                    f"{program!r} has a call that a precondition forbids in some order.",
                    "Leave the call out.",
                )
            self._explore(program)

        _within_a_test(explore)

    def _explore(self, program: Program) -> bool:
        try:
            admissible = self._admissible(program)
        except UsageError as error:
            self.stopped = error
            return False
        if admissible is None:
            hypothesis.reject()
        return super()._explore(admissible)

    def _admissible(self, program: Program) -> Program | None:
        """A program without the calls that some order forbids. Raises UsageError."""
        admissible: Program | None = program
        while admissible is not None:
            driver = self._driver(admissible)
            refusals = Admission(
                self.declaration.name, driver, Alone(self.explorer, driver)
            ).refused
            if not refusals:
                break
            admissible = drawing.without(admissible, refusals)
        return admissible

    def _search_program(self, program: Program, explains: bool) -> Exploration:
        """As that of a class. Outcomes that whole calls have, too, are the machine's own."""
        driver = self._driver(program)
        specification = Alone(self.explorer, driver)
        outcomes_allowed: frozenset[Outcome] = frozenset()
        exploration = self._judge_program(driver, specification, False)
        names: set[str] = set()
        while exploration.answer is Answer.BUG and self.judge.last is not None:
            operations = self.judge.last.operations
            whole = outcomes(self.explorer, driver, self.codes, self.options.executions)
            if whole is None:
                reason = "some orders in which no call of the class is divided were not searched"
                return replace(exploration, answer=Answer.BUDGET, reason=reason)
            if outcome(operations) not in whole:
                break
            names_of_raises = [o.call.name for o in operations if isinstance(o.result, Raised)]
            names.update(names_of_raises or [o.call.name for o in operations if o.thread])
            outcomes_allowed = whole
            exploration = self._judge_program(driver, specification, False, outcomes_allowed)
        if explains:
            return self._judge_program(driver, specification, True, outcomes_allowed)
        if names and exploration.answer is not Answer.BUG:
            self.modelled.update(names)
            self.programs_modelled += 1
        return exploration

    # -- answers

    def _several_calls(self, program: Program) -> None:
        """A failure between the calls of a rule is the machine's own, and has been left out."""

    def _explain(self, program: Program) -> Exploration:
        answers: list[Exploration] = []
        explain_program = super()._explain
        _within_a_test(lambda: answers.append(explain_program(program)))
        return answers[0]

    def _answer(self) -> Exploration:
        exploration = super()._answer()
        lines = [f"left out: {name}, since {why}" for name, why in self.rules.left_out.items()]
        if self.programs_modelled:
            names = ", ".join(sorted(self.modelled))
            lines += [line.format(count=self.programs_modelled, names=names) for line in OWN_MODEL]
        return replace(exploration, table=tuple(lines))


def _within_a_test(function: Callable[[], object]) -> None:
    """Call a function as Hypothesis calls a test: rules may use note(), event() and assume()."""
    errors: list[BaseException] = []

    @hypothesis.settings(
        max_examples=1,
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(nothing=st.none())
    def test(nothing: None) -> None:
        try:
            function()
        except BaseException as error:
            errors.append(error)

    test()
    for error in errors:
        raise error
