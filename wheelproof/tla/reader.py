"""Reads SANY's XML of a module as a syntax tree.

SANY numbers declarations and refers to them by number (UID). An entry of the XML's ``context`` is
the declaration; uses of it name the number.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence

from wheelproof.errors import ToolError
from wheelproof.tla.levels import Levels
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
        "Bags",
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

_INSTANCE = "InstanceNode"

_LOCATION = re.compile(
    rb"<location><column><begin>\d+</begin><end>\d+</end></column>"
    rb"<line><begin>(\d+)</begin><end>\d+</end></line><filename>([^<\"]*)</filename></location>"
)
"""A place as SANY writes it: eight elements, half of all that an XML has."""

_SHORT = rb'<location line="\1" file="\2"/>'

_UNREADABLE = (
    ET.ParseError,
    AssertionError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)
"""What Python raises where an XML is not of SANY's form."""


def read(xml: bytes) -> Module:
    """The module of one XML text; ToolError where it is none of SANY's."""
    try:
        root = ET.fromstring(_LOCATION.sub(_SHORT, xml))
        return _Reader(root).module()
    except _UNREADABLE as error:
        raise ToolError(
            f"SANY's XML cannot be read ({type(error).__name__}: {error}).",
            "Unset TLA2TOOLS_JAR to use the pinned jar.",
        ) from error


def _text(node: ET.Element, path: str) -> str:
    found = node.findtext(path)
    if found is None:
        raise KeyError(f"<{node.tag}> has no <{path}>")
    return found


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
    found = node.find(tag)
    return () if found is None else found[:]


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

    def __init__(self, root: ET.Element) -> None:
        self.name = _text(root, "RootModule")
        context = root.find("context")
        assert context is not None
        self.entries = {int(_text(entry, "UID")): entry[1] for entry in context.findall("entry")}
        self.builtins: dict[int, str] = {}
        self.constants: dict[int, str] = {}
        self.variables: dict[int, str] = {}
        self.formals: dict[int, Formal] = {}
        self.definitions: dict[int, Definition] = {}
        self.unread: dict[int, ET.Element] = {}
        self.levels = Levels()
        self.kinds: dict[str, Callable[[ET.Element], Expression]] = {
            "NumeralNode": lambda node: Number(int(_text(node, "IntValue")), _place(node)),
            "StringNode": _string,
            "OpApplNode": self.application,
            "LetInNode": self.let,
            "OpArgNode": self.operator,
            "AtNode": lambda node: At(_place(node)),
        }

    def module(self) -> Module:
        instances = {
            _text(each, "module") for node in self.entries.values() for each in node.iter(_INSTANCE)
        }
        foreign: set[int] = set()
        for uid in sorted(self.entries):
            node = self.entries[uid]
            name = node.findtext("uniquename") or ""
            match node.tag:
                case "BuiltInKind":
                    self.builtins[uid] = name
                case "OpDeclNode":
                    kind = _text(node, "kind")
                    if kind in (_CONSTANT, _VARIABLE):
                        (self.constants if kind == _CONSTANT else self.variables)[uid] = name
                    if _place(node).module in instances:
                        foreign.add(uid)
                case "FormalParamNode":
                    self.formals[uid] = Formal(name, int(node.findtext("arity") or 0))
                case "UserDefinedOpKind":
                    place, body = _place(node), _within(node, "body")
                    # What LOCAL INSTANCE brings stands at the INSTANCE, and its body at home.
                    standard = any(_home(each) in STANDARD for each in (node, *body))
                    made = Definition(
                        name.rpartition("!")[2] if standard else name,
                        place,
                        _level(node),
                        recursive=node.find("recursive") is not None,
                        standard=standard,
                    )
                    self.definitions[uid] = made
                    self.unread[uid] = node
        for uid in self.definitions:
            self.definition(uid)
        return Module(
            self.name,
            tuple(name for uid, name in self.constants.items() if uid not in foreign),
            tuple(name for uid, name in self.variables.items() if uid not in foreign),
            self.by_name(),
            tuple(self.assumptions()),
        )

    def definition(self, uid: int) -> Definition:
        """The definition of this number, with its body but while that is being read."""
        made = self.definitions[uid]
        node = self.unread.pop(uid, None)
        if node is not None:
            made.formals = tuple(
                self.formals[int(_text(each, "UID"))]
                for each in node.findall("params/leibnizparam/FormalParamNodeRef")
            )
            if not made.standard:
                made.body = self.expression(_within(node, "body")[0])
                made.level = max(made.level, made.body.level)
        return made

    def by_name(self) -> dict[str, Definition]:
        """The definitions that the module sees by their names; not those of a LET or a proof."""
        numbers = {
            int(_text(each, "UID"))
            for node in self.entries.values()
            if node.tag == "ModuleNode"
            for each in node.findall("UserDefinedOpKindRef")
        }
        return {
            each.name: each
            for uid, each in self.definitions.items()
            if not each.standard and uid in numbers
        }

    def assumptions(self) -> list[tuple[str, Expression]]:
        found: list[tuple[str, Expression]] = []
        for uid in sorted(self.entries):
            node = self.entries[uid]
            if node.tag != "AssumeNode":
                continue
            body = [
                self.expression(each)
                for each in (*node, *_within(node, "body"))
                if each.tag in self.kinds
            ]
            named = node.find("definition/AssumeDefRef")
            name = f"of line {_place(node).line}"
            if named is not None:
                name = self.entries[int(_text(named, "UID"))].findtext("uniquename") or name
            found += [(name, each) for each in body[:1]]
        return found

    # -- expressions

    def expression(self, node: ET.Element) -> Expression:
        made = self.kinds.get(node.tag)
        if made is None:
            what = {
                "SubstInNode": "a definition that comes through INSTANCE ... WITH",
                "DecimalNode": "a decimal number",
                "LabelNode": "a label of an expression",
                "APSubstInNode": "ASSUME/PROVE",
            }.get(node.tag, f"SANY's {node.tag}")
            return Outside(what, _place(node))
        return made(node)

    def operator(self, node: ET.Element) -> Expression:
        used = node.find("argument")
        assert used is not None
        uid = int(_text(used[0], "UID"))
        if uid not in self.definitions:
            return Outside("an operator of the language as an argument", _place(node))
        definition = self.definition(uid)
        return Operator(definition, _place(node), definition.level)

    def let(self, node: ET.Element) -> Expression:
        definitions = tuple(
            self.definition(int(_text(each, "UID"))) for each in _within(node, "opDefs")
        )
        body = self.expression(_within(node, "body")[0])
        return Let(definitions, body, _place(node), max(_level(node), body.level))

    def application(self, node: ET.Element) -> Expression:
        reference = _within(node, "operator")[0]
        uid, place, level = int(_text(reference, "UID")), _place(node), _level(node)
        arguments = tuple(self.expression(each) for each in _within(node, "operands"))
        operands = [each.level for each in arguments]
        match reference.tag:
            case "BuiltInKindRef":
                name = self.builtins[uid]
                bounds = tuple(self.bound(each) for each in _within(node, "boundSymbols"))
                operands += [each.domain.level for each in bounds if each.domain is not None]
                level = max(level, self.levels.of_builtin(name, operands))
                return Builtin(name, arguments, bounds, place, level)
            case "FormalParamNodeRef":
                return Parameter(self.formals[uid], place, max((level, *operands)), arguments)
            case "UserDefinedOpKindRef":
                definition = self.definition(uid)
                level = max(level, self.levels.of_call(definition, operands))
                return Call(definition, arguments, place, level)
            case "OpDeclNodeRef" if uid in self.constants and arguments:
                return Outside("a constant that is an operator", place)
            case "OpDeclNodeRef" if uid in self.constants:
                return Constant(self.constants[uid], place)
            case "OpDeclNodeRef" if uid in self.variables:
                return Variable(self.variables[uid], place)
            case "OpDeclNodeRef":
                return Outside("a name of ASSUME NEW", place)
            case _:
                return Outside(f"SANY's {reference.tag}", place)

    def bound(self, node: ET.Element) -> Bound:
        formals = tuple(
            self.formals[int(_text(each, "UID"))] for each in node.findall("FormalParamNodeRef")
        )
        domain = [each for each in node if each.tag not in ("FormalParamNodeRef", "tuple")]
        return Bound(
            formals,
            node.find("tuple") is not None,
            self.expression(domain[0]) if domain else None,
        )
