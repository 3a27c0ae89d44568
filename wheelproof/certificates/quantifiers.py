"""Rules about quantifiers, and those that close a part of a certificate.

A part is a list of steps under assumptions of its own, or under variables of its own. A variable of
a part stands for any value, or for the term that the part's anchor gives it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from wheelproof.certificates.expressions import Wrong, need
from wheelproof.certificates.logic import Clause, Rule, Step
from wheelproof.certificates.terms import BOUND, Term, denial, equation, is_


@dataclass
class Part:
    """An open part of a certificate."""

    closes: str
    """The name of the step that closes it."""
    by: Mapping[Term, Term] = field(default_factory=dict)
    """A variable of it -> the term that it stands for, itself for any value."""
    assumed: dict[str, Term] = field(default_factory=dict)
    """Name -> formula."""
    clauses: dict[str, Clause] = field(default_factory=dict)
    """Name -> clause of each of its steps."""
    last: Clause | None = None


def forall_inst(step: Step) -> None:
    """A formula for all values holds for the arguments."""
    need(not step.premises, "it has premises")
    whole = step.only
    need(is_(whole, "or", 2), "the conclusion is no disjunction of two")
    body = _quantifier(denial(whole.arguments[0]), "forall")
    terms = [step.reader.term(argument, _by_name(step.by)) for argument in step.arguments]
    need(len(terms) == len(body.bound), "there is not one argument for each variable")
    by = dict(zip(body.bound, terms, strict=True))
    instance = step.reader.terms.substitute(body.arguments[0], by)
    need(instance is whole.arguments[1], "the instance is another formula")


def _by_name(by: Mapping[Term, Term]) -> dict[str, Term]:
    return {variable.head: variable for variable in by}


def qnt_rm_unused(step: Step) -> None:
    """A quantifier over variables that do not occur makes no difference."""
    lhs, rhs = equation(step.only)
    need(lhs.kind == BOUND and lhs.head != "choice", "the left side has no quantifier")
    need(lhs.arguments[0] is rhs and not set(lhs.bound) & rhs.free, "the body is another")


def connective_def(step: Step) -> None:
    """Some have a property if not all lack it."""
    lhs, rhs = equation(step.only)
    lhs, inner = _quantifier(lhs, "exists"), _quantifier(denial(rhs), "forall")
    need(lhs.bound == inner.bound, "the variables are others")
    need(denial(inner.arguments[0]) is lhs.arguments[0], "the body is another")


def miniscope_distribute(step: Step) -> None:
    """All have several properties if all have each of them."""
    lhs, rhs = equation(step.only)
    body = _quantifier(lhs, "forall").arguments[0]
    need(is_(body, "and") and is_(rhs, "and"), "a side is no conjunction")
    parts = [_quantifier(conjunct, "forall") for conjunct in rhs.arguments]
    need(all(part.bound == lhs.bound for part in parts), "the variables are others")
    need(tuple(part.arguments[0] for part in parts) == body.arguments, "the parts are others")


def subproof(step: Step, part: Part, discharges: Sequence[str]) -> None:
    """Where the assumptions hold, so does the last clause of the part."""
    need(not part.by, "the part has variables")
    need(list(discharges) == list(part.assumed), "it discharges other assumptions than it has")
    many = len(part.assumed)
    assumptions = tuple(map(denial, step.conclusion[:many]))
    need(assumptions == tuple(part.assumed.values()), "the conclusion has other assumptions")
    rest = step.conclusion[many:]
    # The empty clause may be written as the one of ``false``.
    is_empty = part.last == () and len(rest) == 1 and is_(rest[0], "false")
    need(rest == part.last or is_empty, "the part ends with another clause")


def bind(step: Step, part: Part, discharges: Sequence[str]) -> None:
    """If two formulas are equal for any values, so are those that quantify over them.

    The variables of the left side may stand for those of the right one.
    """
    lhs, rhs = equation(step.only)
    need(lhs.kind == rhs.kind == BOUND and lhs.head == rhs.head, "the quantifiers differ")
    need(lhs.head != "choice", "choice is no quantifier")
    is_free = all(part.by.get(variable) is variable for variable in rhs.bound)
    stand = tuple(map(part.by.get, lhs.bound)) == rhs.bound
    need(is_free and stand and set(part.by) == {*lhs.bound, *rhs.bound}, "the variables are others")
    need(not set(rhs.bound) & lhs.free, "a variable of the right side is free in the left one")
    need(not set(lhs.bound) & rhs.free, "a variable of the left side is free in the right one")
    _ends(part, discharges, lhs.arguments[0], rhs.arguments[0])


def sko_forall(step: Step, part: Part, discharges: Sequence[str]) -> None:
    """All have a property if the one has it that is chosen among those without it."""
    lhs, rhs = equation(step.only)
    lhs = _quantifier(lhs, "forall")
    need(len(lhs.bound) == 1 and tuple(part.by) == lhs.bound, "the variables are others")
    terms, (variable,) = step.reader.terms, lhs.bound
    lacking = terms.apply("not", (lhs.arguments[0],))
    need(part.by[variable] is terms.binds("choice", (variable,), lacking), "it chooses otherwise")
    need(variable not in rhs.free, "the variable is still there")
    _ends(part, discharges, lhs.arguments[0], rhs)


def _ends(part: Part, discharges: Sequence[str], lhs: Term, rhs: Term) -> None:
    need(not part.assumed and not discharges, "the part has assumptions")
    need(part.last is not None and len(part.last) == 1, "the part ends with no equation")
    assert part.last is not None
    need(equation(part.last[0]) == (lhs, rhs), "the part ends with another equation")


def _quantifier(term: Term, head: str) -> Term:
    if term.kind != BOUND or term.head != head:
        raise Wrong(f"{term} does not begin with {head}")
    return term


RULES: dict[str, Rule] = {
    "forall_inst": forall_inst,
    "qnt_rm_unused": qnt_rm_unused,
    "connective_def": connective_def,
    "miniscope_distribute": miniscope_distribute,
}

CLOSING: dict[str, Callable[[Step, Part, Sequence[str]], None]] = {
    "subproof": subproof,
    "bind": bind,
    "sko_forall": sko_forall,
}
"""Rules of the steps that close a part."""
