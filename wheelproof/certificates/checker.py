"""A certificate checked against its obligation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from wheelproof.certificates import logic, quantifiers
from wheelproof.certificates.expressions import (
    Expression,
    Refused,
    Wrong,
    commands,
    items,
    need,
    text_of,
    token,
)
from wheelproof.certificates.logic import Clause, Step
from wheelproof.certificates.problem import Problem, Reader, problem
from wheelproof.certificates.quantifiers import CLOSING, Part
from wheelproof.certificates.terms import BOOL, Term

RULES = logic.RULES | quantifiers.RULES
"""Every rule but those that close a part."""


@dataclass(frozen=True)
class Accepted:
    """A certificate that holds."""

    rules: Mapping[str, int]
    """Rule -> number of steps with it."""

    @property
    def steps(self) -> int:
        return sum(self.rules.values())


def check(obligation: str, certificate: str) -> Accepted:
    """Check that a certificate shows an obligation's assertions to contradict each other.

    ``obligation``: a script in SMT-LIB that asks once. ``certificate``: a proof in Alethe, all in
    one pair of parentheses. Raises Refused, with the line, step and rule.
    """
    return Checking(problem(obligation)).run(certificate)


@dataclass
class Checking:
    """A certificate that is being read."""

    problem: Problem
    parts: list[Part] = field(default_factory=lambda: [Part("")])
    """The open parts, the whole one first."""
    names: set[str] = field(default_factory=set)
    rules: Counter[str] = field(default_factory=Counter)

    @property
    def reader(self) -> Reader:
        return self.problem.reader

    def run(self, certificate: str) -> Accepted:
        """Read it all. Raises Refused."""
        line = 1
        for line, head, rest in _inside(certificate):
            where = " ".join([head, *(item for item in rest[:1] if isinstance(item, str))])
            if head == "step":
                where += f" ({_after(rest, ':rule')})"
            try:
                self._command(head, rest)
            except Wrong as wrong:
                raise Refused(line, where, str(wrong)) from None
            except RecursionError:
                raise Refused(line, where, "its terms are too deep") from None
        if len(self.parts) > 1:
            raise Refused(line, "", f"the part of step {self.parts[-1].closes} is not closed")
        if () not in self.parts[0].clauses.values():
            raise Refused(line, "", "no step has the empty clause: nothing is refuted")
        return Accepted(dict(self.rules))

    def _command(self, head: str, rest: list[Expression]) -> None:
        match head, rest:
            case "assume", [str(name), expression]:
                self._assume(name, self._formula(expression))
            case "step", [str(name), ["cl", *literals], *more]:
                clause = tuple(self._formula(literal) for literal in literals)
                self._step(name, clause, _attributes(more))
            case "anchor", [":step", str(name)]:
                self.parts.append(Part(name))
            case "anchor", [":step", str(name), ":args", expression]:
                self.parts.append(Part(name, self._variables(items(expression))))
            case "error", _:
                raise Wrong(f"the solver gave no proof: {' '.join(map(text_of, rest))}")
            case "define-fun", [str(name), [], sort, expression]:
                term = self.reader.term(expression)
                need(term.sort == self.reader.sort(sort), "it is of another sort")
                self.reader.name(name, term)
            case _:
                raise Wrong("the command is unknown")

    def _formula(self, expression: Expression) -> Term:
        variables = {variable.head: variable for part in self.parts for variable in part.by}
        term = self.reader.term(expression, variables)
        if term.sort != BOOL:  # no `need`: a term's text takes longer than all the rest
            raise Wrong(f"{term} is no formula")
        return term

    def _variables(self, expressions: Sequence[Expression]) -> dict[Term, Term]:
        """Those of an anchor: ``(x Int)`` stands for any value, ``(:= (x Int) t)`` for t."""
        by: dict[Term, Term] = {}
        for pair in expressions:
            if isinstance(pair, list) and len(pair) == 3 and pair[0] == ":=":
                (variable,) = self.reader.variables([pair[1]])
                outer = {variable.head: variable for part in self.parts for variable in part.by}
                scope = outer | {variable.head: variable for variable in by}
                by[variable] = self.reader.term(pair[2], scope)
            else:
                (variable,) = self.reader.variables([pair])
                by[variable] = variable
        names = {variable.head for variable in by}
        for part in self.parts:
            names_taken = names & {variable.head for variable in part.by}
            need(
                not names_taken, f"{', '.join(sorted(names_taken))} is a variable of an outer part"
            )
            for formula in part.assumed.values():
                names_held = names & {variable.head for variable in formula.free}
                need(not names_held, f"{', '.join(sorted(names_held))} occurs in an assumption")
        return by

    def _assume(self, name: str, formula: Term) -> None:
        part = self.parts[-1]
        if len(self.parts) == 1:
            need(formula in self.problem.assertions, "the obligation does not assert it")
        else:
            need(not part.clauses.keys() - part.assumed.keys(), "an assumption follows a step")
            need(not part.by, "a part with variables assumes something")
            part.assumed[name] = formula
        self._keep(name, (formula,))

    def _step(self, name: str, clause: Clause, more: Mapping[str, Sequence[Expression]]) -> None:
        (rules,) = more.get(":rule", [""])
        rule = token(rules)
        premises = [self._clause(token(name)) for name in more.get(":premises", ())]
        discharges = [token(name) for name in more.get(":discharge", ())]
        arguments = more.get(":args", ())
        if closing := len(self.parts) > 1 and name == self.parts[-1].closes:
            part = self.parts.pop()
        by = {variable: to for open_ in self.parts for variable, to in open_.by.items()}
        step = Step(clause, premises, arguments, self.reader, by)
        if closing:
            need(rule in CLOSING, "the rule closes no part")
            need(not premises, "it has premises")
            CLOSING[rule](step, part, discharges)
        else:
            need(not discharges, "it discharges something")
            self.follows(rule, step)
        self.rules[rule] += 1
        self._keep(name, clause)

    def follows(self, rule: str, step: Step) -> None:
        """Raises Wrong where a step does not follow by its rule, or the rule is unknown."""
        need(rule in RULES, "the rule is unknown")
        RULES[rule](step)

    def _clause(self, name: str) -> Clause:
        for part in reversed(self.parts):
            if name in part.clauses:
                return part.clauses[name]
        raise Wrong(f"no step {name} is known here")

    def _keep(self, name: str, clause: Clause) -> None:
        need(name and name not in self.names, f"there is a step {name} already")
        self.names.add(name)
        self.parts[-1].clauses[name] = clause
        self.parts[-1].last = clause


def _inside(certificate: str) -> list[tuple[int, str, list[Expression]]]:
    """The commands of a certificate, which are all in one pair of parentheses."""
    opening = certificate.find("(")
    closing = certificate.rfind(")")
    if opening < 0 or certificate[:opening].strip() or certificate[closing + 1 :].strip():
        first = certificate.strip().partition("\n")[0]
        raise Refused(1, "", f"here is no certificate: {first[:80] or 'nothing'}")
    blank = certificate[:opening] + " " + certificate[opening + 1 : closing]
    return list(commands(blank))


def _attributes(more: Sequence[Expression]) -> dict[str, Sequence[Expression]]:
    """``:rule``, ``:premises``, ``:args`` and ``:discharge`` of a step."""
    attributes: dict[str, Sequence[Expression]] = {}
    need(len(more) % 2 == 0, "an attribute has no value")
    for key, value in zip(more[::2], more[1::2], strict=True):
        name = token(key)
        need(name in (":rule", ":premises", ":args", ":discharge"), f"{name} is unknown")
        need(name not in attributes, f"{name} is there twice")
        attributes[name] = [value] if name == ":rule" else items(value)
    need(":rule" in attributes, "it has no rule")
    return attributes


def _after(rest: Sequence[Expression], key: str) -> str:
    return next(
        (text_of(value) for name, value in pairwise(rest) if name == key),
        "no rule",
    )
