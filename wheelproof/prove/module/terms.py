"""Expressions of a module as Z3 terms of a wanted shape.

A value is a term, or one value for each field of a record; a function to records is kept as a
record of functions. An expression that is not known here is refused with module, line and operator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import z3

from wheelproof.prove.arithmetic import POWER, div, mod, mul
from wheelproof.prove.module import bags, sequences, sets, singles, spaced, tickets
from wheelproof.prove.module.scopes import ORDERS, Given, Made, Names, Shaped, field_of, shown
from wheelproof.prove.module.shapes import (
    BOOL,
    INT,
    Bag,
    Flags,
    Function,
    Listing,
    Padded,
    Partial,
    Record,
    Sequence,
    Shape,
    Single,
    Spaced,
    Words,
    blank,
    listed,
    named_element,
)
from wheelproof.prove.module.values import Value, at_place, equal, merge, store
from wheelproof.prove.ts.system import WHOLE, Sort
from wheelproof.tla.syntax import (
    At,
    Bound,
    Builtin,
    Call,
    Constant,
    Expression,
    Formal,
    Number,
    OutsideSubset,
    Parameter,
    Text,
    Variable,
)

_SUMS: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": mul,
    "\\div": div,
    "%": mod,
    "^": lambda x, y: POWER(x, y),
}


@dataclass
class Terms(Shaped):
    """Terms in one state."""

    # -- terms

    def of(self, node: Expression, want: Shape, names: Names) -> Value:
        """The value of an expression, as one of the shape ``want``."""
        node, names = self.opened(node, names)
        match node:
            case Parameter(formal) if isinstance(argument := names[formal], Given):
                return self.of(argument.node, want, argument.names)
            case Constant(name) if name == self.words.null:
                if isinstance(want, Sort) and want.null is not None:
                    return want.null
                if isinstance(want, Words) and want.null:
                    return getattr(want.of, want.null)
            case Number(0) if isinstance(want, Sort) and self.words.zero_is_null(want):
                return want.null
            case Text(value):
                if isinstance(want, Words) and (word := want.value(value)) is not None:
                    return word
                if isinstance(want, Sort) and value in self.words.nulls:
                    return want.null
                if isinstance(want, Sort) and self.words.elements.get(value) == want:
                    return z3.Const(named_element(value), want.z3)
            case Builtin("$IfThenElse", (test, then, otherwise)):
                condition = self.truth(test, names)
                with self.where([condition]):
                    consequent = self.of(then, want, names)
                with self.where([z3.Not(condition)]):
                    return merge(condition, consequent, self.of(otherwise, want, names))
            case Builtin("$RcdConstructor", pairs) if isinstance(want, Record):
                values = dict(map(field_of, pairs))
                if set(values) == set(want.fields):
                    return {
                        name: self.of(values[name], of, names) for name, of in want.fields.items()
                    }
            case Builtin("$FcnApply", (Builtin("$FcnApply", (program, number)) as whole, place)):
                entry = self.of_program(program, number, whole, place, want, names)
                if entry is not None:
                    return entry
            case Builtin("$FcnConstructor") if isinstance(want, Spaced):
                if (sequence := spaced.image(self, node, want, names)) is not None:
                    return sequence
            case Builtin("$SetEnumerate" | "$Tuple", ()) if isinstance(want, Flags | Sequence):
                return blank(want)
            case Builtin("$Tuple") if isinstance(want, Single):
                return singles.made(self, node, want, names)
            case Builtin("$Tuple", elements) if isinstance(want, Record) and "1" in want.fields:
                short = isinstance(want, Padded) and len(elements) < len(want.fields)
                if short or len(elements) == len(want.fields):
                    values = (blank(want) if short else {}) | {
                        name: self.of(element, field_shape, names)
                        for (name, field_shape), element in zip(want.fields.items(), elements)
                    }
                    if isinstance(want, Padded) and elements:
                        self.obligations.append(z3.Not(equal(values, blank(want))))
                    return values
            case Call(definition) if not definition.standard and node.name not in self.words.named:
                return self.of(definition.body, want, self.inside(node, names))
        have = self.shape(node, names)
        if have is None:
            raise OutsideSubset(f"{shown(node)} as a value of this shape", node.place)
        return self.fit(self.plain(node, names), have, want, node)

    def one_by_one(
        self,
        nodes: Iterable[Expression],
        names: Names,
        read: Callable[[z3.BoolRef], z3.BoolRef],
    ) -> list[z3.BoolRef]:
        """Truth values, of which each is used only where those before it are as ``read`` says."""
        truths: list[z3.BoolRef] = []
        for node in nodes:
            with self.where(map(read, truths)):
                truths.append(self.truth(node, names))
        return truths

    def truth(self, node: Expression, names: Names) -> z3.BoolRef:
        term = self.of(node, BOOL, names)
        assert isinstance(term, z3.BoolRef)
        return term

    def plain(self, node: Expression, names: Names) -> Value:
        """The value of an expression, of its own shape."""
        for module in spaced, bags, sequences, singles, tickets:
            if (reader := module.read(self, node, names)) is not None:
                return reader()
        match node:
            case Number(value):
                return z3.IntVal(value)
            case Constant(name):
                return self.constant(name)
            case Variable(name):
                return self.variable(name, node)
            case Parameter(formal):
                argument = names[formal]
                if isinstance(argument, Given):
                    return self.plain(argument.node, argument.names)
                return argument.term
            case At():
                assert self.at is not None
                return self.at[0]
            case Builtin("'", (Variable(name),)):
                if name in self.kept:
                    return self.variable(name, node)
                if name not in self.after:
                    raise OutsideSubset(f"{name}' before the step gives it a value", node.place)
                return self.after[name]
            case Builtin("TRUE" | "FALSE"):
                return z3.BoolVal(node.name == "TRUE")
            case Builtin("$ConjList" | "\\land", arguments):
                return z3.And(self.one_by_one(arguments, names, lambda condition: condition))
            case Builtin("$DisjList" | "\\lor", arguments):
                return z3.Or(self.one_by_one(arguments, names, z3.Not))
            case Builtin("\\lnot", (first,)):
                return z3.Not(self.truth(first, names))
            case Builtin("=>", (first, second)):
                premise = self.truth(first, names)
                with self.where([premise]):
                    return z3.Implies(premise, self.truth(second, names))
            case Builtin("\\equiv", (first, second)):
                return self.truth(first, names) == self.truth(second, names)
            case Builtin("=", (first, second)):
                return self.same(first, second, names)
            case Builtin("/=", (first, second)):
                return z3.Not(self.same(first, second, names))
            case Builtin("\\in", (first, second)):
                return sets.member(self, first, second, names)
            case Builtin("\\notin", (first, second)):
                return z3.Not(sets.member(self, first, second, names))
            case Builtin("$FcnApply", (function, index)):
                shape = self.shape(function, names)
                if isinstance(shape, Sequence | Partial):
                    return self.within(function, shape, index, names)
                if not isinstance(shape, Function):
                    raise OutsideSubset("a value of unknown shape, applied,", node.place)
                return at_place(self.plain(function, names), self.index(index, shape.domain, names))
            case Builtin("$RcdSelect", (Call() as head, Text(name))) if head.name == "Head":
                return self.innermost(head, name, names)
            case Builtin("$RcdSelect", (record, Text(name))):
                return self.plain(record, names)[name]
            case Builtin("\\union" | "\\", (first, Builtin("$SetEnumerate", elements))):
                return sets.update(self, node, first, elements, names)
            case Builtin("$Except", (function, *pairs)):
                return self.changed(function, pairs, names)
            case Builtin("$BoundedForall" | "$BoundedExists", (body,), bounds):
                return self.quantified(node, body, bounds, names)
            case Call() if node.definition.standard:
                return self.number(node, names)
            case Call() if node.name in self.words.constants:
                return self.constant(node.name)
            case Call() if (shape := self.shape(node, names)) is not None:
                return self.of(node, shape, names)
        raise OutsideSubset(shown(node), node.place)

    def within(
        self, function: Expression, shape: Sequence | Partial, index: Expression, names: Names
    ) -> Value:
        """A sequence or a partial function at an index, which must be in its domain."""
        value = self.plain(function, names)
        if isinstance(shape, Partial):
            key = self.index(index, shape.function.domain, names)
            self.obligations.append(at_place(value["has"], key))
            return at_place(value["value"], key)
        return at_place(value["item"], sequences.place(self, value, index, names))

    def index(self, node: Expression, domain: Sort, names: Names) -> z3.ExprRef:
        """An argument of a function, which must be in its domain."""
        term: z3.ExprRef = self.of(node, INT if domain == WHOLE else domain, names)
        bound = isinstance(node, Parameter) and isinstance(names[node.formal], Made)
        if domain.null is not None and not bound:
            self.obligations.append(term != domain.null)
        return term

    def number(self, node: Call, names: Names) -> Value:
        match node.arguments:
            case (first,) if node.name == "-.":
                return -self.of(first, INT, names)
            case (first, second) if node.name in _SUMS or node.name in ORDERS:
                make = _SUMS.get(node.name) or ORDERS[node.name]
                return make(self.of(first, INT, names), self.of(second, INT, names))
            case (Builtin("$FcnApply", (Constant(name), thread)),) if node.name == "Len":
                listing = self.words.constants.get(name)
                if isinstance(listing, Listing):
                    return getattr(self.s, f"{name}_length")[self.of(thread, listing.thread, names)]
            case (Builtin("$FcnApply", (Builtin("$FcnApply", (Constant(name), thread)), number)),):
                listing = self.words.constants.get(name)
                if node.name == "Len" and isinstance(listing, Listing) and 0 in listing.places:
                    array = getattr(self.s, f"{name}_size")
                    step = z3.simplify(self.of(number, INT, names))
                    return array[self.of(thread, listing.thread, names)][step]
        if node.name == "Len" and isinstance(self.shape(node.arguments[0], names), Sequence):
            return self.plain(node.arguments[0], names)["length"]
        raise OutsideSubset(f"{node.name} of module {node.definition.place.module}", node.place)

    def of_program(
        self,
        node: Expression,
        number: Expression,
        whole: Expression,
        at: Expression,
        want: Shape,
        names: Names,
    ) -> Value | None:
        """The entry at a place of a tuple of a thread's program; None where it is no program."""
        match node:
            case Builtin("$FcnApply", (Constant(name), thread)):
                listing = self.words.constants.get(name)
                if isinstance(listing, Listing):
                    place = at.value if isinstance(at, Number) else self.last(whole, at, names)
                    if place is None or want not in listing.places.get(place, ()):
                        raise OutsideSubset(f"{name}[...][...][{place}] of this shape", node.place)
                    array = getattr(self.s, listed(name, place, want))
                    step = z3.simplify(self.of(number, INT, names))
                    return array[self.of(thread, listing.thread, names)][step]
        return None

    def last(self, whole: Expression, at: Expression, names: Names) -> int | None:
        """0 where an index of a tuple is the tuple's length; None where it is something else."""
        if not isinstance(at, Call) or at.name != "Len":
            return None
        of_whole = Call(at.definition, (whole,), at.place, at.level)
        return 0 if self.number(at, names).eq(self.number(of_whole, names)) else None

    def same(self, first: Expression, second: Expression, names: Names) -> z3.BoolRef:
        """``first = second``: as elements of a union, where one of them is of one."""
        for empty, operand in ((first, second), (second, first)):
            if bags.is_empty(empty) and isinstance(self.shape(operand, names), Bag):
                head = bags.first(self, operand, names)
                return head.element == head.sort.null
            if isinstance(empty, Builtin) and empty.name == "$SetEnumerate" and not empty.arguments:
                return sets.is_empty(self, operand, names)
        for known_empty in singles.is_empty, sequences.is_empty:
            if (none := known_empty(self, first, second, names)) is not None:
                return none
        shapes = [self.shape(first, names), self.shape(second, names)]
        candidates = [shape for shape in shapes if shape is not None]
        wide = [shape for shape in candidates if self.words.parts(shape)]
        if not candidates:
            every = [item for item in self.words.constants.values() if isinstance(item, Listing)]
            if not every:
                raise OutsideSubset("= of two values of unknown shape", first.place)
            candidates = [every[0].words]
        want = (wide or candidates)[0]
        return equal(self.of(first, want, names), self.of(second, want, names))

    def changed(self, function: Expression, pairs: list[Expression], names: Names) -> Value:
        shape = self.shape(function, names)
        if shape is None:
            raise OutsideSubset("EXCEPT of a value of unknown shape", function.place)
        image = self.plain(function, names)
        for pair in pairs:
            match pair:
                case Builtin("$Pair", (Builtin("$Seq", path), value)):
                    image = self.put(image, shape, path, value, names)
                case _:
                    raise OutsideSubset("EXCEPT", function.place)
        return image

    def put(
        self, base: Value, of: Shape, path: tuple[Expression, ...], value: Expression, names: Names
    ) -> Value:
        """A function or record with the value at a path changed."""
        if not path:
            return replace(self, at=(base, of)).of(value, of, names)
        first, rest = path[0], path[1:]
        if isinstance(of, Sequence):
            number = sequences.place(self, base, first, names)
            item = at_place(base["item"], number)
            new = self.put(item, of.of, rest, value, names)
            return {**base, "item": store(base["item"], number, new)}
        if isinstance(of, Spaced):
            number = spaced.place(self, base, first, names)
            new = self.put(at_place(base["item"], number), of.of, rest, value, names)
            return {**base, "item": spaced.put(base["item"], number, new)}
        if isinstance(of, Record) and isinstance(first, Text | Number) and isinstance(base, dict):
            field_ = str(first.value)
            return {**base, field_: self.put(base[field_], of.fields[field_], rest, value, names)}
        if isinstance(of, Function):
            key = self.index(first, of.domain, names)
            return store(base, key, self.put(at_place(base, key), of.range, rest, value, names))
        raise OutsideSubset("EXCEPT of a value that is no function", first.place)

    def quantified(
        self, node: Builtin, body: Expression, bounds: tuple[Bound, ...], names: Names
    ) -> z3.BoolRef:
        (bound,) = bounds if len(bounds) == 1 else (None,)
        if bound is None or bound.pattern or bound.domain is None or len(bound.formals) != 1:
            raise OutsideSubset(f"{shown(node)} over several names", node.place)
        (formal,) = bound.formals
        every = node.name == "$BoundedForall"
        match bound.domain:
            case Builtin("DOMAIN", (Builtin("$FcnApply", (Variable("stack"), thread)),)):
                owner = self.of(thread, self.words.threads, names)
                return self.over_frames(formal, body, owner, every)
        if (formula := spaced.quantified(self, body, bound, every, names)) is not None:
            return formula
        match bound.domain:
            case Builtin("DOMAIN", (sequence,)) if not every:
                return bags.times(self, sequence, formal, body, names) > 0
            case Builtin("DOMAIN", (whole,)) if isinstance(self.shape(whole, names), Sequence):
                return sequences.everywhere(self, whole, formal, body, names)
        sort = self.sort_of(bound.domain, names)
        element = z3.Const(f"{formal.name}_{node.place.line}", sort.z3)
        with self.bound_to(element, node):
            inner = self.truth(body, {**names, formal: Made(element, sort)})
        members = self.members(bound.domain, names)
        if members is not None or sort.null is not None:
            here = element != sort.null if members is None else members[element]
            inner = z3.Implies(here, inner) if every else z3.And(here, inner)
        return (z3.ForAll if every else z3.Exists)([element], inner)

    # -- the stack

    def innermost(self, head: Call, name: str, names: Names) -> Value:
        """A field of the innermost frame of a thread's stack."""
        match head.arguments:
            case (Builtin("$FcnApply", (Variable("stack"), thread)),) if self.frames.top:
                owner = self.of(thread, self.words.threads, names)
                if name == "pc":
                    return self.frames.back[self.frames.top][owner]
                if (self.frames.top, name) in self.frames.kept:
                    return at_place(self.frames.kept[self.frames.top, name], owner)
        raise OutsideSubset(f"Head(...).{name} in this step", head.place)

    def over_frames(
        self, formal: Formal, body: Expression, thread: z3.ExprRef, every: bool
    ) -> z3.BoolRef:
        """A quantifier over a stack that asks for the procedures on it alone."""
        match body:
            case Builtin(
                ("=" | "/=") as name,
                (
                    Builtin(
                        "$RcdSelect",
                        (
                            Builtin(
                                "$FcnApply",
                                (Builtin("$FcnApply", (Variable("stack"), _)), Parameter(index)),
                            ),
                            Text("procedure"),
                        ),
                    ),
                    Text(procedure),
                ),
            ) if index is formal and (name == "=") != every and procedure in self.frames.back:
                on_stack = self.frames.back[procedure][thread] != self.frames.absent
                return z3.Not(on_stack) if every else on_stack
        raise OutsideSubset("a quantifier over the stack", body.place)
