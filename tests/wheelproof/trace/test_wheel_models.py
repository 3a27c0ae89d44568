"""Traces of the two wheels followed on their models, by the model and by TLC: runs conform,
mutants' do not, a wrong table is noticed."""

from __future__ import annotations

import dataclasses
from collections import Counter
from pathlib import Path

import pytest

from tests.nights import by_night, of_each_mechanism
from tests.wheelproof.trace import confluence
from tests.wheelproof.trace.followed import by_model, changed, judged_changes
from tests.wheelproof.trace.recorded import REFUSED as ALL
from tests.wheelproof.trace.recorded import mechanisms
from tests.wheelproof.trace.recorded import mutant_of as of_mutant
from tests.wheelproof.trace.test_wheel_traces import OVERFLOW, SCENARIOS, WHEEL, random_run_of
from wheelproof.errors import UsageError
from wheelproof.trace.judging.verdict import CONFORMS, INCOMPLETE, OUT_OF_MODEL, VIOLATES
from wheelproof.trace.model import observed, oracle, slices
from wheelproof.trace.model.expressions import Expression
from wheelproof.trace.model.following import Steps
from wheelproof.trace.recording.record import record

REFUSED = [key for key in ALL if key[0] in (WHEEL, OVERFLOW)]

UNLIKE = {(WHEEL, "M13"): "a lock that is none is no event, and the model's step without it is one"}
"""Mutants whose run is none of the model without their decision either, and why."""

LOOSE = frozenset(
    (
        "bucket_new",
        "lock_acquire",
        "lock_release",
        "list_add",
        "wheel_place",
        "wheel_reject",
        "owner_read",
        "flush_begin",
        "flush_end",
    )
)
"""Kinds that the wheel's table passes over, or has marks of: where a thread may show a mark is
evaluated on the model, how often is left to the rules."""

MEAN = {WHEEL: 3, OVERFLOW: 16}
"""States per event, at most, on average. Nothing shows when a store comes to memory, or which
thread looks first."""


def table(mechanism: str, **rows: dict):
    """The table of a wheel with some rows replaced."""
    found = observed.read(mechanisms()[mechanism])
    return dataclasses.replace(
        found,
        rows={
            **found.rows,
            **{
                name: dataclasses.replace(found.rows[name], **values)
                for name, values in rows.items()
            },
        },
    )


def followed(recorded, **options):
    return by_model(recorded.header, recorded.events, recorded.footer, **options)


# -- the model


@pytest.mark.parametrize("mechanism, scenario", of_each_mechanism(SCENARIOS, 2))
def test_a_run_is_one_of_the_model(mechanism, scenario):
    free = record(mechanisms(), mechanism, scenario, scenario)
    by_schedule = [random_run_of(mechanism, scenario, seed) for seed in (1, 2)]
    for recorded in (*by_schedule, free):
        verdict, run = followed(recorded)
        assert (verdict.verdict, verdict.findings) == (CONFORMS, ())
        passed_over = sum(run.table.stutters(event["k"]) for event in recorded.events)
        assert run.figures["followed"] == len(recorded.events) - passed_over > 5
        # How many states real threads leave open depends on the load of the machine.
        assert recorded is free or run.figures["sum"] <= MEAN[mechanism] * run.figures["followed"]


@pytest.mark.parametrize("mechanism, name", of_each_mechanism(REFUSED, 2))
def test_a_mutant_s_run_is_none_of_the_model(mechanism, name):
    recorded = of_mutant(mechanism, name)
    verdict = followed(recorded)[0]
    assert (verdict.verdict, verdict.first.property) == (VIOLATES, "Next")


@pytest.mark.parametrize(
    "mechanism, name", of_each_mechanism((item for item in REFUSED if item not in UNLIKE), 2)
)
def test_a_mutant_s_run_is_one_of_the_model_without_its_decision(mechanism, name):
    decision = mechanisms()[mechanism].mutants[name].decision
    verdict, _ = followed(of_mutant(mechanism, name), without=decision)
    assert verdict.verdict in (CONFORMS, INCOMPLETE) and {
        finding.property for finding in verdict.findings
    } <= {"Program", "Bracket"}, verdict.findings


@pytest.mark.parametrize("mechanism, name", UNLIKE)
def test_a_mutant_that_is_unlike_its_model_stays_refused(mechanism, name):
    decision = mechanisms()[mechanism].mutants[name].decision
    assert followed(of_mutant(mechanism, name), without=decision)[0].verdict == VIOLATES


def test_another_decision_taken_away_does_not_excuse_a_mutant():
    assert followed(of_mutant(WHEEL, "WrongSlot"), without="M17_turn")[0].verdict == VIOLATES
    assert followed(of_mutant(OVERFLOW, "M16"), without="KeepsMonitor")[0].verdict == VIOLATES


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    "mechanism, scenario",
    of_each_mechanism(
        [(WHEEL, "two_keys"), (WHEEL, "withdrawn"), (OVERFLOW, "two"), (OVERFLOW, "cancelled")]
    ),
)
def test_of_changed_traces_the_rules_accept_what_the_model_accepts(mechanism, scenario):
    recorded, seen, beyond = random_run_of(mechanism, scenario), Counter(), set()
    for what, events, rules in judged_changes(recorded, None if mechanism == OVERFLOW else 120):
        model, _ = by_model(recorded.header, events)
        seen[rules.verdict, model.verdict] += 1
        if model.verdict == CONFORMS and rules.verdict != CONFORMS:
            beyond.add(what)
    assert seen[VIOLATES, VIOLATES] and seen[CONFORMS, VIOLATES] and seen[CONFORMS, CONFORMS]
    steps = {
        what
        for what in beyond
        if what.split()[1].partition("@")[0] not in LOOSE and not what.endswith(" task")
    }
    assert not steps and (mechanism == WHEEL or not beyond), beyond


# -- names, and further findings


def test_a_bucket_goes_by_its_number_over_all_levels():
    recorded = random_run_of(WHEEL, "cascade")
    size = recorded.header["program"]["wheel_size"]
    named = {
        recorded.header["names"][str(event["list"])]: (event["level"], event["bucket"])
        for event in recorded.events
        if "bucket" in event
    }
    assert len(named) > 3 and all(
        number == (level - 1) * size + slot + 1 for number, (level, slot) in named.items()
    )


def test_a_bucket_with_another_name_is_another_bucket():
    recorded = random_run_of(WHEEL, "two_keys")
    numbers = {
        name: number for name, number in recorded.header["names"].items() if type(number) is int
    }
    assert len(numbers) == 6
    wrong = recorded.header | {
        "names": recorded.header["names"]
        | {name: number % 6 + 1 for name, number in numbers.items()}
    }
    assert by_model(wrong, recorded.events)[0].verdict == VIOLATES
    nameless = recorded.header | {
        "names": {
            name: value for name, value in recorded.header["names"].items() if name not in numbers
        }
    }
    assert by_model(nameless, recorded.events)[0].verdict == OUT_OF_MODEL


def test_what_stands_beside_the_model_is_passed_over_and_nothing_else():
    recorded = random_run_of(WHEEL, "two_keys")
    assert all(
        str(event["task"]) not in recorded.header["names"]
        for event in recorded.events
        if "task" in event
    )
    found = observed.read(mechanisms()[WHEEL])
    assert found.beside == {"task"}
    assert (
        followed(recorded, table=dataclasses.replace(found, beside=frozenset()))[0].verdict
        == OUT_OF_MODEL
    )
    assert (
        followed(recorded, table=dataclasses.replace(found, beside=frozenset({"task", "list"})))[
            0
        ].verdict
        == VIOLATES
    ), "one monitor is taken for another"


def test_beside_is_for_columns_of_ids(tmp_path):
    (tmp_path / "traces").mkdir()
    (tmp_path / f"traces/{WHEEL}.toml").write_text('beside = ["level"]')
    with pytest.raises(UsageError, match="beside names level"):
        observed.read(dataclasses.replace(mechanisms()[WHEEL], root=tmp_path))


@pytest.mark.parametrize(
    "text, value",
    [
        ("<< >>", ()),
        ("<<x, 1>>", (3, 1)),
        ("s = << >>", False),
        ("s # <<3, 1>>", False),
        ("<<x>>[1]", 3),
    ],
)
def test_sequences_are_written_as_in_tla(text, value):
    assert Expression(text).value(lambda name, primed: {"x": 3, "s": [3, 1]}[name]) == value


# -- the tables


@pytest.mark.parametrize(
    "name, scenario",
    of_each_mechanism([item for item in SCENARIOS if item[1] != "three_adders"], 2),
)
def test_eager_steps_commute_with_all_that_others_do(name, scenario):
    mechanism = mechanisms()[name]
    assert (
        list(confluence.faults(Steps(observed.read(mechanism), mechanism.scenarios[scenario])))
        == []
    )


@pytest.mark.parametrize(
    "mechanism, scenario, label", [(OVERFLOW, "cancelled", "A6"), (OVERFLOW, "two", "W1")]
)
def test_that_eager_steps_commute_can_fail(mechanism, scenario, label):
    wrong = table(mechanism, **{label: {"eager": True}})
    assert any(
        label in fault
        for fault in confluence.faults(Steps(wrong, mechanisms()[mechanism].scenarios[scenario]))
    )


WRONG = {
    (WHEEL, "the bucket of before"): {
        "F2": {
            "columns": {
                ("list", None): Expression("fb[self] + 1"),
                ("entry", None): Expression("head'[self]"),
            }
        }
    },
    (WHEEL, "the key before the step"): {
        "W3": {
            "columns": {
                ("list", None): Expression("bucket[self]"),
                ("entry", None): Expression("ke[self]"),
                ("key_ms", None): Expression("key[bucket[self]]"),
            }
        }
    },
    (WHEEL, "the clock before the step"): {
        "V4": {"columns": {("wheel_ms", None): Expression("current[up[self]]")}}
    },
    (WHEEL, "every level is made by everybody"): {"W5": {"when": None}},
    (WHEEL, "nothing is linked"): {"A11": {"marks": {}}},
    (OVERFLOW, "a count too late"): {
        "A9": {
            "columns": {
                (column, None): Expression(f'"{name}"')
                for column, name in (("list", "l"), ("entry", "e"), ("task", "x"))
            }
            | {("post", "counter"): Expression("taskCounter")}
        }
    },
    (OVERFLOW, "always cancelled"): {
        "K1": {
            "columns": {
                ("entry", None): Expression('"e"'),
                ("task", None): Expression('"x"'),
                ("res", None): Expression('timerTaskEntry = "e"'),
            }
        }
    },
}
"""(mechanism, what is wrong with it) -> rows of its table."""


@pytest.mark.parametrize("mechanism, what", of_each_mechanism(WRONG))
def test_a_wrong_table_is_noticed(mechanism, what):
    recorded = random_run_of(mechanism, "two_adders" if mechanism == WHEEL else "cancelled")
    assert followed(recorded)[0].verdict == CONFORMS
    assert followed(recorded, table=table(mechanism, **WRONG[mechanism, what]))[0].verdict in (
        VIOLATES,
        OUT_OF_MODEL,
    )


# -- TLC


def held(
    mechanism: str, scenario: str, seed: int, folder: Path, sample: int | None
) -> tuple[int, int]:
    """The model and TLC on a run and on changes of it, which must agree: how many traces there
    were, and how many of them are refused."""
    recorded, cases = random_run_of(mechanism, scenario, seed), []
    for what, events in [("as it was", recorded.events), *changed(recorded.events, sample, seed)]:
        _, run = by_model(recorded.header, events)
        if run.history:
            cases.append((what, slices.cut(run), run.steps))
    for begin in range(0, len(cases), 40):
        some = cases[begin : begin + 40]
        for (what, part, _), answer in zip(
            some,
            oracle.check_all(some[0][2], [part for _, part, _ in some], folder, seconds=600),
            strict=True,
        ):
            assert answer.accepted is not None and answer.refused == part.refused, what
    assert cases[0][1].refused is None, "as it was"
    return len(cases), sum(part.refused is not None for _, part, _ in cases)


@pytest.mark.parametrize(
    "mechanism, scenario", [by_night((WHEEL, "withdrawn")), by_night((OVERFLOW, "cancelled"))]
)
def test_tlc_and_the_model_agree_on_changed_traces(mechanism, scenario, tmp_path):
    traces, refused = held(mechanism, scenario, 1, tmp_path, 20)
    assert 3 < refused < traces


@pytest.mark.parametrize("mechanism, name", [(WHEEL, "M11"), by_night((OVERFLOW, "M16"))])
def test_tlc_refuses_a_mutant_where_the_model_does_and_not_without_its_decision(
    mechanism, name, tmp_path
):
    _, run = followed(of_mutant(mechanism, name))
    part = slices.cut(run)
    assert part.refused and oracle.check(run.steps, part, tmp_path).refused == part.refused
    assert oracle.check(
        run.steps, part, tmp_path, without=mechanisms()[mechanism].mutants[name].decision
    ).accepted


@pytest.mark.nightly
def test_one_slice_is_evaluated_as_many_are(tmp_path):
    _, run = followed(random_run_of(OVERFLOW, "two"))
    assert [
        answer.accepted for answer in oracle.check_all(run.steps, [slices.cut(run)], tmp_path)
    ] == [True]


@pytest.mark.nightly
def test_a_wrong_table_is_noticed_by_tlc_too(tmp_path):
    _, run = followed(
        random_run_of(WHEEL, "two_keys"),
        table=table(WHEEL, **WRONG[WHEEL, "the clock before the step"]),
    )
    part = slices.cut(run)
    assert (
        part.events[-1].event["k"] == "clock_advance"
        and oracle.check(run.steps, part, tmp_path).refused == part.refused
    )


@pytest.mark.nightly
@pytest.mark.parametrize("mechanism, name", REFUSED)
def test_tlc_refuses_every_mutant_where_the_model_does(mechanism, name, tmp_path):
    _, run = followed(of_mutant(mechanism, name))
    part = slices.cut(run)
    assert part.refused and oracle.check(run.steps, part, tmp_path).refused == part.refused


@pytest.mark.nightly
@pytest.mark.parametrize("mechanism, scenario", SCENARIOS)
def test_tlc_and_the_model_agree_on_many_changed_traces(mechanism, scenario, tmp_path):
    traces, refused = held(mechanism, scenario, 2, tmp_path, None if mechanism == OVERFLOW else 38)
    assert 0 < refused < traces
