#!/usr/bin/env python3
"""Count names that name nothing, and free relative clauses in docstrings.

A name of a variable, a parameter or a function is bare where it is a participle or a pronoun alone:
``found``, ``each``. A free relative is a clause that stands for a noun: ``what is kept``.

``python tools/names.py`` prints the shares over all folders. The exit code is 1 where a folder has
more bare names or free relatives than ``tools/names.toml`` allows it. ``--write`` lowers the
numbers of that file, and raises none. ``python tools/names.py FOLDER...`` prints a line per folder,
and the place of each word that is to go.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = Path("tools", "names.toml")


def words(text: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(text.split())


REFUSED = words("found each made known of own given seen kept taken mine one left wanted")
"""The bare words that most names had here. A folder without budget has none of them."""

PRONOUNS = words(
    "another any both either everything it itself most neither nothing other others some something "
    "such that them these this those what which who whom whose"
)
PARTICIPLES = words(
    "begun broken brought built chosen done drawn driven fallen forgotten frozen gone held hidden "
    "lost meant met sent shown spent struck thrown torn understood woken written"
)
"""Irregular ones that are neither nouns nor verbs."""
ENDED = re.compile(r"[a-z]{2,}(?<!e)ed")
"""A regular participle."""
NOUNS = words("bed embed fed red shed shred sled wed")

RELATIVE = re.compile(
    r"\b(?:what(?:ever)?|who(?:m|ever)?|(?:that|those)\s+(?:which|who))\b", re.IGNORECASE
)
QUESTION = re.compile(r"[^.?!]*\?")
WORD = re.compile(r"[A-Za-z][A-Za-z']*")

FOLDERS = (
    *("benchmarks", "harness", "impl", "model", "proofs", "real", "runtime", "tools", "traces"),
    "wheelproof",
)
"""Folders whose sources are read. Each folder of ``wheelproof`` counts alone."""


NAMED = (ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.FunctionDef, ast.AsyncFunctionDef)
"""Nodes that bind their name."""


@dataclass
class Count:
    """The names and docstrings of a folder."""

    names: int = 0
    """Bound names."""
    bare: Counter[str] = field(default_factory=Counter)
    """Bare name -> how often it is bound."""
    words: int = 0
    """Words of docstrings."""
    relatives: int = 0
    """Free relatives in docstrings."""
    places: list[str] = field(default_factory=list)
    """File, line and text of each bare name that is refused, and of each free relative."""

    @property
    def refused(self) -> int:
        """How many of the bare names are refused words."""
        return sum(number for name, number in self.bare.items() if name in REFUSED)


def is_bare(name: str) -> bool:
    """Whether a name is a participle or a pronoun alone."""
    name = name.strip("_")
    if name in REFUSED or name in PRONOUNS or name in PARTICIPLES:
        return True
    return ENDED.fullmatch(name) is not None and name not in NOUNS


def bound(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The names that each scope of a module binds, with their lines; classes and imports apart."""
    scopes: deque[ast.AST] = deque([tree])
    while scopes:
        scope = scopes.popleft()
        names: dict[str, int] = {}
        waiting = deque(ast.iter_child_nodes(scope))
        if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            arguments = scope.args
            for argument in (
                *(*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs),
                *filter(None, (arguments.vararg, arguments.kwarg)),
            ):
                names.setdefault(argument.arg, argument.lineno)
        while waiting:
            node = waiting.popleft()
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.setdefault(node.id, node.lineno)
            elif isinstance(node, NAMED) and node.name:
                names.setdefault(node.name, node.lineno)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
                scopes.append(node)
            else:
                waiting.extendleft(reversed(list(ast.iter_child_nodes(node))))
        yield from names.items()


def docstrings(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Docstrings of a module, of its classes, functions and attributes, without code; the lines."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        for statement in body:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                text = statement.value.value
                if isinstance(text, str):
                    yield re.sub(r"``.*?``|`.*?`", " ", text, flags=re.DOTALL), statement.lineno


def add_file(file: Path, place: str, count: Count) -> None:
    """Add the names and docstrings of a file."""
    tree = ast.parse(file.read_text(encoding="utf-8"), str(file))
    for name, line in bound(tree):
        count.names += 1
        if is_bare(name):
            count.bare[name.strip("_")] += 1
        if name.strip("_") in REFUSED:
            count.places.append(f"{place}:{line}: {name}")
    for text, line in docstrings(tree):
        text = QUESTION.sub(" ", text)
        count.words += len(WORD.findall(text))
        for clause in RELATIVE.finditer(text):
            count.relatives += 1
            start = text.count("\n", 0, clause.start())
            count.places.append(f"{place}:{line + start}: {text[clause.start() :][:40]!r}")


def folder_of(file: Path) -> str:
    """The folder that a file counts for: a room of the tool, or the top-level folder."""
    parts = file.parts
    return "/".join(parts[:2]) if parts[0] == "wheelproof" and len(parts) > 2 else parts[0]


def counts(root: Path, folders: tuple[str, ...] = FOLDERS) -> dict[str, Count]:
    """Folder -> its count."""
    table: dict[str, Count] = {}
    for name in folders:
        for file in sorted((root / name).rglob("*.py")):
            if "__pycache__" not in file.parts:
                place = file.relative_to(root)
                add_file(file, place.as_posix(), table.setdefault(folder_of(place), Count()))
    return table


Budgets = dict[str, tuple[int, int]]
"""Folder -> the refused words, and the free relatives, that it still has."""


def budgets(root: Path) -> Budgets:
    """The table of ``tools/names.toml``. ValueError names the line that is none."""
    table = tomllib.loads((root / TABLE).read_text(encoding="utf-8"))
    for folder, numbers in table.items():
        match numbers:
            case [int(), int()]:
                continue
        raise ValueError(f"{TABLE}: {folder}: two numbers, not {numbers!r}")
    return {folder: (numbers[0], numbers[1]) for folder, numbers in table.items()}


def faults(table: dict[str, Count], limits: Budgets) -> Iterator[str]:
    """The folders with more than they are allowed, and the budgets of no folder."""
    for folder, count in table.items():
        have, may = (count.refused, count.relatives), limits.get(folder, (0, 0))
        if have[0] > may[0]:
            words = ", ".join(
                f"{name} {number}" for name, number in count.bare.most_common() if name in REFUSED
            )
            yield f"{folder}: {have[0]} bare names, {may[0]} allowed ({words}): use a noun"
        if have[1] > may[1]:
            yield (
                f"{folder}: {have[1]} free relatives, {may[1]} allowed: name the thing that "
                '"what" and "who" stand for'
            )
    for folder in limits.keys() - table.keys():
        yield f"{folder}: no such folder"


def render(table: dict[str, Count], limits: Budgets | None) -> str:
    """The text of ``tools/names.toml``: no number above the one that is there."""
    lines = [
        "# Bare names and free relatives that a folder still has: tools/names.py --write lowers",
        "# the numbers. A folder that is not here has none.",
    ]
    for folder, count in sorted(table.items()):
        numbers = (count.refused, count.relatives)
        if limits is not None:
            limit = limits.get(folder, (0, 0))
            numbers = (min(numbers[0], limit[0]), min(numbers[1], limit[1]))
        if any(numbers):
            lines.append(f'"{folder}" = [{numbers[0]}, {numbers[1]}]')
    return "\n".join([*lines, ""])


def row(folder: str, count: Count) -> str:
    """The line of a folder: its share of bare names, and its rate of free relatives."""
    share = 100 * count.bare.total() / count.names if count.names else 0.0
    rate = 1_000 * count.relatives / count.words if count.words else 0.0
    return f"{folder:26}{count.names:8}{count.bare.total():8}{share:7.1f} %{rate:9.1f}"


def total(table: dict[str, Count]) -> Count:
    """All folders together."""
    whole = Count()
    for count in table.values():
        whole.names += count.names
        whole.bare += count.bare
        whole.words += count.words
        whole.relatives += count.relatives
    return whole


def main(arguments: list[str]) -> int:
    """Print the shares, and judge them or write the budgets."""
    write = "--write" in arguments
    folders = tuple(argument for argument in arguments if argument != "--write")
    print(f"{'names':>34}{'bare':>8}{'':9}{'relatives / 1,000 words':>24}")
    if folders:
        for folder, count in counts(ROOT, folders).items():
            print(row(folder, count))
            print(*count.places, sep="\n")
        return 0
    table = counts(ROOT)
    print(row("all", total(table)))
    if write:
        limits = budgets(ROOT) if (ROOT / TABLE).is_file() else None
        (ROOT / TABLE).write_text(render(table, limits), encoding="utf-8")
    try:
        messages = list(faults(table, budgets(ROOT)))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    print(*messages, sep="\n", end="\n" if messages else "")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
