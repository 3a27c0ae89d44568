"""A harness explored, and a failing order of it run again: the answers of plain threads."""

from __future__ import annotations

from dataclasses import dataclass

from wheelproof.jvm.explore import process
from wheelproof.jvm.explore.harness import Harness
from wheelproof.plain.answers import (
    Answer,
    Exploration,
    Failure,
    FailureKind,
    Place,
    Raised,
    Schedule,
    Step,
    Switch,
    Wait,
)
from wheelproof.plain.replaying import Replayed
from wheelproof.plain.settings import Settings


@dataclass(frozen=True)
class JavaFailure(Failure):
    """A run of Java threads that fails."""

    @property
    def builds(self) -> tuple[str, ...]:
        return ()


def explore(harness: Harness, settings: Settings) -> Exploration:
    """Explore a harness. Raises UsageError for a construct without steps, and ToolError."""
    words = [("executions", str(settings.executions)), ("seed", str(settings.seed))]
    if settings.bound is not None:
        words.append(("bound", str(settings.bound)))
    answered = process.run(harness, words)
    answer = Answer(answered["answer"])
    return Exploration(
        answer=answer,
        executions=answered["executions"],
        racy_places=tuple(_place(harness, site) for site in answered["places"]),
        failure=_failure(harness, answered) if answer is Answer.BUG else None,
        bound=settings.bound if answer is Answer.BOUNDED else None,
        reason=answered["reason"],
        schedule=_schedule(answered) if answer is Answer.BUG else None,
        restarts=answered["restarts"],
        points=answered["points"],
        accesses=answered["accesses"],
        table=tuple(answered["failure"]["table"]) if answer is Answer.BUG else (),
    )


def replay(harness: Harness, schedule: Schedule) -> Replayed:
    """Run a harness in the order of a schedule, in a process of its own."""
    words: list[tuple[str, ...]] = [("replay", "")]
    words += [(process.VISIBLE, place) for place in schedule.places]
    words += [
        (process.SWITCH, switch.thread, switch.place, str(switch.visit), switch.following)
        for switch in schedule.switches
    ]
    answered = process.run(harness, words)
    if answered["answer"] != "bug":
        return Replayed(answered["answer"] == "holds", None)
    return Replayed(True, _failure(harness, answered))


def _schedule(answered: process.Answered) -> Schedule:
    switches = tuple(Switch(*switch) for switch in answered["failure"]["switches"])
    places = [site["key"] for site in answered["places"]]
    return Schedule(switches, (*places, *answered["kinds"], *answered["failure"]["program"]))


def _failure(harness: Harness, answered: process.Answered) -> JavaFailure:
    failed = answered["failure"]
    raised = failed.get("raised")
    return JavaFailure(
        kind=FailureKind(failed["kind"]),
        message=answered["reason"],
        thread=failed["thread"],
        exception=raised and Raised(_place(harness, raised), (raised["says"],)),
        steps=tuple(_step(harness, step) for step in failed["steps"]),
        waits=tuple(
            Wait(wait["thread"], wait["awaited"], wait["holder"], _place(harness, wait))
            for wait in failed["waits"]
        ),
        cycle=tuple(failed["cycle"]),
        preemptions=failed["preemptions"],
        minimal=failed["minimal"],
        free_threaded_only=None,
    )


def _step(harness: Harness, step: process.Step) -> Step:
    return Step(
        step["thread"],
        _place(harness, step),
        step["operation"],
        step["target"],
        step["value"],
        tuple(step["holds"]),
        step["preempts"],
    )


def _place(
    harness: Harness, site: process.Site | process.Step | process.Wait | process.Thrown
) -> Place:
    """A place: with the harness's own path, and elsewhere with the name of the class's source."""
    file = str(harness.source) if site["file"] == harness.source.name else site["file"]
    return Place(file, site["line"], 0, site["method"], site["key"])
