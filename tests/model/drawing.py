"""Hypothesis strategies: scenarios of the timer's lists, in the form that the TOML gives them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Scenario = dict[str, Any]


@st.composite
def objects(draw, lists: int = 3, entries: int = 3) -> Scenario:
    """Some lists and entries, some of them linked, and the entries of their tasks; no threads yet.

    Entries may share a task. A linked entry need not be its task's current one: a cancel came
    between.
    """
    buckets = [f"l{i + 1}" for i in range(draw(st.integers(1, lists)))]
    links = [f"e{i + 1}" for i in range(draw(st.integers(1, entries)))]
    task_of: dict[str, str] = {}
    for i, entry in enumerate(links):
        task_of[entry] = draw(st.sampled_from([f"t{i + 1}", *dict.fromkeys(task_of.values())]))
    ring: dict[str, list[str]] = {bucket: [] for bucket in buckets}
    for entry in draw(st.permutations(links)):
        if (bucket := draw(st.sampled_from([None, *buckets]))) is not None:
            ring[bucket].append(entry)
    current = []
    for task in dict.fromkeys(task_of.values()):
        entry = draw(st.sampled_from([*(e for e in links if task_of[e] == task), None]))
        if entry is not None:
            current.append(entry)
    return {"lists": buckets, "task_of": task_of, "ring": ring, "current": current}


def operations(scenario: Scenario, into_itself: bool = True) -> st.SearchStrategy[list[str]]:
    """One operation on the objects of a scenario.

    ``into_itself``: flush may hand entries back to the list that it flushes.
    """
    buckets, links = scenario["lists"], list(scenario["task_of"])
    bucket, entry = st.sampled_from(buckets), st.sampled_from(links)
    flush = [[a, b] for a in buckets for b in buckets if a != b or into_itself]
    return st.one_of(
        entry.map(lambda e: ["remove", e]),
        st.tuples(bucket, entry).map(lambda x: ["add", *x]),
        st.sampled_from(list(dict.fromkeys(scenario["task_of"].values()))).map(
            lambda t: ["cancel", t]
        ),
        bucket.map(lambda b: ["expire", b]),
        st.tuples(bucket, entry).map(lambda x: ["schedule", *x]),
        *([st.sampled_from(flush).map(lambda x: ["flush", *x])] if flush else []),
    )


@st.composite
def programs(draw, most: int = 12) -> Scenario:
    """A scenario of one thread, which ends whatever it does."""
    scenario = draw(objects(entries=4))
    return scenario | {
        "threads": {"a": draw(st.lists(operations(scenario, into_itself=False), max_size=most))}
    }


@st.composite
def scenarios(draw) -> Scenario:
    """Two or three threads, with one to four operations in all that are at least one each.

    Misuse is drawn too: two flushes in opposite directions, which deadlock, and a flush into the
    list that it flushes, which never ends. Both have finite graphs. The implementation must do
    what its model does in them as in any other.
    """
    scenario = draw(objects())
    threads = draw(st.integers(2, 3))
    more = draw(st.lists(st.integers(0, threads - 1), max_size=4 - threads))
    return scenario | {
        "threads": {
            name: [draw(operations(scenario)) for _ in range(1 + more.count(i))]
            for i, name in enumerate("abc"[:threads])
        }
    }
