"""Python code for the operators of TLA+'s standard modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wheelproof.tla.syntax import (
    Call,
    Definition,
    Level,
    Number,
    OutsideSubset,
    Parameter,
    Place,
)

if TYPE_CHECKING:
    from wheelproof.tla.expressions import Expressions

_INFIX = {
    "+": "+",
    "-": "-",
    "*": "*",
    "<": "<",
    ">": ">",
    "\\leq": "<=",
    "\\geq": ">=",
}

_CALLS = {
    "-.": "(-{0})",
    "..": "frozenset(range({0}, {1} + 1))",
    "Len": "len(items({0}))",
    "Cardinality": "len({0})",
    "Head": "{0}[1]",
    "Tail": "tail({0})",
    "\\o": "joined({0}, {1})",
    "Append": "sequence((*items({0}), {1}))",
    "SubSeq": "part({0}, {1}, {2})",
    "SelectSeq": "sequence(tuple([_x for _x in items({0}) if {1}(_x)]))",
    ":>": "function((({0}, {1}),))",
    "@@": "over({0}, {1})",
    "IsFiniteSet": "({0} is not None)",
    "^": "power({0}, {1})",
    "PrintT": "(({0},) and True)",
    "Print": "({0}, {1})[1]",
    "Assert": "asserted({0}, {1})",
    "ToString": "text({0})",
    "TLCEval": "{0}",
    "Permutations": "permutations({0})",
    "SortSeq": "arranged({0}, {1})",
}
"""Operator -> code; the numbers are its arguments."""


def standard(code: Expressions, node: Call) -> str:
    """The code of a standard operator's application; OutsideSubset where it is not known."""
    arguments = [code.expression(argument) for argument in node.arguments]
    if node.name in _INFIX:
        return f"({arguments[0]} {_INFIX[node.name]} {arguments[1]})"
    if node.name in ("\\div", "%"):
        python = "//" if node.name == "\\div" else "%"
        match node.arguments[1]:
            case Number(value) if value > 0:
                return f"({arguments[0]} {python} {arguments[1]})"
        return f"({arguments[0]} {python} divisor({arguments[1]}))"
    if node.name in _CALLS:
        return _CALLS[node.name].format(*arguments)
    raise OutsideSubset(f"{node.name} of module {node.definition.place.module}", node.place)


def standard_operator(code: Expressions, definition: Definition, place: Place) -> str:
    """A standard operator that is an argument, as a function."""
    arguments = tuple(Parameter(formal, place, Level.CONSTANT) for formal in definition.formals)
    names = ", ".join(map(code.name, definition.formals))
    return f"(lambda {names}: {standard(code, Call(definition, arguments, place, Level.CONSTANT))})"
