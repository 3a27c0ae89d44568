"""A module's steps as a transition system, a subclass of ``wheelproof.prove.ts.System``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import z3

from wheelproof.prove.module import levels, unions
from wheelproof.prove.module.actions import Actions
from wheelproof.prove.module.scopes import First
from wheelproof.prove.module.shapes import (
    Function,
    Listing,
    Shape,
    Vocabulary,
    blank,
    flat,
    items,
    named_element,
    z3_sort,
)
from wheelproof.prove.module.stacks import Procedures, procedures
from wheelproof.prove.module.values import gather, scatter, store
from wheelproof.prove.module.ways import Way
from wheelproof.prove.ts.system import WHOLE, Action, Parameter, Step, System, nullable
from wheelproof.tla.syntax import Level, Module, OutsideSubset


class Generated(System):
    """The common parts of generated systems. Subclasses are made by `made`.

    MODULE: the syntax tree; WORDS: its vocabulary; SHAPES: of its variables, those of threads as
    functions over the threads.
    """

    MODULE: Module
    WORDS: Vocabulary
    SHAPES: Mapping[str, Shape] = {}
    PROCEDURES: Procedures
    LABELS: Mapping[str, tuple[str, ...]] = {}
    """Label -> its actions."""

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        return [*unions.given(self.WORDS, s)]

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        return []

    def first(self, s: SimpleNamespace, firsts: Mapping[str, First]) -> list[z3.BoolRef]:
        """Assumptions on the first elements of sequences."""
        return []

    def pointers(self, s: SimpleNamespace) -> list[z3.ExprRef]:
        """Functions that a property's conjuncts are taken at, of the elements in it."""
        return []

    @cached_property
    def terms(self) -> Actions:
        return Actions(self.MODULE, self.WORDS, self.SHAPES, self.PROCEDURES, self.symbols())

    @cached_property
    def _ways(self) -> dict[str, dict[str, Way]]:
        return {}

    def way(self, name: str) -> Way:
        """The way that an action is, over `symbols` and the thread ``t!``."""
        label = name.partition("_to_")[0]
        if label not in self._ways:
            thread = z3.Const("t!", self.WORDS.threads.z3)
            self._ways[label] = by_action(label, self.terms.ways(label, thread))
        return self._ways[label][name]

    def obligations(self, name: str) -> list[z3.BoolRef]:
        """Conditions that hold where an action is taken, or its terms are not the module's.

        A function is applied in its domain. A value that is taken out of a union is in the part.
        """
        return self.way(name).obligations

    def taken(self, name: str, s: SimpleNamespace, t: z3.ExprRef, choices: Any) -> Step:
        """An action's step."""
        way = self.way(name)
        updates: dict[str, Any] = {}
        for variable, value in way.after.items():
            updates |= scatter(variable, self.SHAPES[variable], value)
        threads = z3.Const("t!", self.WORDS.threads.z3)
        if self.PROCEDURES.recursive:
            updates |= self.stack_updates(way, threads)
        for procedure, place in () if self.PROCEDURES.recursive else way.back.items():
            updates[f"ret_{procedure}"] = z3.Store(
                getattr(self.terms.s, f"ret_{procedure}"), threads, place
            )
            is_absent = place.eq(self.terms.frames.absent)
            for variable in self.PROCEDURES.saved[procedure]:
                if variable not in self.SHAPES:
                    continue
                shape = self.SHAPES[variable]
                assert isinstance(shape, Function)
                value = blank(shape.range) if is_absent else way.kept[procedure, variable]
                name_ = f"saved_{procedure}_{variable}"
                array = store(gather(name_, shape, self.terms.s), threads, value)
                updates |= scatter(name_, shape, array)
        symbols = self.terms.s
        changes = {
            variable: value
            for variable, value in updates.items()
            if not (isinstance(value, z3.ExprRef) and value.eq(getattr(symbols, variable)))
        }
        return Step(tuple(way.guards), changes)

    def stack_updates(self, way: Way, thread: z3.ExprRef) -> dict[str, z3.ExprRef]:
        """The updates by which a way sets a stack of levels."""
        if not way.popped and not way.back:
            return {}
        words = levels.procedures(self.MODULE.name, self.PROCEDURES)
        frame: dict[str, Any] = {}
        for procedure, place in way.back.items():
            frame = {levels.PROCEDURE: words.value(procedure), levels.RETURN: place}
            for name in self.PROCEDURES.saved[procedure]:
                if isinstance(shape := self.SHAPES.get(name), Function):
                    value = way.kept[procedure, name]
                    frame |= scatter(f"stack_{name}", shape.range, value)
        fields = levels.fields(self.MODULE.name, self.WORDS, self.PROCEDURES, self.SHAPES)
        return levels.after(fields, self.terms.s, thread, way.popped, frame)


def by_action(label: str, ways: list[Way]) -> dict[str, Way]:
    """The ways through a label by their actions' names."""
    actions: dict[str, Way] = {}
    for way in ways:
        name = f"{label}_to_{way.to}"
        number = 1 + sum(action == name or action.startswith(f"{name}_") for action in actions)
        actions[name if number == 1 else f"{name}_{number}"] = way
    return actions


def variables(words: Vocabulary, module: Module, procs: Procedures) -> Iterator[tuple[str, Shape]]:
    """The flat variables of a module: its own, and those that stand for the stack."""
    whole = shapes(words, module)
    for name, shape in whole.items():
        yield from flat(name, shape)
    if procs.recursive:
        yield from levels.variables(module.name, words, procs, whole)
        return
    labels = words.variables["pc"]
    for procedure, names in procs.saved.items():
        yield f"ret_{procedure}", Function(words.threads, labels)
        for name in names:
            if name in whole:
                yield from flat(f"saved_{procedure}_{name}", whole[name])


def shapes(words: Vocabulary, module: Module) -> dict[str, Shape]:
    """The shapes of whole variables: those declared behind ``pc`` are functions of threads."""
    behind = module.variables[module.variables.index("pc") :]
    return {
        name: Function(words.threads, shape) if name in behind else shape
        for name, shape in words.variables.items()
    }


def constants(words: Vocabulary) -> Iterator[tuple[str, z3.SortRef]]:
    """The constants of a module that terms may read."""
    for name, shape in words.constants.items():
        if isinstance(shape, Listing):
            yield from shape.arrays(name).items()
        else:
            for flat_name, part in flat(name, shape):
                yield flat_name, z3_sort(part)
    for name, function in words.functions.items():
        yield f"of_{name}", z3_sort(function)
    yield from words.arrays().items()
    for name, sort in words.elements.items():
        yield named_element(name), sort.z3
    for sort in words.saved:
        yield items(sort), z3_sort(Function(WHOLE, sort))


def made(
    name: str, module: Module, words: Vocabulary, base: type[Generated] = Generated
) -> type[Generated]:
    """The system of a module. OutsideSubset: a step has something that no term is made of.

    ``base``: a class with more, such as ghost variables or an invariant.
    """
    for definition in (module.definitions.get(constant) for constant in words.constants):
        if definition is not None and definition.body.level != Level.CONSTANT:
            raise OutsideSubset(f"{definition.name}, a constant that is none,", definition.place)
    if "pc" not in words.variables:
        place = module.definition("Init").place
        raise OutsideSubset("the variable pc, which the vocabulary gives no shape,", place)
    procs = procedures(module)
    sorts = {variable: z3_sort(shape) for variable, shape in variables(words, module, procs)}
    members: dict[str, Any] = {
        "MODULE": module,
        "WORDS": words,
        "SHAPES": shapes(words, module),
        "PROCEDURES": procs,
        "SORTS": words.sorts,
        "VARIABLES": {**sorts, **base.VARIABLES},
        "RIGID": {**dict(constants(words)), **base.RIGID},
        "STATES": f"module {module.name}",
        "__doc__": f"The steps of module {module.name}.",
        "__module__": __name__,
    }
    first = type(name, (base,), members)
    system = first()
    methods: dict[str, Any] = {}
    by_label: dict[str, tuple[str, ...]] = {}
    for label in system.terms.steps:
        thread = z3.Const("t!", words.threads.z3)
        ways = by_action(label, system.terms.ways(label, thread))
        by_label[label] = tuple(ways)
        methods |= {action: method_of(name, action, way, words) for action, way in ways.items()}
    return type(name, (base,), {**members, **methods, "LABELS": by_label})


def method_of(system: str, name: str, way: Way, words: Vocabulary) -> Any:
    """An action of a system: the method that gives its step."""

    def method(self: Generated, s: SimpleNamespace, **choices: z3.ExprRef) -> Step:
        return self.taken(name, s, choices["t"], choices)

    parameters = {"t": Parameter(words.threads)}
    parameters |= {parameter: choice for parameter, (_, choice) in way.chosen.items()}
    parameters |= {parameter: nullable(first.sort) for parameter, first in way.firsts.items()}
    parameters |= way.extremes
    method.__name__, method.__qualname__ = name, f"{system}.{name}"
    method.declared = Action(name, parameters, method)  # type: ignore[attr-defined]
    return method
