"""What a mutant class puts in place of the implementation's: its methods and the labels on their lines."""
import ast
from typing import NamedTuple

from wheelproof.explore import labels


class Method(NamedTuple):
    """``labels``: those on its lines; ``kinds``: label -> the kind that its comment says."""

    function: ast.FunctionDef
    labels: frozenset[str]
    kinds: dict[str, str]


def functions(text: str) -> dict[tuple[str, ...], Method]:
    """Path of names -> a method of a module."""
    found, marks = {}, labels.of_source(text)

    def within(node, path):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.ClassDef, ast.FunctionDef)):
                here = (*path, child.name)
                if isinstance(child, ast.FunctionDef):
                    lines = range(child.lineno, child.end_lineno + 1)
                    kinds = {label: kind for line in lines for kind, label in marks.get(line, {}).items()}
                    found[here] = Method(child, frozenset(kinds), kinds)
                within(child, here)

    within(ast.parse(text), ())
    return found
