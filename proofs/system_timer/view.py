"""The states of ``model/system_timer.py`` as states of the proof, all buckets in one view."""

from __future__ import annotations

from typing import Any

from model.system_timer import Model
from proofs.system_timer import system as proof
from wheelproof.prove.ts.concrete import Instance, State
from wheelproof.prove.ts.search import compiled
from wheelproof.prove.ts.views import Split, levels

SYSTEMS = (proof.Buckets,)
"""Every system that some scenario is one of."""

IDLE = {"T0", "T1", "Done", "C1", "E1", "E2", "B1"}
PLACES = {
    "W0": "W1",
    "F3": "F2",
    "V1": "F2",
    "V3": "R4",
    "R8": "R4",
    "Q1": "R1",
    "Q2": "R2",
    "Q6": "R6",
}
"""Label -> the place of the proof, where the two have different names."""

POLLED_AT = {"R2", "R3", "R5", "R7", "F2", "V2"}
"""Places at which the reaper has a bucket out of the queue, as it has when it re-enters entries."""

ACTIONS = {
    "T0": "adds cancels reaps stutter",
    "T1": "stutter",
    "W0": "stutter",
    "F3": "stutter",
    "W1": "goes_into is_due_or_cancelled stutter",
    "W2": "links",
    "W3": "finds_its_key sets_key",
    "W4": "offers",
    "K1": "is_not_run is_to_be_run",
    "K2": "hands_over",
    "A1": "enters_to_read",
    "A2": "reads_time",
    "A3": "replaces",
    "A4": "leaves_reading",
    "B1": "stutter",
    "X1": "removes waits",
    "R1": "polls_unlocked is_over waits",
    "R2": "locks_to_reap",
    "R3": "puts_back",
    "R8": "polls",
    "R4": "polls finds_none_due",
    "R5": "reads_key",
    "R7": "advances",
    "R6": "unlocks_after_reap",
    "Q1": "polls_unlocked is_over waits",
    "Q2": "locks_to_reap",
    "Q6": "unlocks_after_reap",
    "F2": "takes_head is_empty",
    "V2": "resets_key",
    "V1": "stutter",
    "V3": "stutter",
    "C1": "time_passes",
    "E1": "stutter",
    "E2": "stutter",
}
"""Label -> the actions that the step may be, seen from all buckets.

``stutter``: it may be none. ``waits``: the model may wait although the system does not.
"""


def views(model: Model) -> list[View]:
    """The one view of a scenario; none of Kafka's order, in which P10 and P11 do not hold."""
    return [View(model)] if model.reap == "reap" else []


class View(Split):
    """A model's wheel, queue and locks as a state of ``Buckets``, or of a mutant of it."""

    def __init__(self, model: Model, system: type[proof.Buckets] = proof.Buckets) -> None:
        """Raises ValueError for a scenario with more than one reaper."""
        super().__init__()
        self.model, self.name = model, system.__name__
        reapers = [
            t for t, program in model.program.items() if any(step[0] == "reap" for step in program)
        ]
        if len(reapers) > 1:
            raise ValueError(
                f"{', '.join(reapers)} reap: the proof is about timers with one reaper"
            )
        self.level = {bucket: (bucket - 1) // model.wheel_size + 1 for bucket in model.buckets}
        self.instance = Instance(
            compiled(system),
            {"Thread": model.threads, "Entry": model.entries, "Bucket": tuple(model.buckets)},
            {
                "reaper": reapers[0] if reapers else model.threads[0],
                "deadline": model.deadline,
                "size": model.wheel_size,
                "nowhere": {},
                "tick": {
                    bucket: model.wheel_size ** (level - 1) for bucket, level in self.level.items()
                },
                "slot": {bucket: (bucket - 1) % model.wheel_size for bucket in model.buckets},
            },
        )
        self._threads: dict[tuple[int, State], dict[str, Any]] = {}

    def local(self, processes: State) -> dict[str, Any]:
        """The threads' variables, encoded, and the threads that have buckets out of the queue."""
        rows = [self.thread(index, process) for index, process in enumerate(processes)]
        cells: dict[str, dict[Any, Any]] = {
            name: {t: row[name] for t, row in zip(self.model.threads, rows)}
            for name in ("at", "entry", "into", "polled", "until")
        }
        cells["token"] = {}
        for t, row in zip(self.model.threads, rows):
            cells["token"] |= {
                bucket: t for bucket in (row["polled"], row["at"] == "W4" and row["into"]) if bucket
            }
        return {name: self.instance.encode(name, cell) for name, cell in cells.items()}

    def thread(self, index: int, process: State) -> dict[str, Any]:
        """One thread's place and variables."""
        key = index, process
        if key not in self._threads:
            stack = levels(self.model, process)
            last, label = stack[-1], stack[-1].label
            place = "Idle" if label in IDLE else PLACES.get(label, label)
            entering = last.procedure == "addTimerTaskEntry"
            entry = last.values["ke"] if entering else None
            if place in ("A1", "A2", "A3"):
                entry = last.values["ae"]
            into = last.values["bucket"] if place in ("W2", "W3", "W4") else None
            values, has = stack[0].values, place in POLLED_AT or entering
            self._threads[key] = {
                "at": place,
                "entry": entry,
                "into": into,
                "polled": (values["polled"] or None) if has else None,
                "until": values["expiration"] if place == "R7" else 0,
            }
        return self._threads[key]

    def shared(self, model_state: State) -> dict[str, Any]:
        """The variables that threads share, encoded."""
        model = self.model
        pieces = dict(zip(model.variables, model.pieces(model_state)))
        value: dict[str, Any] = {
            name: model.tla(name, pieces[name])
            for name in (
                "readers",
                "writer",
                "content",
                "key",
                "queue",
                "current",
                "now",
                "rekeyed",
            )
        }
        cells = {
            "reading": {t: t in value["readers"] for t in model.threads},
            "writer": value["writer"],
            "now": value["now"],
            "key": value["key"],
            "linked": {
                entry: {
                    bucket: True for bucket in model.buckets if entry in value["content"][bucket]
                }
                for entry in model.entries
            },
            "copies": {bucket: value["queue"].count(bucket) for bucket in model.buckets},
            "rekeyed": bool(value["rekeyed"]),
            "clock": {bucket: value["current"][level] for bucket, level in self.level.items()},
        }
        return {name: self.instance.encode(name, cell) for name, cell in cells.items()}
