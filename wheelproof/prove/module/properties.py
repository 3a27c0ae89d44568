"""A module's properties as terms: what SANY has read is what is proved.

Beside what steps are made of, a property may have quantifiers over sets that are variables,
subsets, ranges of numbers, and the size of a set that a formula describes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from types import SimpleNamespace

import z3

from wheelproof.prove.module import bags
from wheelproof.prove.module.scopes import First, Frames, Made, Names
from wheelproof.prove.module.sets import size
from wheelproof.prove.module.shapes import BOOL, INT, Bag, Listing, Sequence, Shape, Subset
from wheelproof.prove.module.systems import Generated
from wheelproof.prove.module.terms import Terms
from wheelproof.prove.module.values import Value, occurs
from wheelproof.prove.ts.system import WHOLE, Sort
from wheelproof.tla.syntax import (
    Bound,
    Builtin,
    Call,
    Constant,
    Expression,
    Number,
    OutsideSubset,
)


@dataclass
class Property(Terms):
    """Terms of a property. ``described``: a new constant for each set -> the formula of it.

    ``chosen_of``: by name, functions that give something for each element of such a set.
    """

    described: dict[str, tuple[z3.ExprRef, z3.BoolRef]] = field(default_factory=dict)
    chosen_of: dict[str, z3.ExprRef] = field(default_factory=dict)

    def plain(self, node: Expression, names: Names) -> Value:
        match node:
            case Builtin("\\subseteq", (one, other)):
                of = self.subset(one, names)
                element = z3.Const(f"each_{node.place.line}", of.z3)
                inside = self.holds_of(other, Made(element, of), names)
                return z3.ForAll([element], z3.Implies(self.plain(one, names)[element], inside))
            case Builtin("\\in", (one, other)):
                return self.element_of(one, other, names)
            case Builtin("=" | "/=", (whole, empty)) if bags.is_empty(empty) and isinstance(
                self.shape(whole, names), Bag
            ):
                return self.is_empty(whole, node.name == "=", names)
            case Call(_, (many, Number(1))) if node.name == "\\leq":
                if (formula := self.one_at_most(many, names)) is not None:
                    return formula
            case Call(_, (Builtin("$SubsetOf", (body,), (bound,)),)) if (
                node.name == "Cardinality" and not self.counts_places(bound, names)
            ):
                of, members = self.collected(body, bound, names)
                return size(of)(members)
        return super().plain(node, names)

    def shape(self, node: Expression, names: Names) -> Shape | None:
        if isinstance(node, Builtin) and node.name == "\\subseteq":
            return BOOL
        return super().shape(node, names)

    def one_at_most(self, node: Expression, names: Names) -> z3.BoolRef | None:
        """``Cardinality({i \\in DOMAIN q : P}) <= 1``; None for another expression."""
        while isinstance(node, Call) and not node.definition.standard:
            names, node = self.inside(node, names), node.definition.body
        match node:
            case Call(
                _,
                (
                    Builtin(
                        "$SubsetOf",
                        (body,),
                        (Bound((formal,), False, Builtin("DOMAIN", (whole,))),),
                    ),
                ),
            ) if node.name == "Cardinality" and isinstance(self.shape(whole, names), Sequence):
                each = z3.Ints(f"one_{body.place.line} other_{body.place.line}")
                length = self.plain(whole, names)["length"]
                here = [
                    z3.And(
                        1 <= place,
                        place <= length,
                        self.truth(body, {**names, formal: Made(place, INT)}),
                    )
                    for place in each
                ]
                return z3.ForAll(each, z3.Implies(z3.And(here), each[0] == each[1]))
        return None

    def counts_places(self, bound: Bound, names: Names) -> bool:
        """Whether a set is of places of a sequence without order, which is counted otherwise."""
        match bound.domain:
            case Builtin("DOMAIN", (whole,)):
                return isinstance(self.shape(whole, names), Bag)
        return False

    def is_empty(self, whole: Expression, empty: bool, names: Names) -> z3.BoolRef:
        """Whether a sequence is, or is not: in a property it may depend on a bound name."""
        shape = self.shape(whole, names)
        assert isinstance(shape, Bag)
        element = z3.Const(f"in_{whole.place.line}", shape.of.z3)
        counts = self.of(whole, shape, names)
        if empty:
            return z3.ForAll([element], counts[element] <= 0)
        return z3.Exists([element], counts[element] > 0)

    def subset(self, node: Expression, names: Names) -> Sort:
        of = self.shape(node, names)
        if not isinstance(of, Subset):
            raise OutsideSubset("a subset that is no variable", node.place)
        return of.of

    def element_of(self, one: Expression, other: Expression, names: Names) -> z3.BoolRef:
        match other:
            case Builtin("\\union", (first, second)):
                return z3.Or(
                    self.element_of(one, first, names), self.element_of(one, second, names)
                )
            case Call(_, (low, high)) if other.name == "..":
                number = self.of(one, INT, names)
                return z3.And(
                    self.of(low, INT, names) <= number, number <= self.of(high, INT, names)
                )
            case Call() if other.name in ("Nat", "Int"):
                number = self.of(one, INT, names)
                return number >= 0 if other.name == "Nat" else z3.BoolVal(True)
        made = super().plain(Builtin("\\in", (one, other), (), one.place, one.level), names)
        assert isinstance(made, z3.BoolRef)
        return made

    def holds_of(self, domain: Expression, element: Made, names: Names) -> z3.BoolRef:
        """Whether an element is in a set that a quantifier is over."""
        match domain:
            case Builtin("\\", (whole, Builtin("$SetEnumerate", others))):
                assert isinstance(element.shape, Sort)
                different = [element.term != self.of(each, element.shape, names) for each in others]
                return z3.And(self.holds_of(whole, element, names), *different)
            case Builtin("DOMAIN", (Constant(),)):
                return element.term != self.words.threads.null
            case Call(_, (low, high)) if domain.name == "..":
                return z3.And(
                    self.of(low, INT, names) <= element.term,
                    element.term <= self.of(high, INT, names),
                )
        if isinstance(self.shape(domain, names), Subset):
            found = self.plain(domain, names)[element.term]
            assert isinstance(found, z3.BoolRef)
            return found
        raise OutsideSubset("a set that is no variable", domain.place)

    def over(self, domain: Expression, names: Names) -> Sort | None:
        """The sort of the elements of a set that is a value; None for another set."""
        match domain:
            case Builtin("\\", (whole, Builtin("$SetEnumerate"))):
                return self.over(whole, names)
            case Builtin("DOMAIN", (Constant(name),)) if isinstance(
                self.words.constants.get(name), Listing
            ):
                return self.words.threads
            case Call() if domain.name == "..":
                return WHOLE
        of = self.shape(domain, names)
        return of.of if isinstance(of, Subset) else None

    def quantified(
        self, node: Builtin, body: Expression, bounds: tuple[Bound, ...], names: Names
    ) -> z3.BoolRef:
        match bounds:
            case (Bound((formal,), False, domain),) if (
                domain is not None and (of := self.over(domain, names)) is not None
            ):
                element = z3.Const(f"{formal.name}_{node.place.line}", of.z3)
                made = Made(element, INT if of == WHOLE else of)
                here = self.holds_of(domain, made, names)
                with self.bound_to(element, node):
                    inner = self.truth(body, {**names, formal: made})
                if node.name == "$BoundedForall":
                    return z3.ForAll([element], z3.Implies(here, inner))
                return z3.Exists([element], z3.And(here, inner))
        return super().quantified(node, body, bounds, names)

    def collected(self, body: Expression, bound: Bound, names: Names) -> tuple[Sort, z3.ExprRef]:
        """``{x \\in S : P}``: a new constant, which the property's premises describe."""
        match bound:
            case Bound((formal,), False, domain) if (
                domain is not None and (of := self.over(domain, names)) is not None
            ):
                element = z3.Const(f"{formal.name}_{body.place.line}", of.z3)
                made = Made(element, of)
                holds = z3.And(
                    self.holds_of(domain, made, names),
                    self.truth(body, {**names, formal: made}),
                )
                if any(
                    occurs(name.term, holds) for name in names.values() if isinstance(name, Made)
                ):
                    raise OutsideSubset("the size of a set that a bound name is in", body.place)
                return of, self.described_by(element, holds, body.place.line)
        raise OutsideSubset("a set of this form", body.place)

    def described_by(self, element: z3.ExprRef, holds: z3.BoolRef, line: int) -> z3.ExprRef:
        """A constant for the set of the elements that a formula holds of: one for each formula."""
        for number in count(1):
            name = f"described_{line}" + (f"_{number}" if number > 1 else "")
            members = z3.Const(name, z3.ArraySort(element.sort(), z3.BoolSort()))
            premise, functions = description(members, element, holds)
            if name not in self.described or self.described[name][1].eq(premise):
                self.described[name] = members, premise
                self.chosen_of |= {str(function): function for function in functions}
                break
        return members


@dataclass(frozen=True)
class Stated:
    """A property in a state. ``sets``: the constants in it that ``premises`` describe.

    ``functions``: those in the premises. ``firsts``: first elements of sequences that it reads.
    """

    formula: z3.BoolRef
    sets: tuple[z3.ExprRef, ...]
    premises: tuple[z3.BoolRef, ...]
    functions: tuple[z3.ExprRef, ...]
    firsts: Mapping[str, First]


def stated(system: Generated, name: str, s: SimpleNamespace) -> Stated:
    """A property as SANY has read it. OutsideSubset: no term is made of it."""
    terms = Property(system.WORDS, s, system.SHAPES, Frames())
    formula = terms.truth(system.MODULE.definition(name).body, {})
    sets = tuple(members for members, _ in terms.described.values())
    premises = tuple(each for _, each in terms.described.values())
    firsts = tuple(guard for first in terms.firsts.values() for guard in first.guards())
    functions = tuple(terms.chosen_of.values())
    return Stated(formula, sets, (*premises, *firsts), functions, terms.firsts)


def description(
    members: z3.ExprRef, element: z3.ExprRef, holds: z3.BoolRef
) -> tuple[z3.BoolRef, list[z3.ExprRef]]:
    """That a set has the elements that a formula holds of, and the functions that are in that.

    Where the formula says that there is something, a function gives it, for each element.
    """
    functions: list[z3.ExprRef] = []
    bound, chosen_conjuncts, conjuncts = [element], [], []
    for number, conjunct in enumerate(holds.children() if z3.is_and(holds) else [holds]):
        if not (z3.is_quantifier(conjunct) and conjunct.is_exists()):
            chosen_conjuncts.append(conjunct)
            conjuncts.append(conjunct)
            continue
        sorts = [(conjunct.var_name(i), conjunct.var_sort(i)) for i in range(conjunct.num_vars())]
        new = [z3.Const(f"{name}_{number}", sort_) for name, sort_ in sorts]
        arrays = [
            z3.Const(f"{members}_{name}", z3.ArraySort(element.sort(), sort_))
            for name, sort_ in sorts
        ]
        functions += arrays
        bound += new
        values = [function[element] for function in arrays]
        conjuncts.append(z3.substitute_vars(conjunct.body(), *reversed(new)))
        chosen_conjuncts.append(z3.substitute_vars(conjunct.body(), *reversed(values)))
    if not functions:
        return z3.ForAll([element], members[element] == holds), []
    only = z3.ForAll([element], z3.Implies(members[element], z3.And(chosen_conjuncts)))
    every = z3.ForAll(bound, z3.Implies(z3.And(conjuncts), members[element]))
    return z3.And(only, every), functions


def opened(formula: z3.BoolRef, prefix: str = "goal", taken: set[str] | None = None) -> z3.BoolRef:
    """A goal with a new constant for each variable of what it says of all elements.

    ``taken``: the names of the constants that there are.
    """
    taken = set() if taken is None else taken
    if z3.is_and(formula):
        parts = enumerate(formula.children())
        return z3.And([opened(each, f"{prefix}_{number}", taken) for number, each in parts])
    if z3.is_implies(formula):
        premise = given(formula.arg(0), prefix, taken)
        return z3.Implies(premise, opened(formula.arg(1), prefix, taken))
    if z3.is_quantifier(formula) and formula.is_forall():
        return opened(instance(formula, prefix, taken), prefix, taken)
    return formula


def given(formula: z3.BoolRef, prefix: str, taken: set[str]) -> z3.BoolRef:
    """A premise of a goal, with a new constant for each element that it says there is."""
    if z3.is_and(formula):
        parts = enumerate(formula.children())
        return z3.And([given(each, f"{prefix}_of_{number}", taken) for number, each in parts])
    if z3.is_quantifier(formula) and formula.is_exists():
        return given(instance(formula, prefix, taken), prefix, taken)
    return formula


def instance(formula: z3.QuantifierRef, prefix: str, taken: set[str]) -> z3.BoolRef:
    """What a quantifier is over, with new constants: a name that is taken gets a sign more."""
    made = []
    for index in range(formula.num_vars()):
        name = f"{prefix}_{formula.var_name(index)}"
        while name in taken:
            name += "~"
        taken.add(name)
        made.append(z3.Const(name, formula.var_sort(index)))
    return z3.substitute_vars(formula.body(), *reversed(made))
