"""Changes of expressions in a Python file.

They concern constants, comparisons, operators, conditions, arguments, names, and elements of
tables.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from wheelproof.mutate.change import Edit
from wheelproof.mutate.python_source import Source

COMPARISONS = {
    ast.Lt: ("<=", ">="),
    ast.LtE: ("<", ">"),
    ast.Gt: (">=", "<="),
    ast.GtE: (">", "<"),
    ast.Eq: ("!=",),
    ast.NotEq: ("==",),
    ast.Is: ("is not",),
    ast.IsNot: ("is",),
    ast.In: ("not in",),
    ast.NotIn: ("in",),
}
"""A comparison -> its boundary moved (where it has one), and its opposite."""

OPERATORS = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "//",
    ast.FloorDiv: "*",
    ast.Div: "*",
    ast.Mod: "//",
    ast.BitOr: "&",
    ast.BitAnd: "|",
    ast.LShift: ">>",
    ast.RShift: "<<",
}

NEIGHBOURS = {
    "notify_all": "notify",
    "notify": "notify_all",
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "add": "discard",
    "append": "insert",
    "acquire": "release",
    "release": "acquire",
    "And": "Or",
    "Or": "And",
    "ForAll": "Exists",
    "Exists": "ForAll",
}
"""Names of libraries -> the name that is easily taken for it."""

SYMMETRIC = frozenset({"And", "Or", "Distinct", "min", "max"})
"""Functions whose arguments have no order."""

UNTOUCHED = ("__slots__", "__all__")


class Expressions:
    """The changes of the expressions of one file.

    Annotations, docstrings, messages of exceptions and imports are left alone.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.slots, self.methods = _members(source.tree)

    def changes(self) -> Iterator[tuple[str, int, list[Edit]]]:
        yield from self.within(self.source.tree, ())

    def within(
        self, node: ast.AST, locals_: tuple[str, ...]
    ) -> Iterator[tuple[str, int, list[Edit]]]:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            locals_ = _locals(node)
        for operator, edits in self.expression(node, locals_):
            yield operator, self.source.line_of(min(edit.start for edit in edits)), edits
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "decorator_list", "bases", "type_params"):
                continue
            if isinstance(node, ast.Raise) and field == "exc":
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not _left_alone(child):
                    yield from self.within(child, locals_)

    def expression(
        self, node: ast.AST, locals_: tuple[str, ...]
    ) -> Iterator[tuple[str, list[Edit]]]:
        match node:
            case ast.Constant():
                yield from self.constant(node)
            case ast.Compare():
                yield from self.comparison(node)
            case ast.BinOp() if type(node.op) in OPERATORS:
                yield "operator", [self.between(node.left, node.right, OPERATORS[type(node.op)])]
            case ast.AugAssign() if type(node.op) in OPERATORS:
                yield (
                    "operator",
                    [self.between(node.target, node.value, OPERATORS[type(node.op)] + "=")],
                )
            case ast.BoolOp():
                yield from self.connective(node)
            case ast.UnaryOp():
                yield "operator", [Edit(*self.source.span(node), self.source.text_of(node.operand))]
            case ast.Call():
                yield from self.call(node)
            case ast.Name() if isinstance(node.ctx, ast.Load):
                yield from self.name(node, locals_)
            case ast.Attribute():
                yield from self.attribute(node)
            case ast.Tuple() | ast.List() | ast.Set() if isinstance(
                getattr(node, "ctx", ast.Load()), ast.Load
            ):
                yield from self.elements(node, node.elts)
            case ast.Dict():
                yield from self.entries(node)
        if isinstance(node, (ast.If, ast.While, ast.IfExp)):
            yield from self.condition(node)
        if isinstance(node, ast.comprehension):
            for test in node.ifs:
                yield "condition.constant", [Edit(*self.source.span(test), "True")]

    def between(self, first: ast.expr, second: ast.expr, new: str) -> Edit:
        """Another operator between two operands; brackets around them stay."""
        start, end = self.source.span(first)[1], self.source.span(second)[0]
        text = self.source.text[start:end]
        closing = len(text) - len(text.lstrip(") "))
        opening = len(text) - len(text.rstrip("( "))
        return Edit(
            start + len(text[:closing].rstrip()),
            end - len(text[len(text) - opening :].lstrip()),
            f" {new} ",
        )

    def constant(self, node: ast.Constant) -> Iterator[tuple[str, list[Edit]]]:
        value = node.value
        if isinstance(value, bool):
            yield "constant", [Edit(*self.source.span(node), str(not value))]
        elif isinstance(value, int):
            for number in (value + 1, value - 1):
                yield (
                    "constant",
                    [Edit(*self.source.span(node), f"({number})" if number < 0 else str(number))],
                )

    def comparison(self, node: ast.Compare) -> Iterator[tuple[str, list[Edit]]]:
        for first, op, second in zip([node.left, *node.comparators], node.ops, node.comparators):
            for operator in COMPARISONS[type(op)]:
                yield "comparison", [self.between(first, second, operator)]

    def connective(self, node: ast.BoolOp) -> Iterator[tuple[str, list[Edit]]]:
        word = "or" if isinstance(node.op, ast.And) else "and"
        for first, second in zip(node.values, node.values[1:]):
            yield "operator", [self.between(first, second, word)]
        for place in range(len(node.values)):
            rest = [
                f"({self.source.text_of(value)})"
                for number, value in enumerate(node.values)
                if number != place
            ]
            text = f" {'and' if word == 'or' else 'or'} ".join(rest)
            yield "condition.part", [Edit(*self.source.span(node), f"({text})")]

    def condition(self, node: ast.If | ast.While | ast.IfExp) -> Iterator[tuple[str, list[Edit]]]:
        span = self.source.span(node.test)
        if not isinstance(node.test, ast.Constant):
            yield "condition.constant", [Edit(*span, "False")]
            if not isinstance(node, ast.While):
                yield "condition.constant", [Edit(*span, "True")]
            if not isinstance(node.test, ast.Compare):
                yield "condition.negate", [Edit(*span, f"not ({self.source.text_of(node.test)})")]

    def call(self, node: ast.Call) -> Iterator[tuple[str, list[Edit]]]:
        if getattr(node.func, "id", getattr(node.func, "attr", "")) in SYMMETRIC:
            return
        arguments = [argument for argument in node.args if not isinstance(argument, ast.Starred)]
        for first, two in itertools.pairwise(arguments):
            if self.source.text_of(first) != self.source.text_of(two):
                yield (
                    "argument.swap",
                    [
                        Edit(*self.source.span(first), self.source.text_of(two)),
                        Edit(*self.source.span(two), self.source.text_of(first)),
                    ],
                )

    def name(self, node: ast.Name, locals_: tuple[str, ...]) -> Iterator[tuple[str, list[Edit]]]:
        if node.id in locals_ and len(locals_) > 1 and node.id != "self":
            replacement = _next(node.id, [name for name in locals_ if name != "self"])
            if replacement:
                yield "name", [Edit(*self.source.span(node), replacement)]
        elif node.id in NEIGHBOURS:
            yield "name", [Edit(*self.source.span(node), NEIGHBOURS[node.id])]

    def attribute(self, node: ast.Attribute) -> Iterator[tuple[str, list[Edit]]]:
        end = self.source.span(node)[1]
        for group in (*self.slots, *self.methods):
            if node.attr in group and (replacement := _next(node.attr, group)):
                yield "name", [Edit(end - len(node.attr), end, replacement)]
                return
        if node.attr in NEIGHBOURS:
            yield "name", [Edit(end - len(node.attr), end, NEIGHBOURS[node.attr])]

    def elements(self, node: ast.AST, elements: list[ast.expr]) -> Iterator[tuple[str, list[Edit]]]:
        if len(elements) < 2:
            return
        for number, element in enumerate(elements):
            start, end = self.source.span(element)
            if number + 1 < len(elements):
                end = self.source.span(elements[number + 1])[0]
            else:
                start = self.source.span(elements[number - 1])[1]
            yield (
                "table.drop",
                [
                    Edit(
                        start,
                        end,
                        ","
                        if number + 1 == len(elements)
                        and len(elements) == 2
                        and isinstance(node, ast.Tuple)
                        else "",
                    )
                ],
            )

    def entries(self, node: ast.Dict) -> Iterator[tuple[str, list[Edit]]]:
        for number, (key, value) in enumerate(zip(node.keys, node.values)):
            if key is None:
                continue
            start, end = self.source.span(key)[0], self.source.span(value)[1]
            following = next(
                (following_key for following_key in node.keys[number + 1 : number + 2]), None
            )
            if following is not None:
                end = self.source.span(following)[0]
            elif number and number + 1 == len(node.keys):
                start = self.source.span(node.values[number - 1])[1]
            yield "table.drop", [Edit(start, end, "")]


def _left_alone(node: ast.AST) -> bool:
    """Docstrings, texts with values in them, tables that only name fields, aliases of types."""
    if isinstance(node, ast.JoinedStr):
        return True
    if isinstance(node, ast.Assign):
        return any(
            isinstance(target, ast.Name) and (target.id in UNTOUCHED or _is_alias(target.id, node))
            for target in node.targets
        )
    return isinstance(node, (ast.Import, ast.ImportFrom))


def _is_alias(name: str, node: ast.Assign) -> bool:
    """Whether a type with parameters gets a name, as in ``Pairs = dict[int, str]``."""
    word = name.lstrip("_")
    return word[:1].isupper() and not word.isupper() and isinstance(node.value, ast.Subscript)


def _locals(function: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...]:
    """The parameters and local names of a function, in the order in which they come."""
    arguments = function.args
    names = [
        argument.arg
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    ]
    names += [
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    return tuple(dict.fromkeys(names))


def _members(tree: ast.AST) -> tuple[list[list[str]], list[list[str]]]:
    """Per class its slots, and its methods by their number of parameters: names to exchange."""
    slots: list[list[str]] = []
    methods: list[list[str]] = []
    for cls in ast.walk(tree):
        if not isinstance(cls, ast.ClassDef):
            continue
        fields: list[str] = []
        by_arity: dict[int, list[str]] = {}
        for item in cls.body:
            if isinstance(item, ast.Assign) and any(
                getattr(target, "id", "") == "__slots__" for target in item.targets
            ):
                value = (
                    ast.literal_eval(item.value) if not isinstance(item.value, ast.BinOp) else ()
                )
                fields += [value] if isinstance(value, str) else list(value)
            if isinstance(item, ast.FunctionDef) and not item.name.startswith("__"):
                by_arity.setdefault(len(item.args.args), []).append(item.name)
        if not fields:
            targets = [
                node.attr
                for node in ast.walk(cls)
                if isinstance(node, ast.Attribute)
                and isinstance(node.ctx, ast.Store)
                and isinstance(node.value, ast.Name)
                and node.value.id == "self"
            ]
            fields = list(dict.fromkeys(targets))
        slots.append(fields)
        methods += by_arity.values()
    return slots, methods


def _next(name: str, group: list[str]) -> str | None:
    """The name after this one, the first after the last; None where there is no other."""
    group = [name for name in group if not name.startswith("__")]
    if name not in group or len(group) < 2:
        return None
    return group[(group.index(name) + 1) % len(group)]
