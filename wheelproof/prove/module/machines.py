"""A module without processes, such as an atomic one: each of its actions as steps of a system.

    system = machines.made("Atomic", module, vocabulary, ["Begin", "Link"], {})

An action is an operator of the thread that takes it. Where it has branches, it has one step for
each: ``Check``, ``Check_2``. A variable has the shape that the vocabulary gives it, that of a
function over the threads included.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import z3

from wheelproof.prove.module.actions import Actions
from wheelproof.prove.module.scopes import Frames, Given, Made, Names
from wheelproof.prove.module.shapes import (
    Listing,
    Shape,
    Subset,
    Vocabulary,
    flat,
    z3_sort,
)
from wheelproof.prove.module.stacks import Procedures
from wheelproof.prove.module.systems import Generated, constants, method_of
from wheelproof.prove.module.terms import Terms
from wheelproof.prove.module.values import Value
from wheelproof.prove.module.ways import Way
from wheelproof.prove.ts.system import Sort, present
from wheelproof.tla.syntax import (
    Bound,
    Builtin,
    Call,
    Expression,
    Level,
    Module,
    OutsideSubset,
    Parameter,
    Text,
)

_NO_STACK = Frames()


@dataclass
class Phrases(Terms):
    """Terms that see through operators of a thread's operation.

    ``results``: operator -> the shape of its value, where nothing in it says so.
    """

    results: Mapping[str, Shape] = field(default_factory=dict)

    def of(self, node: Expression, want: Shape, names: Names) -> Value:
        match node:
            case Builtin("$FcnApply", (Call(definition), word)) if (
                isinstance(definition.body, Builtin) and definition.body.name == "$RcdConstructor"
            ):
                return self.by_word(definition.body, word, want, names)
        return super().of(node, want, names)

    def by_word(self, record: Builtin, word: Expression, want: Shape, names: Names) -> Value:
        """A record at a string of a program."""
        words = next(
            constant.words
            for constant in self.words.constants.values()
            if isinstance(constant, Listing)
        )
        key, choice = self.of(word, words, names), None
        cases = []
        for pair in record.arguments:
            match pair:
                case Builtin("$Pair", (Text(name), value)):
                    of_name = words.value(name)
                    if of_name is None:
                        raise OutsideSubset(f"{name}, which is in no program,", pair.place)
                    cases.append(key == of_name)
                    here = self.of(value, want, names)
                    choice = here if choice is None else z3.If(key == of_name, here, choice)
        self.obligations.append(z3.Or(cases))
        return choice

    def shape(self, node: Expression, names: Names) -> Shape | None:
        if isinstance(node, Call) and node.name in self.results:
            return self.results[node.name]
        return super().shape(node, names)

    def index(self, node: Expression, domain: Sort, names: Names) -> z3.ExprRef:
        argument = names.get(node.formal) if isinstance(node, Parameter) else None
        if isinstance(argument, Given):
            return self.index(argument.node, domain, argument.names)
        return super().index(node, domain, names)

    def quantified(
        self, node: Builtin, body: Expression, bounds: tuple[Bound, ...], names: Names
    ) -> z3.BoolRef:
        elements = self.elements(bounds, names)
        if elements is None:
            return super().quantified(node, body, bounds, names)
        bound, sort, members = elements
        element = z3.Const(f"{bound.formals[0].name}_{node.place.line}", sort.z3)
        with self.bound_to(element, node):
            inner = self.truth(body, {**names, bound.formals[0]: Made(element, sort)})
        here = z3.And(element != sort.null, members[element])
        if node.name == "$BoundedForall":
            return z3.ForAll([element], z3.Implies(here, inner))
        return z3.Exists([element], z3.And(here, inner))

    def elements(
        self, bounds: tuple[Bound, ...], names: Names
    ) -> tuple[Bound, Sort, z3.ExprRef] | None:
        """One name over a set that is a value; None for another bound."""
        match bounds:
            case (Bound((_,), False, Builtin() as domain) as bound,):
                shape = self.shape(domain, names)
                if isinstance(shape, Subset):
                    return bound, shape.of, self.plain(domain, names)
        return None


class Branches(Actions):
    """The ways through the actions of a module without labels."""

    def __init__(
        self,
        module: Module,
        words: Vocabulary,
        s: Any,
        results: Mapping[str, Shape],
    ) -> None:
        self.module, self.words, self.shapes, self.s = module, words, words.variables, s
        self.results, self.of, self.frames = results, Procedures({}, {}), _NO_STACK

    def terms(self, way: Way) -> Phrases:
        return Phrases(
            self.words,
            self.s,
            self.shapes,
            self.frames,
            way.after,
            way.obligations,
            kept=way.same,
            chosen=way.chosen,
            results=self.results,
        )

    def ways(self, label: str, thread: z3.ExprRef) -> list[Way]:
        """The branches of an action. OutsideSubset: as in the base class."""
        definition = self.module.definition(label)
        self.label, self.thread, self.place = label, thread, definition.place
        self.found = []
        names: Names = {definition.formals[0]: Made(thread, self.words.threads)}
        self.follow([(definition.body, names)], Way(label))
        return self.found

    def follow(self, todo: list[tuple[Expression, Names]], way: Way) -> None:
        match todo:
            case [(Builtin("$BoundedExists", (body,), bounds) as node, names), *rest] if (
                node.level == Level.ACTION
            ):
                elements = self.terms(way).elements(bounds, names)
                if elements is not None:
                    bound, sort, members = elements
                    formal = bound.formals[0]
                    choice = f"with_{formal.name}"
                    element = z3.Const(f"{choice}!", sort.z3)
                    way.chosen[choice] = element, present(sort)
                    way.guards.append(members[element])
                    return self.follow([(body, {**names, formal: Made(element, sort)}), *rest], way)
        return super().follow(todo, way)


class Machine(Generated):
    """The system of such a module. ``RESULTS``: as in `Phrases`."""

    RESULTS: Mapping[str, Shape] = {}

    @cached_property
    def terms(self) -> Branches:
        return Branches(self.MODULE, self.WORDS, self.symbols(), self.RESULTS)

    def way(self, name: str) -> Way:
        action = next(label for label, names in self.LABELS.items() if name in names)
        if action not in self._ways:
            thread = z3.Const("t!", self.WORDS.threads.z3)
            self._ways[action] = by_number(action, self.terms.ways(action, thread))
        return self._ways[action][name]


def by_number(action: str, ways: list[Way]) -> dict[str, Way]:
    """The branches of an action by their names."""
    return {f"{action}_{n}" if n > 1 else action: way for n, way in enumerate(ways, 1)}


def made(
    name: str,
    module: Module,
    words: Vocabulary,
    actions: Iterable[str],
    results: Mapping[str, Shape] = {},
) -> type[Machine]:
    """The system of a module with these actions. OutsideSubset: one has no terms."""
    members: dict[str, Any] = {
        "MODULE": module,
        "WORDS": words,
        "SHAPES": words.variables,
        "PROCEDURES": Procedures({}, {}),
        "RESULTS": results,
        "SORTS": words.sorts,
        "VARIABLES": {
            flat_name: z3_sort(part)
            for variable, shape in words.variables.items()
            for flat_name, part in flat(variable, shape)
        },
        "RIGID": dict(constants(words)),
        "STATES": f"module {module.name}",
        "__doc__": f"The steps of module {module.name}.",
        "__module__": __name__,
    }
    system = type(name, (Machine,), members)()
    methods: dict[str, Any] = {}
    labels: dict[str, tuple[str, ...]] = {}
    thread = z3.Const("t!", words.threads.z3)
    for action in actions:
        ways = by_number(action, system.terms.ways(action, thread))
        labels[action] = tuple(ways)
        methods |= {branch: method_of(name, branch, way, words) for branch, way in ways.items()}
    return type(name, (Machine,), {**members, **methods, "LABELS": labels})
