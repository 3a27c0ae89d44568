"""Rules of the order of threads and tokens beside ``judging.order``, which is written apart from
them: both find each changed trace in order, or neither does.

Only a change of an event's order breaks these rules, and most such changes break others too. So a
list of refusals (test_changed.py) does not see whether each of these rules is right.
"""

from __future__ import annotations

import checked
import pytest

from benchmarks.simulated_log import header
from traces.bulk import FAMILIES
from wheelproof.trace.judging.order import Order
from wheelproof.trace.judging.replay import key_of

ORDERS = {
    "threads": (("ThreadNoGap", "ThreadOnce", "ThreadClock"), ("ThreadSequence",)),
    "tokens": (("TokenDense", "TokenOnce", "TokenClock"), ("TokenSequence", "TokenOrder")),
}
"""Family -> its rules of an order, and the names under which the other judge refuses."""

UNLIKE = {
    "log-bucket_expiry_set-drop-0": "a version of a word is missing: not every write is recorded",
    "log-clock_advance-duplicate-0": "two clocks of one hold of a read/write lock",
    "log-pending_getset-drop-0": "a version of a word is missing: not every write is recorded",
    "log-rw_release-duplicate-0": "two clocks of one hold of a read/write lock",
}
"""Changes whose tokens one of both finds in order, and why: of a word only the other judge asks for
all versions, of a read/write lock only the table compares the clocks."""


def refused(events: list[checked.Event]) -> set[str]:
    """Under which names the other judge refuses."""
    order = Order()
    for line, event in sorted(enumerate(events), key=lambda item: key_of(item[1])):
        order.count(line, event)
    return {name for _, name, _ in order.missing + order.contradictions}


def unlike(traces: dict[str, checked.Trace], family: str, without: str = "") -> set[str]:
    """Traces whose order only one judge refuses. ``without``: a rule, or a name, left out."""
    rules, names = ({*each} - {without} for each in ORDERS[family])
    families = [each for each in FAMILIES if each.name == family]
    by_table = checked.broken(traces, families)
    return {
        run
        for run, (_, events, _) in traces.items()
        if bool(rules & by_table[run].keys()) != bool(names & refused(events))
    }


@pytest.fixture(scope="module")
def traces(inputs) -> dict[str, checked.Trace]:
    """All that are known, and all changed ones."""
    return inputs.known | {
        name: (header(name), *changed) for name, changed in inputs.changed.items()
    }


@pytest.mark.parametrize("family", ORDERS)
def test_the_table_and_the_other_judge_find_the_same_traces_in_order(traces, family):
    expected = UNLIKE.keys() & traces.keys() if family == "tokens" else set()
    assert unlike(traces, family) == expected
    broken = [run for run, (_, events, _) in traces.items() if refused(events)]
    assert 3 < len(broken) < len(traces)


@pytest.mark.daily(3)
@pytest.mark.parametrize(
    ("family", "name"),
    [
        ("threads", "ThreadNoGap"),
        ("threads", "ThreadClock"),
        ("threads", "ThreadSequence"),
        ("tokens", "TokenClock"),
        ("tokens", "TokenDense"),
        ("tokens", "TokenSequence"),
    ],
)
def test_a_rule_of_the_order_that_is_taken_away_is_noticed(traces, family, name):
    """The control. The others are never broken alone."""
    assert unlike(traces, family, name) - UNLIKE.keys()
