"""Expressions of Python as those of TLA+, as far as a draft knows them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, MutableMapping
from typing import NamedTuple

from wheelproof.draft.subject import Subject, attribute_of

COMPARED = {
    ast.Eq: "=",
    ast.NotEq: "#",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "=",
    ast.IsNot: "#",
}
"""Comparisons of two values. Between values of different kinds only the first two have a value."""

COMPUTED = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "\\div",
    ast.Mod: "%",
}

TRUTH: Mapping[str, Callable[[str], str]] = {
    "truth": lambda text: text,
    "number": lambda text: f"({text} # 0)",
    "sequence": lambda text: f"({text} # << >>)",
    "pairs": lambda text: f"({text} # << >>)",
    "set": lambda text: f"({text} # {{}})",
    "text": lambda text: f'({text} # "")',
}
"""Kind -> the formula that a value of it counts as true."""


class Untranslated(Exception):
    """A piece of Python that a draft does not know: the reason."""


class Term(NamedTuple):
    """A TLA+ expression and the kind of its value, as in :class:`Shared`."""

    text: str
    kind: str


class Expressions:
    """Translates the expressions of one method."""

    def __init__(
        self,
        subject: Subject,
        arguments: Mapping[str, str],
        variables: MutableMapping[str, str],
        kinds: MutableMapping[str, str],
    ) -> None:
        """``arguments``: name -> its TLA+ expression. ``variables``: local -> its variable.

        ``kinds``: local -> the kind of its value.
        """
        self.subject, self.arguments = subject, arguments
        self.variables, self.kinds = variables, kinds
        self.numbers: set[str] = set()
        """The arguments that count as numbers."""

    def reads(self, node: ast.AST) -> set[str]:
        """The shared fields that an expression reads."""
        return {
            attribute
            for inner in ast.walk(node)
            if isinstance(inner, ast.expr)
            and (attribute := attribute_of(inner)) in self.subject.fields
        }

    def truth(self, node: ast.expr) -> str:
        """The formula that an expression counts as true. Raises Untranslated."""
        match node:
            case ast.BoolOp(op=op, values=values):
                sign = " /\\ " if isinstance(op, ast.And) else " \\/ "
                return f"({sign.join(map(self.truth, values))})"
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return f"~{self.truth(operand)}"
        text, kind = self.term(node)
        if kind not in TRUTH:
            raise Untranslated(f"whether {ast.unparse(node)} counts as true depends on its class")
        return TRUTH[kind](text)

    def term(self, node: ast.expr) -> Term:
        """The TLA+ expression of a value. Raises Untranslated."""
        match node:
            case ast.Constant(value=bool() as value):
                return Term(str(value).upper(), "truth")
            case ast.Constant(value=int() as value):
                return Term(str(value) if value >= 0 else f"({value})", "number")
            case ast.Constant(value=str() as value) if value.isprintable() and '"' not in value:
                return Term(f'"{value}"', "text")
            case ast.Constant(value=None):
                return Term("NULL", "any")
            case ast.Name(id=name):
                return self._name(name)
            case ast.Attribute():
                return self._attribute(node)
            case ast.BinOp(left=first, op=op, right=second) if type(op) in COMPUTED:
                return Term(
                    f"({self._number(first)} {COMPUTED[type(op)]} {self._number(second)})", "number"
                )
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return Term(f"(-{self._number(operand)})", "number")
            case ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
                return Term(self.truth(node), "truth")
            case ast.Compare(left=first, ops=[op], comparators=[second]):
                return Term(self._comparison(first, op, second), "truth")
            case ast.IfExp(test=test, body=body, orelse=orelse):
                then, otherwise = self.term(body), self.term(orelse)
                kind = then.kind if then.kind == otherwise.kind else "any"
                return Term(f"(IF {self.truth(test)} THEN {then.text} ELSE {otherwise.text})", kind)
            case ast.Tuple(elts=elements):
                inner = ", ".join(self.term(element).text for element in elements)
                return Term(f"<< {inner} >>", "sequence")
            case ast.Subscript(value=value, slice=index):
                return self._element(self.term(value), index)
            case ast.Call():
                return self._call(node)
        raise Untranslated(f"{ast.unparse(node)} is outside of what a draft knows")

    def _name(self, name: str) -> Term:
        if name in self.variables:
            return Term(self.variables[name], self.kinds.get(name, "any"))
        if name in self.arguments:
            return Term(self.arguments[name], "any")
        if name in self.subject.globals:
            return self.term(self.subject.globals[name])
        raise Untranslated(f"{name} is defined elsewhere")

    def _attribute(self, node: ast.Attribute) -> Term:
        attribute, subject = attribute_of(node), self.subject
        if attribute in subject.fields:
            field = subject.fields[attribute]
            return Term(field.variable, field.kind)
        if attribute in subject.constants:
            return Term(subject.constants[attribute], "any")
        if attribute in subject.values:
            return self.term(subject.values[attribute])
        raise Untranslated(f"{ast.unparse(node)} is an attribute of another object")

    def _number(self, node: ast.expr) -> str:
        text, kind = self.term(node)
        if kind not in ("number", "any"):
            raise Untranslated(f"{ast.unparse(node)} is no number")
        if isinstance(node, ast.Name) and node.id in self.arguments:
            self.numbers.add(node.id)
        return text

    def _comparison(self, value: ast.expr, op: ast.cmpop, operand: ast.expr) -> str:
        first = self.term(value)
        if isinstance(op, ast.In | ast.NotIn):
            within = self.term(operand)
            formula = {
                "set": f"{first.text} \\in {within.text}",
                "pairs": f"HasKey({within.text}, {first.text})",
                "sequence": f"Holds({within.text}, {first.text})",
            }.get(within.kind)
            if formula is None:
                raise Untranslated(f"{ast.unparse(operand)} has no known class")
            return f"({formula})" if isinstance(op, ast.In) else f"~({formula})"
        second = self.term(operand)
        if isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) or "number" in (
            first.kind,
            second.kind,
        ):
            self._number(value)
            self._number(operand)
        return f"({first.text} {COMPARED[type(op)]} {second.text})"

    def _element(self, whole: Term, index: ast.expr) -> Term:
        if isinstance(index, ast.Slice):
            raise Untranslated("a slice is outside of what a draft knows")
        at = self.term(index)
        if whole.kind == "pairs":
            return Term(f"ValueOf({whole.text}, {at.text})", "any")
        if whole.kind == "sequence":
            match index:
                case ast.Constant(value=int() as place) if place >= 0:
                    return Term(f"{whole.text}[{place + 1}]", "any")
                case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)):
                    return Term(f"{whole.text}[Len({whole.text})]", "any")
            return Term(f"{whole.text}[{at.text} + 1]", "any")
        raise Untranslated(f"an element of {whole.text}, which has no known class")

    def _call(self, node: ast.Call) -> Term:
        match node:
            case ast.Call(func=ast.Name(id="len"), args=[argument], keywords=[]):
                text, kind = self.term(argument)
                if kind not in ("set", "sequence", "pairs"):
                    raise Untranslated(f"{ast.unparse(argument)} has no known length")
                return Term(f"{'Cardinality' if kind == 'set' else 'Len'}({text})", "number")
            case ast.Call(func=ast.Name(id="bool"), args=[argument], keywords=[]):
                return Term(self.truth(argument), "truth")
            case ast.Call(func=ast.Name(id="list" | "tuple"), args=[argument], keywords=[]):
                text, kind = self.term(argument)
                if kind == "pairs":
                    return Term(f"KeysOf({text})", "sequence")
                if kind == "sequence":
                    return Term(text, kind)
            case ast.Call(func=ast.Name(id="min" | "max" as name), args=[first, second]):
                small, large = self._number(first), self._number(second)
                sign = "<" if name == "min" else ">"
                return Term(f"(IF {small} {sign} {large} THEN {small} ELSE {large})", "number")
            case ast.Call(func=ast.Attribute(value=value, attr="get"), args=[key, *rest]):
                text, kind = self.term(value)
                if kind == "pairs" and len(rest) < 2 and not node.keywords:
                    at = self.term(key).text
                    default = self.term(rest[0]).text if rest else "NULL"
                    return Term(
                        f"(IF HasKey({text}, {at}) THEN ValueOf({text}, {at}) ELSE {default})",
                        "any",
                    )
            case ast.Call(func=ast.Attribute(value=value, attr="copy"), args=[]):
                return self.term(value)
        raise Untranslated(f"{ast.unparse(node)} calls what a draft does not look into")
