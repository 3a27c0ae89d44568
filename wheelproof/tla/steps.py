"""Python code for steps and for Init: nested conditions and loops that end in a next state."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from wheelproof.tla.expressions import Expressions
from wheelproof.tla.layout import Layout
from wheelproof.tla.syntax import (
    Builtin,
    Call,
    Definition,
    Expression,
    Let,
    Level,
    OutsideSubset,
    Parameter,
    Place,
    Variable,
    conjuncts,
)

NextValues = Mapping[str, str]
"""Variable -> the code of its next value."""

_LOCAL = re.compile(r"\b([sp])\d+\b")


class Steps:
    """The code of one action, or of Init."""

    def __init__(
        self,
        layout: Layout,
        expressions: Callable[[NextValues], Expressions],
        fresh: Callable[[str], str],
    ) -> None:
        self.layout, self.expressions, self.fresh = layout, expressions, fresh
        self.lines: list[str] = []
        self.lets: dict[Definition, str] = {}
        self.in_init, self.label, self.place = False, "", Place("", 0)
        # the code of the values that the step has chosen, here
        self.chosen: list[str] = []

    def step(self, body: Expression, label: str) -> str:
        """The body of a step's function, without the test of the label, which the caller makes."""
        self.label, self.place = label, body.place
        _, *rest = conjuncts(body)
        self.emit(rest, {}, "  ")
        text = "\n".join(self.lines)
        letters = set(_LOCAL.findall(text))
        head = [
            f"  {', '.join(f'{letter}{place}' for place in range(len(names)))}, = {values}"
            for letter, names, values in (
                ("s", self.layout.shared, "s"),
                ("p", self.layout.process, "p"),
            )
            if letter in letters
        ]
        return "\n".join([*head, text, ""])

    def initial(self, body: Expression) -> str:
        """The body of Init's function."""
        self.in_init, self.place = True, body.place
        self.emit([body], {}, "  ")
        return "\n".join([*self.lines, ""])

    # -- conjuncts, one by one

    def emit(self, todo: list[Expression], nexts: NextValues, pad: str) -> None:
        """The code of conjuncts. ``nexts``: the variables that have their next value."""
        if not todo:
            return self.leaf(nexts, pad)
        node, rest = todo[0], todo[1:]
        match node:
            case Builtin("$ConjList" | "\\land", arguments):
                return self.emit([*arguments, *rest], nexts, pad)
            case Builtin("$DisjList" | "\\lor", arguments) if self.branches(node):
                for number, argument in enumerate(arguments, 1):
                    self.chosen.append(str(number))
                    self.emit([argument, *rest], nexts, pad)
                    self.chosen.pop()
                return None
            case Builtin("$IfThenElse", (test, then, otherwise)) if self.branches(node):
                self.line(pad, f"if {self.code(nexts).expression(test)}:")
                self.emit([then, *rest], nexts, pad + " ")
                self.line(pad, "else:")
                return self.emit([otherwise, *rest], nexts, pad + " ")
            case Builtin("$BoundedExists") if self.branches(node):
                return self.exists(node, rest, nexts, pad)
            case Builtin("UNCHANGED", (operand,)) if not self.in_init:
                same = {
                    name: self.old(name)
                    for name in self.unchanged_variables(operand)
                    if name not in nexts
                }
                return self.emit(rest, {**nexts, **same}, pad)
            case Let() if self.branches(node):
                return self.let(node, rest, nexts, pad)
            case Call(definition) if self.branches(node) and not definition.standard:
                return self.inline(node, rest, nexts, pad)
            case Builtin("=" | "\\in", (left_side, right)):
                variable = self.target(left_side)
                if variable is not None and variable not in nexts:
                    return self.assign(node, variable, right, rest, nexts, pad)
        self.line(pad, f"if {self.code(nexts).expression(node)}:")
        return self.emit(rest, nexts, pad + " ")

    def leaf(self, nexts: NextValues, pad: str) -> None:
        """A whole next state."""
        names = (*self.layout.shared, *self.layout.process)
        missing = [name for name in names if name not in nexts]
        if missing:
            raise OutsideSubset(
                f"a {'state' if self.in_init else 'step'} that gives {', '.join(missing)} no value",
                self.place,
            )
        shared_text, process = (
            "(" + "".join(f"{nexts[name]}, " for name in group) + ")"
            for group in (self.layout.shared, self.layout.process)
        )
        if self.in_init:
            return self.line(pad, f"out.append(({shared_text}, {process}))")
        if all(nexts[name] == self.old(name) for name in self.layout.shared):
            shared_text = "s"
        after = f"(*ps[:i], {process}, *ps[i + 1:])"
        label = repr(self.label)
        if self.chosen:
            label = f"chosen({label}, ({', '.join(self.chosen)},))"
        return self.line(pad, f"out.append((i, {label}, ({shared_text}, {after})))")

    def exists(self, node: Builtin, rest: list[Expression], nexts: NextValues, pad: str) -> None:
        code, before = self.code(nexts), len(self.chosen)
        for bound in node.bounds:
            if bound.domain is None:
                raise OutsideSubset("\\E without a set", node.place)
            names = [code.name(formal) for formal in bound.formals]
            over = f"ordered({code.expression(bound.domain)})"
            if bound.pattern:
                whole = self.fresh("t")
                self.line(pad, f"for {whole} in {over}:")
                pad += " "
                self.chosen.append(whole)
                parts = ", ".join(f"{whole}[{place}]" for place in range(1, len(names) + 1))
                self.line(pad, f"{', '.join(names)}, = {parts},")
            else:
                for name in names:
                    self.line(pad, f"for {name} in {over}:")
                    pad += " "
                    self.chosen.append(name)
        self.emit([*node.arguments, *rest], nexts, pad)
        del self.chosen[before:]

    def let(self, node: Let, rest: list[Expression], nexts: NextValues, pad: str) -> None:
        for definition in node.definitions:
            name = self.lets[definition] = self.fresh("d")
            self.line(pad, f"{name} = {self.code(nexts).lambda_of(definition)}")
        self.emit([node.body, *rest], nexts, pad)

    def inline(self, node: Call, rest: list[Expression], nexts: NextValues, pad: str) -> None:
        """A definition that is a part of a step: its parameters become local names."""
        definition, code = node.definition, self.code(nexts)
        if definition.recursive:
            raise OutsideSubset(f"{definition.name}, a recursive part of a step,", node.place)
        for formal, value in zip(definition.formals, node.arguments, strict=True):
            if not (isinstance(value, Parameter) and value.formal is formal):
                self.line(pad, f"{code.name(formal)} = {code.expression(value)}")
        self.emit([definition.body, *rest], nexts, pad)

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
            if variable in self.layout.process and not self.in_init:
                raise OutsideSubset(f"{variable}' \\in a set, for a thread's variable,", node.place)
            self.line(pad, f"for {name} in ordered({code.expression(value)}):")
            self.chosen.append(name)
            self.emit(rest, {**nexts, variable: name}, pad + " ")
            self.chosen.pop()
            return None
        if self.in_init or variable in self.layout.shared:
            text = code.expression(value)
        else:
            text = self.own_next(code, variable, value)
        if text != self.old(variable):
            self.line(pad, f"{name} = {text}")
            text = name
        return self.emit(rest, {**nexts, variable: text}, pad)

    def own_next(self, code: Expressions, variable: str, value: Expression) -> str:
        """A thread's own next value: of ``[v EXCEPT ![self] = e]`` that is e."""
        match value:
            case Variable():
                return self.old(variable)
            case Builtin("$Except", (_, Builtin("$Pair", (_, inside)))):
                return code.with_at(self.old(variable), inside)
        raise OutsideSubset(f"a next value of all threads' {variable}", value.place)

    # -- parts of these

    def line(self, pad: str, text: str) -> None:
        self.lines.append(pad + text)

    def code(self, nexts: NextValues) -> Expressions:
        expressions = self.expressions(nexts)
        for definition, name in self.lets.items():
            expressions.bind(definition, name)
        return expressions

    def branches(self, node: Expression) -> bool:
        """Whether a formula gives next values, so that it is taken apart."""
        return self.in_init or node.level == Level.ACTION

    def old(self, name: str) -> str:
        if self.in_init:
            return ""
        if name in self.layout.process:
            return f"p{self.layout.process.index(name)}"
        return f"s{self.layout.shared.index(name)}"

    def target(self, left_side: Expression) -> str | None:
        """The variable that an equation gives its next value, or its first one in Init."""
        match left_side:
            case Variable(name) if self.in_init:
                return name
            case Builtin("'", (Variable(name),)) if not self.in_init:
                return name
        return None

    def unchanged_variables(self, node: Expression) -> list[str]:
        match node:
            case Variable(name):
                return [name]
            case Builtin("$Tuple", arguments):
                return [
                    name for argument in arguments for name in self.unchanged_variables(argument)
                ]
            case Call(definition) if not definition.standard and not definition.formals:
                return self.unchanged_variables(definition.body)
        raise OutsideSubset("UNCHANGED of a formula", node.place)
