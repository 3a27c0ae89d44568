"""A module's properties as terms: the proved formula is the one that SANY has read.

Beside the parts of steps, a property may have quantifiers over sets that are variables, subsets,
ranges of numbers, and the size of a set that a formula describes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from types import SimpleNamespace

import z3

from wheelproof.prove.module import bags, spaced
from wheelproof.prove.module.scopes import First, Frames, Made, Names
from wheelproof.prove.module.sets import size
from wheelproof.prove.module.shapes import BOOL, INT, Bag, Listing, Sequence, Shape, Subset
from wheelproof.prove.module.systems import Generated
from wheelproof.prove.module.terms import Terms
from wheelproof.prove.module.values import Value, occurs
from wheelproof.prove.ts.extremes import PLACE
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
            case Builtin("\\subseteq", (first, second)):
                sort = self.subset(first, names)
                element = z3.Const(f"each_{node.place.line}", sort.z3)
                inside = self.holds_of(second, Made(element, sort), names)
                return z3.ForAll([element], z3.Implies(self.plain(first, names)[element], inside))
            case Builtin("\\in", (first, second)):
                return self.element_of(first, second, names)
            case Builtin("=" | "/=", (places, Builtin("$SetEnumerate", ()))) if (
                set_of_places := spaced.places_of(self, places, names)
            ) is not None:
                if node.name == "=":
                    return z3.ForAll([PLACE], z3.Not(set_of_places.holds))
                return z3.Exists([PLACE], set_of_places.holds)
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
                sort, members = self.comprehension(body, bound, names)
                return size(sort)(members)
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
                pair = z3.Ints(f"one_{body.place.line} other_{body.place.line}")
                length = self.plain(whole, names)["length"]
                here = [
                    z3.And(
                        1 <= place,
                        place <= length,
                        self.truth(body, {**names, formal: Made(place, INT)}),
                    )
                    for place in pair
                ]
                return z3.ForAll(pair, z3.Implies(z3.And(here), pair[0] == pair[1]))
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
        shape = self.shape(node, names)
        if not isinstance(shape, Subset):
            raise OutsideSubset("a subset that is no variable", node.place)
        return shape.of

    def element_of(self, element: Expression, domain: Expression, names: Names) -> z3.BoolRef:
        match domain:
            case Builtin("\\union", (first, second)):
                return z3.Or(
                    self.element_of(element, first, names), self.element_of(element, second, names)
                )
            case Call(_, (low, high)) if domain.name == "..":
                number = self.of(element, INT, names)
                return z3.And(
                    self.of(low, INT, names) <= number, number <= self.of(high, INT, names)
                )
            case Call() if domain.name in ("Nat", "Int"):
                number = self.of(element, INT, names)
                return number >= 0 if domain.name == "Nat" else z3.BoolVal(True)
        term = super().plain(
            Builtin("\\in", (element, domain), (), element.place, element.level), names
        )
        assert isinstance(term, z3.BoolRef)
        return term

    def holds_of(self, domain: Expression, element: Made, names: Names) -> z3.BoolRef:
        """Whether an element is in a set that a quantifier is over."""
        match domain:
            case Builtin("\\", (whole, Builtin("$SetEnumerate", exceptions))):
                assert isinstance(element.shape, Sort)
                different = [
                    element.term != self.of(exception, element.shape, names)
                    for exception in exceptions
                ]
                return z3.And(self.holds_of(whole, element, names), *different)
            case Builtin("DOMAIN", (Constant(),)):
                return element.term != self.words.threads.null
            case Call(_, (low, high)) if domain.name == "..":
                return z3.And(
                    self.of(low, INT, names) <= element.term,
                    element.term <= self.of(high, INT, names),
                )
        if isinstance(self.shape(domain, names), Subset):
            membership = self.plain(domain, names)[element.term]
            assert isinstance(membership, z3.BoolRef)
            return membership
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
        shape = self.shape(domain, names)
        return shape.of if isinstance(shape, Subset) else None

    def quantified(
        self, node: Builtin, body: Expression, bounds: tuple[Bound, ...], names: Names
    ) -> z3.BoolRef:
        match bounds:
            case (Bound((formal,), False, domain),) if (
                domain is not None and (sort := self.over(domain, names)) is not None
            ):
                element = z3.Const(f"{formal.name}_{node.place.line}", sort.z3)
                argument = Made(element, INT if sort == WHOLE else sort)
                here = self.holds_of(domain, argument, names)
                with self.bound_to(element, node):
                    inner = self.truth(body, {**names, formal: argument})
                if node.name == "$BoundedForall":
                    return z3.ForAll([element], z3.Implies(here, inner))
                return z3.Exists([element], z3.And(here, inner))
        return super().quantified(node, body, bounds, names)

    def comprehension(
        self, body: Expression, bound: Bound, names: Names
    ) -> tuple[Sort, z3.ExprRef]:
        """``{x \\in S : P}``: a new constant, which the property's premises describe."""
        match bound:
            case Bound((formal,), False, domain) if (
                domain is not None and (sort := self.over(domain, names)) is not None
            ):
                element = z3.Const(f"{formal.name}_{body.place.line}", sort.z3)
                argument = Made(element, sort)
                holds = z3.And(
                    self.holds_of(domain, argument, names),
                    self.truth(body, {**names, formal: argument}),
                )
                if any(
                    occurs(name.term, holds) for name in names.values() if isinstance(name, Made)
                ):
                    raise OutsideSubset("the size of a set that a bound name is in", body.place)
                return sort, self.described_by(element, holds, body.place.line)
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
    premises = tuple(premise for _, premise in terms.described.values())
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


def opened(formula: z3.BoolRef, prefix: str = "goal", words: set[str] | None = None) -> z3.BoolRef:
    """A goal with a new constant for each variable of its universal statements.

    ``words``: the names of the constants that there are.
    """
    words = set() if words is None else words
    if z3.is_and(formula):
        parts = enumerate(formula.children())
        return z3.And([opened(part, f"{prefix}_{number}", words) for number, part in parts])
    if z3.is_implies(formula):
        premise = given(formula.arg(0), prefix, words)
        return z3.Implies(premise, opened(formula.arg(1), prefix, words))
    if z3.is_quantifier(formula) and formula.is_forall():
        return opened(instance(formula, prefix, words), prefix, words)
    return formula


def given(formula: z3.BoolRef, prefix: str, words: set[str]) -> z3.BoolRef:
    """A premise of a goal, with a new constant for each element that it says there is."""
    if z3.is_and(formula):
        parts = enumerate(formula.children())
        return z3.And([given(part, f"{prefix}_of_{number}", words) for number, part in parts])
    if z3.is_quantifier(formula) and formula.is_exists():
        return given(instance(formula, prefix, words), prefix, words)
    return formula


def instance(formula: z3.QuantifierRef, prefix: str, words: set[str]) -> z3.BoolRef:
    """The body of a quantifier, with new constants: a name that is taken gets a sign more."""
    constants = []
    for index in range(formula.num_vars()):
        name = f"{prefix}_{formula.var_name(index)}"
        while name in words:
            name += "~"
        words.add(name)
        constants.append(z3.Const(name, formula.var_sort(index)))
    return z3.substitute_vars(formula.body(), *reversed(constants))
