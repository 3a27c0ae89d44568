"""Histories of chaos as traces: the pipeline's rules find what the judge finds, by name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from impl.controller import CONTROLLER, EPOCH, PARTITION
from real.chaos import pipeline, recording, variants
from real.chaos.judge import TICK, Acknowledged, Violation
from real.chaos.processes import ROOT
from real.chaos.traces import schema
from tests.nights import only
from tests.real import chaos_histories
from tests.real.chaos_histories import FAULTS, ONE, TWO
from wheelproof.errors import NothingChecked, ToolError
from wheelproof.trace.declared import VARIABLE

RECORDINGS = Path(__file__).with_name("recordings") / "chaos"
SOUND = "as-it-is"
BY_DAY = ("NoFence", "Persists")
"""The recorded controls that are small."""

PROPERTIES = {
    *("TypeOK", "EpochIncreases", "OneController", "FencedWrites", "NoLostUpdate"),
    *("NoOrphan", "NoVacancy", "Elects", "NoDeadlock", "Acknowledged"),
}


def planted():
    """Name -> a history, and the properties that it breaks."""
    made = {}
    for fault, names in [(lambda history: None, []), *FAULTS]:
        history = chaos_histories.sound()
        fault(history)
        name = getattr(fault, "__name__", "").replace("<lambda>", "sound")
        made[name] = (history.evidence(), names)
    return made


def answered():
    """What brokers say that they were answered: it is there, and three times it is not."""
    history = chaos_histories.sound()
    write = history.made[-1]
    parts = tuple((part.path, part.data) for part in write.parts)
    good = Acknowledged(write.zxid, TWO, parts)
    return {
        "answered": history.evidence(good),
        "answered-never": history.evidence(good, good._replace(zxid=99)),
        "answered-another": history.evidence(good, good._replace(session=ONE)),
        "answered-other-data": history.evidence(
            good, good._replace(parts=(parts[0], (parts[1][0], "3 2 2")))
        ),
        "answered-less": history.evidence(good, good._replace(parts=parts[:1])),
    }


# -- damages of a trace


def change(kind, column, made, event, node=CONTROLLER):
    """Give a column of a broker's first event of a kind, about one node, another value."""
    about = event.get("node", node).partition("-")[0] == node
    if event["k"] == kind and about and event.get("cause") != "hand":
        event[column] = made(event[column])
        return True
    return False


def more(number):
    return number + 1


DAMAGES = {
    "ThreadClock": partial(change, "session_close", "lc", lambda lc: 1),
    "InOrder": partial(change, "node_put", "zxid", lambda zxid: zxid - 5, node=PARTITION),
    "Follows": partial(
        change, "node_put", "post", lambda post: {"version": post["version"] + 1}, node=PARTITION
    ),
    "TypeOK": partial(change, "node_create", "res", lambda res: "false"),
    "EpochIncreases": partial(change, "node_put", "epoch", more, node=EPOCH),
    "FencedWrites": partial(change, "node_put", "controller_epoch", more, node=PARTITION),
    "NoLostUpdate": partial(change, "node_put", "leader_epoch", more, node=PARTITION),
    "Acknowledged": partial(change, "acknowledged", "data", lambda data: f"{data}0", node=EPOCH),
}
"""Rule -> what breaks it in a sound trace. ``ThreadWhole`` and ``ThreadEnd`` have losses."""


def damaged(rule):
    """The lines of a sound trace, damaged so that the rule is broken."""
    lines = list(recording.lines(rule, answered()["answered"]))
    if rule == "ThreadWhole":
        del lines[next(at for at, event in enumerate(lines) if event.get("k") == "node_check")]
    elif rule == "ThreadEnd":
        del lines[-2]
    else:
        assert any(DAMAGES[rule](event) for event in lines[1:-1])
    return lines


LOSSES = ("ThreadWhole", "ThreadEnd")


@pytest.fixture(scope="module")
def traces(tmp_path_factory):
    """Name -> the file of a trace."""
    folder = tmp_path_factory.mktemp("traces")
    files = {name: RECORDINGS / f"{name}.jsonl.gz" for name in (SOUND, *BY_DAY)}
    evidence = {name: found for name, (found, _) in planted().items()} | answered()
    for name, found in evidence.items():
        files[name] = folder / f"{name}.jsonl.gz"
        recording.write(files[name], name, found)
    for rule in (*DAMAGES, *LOSSES):
        files[rule] = folder / f"{rule}.jsonl"
        files[rule].write_text("".join(f"{json.dumps(line)}\n" for line in damaged(rule)))
    return files


@pytest.fixture(scope="module")
def document(traces):
    """The report in memory on all of them."""
    return pipeline.report(list(traces.values()))


def verdicts(document):
    return {Path(run["path"]).name.split(".")[0]: run["verdict"] for run in document["runs"]}


@pytest.fixture(scope="module")
def broken(document):
    return pipeline.violations_by_run(document)


def names(found):
    return {name for name, _ in found}


@pytest.mark.parametrize("name", planted())
def test_the_rules_find_what_the_judge_finds(name, document, broken):
    evidence, expected = planted()[name]
    assert names(broken[name]) == set(expected)
    checked = pipeline.Checked(document["events"], broken, {})
    pipeline.compare(name, evidence.judged().violations, checked)
    assert verdicts(document)[name] == ("violates" if expected else "conforms")


@pytest.mark.parametrize("name", answered())
def test_what_was_acknowledged_must_be_there(name, document, broken):
    evidence = answered()[name]
    pipeline.compare(name, evidence.judged().violations, pipeline.Checked(0, broken, {}))
    assert names(broken[name]) == ({"Acknowledged"} if name != "answered" else set())


def test_a_run_of_the_elector_conforms(document, broken):
    assert verdicts(document)[SOUND] == "conforms" and broken["as it is"] == set()


def test_each_control_of_chaos_has_a_recording():
    assert {file.name for file in RECORDINGS.iterdir()} == {
        f"{name}.jsonl.gz" for name in (SOUND, *variants.CONTROLS)
    }


@pytest.mark.parametrize("name", only(variants.CONTROLS, *BY_DAY))
def test_a_run_without_a_decision_is_refused_by_the_name_of_its_property(name, document, tmp_path):
    if name not in BY_DAY:
        document = pipeline.report([RECORDINGS / f"{name}.jsonl.gz"])
    assert verdicts(document)[name] == "violates"
    assert (
        names(pipeline.violations_by_run(document)[name]) & variants.without(name, tmp_path).broken
    )


@pytest.mark.parametrize("rule", [*DAMAGES, *LOSSES])
def test_a_damaged_trace_is_refused_by_the_rule(rule, document, broken):
    assert rule in names(broken[rule])
    lost = rule in (*LOSSES, "Follows")
    assert verdicts(document)[rule] == ("incomplete" if lost else "violates")


def test_each_rule_is_broken_by_something_and_applies_to_the_sound_run(document):
    rules = document["rules"]
    assert PROPERTIES < set(rules)
    assert {name for name, rule in rules.items() if not rule["broken"]} == set()
    sound = {name for name in rules if rules[name]["applied"] > rules[name]["broken"]}
    assert sound == set(rules)


def test_a_history_with_a_loss_has_no_verdict(document, traces):
    for rule in (*LOSSES, "Follows"):
        runs = [run for run in document["runs"] if run["run"] == rule]
        with pytest.raises(ToolError, match="has no verdict on each of 1 traces"):
            pipeline.read(document | {"runs": runs}, [traces[rule]])


def test_a_difference_between_judge_and_rules_is_an_error():
    checked = pipeline.Checked(1, {"x": {("TypeOK", 16)}}, {})
    pipeline.compare("x", [Violation("TypeOK", 16, "so it is")] * 2, checked)
    with pytest.raises(ToolError, match="the judge alone finds nothing, the rules alone .* 0x10"):
        pipeline.compare("x", [], checked)
    with pytest.raises(ToolError, match="the judge alone finds Elects at 0x10, the rules alone"):
        pipeline.compare("x", [Violation("Elects", 16, "so it is")], checked)


@pytest.mark.parametrize(("code", "kind"), [(5, NothingChecked), (2, ToolError), (4, ToolError)])
def test_a_check_that_gives_no_report_is_an_error(code, kind, monkeypatch):
    def ended(*arguments, **options):
        return subprocess.CompletedProcess(arguments, code, "", "so it is")

    monkeypatch.setattr(subprocess, "run", ended)
    with pytest.raises(kind, match="so it is"):
        pipeline.report([Path("x.jsonl")])


def test_a_trace_is_the_same_bytes_for_the_same_history(tmp_path):
    evidence = chaos_histories.sound().evidence()
    for name in ("one", "other"):
        recording.write(tmp_path / f"{name}.jsonl.gz", "x", evidence)
    assert len({file.read_bytes() for file in tmp_path.iterdir()}) == 1
    with pytest.raises(ToolError, match="cannot be written"):
        recording.write(tmp_path / "one.jsonl.gz" / "x.jsonl", "x", evidence)


def test_an_event_has_the_number_of_its_transaction_and_no_clock():
    header, *events, footer = recording.lines("x", chaos_histories.sound().evidence())
    assert header["clock"] == {"kind": "none", "virtual": False}
    assert footer["footer"]["events"] == len(events)
    assert [event["lc"] for event in events] == list(range(1, len(events) + 1))
    written = [event["zxid"] for event in events if event["k"] != "candidate"]
    assert written == sorted(written) and not any("t_ns" in event for event in events)
    names = {column.name for column in schema.COLUMNS} | {"tid", "tseq", "lc", "k", "phase"}
    assert {name for event in events for name in event} <= names | {"post", "cause", "res"}
    required = {kind: set(columns) for kind, columns in schema.REQUIRED.items()}
    assert all(required[event["k"]] <= event.keys() for event in events)


def test_the_declarations_name_the_nodes_of_the_elector():
    nodes = (schema.CONTROLLER, schema.EPOCH, schema.PARTITION, schema.TICK)
    assert nodes == (CONTROLLER, EPOCH, PARTITION, TICK)


def places(document):
    return {
        (each["run_id"], each["rule"], each["lc"])
        for each in document["violations"]
        if "lc" in each
    }


@pytest.mark.nightly
def test_spark_finds_the_same(traces):
    pytest.importorskip("pyspark", reason="NOT RUN: there is no Spark here")
    traces = traces | {name: RECORDINGS / f"{name}.jsonl.gz" for name in variants.CONTROLS}
    document = pipeline.report(list(traces.values()))
    found = pipeline.report(list(traces.values()), "spark")
    assert pipeline.violations_by_run(found) == pipeline.violations_by_run(document)
    assert places(found) == places(document) and verdicts(found) == verdicts(document)
    applied = {name: rule["applied"] for name, rule in document["rules"].items()}
    assert {name: rule["applied"] for name, rule in found["rules"].items()} == applied


@pytest.mark.nightly
def test_duckdb_finds_the_same(traces, document, tmp_path):
    for module in ("duckdb", "pyarrow"):
        pytest.importorskip(module, reason="NOT RUN: there is no DuckDB here")
    script = Path(__file__).with_name("duck_histories.py")
    ended = subprocess.run(
        [sys.executable, str(script), str(tmp_path), *map(str, traces.values())],
        cwd=ROOT,
        env=os.environ | {VARIABLE: str(pipeline.SUBJECT)},
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(ended.stdout)
    assert {tuple(each) for each in found["violations"]} == places(document)
    applied = {name: rule["applied"] for name, rule in document["rules"].items()}
    assert found["applied"] == applied
