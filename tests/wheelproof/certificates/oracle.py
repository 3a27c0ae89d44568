"""Steps of certificates as Z3 sees them: a second judge of what the checker accepts."""

from __future__ import annotations

import z3

from wheelproof.certificates.checker import Checking
from wheelproof.certificates.terms import BOOL, BOUND, INT, NUMBER, VARIABLE

LOGIC = {"and": z3.And, "or": z3.Or, "not": z3.Not, "=>": z3.Implies, "ite": z3.If}
NUMBERS = {
    "+": lambda first, *rest: sum(rest, first),
    "-": lambda first, *rest: first - sum(rest) if rest else -first,
    "*": lambda first, *rest: z3.Product(first, *rest),
    "abs": lambda of: z3.If(of >= 0, of, -of),
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def sort(of):
    if isinstance(of, tuple):
        return z3.ArraySort(sort(of[1]), sort(of[2]))
    known = {INT: z3.IntSort(), BOOL: z3.BoolSort()}
    return known[of] if of in known else z3.DeclareSort(of)


def formula(term):
    """The term in Z3. A chosen value is a constant of which nothing is known."""
    if term.kind == NUMBER:
        return z3.IntVal(term.value)
    if term.kind == VARIABLE:
        return z3.Const(f"{term.head}:{term.sort}", sort(term.sort))
    if term.kind == BOUND:
        if term.head == "choice":
            assert not term.free
            return z3.Const(f"chosen {term.serial}", sort(term.sort))
        bound = [formula(each) for each in term.bound]
        quantifier = z3.ForAll if term.head == "forall" else z3.Exists
        return quantifier(bound, formula(term.arguments[0]))
    given = [formula(each) for each in term.arguments]
    if term.head in LOGIC or term.head in NUMBERS:
        return (LOGIC | NUMBERS)[term.head](*given)
    match term.head:
        case "true" | "false":
            return z3.BoolVal(term.head == "true")
        case "=":
            return z3.And(*(given[0] == other for other in given[1:]))
        case "distinct":
            return z3.Distinct(*given)
        case "select":
            return z3.Select(*given)
        case "store":
            return z3.Store(*given)
    if not given:
        return z3.Const(term.head, sort(term.sort))
    sorts = [sort(each.sort) for each in term.arguments]
    return z3.Function(term.head, *sorts, sort(term.sort))(*given)


def entailed(premises, conclusion):
    """Z3's answer whether clauses entail a clause: "unsat" if so."""
    solver = z3.Solver()
    solver.set("rlimit", 500_000)
    clause = [z3.Or(*map(formula, each)) for each in premises]
    return str((solver.add(*clause, *map(z3.Not, map(formula, conclusion))), solver.check())[1])


class Judged(Checking):
    """A checking that keeps each step that it accepts: rule, premises, conclusion.

    ``rewrites``: the names of the rewrites among them.
    """

    def run(self, certificate):
        self.accepted, self.rewrites = [], set()
        return super().run(certificate)

    def follows(self, rule, step):
        super().follows(rule, step)
        if rule == "rare_rewrite":
            self.rewrites.add(step.arguments[0].strip('"'))
        terms = self.reader.terms

        def here(clause):
            return tuple(terms.substitute(each, step.by) for each in clause)

        self.accepted.append((rule, [here(each) for each in step.premises], here(step.conclusion)))
