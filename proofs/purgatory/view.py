"""The states of ``model/purgatory.py`` as states of the proof: a view per operation.

A thread's stack is read from the program inwards. Procedures about the viewed operation give its
place there, checkAndComplete that of its traversal, and the innermost procedure that of a section.
Steps on other operations leave the view as it is, but for those at shards.
"""

from __future__ import annotations

from typing import Any

from model.purgatory import Model
from proofs.purgatory import system as proof
from proofs.purgatory.state import CALLERS, Seen
from wheelproof.prove.ts.concrete import Instance, State
from wheelproof.prove.ts.search import compiled
from wheelproof.prove.ts.views import Level, levels
from wheelproof.prove.ts.views import View as Base

SYSTEMS: tuple[type[Seen], ...] = (proof.Purgatory, proof.InOrder)
"""Every system that some operation is one of."""

OPERATION_OF = {
    "cancelTask": "xo",
    "onComplete": "co",
    "forceComplete": "lo",
    "tryComplete": "yo",
    "safeTryComplete": "bo",
    "tryCompleteElseWatch": "ao",
}
"""The variable of each procedure that names its operation."""

OTHERS = {
    *("M1", "A0", "H1", "H0", "H2", "G0", "G1", "G2", "G3", "G4", "G5", "G6"),
    *("N0", "N1", "N2", "N4"),
    *("A8", "P1", "P2", "P3", "P4", "P5", "P6", "X1", "X3", "X4"),
}
"""Labels whose step is no action; the last ones are of TryPending alone, which no view shows."""

FREE = {"ready": "an event of a condition that the operation does not need makes nothing ready"}
ACTIONS = {
    "T0": "comes_to_enter forces checks comes_to_cancel comes_to_run stutter",
    "E1": "delivers checks",
    "K1": "runs need_not_run",
    "T1": "expires does_not_expire",
    "V1": "calls_on_expiration",
    "Q1": "cancels_task disarms cancels_taken",
    "D1": "calls_on_complete calls_on_complete_locking another_is_to_lock comes_to_enter",
    "D2": "locks_callers_lock",
    "D3": "unlocks_callers_lock",
    "J1": "holds_callers_lock comes_to_enter_holding",
    "J2": "lets_callers_lock_go",
    "L1": "need_not_lock is_to_lock",
    "L2": "locks_to_force",
    "L3": "finds_completed may_complete",
    "L4": "sets_completed",
    "L5": "is_to_call",
    "L6": "on_complete_ends on_complete_raises",
    "L7": "unlocks_after_force",
    "Y1": "reads_false reads_true",
    "B1": "locks_to_try",
    "B2": "finds_open need_not_try",
    "B3": "unlocks_after_try",
    "A1": "begins_to_enter",
    "A2": "is_to_watch need_not_watch",
    "W0": "has_watched stutter",
    "W1": "is_to_watch_key comes_to_watch_another stutter",
    "W2": "shuts_to_watch",
    "W3": "finds_list makes_list",
    "W4": "puts_list",
    "W5": "adds adds_another",
    "W6": "opens_after_watching",
    "A3": "tries_again",
    "A4": "leaves_lock leaves_lock_completed",
    "A5": "need_not_arm is_to_arm",
    "A6": "arms",
    "A7": "leaves_armed is_to_disarm",
    "Z1": "has_entered",
    "R1": "shuts_to_remove",
    "R2": "is_its_list has_another_list",
    "R3": "finds_it_empty finds_it_used",
    "R4": "removes_list",
    "R5": "opens_after_removing",
    "C1": "shuts_to_check",
    "C2": "gets_list",
    "C3": "opens_to_traverse",
    "C4": "sees_more sees_no_more",
    "C0": "sees_the_end meets_it stutter",
    "C5": "is_to_try need_not_try_it stutter",
    "C6": "goes_on goes_on_to_the_end is_through has_completed_it unwinds another_raises stutter",
    "C7": "takes_out takes_out_last is_through stutter",
    "C8": "comes_to_remove stutter",
    "F1": "shuts_to_cancel",
    "F2": "drops_list has_no_list",
    "F3": "reads_dropped reads_nothing",
    "F4": "takes_it stutter",
    "F5": "drops_taken drops_last has_dropped_all stutter",
    "F6": "opens_after_cancelling",
    "H3": "purges stutter",
    "H4": "comes_to_remove stutter",
    **dict.fromkeys(OTHERS, "stutter"),
}
"""Label -> the actions that its step may be for one operation. ``stutter``: it may be none."""

OF_THE_OPERATION = {
    *("A0", "A1", "A2", "A3", "A4", "A5", "A6", "A7", "B1", "B2", "B3", "K1", "T1", "V1"),
    *("L1", "L2", "L3", "L4", "L5", "L6", "L7", "Q1", "Y1", "Z1"),
}
"""Labels whose step is about one operation, and nothing else that is seen."""
REPORTED = {"L7", "A2", "A4", "B3", "T1"}
"""Places at which the result of a try or of forceComplete is still to be read."""


def views(model: Model) -> list[View]:
    """One view for each operation of the model's scenario; none for another generation's."""
    if model.protocol != "Blocking":
        return []
    return [View(model, name) for name in model.operations]


def system_of(model: Model, operation: str) -> type[Seen]:
    """The system of an operation, by the duties that its scenario's callers keep."""
    steps = [step for program in model.program.values() for step in program]
    has_force = any(step == ["force", operation] for step in map(list, steps))
    has_raise, need = any(raiser != operation for raiser in model.raises), model.need[operation]
    unheard = any(
        step[0] == "deliver" and step[1] == need and step[2] not in model.keys_of[operation]
        for step in steps
    )
    return proof.Purgatory if has_force or has_raise or unheard else proof.InOrder


class View(Base):
    """One operation of a model, as a state of its system."""

    def __init__(self, model: Model, operation: str, system: type[Seen] | None = None) -> None:
        """``system``: another one than ``system_of`` says, such as a mutant."""
        self.model, self.operation = model, operation
        self.system = system or system_of(model, operation)
        keys = model.keys
        # A key gets at most one list for each time that an operation is added to it.
        self.lists = tuple(
            (key, number)
            for key in keys
            for number in range(
                1, 1 + sum(key in operation_keys for operation_keys in model.keys_of.values())
            )
        )
        shards = tuple(range(1, model.shards + 1))
        self.instance = Instance(
            compiled(self.system),
            {"Thread": model.threads, "Key": keys, "Shard": shards, "Watchers": self.lists},
            {
                "shard_of": {key: model.shard_of(key) for key in keys},
                "key_of": {pair: pair[0] for pair in self.lists},
                "keyed": dict.fromkeys(model.keys_of[operation], True),
                "unset": {},
            },
        )
        self.name = f"{self.system.__name__} {operation}"
        self._shared: dict[State, tuple[dict[str, Any], dict[str, Any]]] = {}
        self._threads: dict[tuple[Any, ...], dict[str, Any]] = {}

    # -- what the check of edges asks for

    def state(self, model_state: State) -> State:
        """The proof's state that a model's state is."""
        shared_values, processes = model_state
        if shared_values not in self._shared:
            self._shared[shared_values] = self.shared(model_state)
        common, value = self._shared[shared_values]
        threads = {
            name: self.thread(index, process, value)
            for index, (name, process) in enumerate(zip(self.model.threads, processes))
        }
        per_thread: dict[str, Any] = {
            name: {thread: row[name] for thread, row in threads.items()}
            for name in (
                *("at", "via", "result", "tour", "on", "passed"),
                *("section", "room", "key", "found", "takes"),
            )
        }
        registrar = next((name for name, row in threads.items() if row["enters"]), None)
        per_thread |= {
            "begun": registrar is not None or common["entered"],
            "registrar": registrar,
            "taker": next((name for name, row in threads.items() if row["via"] == "expiry"), None),
            "dropper": {row["found"]: name for name, row in threads.items() if row["drops"]},
        }
        encode = self.instance.encode
        return tuple(
            common[name] if name in common else encode(name, per_thread[name])
            for name in self.instance.compiled.variables
        )

    def acts(self, index: int, model_state: State) -> bool:
        """Whether a thread's next step may be seen; others leave the state as it is."""
        stack = levels(self.model, model_state[1][index])
        inner = stack[-1]
        if inner.label == "D1":
            about = self.about(inner) or ""
            return about in self.model.locking or self.operation in (about, *self.model.adds[about])
        if inner.label not in OF_THE_OPERATION:
            return True
        return self.about(inner) == self.operation if inner.procedure else self.is_own(index, inner)

    # -- what is seen

    def shared(self, model_state: State) -> tuple[dict[str, Any], dict[str, Any]]:
        """The variables of no thread's place, encoded; and all of the model's, in its values."""
        pieces = zip(self.model.variables, self.model.pieces(model_state))
        value: dict[str, Any] = {name: self.model.tla(name, piece) for name, piece in pieces}
        o = self.operation
        current = {key: (key, value["list"][key]) for key in self.model.keys}
        cells = {
            "entered": not value["entering"][o],
            "ready": value["ready"][self.model.need[o]],
            "revoked": o in value["revoked"],
            "owner": value["lock"][o]["owner"],
            "depth": value["lock"][o]["depth"],
            "outer": value["outer"],
            "expired": {t: t in value["expiredBy"][o] for t in self.model.threads},
            "shut": value["shard"],
            "list_of": {key: pair for key, pair in current.items() if pair[1]},
            "home": {key: (key, number) for key, number in value["places"][o]},
            "made": {pair: pair[1] <= len(value["content"][pair[0]]) for pair in self.lists},
            "has": {pair: self.place(value, pair) > 0 for pair in self.lists},
            "dropped": {pair: pair in value["dropped"] for pair in self.lists},
            **{
                name: value[name][o]
                for name in ("completed", "armed", "winner", "completions", "expirations")
            },
        }
        return {name: self.instance.encode(name, cell) for name, cell in cells.items()}, value

    def place(self, value: dict[str, Any], pair: tuple[str, int]) -> int:
        """The place of the operation in a list, 0 where it is in none."""
        key, number = pair
        lists = value["content"][key]
        content = lists[number - 1] if number <= len(lists) else ()
        return content.index(self.operation) + 1 if self.operation in content else 0

    def about(self, level: Level) -> str | None:
        """The operation that a procedure is about."""
        variable = OPERATION_OF.get(level.procedure)
        return str(level.values[variable]) if variable else None

    def is_own(self, index: int, base: Level) -> bool:
        """Whether the thread's program is at an operation of its own on the viewed operation."""
        turn = base.values["turn"]
        program = self.model.program[self.model.threads[index]]
        return bool(turn > 1 and program[turn - 2][1:2] == [self.operation])

    def thread(self, index: int, process: State, value: dict[str, Any]) -> dict[str, Any]:
        """One thread's variables, in names, and whether it enters and drops."""
        name = self.model.threads[index]
        o = self.operation
        waits = not value["completed"][o] and o not in value["revoked"]
        key = (
            index,
            process,
            value["won"][name],
            value["raised"][name],
            waits,
            tuple(value["content"].items()),
        )
        if key not in self._threads:
            self._threads[key] = self.seen(index, process, value, waits)
        return self._threads[key]

    def seen(
        self, index: int, process: State, value: dict[str, Any], waits: bool
    ) -> dict[str, Any]:
        name = self.model.threads[index]
        stack = levels(self.model, process)
        row: dict[str, Any] = {
            "at": "Idle",
            "via": "none",
            "result": "lost",
            "enters": False,
            "drops": False,
            **self.section(stack, value, waits),
            **self.traversal(stack, value, waits),
        }
        base, *inner = stack
        run = [level for level in inner if self.about(level) == self.operation]
        if inner and inner[0].procedure == "cancelForKey":
            run = []
        if run:
            last = run[-1]
            row["at"] = self.place_of(run, inner)
            if last.procedure in ("tryComplete", "forceComplete"):
                row["via"] = self.caller(stack, last)
            elif last.procedure in ("cancelTask", "onComplete") and len(run) > 1:
                force = next((level for level in run if level.procedure == "forceComplete"), None)
                row["via"] = self.caller(stack, force) if force else "none"
            row["enters"] = (
                any(level.procedure == "tryCompleteElseWatch" for level in run)
                and row["at"] != "A1"
            )
        elif not inner and base.label in ("K1", "T1", "V1") and self.is_own(index, base):
            row["at"] = base.label
        is_tried = row["tour"] == "C6" and row["at"] == "Idle"
        if row["at"] in REPORTED or is_tried:
            row["result"] = (
                "raised" if value["raised"][name] else "won" if value["won"][name] else "lost"
            )
        return row

    def place_of(self, run: list[Level], inner: list[Level]) -> str:
        """The thread's place on the operation, by its innermost procedure about that."""
        last = run[-1]
        if last.procedure == "cancelTask":
            return "X1" if any(level.procedure == "forceComplete" for level in run) else "XA"
        if last.procedure == "tryCompleteElseWatch" and last.label[0] == "W":
            return "W"
        if last.label == "A0":
            return "A1"
        # A thread that is within onComplete is where that returns to.
        return run[-2].label if last.label in CALLERS else last.label

    def caller(self, stack: list[Level], level: Level) -> str:
        """The caller of the operation's tryComplete or forceComplete."""
        outside = stack[stack.index(level) - 1]
        return {"A2": "first", "A4": "second", "B3": "check", "T1": "expiry", "T0": "force"}[
            outside.label
        ]

    def section(self, stack: list[Level], value: dict[str, Any], waits: bool) -> dict[str, Any]:
        """The thread's place at a shard, and the key and the list that it is there for."""
        last = stack[-1]
        values, label = last.values, last.label
        none = {"section": "Aside", "room": None, "key": None, "found": None, "takes": False}
        if len(stack) > 1 and stack[1].procedure == "cancelForKey":
            return none | self.cancelling(stack[1], label, value, waits)
        if label in CALLERS:
            return none | {"section": label}
        if last.procedure == "tryCompleteElseWatch" and label in ("W2", "W3", "W4", "W5", "W6"):
            key = self.model.keys_of[values["ao"]][values["nth"] - 1]
            number = values["found"]
        elif last.procedure == "removeKeyIfEmpty":
            key, number = values["rk"], values["rw"]
        elif last.procedure == "checkAndComplete" and label in ("C1", "C2", "C3"):
            key, number = values["ck"], values["mine"]
        else:
            return none
        pair = (key, number) if number else None
        return none | {
            "section": label,
            "room": self.model.shard_of(key),
            "key": key,
            "found": pair,
        }

    def cancelling(
        self, level: Level, label: str, value: dict[str, Any], waits: bool
    ) -> dict[str, Any]:
        """The thread's place in cancelForKey."""
        key, number, (remainder, _), entry = (
            level.values[name] for name in ("fk", "gone", "left", "held")
        )
        takes = waits and 0 < remainder <= self.place(value, (key, number))
        place = "FX" if label == "Q1" else label
        if place in ("FX", "F5") and entry[1] != self.operation:
            place = "F4"
        return {
            "section": place,
            "room": self.model.shard_of(key),
            "key": key,
            "found": (key, number) if number else None,
            "takes": takes,
            "drops": bool(number),
        }

    def traversal(self, stack: list[Level], value: dict[str, Any], waits: bool) -> dict[str, Any]:
        """The thread's place in the traversal of a list, and whether it is past the operation."""
        none = {"tour": "Out", "on": None, "passed": False}
        level = stack[1] if len(stack) > 1 else stack[0]
        if level.procedure != "checkAndComplete" or level.label in ("C1", "C2", "C3", "C8"):
            return none
        (_, operation), (ahead, _) = level.values["here"], level.values["ahead"]
        on = (level.values["ck"], level.values["mine"])
        place = self.place(value, on)
        at = level.label
        if at not in ("C4", "C0") and operation != self.operation:
            at = "C0"
        # An operation that is not in the list yet would come last.
        gone_by = level.label != "C4" and (not ahead or 0 < place < ahead)
        return {"tour": at, "on": on, "passed": waits and gone_by}
