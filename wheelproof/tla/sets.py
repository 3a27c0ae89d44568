"""Code for sets: membership without making the set, and the elements one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wheelproof.tla.syntax import Bound, Builtin, Call, Expression, Number, OutsideSubset, Text

if TYPE_CHECKING:
    from wheelproof.tla.expressions import Expressions

UNMADE = {"$SetOfFcns", "$SetOfRcds", "SUBSET", "STRING"}
INFINITE = {"Nat", "Int", "Seq"}


def is_large(node: Expression) -> bool:
    """Whether membership in a set is decided without making the set."""
    match node:
        case Builtin():
            if node.name == "UNION":
                return isinstance(node.arguments[0], Builtin) and (
                    node.arguments[0].name in ("$SetEnumerate", "$SetOfAll")
                    and any(map(is_large, node.arguments[0].arguments))
                )
            if node.name == "$SubsetOf":
                (bound,) = node.bounds
                return not bound.pattern and bound.domain is not None and is_large(bound.domain)
            return node.name in UNMADE or (
                node.name in ("\\union", "\\intersect", "\\", "$CartesianProd", "$IfThenElse")
                and any(map(is_large, node.arguments))
            )
        case Call():
            if node.definition.standard:
                return node.name in INFINITE
            return not node.definition.recursive and is_large(node.definition.body)
    return False


def member(code: Expressions, element: str, node: Expression) -> str:
    """``element \\in node``."""
    if not element.isidentifier():
        name = code.fresh("m")
        return f"(lambda {name}: {member(code, name, node)})({element})"
    match node:
        case Builtin():
            return _in_builtin(code, element, node)
        case Call() if node.definition.standard:
            match node.name:
                case "Nat":
                    return f"({element}.__class__ is int and {element} >= 0)"
                case "Int":
                    return f"({element}.__class__ is int)"
                case "..":
                    low, high = (code.expression(argument) for argument in node.arguments)
                    return f"({element}.__class__ is int and {low} <= {element} <= {high})"
                case "Seq":
                    argument, items = code.fresh("m"), f"{element}.results"
                    inside = member(code, argument, node.arguments[0])
                    return (
                        f"(isinstance({element}, Map) and {element}.domain.sequence"
                        f" and all([{inside} for {argument} in {items}]))"
                    )
        case Call() if is_large(node):
            inside = member(code, element, node.definition.body)
            if not node.definition.formals:
                return inside
            formals, values = code.formals(node.definition), code.list_of(node.arguments)
            return f"(lambda {formals}: {inside})({values})"
    return f"({element} in {code.expression(node)})"


def _in_builtin(code: Expressions, element: str, node: Builtin) -> str:
    arguments = node.arguments
    match node.name:
        case "UNION" if is_large(node):
            (inner,) = arguments
            assert isinstance(inner, Builtin)
            parts = [member(code, element, argument) for argument in inner.arguments]
            if inner.name == "$SetOfAll":
                return f"any([{parts[0]} {loops(code, inner.bounds)}])"
            return f"({' or '.join(parts)})"
        case "$SubsetOf" if is_large(node):
            (bound,) = node.bounds
            assert bound.domain is not None
            there = member(code, element, bound.domain)
            fits = f"(lambda {code.name(bound.formals[0])}: {code.expression(arguments[0])})"
            return f"({there} and {fits}({element}))"
        case "$SetEnumerate":
            items = "".join(f"{code.expression(argument)}, " for argument in arguments)
            return f"({element} in ({items}))"
        case "STRING":
            return f"({element}.__class__ is str)"
        case "BOOLEAN":
            return f"({element}.__class__ is bool)"
        case "\\union":
            return f"({' or '.join(member(code, element, argument) for argument in arguments)})"
        case "\\intersect":
            return f"({' and '.join(member(code, element, argument) for argument in arguments)})"
        case "\\":
            inside, outside = (member(code, element, argument) for argument in arguments)
            return f"({inside} and not {outside})"
        case "$IfThenElse":
            test, then, otherwise = arguments
            inside, outside = (member(code, element, argument) for argument in (then, otherwise))
            return f"({inside} if {code.expression(test)} else {outside})"
        case "$SetOfFcns":
            name = code.fresh("m")
            inside = member(code, name, arguments[1])
            return (
                f"(isinstance({element}, Map) and {element}.domain.members == "
                f"{code.expression(arguments[0])} "
                f"and all([{inside} for {name} in {element}.results]))"
            )
        case "$SetOfRcds":
            names = [_field(argument)[0] for argument in arguments]
            inside = " and ".join(
                member(code, f"{element}[{name!r}]", domain)
                for name, domain in map(_field, arguments)
            )
            return (
                f"(isinstance({element}, Map) and {element}.domain.members == "
                f"{code.keep(f'frozenset({tuple(sorted(names))!r})')} and {inside})"
            )
        case "SUBSET":
            name = code.fresh("m")
            inside = member(code, name, arguments[0])
            return f"(isinstance({element}, frozenset) and all([{inside} for {name} in {element}]))"
        case "$CartesianProd":
            inside = " and ".join(
                member(code, f"{element}[{place}]", argument)
                for place, argument in enumerate(arguments, start=1)
            )
            return (
                f"(isinstance({element}, Map) and {element}.domain.sequence and "
                f"len({element}) == {len(arguments)} and {inside})"
            )
    return f"({element} in {code.expression(node)})"


def _field(pair: Expression) -> tuple[str, Expression]:
    match pair:
        case Builtin("$Pair", (Text(name), value)):
            return name, value
    raise OutsideSubset("a field without a name", pair.place)


def elements(code: Expressions, node: Expression) -> str:
    """The elements of a set, for a loop whose order does not matter."""
    match node:
        case Call() if node.definition.standard and node.name == "..":
            low, high = (code.expression(argument) for argument in node.arguments)
            return f"range({low}, {high} + 1)"
        case Builtin("DOMAIN", (function,)):
            return f"{code.expression(function)}.domain.keys"
        case Builtin("SUBSET", (whole,)):
            return f"subsets({code.expression(whole)})"
        case Builtin("$SetOfFcns", (arguments, results)):
            return f"functions({elements(code, arguments)}, {elements(code, results)})"
        case Builtin("$SetOfRcds", fields):
            parts = "".join(
                f"({name!r}, {elements(code, domain)}), " for name, domain in map(_field, fields)
            )
            return f"records(({parts}))"
    return code.expression(node)


def loops(code: Expressions, bounds: tuple[Bound, ...]) -> str:
    """``for x in S for y in T``: the loops of a comprehension over bounds."""
    out = []
    for bound in bounds:
        if bound.domain is None:
            raise OutsideSubset("a bound without a set", code.place)
        over = elements(code, bound.domain)
        if bound.pattern:
            name = code.fresh("t")
            out.append(f"for {name} in {over}")
            out += [
                f"for {code.name(formal)} in ({name}[{place}],)"
                for place, formal in enumerate(bound.formals, start=1)
            ]
        else:
            out += [f"for {code.name(formal)} in {over}" for formal in bound.formals]
    return " ".join(out)


def product(code: Expressions, node: Builtin) -> str:
    """``S \\X T``."""
    names = [code.fresh("t") for _ in node.arguments]
    over = " ".join(
        f"for {name} in {elements(code, domain)}"
        for name, domain in zip(names, node.arguments, strict=True)
    )
    return f"frozenset([sequence(({', '.join(names)})) {over}])"


def is_sequence(bounds: tuple[Bound, ...]) -> str | None:
    """Whether bounds are one name over ``1..n``."""
    match bounds:
        case (Bound((_,), False, Call() as over),):
            match over.arguments:
                case (Number(1), _) if over.definition.standard and over.name == "..":
                    return over.name
    return None
