"""Python code that enumerates initial states and successors, as often as TLC enumerates them.

TLC takes a formula apart: a disjunction and ``\\E`` are one way for each member, be they about
the next state or not. A part that gives no variable a value is a test, with the number of ways
in which TLC finds it true. The product of these numbers is the state's weight.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from wheelproof.tla import sets
from wheelproof.tla.expressions import Expressions
from wheelproof.tla.levels import Levels
from wheelproof.tla.plain.forms import Forms
from wheelproof.tla.substitution import Substitution
from wheelproof.tla.syntax import (
    Builtin,
    Call,
    Definition,
    Expression,
    Formal,
    Let,
    Level,
    Operator,
    OutsideSubset,
    Parameter,
    Place,
    Text,
    Variable,
)

NextValues = Mapping[str, str]
"""Variable -> the code of its next value."""

_LOOPS = 15
"""The loops that one function may nest; Python allows 20."""


class Inlined:
    """The bodies of definitions for their calls, each made once.

    A parameter stands for its argument where that is a name, an operator or a formula of steps.
    So it does for a formula that TLC takes apart. Otherwise it becomes a parameter of its own.
    Its value is computed where it is needed.
    """

    def __init__(self) -> None:
        self._bodies: dict[Call, tuple[Expression, tuple[tuple[Formal, Expression], ...]]] = {}
        self.uncounted: set[Place] = set()
        """Results of functions that are tests: TLC takes the function's body apart."""
        self._levels = Levels()
        self.forms = Forms(self, in_init=False)

    def body(self, call: Call) -> tuple[Expression, tuple[tuple[Formal, Expression], ...]]:
        """The body for a call, with the pairs of parameters and arguments that are left."""
        if call not in self._bodies:
            definition, formals, rest = call.definition, dict[Formal, Expression](), []
            for formal, argument in zip(definition.formals, call.arguments, strict=True):
                if (
                    isinstance(argument, Builtin | Call | Let)
                    and argument.level < Level.ACTION
                    and not self.forms.branches(argument)
                ):
                    fresh = Formal(formal.name)
                    rest.append((fresh, argument))
                    argument = Parameter(fresh, argument.place, argument.level)
                formals[formal] = argument
            body = definition.body
            if formals:
                body = Substitution({}, {}, self._levels, formals).expression(body)
            self._bodies[call] = body, tuple(rest)
        return self._bodies[call]


class Moves:
    """The code of one formula: Init, or a step."""

    def __init__(
        self,
        variables: tuple[str, ...],
        expressions: Callable[[NextValues], Expressions],
        fresh: Callable[[str], str],
        inlining: Inlined,
        *,
        in_init: bool,
        partial: bool = False,
        count: Callable[[Definition], str],
    ) -> None:
        self.variables, self.expressions, self.fresh = variables, expressions, fresh
        self.inlined, self.in_init, self.partial, self.counted = inlining, in_init, partial, count
        self.forms = Forms(inlining, in_init)
        self.lines: list[str] = []
        self.lets: dict[Definition, str] = {}
        self.late: frozenset[Formal] = frozenset()
        self.open: set[int] = set()
        self.weights: list[str] = []
        self.label = "('Init', ())" if in_init else "('Next', ())"
        self.loops = 0

    def text(self, body: Expression) -> str:
        """The body of a function that appends (weight, label, state) to ``out``."""
        self.emit([body], {}, " ", spine=True)
        return "\n".join([*self.lines, ""])

    # -- conjuncts, one by one

    def emit(
        self, todo: list[Expression], nexts: NextValues, pad: str, spine: bool = False
    ) -> None:
        """The code of conjuncts. ``spine``: no conjunct was before, so that calls name the step."""
        if not todo:
            return self.leaf(nexts, pad)
        if self.loops > _LOOPS:
            return self.function(todo, nexts, pad)
        node, rest = todo[0], todo[1:]
        if len(nexts) == len(self.variables):
            # TLC takes nothing apart once every variable has its value.
            self.line(pad, f"if {self.code(nexts).expression(node)}:")
            return self.emit(rest, nexts, pad + " ")
        if not self.forms.gives(node) - nexts.keys():
            return self.test(node, rest, nexts, pad)
        match node:
            case Builtin("$ConjList" | "\\land", arguments):
                return self.emit([*arguments, *rest], nexts, pad)
            case Builtin("$DisjList" | "\\lor", arguments):
                for argument in arguments:
                    self.emit([argument, *rest], nexts, pad, spine)
                return None
            case Builtin("$IfThenElse", (test, then, otherwise)):
                self.line(pad, f"if {self.code(nexts).expression(test)}:")
                self.emit([then, *rest], nexts, pad + " ", spine)
                self.line(pad, "else:")
                return self.emit([otherwise, *rest], nexts, pad + " ", spine)
            case Builtin("=>", (test, then)):
                self.line(pad, f"if {self.code(nexts).expression(test)}:")
                self.emit([then, *rest], nexts, pad + " ")
                self.line(pad, "else:")
                return self.emit(rest, nexts, pad + " ")
            case Builtin("$Case"):
                return self.case(node, rest, nexts, pad, spine)
            case Builtin("$BoundedExists"):
                return self.exists(node, rest, nexts, pad, spine)
            case Builtin("$SquareAct", (step, same)):
                self.emit([step, *rest], nexts, pad, spine)
                return self.emit([_sameness(same), *rest], nexts, pad)
            case Builtin("$AngleAct", (step, same)):
                return self.emit([step, _difference(same), *rest], nexts, pad, spine)
            case Builtin("UNCHANGED", (operand,)) if not self.in_init:
                return self.unchanged(operand, rest, nexts, pad)
            case Let():
                for definition in node.definitions:
                    self.local(definition, nexts, pad)
                return self.emit([node.body, *rest], nexts, pad, spine)
            case Call():
                return self.call(node, rest, nexts, pad, spine)
            case Builtin("=" | "\\in", (left_side, right)):
                if (variable := self.target(left_side)) is not None and variable not in nexts:
                    return self.assign(node, variable, right, rest, nexts, pad)
        return self.test(node, rest, nexts, pad)

    def leaf(self, nexts: NextValues, pad: str) -> None:
        """A whole state."""
        if self.partial:
            return self.line(pad, "out.append(True)")
        missing = [name for name in self.variables if name not in nexts]
        if missing:
            subject = "Init" if self.in_init else "a step"
            return self.line(pad, f"lacking({subject!r}, {self.label}, {', '.join(missing)!r})")
        state = "".join(f"{nexts[name]}, " for name in self.variables)
        weight = " * ".join(self.weights) or "1"
        return self.line(pad, f"out.append(({weight}, {self.label}, ({state})))")

    def test(self, node: Expression, rest: list[Expression], nexts: NextValues, pad: str) -> None:
        """A formula that gives no variable a value."""
        if not self.forms.branches(node):
            self.line(pad, f"if {self.code(nexts).expression(node)}:")
            return self.emit(rest, nexts, pad + " ")
        name = self.fresh("w")
        self.line(pad, f"{name} = {self.ways(self.code(nexts), node)}")
        self.line(pad, f"if {name}:")
        self.weights.append(name)
        self.emit(rest, nexts, pad + " ")
        self.weights.pop()
        return None

    def ways(self, code: Expressions, node: Expression) -> str:
        """The code of the number of ways in which TLC finds a formula true."""
        if not self.forms.branches(node):
            return code.expression(node)

        def below(part: Expression) -> str:
            return self.ways(code, part)

        match node:
            case Builtin("$ConjList" | "\\land", arguments):
                return f"product_of({', '.join(f'lambda: {below(part)}' for part in arguments)})"
            case Builtin("$DisjList" | "\\lor", arguments):
                return f"({' + '.join(map(below, arguments))})"
            case Builtin("$BoundedExists", (body,), bounds):
                return f"sum([{below(body)} {sets.loops(code, bounds)}])"
            case Builtin("$BoundedForall", (body,), bounds):
                return f"product({below(body)} {sets.loops(code, bounds)})"
            case Builtin("$IfThenElse", (test, then, otherwise)):
                return f"({below(then)} if {code.expression(test)} else {below(otherwise)})"
            case Builtin("=>", (test, then)):
                return f"({below(then)} if {code.expression(test)} else 1)"
            case Builtin("$Case"):
                return self.ways_of_case(code, node)
            case Let():
                return code.let(node, below)
            case Call(Definition(recursive=True) as definition):
                state = code.state_of(definition)
                if state is None:
                    return code.expression(node)
                rest = "".join(f", {code.expression(value)}" for value in node.arguments)
                return f"{self.counted(definition)}({state}{rest})"
            case Call():
                body, pairs = self.inlined.body(node)
                values = [f"Once(lambda: {code.expression(value)})" for _, value in pairs]
                code.late |= {formal for formal, _ in pairs}
                names = ", ".join(code.name(formal) for formal, _ in pairs)
                return f"(lambda {names}: {below(body)})({', '.join(values)})"
        return code.expression(node)

    def ways_of_case(self, code: Expressions, node: Builtin) -> str:
        text = "no_case()"
        for pair in reversed(node.arguments):
            assert isinstance(pair, Builtin)
            test, then = pair.arguments
            if isinstance(test, Text) and test.value == "$Other":
                text = self.ways(code, then)
            else:
                text = f"({self.ways(code, then)} if {code.expression(test)} else {text})"
        return text

    def function(self, todo: list[Expression], nexts: NextValues, pad: str) -> None:
        """The rest in a function of its own, since loops are nested too deep."""
        name, before = self.fresh("f"), self.loops
        self.line(pad, f"def {name}():")
        self.loops = 0
        self.emit(todo, nexts, pad + " ")
        self.loops = before
        self.line(pad, f"{name}()")

    def case(
        self, node: Builtin, rest: list[Expression], nexts: NextValues, pad: str, spine: bool
    ) -> None:
        word = "if"
        for pair in node.arguments:
            assert isinstance(pair, Builtin)
            test, then = pair.arguments
            if isinstance(test, Text) and test.value == "$Other":
                self.line(pad, "else:" if word == "elif" else "if True:")
            else:
                self.line(pad, f"{word} {self.code(nexts).expression(test)}:")
            self.emit([then, *rest], nexts, pad + " ", spine)
            word = "elif"
        last = node.arguments[-1]
        assert isinstance(last, Builtin)
        if not (isinstance(last.arguments[0], Text) and last.arguments[0].value == "$Other"):
            self.line(pad, "else: no_case()")

    def exists(
        self, node: Builtin, rest: list[Expression], nexts: NextValues, pad: str, spine: bool
    ) -> None:
        code, before = self.code(nexts), self.loops
        for bound in node.bounds:
            if bound.domain is None:
                raise OutsideSubset("\\E without a set", node.place)
            names = [code.name(formal) for formal in bound.formals]
            over = _elements(code, bound.domain)
            for name in [self.fresh("t")] if bound.pattern else names:
                self.line(pad, f"for {name} in {over}:")
                pad += " "
                self.loops += 1
                if bound.pattern:
                    self.line(pad, f"{', '.join(names)}, = items({name})")
        self.emit([*node.arguments, *rest], nexts, pad, spine)
        self.loops = before

    def unchanged(
        self, node: Expression, rest: list[Expression], nexts: NextValues, pad: str
    ) -> None:
        match node:
            case Variable(name) if name not in nexts:
                old = self.code(nexts).expression(node)
                return self.emit(rest, {**nexts, name: old}, pad)
            case Builtin("$Tuple", arguments):
                return self.emit([*map(_sameness, arguments), *rest], nexts, pad)
            case Call() if not node.definition.standard:
                body, _ = self.inlined.body(node)
                return self.unchanged(body, rest, nexts, pad)
        code = self.code(nexts)
        self.line(pad, f"if {code.expression(_prime(node))} == {code.expression(node)}:")
        return self.emit(rest, nexts, pad + " ")

    def local(self, definition: Definition, nexts: NextValues, pad: str) -> None:
        """A definition of a LET that is no part of the step itself."""
        code = self.code(nexts)
        if code.is_inlined(definition) or self.forms.gives(definition.body) - nexts.keys():
            self.open.add(id(definition))
            return
        name = self.lets.setdefault(definition, self.fresh("d"))
        code.bind(definition, name)
        self.line(pad, f"{name} = {code.lambda_of(definition)}")

    def call(
        self, node: Call, rest: list[Expression], nexts: NextValues, pad: str, spine: bool
    ) -> None:
        """A definition that is a part of the step."""
        if node.definition.recursive:
            raise OutsideSubset(f"{node.name}, a recursive part of a step,", node.place)
        body, pairs = self.inlined.body(node)
        code = self.code(nexts)
        if spine:
            before, self.label = self.label, self.named(node, code)
        for formal, value in pairs:
            self.line(pad, f"{code.name(formal)} = Once(lambda: {code.expression(value)})")
        self.late |= {formal for formal, _ in pairs}
        self.emit([body, *rest], nexts, pad, spine)
        if spine:
            self.label = before

    def named(self, node: Call, code: Expressions) -> str:
        """The code of a step's label: the definition, and its arguments; "?" for an operator."""
        arguments = [
            "'?'" if value.level > Level.STATE or _is_operator(value) else code.expression(value)
            for value in node.arguments
        ]
        return f"({node.name!r}, ({''.join(f'{argument}, ' for argument in arguments)}))"

    def assign(
        self,
        node: Builtin,
        variable: str,
        value: Expression,
        rest: list[Expression],
        nexts: NextValues,
        pad: str,
    ) -> None:
        code, name = self.code(nexts), self.fresh("n")
        if node.name == "\\in":
            self.line(pad, f"for {name} in {_elements(code, value)}:")
            self.loops += 1
            self.emit(rest, {**nexts, variable: name}, pad + " ")
            self.loops -= 1
            return
        self.line(pad, f"{name} = {code.expression(value)}")
        self.emit(rest, {**nexts, variable: name}, pad)

    # -- parts of these

    def line(self, pad: str, text: str) -> None:
        self.lines.append(pad + text)

    def code(self, nexts: NextValues) -> Expressions:
        expressions = self.expressions(nexts)
        expressions.late |= self.late
        expressions.open |= self.open
        for definition, name in self.lets.items():
            expressions.bind(definition, name)
        return expressions

    def target(self, left_side: Expression) -> str | None:
        """The variable that an equation gives its next value, or its first one in Init."""
        match left_side:
            case Variable(name) if self.in_init:
                return name
            case Builtin("'", (Variable(name),)) if not self.in_init:
                return name
        return None


def _elements(code: Expressions, domain: Expression) -> str:
    """The elements of a set, in the same order in each run."""
    elements = sets.elements(code, domain)
    if elements.startswith(("range(", "subsets(", "functions(", "records(")):
        return elements
    if code.is_constant(domain):
        return code.keep(f"tuple(ordered({elements}))")
    return f"ordered({elements})"


def _is_operator(value: Expression) -> bool:
    return isinstance(value, Operator) or (
        isinstance(value, Parameter) and value.formal.arity > 0 and not value.arguments
    )


def _prime(node: Expression) -> Builtin:
    return Builtin("'", (node,), (), node.place, Level.ACTION)


def _sameness(node: Expression) -> Builtin:
    return Builtin("UNCHANGED", (node,), (), node.place, Level.ACTION)


def _difference(node: Expression) -> Builtin:
    return Builtin("/=", (_prime(node), node), (), node.place, Level.ACTION)
