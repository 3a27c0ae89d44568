"""A module as Python source, with formulas that are enumerated, counted or tested.

In the code ``s`` is the tuple of all variables.
"""

from __future__ import annotations

from collections.abc import Mapping

from wheelproof.tla.expressions import Expressions
from wheelproof.tla.layout import Layout
from wheelproof.tla.names import free
from wheelproof.tla.plain.moves import Inlined, Moves
from wheelproof.tla.program import Program, Programs
from wheelproof.tla.scope import Scope
from wheelproof.tla.syntax import Definition, Expression, Formal, Module, OutsideSubset, Place


class _Plain:
    """A scope without variables of threads."""

    in_step = True

    def __init__(self, variables: tuple[str, ...], nexts: Mapping[str, str]) -> None:
        self.variables, self.nexts = variables, nexts

    def of_thread(self, name: str, index: Expression, code: str) -> str | None:
        return None

    def primed_of_thread(self, name: str, index: Expression, place: Place) -> str | None:
        return None


class InValues(_Plain):
    """Variables that have their value from the formula itself: in Init, and behind a prime."""

    def __init__(self, variables: tuple[str, ...], nexts: Mapping[str, str], subject: str) -> None:
        super().__init__(variables, nexts)
        self.subject = subject

    def state(self, names: frozenset[str]) -> str | None:
        if not names <= self.nexts.keys():
            return None
        return f"({''.join(f'{self.nexts.get(name)}, ' for name in self.variables)}), ()"

    def variable(self, name: str, place: Place) -> str:
        if name not in self.nexts:
            raise OutsideSubset(f"{name}{self.subject} before it has a value", place)
        return self.nexts[name]

    def next_value(self, name: str, place: Place) -> str:
        raise OutsideSubset(f"{name}' within a primed formula or Init", place)

    def primed(self, place: Place) -> Scope:
        raise OutsideSubset("a prime within a primed formula or Init", place)


class InMove(_Plain):
    """A step from ``s``. ``nexts``: the variables that have their next value so far."""

    def state(self, names: frozenset[str]) -> str | None:
        return "s, ()"

    def variable(self, name: str, place: Place) -> str:
        if name not in self.variables:
            raise OutsideSubset(f"{name}, a variable of another module,", place)
        return f"s[{self.variables.index(name)}]"

    def next_value(self, name: str, place: Place) -> str:
        return self.primed(place).variable(name, place)

    def primed(self, place: Place) -> Scope:
        return InValues(self.variables, self.nexts, "'")


class PlainProgram(Program):
    """The parts of a module's source, with formulas that are enumerated."""

    inlined: Inlined

    def enumeration(self, formula: Expression, *, in_init: bool) -> str:
        """The function ``(s, out)`` that appends (weight, label, state) to ``out``."""
        name = self.fresh("moves")
        text = self.moves(in_init=in_init).text(formula)
        return self.add(name, f"def {name}(s, out):\n{text} pass\n")

    def moves(self, *, in_init: bool, partial: bool = False) -> Moves:
        """A maker of the code of Init or of a step."""
        variables = self.module.variables
        return Moves(
            variables,
            lambda nexts: self.expressions(
                InValues(variables, nexts, " in Init") if in_init else InMove(variables, nexts)
            ),
            self.fresh,
            self.inlined,
            in_init=in_init,
            partial=partial,
            count=self.counted,
        )

    def expressions(self, scope: Scope) -> Expressions:
        code = super().expressions(scope)
        code.enabled = self.enabled
        return code

    def enabled(self, code: Expressions, action: Expression) -> str:
        """``ENABLED action``: whether its enumeration has a step."""
        key = (action, "enabled")
        formals = sorted(
            (name for name in free(action, ()) if isinstance(name, Formal)), key=code.name
        )
        names = [code.name(formal) for formal in formals]
        if (state := code.scope.state(frozenset(self.module.variables))) is None:
            raise OutsideSubset("ENABLED before all variables have values", action.place)
        if key not in self._kept:
            name = self._kept[key] = self.fresh("enabled")
            moves = self.moves(in_init=False, partial=True)
            moves.late = code.late
            text = moves.text(action)
            head = "".join(f", {name}" for name in names)
            self.add(name, f"def {name}(s, out{head}):\n{text} pass\n return bool(out)\n")
        values = "".join(f", {name}" for name in names)
        return f"{self._kept[key]}({state.removesuffix(', ()').removesuffix(', ps')}, []{values})"

    def counted(self, definition: Definition) -> str:
        """The function ``(s, ps, arguments...)`` of the ways in which a definition is true."""
        key = (definition, "ways")
        if key not in self._kept:
            name = self._kept[key] = self.fresh("ways")
            code = self.expressions(InMove(self.module.variables, {}))
            body = self.moves(in_init=False).ways(code, definition.body)
            formals = "".join(f", {self.name(formal)}" for formal in definition.formals)
            self.add(name, f"def {name}(s, ps{formals}):\n return {body}\n")
        return self._kept[key]

    def test(self, formula: Expression) -> str:
        """The function ``(s, t)`` of a formula about a step from ``s`` to ``t``."""
        nexts = {name: f"t[{place}]" for place, name in enumerate(self.module.variables)}
        code = self.expressions(InMove(self.module.variables, nexts)).expression(formula)
        name = self.fresh("test")
        return self.add(name, f"def {name}(s, t):\n return {code}\n")


class PlainPrograms(Programs):
    """The programs of one module; definitions are inlined once for all of them."""

    def __init__(self, module: Module) -> None:
        self.module, self.layout = module, Layout(module.variables, ())
        self.inlined = Inlined()
        self.later(frozenset())

    def later(self, late: frozenset[Expression]) -> None:
        before = self.current.late if hasattr(self, "current") else frozenset()
        program = PlainProgram(self.module, self.layout, before | late)
        program.inlined = self.inlined
        self.current = program
