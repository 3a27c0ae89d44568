"""A module as Python source: functions of its definitions, its steps and Init.

The source does not depend on the constants. :class:`Program` makes it part by part, as the parts
are needed; an environment of one scenario executes the parts in their order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import CodeType

from wheelproof.tla.expressions import Expressions
from wheelproof.tla.layout import Layout, label_of, mover
from wheelproof.tla.scope import InInit, InState, InStep, Scope
from wheelproof.tla.steps import Steps
from wheelproof.tla.syntax import (
    Builtin,
    Definition,
    Expression,
    Formal,
    Level,
    Module,
    OutsideSubset,
)


@dataclass(frozen=True)
class Kept:
    """A global that is computed once per scenario."""

    name: str
    code: str
    node: Expression | None
    """The place of the expression in the syntax tree."""


@dataclass(frozen=True)
class Function:
    """A function that is defined once per scenario."""

    name: str
    source: str
    code: CodeType


class Program:
    """The parts of a module's source."""

    late: frozenset[Expression]
    """Constant expressions that are not kept:

    their value is an error that no behaviour may ever meet.
    """

    def __init__(
        self, module: Module, layout: Layout, late: frozenset[Expression] = frozenset()
    ) -> None:
        self.module, self.layout, self.late = module, layout, late
        self.parts: list[Kept | Function] = []
        self._functions: dict[Definition, str] = {}
        self._kept: dict[object, str] = {}
        self._names: dict[Formal, str] = {}
        self._count = 0

    @property
    def source(self) -> str:
        """The whole source so far, for a reader."""
        return "\n".join(
            f"{part.name} = {part.code}" if isinstance(part, Kept) else part.source
            for part in self.parts
        )

    # -- names

    def fresh(self, prefix: str) -> str:
        self._count += 1
        return f"_{prefix}{self._count}"

    def name(self, formal: Formal) -> str:
        if formal not in self._names:
            self._names[formal] = self.fresh(re.sub(r"\W", "_", formal.name) + "_")
        return self._names[formal]

    # -- parts

    def keep(self, code: str, node: Expression | None = None) -> str:
        """A global with the value of constant code."""
        if code not in self._kept:
            self._kept[code] = self.fresh("k")
            self.parts.append(Kept(self._kept[code], code, node))
        return self._kept[code]

    def fold(self, code: Expressions, node: Expression, kind: str) -> str | None:
        """A global with the value of a constant expression; None for a late one."""
        if node in self.late:
            return None
        key = (node, kind)
        if key not in self._kept:
            text = code.plain(node)
            name = self.keep(f"domain({text})" if kind else text, node)
            self._kept[key] = name
        return self._kept[key]

    def expressions(self, scope: Scope) -> Expressions:
        """A maker of code in this scope."""
        return Expressions(
            scope,
            define=self.define,
            keep=self.keep,
            fold=self.fold,
            fresh=self.fresh,
            name=self.name,
        )

    def add(self, name: str, source: str) -> str:
        self.parts.append(Function(name, source, compile(source, f"<{self.module.name}>", "exec")))
        return name

    def define(self, definition: Definition) -> str:
        """The function ``(s, ps, arguments...)`` of a definition about one state."""
        if definition not in self._functions:
            name = self._functions[definition] = self.fresh(
                re.sub(r"\W", "_", definition.name) + "_"
            )
            try:
                body = self.expressions(InState(self.layout)).expression(definition.body)
            except OutsideSubset:
                del self._functions[definition]
                raise
            formals = "".join(f", {self.name(formal)}" for formal in definition.formals)
            self.add(name, f"def {name}(s, ps{formals}):\n  return {body}\n")
        return self._functions[definition]

    def state_property(self, definition: Definition) -> str:
        """The function ``(s, ps)`` of a property: of ``<>P`` and ``[]<>P`` it is that of P."""
        body = definition.body
        if definition.level <= Level.STATE and not definition.formals:
            return self.define(definition)
        match body:
            case Builtin("[]", (Builtin("<>", (inside,)),)) | Builtin("<>", (inside,)):
                name = f"{definition.name}_goal"
                goal = Definition(name, definition.place, inside.level, body=inside)
                goal_name = self._kept.get((definition, "goal"))
                if goal_name is None:
                    goal_name = self._kept[definition, "goal"] = self.define(goal)
                return goal_name
        raise OutsideSubset(f"{definition.name}, a property of no state,", definition.place)

    def initial(self) -> str:
        """The function ``(out)`` that appends every initial state to ``out``."""
        name = self.fresh("Init_")
        steps = Steps(self.layout, lambda nexts: self.expressions(InInit(nexts)), self.fresh)
        body = steps.initial(self.module.definition("Init").body)
        self.add(name, f"def {name}(out):\n{body}")
        return name

    def step(self, definition: Definition) -> str:
        """The function ``(s, ps, i, p, me, out)`` that appends a step's successors to ``out``."""
        if definition not in self._functions:
            me = mover(definition)
            assert me is not None
            if len(definition.formals) > 1:
                raise OutsideSubset("a step with several parameters", definition.place)
            steps = Steps(
                self.layout,
                lambda nexts: self.expressions(InStep(self.layout, me, nexts)),
                self.fresh,
            )
            name = self.fresh(re.sub(r"\W", "_", definition.name) + "_")
            thread = self.name(me) if isinstance(me, Formal) else "me"
            body = steps.step(definition.body, label_of(definition))
            source = f"def {name}(s, ps, i, p, {thread}, out):\n{body}"
            self._functions[definition] = self.add(name, source)
        return self._functions[definition]

    def constant(self, node: Expression) -> str:
        """The function ``()`` of an expression that the constants decide."""
        if (node, "function") not in self._kept:
            name = self.fresh("c")
            code = self.expressions(InInit({})).expression(node)
            self._kept[node, "function"] = self.add(name, f"def {name}():\n  return {code}\n")
        return self._kept[node, "function"]


class Programs:
    """A module's program, made again where a constant expression turns out to be late."""

    def __init__(self, module: Module, layout: Layout) -> None:
        self.module, self.layout = module, layout
        self.current = Program(module, layout)

    def later(self, late: frozenset[Expression]) -> None:
        """Make a program that does not compute these expressions beforehand."""
        self.current = Program(self.module, self.layout, self.current.late | late)
