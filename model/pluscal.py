"""PlusCal in Python: processes, procedures with a stack, and labels that are steps.

A model (a subclass of :class:`Machine`) declares the algorithm's variables and procedures. It has
one method per label, which reads and writes the variables as the PlusCal step does. A step ends at
the next label in the order of the methods, as in PlusCal, unless it sets ``pc``, calls a procedure
or returns from one.

The machine holds one state and changes it in place: a step costs what it changes. A *frozen* state
is the hashable pair ``(shared, processes)``: the shared variables as one flat tuple, and for each
process one tuple in the order of ``process_variables``.

The model keeps PlusCal's rules for procedures, because TLC's states show them. A procedure's
variables are variables of the process: a call saves them on the stack, and a return restores them.
A call that a return follows at once replaces its caller's frame. Then the caller's local variables
are restored, and its parameters keep their last values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from .choices import Choices

LABEL = re.compile(r"[A-Z][A-Za-z]*[0-9]+")
DONE = "Done"


class Blocked(Enum):
    """The result of a step whose ``await`` does not hold. The step has changed nothing."""

    BLOCKED = "blocked"


BLOCKED = Blocked.BLOCKED
Step = Blocked | None
"""The result of a label's method."""

V = TypeVar("V")
Scenario = Mapping[str, Any]
Programs = Mapping[str, list[list[Any]]]
"""A scenario's table of the TOML, and its ``threads``: operations, each a name with arguments."""
Values = tuple[Any, ...]
State = tuple[Values, tuple[Values, ...]]
"""A frozen state: the shared variables, flattened, and one tuple for each process."""
Steps = list[tuple[int, str, State]]
"""Steps from a state: each the index of the process, the label, and the state after it."""


class Monitor(NamedTuple):
    """A re-entrant monitor's state, in the spec the record ``[owner |-> .., depth |-> ..]``."""

    owner: str | None
    depth: int


FREE = Monitor(None, 0)


class Procedure(NamedTuple):
    """A PlusCal procedure: its first label, its parameters, and its variables with initial values.

    ``defaults``: the values of parameters before the first call, where these are not NULL.
    """

    entry: str
    parameters: tuple[str, ...]
    variables: tuple[tuple[str, object], ...] = ()
    defaults: tuple[tuple[str, object], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return self.parameters + tuple(name for name, _ in self.variables)


class Frame(NamedTuple):
    """A stack frame: where ``procedure`` returns to, and its variables' values before the call."""

    procedure: str
    pc: str
    saved: Values


class Function(Generic[V]):
    """A shared variable that is a function over names, in place: ``next[e]``, ``next[e] = l``."""

    __slots__ = ("_cells", "_at")

    def __init__(self, cells: list[V], at: Mapping[object, int]) -> None:
        self._cells: list[V] = cells
        self._at = at

    def __getitem__(self, name: object) -> V:
        return self._cells[self._at[name]]

    def __setitem__(self, name: object, value: V) -> None:
        self._cells[self._at[name]] = value


class Scalar:
    """A shared variable without an argument: a class attribute that names the TLA+ variable."""

    def __init__(self, variable: str) -> None:
        self.variable = variable

    def __get__(self, machine: Machine | None, owner: type) -> Any:
        return self if machine is None else machine._cells[machine._spans[self.variable][0]]

    def __set__(self, machine: Machine, value: Any) -> None:
        machine._cells[machine._spans[self.variable][0]] = value


class Process:
    """One process's variables, as attributes: ``pc``, ``stack``, its own, and every procedure's."""

    pc: str
    stack: tuple[Frame, ...]

    if TYPE_CHECKING:  # the other variables are those that the model declares

        def __getattr__(self, name: str) -> Any: ...

        def __setattr__(self, name: str, value: Any) -> None: ...


class Machine:
    """An executable model. Subclasses declare variables by ``function`` and ``scalar``."""

    PROCEDURES: Mapping[str, Procedure] = {}
    AUXILIARY: frozenset[str] = frozenset()
    """History variables. No implementation has them, and they decide no step."""

    LOCAL: frozenset[str] = frozenset()
    """History variables that may decide steps: an implementation has them on a thread's stack."""

    def __init__(
        self, threads: Iterable[str], process_variables: Mapping[str, object], start: str
    ) -> None:
        """``process_variables``: a process's own, with values; ``start``: its first label."""
        self.threads = tuple(threads)
        self._cells: list[Any] = []
        self._spans: dict[str, tuple[int, int]] = {}
        self._names: dict[str, Values | None] = {}
        own: dict[str, object] = {"pc": start}
        if self.PROCEDURES:  # PlusCal has a stack for them only
            own["stack"] = ()
        for procedure in self.PROCEDURES.values():
            own |= dict.fromkeys(procedure.parameters) | dict(procedure.defaults)
            own |= procedure.variables
        own |= process_variables
        self.process_variables = tuple(own)
        self._idle = start
        self._processes: tuple[Values, ...] = tuple(tuple(own.values()) for _ in self.threads)
        self._workspace = [Process() for _ in self.threads]
        self._loaded: object = ()
        """The state that the variables hold, () since a step or a load in place."""
        self.me = ""
        """The name of the process that moves: PlusCal's ``self``."""
        self._choices = Choices()
        written = (name for cls in reversed(type(self).__mro__) for name in vars(cls))
        order = tuple(dict.fromkeys(filter(LABEL.fullmatch, written)))
        self._steps: dict[str, Callable[[Process], Step]] = {
            name: getattr(self, name) for name in order
        }
        self._following = dict(zip(order, (*order[1:], DONE), strict=True))

    # -- declaring variables

    def function(self, variable: str, initial: Mapping[Any, V]) -> Function[V]:
        """Declare a shared variable over names; ``variable`` is its name in the spec."""
        start = len(self._cells)
        self._cells.extend(initial.values())
        self._spans[variable] = (start, len(self._cells))
        self._names[variable] = tuple(initial)
        return Function(self._cells, {name: start + i for i, name in enumerate(initial)})

    def scalar(self, variable: str, initial: object) -> None:
        """Declare a shared variable that is one value, for a ``Scalar`` class attribute."""
        self._spans[variable] = (len(self._cells), len(self._cells) + 1)
        self._cells.append(initial)
        self._names[variable] = None

    @property
    def variables(self) -> tuple[str, ...]:
        """The shared variables' names in the spec, in the order of a frozen state."""
        return tuple(self._spans)

    @property
    def processes(self) -> tuple[Process, ...]:
        """The processes' variables, in the order of ``threads``."""
        return tuple(self._workspace)

    def holds(self, name: str, state: State) -> bool:
        """Evaluate a named property or witness (a method without arguments) on a frozen state."""
        if self._loaded is not state:
            self.load(state)
            self._loaded = state
        return bool(getattr(self, name)())

    @property
    def labels(self) -> frozenset[str]:
        """Every label of the algorithm."""
        return frozenset(self._steps)

    # -- frozen states

    def initial(self) -> State:
        """The initial state, before anything was loaded."""
        return self._start

    def begin(self) -> None:
        """Ends the declarations: what the variables hold now is the initial state."""
        self._start: State = (tuple(self._cells), self._processes)
        self.load(self._start)

    def load(self, state: State) -> None:
        """Make ``state`` the machine's own, to go on from in place."""
        self._loaded = ()
        self._cells[:] = state[0]
        for process, values in zip(self._workspace, state[1], strict=True):
            vars(process).update(zip(self.process_variables, values))

    def freeze(self) -> State:
        """The machine's own state."""
        return tuple(self._cells), tuple(
            tuple(vars(process).values()) for process in self._workspace
        )

    def successors(self, state: State) -> Steps:
        """Every step from ``state``."""
        out: Steps = []
        self._loaded, self._choices = (), (choices := Choices())
        for index, values in enumerate(state[1]):
            label = values[0]
            if label == DONE:
                continue
            after = self._after(index, label, state)
            if choices.taken:
                again = partial(self._after, index, label, state)
                out += [(index, *each) for each in choices.successors(label, after, again)]
            elif after is not None:
                out.append((index, label, after))
        return out

    def _after(self, index: int, label: str, state: State) -> State | None:
        """The state after a process's step; None where it is blocked."""
        shared, processes = state
        self._cells[:] = shared
        process = self._workspace[index]
        vars(process).update(zip(self.process_variables, processes[index]))
        self.me = self.threads[index]
        process.pc = self._following[label]
        if self._steps[label](process) is BLOCKED:
            return None
        own = tuple(vars(process).values())
        return tuple(self._cells), (*processes[:index], own, *processes[index + 1 :])

    def final(self, state: State) -> bool:
        """Every process is at its end."""
        return all(values[0] == DONE for values in state[1])

    # -- what operations return

    def outcomes(self, index: int, before: State, after: State) -> Values:
        """The results of the operations that a process's step has ended: one or none.

        An operation ends where the process comes back to its first label, or to its end.
        """
        here = after[1][index][0]
        if here != self._idle and (here != DONE or before[1][index][0] in (self._idle, DONE)):
            return ()
        self.load(after)
        self.me = self.threads[index]
        return (self.returned(self._workspace[index]),)

    def returned(self, process: Process) -> object:
        """The result of the operation that the process has just ended.

        The variables are as the operation left them. ``("raised", "Name")`` stands for an exception
        of that class. A model whose operations have results overrides this.
        """
        return None

    # -- in place

    def step(self, index: int) -> str | None:
        """Let a process take its next step in place. Returns its label, or None if it has none."""
        self._loaded = ()
        process = self._workspace[index]
        label = process.pc
        self.me = self.threads[index]
        if label == DONE:
            return None
        process.pc = self._following[label]
        self._choices = choices = Choices()
        if self._steps[label](process) is BLOCKED:
            process.pc = label
            return None
        if choices.beside:
            raise ValueError(f"{label} chooses, and a state in place has one successor")
        return label

    # -- what a label's method does

    def choose(self, values: Iterable[V]) -> V:
        """One of the values, with a successor for each: PlusCal's ``with x \\in values``."""
        return self._choices.of(values)

    def call(self, process: Process, name: str, *arguments: Any, back: str | None = None) -> None:
        """Call a procedure. ``back``: the label to return to, None if the caller returns."""
        own, procedure = vars(process), self.PROCEDURES[name]
        if back is None:
            top, process.stack = process.stack[0], process.stack[1:]
            if top.procedure != name:
                back, caller = top.pc, self.PROCEDURES[top.procedure]
                saved = top.saved[len(caller.parameters) :]
                own.update(
                    (variable, value)
                    for (variable, _), value in zip(caller.variables, saved, strict=True)
                )
        # a tail call of the procedure itself keeps the frame
        frame = (
            top
            if back is None
            else Frame(name, back, tuple(own[variable] for variable in procedure.names))
        )
        process.stack = (frame, *process.stack)
        own.update(zip(procedure.parameters, arguments, strict=True))
        own.update(procedure.variables)
        process.pc = procedure.entry

    def leave(self, process: Process) -> None:
        """Return from the innermost procedure."""
        frame = process.stack[0]
        vars(process).update(zip(self.PROCEDURES[frame.procedure].names, frame.saved))
        process.stack, process.pc = process.stack[1:], frame.pc

    def acquire(self, monitors: Function[Monitor], name: str) -> bool:
        """Enter a re-entrant monitor; False, with nothing changed, if another process is in it."""
        owner, depth = monitors[name]
        if owner is not None and owner != self.me:
            return False
        monitors[name] = Monitor(self.me, depth + 1)
        return True

    def release(self, monitors: Function[Monitor], name: str) -> None:
        """Leave a re-entrant monitor once."""
        _, depth = monitors[name]
        monitors[name] = FREE if depth == 1 else Monitor(self.me, depth - 1)

    # -- as TLA+ sees it

    def pieces(self, state: State) -> Values:
        """One hashable value for each variable: shared ones, then the processes'."""
        shared, processes = state
        return (*(shared[a:b] for a, b in self._spans.values()), *zip(*processes, strict=True))

    def function_of(self, threads: Container[str], piece: Values) -> dict[str, object]:
        """The piece of a process's variable as a function over some of the processes."""
        return {name: value for name, value in zip(self.threads, piece) if name in threads}

    def tla(self, variable: str, piece: Values) -> object:
        """A piece as a TLA+ value.

        A function or record is a dict, a sequence a tuple, a set a frozenset, and NULL is None.
        """
        if variable not in self._spans:
            if variable == "stack":
                piece = tuple(tuple(self._frame(frame) for frame in stack) for stack in piece)
            return dict(zip(self.threads, piece, strict=True))
        names = self._names[variable]
        if names is None:
            return piece[0]
        return {
            name: value._asdict() if hasattr(value, "_asdict") else value
            for name, value in zip(names, piece)
        }

    def _frame(self, frame: Frame) -> dict[str, object]:
        names = self.PROCEDURES[frame.procedure].names
        return {
            "procedure": frame.procedure,
            "pc": frame.pc,
            **dict(zip(names, frame.saved, strict=True)),
        }


def as_record(value: object) -> object:
    """A value of TLA+, its named tuples as records."""
    if isinstance(value, dict):
        return {name: as_record(part) for name, part in value.items()}
    if hasattr(value, "_asdict"):
        return {name: as_record(part) for name, part in value._asdict().items()}
    if isinstance(value, tuple):
        return tuple(map(as_record, value))
    return value
