"""The waits at the end of a counterexample, as a graph to be drawn."""

from __future__ import annotations

from dataclasses import dataclass

from wheelproof.counterexample.document import Counterexample, Wait
from wheelproof.counterexample.holding import circle, final_values, holds, names

THREAD, PLACE, CONDITION = "thread", "place", "condition"
WAITS, HELD = "waits for", "held by"

Node = tuple[str, str]
"""Its kind and its name: a thread and a variable can have the same name."""


@dataclass(frozen=True)
class Arrow:
    """An arrow between two nodes."""

    says: str
    """WAITS, from a thread to the place that it waits for, or HELD, from there to its holder."""
    start: Node
    end: Node


@dataclass(frozen=True)
class WaitGraph:
    """The nodes and arrows."""

    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...]
    ring: tuple[Node, ...]
    """The nodes of the circle in its order; () without one."""


def wait_graph(trace: Counterexample) -> WaitGraph | None:
    """The graph of a deadlock; None of any other counterexample.

    A thread that sleeps waits for the condition that its last step put it in: a place whose value
    has named the thread since then.
    """
    if not trace.waits:
        return None
    last = final_values(trace)
    arrows: dict[Arrow, None] = {}
    nodes: dict[Node, None] = {(THREAD, wait.thread): None for wait in trace.waits}
    for wait in trace.waits:
        thread = THREAD, wait.thread
        if not wait.places:
            arrows[Arrow(WAITS, thread, _without_name(trace, wait))] = None
        for place in wait.places:
            arrows[Arrow(WAITS, thread, (PLACE, place))] = None
            for holder in wait.holders:
                if names(last.get(place, ""), holder):
                    arrows[Arrow(HELD, (PLACE, place), (THREAD, holder))] = None
        holders = {arrow.end[1] for arrow in arrows if arrow.says == HELD}
        for holder in wait.holders:
            if wait.places and holder not in holders:
                arrows[Arrow(HELD, (PLACE, wait.places[0]), (THREAD, holder))] = None
    ends = len(trace.steps) - 1
    goals = {arrow.end for arrow in arrows}
    for hold in holds(trace):
        if hold.last == ends and (PLACE, hold.place) in goals:
            arrows[Arrow(HELD, (PLACE, hold.place), (THREAD, hold.thread))] = None
    for arrow in arrows:
        nodes |= {arrow.start: None, arrow.end: None}
    ring = [(PLACE if at % 2 else THREAD, name) for at, name in enumerate(circle(trace)[:-1])]
    return WaitGraph(tuple(nodes), tuple(arrows), tuple(ring))


def sleeps(trace: Counterexample, thread: str) -> bool:
    """Whether the thread's last step was to fall asleep."""
    kinds = [step.kind for step in trace.steps if step.thread == thread]
    return kinds[-1:] == ["wait"]


def _without_name(trace: Counterexample, wait: Wait) -> Node:
    """The node that a thread waits for where no single variable keeps it."""
    if not sleeps(trace, wait.thread):
        return PLACE, "more than one variable"
    step = [step for step in trace.steps if step.thread == wait.thread][-1]
    last = final_values(trace)
    for place, (before, _) in step.changes.items():
        if names(last[place], wait.thread) and not names(before, wait.thread):
            return CONDITION, place
    return CONDITION, "a notification"
