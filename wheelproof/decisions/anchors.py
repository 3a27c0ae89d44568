"""Anchors: the labels and definitions of a source file, each with the lines for hunks.

TLA+: a PlusCal label, macro, procedure or process, an operator, ``variables`` for those of the
algorithm and ``constants`` for those of the module. An anchor's lines end where the next one
begins. Python: a function, a class or an assignment outside functions (``RingBuffer.add``,
``add``), and a label in a comment (``# read W1``), whose lines are those of the function that has
it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from wheelproof import reading
from wheelproof.errors import UsageError

IMPORTS = "imports"

Anchor = tuple[str, range]
"""(name, lines counted from 0)"""

_TRANSLATION = re.compile(r"^\\\* BEGIN TRANSLATION", re.MULTILINE)
_TLA = re.compile(
    r"""^\s*(?:
        (?P<declared>CONSTANTS?)\b | .*--(?:fair\s+)?(?P<algorithm>algorithm)\b
      | (?:fair\+?\s+)?(?:macro|procedure|process)\s*\(?(?P<block>\w+)
      | (?P<label>[A-Za-z]\w*):(?!=|:)
    ) | ^\ {0,2}(?P<operator>[A-Za-z]\w*)(?:\([^)]*\))?\s*==(?!=)""",
    re.VERBOSE,
)


def anchors_of(file: Path, text: str) -> list[Anchor]:
    """All anchors of a source file.

    Raises UsageError on Python that cannot be parsed, and on other kinds of files.
    """
    return list(_anchors_of(file, text))


@lru_cache(maxsize=128)
def _anchors_of(file: Path, text: str) -> tuple[Anchor, ...]:
    """The anchors of a file, once for all the hunks that change it."""
    if file.suffix == ".tla":
        return tuple(_of_tla(text))
    if file.suffix == ".py":
        return tuple(_of_python(file, text))
    raise UsageError(f"{file}: decisions change .tla and .py files only.")


def _of_tla(text: str) -> list[Anchor]:
    """Those above the translation, which is made anew."""
    cut = _TRANSLATION.search(text)
    lines = (text[: cut.start()] if cut else text).split("\n")
    anchors = []
    for number, line in enumerate(lines):
        if match := _TLA.match(line):
            title = match["block"] or match["label"] or match["operator"]
            anchors.append((title or ("variables" if match["algorithm"] else "constants"), number))
    ends = [*(number for _, number in anchors[1:]), len(lines)][: len(anchors)]
    return [(name, range(begin, end)) for (name, begin), end in zip(anchors, ends, strict=True)]


def _of_python(file: Path, text: str) -> Iterator[Anchor]:
    from wheelproof.python import labels  # which imports the whole of wheelproof.python

    tree = reading.tree(text, file)
    functions: list[range] = []
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    if imports:
        yield IMPORTS, range(imports[0].lineno - 1, imports[-1].end_lineno or imports[-1].lineno)

    def within(node: ast.AST, path: str) -> Iterator[Anchor]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                first = (
                    min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
                    - 1
                )
                lines = range(first, child.end_lineno or child.lineno)
                name = f"{path}{child.name}"
                yield name, lines
                if path:
                    yield child.name, lines
                if not isinstance(child, ast.ClassDef):
                    functions.append(lines)
                yield from within(child, f"{name}.")
            elif isinstance(node, ast.Module | ast.ClassDef) and isinstance(
                child, ast.Assign | ast.AnnAssign
            ):
                for target in child.targets if isinstance(child, ast.Assign) else [child.target]:
                    if isinstance(target, ast.Name):
                        yield target.id, range(child.lineno - 1, child.end_lineno or child.lineno)

    regions = list(within(tree, ""))
    yield from regions
    lines_by_name: dict[str, set[range]] = {}
    for line, kinds in labels.of_source(text, str(file)).items():
        around = [lines for lines in functions if line - 1 in lines]
        for label in kinds.values():
            lines_by_name.setdefault(label, set()).add(
                min(around, key=len) if around else range(line - 1, line)
            )
    names = {name for name, _ in regions}
    for label, places in lines_by_name.items():
        if label not in names:
            yield from ((label, lines) for lines in places)
