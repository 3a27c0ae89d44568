"""A watch says of recordings that grow what a check says of whole ones."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import duckdb
import pytest
import watched
from inputs import WITH_ALL

from traces.bulk import FAMILIES, RULES
from wheelproof.errors import UsageError
from wheelproof.pipeline.watch import moments, outcome
from wheelproof.pipeline.watch.moments import Moment
from wheelproof.pipeline.watch.spool import Spool
from wheelproof.trace.format import jsonl

TRACES = Path(__file__).parents[1] / "trace"
SOME = tuple(family for family in FAMILIES if family.name in ("threads", "lists", "tokens"))
FEW = ("mutant_M2", "mutant_M8", "mutant_FlushWithoutMonitor", "readd", "two_adders")


@pytest.fixture
def connection():
    with duckdb.connect(config={"threads": 1}) as made:
        yield made


@pytest.fixture
def folder(tmp_path):
    """Recordings of the implementation, of its mutants, and of Kafka under D1's conditions."""
    for name in FEW:
        shutil.copy(TRACES / "golden" / f"{name}.jsonl", tmp_path)
    for name in ("late", "in_time"):
        shutil.copy(TRACES / "kafka" / f"{name}.jsonl.gz", tmp_path)
    return tmp_path


def report_of(connection, folder, many, seed):
    files = sorted(path for path in folder.iterdir() if path.is_file())
    return watched.concluded(watched.ledger(connection, watched.pieces(files, many, seed)))


def of_events(violations):
    """The violations of rules that are judged as events come."""
    at = {name: moment for family in FAMILIES for name, moment in moments.moments(family).items()}
    return [dict(row, trusted=True) for row in violations if at[row["rule"]] == Moment.EVENT]


def test_a_watch_names_what_a_check_names(connection, folder):
    """Rules that are final at an event are judged before the footers come, and all of them then."""
    (folder / "cut.jsonl").write_bytes(
        b"".join((folder / "mutant_M8.jsonl").read_bytes().splitlines(True)[:-1]).replace(
            b'"run_id":"', b'"run_id":"cut '
        )
    )
    batches = list(watched.pieces(sorted(folder.iterdir()), 2, 1))
    ends = [row for batch in batches for row in batch if row.get("mark") == "footer"]
    made = watched.ledger(
        connection, [[row for row in batch if row not in ends] for batch in batches]
    )
    early = outcome.report(made, {})
    assert {run["verdict"] for run in early.runs} == {"open", "violates"}
    watched.take(made, ends)
    report = watched.concluded(made)
    assert watched.differences(report, folder) == []
    assert {run["verdict"] for run in report.runs} == {"conforms", "violates", "incomplete"}
    assert len(of_events(early.violations)) > 3
    assert of_events(early.violations) == of_events(report.violations)
    names = outcome.ids(report.violations)
    assert len({*names}) == len(names) > 5


def test_a_carry_that_is_lost_is_noticed(connection, folder):
    first, second = watched.pieces(sorted(folder.iterdir()), 2, 1)
    made = watched.ledger(connection, [first], SOME)
    for watcher in made.families:
        for carry in watcher.carried.carries:
            connection.execute(f"DELETE FROM {carry.table}")
    watched.take(made, [row for row in second if row.get("mark") != "footer"])
    rules = {row["rule"] for row in of_events(outcome.report(made, {}).violations)}
    assert rules >= {"ThreadNoGap", "TokenDense"}


@WITH_ALL
@pytest.mark.parametrize("many", [2, 5, 9])
def test_a_watch_names_what_a_check_names_in_all_changed_and_planted_traces(
    connection, inputs, tmp_path, many
):
    for name, (head, events, footer) in inputs.known.items():
        jsonl.write(tmp_path / f"{name}.jsonl", head, events, footer)
    report = report_of(connection, tmp_path, many, many)
    assert watched.differences(report, tmp_path) == []
    assert {row["rule"] for row in report.violations} == {*RULES}


@pytest.mark.nightly
def test_a_rule_that_is_judged_too_early_is_noticed(connection, folder, monkeypatch):
    monkeypatch.setattr(moments, "looks_back", lambda look: True)
    assert watched.differences(report_of(connection, folder, 6, 1), folder) != []


def test_each_rule_has_a_moment():
    at = {name: moment for family in FAMILIES for name, moment in moments.moments(family).items()}
    assert at.keys() == RULES.keys()
    assert at["KeyBeforeDeadline"] == at["TokenDense"] == Moment.EVENT  # looks back
    assert at["HandedOverRuns"] == at["CallEnds"] == Moment.END  # asks whether the run is whole
    assert at["LiveGoesOn"] == Moment.END  # looks ahead
    assert at["CompletedOnce"] == Moment.END  # an aggregate
    assert at["ThreadNoGap"] == Moment.EVENT
    assert at["CheckBeforeWheel"] == Moment.KINDS  # asks which kinds occur
    assert len(moments.table(FAMILIES)) == len(RULES)


def test_an_event_behind_its_keys_clock_leaves_the_key_to_the_end(connection, tmp_path):
    """The lines of one thread come after those of another: the file is in the order of threads."""
    shutil.copy(TRACES / "golden" / "two_adders.jsonl", tmp_path)
    file = tmp_path / "two_adders.jsonl"
    head, *events, foot = file.read_bytes().splitlines(True)
    events.sort(key=lambda line: json.loads(line)["tid"])
    end = json.loads(foot)
    del end["footer"]["sha256"]
    file.write_bytes(b"".join([head, *events, json.dumps(end).encode() + b"\n"]))
    rows = list(watched.lines(file))
    made = watched.ledger(connection, [rows[:10], rows[10:-1]], SOME)
    unsettled = connection.execute("SELECT DISTINCT family FROM unsettled").fetchall()
    assert {family for (family,) in unsettled} >= {"lists", "tokens"}
    watched.take(made, rows[-1:])
    assert made.going_on() == []
    assert watched.differences(outcome.report(made, {}), tmp_path, SOME) == []


def test_a_run_that_has_ended_leaves_nothing_behind(connection, tmp_path):
    shutil.copy(TRACES / "golden" / "mutant_M2.jsonl", tmp_path)
    rows = list(watched.lines(tmp_path / "mutant_M2.jsonl"))
    made = watched.ledger(connection, [rows[:5], rows[5:-1]], SOME)
    kept = ["events_kept", *made._carries()]
    counts = f"SELECT {' + '.join(f'(SELECT count(*) FROM {name})' for name in kept)}"
    assert connection.execute(counts).fetchone()[0] > 0
    watched.take(made, rows[-1:])
    assert connection.execute(counts).fetchone()[0] == 0


@pytest.mark.nightly
def test_a_transaction_that_is_cut_off_leaves_the_ledger_as_it_was(connection, folder):
    batches = list(watched.pieces(sorted(folder.iterdir()), 2, 1))
    made = watched.ledger(connection, batches[:1], SOME)
    before = watched.concluded(made).document()
    with pytest.raises(KeyboardInterrupt), made.transaction():
        made.take(1, watched.pyarrow.Table.from_pylist(batches[1], watched.SCHEMA))
        raise KeyboardInterrupt
    assert made.batch == 0
    assert watched.concluded(made).document() == before


# -- the spool


def texts(spool):
    """What is in its files, file by file, as (row, name, text)."""
    return [
        [
            (int(row), Path(path).name, text)
            for row, path, text in (line.split("\t", 2) for line in file.read_text().splitlines())
        ]
        for file in sorted(spool.place.iterdir())
    ]


def test_only_whole_lines_are_taken_and_each_once_also_by_the_next_process(tmp_path):
    folder, place = tmp_path / "growing", tmp_path / "spool"
    folder.mkdir()
    file = folder / "a.jsonl"
    file.write_bytes(b"one\ntwo\nthr")
    assert Spool(folder, place, {}).add()
    with file.open("ab") as growing:
        growing.write(b"ee\n\nfour\n")
    spool = Spool(folder, place, {})
    assert spool.add() and not spool.add()
    three = [(3, "a.jsonl", "three"), (4, "a.jsonl", ""), (5, "a.jsonl", "four")]
    assert texts(spool) == [[(1, "a.jsonl", "one"), (2, "a.jsonl", "two")], three]
    for taken in place.iterdir():
        taken.unlink()
    spool = Spool(folder, place, {str(file): 4})
    assert spool.add()
    assert texts(spool) == [three[2:]]


def test_a_file_of_the_spool_has_no_more_bytes_than_it_may_and_one_line_at_least(tmp_path):
    folder = tmp_path / "growing"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(b"a long line\nb\n")
    (folder / "b.jsonl").write_bytes(b"c\n")
    spool = Spool(folder, tmp_path / "spool", {}, limit=4)
    while spool.add():
        pass
    assert [[text for _, _, text in file] for file in texts(spool)] == [["a long line"], ["b", "c"]]


def test_a_file_that_became_shorter_is_refused(tmp_path):
    folder = tmp_path / "growing"
    folder.mkdir()
    file = folder / "a.jsonl"
    file.write_bytes(b"one\ntwo\n")
    spool = Spool(folder, tmp_path / "spool", {})
    assert spool.add()
    file.write_bytes(b"one\n")
    with pytest.raises(UsageError, match="written anew"):
        spool.add()


def test_the_lag_is_what_is_not_judged(tmp_path):
    folder, place = tmp_path / "growing", tmp_path / "spool"
    folder.mkdir()
    file = folder / "a.jsonl"
    file.write_bytes(b"one\ntwo\n")
    spool = Spool(folder, place, {})
    assert spool.backlog({}) == 8
    assert spool.add()
    file.write_bytes(b"one\ntwo\nthree\n")
    in_spool = sum(path.stat().st_size for path in place.iterdir())
    assert spool.backlog({str(file): 1}) == in_spool + 6
    assert Spool(folder, place, {}).backlog({}) == in_spool + 6
    assert spool.backlog({str(file): 2}) == 6


# -- lines that come again


def test_lines_that_come_again_count_once(connection, folder):
    """A publisher that was killed sends its recording from the beginning."""
    first, second = watched.pieces(sorted(folder.iterdir()), 2, 1)
    made = watched.ledger(connection, [first, first + second, [*second, *second]], SOME)
    assert watched.differences(watched.concluded(made), folder, SOME) == []


def test_lines_of_another_recording_with_its_name_are_no_repetition(connection, folder):
    rows = list(watched.lines(folder / "mutant_M8.jsonl"))
    events = [row for row in rows if "mark" not in row]
    made = watched.ledger(connection, [rows[:5]], SOME)
    other = {**rows[2], "tseq": rows[2]["tseq"] + 1}
    for row in (other, {**rows[0], "text": rows[0]["text"].replace("M8", "M9")}):
        before = watched.concluded(made).runs[0]["problems"]
        watched.take(made, [row])
        after = watched.concluded(made).runs[0]["problems"]
        assert len(after) > len(before)
        assert any("lines of another recording" in problem for problem in after)
    assert watched.concluded(made).events == len(events[:4])


def test_lines_that_are_missing_make_a_run_incomplete(connection, folder):
    rows = list(watched.lines(folder / "readd.jsonl"))
    made = watched.ledger(connection, [rows[:5], rows[7:]], SOME)
    (run,) = watched.concluded(made).runs
    assert "of the lines 6 to 34 only 27 have come" in run["problems"]
