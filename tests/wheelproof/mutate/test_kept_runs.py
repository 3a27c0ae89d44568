"""Kept runs of TLC: read as they were, made again where they are damaged, and no code."""

import json
import pickle
from pathlib import Path

import pytest

from tests.wheelproof.damaged import DAMAGES, entries
from wheelproof.checks.context import Context
from wheelproof.errors import UsageError
from wheelproof.mutate import workers
from wheelproof.mutate.finding import Finding, Judged
from wheelproof.mutate.tlc_runs import KeptRuns
from wheelproof.tlc import stored
from wheelproof.tlc.result import Outcome, TlcResult, TraceState
from wheelproof.tlc.values import Function, ModelValue

VALUES = {
    "of": Function({"a": (1, True), "b": ()}),
    "set": frozenset({"x", 'quo"te\n'}),
    "model": ModelValue("null"),
    "number": -3,
}
RESULT = TlcResult(
    Outcome.VIOLATED,
    "Holds",
    "line 1, col 2 to line 1, col 4 of module M",
    "Holds is violated by a behaviour of 2 states.",
    5,
    3,
    None,
    (
        TraceState(1, None, "", VALUES),
        TraceState(2, "Next", "line 7 of module M", VALUES, process="t1"),
    ),
    1,
    "Next",
    True,
    1e-16,
    "TLC2 Version 2.18",
    0.25,
    12,
    Path("a.log"),
    False,
)


@pytest.mark.parametrize("result", [RESULT, TlcResult(Outcome.COMPLETED, whole=True)])
def test_a_run_is_read_as_it_was_kept(result):
    assert stored.decode(Path("run"), stored.encode(result)) == result


DOCUMENT = json.loads(stored.encode(RESULT))


@pytest.mark.parametrize("field", DOCUMENT)
@pytest.mark.parametrize("other", [[[]], {"a": []}, True, 1.5], ids=repr)
def test_a_field_of_another_type_is_refused(field, other):
    if (
        field == "stuttering"
        and other is True
        or field in ("seconds", "collision")
        and other == 1.5
    ):
        return
    if field == "whole" and other is True:
        return
    with pytest.raises(UsageError):
        stored.decode(Path("run"), json.dumps({**DOCUMENT, field: other}).encode())


@pytest.mark.parametrize("value", ["", "{1, ", "1 + 1", "a\nb"])
def test_a_value_that_is_none_of_tla_is_refused(value):
    (first, *rest) = DOCUMENT["trace"]
    trace = [{**first, "variables": {"x": value}}, *rest]
    with pytest.raises(UsageError, match="no value of TLA"):
        stored.decode(Path("run"), json.dumps({**DOCUMENT, "trace": trace}).encode())


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A context whose runs of TLC are counted, and the module and the dump that it takes."""
    runs = []

    def run_tlc(self, module, **options):
        runs.append(module)
        options["dump"].write_text("digraph")
        return TlcResult(Outcome.COMPLETED, distinct=3, whole=True)

    monkeypatch.setattr(Context, "run_tlc", run_tlc)
    monkeypatch.setattr(KeptRuns, "runs", tmp_path / "runs")
    monkeypatch.setattr(KeptRuns, "results", [])
    (tmp_path / "spec").mkdir()
    module = tmp_path / "spec" / "MC.tla"
    module.write_text("---- MODULE MC ----\n====\n")
    context = KeptRuns.__new__(KeptRuns)

    def run(text=None):
        dump = tmp_path / "graph.dot"
        dump.unlink(missing_ok=True)
        if text is not None:
            module.write_text(text)
        result = context.run_tlc(module, dump=dump)
        return result.distinct, dump.read_text()

    return run, runs


def test_an_equal_run_is_taken_and_another_is_not(kept):
    run, runs = kept
    assert run() == run() == (3, "digraph") and len(runs) == 1
    run("---- MODULE MC ----\nx == 1\n====\n")
    assert len(runs) == 2


@pytest.mark.parametrize("suffix", [".json", ".dot.z"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_run_is_carried_out_again(kept, tmp_path, suffix, damage):
    run, runs = kept
    run()
    (file,) = (each for each in entries(tmp_path / "runs") if each.name.endswith(suffix))
    DAMAGES[damage](file)
    assert run() == (3, "digraph") and len(runs) == 2


class Planted:
    """A pickle of it makes a file where it is read."""

    def __init__(self, file):
        self.file = file

    def __reduce__(self):
        return Path.touch, (self.file,)


@pytest.mark.parametrize("content", ["pickle", "no field", "other schema"])
def test_a_planted_run_is_not_taken_and_runs_no_code(kept, tmp_path, content):
    run, runs = kept
    run()
    (file,) = (each for each in entries(tmp_path / "runs") if each.name.endswith(".json"))
    texts = {
        "pickle": pickle.dumps(Planted(tmp_path / "ran")),
        "no field": b'{"schema": "wheelproof.tlc-run/1"}',
        "other schema": b'{"schema": "wheelproof.tlc-run/0"}',
    }
    entry = KeptRuns.__new__(KeptRuns).entries(".json")
    entry.keep(file.name.removesuffix(".json"), texts[content])
    assert run() == (3, "digraph") and len(runs) == 2 and not (tmp_path / "ran").exists()


# -- the answers of processes, in which a changed project's code runs


def test_a_process_answers_with_its_result():
    judged = Judged(Finding("rejected", "a check", "P", "why"), {"a check": 1.5}, [Finding("x")])
    task = workers.Task("task", lambda scratch, send: judged, 60)
    assert [made for _, made in workers.perform([task], 1)] == [judged]


ANSWERS = (b"", b"{}", b"[]", b"\x80\x04N.", b'{"finding": 1}', b'{"finding": {}, "seconds": []}')


@pytest.mark.parametrize("answer", [*ANSWERS, pickle.dumps(Planted(Path("ran")))])
def test_what_is_no_result_is_an_error_and_runs_no_code(tmp_path, monkeypatch, answer):
    monkeypatch.chdir(tmp_path)
    found = workers._judgement(answer).finding
    assert (found.word, found.why) == ("error", "the answer is no result")
    assert not (tmp_path / "ran").exists()
