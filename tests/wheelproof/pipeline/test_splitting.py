"""Keys that are looked at in pieces: the rows and violations are those of one window, wherever the
cuts are, and a fault in putting pieces together is refused."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import checked
import duckdb
import inputs as all_inputs
import pieces
import planted
import planted_purgatory
import purgatory
import pytest
from checked import Trace

from benchmarks import mutations
from benchmarks.simulate import Simulator
from benchmarks.simulated_log import header
from tests.nights import only
from traces.bulk import clock, lists, operation, row, tokens, trace
from wheelproof.pipeline import columns as F
from wheelproof.pipeline import ingest, on_duckdb, outcomes, skew, splitting, validate
from wheelproof.pipeline.columns import Window
from wheelproof.pipeline.frames import EVENTS
from wheelproof.pipeline.rule import Family
from wheelproof.pipeline.skew import Limits, order
from wheelproof.pipeline.splitting import Cut
from wheelproof.trace.format import jsonl, parquet
from wheelproof.trace.judging.replay import reader_of

RECORDINGS = Path(__file__).parents[2] / "real" / "recordings"


@cache
def simulated(operations: int = all_inputs.OPERATIONS) -> Trace:
    events = Simulator(all_inputs.SEED, operations).run()
    return header("run"), events, checked.footer_of(header("run"), events)


@cache
def retargeted() -> Trace:
    """A short run in which an entry is linked into another list."""
    events = simulated(2)[1]
    changed = mutations.mutate(events, "list_add", "retarget", "log", 0)
    assert changed is not None
    return header("retargeted"), changed, checked.footer_of(header("retargeted"), events)


@cache
def golden(name: str) -> Trace:
    reader = jsonl.Reader(all_inputs.GOLDEN / f"{name}.jsonl")
    return reader.header, [event for _, event in reader], reader.footer


@cache
def of_purgatory() -> dict[str, Trace]:
    return planted_purgatory.of_purgatory()


@cache
def all_traces() -> dict[str, Trace]:
    """Every trace of these tests, sound, changed and with planted faults, and those of Kafka."""
    conforming = simulated()[1]
    changed = all_inputs.changed_traces(conforming)
    found = {name: (header(name), *rest) for name, rest in changed.items()}
    found |= {each[0]["run_id"]: each for each in planted.faults(conforming).values()}
    found |= {**of_purgatory(), "conforming": simulated()}
    found |= {file.stem: golden(file.stem) for file in all_inputs.GOLDEN.glob("*.jsonl")}
    for file in RECORDINGS.glob("*.jsonl.gz"):
        reader = reader_of(file)
        found[file.name] = reader.header, [event for _, event in reader], reader.footer
    return found


# -- the same rows


def test_the_families_that_look_along_one_key_can_be_split():
    names = [family.name for family in pieces.SPLIT]
    assert names == [
        *("threads", "program", "readings", "requests", "entries", "tasks", "attempts"),
        *("calls", "watched_keys", "tokens"),
    ]


EVERYWHERE = [pieces.every(1), pieces.every(2), pieces.every(2, 1)]
"""Between them each two neighbouring rows are in one piece, and in two."""


def test_rows_and_violations_of_pieces_are_those_of_one_window():
    made = retargeted()
    assert pieces.differing(made, EVERYWHERE) == set()
    violations, applied = pieces.reported(made)
    assert "ExactlyItsList" in {rule for rule, _ in violations} and applied["TokenDense"]
    assert pieces.reported(made, EVERYWHERE[0]) == (violations, applied)
    assert pieces.differing(with_monitors(), [pieces.every(2)], [trace.FAMILY]) == set()


@pytest.mark.nightly
def test_each_trace_and_each_planted_fault_gives_the_same_in_pieces_of_each_size():
    sizes = [*EVERYWHERE, pieces.every(3), pieces.every(17)]
    broken: set[str] = set()
    for name, made in all_traces().items():
        assert pieces.differing(made, sizes) == set(), name
        violations, applied = pieces.reported(made)
        assert pieces.reported(made, pieces.every(3, 1)) == (violations, applied), name
        broken |= {rule for rule, _ in violations}
    assert broken == {rule.name for family in pieces.SPLIT for rule in family.rules}


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["conforming", "mutant_M2", "left_timed", "load.jsonl.gz"])
def test_one_cut_gives_the_same_at_each_possible_place(name):
    made = all_traces()[name]
    places = range(pieces.longest(made))
    chosen = places if len(places) < 200 else random.Random(1).sample(places, 200)
    assert pieces.differing(made, [pieces.once(place) for place in chosen]) == set()


def test_a_frame_without_cuts_is_the_frame_itself():
    assert splitting.split(tokens.TOKENS.rows, ()) is tokens.TOKENS.rows


@pytest.mark.parametrize(
    ("frame", "why"),
    [
        (row.FAMILY.rows, "looks at one event"),
        (clock.FAMILY.rows, "looks along clocks, levels and threads"),
        (lists.LISTS.rows, "looks once more at what it found"),
        (operation.FAMILY.rows, "groups"),
        (
            EVENTS.withColumn("most", F.max("lc").over(Window.partitionBy("run"))),
            "looks at all rows of a key",
        ),
        (
            EVENTS.withColumn("was", F.lag("k").over(Window.partitionBy(F.col("lc") + 1))),
            "has a key that is made",
        ),
    ],
)
def test_a_frame_that_looks_otherwise_is_left_whole(frame, why):
    assert splitting.sorting(frame) is None, why
    with pytest.raises(ValueError, match="keys of one kind"):
        splitting.split(frame, [Cut((1,), ((1,),))])


# -- planted faults


def _forgets(look, got):
    return look


def _of_the_neighbour(left):
    return F.lag(left).over(splitting._ALONG)


def _its_own_too(left):
    return F.last(left).over(splitting._ALONG.so_far())


def _all_keys_together(left):
    return F.lag(left).over(Window.partitionBy().orderBy(splitting._PIECE))


def _least(order, values):
    return F.min(splitting._row(order, values))


def _unordered(order, values):
    return F.max(splitting._row((), values))


WAYS = {
    "lag forgets the piece before": ("lag", {"mends": _forgets}),
    "lag takes the first row of the piece before": ("lag", {"leaves": _least}),
    "lag takes the greatest value of the piece before": ("lag", {"leaves": _unordered}),
    "lag takes another key's piece": ("lag", {"gets": _all_keys_together}),
    "lead forgets the piece after": ("lead", {"mends": _forgets}),
    "lead takes the piece before": ("lead", {"gets": _of_the_neighbour}),
    "last forgets the pieces before": ("last", {"mends": _forgets}),
    "last looks at one piece before": ("last", {"gets": _of_the_neighbour}),
    "last takes its own piece for one before": ("last", {"gets": _its_own_too}),
    "sum forgets the pieces before": ("sum", {"mends": _forgets}),
    "sum adds one piece before": ("sum", {"gets": _of_the_neighbour}),
}
"""Faults in putting pieces together: the function of a window, and what is wrong with its way."""

SEEN_IN = {"lag": "program", "lead": "program", "last": "entries", "sum": "threads"}


def _nulls_last(names, place):
    here, value = F.col(names[0]), place[0]
    rest = _nulls_last(names[1:], place[1:]) if names[1:] else F.lit(True)
    return F.coalesce(here > value, F.lit(True)) | (here.eqNullSafe(value) & rest)


def _each_by_itself(names, place):
    """Not one place after the other: such pieces are no ranges of the order."""
    held = [F.coalesce(F.col(name) >= value, F.lit(False)) for name, value in zip(names, place)]
    return held[0] & held[1] & held[2]


PLACED: dict[str, Callable] = {
    "nulls come last": _nulls_last,
    "the columns of a place are compared each by itself": _each_by_itself,
}
"""Faults in saying to which piece a row belongs."""

TINY = [pieces.every(1), pieces.every(2, 1)]


@cache
def with_monitors() -> Trace:
    """A run whose threads take monitors."""
    return planted.whole("monitors", purgatory.Purgatory(1, 2).run())


@pytest.mark.daily(2)
@pytest.mark.parametrize("fault", WAYS)
def test_a_fault_in_putting_pieces_together_is_refused(fault, monkeypatch):
    function, wrong = WAYS[fault]
    name = SEEN_IN[function]
    families = [family for family in pieces.SPLIT if family.name == name]
    made = with_monitors() if function == "sum" else retargeted()
    way = replace(splitting.WAYS[function], **wrong)
    monkeypatch.setitem(splitting.WAYS, function, way)
    assert pieces.differing(made, TINY, families) == {name}


def misplaced() -> list[tuple[Any, Any]]:
    """Rows and places of which it is wrong whether the row is there or after."""
    names, values = ("a", "b", "c"), (None, 1, 2)
    places = list(product(values, repeat=3))
    reached = [
        splitting._is_reached(names, place).alias(f"at_{number}")
        for number, place in enumerate(places)
    ]
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE given ({', '.join(f'{name} INTEGER' for name in names)})")
        connection.executemany("INSERT INTO given VALUES ($1, $2, $3)", places)
        rows = connection.execute(
            f"SELECT {', '.join(names)}, {on_duckdb.select(*reached)} FROM given"
        ).fetchall()
    return [
        (row[:3], place)
        for row in rows
        for place, is_reached in zip(places, row[3:], strict=True)
        if (is_reached is True) != (order(row[:3]) >= order(place))
    ]


def test_a_row_is_at_a_place_or_after_it_as_the_order_says():
    assert misplaced() == []


@pytest.mark.parametrize("fault", PLACED)
def test_a_place_that_is_no_place_of_the_order_is_refused(fault, monkeypatch):
    monkeypatch.setattr(splitting, "_is_reached", PLACED[fault])
    assert misplaced() != []


# -- on Spark

SMALL = Limits(larger=0.1, costs=0, least=3, pieces=20, most=1000)


@pytest.fixture
def read(spark, tmp_path):
    """A trace as Spark reads it, with a sample that is all of it."""
    head, events, footer = retargeted()
    parquet.write(tmp_path / "run.parquet", head, events, footer)
    inputs = ingest.read(spark, [tmp_path / "run.parquet"], tmp_path).inputs
    return inputs, skew.sample(spark, inputs, len(events), tmp_path, SMALL)


def rows_of(family: Family, inputs: outcomes.Inputs, cuts: Sequence[Cut] = ()) -> Counter[str]:
    return Counter(map(str, outcomes.prepared(family, inputs, cuts).collect()))


@pytest.mark.parametrize(
    "family", only([pytest.param(each, id=each.name) for each in pieces.SPLIT], "tokens")
)
def test_spark_cuts_the_large_keys_and_finds_the_same_rows(read, family):
    inputs, drawn = read
    cuts = skew.cuts(family, drawn)
    whole = rows_of(family, inputs)
    assert rows_of(family, inputs, cuts) == whole
    if family.name in ("threads", "program", "entries", "tokens"):
        assert cuts and sum(whole.values()) > 10
    assert all(len(cut.at) == len({*cut.at}) for cut in cuts)


@pytest.mark.nightly
def test_rows_that_spark_puts_together_wrongly_are_refused(read, monkeypatch):
    """The control of the test above."""
    inputs, drawn = read
    cuts = skew.cuts(tokens.TOKENS, drawn)
    whole = rows_of(tokens.TOKENS, inputs)
    monkeypatch.setitem(splitting.WAYS, "lag", replace(splitting.WAYS["lag"], mends=_forgets))
    assert cuts and rows_of(tokens.TOKENS, inputs, cuts) != whole


@all_inputs.WITH_ALL
def test_a_check_in_pieces_gives_the_report_of_one_in_windows(spark, report, inputs, tmp_path):
    """Each trace and planted fault, all families: verdicts, violations with place and text."""
    kept, validate.KEPT = validate.KEPT, 1_000_000
    try:
        limits = Limits(larger=0.01, costs=0, least=50, pieces=100, most=200, sampled=1_000_000)
        again = validate.check(spark, [inputs.folder], tmp_path, inputs.families, limits=limits)
    finally:
        validate.KEPT = kept
    assert (again.runs, again.rules) == (report.runs, report.rules)
    assert list(map(repr, again.violations)) == list(map(repr, report.violations))
    assert len(again.violations) > 100


def test_pieces_are_of_equal_size_and_begin_at_places_that_rise():
    sampled = [(number // 3, None, 0) for number in random.Random(1).sample(range(900), 900)]
    found = skew._places(sampled, 9)
    assert [place[0] for place in found] == [300 * number // 9 for number in range(1, 9)]
    assert skew._places([(1, 1, 1)] * 50, 5) == ()


def test_a_key_is_cut_that_is_larger_than_a_partition_and_no_other():
    places = [(number, 0, 0) for number in range(1000)]
    sampled = {("lock",): places[:400], ("reaper",): places[:350], ("other",): places[:250]}
    limits = Limits(costs=0, least=10_000, pieces=10)
    found = skew.chosen(sampled, limits, 0.001, 3, 2)
    assert [(cut.key, len(cut.at)) for cut in found] == [(("lock",), 11), (("reaper",), 9)]
    assert skew.chosen(sampled, replace(limits, least=210_000), 0.001, 3, 2) == ()
    assert len(skew.chosen(sampled, replace(limits, most=8), 0.001, 3, 2)[0].at) == 2
    assert len(skew.chosen(sampled, replace(limits, larger=0.5), 0.001, 3, 2)) == 3


def test_a_key_is_cut_only_if_there_are_cores_enough_for_its_pieces():
    """Rows in pieces cost twice as much: with two cores no window takes longer than its pieces."""
    places = [(number, 0, 0) for number in range(1000)]
    sampled = {("lock",): places[:400], ("reaper",): places[:350], ("other",): places[:250]}
    limits = Limits(least=10_000, pieces=10)
    cut = {
        cores: [cut.key[0] for cut in skew.chosen(sampled, limits, 0.001, 8, cores)]
        for cores in (2, 4, 5, 6, 8)
    }
    assert cut == {
        2: [],
        4: [],
        5: ["lock"],
        6: ["lock", "reaper"],
        8: ["lock", "reaper", "other"],
    }


def test_a_small_run_is_not_even_sampled():
    assert skew.sample(None, None, Limits().least, Path("none")) is None
    assert skew.cuts(tokens.TOKENS, None) == ()
