"""Style rules of implementations and harnesses: one line is one step, and no state is hidden.

Rules about lines are here, rules about state that neither an object's slots nor a frame's locals
show in :mod:`wheelproof.python.style.hidden` and :mod:`wheelproof.python.style.suspension`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from wheelproof import reading
from wheelproof.mapping import MARKS
from wheelproof.python import labels, parsed
from wheelproof.python.findings import ExploreError, Faults, StyleFinding
from wheelproof.python.runtime import production
from wheelproof.python.state import stack
from wheelproof.python.style import (
    dropped,
    finalizers,
    hidden,
    set_order,
    standard,
    suspension,
)

_BRANCHING = (
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.Lambda,
    ast.IfExp,
    ast.BoolOp,
    ast.Await,
    ast.Yield,
    ast.YieldFrom,
)
_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")
_CALLED_BY_NAME = frozenset({"__init__", "__enter__", "__exit__", "__call__"})


def check(sources: Mapping[str, str], beside: Iterable[str] = ()) -> list[StyleFinding]:
    """All findings in the files of one mechanism, sorted. ``sources``: shown file name -> text.

    ``beside``: slots of classes in files that are not looked at.

    The files are looked at together: a function counts as one that can be suspended if it calls, by
    name, one that can. Raises :class:`~wheelproof.python.findings.LabelError` for an unreadable
    label and :class:`ExploreError` for a file that does not parse.
    """
    return list(_findings(tuple(sources.items()), frozenset(beside)))


@lru_cache(parsed.KEPT)
def _findings(
    texts: tuple[tuple[str, str], ...], beside: frozenset[str]
) -> tuple[StyleFinding, ...]:
    """The findings in files and their texts, once for each content."""
    trees: dict[str, ast.Module] = {}
    marks: dict[str, labels.Labels] = {}
    for file, text in texts:
        trees[file] = parsed.tree(text, file)
        marks[file] = labels.of_source(text, file)
    slots = beside | hidden.slots_in(trees.values())
    suspendable = suspension.suspendable_names(trees, marks)
    fields = frozenset(name for tree in trees.values() for name, _ in _classes_with_marks(tree))
    project = standard.project_of(trees, dict(texts))
    sets = set_order.names_of_sets(trees.values())
    findings = [
        _found_in(file, text, fields, suspendable, slots, project, sets) for file, text in texts
    ]
    return tuple(sorted(set().union(*findings)))


@lru_cache(parsed.KEPT)
def _found_in(
    file: str,
    text: str,
    fields: frozenset[str],
    suspendable: frozenset[str],
    slots: frozenset[str],
    project: standard.Project,
    sets: set_order.Named,
) -> frozenset[StyleFinding]:
    """The findings in one file, given the names that the other files declare."""
    tree, marks = parsed.tree(text), labels.of_source(text, file)
    parts = [
        _lines(tree, marks, fields),
        stack.returns_in_hand(tree, fields, marks.keys()),
        hidden.rules(
            tree, marks, suspendable, slots, production.marked_lines(tree, text), file, project
        ),
        set_order.rules(tree, sets),
        finalizers.rules(tree),
    ]
    if file.startswith("harness/"):
        parts.append(dropped.swallow_faults(tree))
    return frozenset(StyleFinding(file, *finding) for part in parts for finding in part)


def check_style(root: Path, mechanism: str) -> list[StyleFinding]:
    """Findings in a mechanism's harness and implementation modules.

    The implementation's modules are those that the harness names in ``SUBJECT`` (a literal tuple).
    """
    harness = root / "harness" / f"{mechanism}.py"
    if not harness.is_file():
        raise ExploreError(
            f"{harness}: there is no such file.", "Write the harness of the mechanism first."
        )
    files = [harness]
    for statement in reading.tree(reading.text(harness), harness).body:
        if isinstance(statement, ast.Assign) and any(
            isinstance(t, ast.Name) and t.id == "SUBJECT" for t in statement.targets
        ):
            names = _names(statement.value)
            if names is None:
                raise ExploreError(
                    f"{harness}:{statement.lineno}: SUBJECT is no literal.",
                    "Write the names of the modules out, in a tuple of texts.",
                )
            files += [root.joinpath(*name.split(".")).with_suffix(".py") for name in names]
    rest = [
        reading.tree(reading.text(file), file)
        for artefact in ("impl", "harness")
        for file in (root / artefact).glob("*.py")
    ]
    return check(
        {file.relative_to(root).as_posix(): reading.text(file) for file in files},
        hidden.slots_in(rest),
    )


def _lines(tree: ast.Module, marks: labels.Labels, fields: frozenset[str]) -> Faults:
    yield from _unique(tree, marks)
    yield from _slots(tree)
    for line, kinds in marks.items():
        if len(kinds) > 1 and set(kinds) not in labels.TOGETHER:
            yield (
                line,
                "one-operation",
                f"{len(kinds)} operations on one line ({', '.join(kinds)})",
                "give each its own line; only the lock and the unlock of one with share a line, "
                "and the parts of one wait",
            )
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            yield from _statement(node, marks, fields)
    for function in suspension.functions(tree):
        lines = suspension.own_lines(function)
        own_lines = [line for line in marks if line in lines]
        if not own_lines:
            continue
        name = function.name
        if name.startswith("__") and name.endswith("__") and name not in _CALLED_BY_NAME:
            yield (
                function.lineno,
                "special-method",
                f"a label in {name}, which Python calls out of the code's sight",
                "use a method with a name of its own",
            )
        for decorator in function.decorator_list:
            if not (
                isinstance(decorator, ast.Name) and decorator.id in ("staticmethod", "classmethod")
            ):
                yield (
                    decorator.lineno,
                    "decorated",
                    f"a label in {name}, which has a decorator",
                    "label plain methods only: a property or a wrapper hides the step from its "
                    "caller",
                )


def _unique(tree: ast.Module, marks: labels.Labels) -> Faults:
    first_lines: dict[tuple[str, str], int] = {}
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    for line, kinds in sorted(marks.items()):
        around = [c for c in classes if line in suspension.lines_of(c)]
        innermost = max(around, key=lambda c: c.lineno, default=None)
        scope = f"{innermost.lineno}" if innermost else "module"
        for label in kinds.values():
            first = first_lines.setdefault((scope, label), line)
            if first != line:
                yield (
                    line,
                    "unique",
                    f"label {label} is also on line {first} of the same class",
                    "give every step of a class its own label",
                )
        if len(set(kinds.values())) < len(kinds):
            yield (
                line,
                "unique",
                "one label for two operations",
                "give every step of a class its own label",
            )


@lru_cache(parsed.KEPT)
def _classes_with_marks(tree: ast.Module) -> tuple[tuple[str, tuple[ast.ClassDef, int]], ...]:
    return tuple(_marks_of(tree))


def _marks_of(tree: ast.Module) -> Iterator[tuple[str, tuple[ast.ClassDef, int]]]:
    for cls in ast.walk(tree):
        if isinstance(cls, ast.ClassDef):
            for statement in cls.body:
                if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                    head = (
                        statement.annotation.value
                        if isinstance(statement.annotation, ast.Subscript)
                        else statement.annotation
                    )
                    name = head.attr if isinstance(head, ast.Attribute) else getattr(head, "id", "")
                    if name in MARKS:
                        yield statement.target.id, (cls, statement.lineno)


def _names(value: ast.expr) -> tuple[str, ...] | None:
    """The names in a literal text, tuple or list; None where it is no such literal."""
    try:
        literal = ast.literal_eval(value)
    except ValueError:
        return None
    names = (literal,) if isinstance(literal, str) else literal
    if not isinstance(names, tuple | list) or not all(isinstance(name, str) for name in names):
        return None
    return tuple(names)


def _slots(tree: ast.Module) -> Faults:
    for field, (cls, line) in _classes_with_marks(tree):
        values = [
            statement.value
            for statement in cls.body
            if isinstance(statement, ast.Assign)
            and any(getattr(target, "id", "") == "__slots__" for target in statement.targets)
        ]
        slots = _names(values[0]) if values else ()
        if slots is None:
            yield (
                values[0].lineno,
                "slot",
                f"the __slots__ of {cls.name} are no literal",
                "write their names out, in a tuple of texts",
            )
        elif field not in slots:
            yield (
                line,
                "slot",
                f"{cls.name}.{field} is marked but is no slot",
                f"add {field!r} to __slots__ of {cls.name}",
            )


def _statement(node: ast.stmt, marks: labels.Labels, fields: frozenset[str]) -> Faults:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield from _definition(node, marks)
        return
    inner = _header(node)
    ends = [getattr(n, "end_lineno", None) for n in inner]
    last = max([end for end in ends if end is not None], default=node.lineno)
    if not any(node.lineno <= line <= last for line in marks):
        return
    if last != node.lineno:
        yield (
            node.lineno,
            "one-line",
            "a labelled statement that goes over several lines",
            "write it on one line; Python 3.11 and 3.13 number the parts differently",
        )
    yield from _branches(node, inner)
    yield from _compound(node)
    yield from _stores(node, inner, fields)


def _definition(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, marks: labels.Labels
) -> Faults:
    for line in range(node.lineno, node.body[0].lineno):
        if line in marks:
            yield (
                line,
                "misplaced",
                "a label on the head of a definition",
                "put it behind the operation that it names",
            )


def _header(node: ast.stmt) -> list[ast.AST]:
    """The nodes that a statement evaluates itself. The blocks of a compound one are statements."""
    parts = [
        part
        for field, value in ast.iter_fields(node)
        if field not in _BODIES
        for part in (value if isinstance(value, list) else [value])
        if isinstance(part, ast.AST)
    ]
    return [n for part in parts for n in ast.walk(part)]


def _branches(node: ast.stmt, inner: list[ast.AST]) -> Faults:
    """A labelled line always performs its one operation."""
    if any(isinstance(n, _BRANCHING) for n in inner):
        yield (
            node.lineno,
            "no-branch",
            "and/or, a conditional expression, a comprehension or a lambda on a labelled line",
            "write the condition as a statement of its own: a labelled line always performs its "
            "one operation",
        )
    if any(isinstance(n, ast.Compare) and len(n.ops) > 1 for n in inner):
        yield (
            node.lineno,
            "no-branch",
            "a chained comparison on a labelled line",
            "compare once: a chain skips its later operands",
        )


def _compound(node: ast.stmt) -> Faults:
    """A labelled line has one operation, and no block beside it."""
    if isinstance(node, ast.With) and len(node.items) > 1:
        yield (
            node.lineno,
            "one-manager",
            "several context managers in one labelled with",
            "nest one with per lock",
        )
    if isinstance(node, (ast.For, ast.AsyncFor)):
        yield (
            node.lineno,
            "no-for-header",
            "a label on the header of a for",
            "perform the operation on a line of its own",
        )
    body = getattr(node, "body", None)
    if body and isinstance(body, list) and body[0].lineno == node.lineno:
        yield (
            node.lineno,
            "one-statement",
            "a labelled line with a second statement on it",
            "put the block on its own line",
        )


def _stores(node: ast.stmt, inner: list[ast.AST], fields: frozenset[str]) -> Faults:
    """A labelled line writes one shared field, and does not read it too."""
    accesses = [n for n in inner if isinstance(n, ast.Attribute) and n.attr in fields]
    stores = [n for n in accesses if isinstance(n.ctx, (ast.Store, ast.Del))]
    if len(stores) > 1:
        yield (
            node.lineno,
            "one-operation",
            f"{len(stores)} shared fields written on one labelled line",
            "give each write its own line and label",
        )
    if isinstance(node, ast.AugAssign) and stores:
        yield (
            node.lineno,
            "one-operation",
            "a shared field read and written by one augmented assignment",
            "read it into a local, then write it",
        )
