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
    shown,
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
    """A certificate that holds. ``rules``: rule -> number of steps with it."""

    rules: Mapping[str, int]

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
    """A certificate that is being read. ``parts``: those that are open, the whole one first."""

    problem: Problem
    parts: list[Part] = field(default_factory=lambda: [Part("")])
    names: set[str] = field(default_factory=set)
    rules: Counter[str] = field(default_factory=Counter)

    @property
    def reader(self) -> Reader:
        return self.problem.reader

    def run(self, certificate: str) -> Accepted:
        """Read it all. Raises Refused."""
        line = 1
        for line, head, rest in _inside(certificate):
            where = " ".join([head, *(each for each in rest[:1] if isinstance(each, str))])
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
        if () not in self.parts[0].known.values():
            raise Refused(line, "", "no step has the empty clause: nothing is refuted")
        return Accepted(dict(self.rules))

    def _command(self, head: str, rest: list[Expression]) -> None:
        match head, rest:
            case "assume", [str(name), found]:
                self._assume(name, self._formula(found))
            case "step", [str(name), ["cl", *literals], *more]:
                clause = tuple(self._formula(each) for each in literals)
                self._step(name, clause, _attributes(more))
            case "anchor", [":step", str(name)]:
                self.parts.append(Part(name))
            case "anchor", [":step", str(name), ":args", found]:
                self.parts.append(Part(name, self._variables(items(found))))
            case "error", _:
                raise Wrong(f"the solver gave no proof: {' '.join(map(shown, rest))}")
            case "define-fun", [str(name), [], sort, found]:
                term = self.reader.term(found)
                need(term.sort == self.reader.sort(sort), "it is of another sort")
                self.reader.name(name, term)
            case _:
                raise Wrong("the command is unknown")

    def _formula(self, found: Expression) -> Term:
        variables = {each.head: each for part in self.parts for each in part.by}
        term = self.reader.term(found, variables)
        if term.sort != BOOL:  # no `need`: a term's text takes longer than all the rest
            raise Wrong(f"{term} is no formula")
        return term

    def _variables(self, found: Sequence[Expression]) -> dict[Term, Term]:
        """Those of an anchor: ``(x Int)`` stands for any value, ``(:= (x Int) t)`` for t."""
        by: dict[Term, Term] = {}
        for each in found:
            if isinstance(each, list) and len(each) == 3 and each[0] == ":=":
                (variable,) = self.reader.variables([each[1]])
                outer = {one.head: one for part in self.parts for one in part.by}
                known = outer | {one.head: one for one in by}
                by[variable] = self.reader.term(each[2], known)
            else:
                (variable,) = self.reader.variables([each])
                by[variable] = variable
        names = {variable.head for variable in by}
        for part in self.parts:
            taken = names & {variable.head for variable in part.by}
            need(not taken, f"{', '.join(sorted(taken))} is a variable of an outer part")
            for formula in part.assumed.values():
                held = names & {variable.head for variable in formula.free}
                need(not held, f"{', '.join(sorted(held))} occurs in an assumption")
        return by

    def _assume(self, name: str, formula: Term) -> None:
        part = self.parts[-1]
        if len(self.parts) == 1:
            need(formula in self.problem.assertions, "the obligation does not assert it")
        else:
            need(not part.known.keys() - part.assumed.keys(), "an assumption follows a step")
            need(not part.by, "a part with variables assumes something")
            part.assumed[name] = formula
        self._keep(name, (formula,))

    def _step(self, name: str, clause: Clause, more: Mapping[str, Sequence[Expression]]) -> None:
        (found,) = more.get(":rule", [""])
        rule = token(found)
        premises = [self._known(token(each)) for each in more.get(":premises", ())]
        discharged = [token(each) for each in more.get(":discharge", ())]
        arguments = more.get(":args", ())
        if closing := len(self.parts) > 1 and name == self.parts[-1].closes:
            part = self.parts.pop()
        by = {each: to for open_ in self.parts for each, to in open_.by.items()}
        step = Step(clause, premises, arguments, self.reader, by)
        if closing:
            need(rule in CLOSING, "the rule closes no part")
            need(not premises, "it has premises")
            CLOSING[rule](step, part, discharged)
        else:
            need(not discharged, "it discharges something")
            self.follows(rule, step)
        self.rules[rule] += 1
        self._keep(name, clause)

    def follows(self, rule: str, step: Step) -> None:
        """Raises Wrong where a step is not what its rule says, or the rule is unknown."""
        need(rule in RULES, "the rule is unknown")
        RULES[rule](step)

    def _known(self, name: str) -> Clause:
        for part in reversed(self.parts):
            if name in part.known:
                return part.known[name]
        raise Wrong(f"no step {name} is known here")

    def _keep(self, name: str, clause: Clause) -> None:
        need(name and name not in self.names, f"there is a step {name} already")
        self.names.add(name)
        self.parts[-1].known[name] = clause
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
    found: dict[str, Sequence[Expression]] = {}
    need(len(more) % 2 == 0, "an attribute has no value")
    for key, value in zip(more[::2], more[1::2], strict=True):
        name = token(key)
        need(name in (":rule", ":premises", ":args", ":discharge"), f"{name} is unknown")
        need(name not in found, f"{name} is there twice")
        found[name] = [value] if name == ":rule" else items(value)
    need(":rule" in found, "it has no rule")
    return found


def _after(rest: Sequence[Expression], key: str) -> str:
    return next(
        (shown(value) for name, value in pairwise(rest) if name == key),
        "no rule",
    )
