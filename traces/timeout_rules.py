"""The rules of an operation's timeout: the part of ``rules.TimerState`` that is about what a timer
has, whatever it is made of.

``tryCompleteElseWatch`` hands an operation to the timer, if it leaves it open. A timer runs what it
has. One whose every operation is one step says by a word which tasks it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from traces.events import Refusal, Step

_OF_TIMER = ("add_request", "cancel", "task_run")
"""The kinds that write the word, if there is one."""


@dataclass(slots=True)
class Timeout:
    """What a trace has shown of one operation's timeout. ``own``: the operation is its own timer's
    task; ``entered``: tryCompleteElseWatch has begun; ``left``: it has left the operation open;
    ``timed``, ``ran``: how often the timer got it and ran it."""

    own: bool = False
    entered: bool = False
    left: bool = False
    timed: int = 0
    ran: int = 0


class TimeoutRules:
    """``timeouts``: operation -> its timeout; ``requested``: a timer got something; ``armed``:
    word -> its last version, and whether the timer had the task then."""

    timeouts: dict[int, Timeout]
    requested: bool
    armed: dict[str, tuple[int, bool]]
    operations: dict[int, Any]

    def _look(self, name: str) -> None:
        raise NotImplementedError

    def _judges_of_timeouts(self) -> dict[str, Callable[[Step, Any], Refusal | None]]:
        return {"add_request": self._add_request}

    # -- what is checked of each kind

    def _add_request(self, event: Step, thread: Any) -> Refusal | None:
        if (has := self._has(event)) is None:
            return None
        self._look("TimedOnce")
        if not has:
            return None
        return Refusal("TimedOnce", f"the timer gets task {event['task']}, and has it")

    def _taken(self, event: Step) -> Refusal | None:
        """Why a timer may not run a task."""
        if (has := self._has(event)) is None:
            return None
        self._look("TakenWhileTimed")
        if has:
            return None
        return Refusal(
            "TakenWhileTimed", f"the timer runs task {event['task']}, and does not have it"
        )

    def _has(self, event: Step) -> bool | None:
        """Whether the timer has the event's task before it, None where no word says so."""
        if (word := _word(event)) is None:
            return None
        last, has = self.armed.get(word[0], (0, False))
        return has if last + 1 == word[1] else None

    def untimed(self) -> Iterator[Refusal]:
        """What is wrong at the end of a whole trace: an open operation that no timer got, and one
        that ran more often than the timer got it."""
        if not self.requested:
            return
        for number, found in self.timeouts.items():
            known = self.operations.get(number)
            own = found.own or known is not None and known.task == number
            if not found.entered or not own:
                continue
            self._look("LeftIsTimed")
            if found.left and not found.timed:
                yield Refusal(
                    "LeftIsTimed",
                    f"tryCompleteElseWatch has left operation {number} open, and the timer never "
                    "gets it",
                    number,
                )
            self._look("RunsAsTimed")
            expired = known is not None and known.cause == "expiry"
            if found.ran > found.timed or expired and not found.timed:
                yield Refusal(
                    "RunsAsTimed",
                    f"operation {number} runs {found.ran} times as the timer's task, and the timer "
                    f"gets it {found.timed} times",
                    number,
                )

    # -- what each kind does

    def _take_timeout(self, event: Step) -> None:
        kind, task = event["k"], event.get("task", 0)
        if task and task == event.get("op"):
            self._timeout(task).own = True
        if kind in _OF_TIMER and task:
            if (word := _word(event)) is not None:
                self.armed[word[0]] = word[1], kind == "add_request"
            found = self._timeout(task)
            found.own = True
            found.timed += kind == "add_request"
            found.ran += kind == "task_run"
            self.requested = self.requested or kind == "add_request"
        elif kind == "try_watch_begin":
            self._timeout(event["op"]).entered = True
        elif kind == "try_watch_end" and event.get("res") == "false" and "purgatory" not in event:
            known = self.operations.get(event["op"])
            if known is None or not known.completed:
                self._timeout(event["op"]).left = True

    def _timeout(self, number: int) -> Timeout:
        return self.timeouts.setdefault(number, Timeout())


def _word(event: Step) -> tuple[str, int] | None:
    """The word that says whether the timer has the task, and the version that the event writes."""
    prefix = f"task:{event.get('task')}."
    return next(
        (
            (token[1], token[2])
            for token in event.get("ord", ())
            if token[0] == "V"
            and token[1].startswith(prefix)
            and token[3] in ("w", "cas+")
            and len(token) == 4
        ),
        None,
    )
