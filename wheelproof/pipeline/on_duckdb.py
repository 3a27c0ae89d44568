"""Expressions and frames of the rules as DuckDB's SQL, as ``on_spark`` has them for Spark.

Nulls come first and an unknown condition stays unknown, as ``columns`` says. Three things are
DuckDB's, and no rule depends on them. A cast to a whole number rounds instead of cutting off. A
number beyond the range of its type is an error. Of two structs the one with a null in it is the
greater.
"""

from __future__ import annotations

from collections.abc import Callable

from wheelproof.pipeline.columns import AGGREGATES, Column, Window
from wheelproof.pipeline.frames import Frame

_INFIX = {
    "eq": "=",
    "ne": "<>",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "and": "AND",
    "or": "OR",
    "add": "+",
    "sub": "-",
    "mul": "*",
    "concat": "||",
    "bitwiseAND": "&",
    "eqNullSafe": "IS NOT DISTINCT FROM",
}
_TYPES = {
    "boolean": "BOOLEAN",
    "int": "INTEGER",
    "long": "BIGINT",
    "double": "DOUBLE",
    "string": "VARCHAR",
}
_PLAIN = {
    "not": "(NOT {})",
    "neg": "(- {})",
    "isNull": "({} IS NULL)",
    "isNotNull": "({} IS NOT NULL)",
    "startswith": "starts_with({}, {})",
    "abs": "abs({})",
    "pow": "pow({}, {})",
    "pmod": "((({0} % {1}) + {1}) % {1})",
    "xxhash64": "hash({})",
    "size": "coalesce(len({}), -1)",
    "explode": "unnest({})",
    "sequence": "generate_series({}, {})",
    "sort_array": "list_sort({}, 'ASC', 'NULLS FIRST')",
    "array_contains": "CASE WHEN list_contains({0}, {1}) THEN TRUE"
    " WHEN list_count({0}) = len({0}) THEN FALSE END",
    "array_except": "list_filter({0}, lambda one: NOT list_contains({1}, one))",
    "get": "CASE WHEN {1} >= 0 THEN list_extract({0}, {1} + 1) END",
    "min": "min({})",
    "max": "max({})",
    "sum": "sum({})",
    "count_if": "count(*) FILTER (WHERE {})",
    "collect_set": "coalesce(list(DISTINCT {0}) FILTER (WHERE {0} IS NOT NULL), [])",
    "last": "last_value({} IGNORE NULLS)",
    "lag": "lag({})",
    "lead": "lead({})",
}
"""Functions whose arguments are all expressions."""
_GIVEN = "given"
"""The rows that a SELECT is of."""


def expression(column: Column) -> str:
    """The expression over rows that are called ``given``, without its name."""
    if column.function in _SPECIAL:
        return _SPECIAL[column.function](*column.arguments)
    arguments = [expression(argument) for argument in column.arguments]
    if column.function in _INFIX:
        return "(" + f" {_INFIX[column.function]} ".join(arguments) + ")"
    if column.function in ("coalesce", "greatest"):
        return f"{column.function}({', '.join(arguments)})"
    return _PLAIN[column.function].format(*arguments)


def _quote(name: str) -> str:
    return f'"{name}"'


def _field(value: str, name: str) -> str:
    return f"struct_extract({value}, {_literal(name)})"


def _column(path: str) -> str:
    root, _, field = path.partition(".")
    plain = f"{_GIVEN}.{_quote(root)}"
    return _field(plain, field) if field else plain


def _literal(value: object) -> str:
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).upper()
        case int():
            return str(value)
        case float():
            return f"{value!r}::DOUBLE"
        case str():
            return "'" + value.replace("'", "''") + "'"
    raise AssertionError(f"no literal of SQL is made of {value!r}")


def _when(*arguments: Column) -> str:
    pairs = zip(arguments[::2], arguments[1::2], strict=True)
    return (
        "CASE"
        + "".join(
            f" WHEN {expression(condition)} THEN {expression(value)}" for condition, value in pairs
        )
        + " END"
    )


def _is_in(column: Column, values: tuple[object, ...]) -> str:
    return f"({expression(column)} IN ({', '.join(map(_literal, values))}))" if values else "FALSE"


def _struct(*fields: Column) -> str:
    parts = [f"{_quote(field.name)} := {expression(field)}" for field in fields]
    return f"struct_pack({', '.join(parts)})"


def _lambda(function: str) -> Callable[[Column, str, Column], str]:
    return lambda values, name, body: (
        f"{function}({expression(values)}, lambda {name}: {expression(body)})"
    )


def _exists(values: Column, name: str, body: Column) -> str:
    return _PLAIN["array_contains"].format(_lambda("list_transform")(values, name, body), "TRUE")


def _over(inner: Column, window: Window) -> str:
    parts = []
    if window.partition:
        parts.append(f"PARTITION BY {', '.join(map(expression, window.partition))}")
    if window.order:
        terms = [f"{expression(column)} ASC NULLS FIRST" for column in window.order]
        parts.append(f"ORDER BY {', '.join(terms)}")
    if inner.function in AGGREGATES:
        ends = {None: "UNBOUNDED FOLLOWING", 0: "CURRENT ROW", -1: "1 PRECEDING"}
        parts.append(f"ROWS BETWEEN UNBOUNDED PRECEDING AND {ends[window.upto]}")
    return f"{expression(inner)} OVER ({' '.join(parts)})"


_SPECIAL: dict[str, Callable[..., str]] = {
    "col": _column,
    "lit": _literal,
    "variable": lambda name: name,
    "field": lambda column, name: _field(expression(column), name),
    "cast": lambda column, kind: f"TRY_CAST({expression(column)} AS {_TYPES[kind]})",
    "when": _when,
    "isin": _is_in,
    "struct": _struct,
    "split": lambda column, by: f"string_split_regex({expression(column)}, {_literal(by)})",
    "regexp_replace": lambda column, pattern, by: (
        f"regexp_replace({expression(column)}, {_literal(pattern)}, {_literal(by)}, 'g')"
    ),
    "exists": _exists,
    "filter": _lambda("list_filter"),
    "transform": _lambda("list_transform"),
    "over": _over,
}
"""Functions with an argument that is no expression, and those that are no function of SQL."""


def select(*columns: Column) -> str:
    """Expressions with their names, as SELECT lists them."""
    return ", ".join(f"{expression(column)} AS {_quote(column.name)}" for column in columns)


def frame(made_of: Frame) -> tuple[str, str]:
    """The tables of a WITH clause, one for each operation, and the name of the last. They read the
    tables ``events``, ``runs`` and ``ends``."""
    names: dict[int, str] = {}
    tables: list[str] = []

    def name_of(part: Frame) -> str:
        if part.operation == "source":
            return _quote(part.arguments[0])
        if part.operation == "broadcast":
            return name_of(part.frames[0])
        if id(part) not in names:
            text = _operation(part, [name_of(source) for source in part.frames])
            names[id(part)] = f"step{len(names) + 1}"
            tables.append(f"{names[id(part)]} AS ({text})")
        return names[id(part)]

    last = name_of(made_of)
    return ",\n".join(tables), last


def _operation(made_of: Frame, parts: list[str]) -> str:
    arguments, source = made_of.arguments, f"FROM {parts[0]} AS {_GIVEN}"
    match made_of.operation:
        case "where":
            return f"SELECT * {source} WHERE {expression(arguments[0])}"
        case "select":
            return f"SELECT {select(*arguments)} {source}"
        case "withColumns":
            by_name = {column.name: column for column in arguments}
            columns = [by_name.get(name, _alias(name)) for name in made_of.columns]
            return f"SELECT {select(*columns)} {source}"
        case "agg":
            keys, aggregates = arguments
            by = [_alias(key) for key in keys]
            grouping = f" GROUP BY {', '.join(map(expression, by))}" if by else ""
            return f"SELECT {select(*by, *aggregates)} {source}{grouping}"
        case "join":
            keys, how = arguments
            using = ", ".join(map(_quote, keys))
            there = ", ".join(map(_quote, made_of.columns))
            return f"SELECT {there} FROM {parts[0]} {how} JOIN {parts[1]} USING ({using})"
        case "unionByName":
            return f"SELECT * FROM {parts[0]} UNION ALL BY NAME SELECT * FROM {parts[1]}"
    raise AssertionError(f"no SELECT is made of {made_of.operation}")


def _alias(name: str) -> Column:
    return Column("col", (name,), name)
