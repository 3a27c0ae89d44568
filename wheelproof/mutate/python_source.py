"""A Python text with its syntax tree, labels and functions, for the operators of changes."""

from __future__ import annotations

import ast
from bisect import bisect_right
from functools import cached_property
from typing import Protocol

from wheelproof.python import labels

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Located(Protocol):
    """A syntax tree's node with a place in the text."""

    lineno: int
    col_offset: int
    end_lineno: int | None
    end_col_offset: int | None


def last_line(node: Located) -> int:
    """The number of a node's last line."""
    return node.end_lineno or node.lineno


class Source:
    """A Python text with the facts that the operators need."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = ast.parse(text)
        self.lines = text.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        self.marks = labels.of_source(text, "the file")

    def offset(self, line: int, column: int) -> int:
        """A character's offset from a node's line and its column, which counts bytes of UTF-8."""
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def line_of(self, offset: int) -> int:
        """The line, from 1, of a character."""
        return bisect_right(self.starts, offset)

    def span(self, node: Located) -> tuple[int, int]:
        end = self.offset(last_line(node), node.end_col_offset or node.col_offset)
        return self.offset(node.lineno, node.col_offset), end

    def text_of(self, node: Located) -> str:
        start, end = self.span(node)
        return self.text[start:end]

    def whole(self, node: Located) -> tuple[int, int]:
        """The node's lines with its comments: whole lines, from the first to the last."""
        return self.starts[node.lineno - 1], self.starts[last_line(node)]

    def labelled(self, node: Located) -> bool:
        """Whether a label is on one of the node's lines."""
        return any(line in self.marks for line in range(node.lineno, last_line(node) + 1))

    @cached_property
    def functions(self) -> list[tuple[str, Function]]:
        """(qualified name, node) of every function, outer ones first."""
        functions: list[tuple[str, Function]] = []

        def within(node: ast.AST, name: str) -> None:
            for child in ast.iter_child_nodes(node):
                inner = (
                    f"{name}.{child.name}".lstrip(".")
                    if isinstance(child, (*FUNCTIONS, ast.ClassDef))
                    else name
                )
                if isinstance(child, FUNCTIONS):
                    functions.append((inner, child))
                within(child, inner)

        within(self.tree, "")
        return functions

    def place(self, line: int) -> tuple[str, str]:
        """(qualified name, text) of the innermost function around a line, or of the line itself."""
        around = [
            (name, node) for name, node in self.functions if node.lineno <= line <= last_line(node)
        ]
        if not around:
            return "module", self.lines[line - 1]
        name, node = max(around, key=lambda pair: pair[1].lineno)
        start, end = self.whole(node)
        return name, self.text[start:end]
