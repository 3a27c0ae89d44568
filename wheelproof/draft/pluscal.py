"""A draft's specification: the operations as one PlusCal algorithm."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from wheelproof.draft.steps import (
    Branch,
    Hold,
    Hole,
    Leave,
    Loop,
    Node,
    Notify,
    Operation,
    Sleep,
    Step,
    traverse,
)
from wheelproof.draft.subject import Guard, Subject

START = "T0"
"""The label at which a thread takes its next operation."""

SILENT = "Z"
"""The letter of labels that PlusCal forces and the code lacks."""

STAYS = '"no"'
"""The value of ``leaves`` of a thread that leaves no block early."""


class Writer:
    """Writes the steps of all operations."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.lines: list[str] = []
        self._added = 0
        """How many labels PlusCal has forced."""
        self.leaves = False
        """Whether some thread leaves a block early."""
        self._barred = False
        """Whether the next statement needs a label."""
        self._assigned: set[str] = set()
        """The variables that the present step has assigned."""
        self._labels = 0
        """How many labels are written."""
        self._around: list[Hold | Loop] = []
        self._tops: dict[int, str] = {}
        self._ends: dict[int, str] = {}

    def operations(self, operations: Sequence[Operation]) -> str:
        """The body of the process: a branch for each operation."""
        before = {"turn", "result"}
        for place, operation in enumerate(operations):
            word = "elsif" if place else "if"
            self._line(3, f'{word} Operation(self, turn)[1] = "{operation.name}" then')
            self._barred, self._assigned = False, set(before)
            if operation.body:
                self.block(operation.body, 4, last=True)
            else:
                self._line(4, "skip;")
        self._line(3, "end if;")
        return "\n".join(self.lines)

    def block(self, nodes: Sequence[Node], depth: int, last: bool) -> None:
        """Write nodes. ``last``: whether the operation, or its outermost lock, ends behind them."""
        for place, node in enumerate(nodes):
            self._node(node, depth, last and place == len(nodes) - 1)
        if not nodes:
            self._line(depth, "skip;")

    # -- nodes

    def _node(self, node: Node, depth: int, last: bool) -> None:
        match node:
            case Step(assignments=assignments, label=label):
                self._step(assignments, label, depth)
            case Hold():
                self._hold(node, depth)
            case Sleep(guard=guard, labels=(wait, wake, lock)):
                self._begin(wait, depth, self._releases(guard))
                self._line(depth, f"{guard.asleep} := {guard.asleep} \\cup {{self}};")
                self._begin(wake, depth, f"await Offered({guard.tickets}, self);")
                self._line(depth, f"{guard.tickets} := Taken({guard.tickets}, self);")
                self._line(depth, f"{guard.asleep} := {guard.asleep} \\ {{self}};")
                self._begin(lock, depth, f"await {guard.owner} = NULL;")
                self._line(depth, f"{guard.owner} := self;")
                self._assigned = {guard.owner}
            case Notify(guard=guard, label=label, count=count):
                several = f"Notified({guard.tickets}, {guard.asleep}, {count})"
                value = several if count else f"NotifiedAll({guard.tickets}, {guard.asleep})"
                self._step([(guard.tickets, value)], label, depth)
            case Branch():
                self._branch(node, depth, last)
            case Loop():
                self._loop(node, depth)
            case Leave(way=way):
                self._leave(way, depth, last)
            case Hole(line=line, text=text, label=label):
                self._begin(label, depth, "skip;")
                self._line(depth, f"\\* HOLE, line {line}: {text}")

    def _step(self, assignments: Sequence[tuple[str, str]], label: str, depth: int) -> None:
        if not label and not assignments:
            return
        if not label and (self._barred or any(name in self._assigned for name, _ in assignments)):
            label = self._silent()
        texts = [f"{name} := {value};" for name, value in assignments] or ["skip;"]
        if label:
            self._begin(label, depth, texts[0])
            texts = texts[1:]
        for text in texts:
            self._line(depth, text)
        self._assigned |= {name for name, _ in assignments}

    def _hold(self, node: Hold, depth: int) -> None:
        owner = node.guard.owner
        if node.again:
            self._begin(node.lock, depth, f"await {owner} \\in {{NULL, self}};")
        else:
            self._begin(node.lock, depth, f"await {owner} = NULL;")
        if not node.again:
            self._line(depth, f"{owner} := self;")
        self._assigned = {owner}
        self._around.append(node)
        self.block(node.body, depth, node.last)
        self._around.pop()
        if node.keeps:
            return
        self._begin(node.unlock, depth, "skip;" if node.again else self._releases(node.guard))
        self._assigned = {owner}
        for place, way in enumerate(sorted(self._flags(node))):
            target, keeps = self._target(way)
            self._line(depth, f'{"elsif" if place else "if"} leaves = "{way}" then')
            if not keeps:
                self._line(depth + 1, f"leaves := {STAYS};")
            self._line(depth + 1, f"goto {target};")
        if self._flags(node):
            self._line(depth, "end if;")
            self._barred = True

    def _flags(self, node: Hold) -> set[str]:
        """The ways out of a lock's block that do not go on behind it."""
        return node.exits - ({"return"} if node.last else set())

    def _branch(self, node: Branch, depth: int, last: bool) -> None:
        label = node.label or (self._silent() if self._barred else "")
        text = f"if {node.formula} then"
        if label:
            self._begin(label, depth, text)
        else:
            self._line(depth, text)
        before, labels = set(self._assigned), self._labels
        self.block(node.then, depth + 1, last)
        is_barred, names_assigned = self._barred, set(self._assigned)
        self._barred, self._assigned = False, before
        if node.otherwise:
            self._line(depth, "else")
            self.block(node.otherwise, depth + 1, last)
        self._line(depth, "end if;")
        self._barred = is_barred or self._barred or self._labels > labels
        self._assigned |= names_assigned

    def _loop(self, node: Loop, depth: int) -> None:
        label = node.label or self._silent()
        self._tops[id(node)] = label
        self._begin(label, depth, f"while {node.formula} do")
        self._around.append(node)
        self.block(node.body, depth + 1, False)
        self._around.pop()
        self._line(depth, "end while;")
        self._barred, self._assigned = False, set()
        if end := self._ends.get(id(node)):
            self._begin(end, depth, "skip;")

    def _leave(self, way: str, depth: int, last: bool) -> None:
        if way == "return" and last:
            return
        for block in reversed(self._around):
            if isinstance(block, Hold):
                if way in self._flags(block):
                    self._step([("leaves", f'"{way}"')], "", depth)
                    self.leaves = True
                self._goto(block.unlock, depth)
                return
            if way != "return":
                self._goto(self._of_loop(block, way), depth)
                return
        self._goto(START, depth)

    def _target(self, way: str) -> tuple[str, bool]:
        """Where a way out goes behind a lock, and whether ``leaves`` keeps its value."""
        for block in reversed(self._around):
            if isinstance(block, Hold):
                return block.unlock, way in self._flags(block)
            if way != "return":
                return self._of_loop(block, way), False
        return START, False

    def _of_loop(self, loop: Loop, way: str) -> str:
        if way == "continue":
            return self._tops[id(loop)]
        if id(loop) not in self._ends:
            self._ends[id(loop)] = self._silent()
        return self._ends[id(loop)]

    # -- lines

    def _releases(self, guard: Guard) -> str:
        return f"{guard.owner} := NULL;"

    def _goto(self, target: str, depth: int) -> None:
        if self._barred:
            self._begin(self._silent(), depth, f"goto {target};")
        else:
            self._line(depth, f"goto {target};")
        self._barred = True

    def _begin(self, label: str, depth: int, text: str) -> None:
        """A line with a label: a new step."""
        self._labels += 1
        self._barred, self._assigned = False, set()
        indent = " " * max(1, 2 * depth - len(label) - 1)
        self.lines.append(f"{label}:{indent}{text}")

    def _line(self, depth: int, text: str) -> None:
        self.lines.append("  " * depth + text)

    def _silent(self) -> str:
        self._added += 1
        return f"{SILENT}{self._added}"


def module(subject: Subject, name: str, operations: Sequence[Operation]) -> str:
    """The module without its translation."""
    writer = Writer(subject)
    body = writer.operations(operations)
    lines = "\n".join(_variables(subject))
    constants = "".join(f"  {constant},\n" for constant in subject.constants.values())
    locals_ = {variable for operation in operations for variable in _locals(subject, operation)}
    more = "".join(f", {variable} = NULL" for variable in sorted(locals_ - {"result"}))
    leaves = f", leaves = {STAYS}" if writer.leaves else ""
    first = next(iter(subject.locks.values()))
    summary = " ".join(subject.docstring.split("\n\n")[0].split())
    sentence = f"{subject.name} of {subject.file.name}." + (f"  {summary}" if summary else "")
    comment = textwrap.fill(
        sentence.replace("(*", "( *").replace("*)", "* )"), 92, subsequent_indent="   "
    )
    return (
        f"{f' MODULE {name} '.center(76, '-')}\n"
        f"(* {comment} *)\n"
        "EXTENDS Integers, Sequences, FiniteSets, Conditions, Containers\n\n"
        "CONSTANTS\n"
        "  Program,     \\* thread |-> sequence of operations <<name, arguments>>\n"
        f"{constants}"
        "  NULL\n\n"
        "Threads == DOMAIN Program\n"
        "Operation(t, turn) == Program[t][turn - 1]  \\* the one that t has begun\n\n"
        f"(*--algorithm {name}\n"
        f"variables\n{lines}\n\n"
        "fair process thread \\in Threads\n"
        f"variables turn = 1, result = NULL{leaves}{more};\n"
        "begin\n"
        f"{START}: while turn <= Len(Program[self]) do\n"
        "      turn := turn + 1;\n"
        "      result := NULL;\n"
        f"{body}\n"
        "    end while;\n"
        "end process;\n"
        "end algorithm; *)\n\n"
        f"\\* A thread holds a lock.\nHeld == {first.owner} # NULL\n\n"
        "\\* The result of the operation that t has just ended.\n"
        "Result(t) == result[t]\n"
        f"{'=' * 77}\n"
    )


def _variables(subject: Subject) -> Iterator[str]:
    pairs = [(item.variable, item.initial) for item in subject.fields.values()]
    pairs += [(guard.owner, "NULL") for guard in subject.locks.values()]
    for guard in subject.guards.values():
        if guard.sort == "Condition":
            pairs += [(guard.asleep, "{}"), (guard.tickets, "<< >>")]
    for place, (variable, value) in enumerate(pairs):
        yield f"  {variable} = {value}{';' if place == len(pairs) - 1 else ','}"


def _locals(subject: Subject, operation: Operation) -> Iterator[str]:
    """The variables of threads that an operation assigns."""
    field_variables = {item.variable for item in subject.fields.values()}
    for node in traverse(operation.body):
        if isinstance(node, Step):
            yield from (name for name, _ in node.assignments if name not in field_variables)
