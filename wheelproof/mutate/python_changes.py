"""Changes of a Python file: of steps (labelled ones above all), locks, exceptions, expressions.

Every change is an edit of the text, so that labels, which are comments, stay on their lines. A file
that no longer parses after an edit is not drawn (see :func:`parses`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType

from wheelproof.mutate.change import Change, Edit, apply, distinct
from wheelproof.mutate.expressions import Expressions
from wheelproof.mutate.python_source import FUNCTIONS, Source, last_line

SIMPLE = (
    ast.Assign,
    ast.AugAssign,
    ast.AnnAssign,
    ast.Expr,
    ast.Return,
    ast.Raise,
    ast.Delete,
    ast.Break,
    ast.Continue,
    ast.Assert,
)
BLOCKS = ("body", "orelse", "finalbody")
Found = Iterator[tuple[str, int, list[Edit]]]
"""(operator, line, edits)"""


def blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    """Every list of statements inside a function; docstrings are left out."""
    for function in ast.walk(tree):
        if not isinstance(function, FUNCTIONS):
            continue
        for node in ast.walk(function):
            for field in BLOCKS:
                block = getattr(node, field, None)
                if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                    yield [statement for statement in block if not _is_text(statement)]


def _is_text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, (str, type(...)))
    )


def _names(node: ast.AST) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)} | {
        inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute)
    }


def _publishes(node: ast.AST) -> bool:
    """Whether a statement passes the object itself on: others then see its earlier writes."""
    return any(
        isinstance(inner, ast.Call)
        and any(isinstance(argument, ast.Name) and argument.id == "self" for argument in inner.args)
        for inner in ast.walk(node)
    )


class Statements:
    """The changes of whole statements: steps, locks, early ends and exception paths."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def changes(self) -> Found:
        keys = set()
        for block in blocks(self.source.tree):
            if not block or (block[0].lineno, block[0].col_offset) in keys:
                continue
            keys.add((block[0].lineno, block[0].col_offset))
            for number, node in enumerate(block):
                following = block[number + 1] if number + 1 < len(block) else None
                yield from self.statement(node, block[number - 1] if number else None, following)

    def statement(self, node: ast.stmt, before: ast.stmt | None, after: ast.stmt | None) -> Found:
        if not self.source.lines[node.lineno - 1][: node.col_offset].isspace() and node.col_offset:
            return  # behind another statement on its line
        if isinstance(node, SIMPLE):
            yield from self.simple(node)
        if after is not None:
            yield from self.swap(node, after)
        if before is not None and not isinstance(node, ast.Return):
            yield from self.ended(node)
        if isinstance(node, ast.With):
            yield from self.locked(node, before, after)
        if isinstance(node, ast.Try):
            yield from self.guarded(node)

    def indent(self, node: ast.stmt) -> str:
        return " " * node.col_offset

    def simple(self, node: ast.stmt) -> Found:
        start, end = self.source.whole(node)
        yield "step.drop", node.lineno, [Edit(start, end, f"{self.indent(node)}pass\n")]
        if isinstance(node, (ast.Break, ast.Continue)):
            yield (
                "flow.loop",
                node.lineno,
                [
                    Edit(
                        *self.source.span(node),
                        "continue" if isinstance(node, ast.Break) else "break",
                    )
                ],
            )
        again = (
            isinstance(node, (ast.AugAssign, ast.Expr))
            or isinstance(node, ast.Assign)
            and self.source.labelled(node)
        )
        if again and not self.source.place(node.lineno)[0].endswith(
            "__init__"
        ):  # a constructor's calls are made twice without effect
            yield (
                "step.duplicate",
                node.lineno,
                [Edit(start, start, f"{self.indent(node)}{self.source.text_of(node)}\n")],
            )

    def swap(self, node: ast.stmt, after: ast.stmt) -> Found:
        """Two neighbours change places, where their order matters.

        It matters for a label, for a name that both have, and for the object's publication.
        """
        ends = (ast.Return, ast.Raise, ast.Break, ast.Continue)
        if isinstance(node, (ends, *FUNCTIONS, ast.ClassDef)) or isinstance(after, FUNCTIONS):
            return
        has_label = self.source.labelled(node) or self.source.labelled(after)
        if (
            not has_label
            and not (_names(node) & _names(after)) - {"self"}
            and not _publishes(node)
            and not _publishes(after)
        ):
            return
        (start, end), (begin, stop) = self.source.whole(node), self.source.whole(after)
        text = self.source.text
        yield (
            "step.swap",
            node.lineno,
            [Edit(start, stop, text[begin:stop] + text[end:begin] + text[start:end])],
        )

    def ended(self, node: ast.stmt) -> Found:
        if self.source.labelled(node) or isinstance(
            node, (ast.With, ast.While, ast.For, ast.Expr, ast.AugAssign)
        ):
            start, _ = self.source.whole(node)
            yield "flow.return", node.lineno, [Edit(start, start, f"{self.indent(node)}return\n")]

    def locked(self, node: ast.With, before: ast.stmt | None, after: ast.stmt | None) -> Found:
        source, line = self.source, node.lineno
        head = self.source.starts[line - 1], self.source.starts[line]
        inner = next((statement for statement in node.body if not _is_text(statement)), None)
        if inner is None or inner.lineno == line:
            return
        yield "lock.drop", line, [Edit(*head, f"{self.indent(node)}if True:\n")]
        if len(node.items) == 1 and node.items[0].optional_vars is None:
            span = source.span(node.items[0].context_expr)
            if not isinstance(node.items[0].context_expr, ast.Call):
                yield (
                    "lock.fresh",
                    line,
                    [Edit(*span, f"type({source.text_of(node.items[0].context_expr)})()")],
                )
        first, last = node.body[0], node.body[-1]
        if len(node.body) > 1:
            yield "lock.narrow", line, [self.move(last, node.col_offset - last.col_offset)]
            start, end = source.whole(first)
            yield (
                "lock.narrow",
                line,
                [
                    Edit(start, end, ""),
                    Edit(head[0], head[0], self.shift(first, node.col_offset - first.col_offset)),
                ],
            )
        if after is not None:
            yield "lock.widen", line, [self.move(after, last.col_offset - after.col_offset)]
        if before is not None and not isinstance(before, FUNCTIONS):
            start, end = source.whole(before)
            yield (
                "lock.widen",
                line,
                [
                    Edit(start, end, ""),
                    Edit(
                        head[1], head[1], self.shift(before, first.col_offset - before.col_offset)
                    ),
                ],
            )

    def shift(self, node: ast.stmt, by: int) -> str:
        """The statement's lines, further in or out."""
        start, end = self.source.whole(node)
        lines = self.source.text[start:end].splitlines(keepends=True)
        return "".join(
            " " * by + line if by > 0 and line.strip() else line[-by:] if line.strip() else line
            for line in lines
        )

    def move(self, node: ast.stmt, by: int) -> Edit:
        return Edit(*self.source.whole(node), self.shift(node, by))

    def guarded(self, node: ast.Try) -> Found:
        source = self.source
        if node.finalbody:
            start, end = source.whole(node.finalbody[0])[0], source.whole(node.finalbody[-1])[1]
            yield (
                "exception.finally",
                node.finalbody[0].lineno,
                [Edit(start, end, f"{self.indent(node.finalbody[0])}pass\n")],
            )
        for handler in node.handlers:
            start, end = source.whole(handler.body[0])[0], source.whole(handler.body[-1])[1]
            pad = self.indent(handler.body[0])
            if not (isinstance(handler.body[0], ast.Raise) and handler.body[0].exc is None):
                yield "exception.raise", handler.lineno, [Edit(start, end, f"{pad}raise\n")]
            if len(handler.body) > 1:
                yield "exception.pass", handler.lineno, [Edit(start, end, f"{pad}pass\n")]
            if handler.type is not None:
                if source.text_of(handler.type) != "BaseException":
                    yield (
                        "exception.widen",
                        handler.lineno,
                        [Edit(*source.span(handler.type), "BaseException")],
                    )
                yield (
                    "exception.narrow",
                    handler.lineno,
                    [Edit(*source.span(handler.type), "ZeroDivisionError")],
                )


def changes(text: str, file: str, artefact: str) -> list[Change]:
    """Every change of a Python file, in the order of its lines. Raises SyntaxError."""
    source = Source(text)
    out = []
    for operator, line, edits in (*Statements(source).changes(), *Expressions(source).changes()):
        place, scope = source.place(line)
        out.append(Change(artefact, file, line, place, operator, text, apply(text, edits), scope))
    return distinct(out)


def parses(change: Change) -> bool:
    """Whether the changed file is Python: some edits of one line cannot know that they are not."""
    try:
        compile(change.after, change.file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def plant(text: str, file: str, artefact: str) -> tuple[Change | None, Change]:
    """(a change that every check must reject, one that none may reject): the controls of one file.

    The first makes the first function with a label raise, in a file without labels every function;
    None where there is no function. The second adds a constant that nothing uses.
    """
    source = Source(text)
    end = text if text.endswith("\n") else text + "\n"
    harmless = Change(
        artefact,
        file,
        len(source.lines),
        "module",
        "control.equivalent",
        text,
        f"{end}\n_PLANTED = 0\n",
        "",
    )
    candidates = [
        (name, node)
        for name, node in source.functions
        if node.body[0].lineno > node.lineno
        and last_line(node) > node.body[0].lineno
        or not _is_text(node.body[0])
        and node.body[0].lineno > node.lineno
    ]
    if not candidates:
        return None, harmless
    with_label = [candidate for candidate in candidates if source.labelled(candidate[1])]
    edits = []
    for _, node in with_label[:1] or candidates:
        body = [statement for statement in node.body if not _is_text(statement)] or node.body
        at = source.starts[body[0].lineno - 1]
        edits.append(Edit(at, at, f"{' ' * body[0].col_offset}raise RuntimeError('planted')\n"))
    name, node = (with_label or candidates)[0]
    return Change(
        artefact,
        file,
        node.lineno,
        name,
        "control.rejected",
        text,
        apply(text, edits),
        source.place(node.lineno)[1],
    ), harmless


def same_code(before: str, after: str, file: str) -> bool:
    """Whether two texts compile to the same code, line numbers and docstrings aside."""
    first, two = (
        compile(text, file, "exec", dont_inherit=True, optimize=2) for text in (before, after)
    )
    return _shape(first) == _shape(two)


def _shape(code: CodeType) -> tuple[object, ...]:
    consts = tuple(
        _shape(const) if isinstance(const, CodeType) else (type(const), repr(const))
        for const in code.co_consts
    )
    return (
        code.co_code,
        consts,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        code.co_argcount,
        code.co_kwonlyargcount,
        code.co_flags,
        code.co_exceptiontable,
    )
