"""Liveness on a finite graph: a weakly fair run that never reaches the goal, or its absence.

A run is weakly fair for a thread if the thread moves infinitely often or is infinitely often unable
to. A violation of ``<>goal`` is a lasso: a path to a fair strongly connected part of the graph in
which the goal holds nowhere; a state in which nothing can move is the smallest such part. For
``<>goal`` the path avoids the goal, too; for ``[]<>goal`` it need not.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from typing import NamedTuple

from wheelproof.graph.explorer import StateGraph


class Lasso(NamedTuple):
    """A counterexample: steps (thread, label, state after), and the step to which it returns.

    ``loop`` equals ``len(steps)`` when nothing moves any more after the last step.
    """

    steps: list[tuple[int, str, int]]
    loop: int


def components(graph: StateGraph, inside: list[bool]) -> list[list[int]]:
    """Strongly connected components of the allowed states (Tarjan, without recursion)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    on_stack: set[int] = set()
    stack: list[int] = []
    out: list[list[int]] = []
    for root in range(len(graph.states)):
        if root in index or not inside[root]:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        work = [(root, iter(graph.edges[root]))]
        while work:
            node, rest = work[-1]
            for _, _, target in rest:
                if not inside[target]:
                    continue
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(graph.edges[target])))
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    part = []
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        part.append(member)
                        if member == node:
                            break
                    out.append(part)
    return out


def fair(graph: StateGraph, part: Collection[int], threads: Collection[int]) -> bool:
    """Can a run stay in this part for ever and be weakly fair for the given threads?

    A part of one state without a loop stands for stuttering there: fair if no such thread can move.
    """
    inside = set(part)
    movers, waiters, loops = set(), set(), False
    for state in part:
        able = set()
        for thread, _, target in graph.edges[state]:
            able.add(thread)
            if target in inside:
                loops = True
                movers.add(thread)
        waiters |= set(threads) - able
    if not loops:
        return set(threads) <= waiters
    return set(threads) <= movers | waiters


def violation(
    graph: StateGraph,
    goal: str,
    fair_threads: Collection[int] | None = None,
    *,
    recurs: bool = False,
) -> Lasso | None:
    """A lasso on which a named state property never holds; None if every fair run reaches it.

    Its path is a shortest one.

    ``fair_threads``: indices of the threads with weak fairness, None for all. Without fairness for
    a thread, a run may stop it anywhere, so each state may also stutter. ``recurs``: the property
    has to come true again and again, so the way to the cycle may meet it.
    """
    model = graph.model
    threads = range(len(model.threads)) if fair_threads is None else fair_threads
    without = [not model.holds(goal, state) for state in graph.states]
    distance = _distances(graph, [True] * len(without) if recurs else without)
    there = [without[n] and n in distance for n in range(len(without))]
    bad = [part for part in components(graph, there) if fair(graph, part, threads)]
    # a run may also stop in a state in which only threads without fairness can move
    bad += [
        [n]
        for n in distance
        if there[n] and not {thread for thread, _, _ in graph.edges[n]} & set(threads)
    ]
    if not bad:
        return None
    part = min(bad, key=lambda members: min(distance[n] for n in members))
    entry = min(part, key=distance.__getitem__)
    steps = _path(graph, 0, entry, distance)
    return Lasso(steps + _tour(graph, entry, set(part), threads), len(steps))


def _distances(graph: StateGraph, inside: list[bool]) -> dict[int, int]:
    """The states reachable through allowed states alone, each with its least number of steps."""
    if not inside[0]:
        return {}
    out, waiting = {0: 0}, deque([0])
    while waiting:
        node = waiting.popleft()
        for _, _, target in graph.edges[node]:
            if inside[target] and target not in out:
                out[target] = out[node] + 1
                waiting.append(target)
    return out


def _path(
    graph: StateGraph, start: int, end: int, inside: Collection[int]
) -> list[tuple[int, str, int]]:
    """A shortest path within the allowed states, through which the end can be reached."""
    back: dict[int, tuple[int, int, str] | None] = {start: None}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        if node == end:
            out = []
            while (came := back[node]) is not None:
                before, thread, label = came
                out.append((thread, label, node))
                node = before
            return out[::-1]
        for thread, label, target in graph.edges[node]:
            if target not in back and target in inside:
                back[target] = (node, thread, label)
                waiting.append(target)
    raise ValueError(f"state {end} cannot be reached from state {start} within the allowed ones")


def _tour(
    graph: StateGraph, entry: int, part: set[int], threads: Collection[int]
) -> list[tuple[int, str, int]]:
    """A cycle from ``entry`` through the part: each thread moves in it or is disabled somewhere."""
    if len(part) == 1 and not any(target in part for _, _, target in graph.edges[entry]):
        return []
    steps: list[tuple[int, str, int]] = []
    here = entry
    for thread in threads:
        for node in sorted(part, key=lambda n: graph.levels[n]):
            if all(mover != thread for mover, _, _ in graph.edges[node]):
                steps += _path(graph, here, node, part)
                here = node
                break
            move = next(
                ((m, label, t) for m, label, t in graph.edges[node] if m == thread and t in part),
                None,
            )
            if move:
                steps += [*_path(graph, here, node, part), move]
                here = move[2]
                break
    if here != entry or not steps:
        if here == entry:
            thread, label, target = next(edge for edge in graph.edges[entry] if edge[2] in part)
            steps.append((thread, label, target))
            here = target
        steps += _path(graph, here, entry, part)
    return steps
