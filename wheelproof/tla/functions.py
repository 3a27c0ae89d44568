"""Python code for functions, records and their changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wheelproof.tla import sets
from wheelproof.tla.names import has_at
from wheelproof.tla.syntax import (
    Bound,
    Builtin,
    Call,
    Constant,
    Expression,
    OutsideSubset,
    Text,
)

if TYPE_CHECKING:
    from wheelproof.tla.expressions import Expressions


def record(code: Expressions, node: Builtin) -> str:
    """``[f |-> e, ...]``."""
    values = {}
    for pair in node.arguments:
        match pair:
            case Builtin("$Pair", (Text(name), value)):
                values[name] = code.expression(value)
    domain = code.keep(f"record({tuple(values)!r})")
    results = "".join(f"{values[name]}, " for name in sorted(values))
    return f"{domain}.map(({results}))"


def function(code: Expressions, node: Builtin) -> str:
    """``[x \\in S |-> e]``."""
    bounds, value = node.bounds, node.arguments[0]
    if sets.is_sequence(bounds):
        return f"sequence(tuple([{code.expression(value)} {sets.loops(code, bounds)}]))"
    match bounds:
        case (Bound((formal,), False, Builtin() | Call() | Constant() as over),):
            if code.is_constant(over) and (name := code.fold(code, over, "domain")) is not None:
                loop = f"for {code.name(formal)} in {name}.keys"
                return f"{name}.map(tuple([{code.expression(value)} {loop}]))"
    return f"function([({key(code, bounds)}, {code.expression(value)}) {sets.loops(code, bounds)}])"


def key(code: Expressions, bounds: tuple[Bound, ...]) -> str:
    """The argument of a function over bounds, from their names: a tuple where there are several."""
    items = [
        f"sequence(({', '.join(map(code.name, bound.formals))}))"
        for bound in bounds
        if bound.pattern
    ]
    names = [code.name(formal) for bound in bounds for formal in bound.formals]
    if items and len(bounds) > 1:
        raise OutsideSubset("a function of several arguments, one taken apart", code.place)
    if items or len(names) == 1:
        return (items or names)[0]
    return f"sequence(({', '.join(names)}))"


def recursive(code: Expressions, node: Builtin) -> str:
    """The function ``f`` of ``f[x \\in S] == e``, over its whole domain."""
    return f"recursive({domain(code, node)}, {unfolding(code, node)})"


def unfolded(code: Expressions, node: Builtin) -> str:
    """The same function, whose results are computed where they are needed."""
    return f"Unfolded({unfolding(code, node)})"


def domain(code: Expressions, node: Builtin) -> str:
    """The arguments of a function that is defined by its results."""
    bounds = tuple(bound for bound in node.bounds if bound.domain is not None)
    if len(bounds) == 1 and len(bounds[0].formals) == 1 and not bounds[0].pattern:
        assert bounds[0].domain is not None
        return sets.elements(code, bounds[0].domain)
    return f"[{key(code, bounds)} {sets.loops(code, bounds)}]"


def unfolding(code: Expressions, node: Builtin) -> str:
    """``lambda f, x: e`` for such a function."""
    names = [formal for bound in node.bounds if bound.domain is None for formal in bound.formals]
    bounds = [bound for bound in node.bounds if bound.domain is not None]
    formals = [code.name(formal) for bound in bounds for formal in bound.formals]
    self_name = code.name(names[0]) if names else code.fresh("f")
    body = code.expression(node.arguments[0])
    if len(formals) == 1 and not bounds[0].pattern:
        return f"lambda {self_name}, {formals[0]}: {body}"
    if len(bounds) > 1 and any(bound.pattern for bound in bounds):
        raise OutsideSubset("a function of several arguments, one taken apart", node.place)
    whole = code.fresh("t")
    return f"lambda {self_name}, {whole}: (lambda {', '.join(formals)}: {body})(*items({whole}))"


def changed(code: Expressions, node: Builtin) -> str:
    """``[f EXCEPT ![x] = e, ...]``."""
    text = code.expression(node.arguments[0])
    for pair in node.arguments[1:]:
        assert isinstance(pair, Builtin)
        path, value = pair.arguments
        assert isinstance(path, Builtin)
        text = put(code, text, path.arguments, value)
    return text


def put(code: Expressions, whole: str, path: tuple[Expression, ...], value: Expression) -> str:
    """``[whole EXCEPT ![path[0]][path[1]]... = value]``."""
    argument = code.expression(path[0])
    if len(path) == 1 and not has_at(value):
        return f"changed({whole}, {argument}, {code.expression(value)})"
    name, at = code.fresh("f"), code.fresh("k")
    if len(path) == 1:
        inside = code.with_at(f"{name}[{at}]", value)
    else:
        inside = put(code, f"{name}[{at}]", path[1:], value)
    return f"(lambda {name}, {at}: changed({name}, {at}, {inside}))({whole}, {argument})"
