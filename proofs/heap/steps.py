"""The values that the steps of a module give to its queue and keys, read from the tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from proofs.heap.reading import Reading
from proofs.heap.sequences import Sequence
from wheelproof.prove.kernel import ProofError
from wheelproof.tla.layout import actions, label_of
from wheelproof.tla.syntax import (
    Builtin,
    Call,
    Definition,
    Expression,
    Module,
    Variable,
    children,
    conjuncts,
)

SAME, KEY = "", "key"


@dataclass(frozen=True)
class Steps:
    """``operators``: those that may give the queue another value.

    Their first argument is the queue, and the last is the keys, both as they are before the step.
    """

    module: Module
    queue: str
    key: str
    operators: frozenset[str]

    def start(self) -> Sequence:
        """The value that Init gives the queue."""
        values = [
            value
            for conjunct in conjuncts(self.module.definition("Init").body)
            for value in self.defined(conjunct)
        ]
        if len(values) != 1:
            raise ProofError(f"Init gives {self.queue} {len(values)} values.")
        sequence = Reading(self.module).of(values[0], {})
        assert isinstance(sequence, Sequence)
        return sequence

    def defined(self, node: Expression) -> Iterator[Expression]:
        match node:
            case Builtin("=", (Variable(name), value)) if name == self.queue:
                yield value

    def labels(self, kind: str) -> tuple[str, ...]:
        """The labels whose steps give the queue an operator's value, or give a key: `KEY`."""
        return tuple(label for label, kinds in self.kinds.items() if kind in kinds)

    @cached_property
    def kinds(self) -> dict[str, frozenset[str]]:
        """Label -> the effects of its steps on the queue and on the keys.

        ProofError: they give one of them something else, or both another value.
        """
        table = {
            label_of(action): frozenset(self.of(action)) - {SAME} for action in actions(self.module)
        }
        for label, kinds in table.items():
            if KEY in kinds and len(kinds) > 1:
                raise ProofError(
                    f"{label} gives {self.queue} and {self.key} another value in one step."
                )
        return table

    def of(self, action: Definition) -> Iterator[str]:
        """The effects of one action."""
        for name, kind in ((self.queue, self.of_queue), (self.key, self.of_key)):
            values = [*assigned(action.body, name)]
            if mentioned(action.body, name) != len(values):
                raise ProofError(f"{action.place}: {label_of(action)} uses {name}' otherwise.")
            yield from map(kind, values)

    def of_queue(self, value: Expression) -> str:
        match value:
            case Variable(name) if name == self.queue:
                return SAME
            case Call(_, (Variable(queue), *_, Variable(key))) if value.name in self.operators:
                if (queue, key) == (self.queue, self.key):
                    return value.name
        raise ProofError(f"{value.place}: {self.queue} gets what no operator of the heap makes.")

    def of_key(self, value: Expression) -> str:
        match value:
            case Variable(name) if name == self.key:
                return SAME
            case Builtin("$Except", (Variable(name), Builtin("$Pair", (Builtin("$Seq", path), _)))):
                if name == self.key and len(path) == 1:
                    return KEY
        raise ProofError(f"{value.place}: {self.key} changes at more than one element.")


def assigned(node: Expression, name: str) -> Iterator[Expression]:
    """The values that a formula gives to a variable."""
    match node:
        case Builtin("=", (Builtin("'", (Variable(variable),)), value)) if variable == name:
            yield value
    for child in children(node):
        yield from assigned(child, name)


def mentioned(node: Expression, name: str) -> int:
    """How often a formula has a variable's next value."""
    here = isinstance(node, Builtin) and node.name == "'" and node.arguments[0]
    is_own = isinstance(here, Variable) and here.name == name
    return int(is_own) + sum(mentioned(child, name) for child in children(node))
