"""Reads SANY's XML of a module as a syntax tree.

SANY numbers declarations and refers to them by number (UID). An entry of the XML's ``context`` is
the declaration; uses of it name the number.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping, Sequence

from wheelproof.errors import ToolError
from wheelproof.tla.levels import Levels
from wheelproof.tla.substitution import Substitution
from wheelproof.tla.syntax import (
    At,
    Bound,
    Builtin,
    Call,
    Constant,
    Definition,
    Expression,
    Formal,
    Let,
    Level,
    Module,
    Number,
    Operator,
    Outside,
    Parameter,
    Place,
    Text,
    Variable,
)

STANDARD = frozenset(
    {
        "FiniteSets",
        "Integers",
        "Naturals",
        "Peano",
        "ProtoReals",
        "RealTime",
        "Reals",
        "Sequences",
        "TLC",
    }
)
"""The modules that come with TLA+: their operators are known by name."""

_CONSTANT, _VARIABLE = "2", "3"
"""The kinds of a CONSTANT's and of a VARIABLE's declaration; others are of ASSUME NEW."""

_LOCATION = re.compile(
    rb"<location><column><begin>\d+</begin><end>\d+</end></column>"
    rb"<line><begin>(\d+)</begin><end>\d+</end></line><filename>([^<\"]*)</filename></location>"
)
"""A place as SANY writes it: eight elements, half of all that an XML has."""

_SHORT = rb'<location line="\1" file="\2"/>'

Replaced = Mapping[tuple[str, str], str]
"""(module, operator) -> the operator of the root module that stands for it in that module.

"" for one that becomes a constant of the root module, of the name :func:`constant_name`.
"""

_UNREADABLE = (
    ET.ParseError,
    AssertionError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)
"""The exceptions of Python where an XML is not of SANY's form."""


def constant_name(module: str, name: str) -> str:
    """The name of the constant that an operator of a module becomes."""
    return f"{module}_{name}"


def read(xml: bytes, replacements: Replaced | None = None) -> Module:
    """The module of one XML text; ToolError where it is none of SANY's."""
    try:
        root = ET.fromstring(_LOCATION.sub(_SHORT, xml))
        return _Reader(root, replacements or {}).module()
    except _UNREADABLE as error:
        raise ToolError(
            f"SANY's XML cannot be read ({type(error).__name__}: {error}).",
            "Unset TLA2TOOLS_JAR to use the pinned jar.",
        ) from error


def _text(node: ET.Element, path: str) -> str:
    text = node.findtext(path)
    if text is None:
        raise KeyError(f"<{node.tag}> has no <{path}>")
    return text


def _place(node: ET.Element) -> Place:
    location = node.find("location")
    if location is None:
        return Place("", 0)
    if (file := location.get("file")) is not None:
        return Place(file, int(location.get("line", "")))
    line = location.find("line")
    assert line is not None
    return Place(_text(location, "filename"), int(_text(line, "begin")))


def _within(node: ET.Element, tag: str) -> Sequence[ET.Element]:
    """The elements within the first child of this tag. A path for ``findall`` is far slower."""
    element = node.find(tag)
    return () if element is None else element[:]


def _home(node: ET.Element) -> str:
    return _place(node).module


def _level(node: ET.Element) -> Level:
    return Level(int(node.findtext("level") or 0))


def _string(node: ET.Element) -> Expression:
    """A string; the condition OTHER of a CASE is the string $Other without a place."""
    value = node.findtext("StringValue")
    return Text(node.text or "" if value is None else value, _place(node))


class _Reader:
    """The declarations of one XML by their numbers, and its expressions."""

    def __init__(self, root: ET.Element, replacements: Replaced) -> None:
        self.replaced = replacements
        self.name = _text(root, "RootModule")
        context = root.find("context")
        assert context is not None
        self.entries = {int(_text(entry, "UID")): entry[1] for entry in context.findall("entry")}
        self.builtins: dict[int, str] = {}
        self.constants: dict[int, str] = {}
        self.variables: dict[int, str] = {}
        self.operators: dict[int, Definition] = {}
        self.formals: dict[int, Formal] = {}
        self.definitions: dict[int, Definition] = {}
        self.unread: dict[int, ET.Element] = {}
        self.homes: dict[int, str] = {}
        self.levels = Levels()
        self.kinds: dict[str, Callable[[ET.Element], Expression]] = {
            "NumeralNode": lambda node: Number(int(_text(node, "IntValue")), _place(node)),
            "StringNode": _string,
            "OpApplNode": self.application,
            "LetInNode": self.let,
            "OpArgNode": self.operator,
            "AtNode": lambda node: At(_place(node)),
            "SubstInNode": self.instance,
            "LabelNode": lambda node: self.expression(_within(node, "body")[0]),
        }

    def module(self) -> Module:
        visible = self.visible()
        for uid in sorted(self.entries):
            node = self.entries[uid]
            name = node.findtext("uniquename") or ""
            match node.tag:
                case "BuiltInKind":
                    self.builtins[uid] = name
                case "OpDeclNode" if _text(node, "kind") in (_CONSTANT, _VARIABLE):
                    self.declaration(uid, name if uid in visible else f"{_home(node)}!{name}")
                case "FormalParamNode":
                    self.formals[uid] = Formal(name, int(node.findtext("arity") or 0))
                case "UserDefinedOpKind":
                    place, body = _place(node), _within(node, "body")
                    # What INSTANCE brings stands at the INSTANCE, and its body at home.
                    body = [*body, *(part for entry in body for part in _within(entry, "body"))]
                    standard = any(_home(entry) in STANDARD for entry in (node, *body))
                    definition = Definition(
                        name.rpartition("!")[2] if standard else name,
                        place,
                        _level(node),
                        recursive=node.find("recursive") is not None,
                        standard=standard,
                    )
                    self.definitions[uid] = definition
                    self.unread[uid] = node
                    self.homes[uid] = _home(body[-1]) if body else place.module
        for uid in self.definitions:
            self.definition(uid)
        return Module(
            self.name,
            tuple(name for uid, name in self.constants.items() if uid in visible),
            tuple(name for uid, name in self.variables.items() if uid in visible),
            self.by_name(visible, standard=False),
            tuple(self.assumptions(visible)),
            self.by_name(visible, standard=True),
            {
                definition.name: definition
                for uid, definition in self.operators.items()
                if uid in visible
            },
        )

    def visible(self) -> set[int]:
        """The numbers of the names and assumptions of the module, extended modules included."""
        return {
            int(_text(reference, "UID"))
            for node in self.entries.values()
            if node.tag == "ModuleNode" and node.findtext("uniquename") == self.name
            for reference in node
            if reference.tag in ("OpDeclNodeRef", "UserDefinedOpKindRef", "AssumeNodeRef")
        }

    def declaration(self, uid: int, name: str) -> None:
        """A CONSTANT or VARIABLE. A constant operator is a definition without a body."""
        node = self.entries[uid]
        arity = int(node.findtext("arity") or 0)
        if _text(node, "kind") == _VARIABLE:
            self.variables[uid] = name
        elif not arity:
            self.constants[uid] = name
        else:
            place = _place(node)
            self.operators[uid] = Definition(
                name,
                place,
                Level.CONSTANT,
                tuple(Formal(f"a{number}") for number in range(arity)),
                body=Outside("a constant that is an operator", place),
            )

    def definition(self, uid: int) -> Definition:
        """The definition of this number, with its body but while that is being read."""
        result = self.definitions[uid]
        node = self.unread.pop(uid, None)
        if node is not None:
            result.formals = tuple(
                self.formals[int(_text(reference, "UID"))]
                for reference in node.findall("params/leibnizparam/FormalParamNodeRef")
            )
            key = self.homes[uid], result.name.rpartition("!")[2]
            if self.replaced.get(key) == "":
                result.body = Constant(constant_name(*key), result.place)
            elif not result.standard:
                result.body = self.expression(_within(node, "body")[0])
                result.level = max(result.level, result.body.level)
        return result

    def by_name(self, visible: set[int], *, standard: bool) -> dict[str, Definition]:
        """The definitions that the module sees by their names; not those of a LET or a proof."""
        return {
            definition.name: definition
            for uid, definition in self.definitions.items()
            if definition.standard is standard and uid in visible
        }

    def assumptions(self, visible: set[int]) -> list[tuple[str, Expression]]:
        pairs: list[tuple[str, Expression]] = []
        for uid in sorted(visible):
            node = self.entries[uid]
            if node.tag != "AssumeNode":
                continue
            body = [
                self.expression(child)
                for child in (*node, *_within(node, "body"))
                if child.tag in self.kinds
            ]
            name_node = node.find("definition/AssumeDefRef")
            name = f"of line {_place(node).line}"
            if name_node is not None:
                name = self.entries[int(_text(name_node, "UID"))].findtext("uniquename") or name
            pairs += [(name, child) for child in body[:1]]
        return pairs

    # -- expressions

    def expression(self, node: ET.Element) -> Expression:
        read = self.kinds.get(node.tag)
        if read is None:
            description = {
                "DecimalNode": "a decimal number",
                "APSubstInNode": "ASSUME/PROVE",
            }.get(node.tag, f"SANY's {node.tag}")
            return Outside(description, _place(node))
        return read(node)

    def operator(self, node: ET.Element) -> Expression:
        argument = node.find("argument")
        assert argument is not None
        uid = int(_text(argument[0], "UID"))
        if argument[0].tag == "FormalParamNodeRef":
            formal = self.formals[uid]
            return Parameter(formal, _place(node), _level(node))
        if uid in self.operators:
            return Operator(self.operators[uid], _place(node))
        if uid not in self.definitions:
            return Outside("an operator of the language as an argument", _place(node))
        definition = self.definition(uid)
        return Operator(definition, _place(node), definition.level)

    def let(self, node: ET.Element) -> Expression:
        definitions = tuple(
            self.definition(int(_text(definition, "UID"))) for definition in _within(node, "opDefs")
        )
        body = self.expression(_within(node, "body")[0])
        return Let(definitions, body, _place(node), max(_level(node), body.level))

    def application(self, node: ET.Element) -> Expression:
        reference = _within(node, "operator")[0]
        uid, place, level = int(_text(reference, "UID")), _place(node), _level(node)
        arguments = tuple(self.expression(operand) for operand in _within(node, "operands"))
        operands = [operand.level for operand in arguments]
        match reference.tag:
            case "BuiltInKindRef":
                name = self.builtins[uid]
                bounds = tuple(self.bound(operand) for operand in _within(node, "boundSymbols"))
                operands += [
                    operand.domain.level for operand in bounds if operand.domain is not None
                ]
                level = max(level, self.levels.of_builtin(name, operands))
                return Builtin(name, arguments, bounds, place, level)
            case "FormalParamNodeRef":
                return Parameter(self.formals[uid], place, max((level, *operands)), arguments)
            case "UserDefinedOpKindRef":
                definition = self.definition(self.replacement(uid, place))
                level = max(level, self.levels.of_call(definition, operands))
                return Call(definition, arguments, place, level)
            case "AssumeDefRef":
                return self.expression(self.entries[uid][-1])
            case "OpDeclNodeRef" if uid in self.operators:
                return Call(self.operators[uid], arguments, place, max((level, *operands)))
            case "OpDeclNodeRef" if uid in self.constants:
                return Constant(self.constants[uid], place)
            case "OpDeclNodeRef" if uid in self.variables:
                return Variable(self.variables[uid], place)
            case "OpDeclNodeRef":
                return Outside("a name of ASSUME NEW", place)
            case _:
                return Outside(f"SANY's {reference.tag}", place)

    def replacement(self, uid: int, place: Place) -> int:
        """The number of the definition that is meant by a use at this place."""
        definition = self.definitions[uid]
        if not self.replaced:
            return uid
        for home in (place.module, self.homes[uid]):
            new_name = self.replaced.get((home, definition.name.rpartition("!")[2]))
            for number in self.visible() if new_name else ():
                entry = self.definitions.get(number)
                if entry is not None and entry.name == new_name:
                    return number
        return uid

    def instance(self, node: ET.Element) -> Expression:
        """A body that INSTANCE brings, with expressions for the declarations of its module."""
        names: dict[str, Expression] = {}
        operators: dict[Definition, Expression] = {}
        for pair in _within(node, "substs"):
            uid, replacement = int(_text(pair[0], "UID")), self.expression(pair[1])
            if uid in self.operators:
                operators[self.operators[uid]] = replacement
            elif uid in self.constants:
                names[self.constants[uid]] = replacement
            else:
                names[self.variables[uid]] = replacement
        body = self.expression(_within(node, "body")[0])
        return Substitution(names, operators, self.levels).expression(body)

    def bound(self, node: ET.Element) -> Bound:
        formals = tuple(
            self.formals[int(_text(child, "UID"))] for child in node.findall("FormalParamNodeRef")
        )
        domain = [child for child in node if child.tag not in ("FormalParamNodeRef", "tuple")]
        return Bound(
            formals,
            node.find("tuple") is not None,
            self.expression(domain[0]) if domain else None,
        )
