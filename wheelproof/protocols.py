"""The parts of a mechanism: a model, a harness, and the modules that hold them.

A mechanism named ``ring_buffer`` has its model in ``model/ring_buffer.py`` (a :class:`ModelModule`)
and its harness in ``harness/ring_buffer.py`` (a :class:`HarnessModule`). Nothing has to inherit
from these classes; the tool uses the members that they list, and no others. A model that is written
with ``model/pluscal.py`` has all of :class:`Model` but its ``AUXILIARY`` and its properties.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import ModuleType, SimpleNamespace
from typing import Protocol, TypeAlias, cast, runtime_checkable

Values = tuple[object, ...]
"""Values of variables. Each is hashable and equal to itself alone: the tool reads no more of it.

A shared variable is the tuple of the values that it consists of.
"""
ThreadState: TypeAlias = "tuple[str, *tuple[object, ...]]"
"""A thread's variables. The first is its ``pc``, the label of its next step."""
State = tuple[Values, tuple[ThreadState, ...]]
"""A frozen state: (shared variables flattened, one tuple of variables per thread). Hashable."""
Step = tuple[int, str, State]
"""A step: (index of the thread in ``threads``, label, state after the step).

A thread has several steps in a state where its step chooses. Their labels are then of a subclass of
``str`` with the attribute ``choice``: the tuple of the values in which they differ.
"""
Outcomes: TypeAlias = Callable[[int, State, State], Values]
"""Of a thread's step, from a state to a state: the results of the operations that it ends."""
Data: TypeAlias = "bool | int | float | str | Sequence[Data] | Mapping[str, Data] | None"
"""A value of a scenario, as the TOML has it."""
Program = Sequence[Sequence[Data]]
"""A thread's operations, each a name with its arguments."""
Scenario = Mapping[str, Data]
"""A scenario's table in the TOML; ``threads`` maps a thread's name to its program."""

Implementation: TypeAlias = "ModuleType | SimpleNamespace"
"""An implementation's classes and functions by name: its module, or the names of several."""


def programs(scenario: Scenario) -> Mapping[str, Program]:
    """The program of each thread of a scenario."""
    return cast(Mapping[str, Program], scenario["threads"])


@runtime_checkable
class Model(Protocol):
    """The executable model of one scenario: the states and steps of the specification.

    A model may also have these members:

    - ``outcomes(index, before, after)``, of :data:`Outcomes`. Without it, results are not compared.
    - ``OF_PROCESSES``: the properties that read variables of threads. Where a model lists them,
      all others are evaluated once per value of the shared variables.
    - ``LOCAL``: the AUXILIARY variables that code has on a thread's stack.
    - ``own_state(state)``: a state of another model of the mechanism as one of this model. Without
      it the values of states are plain data, which is equal wherever it was made.
    """

    AUXILIARY: frozenset[str]
    """The shared variables that the implementation does not have, such as history variables."""

    @property
    def threads(self) -> tuple[str, ...]:
        """The threads' names, in the order of the scenario."""

    @property
    def labels(self) -> frozenset[str]:
        """Every label of the algorithm."""

    @property
    def variables(self) -> tuple[str, ...]:
        """The shared variables' names in the specification, in the order of ``pieces``."""

    @property
    def process_variables(self) -> tuple[str, ...]:
        """The names of a thread's variables in the specification; ``pc`` is the first."""

    def initial(self) -> State:
        """The initial state."""

    def successors(self, state: State) -> Sequence[Step]:
        """Every step that a thread can take in a state, in the order of ``threads``."""

    def final(self, state: State) -> bool:
        """Whether every thread has ended. A state without steps that is not final is a deadlock."""

    def holds(self, name: str, state: State) -> bool:
        """Whether a property or witness of this name holds in a state."""

    def pieces(self, state: State) -> tuple[Values, ...]:
        """One piece per variable: those of ``variables``, then ``process_variables``.

        The piece of a thread's variable has one value for each of ``threads``.
        """

    def tla(self, variable: str, piece: Values) -> object:
        """A piece as a TLA+ value.

        A dict stands for a function or record, a tuple for a sequence, None for NULL.
        """


def own_states(model: Model, states: Iterable[State]) -> list[State]:
    """States that another model of the mechanism may have made, as states of this model."""
    own_state: Callable[[State], State] | None = getattr(model, "own_state", None)
    return list(map(own_state, states) if own_state else states)


def outcomes_of(model: Model) -> Outcomes | None:
    """A model's ``outcomes``, None where it has none."""
    outcomes: Outcomes | None = getattr(model, "outcomes", None)
    return outcomes


@runtime_checkable
class ModelInPlace(Model, Protocol):
    """A model that can also change one state in place, which long traces are followed on."""

    @property
    def processes(self) -> tuple[object, ...]:
        """The threads' variables in the state in place, as attributes of one object each."""

    def load(self, state: State) -> None:
        """Make a state the one that is changed in place."""

    def freeze(self) -> State:
        """The state in place."""

    def step(self, index: int) -> str | None:
        """Let one thread take its next step in place; its label, None if it is blocked or done."""


@runtime_checkable
class ModelModule(Protocol):
    """``model/<mechanism>.py``."""

    @property
    def Model(self) -> Callable[[Scenario], Model]:
        """The class of the model; it is called with a scenario."""


@runtime_checkable
class Harness(Protocol):
    """The objects of one scenario on an implementation.

    It has one method per operation of a thread's program, with the operation's name and arguments.
    The method returns the result of the implementation's operation.
    """

    @property
    def names(self) -> Mapping[str, object]:
        """Name -> object. Other objects are named by their path from these."""


RefinementMapping: TypeAlias = Callable[[Harness], Mapping[str, Values]]
"""A harness -> the model's shared variables but its AUXILIARY.

Each value is a variable's piece, as the model's ``pieces`` has it.
"""


@runtime_checkable
class HarnessModule(Protocol):
    """``harness/<mechanism>.py``.

    The module may also define these constants:

    - ``HELPERS``: modules whose conditions and functions the coverage check counts too.
    - ``NOT_RUN``, ``UNREAD``, ``HALFWAY``: exceptions from a check, each with its reason.
    - ``MEMORY``: the fields whose stores may reach memory late.
    - ``ATOMIC``, ``COMPOSED``: modules whose operations are single steps, in a plain and in a
      composed run; ``WAITS`` with ``waits``: those of them that may block.
    - ``ON_THREADS``: the module whose ``Harness`` and ``broken`` are for real threads.
    - ``BY_SCHEDULE``: why threads that run freely need not follow the model.
    - ``STAND_INS``: modules of the standard library -> modules of the harness in their place.
    - ``PRIMITIVES``: primitives of the project -> the functions that build the controlled classes.
    - ``SPURIOUS``: the primitives whose waits may end without a reason, ``("Condition",)``.
    """

    SUBJECT: Sequence[str]
    """The modules whose steps are the mechanism's, such as ``("impl.ring_buffer",)``."""

    @property
    def Harness(self) -> Callable[[Scenario, Implementation], Harness]:
        """The class of the harness; it is called with a scenario and the implementation."""

    @property
    def shared(self) -> RefinementMapping:
        """The refinement mapping."""
