"""Two decisions of a draft that can be taken away: a lock given back, and a change under a lock.

Each is a changed copy of the operations. The code is written of the copy, and the lines that differ
are the hunk. That of the specification follows from it.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from wheelproof.decisions import derived
from wheelproof.draft.steps import (
    Branch,
    Hold,
    Leave,
    Loop,
    Operation,
    Step,
    traverse,
)

_LABEL = re.compile(r"# \w+ ([A-Z]+\d+)")


@dataclass(frozen=True)
class Change:
    """A decision taken away from a draft."""

    name: str
    title: str
    text: str
    race: str
    operations: tuple[Operation, ...]
    data_race: bool = False
    ending: str = ""
    """The operation that must be its thread's last one in the scenario; "" for none."""
    variable: str = ""
    """The variable that threads must reach in several operations; "" for none."""

    def fits(self, programs: Iterable[str]) -> bool:
        """Whether a scenario of these programs can show it."""
        names = [[step.split()[0] for step in program.split("; ")] for program in programs]
        if self.ending:
            ends = any(words[-1] == self.ending for words in names)
            return ends and all(self.ending not in words[:-1] for words in names)
        reaching = {
            operation.name for operation in self.operations if _touches(operation, self.variable)
        }
        return sum(bool(reaching & set(words)) for words in names) > 1


def _touches(operation: Operation, variable: str) -> bool:
    """Whether an operation reads or writes a variable; each does where it is ""."""
    texts: list[str] = []
    for node in traverse(operation.body):
        match node:
            case Step(assignments=assignments):
                texts += [text for pair in assignments for text in pair]
            case Branch(formula=formula) | Loop(formula=formula):
                texts.append(formula)
    return not variable or any(re.search(rf"\b{variable}\b", text) for text in texts)


def keeps_lock(operations: Sequence[Operation]) -> Iterator[Change]:
    """Changes of which each leaves a lock taken at the end of an operation."""
    for place, operation in enumerate(operations):
        for number, node in enumerate(operation.body):
            if isinstance(node, Hold) and not node.again and _left_at_end(node):
                copies = copy.deepcopy(list(operations))
                block = copies[place].body[number]
                assert isinstance(block, Hold)
                block.keeps = True
                yield Change(
                    "KeepsLock",
                    f"{operation.name} does not give the lock back",
                    "Another thread may wait for it.",
                    "the next thread waits for ever",
                    tuple(copies),
                    ending=operation.name if node.guard.again else "",
                )


def outside(operations: Sequence[Operation], variables: Collection[str]) -> Iterator[Change]:
    """Changes of which each writes a field behind the block of its lock.

    ``variables``: the variables of fields. A write that sets a local, too, stays where it is.
    """
    for place, operation in enumerate(operations):
        for number, node in enumerate(operation.body):
            if not isinstance(node, Hold) or node.again or node.exits:
                continue
            for at, step in enumerate(node.body):
                if not isinstance(step, Step) or step.kind not in ("change", "write"):
                    continue
                if any(name not in variables for name, _ in step.assignments):
                    continue
                copies = copy.deepcopy(list(operations))
                block = copies[place].body[number]
                assert isinstance(block, Hold)
                write = block.body.pop(at)
                assert isinstance(write, Step)
                block.last = False
                copies[place].body.insert(number + 1, write)
                yield Change(
                    "Outside",
                    f"{operation.name} writes when it has given the lock back",
                    "Other threads that hold the lock read and write the same field.",
                    "two threads are at one field, and neither waits for the other",
                    tuple(copies),
                    True,
                    variable=write.assignments[0][0],
                )


def _left_at_end(node: Hold) -> bool:
    """Whether a block is left at its end alone."""
    returns = [
        leave for leave in traverse(node.body) if isinstance(leave, Leave) and leave.way == "return"
    ]
    return node.exits <= {"return"} and all(leave is node.body[-1] for leave in returns)


def hunk(change: Change, before: str, write: Callable[[Sequence[Operation]], str]) -> str:
    """The block ``diff`` of a change of the code; that of the specification follows from it.

    ``before``: the text of the code. ``write``: that of changed operations.
    """
    old, new = before.splitlines(), write(change.operations).splitlines()
    first, last = derived.difference(old, new)
    label = next(match[1] for line in old[first:] if (match := _LABEL.search(line)))
    lines = [f"-{line}" for line in old[first : len(old) - last]]
    lines += [f"+{line}" for line in new[first : len(new) - last]]
    return "\n".join([f"@@ impl {label}", *lines])


def document(change: Change, diff: str, scenario: str, ends: str) -> str:
    """The file of a decision. ``ends``: the field that says which property breaks, or why none."""
    more = "data_race = true\n" if change.data_race else ""
    return (
        f"# {change.name}: {change.title}\n\n{change.text}\n\n```diff\n{diff}\n```\n\n"
        f'```toml\n[{change.name}]\nrace = "{change.race}"\nscenario = "{scenario}"\n'
        f"{ends}\n{more}```\n"
    )
