"""Statements about whole numbers, written once for Z3 as formulas and for Python as expressions.

``mul``, ``div`` and ``mod`` are Python's ``*``, ``//`` and ``%`` on ints; on Z3 terms they are
functions of which nothing is known but the instances of lemmas that a step names. So every step is
decidable (linear arithmetic and equality), and takes a solver a millisecond with every seed. The
lemmas at the bottom are proved with the functions' own meaning (`ground`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import z3

from wheelproof.prove.kernel import VC, Control, ProofError, Theorem, Theory, refuted

Number = Any
"""An int, or a Z3 term of the sort Int."""

Claim = Any
"""A bool, or a Z3 term of the sort Bool."""

Premises = Callable[..., Mapping[str, Any]]
"""Premises of numbers or terms, by name."""

Claimed = Callable[..., Any]
"""A claim about numbers or terms."""

_I = z3.IntSort()
MUL, DIV, MOD, POWER = (
    z3.Function(name, _I, _I, _I) for name in ("times", "quotient", "remainder", "power")
)


def meaning(formula: z3.BoolRef) -> z3.BoolRef:
    """The formula with ``mul``, ``div`` and ``mod`` as SMT-LIB has them.

    For divisors above 0 its ``div`` and ``mod`` are Python's (A-DIV).
    """
    first, second = z3.Var(0, _I), z3.Var(1, _I)
    return z3.substitute_funs(
        formula, (MUL, first * second), (DIV, first / second), (MOD, first % second)
    )


def _plain(*values: Any) -> bool:
    return all(isinstance(value, int) for value in values)


def mul(a: Number, b: Number) -> Number:
    return a * b if _plain(a, b) else MUL(a, b)


def div(a: Number, b: Number) -> Number:
    return a // b if _plain(a, b) else DIV(a, b)


def mod(a: Number, b: Number) -> Number:
    return a % b if _plain(a, b) else MOD(a, b)


def both(*claims: Any) -> Any:
    """All of them hold."""
    return all(claims) if _plain(*claims) else z3.And(*claims)


def either(*claims: Any) -> Any:
    return any(claims) if _plain(*claims) else z3.Or(*claims)


def implies(premise: Any, claim: Any) -> Any:
    return not premise or claim if _plain(premise, claim) else z3.Implies(premise, claim)


def when(condition: Any, then: Number, otherwise: Number) -> Number:
    """``then`` where the condition holds, else ``otherwise``."""
    if isinstance(condition, bool):
        return then if condition else otherwise
    return z3.If(condition, then, otherwise)


def between(low: Number, value: Number, high: Number) -> Any:
    """low <= value < high."""
    return both(low <= value, value < high)


@dataclass(frozen=True)
class Use:
    """An instance of a statement that is proved already: the name, and terms for its variables."""

    statement: str
    terms: Mapping[str, Number]


def use(statement: str, **terms: Number) -> Use:
    """Name an instance for a step."""
    return Use(statement, terms)


@dataclass(frozen=True)
class Step:
    """One step of a proof: its goal follows from premises, all earlier steps and instances.

    ``goal``: of the statement's variables; None for the claim itself.
    """

    name: str
    goal: Callable[..., Any] | None = None
    instances: Callable[..., Sequence[Use]] = lambda **_: ()


@dataclass(frozen=True)
class Mutant:
    """The statement with one thing wrong: the claim, or one premise.

    None stands for the statement's own. ``vivid``: values that keep the counterexample readable.
    """

    name: str
    says: str
    premises: Callable[..., Mapping[str, Any]] | None = None
    claim: Callable[..., Any] | None = None
    vivid: Mapping[str, int] | None = None


@dataclass(frozen=True)
class Statement:
    """For all whole numbers: the premises entail the claim. Both are functions of variables."""

    name: str
    premises: Callable[..., Mapping[str, Any]]
    claim: Callable[..., Any]
    variables: tuple[str, ...] = field(default=())

    @staticmethod
    def of(
        name: str, premises: Callable[..., Mapping[str, Any]], claim: Callable[..., Any]
    ) -> Statement:
        """Raises ProofError where premises and claim differ in their variables."""
        variables = tuple(inspect.signature(claim).parameters)
        if tuple(inspect.signature(premises).parameters) != variables:
            raise ProofError(
                f"{name}: premises and claim have different variables. "
                "Give both the same, in the same order."
            )
        return Statement(name, premises, claim, variables)

    def at(self, terms: Mapping[str, Number]) -> z3.BoolRef:
        """The instance: if the premises hold of the terms, so does the claim."""
        if set(terms) != set(self.variables):
            raise ProofError(
                f"{self.name} is about {', '.join(self.variables)}; "
                f"the instance gives {', '.join(terms)}."
            )
        terms = {
            name: z3.IntVal(term) if isinstance(term, int) else term for name, term in terms.items()
        }
        premises = list(self.premises(**terms).values())
        return (
            z3.Implies(z3.And(*premises), self.claim(**terms)) if premises else self.claim(**terms)
        )

    def symbols(self) -> dict[str, z3.ArithRef]:
        return {name: z3.Int(name) for name in self.variables}

    def refuted_by(self, values: Mapping[str, int]) -> str:
        """ "" where Python refutes the statement with these numbers; else why it does not."""
        try:
            failures = [name for name, holds in self.premises(**values).items() if not holds]
            if failures:
                return f"the premise {', '.join(failures)} does not hold in Python"
            return "the claim holds in Python" if self.claim(**values) else ""
        except ZeroDivisionError:
            return "Python divides by zero"


class Arithmetic(Theory):
    """A theory of statements about whole numbers.

    ``own``: its statements by name. ``mutants``: by theorem and name, those with one thing wrong.
    """

    def __init__(self, name: str, mechanism: str, after: tuple[Theory, ...] = ()) -> None:
        super().__init__(name, mechanism, after)
        self.own: dict[str, Statement] = {}
        self.mutants: dict[str, dict[str, Statement]] = {}

    def statements(self) -> dict[str, Statement]:
        """Everything that the next proof may use an instance of."""
        statements: dict[str, Statement] = {}
        for theory in self.after:
            if isinstance(theory, Arithmetic):
                statements |= theory.statements()
        return statements | self.own

    def ground(
        self,
        name: str,
        says: str,
        premises: Premises,
        claim: Claimed,
        vivid: Mapping[str, int],
        certified: str = "nightly",
    ) -> Theorem:
        """A lemma that the solvers prove at once with the functions' own meaning."""
        statement = Statement.of(name, premises, claim)
        symbols = statement.symbols()
        vc = VC(
            name,
            {
                premise: meaning(_formula(formula))
                for premise, formula in premises(**symbols).items()
            },
            meaning(_formula(claim(**symbols))),
            vivid=_equations(symbols, vivid),
        )
        theorem = self.theorem(
            name,
            says,
            [vc],
            hypotheses=premises(**symbols),
            is_lemma=True,
            assumes=("A-DIV",),
            certified=certified,
        )
        self.own[name] = statement
        return theorem

    def prove(
        self,
        name: str,
        says: str,
        premises: Premises,
        claim: Claimed,
        steps: Sequence[Step],
        mutants: Sequence[Mutant] = (),
        vivid: Mapping[str, int] = {},
        *,
        is_lemma: bool = False,
        assumes: Sequence[str] = (),
        certified: str = "nightly",
    ) -> Theorem:
        """Prove a statement in steps; the last one's goal is the claim.

        ProofError: a step uses a statement that is not proved yet.
        """
        statement = Statement.of(name, premises, claim)
        symbols, lemmas = statement.symbols(), self.statements()
        hypotheses = {
            premise: _formula(formula) for premise, formula in premises(**symbols).items()
        }
        vcs: list[VC] = []
        uses: list[str] = []
        conclusions: dict[str, z3.BoolRef] = {}
        if not steps or steps[-1].goal is not None:
            raise ProofError(
                f"{name}: the last step must have the claim as its goal. "
                "Give it no goal of its own."
            )
        for step in steps:
            instances, cites = {}, {}
            for number, instance in enumerate(step.instances(**symbols)):
                if instance.statement not in lemmas:
                    raise ProofError(
                        f"{name} uses {instance.statement}, which is not proved before it. "
                        "Register that first; a lemma may use earlier ones only."
                    )
                instances[f"{instance.statement} #{number}"] = lemmas[instance.statement].at(
                    instance.terms
                )
                cites[f"{instance.statement} #{number}"] = instance.statement
                uses.append(instance.statement)
            goal = _formula((step.goal or claim)(**symbols))
            vcs.append(
                VC(
                    step.name,
                    hypotheses | conclusions | instances,
                    goal,
                    _equations(symbols, vivid),
                    meaning,
                    cites,
                )
            )
            conclusions = conclusions | {f"step {step.name}": goal}
        wrong = {
            mutant.name: Statement.of(
                f"{name}: {mutant.name}", mutant.premises or premises, mutant.claim or claim
            )
            for mutant in mutants
        }
        for variant in wrong.values():
            _one_thing_wrong(statement, variant)
        controls = [_control(statement, mutant, wrong[mutant.name], vivid) for mutant in mutants]
        theorem = self.theorem(
            name,
            says,
            vcs,
            controls,
            rests_on=uses,
            assumes=assumes,
            hypotheses=hypotheses,
            is_lemma=is_lemma,
            certified=certified,
        )
        self.own[name], self.mutants[name] = statement, wrong
        return theorem


def _formula(claim: Any) -> z3.BoolRef:
    return z3.BoolVal(claim) if isinstance(claim, bool) else claim


def _equations(symbols: Mapping[str, z3.ArithRef], values: Mapping[str, int]) -> list[z3.BoolRef]:
    return [symbols[name] == value for name, value in values.items()]


def _one_thing_wrong(statement: Statement, wrong: Statement) -> None:
    """ProofError where a mutant changes more than the claim or one premise.

    One premise may be left out or be another formula, and one may be new in its place. A refutation
    of a mutant with two changes does not show that either of them matters.
    """
    symbols = statement.symbols()
    premises, theirs = (
        {name: _formula(premise) for name, premise in variant.premises(**symbols).items()}
        for variant in (statement, wrong)
    )
    changes = [
        name for name in premises if name not in theirs or not premises[name].eq(theirs[name])
    ]
    new = [name for name in theirs if name not in premises]
    if not _formula(statement.claim(**symbols)).eq(_formula(wrong.claim(**symbols))):
        changes += ["the claim", *new]
    if len(changes) > 1 or len(new) > 1:
        raise ProofError(
            f"{wrong.name} changes {', '.join(changes) or ', '.join(new)}. "
            "A mutant has one thing wrong: the claim, or one premise."
        )


def _control(
    statement: Statement, mutant: Mutant, wrong: Statement, vivid: Mapping[str, int]
) -> Control:
    symbols = wrong.symbols()

    def replay(model: z3.ModelRef) -> str:
        values = {
            symbol.name(): model[symbol].as_long()
            for symbol in model.decls()
            if symbol.arity() == 0
        }
        values = {name: values.get(name, 0) for name in wrong.variables}
        if contradiction := wrong.refuted_by(values):
            return contradiction
        # What refutes the mutant must not refute the statement itself.
        return "" if statement.refuted_by(values) else "it refutes the statement itself"

    vc = VC(
        mutant.name,
        wrong.premises(**symbols),
        _formula(wrong.claim(**symbols)),
        _equations(symbols, vivid if mutant.vivid is None else mutant.vivid),
        meaning,
    )
    return refuted(vc, mutant.says, replay)
