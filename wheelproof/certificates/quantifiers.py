"""Rules about quantifiers, and those that close a part of a certificate.

A part is a list of steps under assumptions of its own, or under variables of its own. A variable of
a part stands for any value, or for the term that the part's anchor gives it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from wheelproof.certificates.expressions import Wrong, need
from wheelproof.certificates.logic import Clause, Rule, Step
from wheelproof.certificates.terms import BOUND, Term, denied, equation, is_


@dataclass
class Part:
    """An open part of a certificate.

    ``closes``: the name of the step that closes it. ``by``: a variable of it -> what it stands
    for, itself for any value. ``assumed``: name -> formula. ``known``: the clauses of its steps.
    """

    closes: str
    by: Mapping[Term, Term] = field(default_factory=dict)
    assumed: dict[str, Term] = field(default_factory=dict)
    known: dict[str, Clause] = field(default_factory=dict)
    last: Clause | None = None


def forall_inst(step: Step) -> None:
    """What holds of all holds of the arguments."""
    need(not step.premises, "it has premises")
    whole = step.only
    need(is_(whole, "or", 2), "the conclusion is no disjunction of two")
    quantified = _quantified(denied(whole.arguments[0]), "forall")
    terms = [step.reader.term(each, _named(step.by)) for each in step.arguments]
    need(len(terms) == len(quantified.bound), "there is not one argument for each variable")
    by = dict(zip(quantified.bound, terms, strict=True))
    made = step.reader.terms.substitute(quantified.arguments[0], by)
    need(made is whole.arguments[1], "the instance is another formula")


def _named(by: Mapping[Term, Term]) -> dict[str, Term]:
    return {variable.head: variable for variable in by}


def qnt_rm_unused(step: Step) -> None:
    """A quantifier over variables that do not occur makes no difference."""
    left, right = equation(step.only)
    need(left.kind == BOUND and left.head != "choice", "the left side has no quantifier")
    need(left.arguments[0] is right and not set(left.bound) & right.free, "the body is another")


def connective_def(step: Step) -> None:
    """Some have a property if not all lack it."""
    left, right = equation(step.only)
    left, inner = _quantified(left, "exists"), _quantified(denied(right), "forall")
    need(left.bound == inner.bound, "the variables are others")
    need(denied(inner.arguments[0]) is left.arguments[0], "the body is another")


def miniscope_distribute(step: Step) -> None:
    """All have several properties if all have each of them."""
    left, right = equation(step.only)
    body = _quantified(left, "forall").arguments[0]
    need(is_(body, "and") and is_(right, "and"), "a side is no conjunction")
    parts = [_quantified(each, "forall") for each in right.arguments]
    need(all(each.bound == left.bound for each in parts), "the variables are others")
    need(tuple(each.arguments[0] for each in parts) == body.arguments, "the parts are others")


def subproof(step: Step, part: Part, discharged: Sequence[str]) -> None:
    """Where the assumptions hold, so does what the part ends with."""
    need(not part.by, "the part has variables")
    need(list(discharged) == list(part.assumed), "it discharges other assumptions than it has")
    many = len(part.assumed)
    given = tuple(map(denied, step.conclusion[:many]))
    need(given == tuple(part.assumed.values()), "the conclusion has other assumptions")
    rest = step.conclusion[many:]
    # The empty clause may be written as the one of ``false``.
    nothing = part.last == () and len(rest) == 1 and is_(rest[0], "false")
    need(rest == part.last or nothing, "the part ends with another clause")


def bind(step: Step, part: Part, discharged: Sequence[str]) -> None:
    """If two formulas are equal for any values, so are those that quantify over them.

    The variables of the left side may stand for those of the right one.
    """
    left, right = equation(step.only)
    need(left.kind == right.kind == BOUND and left.head == right.head, "the quantifiers differ")
    need(left.head != "choice", "choice is no quantifier")
    own = all(part.by.get(variable) is variable for variable in right.bound)
    stand = tuple(map(part.by.get, left.bound)) == right.bound
    need(own and stand and set(part.by) == {*left.bound, *right.bound}, "the variables are others")
    need(not set(right.bound) & left.free, "a variable of the right side is free in the left one")
    need(not set(left.bound) & right.free, "a variable of the left side is free in the right one")
    _ends(part, discharged, left.arguments[0], right.arguments[0])


def sko_forall(step: Step, part: Part, discharged: Sequence[str]) -> None:
    """All have a property if the one has it that is chosen among those without it."""
    left, right = equation(step.only)
    left = _quantified(left, "forall")
    need(len(left.bound) == 1 and tuple(part.by) == left.bound, "the variables are others")
    terms, (variable,) = step.reader.terms, left.bound
    lacking = terms.apply("not", (left.arguments[0],))
    need(part.by[variable] is terms.binds("choice", (variable,), lacking), "it chooses otherwise")
    need(variable not in right.free, "the variable is still there")
    _ends(part, discharged, left.arguments[0], right)


def _ends(part: Part, discharged: Sequence[str], left: Term, right: Term) -> None:
    need(not part.assumed and not discharged, "the part has assumptions")
    need(part.last is not None and len(part.last) == 1, "the part ends with no equation")
    assert part.last is not None
    need(equation(part.last[0]) == (left, right), "the part ends with another equation")


def _quantified(term: Term, head: str) -> Term:
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
