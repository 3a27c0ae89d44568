"""The states of ``model/timer_task_list.py`` as states of the proof, all lists in one view.

The proof's relation "linked" is the traversal of ``next`` from a list's sentinel, its history the
sizes of sets that the state shows: the linked entries, the threads between a link or unlink and its
count.
"""

from __future__ import annotations

from typing import Any

from model.timer_task_list import Model
from proofs.timer_task_list import system as proof
from proofs.timer_task_list.ranking import Elsewhere
from proofs.timer_task_list.state import UNLINK
from wheelproof.prove.ts.concrete import Instance, State
from wheelproof.prove.ts.search import compiled
from wheelproof.prove.ts.views import Split, levels

SYSTEMS = (proof.TimerTaskList, proof.OneReaper, Elsewhere)
"""Every system that some scenario is one of."""

BY_NIGHT = (Elsewhere,)
"""Those of which the scenarios of the night alone have every action."""

PARAMETERS = ("ul", "ue", "re", "al", "ae", "done", "kl", "ke", "fl", "fd", "ct")
"""Variables of procedures under the same name in the proof, while the procedure is under way."""

ACTIONS = {
    "T0": "adds removes cancels schedules flushes expires stutter",
    "T1": "submits_scheduled",
    "C1": "locks_task_to_cancel",
    "C2": "cancel_takes_entry cancel_finds_none",
    "C3": "clears_pointer",
    "C4": "cancel_returns",
    "S1": "locks_task_to_set",
    "S2": "takes_old_entry has_no_old_entry",
    "S3": "sets_pointer",
    "S4": "unlocks_task_after_set",
    "R1": "finds_list finds_no_list",
    "A0": "removes_first has_added",
    "A1": "locks_list_to_add",
    "A2": "locks_entry_to_add",
    "A3": "is_in_no_list is_linked_again",
    "A4": "sets_next",
    "A5": "sets_prev",
    "A6": "sets_list",
    "A7": "links",
    "A8": "links_back",
    "A9": "counts_link",
    "A10": "unlocks_entry_after_add",
    "A11": "unlocks_list_after_add",
    "A12": "add_returns",
    "U1": "locks_list_to_unlink",
    "U2": "locks_entry_to_unlink",
    "U3": "is_its_list is_not_its_list",
    "U4": "closes_prev",
    UNLINK: "closes_next",
    "U6": "clears_next",
    "U7": "clears_prev",
    "U8": "clears_list",
    "U9": "counts_unlink",
    "U10": "unlocks_entry_after_unlink",
    "U11": "unlocks_list_after_unlink",
    "K1": "is_cancelled is_to_be_linked is_to_be_run",
    "K2": "hands_over",
    "F1": "locks_list_to_flush",
    "F2": "takes_head is_empty",
    "F3": "passes_head_on",
    "F4": "flush_returns",
}
"""Label -> the actions that the step may be; ``stutter`` where it may be none."""


def views(model: Model) -> list[View]:
    """The views of a scenario: ``OneReaper`` where at most one thread flushes elsewhere.

    ``Elsewhere`` too, where that thread flushes, and never into the list that it flushes.
    """
    flushes = [
        (thread, step)
        for thread, program in model.program.items()
        for step in program
        if step[0] == "flush"
    ]
    reapers = {thread for thread, _ in flushes}
    if len(reapers) > 1:
        return [View(model, proof.TimerTaskList)]
    all_views = [View(model, proof.OneReaper, min(reapers, default=model.threads[0]))]
    if flushes and all(step[1] != step[2] for _, step in flushes):
        all_views.append(View(model, Elsewhere))
    return all_views


class View(Split):
    """A scenario's model as a state of ``TimerTaskList``, or of a mutant of it."""

    def __init__(
        self, model: Model, system: type[proof.TimerTaskList], reaper: str | None = None
    ) -> None:
        """``reaper``: the thread that may flush into other lists, for a system with only one."""
        super().__init__()
        self.model, self.name = model, system.__name__
        rigid = {"task_of": model.task_of} | (
            {"reaper": reaper} if "reaper" in system.RIGID else {}
        )
        self.instance = Instance(
            compiled(system),
            {
                "Thread": model.threads,
                "TaskList": model.lists,
                "Entry": model.entries,
                "Task": model.tasks,
            },
            rigid,
        )
        self._threads: dict[tuple[int, State], dict[str, Any]] = {}

    def local(self, processes: State) -> dict[str, Any]:
        """The threads' variables, encoded, and the history that they make."""
        rows = [self.thread(index, process) for index, process in enumerate(processes)]
        names = ("at", "head", "sl", "se", *PARAMETERS)
        cells = {
            name: self.instance.encode(
                name,
                {
                    t: row[name]
                    for t, row in zip(self.model.threads, rows)
                    if row.get(name) is not None
                },
            )
            for name in names
        }
        cells["uncounted"] = sum(row["at"] in ("A8", "A9") for row in rows)
        cells["overcounted"] = sum(row["at"] in ("U6", "U7", "U8", "U9") for row in rows)
        return cells

    def thread(self, index: int, process: State) -> dict[str, Any]:
        """One thread's place and variables; one that is not under way is left out."""
        key = index, process
        if key not in self._threads:
            stack = levels(self.model, process)
            cells: dict[str, Any] = {}
            for level in stack[1:]:
                cells |= {name: value for name, value in level.values.items() if name in PARAMETERS}
            place, base = stack[-1].label, stack[0]
            cells["at"] = "Idle" if place in ("T0", "Done") else place
            flush = next((level for level in stack if level.procedure == "flush"), None)
            if flush is not None and flush.label == "F3":
                cells["head"] = flush.values["head"]
            if base.label == "T1":
                _, cells["sl"], cells["se"] = self.model.program[self.model.threads[index]][
                    base.values["turn"] - 2
                ]
            self._threads[key] = cells
        return self._threads[key]

    def shared(self, model_state: State) -> dict[str, Any]:
        """The variables that threads share, encoded."""
        model = self.model
        pieces = dict(zip(model.variables, model.pieces(model_state)))
        value: dict[str, Any] = {
            name: model.tla(name, piece) for name, piece in pieces.items() if name != "stack"
        }
        members = {name: self.members(value["next"], name) for name in model.lists}
        homes = {
            entry: {name: True for name in model.lists if entry in members[name]}
            for entry in model.entries
        }
        cells = {
            "list": value["list"],
            "linked": homes,
            "size": sum(map(len, homes.values())),
            "list_owner": {
                name: monitor["owner"] for name, monitor in value["listMonitor"].items()
            },
            "list_depth": {
                name: monitor["depth"] for name, monitor in value["listMonitor"].items()
            },
            "entry_owner": {
                name: monitor["owner"] for name, monitor in value["entryMonitor"].items()
            },
            "task_owner": {
                name: monitor["owner"] for name, monitor in value["taskMonitor"].items()
            },
            "pointer": value["timerTaskEntry"],
            "revoked": value["revoked"],
            "counter": value["taskCounter"],
            "slipped": dict.fromkeys(value["slipped"], True),
        }
        return {name: self.instance.encode(name, cell) for name, cell in cells.items()}

    def members(self, following: dict[str, str | None], name: str) -> set[str]:
        """The entries along ``next`` from a list, for as long as there are new ones."""
        entries: set[str] = set()
        node = following[name]
        while node is not None and node != name and node not in entries and node in following:
            entries.add(node)
            node = following[node]
        return entries & set(self.model.entries)
