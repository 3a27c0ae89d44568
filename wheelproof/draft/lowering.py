"""Methods as steps: a label for each access that other threads may see.

A line under a lock is one step, however many fields it reads. Outside of all locks each access is a
step of its own. Calls of other methods of the class are replaced by their bodies. A statement that
is not known becomes a hole.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Mapping, Sequence

from wheelproof.draft import folding, rewriting
from wheelproof.draft.calls import Calls
from wheelproof.draft.expressions import Expressions, Untranslated
from wheelproof.draft.steps import (
    Branch,
    Hold,
    Hole,
    Leave,
    Loop,
    Node,
    Operation,
    Step,
)
from wheelproof.draft.subject import Guard, Subject


class Lowering(Calls):
    """Makes an operation of one method."""

    def operation(self) -> Operation:
        """The method as an operation."""
        arguments, defaults = self._arguments()
        texts = {
            name: f"Operation(self, turn)[{place}]" for place, name in enumerate(arguments, start=2)
        }
        self.expressions = Expressions(self.subject, texts, self.variables, self.kinds)
        statements = self.prepared(self.method.body, defaults)
        first = [
            Step("", [(self.variable(name, "any"), texts[name])])
            for name in arguments
            if name in rewriting.locals_of(statements)
        ]
        body = [*first, *self.block(statements, last=True)]
        return Operation(
            self.method.name,
            arguments,
            body,
            ast.get_docstring(self.method) or "",
            sorted(set(self.raises)),
            frozenset(self.expressions.numbers),
            self.kinds.get(self.result, "any") in ("sequence", "set", "pairs"),
            {name: ast.unparse(value) for name, value in defaults.items()},
        )

    def _arguments(self) -> tuple[list[str], dict[str, ast.expr]]:
        """The arguments that a scenario gives, and the defaults of the others."""
        parameters = self.method.args
        positional = [*parameters.posonlyargs, *parameters.args][1:]
        values = [None] * (len(positional) - len(parameters.defaults)) + list(parameters.defaults)
        pairs = list(zip(positional, values[-len(positional) :] if positional else [], strict=True))
        pairs += list(zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True))
        arguments = [argument.arg for argument, value in pairs if value is None]
        return arguments, {argument.arg: value for argument, value in pairs if value is not None}

    def prepared(
        self, statements: Sequence[ast.stmt], values: Mapping[str, ast.expr]
    ) -> list[ast.stmt]:
        """Statements with constants and short methods in the place of their names."""
        evaluator = rewriting.Evaluated(self.subject.methods)
        short = [evaluator.visit(copy.deepcopy(statement)) for statement in statements]
        return folding.fold(short, {**self._constants(), **values})

    def _constants(self) -> dict[str, ast.expr]:
        """The names and the attributes with a value that never changes."""
        return {
            **self.subject.globals,
            **{
                f"self.{name}": value
                for name, value in self.subject.values.items()
                if isinstance(value, ast.Constant)
            },
        }

    def block(self, statements: Sequence[ast.stmt], last: bool = False) -> list[Node]:
        """The nodes of a block. ``last``: whether the operation ends behind it."""
        nodes: list[Node] = []
        statements = list(rewriting.as_blocks(statements))
        for place, statement in enumerate(statements):
            nodes += self.statement(statement, last and place == len(statements) - 1)
            if nodes and _ends(nodes[-1]):
                break
        return nodes

    def statement(self, statement: ast.stmt, last: bool) -> list[Node]:
        """The nodes of a statement; a hole where it is not known."""
        before, raises = self.count, list(self.raises)
        holds, blocks = list(self.held), list(self.blocks)
        try:
            return list(self.nodes(statement, last))
        except Untranslated as error:
            self.count, self.raises, self.held, self.blocks = before, raises, holds, blocks
            text = ast.unparse(statement).splitlines()
            return [
                Hole(
                    statement.lineno,
                    text[0] + (" ..." if len(text) > 1 else ""),
                    str(error),
                    self.label(),
                )
            ]

    def nodes(self, statement: ast.stmt, last: bool) -> Iterator[Node]:
        match statement:
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                return
            case ast.With(items=[first, *more], body=body):
                inner = [ast.With(more, body, lineno=statement.lineno)] if more else body
                yield self.hold(self.guard(first), inner, last)
            case ast.If():
                yield from self.branch(statement, last)
            case ast.While():
                yield from self.loop(statement)
            case ast.For(
                target=ast.Name(id=name),
                iter=ast.Call(func=ast.Name(id="range"), args=[limit]),
                orelse=[],
            ) if not rewriting.continues(statement.body):
                yield from self.counted(name, limit, statement)
            case ast.Try(handlers=[], orelse=[], finalbody=[ast.Expr(value=ast.Call())]):
                raise Untranslated("a finally without the acquire of its lock right before it")
            case ast.Return(value=value):
                yield from self.ends(value)
            case ast.Raise(exc=ast.expr() as error):
                name = ast.unparse(error.func if isinstance(error, ast.Call) else error)
                if not name.isidentifier():
                    raise Untranslated(f"{name} is an exception of another module")
                self.raises.append(name)
                yield Step("", [("result", f'"{name}"')])
                yield self.leave("return", ast.unparse(statement))
            case ast.Break():
                yield self.leave("break", "break")
            case ast.Continue():
                yield self.leave("continue", "continue")
            case ast.Assign(targets=[target], value=value):
                yield from self.assign(target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                yield from self.assign(target, value)
            case ast.AugAssign(target=target, op=op, value=value):
                source = copy.deepcopy(target)
                for node in ast.walk(source):
                    if hasattr(node, "ctx"):
                        node.ctx = ast.Load()
                yield from self.assign(target, ast.BinOp(source, op, value))
            case ast.Delete(targets=[ast.Subscript(value=value, slice=key)]):
                variable = self.field(value, "pairs")
                at = self.expressions.term(key).text
                yield self.change(
                    ast.unparse(statement), variable, f"WithoutKey({variable}, {at})", key
                )
            case ast.Expr(value=ast.Call() as call):
                yield from self.call(call, None)
            case _:
                raise Untranslated(f"{type(statement).__name__} is outside of what a draft knows")

    def hold(self, guard: Guard, body: Sequence[ast.stmt], last: bool) -> Hold:
        """A block under a lock."""
        again = guard.lock in self.held
        if again and self.subject.guards[guard.lock].sort == "Lock":
            raise Untranslated(f"{guard.attribute} is taken twice, and is not re-entrant")
        node = Hold(guard, self.label(), again=again, last=last)
        self.held.append(guard.lock)
        self.blocks.append(node)
        node.body = self.block(body, last)
        self.blocks.pop()
        self.held.pop()
        node.unlock = self.label()
        return node

    def branch(self, statement: ast.If, last: bool) -> Iterator[Node]:
        """An ``if``: a step where its condition reads shared fields."""
        nodes, python, formula, label = self.test(statement.test)
        yield from nodes
        yield Branch(
            python,
            formula,
            label,
            self.block(statement.body, last),
            self.block(statement.orelse, last),
        )

    def loop(self, statement: ast.While) -> Iterator[Node]:
        """A ``while``: one whose condition takes several steps tests it in its body."""
        if statement.orelse:
            raise Untranslated("an else of a loop is outside of what a draft knows")
        before = self.count
        nodes, python, formula, label = self.test(statement.test)
        body = list(statement.body)
        if nodes:
            self.count = before
            end = ast.If(ast.UnaryOp(ast.Not(), statement.test), [ast.Break()], [])
            body = [ast.copy_location(ast.fix_missing_locations(end), statement), *body]
            python, formula, label = "True", "TRUE", ""
        node = Loop(python, formula, label)
        self.blocks.append(node)
        node.body = self.block(body)
        self.blocks.pop()
        yield node

    def counted(self, name: str, limit: ast.expr, statement: ast.For) -> Iterator[Node]:
        """A ``for`` over a ``range``: a loop with a number."""
        yield from self.local(name, ast.Constant(0))
        here = ast.Name(name, ast.Load())
        more = ast.Assign(
            [ast.Name(name, ast.Store())], ast.BinOp(here, ast.Add(), ast.Constant(1))
        )
        loop = ast.While(ast.Compare(here, [ast.Lt()], [limit]), [*statement.body, more], [])
        yield from self.loop(ast.fix_missing_locations(ast.copy_location(loop, statement)))

    def ends(self, value: ast.expr | None) -> Iterator[Node]:
        """A ``return``."""
        if value is None or (isinstance(value, ast.Constant) and value.value is None):
            yield self.leave("return", "return")
            return
        yield from self.assign(ast.Name(self.result, ast.Store()), value)
        yield self.leave("return", f"return {self.result}")

    def test(self, node: ast.expr) -> tuple[list[Node], str, str, str]:
        """A condition: steps before it, its Python, its formula, its label."""
        reads = self.expressions.reads(node)
        if isinstance(node, ast.Call) and self.is_own(node):
            nodes = list(self.call(node, self.condition))
            here = ast.Name(self.condition, ast.Load())
            return nodes, self.condition, self.expressions.truth(here), ""
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=operand) if self.composite(operand):
                nodes, _, formula, _ = self.test(operand)
                return nodes, f"not {self.condition}", f"~{formula}", ""
        if self.composite(node):
            nodes = list(self.local(self.condition, rewriting.as_truth(node)))
            return nodes, self.condition, self.variables[self.condition], ""
        self.apart(node, reads)
        formula = self.expressions.truth(node)
        return [], ast.unparse(node), formula, self.label() if reads else ""


def _ends(node: Node) -> bool:
    """Whether nothing behind a node can run."""
    match node:
        case Leave():
            return True
        case Hold(body=[*_, final]):
            return _ends(final)
        case Branch(then=[*_, then], otherwise=[*_, otherwise]):
            return _ends(then) and _ends(otherwise)
    return False


class Class:
    """The operations of a class; ``unguarded`` has the fields that some of them see unlocked."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.unguarded: set[str] = set()

    def operations(self) -> Iterator[Operation]:
        """The operations in the order of the class."""
        prefixes = _prefixes(self.subject.operations)
        for name in self.subject.operations:
            method = Lowering(self.subject, self.subject.methods[name], prefixes[name])
            yield method.operation()
            self.unguarded |= method.unguarded


def _prefixes(names: Sequence[str]) -> Mapping[str, str]:
    """Operation -> the letters of its labels: as few as tell them apart, and no T and no Z."""
    prefixes: dict[str, str] = {}
    for name in names:
        letters = name.replace("_", "").upper()
        choices: list[str] = [letters[:length] for length in range(1, len(letters) + 1)]
        free: Callable[[str], bool] = lambda text: (  # noqa: E731
            text not in (*prefixes.values(), "T", "Z") and text.isalpha()
        )
        prefixes[name] = next(filter(free, [*choices, *(f"{letters}{c}" for c in "ABCDEFGH")]))
    return prefixes
