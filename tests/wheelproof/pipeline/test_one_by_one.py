"""Rules of one event in a stream: what they say is what the same table says in memory."""

import checked
import planted
import pytest

from benchmarks.simulate import Simulator
from traces.bulk import FAMILIES, row
from traces.row_rules import rows
from wheelproof.pipeline.frames import RUNS
from wheelproof.pipeline.one_by_one import OneByOne

OF_ONE_EVENT = {rule.name for rule in row.RULES}


def in_a_stream(trace: checked.Trace) -> list[tuple[str, int, str]]:
    head, events, _ = trace
    config = head.get("config", {})
    rules = rows(config.get("tick_ms"), config.get("wheel_size"))
    return [
        (rule.name, event["lc"], wrong)
        for event in events
        for rule, wrong in rules.concerned(event)
        if wrong is not None
    ]


def in_memory(trace: checked.Trace) -> list[tuple[str, int, str]]:
    head, events, footer = trace
    found = checked.of(head, footer, events, [row.FAMILY])
    return [(each["rule"], each["lc"], each["detail"]) for each in found.violations]


def test_each_rule_of_one_event_says_in_a_stream_what_it_says_in_memory():
    traces = [*planted.faults(Simulator(19, 10).run()).values(), *planted.of_purgatory().values()]
    broken = set()
    for trace in traces:
        assert sorted(in_a_stream(trace)) == sorted(in_memory(trace)), trace[0]["run_id"]
        broken |= {name for name, _, _ in in_a_stream(trace)}
    assert len(broken) > 8 and broken <= OF_ONE_EVENT


def test_a_rule_that_is_taken_away_is_noticed():
    """The control of the test above."""
    trace = planted.faults(Simulator(19, 10).run())["KeyAligned"]
    left = [found for found in in_a_stream(trace) if found[0] != "KeyAligned"]
    assert sorted(left) != sorted(in_memory(trace))


def test_without_measures_of_the_wheel_its_rules_ask_nothing():
    _, events, footer = planted.faults(Simulator(19, 10).run())["KeyAligned"]
    assert in_a_stream(({}, events, footer)) == []


@pytest.mark.parametrize(
    "family", [each for each in FAMILIES if each.key], ids=lambda one: one.name
)
def test_a_family_that_looks_at_several_events_is_refused(family):
    with pytest.raises(ValueError, match="looks at several events"):
        OneByOne(family, dict.fromkeys(RUNS.columns))
