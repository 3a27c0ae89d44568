"""The rules of an operation's timeout: what a timer has, whatever it is made of.

``tryCompleteElseWatch`` hands an operation to the timer, if it leaves it open. A timer runs what it
has. One whose every operation is one step says by a word which tasks it has.
"""

from __future__ import annotations

from collections.abc import Iterator

from traces.events import Refusal, Step
from traces.facts import Facts, Judges
from traces.operation_state import Timeout
from traces.thread_state import ThreadState

_OF_TIMER = ("add_request", "cancel", "task_run")
"""The kinds that write the word, if there is one."""


# -- what is checked of each kind


def _add_request(facts: Facts, event: Step, thread: ThreadState) -> Refusal | None:
    if (has := _has(facts, event)) is None:
        return None
    facts.look("TimedOnce")
    if not has:
        return None
    return Refusal("TimedOnce", f"the timer gets task {event['task']}, and has it")


def taken(facts: Facts, event: Step) -> Refusal | None:
    """Why a timer may not run a task."""
    if (has := _has(facts, event)) is None:
        return None
    facts.look("TakenWhileTimed")
    if has:
        return None
    return Refusal("TakenWhileTimed", f"the timer runs task {event['task']}, and does not have it")


def _has(facts: Facts, event: Step) -> bool | None:
    """Whether the timer has the event's task before it, None where no word says so."""
    if (word := _word(event)) is None:
        return None
    last, has = facts.armed.get(word[0], (0, False))
    return has if last + 1 == word[1] else None


def untimed(facts: Facts) -> Iterator[Refusal]:
    """What is wrong at the end of a whole trace: an open operation that no timer got, and one
    that ran more often than the timer got it."""
    if not facts.requested:
        return
    for number, found in facts.timeouts.items():
        known = facts.operations.get(number)
        own = found.own or known is not None and known.task == number
        if not found.entered or not own:
            continue
        facts.look("LeftIsTimed")
        if found.left and not found.timed:
            yield Refusal(
                "LeftIsTimed",
                f"tryCompleteElseWatch has left operation {number} open, and the timer never "
                "gets it",
                number,
            )
        facts.look("RunsAsTimed")
        expired = known is not None and known.cause == "expiry"
        if found.ran > found.timed or expired and not found.timed:
            yield Refusal(
                "RunsAsTimed",
                f"operation {number} runs {found.ran} times as the timer's task, and the timer "
                f"gets it {found.timed} times",
                number,
            )


# -- what each kind does


def take(facts: Facts, event: Step, thread: ThreadState) -> None:
    kind, task = event["k"], event.get("task", 0)
    if task and task == event.get("op"):
        _timeout(facts, task).own = True
    if kind in _OF_TIMER and task:
        if (word := _word(event)) is not None:
            facts.armed[word[0]] = word[1], kind == "add_request"
        found = _timeout(facts, task)
        found.own = True
        found.timed += kind == "add_request"
        found.ran += kind == "task_run"
        facts.requested = facts.requested or kind == "add_request"
    elif kind == "try_watch_begin":
        _timeout(facts, event["op"]).entered = True
    elif kind == "try_watch_end" and event.get("res") == "false" and "purgatory" not in event:
        known = facts.operations.get(event["op"])
        if known is None or not known.completed:
            _timeout(facts, event["op"]).left = True


def _timeout(facts: Facts, number: int) -> Timeout:
    return facts.timeouts.setdefault(number, Timeout())


JUDGES: Judges = {"add_request": _add_request}


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
