"""The tables of the reference pages, made from the definitions in the code."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from wheelproof.errors import EXIT_CODES
from wheelproof.project.meanings import LABEL_KINDS, rows
from wheelproof.project.mechanism import KINDS, Composed, Config, Fault, Label, Mutant, Property
from wheelproof.python.runtime.primitives import MEANINGS
from wheelproof.verdict import LAYERS_SAY

Table = Callable[[tuple[str, ...], Iterable[tuple[str, ...]]], str]
Fill = Callable[[str, str, str], str]

OF_DECLARATIONS = {
    "property": Property,
    "label": Label,
    "config": Config,
    "composed": Composed,
    "fault": Fault,
    "mutant": Mutant,
}
"""Name of a table of docs/declarations.md -> the class of its fields."""


def fields(table: Table, kind: type) -> str:
    """The fields of a declaration."""
    lines = (
        (f"`{name}`", f"`{default}`" if default else "", says) for name, default, says in rows(kind)
    )
    return table(("field", "default", "meaning"), lines)


def name_table(table: Table, head: tuple[str, str], meanings: Mapping[str, str]) -> str:
    """Names with their meanings."""
    return table(head, ((f"`{name}`", says) for name, says in meanings.items()))


def kinds(table: Table) -> str:
    """The kinds of labels. ValueError where one has no meaning."""
    if tuple(LABEL_KINDS) != KINDS:
        raise ValueError("LABEL_KINDS does not have the kinds of labels in their order")
    return name_table(table, ("kind", "what the step does"), LABEL_KINDS)


def runtime_names(root: Path) -> list[str]:
    """The names of the distribution, from its source."""
    source = (root / "runtime" / "wheelproof_runtime" / "__init__.py").read_text(encoding="utf-8")
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    raise ValueError("the runtime has no __all__")


def primitives(table: Table, runtime_exports: Iterable[str]) -> str:
    """The primitives. ValueError where one has no meaning, or a meaning has no primitive."""
    names_with_meaning = [name for names in MEANINGS for name in names.split(", ")]
    if wrong := sorted(set(runtime_exports) ^ set(names_with_meaning)):
        raise ValueError(f"MEANINGS and the runtime differ in {', '.join(wrong)}")
    rows = (
        (", ".join(f"`{part}`" for part in names.split(", ")), says)
        for names, says in MEANINGS.items()
    )
    return table(("name", "what it is"), rows)


def pages(root: Path, fill: Fill, table: Table) -> dict[Path, str]:
    """The reference pages with their tables."""
    tables_of = {
        "declarations": {
            **{name: fields(table, kind) for name, kind in OF_DECLARATIONS.items()},
            "label-kinds": kinds(table),
        },
        "how-it-works": {
            "layers": name_table(
                table,
                ("layer", "compares or checks"),
                {name: says for name, says in LAYERS_SAY.items() if says},
            )
        },
        "implementations": {"primitives": primitives(table, runtime_names(root))},
        "cli": {
            "exit-codes": table(
                ("code", "meaning"), ((str(code), says) for code, says in EXIT_CODES.items())
            )
        },
    }
    out = {}
    for page, tables in tables_of.items():
        file = root / "docs" / f"{page}.md"
        text = file.read_text(encoding="utf-8")
        for name, body in tables.items():
            text = fill(text, name, body)
        out[file] = text
    return out
