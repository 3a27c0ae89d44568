"""The states of ``model/system_timer.py`` as states of the proof, one view for each bucket of a scenario's wheel."""
from __future__ import annotations

from typing import Any

from proofs.protocols import system_timer as proof
from proofs.protocols.stack import levels
from proofs.ts_concrete import Compiled, Instance, State

SYSTEMS = (proof.Bucket,)
"""Every system that some scenario is one of."""

IDLE = {"T0", "T1", "Done", "C1", "E1"}
POLLED_AT = {"R2", "R3", "R5", "R7", "F2", "V2"}
"""Labels at which the reaper has a bucket out of the queue; it also has one while it enters an entry anew."""

_compiled: dict[type, Compiled] = {}


def views(model: Any) -> list[View]:
    """One view for each bucket of the model's wheel."""
    return [View(model, bucket) for bucket in model.buckets]


class View:
    """One bucket of a model, as a state of ``Bucket`` or of a mutant of it."""

    def __init__(self, model: Any, bucket: int, system: type[proof.Bucket] = proof.Bucket) -> None:
        """Raises ValueError for a scenario with more than one reaper."""
        self.model, self.bucket, self.name = model, bucket, f"bucket {bucket}"
        if system not in _compiled:
            _compiled[system] = Compiled(system())
        reapers = [t for t, program in model.program.items() if any(step[0] == "reap" for step in program)]
        if len(reapers) > 1:
            raise ValueError(f"{', '.join(reapers)} reap: the proof is about timers with one reaper")
        self.level = (bucket - 1) // model.wheel_size + 1
        latest = max([*model.deadline.values(), sum(step[0] == "tick" for program in model.program.values() for step in program)])
        self.instance = Instance(_compiled[system], {"Thread": model.threads, "Entry": model.entries},
                                 {"reaper": reapers[0] if reapers else model.threads[0]},
                                 range(-1, latest + model.wheel_size ** model.levels + 1))
        self._threads: dict[tuple[int, tuple], dict[str, Any]] = {}
        self._local: dict[tuple, dict[str, Any]] = {}
        self._shared: dict[tuple, dict[str, Any]] = {}

    def state(self, frozen: Any) -> State:
        """The proof's state that a model's state is."""
        shared, processes = frozen
        if shared not in self._shared:
            self._shared[shared] = self.shared(frozen)
        common = self._shared[shared]
        key = processes, common["keys"]
        if key not in self._local:
            self._local[key] = self.local(processes, common["keys"])
        own = self._local[key]
        return tuple([common[name] if name in common else own[name] for name in self.instance.compiled.variables])

    def acts(self, index: int, frozen: Any) -> bool:
        """Every step is seen: those on other buckets too, by what they do to clock and locks."""
        return True

    def local(self, processes: tuple, keys: tuple[int, ...]) -> dict[str, Any]:
        """The threads' variables, encoded, and who has the bucket out of the queue."""
        found = [self.thread(index, process) for index, process in enumerate(processes)]
        own: dict[str, dict[str, Any]] = {name: {} for name in ("at", "entry", "mine", "polled", "due", "until")}
        token = None
        for t, of in zip(self.model.threads, found):
            own["at"][t], own["entry"][t], own["mine"][t] = of["at"], of["entry"], of["mine"]
            own["polled"][t] = "none" if not of["polled"] else "this" if of["polled"] == self.bucket else "other"
            own["due"][t] = keys[of["polled"] - 1] if of["at"] == "R5" else 0
            own["until"][t] = of["until"]
            if own["polled"][t] == "this" or of["mine"] and of["at"] == "W4":
                token = t
        return {name: self.instance.encode(name, one) for name, one in {**own, "token": token}.items()}

    def thread(self, index: int, process: tuple) -> dict[str, Any]:
        """One thread's place and variables."""
        key = index, process
        if key not in self._threads:
            stack = levels(self.model, process)
            last, label = stack[-1], stack[-1].label
            by_name = {level.procedure: level.values for level in stack}
            place = "Idle" if label in IDLE else {"W0": "W1"}.get(label, label)
            entry = by_name["addTimerTaskEntry"]["ke"] if last.procedure == "addTimerTaskEntry" else None
            if place in ("A1", "A2", "A3"):
                entry = last.values["ae"]
            mine = place in ("W2", "W3", "W4") and last.values["bucket"] == self.bucket
            reap = by_name.get("reap")
            has = reap is not None and (place in POLLED_AT or last.procedure == "addTimerTaskEntry")
            self._threads[key] = {"at": place, "entry": entry, "mine": mine, "polled": reap["polled"] if has else 0,
                                  "until": reap["expiration"] if place == "R7" else 0}
        return self._threads[key]

    def shared(self, frozen: Any) -> dict[str, Any]:
        """The variables that threads share, encoded; ``keys``: of all buckets, for what the reaper has polled."""
        model = self.model
        pieces = dict(zip(model.variables, model.pieces(frozen)))
        value = {name: model.tla(name, pieces[name]) for name in (
            "readers", "writer", "content", "key", "queue", "current", "now")}
        own = {"reading": {t: t in value["readers"] for t in model.threads}, "writer": value["writer"],
               "linked": dict.fromkeys(value["content"][self.bucket], True), "key": value["key"][self.bucket],
               "copies": value["queue"].count(self.bucket), "clock": value["current"][1], "now": value["now"],
               "window": self.window(value["current"][self.level])}
        return {name: self.instance.encode(name, one) for name, one in own.items()} | {"keys": tuple(value["key"].values())}

    def window(self, clock: int) -> int:
        """The key that the bucket gives at its level's clock; -1 for the clock's own slot."""
        size, tick = self.model.wheel_size, self.model.wheel_size ** (self.level - 1)
        slot = (self.bucket - 1) % size
        return next((key for key in range(clock + tick, clock + size * tick, tick) if key // tick % size == slot), -1)
