"""Which kind of event may come next in a thread, as the models of a subject say: made from their
state graphs, kept in ``successors.json``.

``python -m traces.bulk.successors [FOLDER]`` compares the file with the subject's models,
``--write`` makes it anew.

A step of a model is the event that the label table gives its label. Passed through are steps
without one, and those that would change something and find nothing to (a queue that is empty): a
label whose kind is a read or an update, which changes a shared variable elsewhere and not here. A
thread is where its label, the labels that its procedures return to, and which of its variables are
not set say: behind a poll that found nothing the same labels lead elsewhere.
"""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # an executor has neither the subject's models nor what reads its declarations
    from wheelproof.project.mechanism import Mechanism

FILE = resources.files("traces.bulk") / "successors.json"
"""Executors import this package from a zip, in which no path of the file system leads to the
file."""
SCHEMA = "wheelproof.successors/1"

BOUND = 4_000
"""States of a scenario that are looked at: the steps of a thread repeat long before that."""

AGAIN = frozenset(("clock_advance",))
"""Kinds of which one step of a model may be several events: of a wheel's clock one for each
level."""

BEGIN = "begin"
"""Before a thread's first event."""

STEPS = (
    "entry_new",
    "set_entry",
    "list_add",
    "list_remove",
    "cancel_check",
    "cancel",
    "reinsert",
    "expire_submit",
    "task_run",
    "wheel_place",
    "wheel_reject",
    "bucket_expiry_set",
    "dq_offer",
    "dq_poll",
    "clock_advance",
    "flush_begin",
    "flush_end",
    "try_begin",
    "try_end",
    "pending_set",
    "pending_getset",
    "force_cas",
    "on_complete_begin",
    "on_complete_end",
    "on_expire",
    "op_new",
    "watch_add",
    "watch_cancel",
    "thread_start",
    "thread_stop",
)
"""The kinds that are steps of the program. Not so: locks, whose order has rules of its own, and
events that any step may come with: reads of the clock and of an entry's owner, retries, the making
of levels and buckets."""

PASSIVE = frozenset(("read", "update"))
"""Kinds of label that leave no event where they change nothing, if they change something
elsewhere."""

Place = tuple[str, ...]
"""Where a thread is: its label, the labels that its procedures return to, the innermost first, and
the numbers of its variables that are not set."""


@dataclass
class Steps:
    """The steps of a mechanism's threads: where they begin; place -> (place after it, whether a
    shared variable changed)."""

    starts: set[Place] = field(default_factory=set)
    after: dict[Place, set[tuple[Place, bool]]] = field(default_factory=dict)

    def changing(self) -> set[str]:
        """The labels that change a shared variable somewhere."""
        return {
            place[0] for place, steps in self.after.items() if any(changes for _, changes in steps)
        }


def load() -> dict[str, dict[str, list[str]]]:
    """Module -> kind of event, or :data:`BEGIN` -> kinds that may come next in its thread."""
    modules: dict[str, dict[str, list[str]]] = json.loads(FILE.read_text(encoding="utf-8"))[
        "modules"
    ]
    return modules


def derive(mechanisms: Mapping[str, Mechanism]) -> dict[str, dict[str, list[str]]]:
    """The table of a subject's mechanisms. Mechanisms without a label that is an event are left
    out."""
    out = {}
    for mechanism in mechanisms.values():
        event = {
            name: label.event if label.event in STEPS else ""
            for name, label in mechanism.labels.items()
        }
        if not any(event.values()):
            continue
        steps = Steps()
        for scenario in dict.fromkeys(
            config.scenario
            for config in mechanism.configs.values()
            if config.expect == "exhaustive" and not config.module and not config.without
        ):
            _explore(mechanism.model(scenario), steps)
        out[mechanism.module] = _by_kind(mechanism, event, steps)
    return out


def _explore(model: Any, steps: Steps) -> None:
    """Adds the places that each thread's steps lead to, in the states that are nearest to the
    first."""
    label, stack = model.process_variables.index("pc"), model.process_variables.index("stack")
    unset = [
        number for number in range(len(model.process_variables)) if number not in (label, stack)
    ]
    is_visible = [name not in model.AUXILIARY for name in model.variables]

    def place(process: tuple[Any, ...]) -> Place:
        return (
            process[label],
            *(frame.pc for frame in process[stack]),
            *[number for number in unset if not process[number]],
        )

    def shared_values(state: Any) -> tuple[object, ...]:
        return tuple(piece for keep, piece in zip(is_visible, model.pieces(state)) if keep)

    first = model.initial()
    steps.starts.update(map(place, first[1]))
    visits, waiting = {first}, deque([first])
    while waiting:
        state = waiting.popleft()
        for thread, _, after in model.successors(state):
            steps.after.setdefault(place(state[1][thread]), set()).add(
                (place(after[1][thread]), shared_values(after) != shared_values(state))
            )
            if after not in visits and len(visits) < BOUND:
                visits.add(after)
                waiting.append(after)


def _by_kind(mechanism: Mechanism, event: Mapping[str, str], steps: Steps) -> dict[str, list[str]]:
    changing = steps.changing()

    def leaves_none(label: str, changes: bool) -> bool:
        return not event.get(label) or (
            not changes and label in changing and mechanism.labels[label].kind in PASSIVE
        )

    def next_kinds(places: set[Place]) -> set[str]:
        """The events of the places, or of those after them where they may be none."""
        kinds, todo, visits = set(), list(places), set(places)
        while todo:
            here = todo.pop()
            for after, changes in steps.after.get(here, ()):
                if not leaves_none(here[0], changes):
                    kinds.add(event[here[0]])
                elif after not in visits:
                    visits.add(after)
                    todo.append(after)
        return kinds

    table = {BEGIN: next_kinds(steps.starts)}
    for here, afters in steps.after.items():
        after_places = {after for after, changes in afters if not leaves_none(here[0], changes)}
        if after_places:
            table.setdefault(event[here[0]], set()).update(
                next_kinds(after_places) | AGAIN & {event[here[0]]}
            )
    return {kind: sorted(after) for kind, after in sorted(table.items())}


def main(arguments: list[str]) -> int:
    """0 where the file agrees with the models; 1 where it is not, or ``--write`` has made it so."""
    folder = next((Path(name) for name in arguments if not name.startswith("-")), Path("."))
    from wheelproof import documents, project

    modules = derive(project.find(folder))
    if FILE.is_file() and load() == modules:
        print(
            f"{FILE.name} is what the models say: {sum(map(len, modules.values()))} kinds of "
            f"{len(modules)} modules."
        )
        return 0
    if "--write" in arguments:
        documents.write_text(
            Path(str(FILE)), json.dumps({"schema": SCHEMA, "modules": modules}, indent=1) + "\n"
        )
        print(f"{FILE} was made anew.")
    else:
        print(f"{FILE} is not what the models say; make it anew with --write.")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
