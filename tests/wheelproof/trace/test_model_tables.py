"""The table by which the model follows events, and events that have no place among others."""

from __future__ import annotations

import dataclasses
import random

import pytest

from tests.nights import by_night
from tests.wheelproof.trace import confluence
from tests.wheelproof.trace.followed import (
    OPERATION,
    TIMER,
    by_model,
    random_run_of,
)
from tests.wheelproof.trace.recorded import NAME, mechanisms, of_mutant, random_run
from tests.wheelproof.trace.test_model_replay import table
from tests.wheelproof.trace.test_replay import renumbered
from wheelproof.errors import UsageError
from wheelproof.trace.judging.verdict import CONFORMS, OUT_OF_MODEL, VIOLATES
from wheelproof.trace.model import observed
from wheelproof.trace.model.expressions import Expression
from wheelproof.trace.model.following import Steps

# -- the table, and what it claims


@pytest.mark.parametrize(
    "name, scenario",
    [
        by_night((TIMER, "two_adders_cancel")),
        by_night((TIMER, "expire_readd")),
        (TIMER, "opposite_flushes"),
        by_night((OPERATION, "two_completers_expirer")),
        (OPERATION, "try_once_holder"),
        (OPERATION, "two_groups"),
        by_night((OPERATION, "two_partitions")),
        by_night((OPERATION, "blocking_three")),
        by_night((OPERATION, "blocking_callers_lock")),
    ],
)
def test_eager_steps_commute_with_all_that_others_do(name, scenario):
    mechanism = mechanisms()[name]
    assert (
        list(confluence.faults(Steps(observed.read(mechanism), mechanism.scenarios[scenario])))
        == []
    )


@pytest.mark.nightly
@pytest.mark.parametrize("mechanism", [TIMER, OPERATION])
def test_eager_steps_commute_in_every_scenario(mechanism):
    declared, larger = mechanisms()[mechanism], []
    for name, scenario in declared.scenarios.items():
        try:
            assert (
                list(confluence.faults(Steps(observed.read(declared), scenario), 30_000)) == []
            ), name
        except OverflowError:
            larger.append(name)
    assert len(larger) < len(declared.scenarios) / 3, larger


LONGEST = 200
"""Steps of a random run, at most: some go on for ever."""


def without_value(name: str, rows: observed.Table, runs: int = 3) -> set[str]:
    """The labels whose ``when`` has no value at a step of some random run, with the scenario."""
    labels, chance = set(), random.Random(5)
    for scenario, program in mechanisms()[name].scenarios.items():
        steps = Steps(rows, program)
        for _ in range(runs):
            state = steps.model.initial()
            for _ in range(LONGEST):
                moves = list(steps.model.successors(state))
                if not moves:
                    break
                index, label, after = chance.choice(moves)
                row = rows.rows.get(label)
                if row and row.when:
                    try:
                        row.when.value(steps.look(steps.model.threads[index], state, after))
                    except (LookupError, TypeError) as error:
                        labels.add(f"{label} in {scenario}: {error}")
                state = after
    return labels


TABLES = (TIMER, OPERATION, "overflow_wheel", "purgatory", "timing_wheel")


@pytest.mark.parametrize("name", TABLES)
def test_each_condition_has_a_value_in_every_scenario(name):
    """A condition without a value does not hold, so that its step would count as unseen."""
    assert without_value(name, observed.read(mechanisms()[name])) == set()


def test_a_condition_about_a_lock_that_a_scenario_lacks_has_none():
    rows = observed.read(mechanisms()[OPERATION])
    lock = dataclasses.replace(rows.rows["D2"], when=Expression('outer\'["outer"].depth = 1'))
    wrong = dataclasses.replace(rows, rows={**rows.rows, "D2": lock})
    assert any(
        fault.startswith("D2 in two_partitions") for fault in without_value(OPERATION, wrong)
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 \\in DOMAIN f", True),
        ("3 \\in DOMAIN f", False),
        ("2 \\in DOMAIN <<7, 8>>", True),
        ("0 \\in DOMAIN <<7, 8>>", False),
        ("IF 3 \\in DOMAIN f THEN f[3] ELSE 9", 9),
    ],
)
def test_an_expression_asks_for_a_domain(text, value):
    assert Expression(text).value(lambda name, _: {1: "a", 2: "b"}) == value
    with pytest.raises(TypeError, match="has no domain"):
        Expression("DOMAIN 5").value(lambda name, _: None)


def test_that_eager_steps_commute_can_fail():
    wrong = table(R1={"eager": True, "kind": ""}, A6={"eager": True})
    found = list(confluence.faults(Steps(wrong, mechanisms()[NAME].scenarios["two_adders_cancel"])))
    assert any("R1" in fault and "A6" in fault and "order" in fault for fault in found)


@pytest.mark.parametrize("name", [None, "M1", "M8", "M19"])
def test_without_eager_steps_the_same_event_is_refused_from_more_states(name):
    recorded = of_mutant(name) if name else random_run("flush_add_cancel", 1)
    plain = table(**{label: {"eager": False} for label in observed.read(mechanisms()[NAME]).rows})
    (small, few), (large, many) = (
        by_model(recorded.header, recorded.events, recorded.footer),
        by_model(recorded.header, recorded.events, recorded.footer, table=plain),
    )
    assert small.verdict == large.verdict and [f.line for f in small.findings] == [
        f.line for f in large.findings
    ]
    assert many.figures["sum"] > 2 * few.figures["sum"]


@pytest.mark.parametrize(
    "rows",
    [
        {"A9": {"columns": {("post", "counter"): Expression("taskCounter")}}},
        {"U9": {"columns": {("entry", None): Expression("ul[self]")}}},
        {
            "K1": {
                "columns": {
                    ("entry", None): Expression("ke[self]"),
                    ("task", None): Expression("TaskOf[ke[self]]"),
                    ("res", None): Expression("TRUE"),
                }
            }
        },
        {"U1": {"when": None}},
        {"F1": {"kind": ""}},
        {"C3": {"columns": {}}},
    ],
    ids=[
        "counter before the step",
        "list for entry",
        "always cancelled",
        "every lock",
        "no begin",
        "nothing named",
    ],
)
def test_a_wrong_table_is_noticed(rows):
    recorded = random_run("flush_add_cancel", 1)
    verdict, _ = by_model(recorded.header, recorded.events, recorded.footer, table=table(**rows))
    assert verdict.verdict in (VIOLATES, OUT_OF_MODEL)


@pytest.mark.parametrize(
    "text, says",
    [
        ('eager = ["Z9"]', "no label Z9"),
        ('[labels]\nA9 = { colour = "1" }', "no column colour"),
        ('[labels]\nA9 = { post.colour = "1" }', "post has no colour"),
        ('[labels]\nA9 = { list = "al[self" }', "cannot be read"),
        ('[labels]\nA9 = { event = "cancel" }', "its event is list_add"),
        ('[labels]\nA4 = { event = "sing" }', "no kind of event sing"),
        ('[labels]\nA9 = { floats = "false" }', "res must say"),
        ('[labels]\nA9 = { recorded = "after" }', "of an event that floats"),
        ('passes = ["Z9"]', "no label Z9"),
        ("lazy = []", "unknown field lazy"),
        ("eager = [", "not valid TOML"),
    ],
)
def test_a_table_that_is_wrong_is_an_error(tmp_path, text, says):
    (tmp_path / "traces").mkdir()
    (tmp_path / f"traces/{NAME}.toml").write_text(text)
    with pytest.raises(UsageError, match=says):
        observed.read(dataclasses.replace(mechanisms()[NAME], root=tmp_path))


def test_a_mechanism_without_a_table_is_out_of_the_model(tmp_path):
    with pytest.raises(UsageError, match="have no meaning"):
        observed.read(dataclasses.replace(mechanisms()[NAME], root=tmp_path))


# -- events that have no place among others


def test_an_attempt_that_does_not_get_the_lock_may_be_anywhere_between_its_neighbours():
    """It holds nothing that would order it: where it stands among the events of others means
    nothing, where it stands in its thread does."""
    recorded = random_run_of(OPERATION, "callers_lock", 3)
    events = list(recorded.events)
    lost = next(
        number
        for number, event in enumerate(events)
        if event["k"] == "try_begin" and event["res"] == "false"
    )
    tid = events[lost]["tid"]
    before = max(number for number in range(lost) if events[number]["tid"] == tid)
    after = min(number for number in range(lost + 1, len(events)) if events[number]["tid"] == tid)
    rest = events[:lost] + events[lost + 1 :]
    for place in range(before + 1, after):
        moved = renumbered([*rest[:place], events[lost], *rest[place:]])
        assert by_model(recorded.header, moved)[0].verdict == CONFORMS
    beyond = renumbered([*rest[:after], events[lost], *rest[after:]])
    assert by_model(recorded.header, beyond)[0].verdict == VIOLATES
    assert by_model(recorded.header, renumbered(rest))[0].verdict == VIOLATES, (
        "and it cannot be missing"
    )


@pytest.mark.parametrize("scenario", ["callers_lock", "three_losers", "try_once"])
def test_an_attempt_in_vain_is_recorded_while_the_lock_is_another_thread_s(scenario):
    """Or what its thread does next could sort before what made it fail."""
    seen = 0
    for seed in range(1, 9):
        holder: dict[int, int | None] = {}
        for event in random_run_of(OPERATION, scenario, seed).events:
            if event["k"] == "try_begin" and event["res"] == "false":
                assert holder.get(event["op"]) not in (None, event["tid"]), (seed, event)
                seen += 1
            elif "oseq" in event:
                holder[event["op"]] = None if event["k"] == "lock_release" else event["tid"]
    assert seen > 3
