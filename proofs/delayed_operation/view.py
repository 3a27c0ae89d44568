"""The states of ``model/delayed_operation.py`` as states of the proof: a view per operation.

A thread's place is where it is on the viewed operation. While it works on another one, which the
viewed one's onComplete completes, it stays where that call stands; steps on another operation leave
the view as it is.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from model.delayed_operation import Model
from proofs.delayed_operation import system as proof
from proofs.delayed_operation.steps import Operation
from wheelproof.prove.ts.concrete import Instance, State
from wheelproof.prove.ts.search import compiled
from wheelproof.prove.ts.views import Level, levels
from wheelproof.prove.ts.views import View as Base

OPERATION_OF = {
    "onComplete": "co",
    "forceComplete": "xo",
    "forceCompleteLocked": "lo",
    "tryComplete": "yo",
    "tryOnce": "oo",
    "tryPending": "po",
    "lockedTry": "so",
    "safeTryComplete": "bo",
}
"""The variable of each procedure that names its operation."""

COMPLETING = {"D2", "D3", "D4"}
"""Labels of onComplete after it was counted.

The proof has one place for them and for threads that come back to forceComplete.
"""

SYSTEMS = (
    proof.TryOnce,
    proof.TryOnceHeld,
    proof.TryPending,
    proof.TryPendingHeld,
    proof.LockedTry,
    proof.CheckedTry,
    proof.Blocking,
)
"""Every system that some operation is one of."""

ACTIONS = {
    "T0": "attempts runs stutter",
    "T1": "expires does_not_expire",
    "E1": "delivers",
    "E2": "delivers",
    "E3": "delivers",
    "G1": "stutter waits",
    "G2": "stutter",
    "G3": "stutter waits",
    "G4": "attempts",
    "H1": "holds_lock",
    "H2": "lets_lock_go",
    "V1": "calls_on_expiration",
    "Y1": "reads_false reads_true reads_last_true",
    "Y2": "stutter",
    "D1": "calls_on_complete",
    "D2": "stutter waits",
    "D3": "stutter",
    "D4": "is_completed_by_another stutter",
    "X1": "sets_completed finds_completed",
    "X3": "cancels_timer",
    "X4": "on_complete_ends",
    "L1": "need_not_lock is_to_lock",
    "L2": "locks_to_force",
    "L3": "finds_completed may_complete",
    "L4": "sets_completed",
    "L5": "cancels_timer",
    "L6": "on_complete_ends",
    "L7": "unlocks_after_force",
    "O1": "gets_lock goes_without_lock",
    "O2": "unlocks",
    "P1": "gets_lock does_not_get_lock",
    "P2": "clears_note",
    "P3": "unlocks unlocks_and_raises",
    "P4": "reads_note",
    "P5": "leaves_note",
    "P6": "tries_again returns",
    "S1": "locks",
    "S2": "unlocks",
    "B1": "locks",
    "B2": "finds_open need_not_try",
    "B3": "unlocks",
}
"""Label -> the actions that the step may be, seen from one operation.

``stutter``: it may be none. ``waits``: the model may wait although the system does not.
"""


class Place(NamedTuple):
    """One thread, seen from an operation. ``acts``: its next step is about this operation."""

    at: str
    via: str
    seen: tuple[str, ...]
    won: bool
    retry: bool
    acts: bool


def views(model: Model) -> list[View]:
    """One view for each operation of the model's scenario.

    None where threads hold an operation's lock as their own, or try an operation some time after
    they brought its condition: the systems have no such step.
    """
    after = any(
        step[0] == "deliver_after" for program in model.program.values() for step in program
    )
    if model.guard or after:
        return []
    return [View(model, name) for name in model.operations]


def system_of(model: Model, operation: str) -> type[Operation]:
    """The system of an operation, by its protocol and by the strangers in its lock."""
    is_held = any(
        step[0] == "hold" and step[-1] == operation
        for program in model.program.values()
        for step in program
    )
    return {
        "TryOnce": proof.TryOnceHeld if is_held else proof.TryOnce,
        "TryPending": proof.TryPendingHeld if is_held else proof.TryPending,
        "LockedTry": proof.LockedTry,
        "CheckedTry": proof.CheckedTry,
        "Blocking": proof.Blocking,
    }[model.protocol[operation]]


class View(Base):
    """One operation of a model, as a state of its system in ``delayed_operation``."""

    def __init__(self, model: Model, operation: str, system: type[Operation] | None = None) -> None:
        """``system``: another one than ``system_of`` says, such as a mutant."""
        self.model, self.operation = model, operation
        system = system or system_of(model, operation)
        self.system = system
        self.needs = model.needs[operation]
        deliveries = [
            step[1]
            for program in model.program.values()
            for step in program
            if step[0].startswith("deliver") and step[-1] == operation
        ]
        self.conditions = tuple(dict.fromkeys([*self.needs, *deliveries]))
        self.instance = Instance(
            compiled(system),
            {"Thread": model.threads, "Condition": self.conditions},
            {"needed": dict.fromkeys(self.needs, True), "unseen": {}},
        )
        self.name = f"{system.__name__} {operation}"
        self.breaks = "A-CALLERS" if operation in model.locking else ""
        self._places: dict[tuple[int, State, bool], Place] = {}
        self._shared: dict[State, State] = {}
        self._local: dict[tuple[Place, ...], dict[str, Any]] = {}

    # -- what the check of edges asks for

    def state(self, model_state: State) -> State:
        """The proof's state that a model's state is."""
        shared_values, processes = model_state
        if shared_values not in self._shared:
            self._shared[shared_values] = self.shared(model_state)
        common, won = self._shared[shared_values]
        places = tuple(
            self.place(index, process, result)
            for index, (process, result) in enumerate(zip(processes, won.values()))
        )
        if places not in self._local:
            self._local[places] = self.local(places)
        return tuple(
            [
                common[name] if name in common else self._local[places][name]
                for name in self.instance.compiled.variables
            ]
        )

    def local(self, places: tuple[Place, ...]) -> dict[str, Any]:
        """The variables that say where threads are, encoded."""
        names, threads = self.instance.system.VARIABLES, self.model.threads
        cells = {
            name: {t: getattr(place, name) for t, place in zip(threads, places)}
            for name in ("at", "via", "won", "retry")
        }
        cells["seen"] = {t: dict.fromkeys(place.seen, True) for t, place in zip(threads, places)}
        return {
            name: self.instance.encode(name, cell) for name, cell in cells.items() if name in names
        }

    def shared(self, model_state: State) -> tuple[dict[str, Any], dict[str, bool]]:
        """The variables of no thread's place, encoded; and each thread's last result."""
        pieces = dict(zip(self.model.variables, self.model.pieces(model_state)))
        value: dict[str, Any] = {
            name: self.model.tla(name, pieces[name]) for name in self.model.variables
        }
        o, names = self.operation, self.instance.system.VARIABLES
        cells = {
            "ready": {c: value["ready"][c] for c in self.conditions},
            "owner": value["lock"][o]["owner"],
            "depth": value["lock"][o]["depth"],
            "expired": {t: t in value["expiredBy"][o] for t in self.model.threads},
            **{
                name: value[name][o]
                for name in (
                    "completed",
                    "armed",
                    "pending",
                    "completions",
                    "expirations",
                    "winner",
                )
            },
        }
        return {
            name: self.instance.encode(name, cell) for name, cell in cells.items() if name in names
        }, value["won"]

    def acts(self, index: int, model_state: State) -> bool:
        """Whether a thread's next step is about this operation; others leave the state as it is."""
        return self.place(index, model_state[1][index], False).acts

    # -- where a thread is

    def place(self, index: int, process: State, won: bool) -> Place:
        """A thread's place on the viewed operation; ``won``: its last forceComplete's result."""
        key = index, process, won
        if key not in self._places:
            self._places[key] = self.place_in(
                levels(self.model, process), self.model.program[self.model.threads[index]], won
            )
        return self._places[key]

    def place_in(self, stack: list[Level], program: list[list[str]], won: bool) -> Place:
        base, *inner = stack
        turn = base.values["turn"]
        now = program[turn - 2] if turn > 1 else None
        run = self.run(inner)
        if not run:
            is_own = now is not None and now[-1] == self.operation
            if base.label == "T0":
                begins = turn <= len(program) and program[turn - 1][-1] == self.operation
                return Place(
                    "Idle", "none", (), False, False, not inner and begins or self.enters(inner)
                )
            at = base.label if is_own and not inner and base.label in ("T1", "V1", "H2") else "Idle"
            return Place(
                at,
                "none",
                (),
                at == "T1" and won,
                False,
                is_own and not inner or self.enters(inner),
            )
        last = run[-1]
        at = {"Y2": "Y1"}.get(last.label, last.label)
        if at in COMPLETING:
            at = self.system.FORCE_LAST
        via = self.caller(stack, run)
        conditions = (
            self.needs[: last.values["at"] - (last.label == "Y1")]
            if last.procedure == "tryComplete"
            else ()
        )
        return Place(
            at,
            via,
            tuple(conditions),
            at == "L7" and via == "expiry" and won,
            self.noted(at, last),
            last is inner[-1],
        )

    def noted(self, at: str, last: Level) -> bool:
        """Whether the thread has read a note that it is to try again for."""
        return bool(at in getattr(self.system, "NOTED", ()) and last.values["retry"])

    def about(self, level: Level) -> str:
        """The operation that a procedure is about."""
        return str(level.values[OPERATION_OF[level.procedure]])

    def run(self, inner: list[Level]) -> list[Level]:
        """The outermost levels about the viewed operation, up to the first about another one."""
        stretch: list[Level] = []
        for level in inner:
            if self.about(level) == self.operation:
                stretch.append(level)
            elif stretch:
                break
        return stretch

    def enters(self, inner: list[Level]) -> bool:
        """Whether the thread, in another's onComplete, is to complete the viewed operation."""
        return (
            bool(inner)
            and inner[-1].label == "D4"
            and self.operation in self.model.completes[self.about(inner[-1])]
        )

    def caller(self, stack: list[Level], run: list[Level]) -> str:
        """The caller of the viewed operation's forceComplete; none for a thread elsewhere."""
        force = next((level for level in run if level.procedure.startswith("forceComplete")), None)
        if force is None:
            return "none"
        outside = stack[stack.index(force) - 1]
        if outside.procedure in ("tryOnce", "tryPending", "lockedTry", "safeTryComplete"):
            return "attempt"
        return "expiry" if outside.label == "T1" else "other"
