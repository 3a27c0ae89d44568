"""Each kind of campaign: its units, its controls, and checkers that they find out."""

import json
import shutil

import pytest

from tests.examples.pages import wheelproof
from tests.found import ROOT
from tests.nights import only
from wheelproof import project
from wheelproof.campaign import work
from wheelproof.campaign.kind import CONTROL, Request, campaign
from wheelproof.errors import UsageError
from wheelproof.linearizability.judging import HistoryJudge
from wheelproof.plain.answers import Answer
from wheelproof.plain.exploration import Explorer
from wheelproof.verdict import Verdict

SUBJECTS = "tests.wheelproof.linearizability.subjects"
ORACLE = "tests.wheelproof.plain.campaign:Oracle"


def of_class(name, seeds=(0, 3), **choices):
    request = Request("linearizable", (f"{SUBJECTS}:{name}",), seeds, programs=6, **choices)
    return campaign(request, ROOT)


def one(subject, unit):
    result = work.result_of(subject, unit)
    return result.rows[0], result.failure


# -- drawn programs of explore


@pytest.fixture(scope="module")
def programs():
    return campaign(Request("programs", (ORACLE,), (0, 3)), ROOT)


def test_a_drawn_program_is_compared_with_the_reference(programs):
    row, failure = one(programs, "seed 0")
    assert row.ok and row.verdict is Verdict.EXHAUSTIVE and failure is None
    assert row.figures["classes"] > 1 and row.figures["outcomes"] > 1


def test_a_fault_of_the_engine_is_rejected_and_the_engine_is_whole_again(programs):
    row, _ = one(programs, CONTROL + "a backtrack point is dropped")
    assert row.ok and "racy places: missing" in row.why
    assert one(programs, "seed 0")[0].ok


def test_a_program_that_shows_a_fault_of_the_engine_is_shrunk_and_runs_again(programs, tmp_path):
    oracle = programs.oracle
    with oracle.faults["a backtrack point is dropped"]():
        row, failure = one(programs, "seed 0")
        assert row.verdict is Verdict.VIOLATED and row.figures["shrunk in"] > 3
        file = tmp_path / "failure.json"
        file.write_text(failure.text)
        again, _ = of_file(programs, file)
        assert again.rows[0].why == row.why
        shrunk, drawn = of_file(programs, file)[1], oracle.draw(0)
        assert statements(shrunk) < statements(drawn)
        for smaller in oracle.smaller(shrunk):
            assert oracle.judge(smaller).property != row.property
    code, output = wheelproof(ROOT, "replay", str(file))
    assert code == 0 and "def t0" in output, "without the fault it passes"


CODE = "__import__('pathlib').Path('ran').touch()"
"""Code that a file may smuggle in where a text becomes Python."""


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"program": {"threads": [[["write", [0]]]], "outlives": CODE}}, "field program is none"),
        ({"program": {"threads": [[["say", []]]], "outlives": False}}, "field program is none"),
        ({"program": {"threads": [[["write", []]]], "outlives": False}}, "field program is none"),
        ({"program": CODE}, "field program is none"),
        ({"unit": "seed 99"}, "field unit is no unit"),
        ({"request": {"names": ["antigravity:webbrowser"]}}, "has no module antigravity"),
        ({"request": {"names": ["../x:y"]}}, "names no object"),
        ({"request": {"names": [5]}}, "field request is no request"),
        ({"request": {"seeds": ["a", "b"]}}, "field request is no request"),
    ],
)
def test_a_crafted_failure_runs_nothing(programs, change, reason, tmp_path):
    program = {"threads": [[["write", [0]]], [["read", [0]]]], "outlives": False}
    document = json.loads(programs.failure("seed 0", program).text)
    request = document["request"] | change.get("request", {})
    file = tmp_path / "failure.json"
    file.write_text(json.dumps(document | change | {"request": request}))
    code, printed = wheelproof(ROOT, "replay", str(file))
    assert (code, reason in " ".join(printed.split())) == (2, True), printed
    assert not (ROOT / "ran").exists() and "Traceback" not in printed


def of_file(subject, file):
    from wheelproof import documents
    from wheelproof.campaign.kind import FAILURE

    document = documents.read(file, FAILURE)
    return subject.again(document), document.value["program"]


def statements(program):
    return sum(map(len, program["threads"]))


# -- drawn programs of a class


def test_drawn_programs_of_a_sound_class_pass_and_depend_on_the_seed_alone():
    subject = of_class("Semaphore")
    rows = [one(subject, unit)[0] for unit in subject.units()]
    assert all(row.ok and row.verdict is Verdict.EXHAUSTIVE for row in rows)
    assert len({row.figures["executions"] for row in rows}) > 1, "each seed draws other programs"
    again = of_class("Semaphore")
    assert [again.compared(one(again, unit)[0]) for unit in reversed(again.units())] == [
        subject.compared(row) for row in reversed(rows)
    ]


def test_a_failing_program_of_a_class_is_a_test_that_fails_alone(tmp_path):
    row, failure = one(of_class("TreiberStack"), "seed 0")
    assert row.verdict is Verdict.VIOLATED and row.property == "wrong results"
    assert failure.command == "python -m pytest {}"
    assert 'threads=[[("pop",)], [("drop_second",)]]' in failure.text
    assert f"from {SUBJECTS} import TreiberStack\n" in failure.text


def test_each_planted_class_is_rejected():
    subject = of_class("Semaphore")
    for fault in subject.controls():
        row, _ = one(subject, CONTROL + fault)
        assert row.ok, row.why


@pytest.mark.parametrize(
    "change",
    [
        lambda patch: patch.setattr(Explorer, "_search", lambda _: (Answer.EXHAUSTED, "")),
        lambda patch: patch.setattr(HistoryJudge, "__call__", lambda *_: None),
    ],
    ids=["the engine runs nothing", "the judge judges nothing"],
)
def test_a_checker_that_is_changed_leaves_the_controls_without_a_rejection(monkeypatch, change):
    subject = of_class("Semaphore")
    change(monkeypatch)
    row, _ = one(subject, CONTROL + "an update is lost")
    assert not row.ok and row.verdict is Verdict.VACUOUS


def test_a_search_that_ends_by_its_limit_is_inconclusive():
    row, _ = one(of_class("Semaphore", executions=2), "seed 1")
    assert row.verdict is Verdict.INCONCLUSIVE and not row.ok


# -- rows, changes, theorems


@pytest.fixture(scope="module")
def rows():
    return campaign(Request("verify", ("atomic",), layers=("random",)), ROOT)


def test_a_row_of_a_profile_is_that_of_verify_and_a_lost_decision_is_noticed(rows):
    unit = "atomic/runs/refused/random"
    assert unit in rows.units()
    row, _ = one(rows, unit)
    assert row.ok and (row.layer, row.name) == ("random", "refused")
    control, _ = one(rows, CONTROL + "a decision is taken away")
    assert control.ok and "of atomic" in control.why


@pytest.fixture
def root(tmp_path):
    """A copy of the project."""
    left_out = shutil.ignore_patterns(".*", "build", "tests", "docs", "wheelproof")
    return shutil.copytree(ROOT, tmp_path / "project", ignore=left_out)


@pytest.mark.parametrize("layer", only(["random", "bisimulation"], "random"))
def test_a_row_that_fails_comes_back_as_a_file_that_replays_alone(root, layer, tmp_path):
    for file, text in project.find(root)["atomic"].without("KeepsLock").texts.items():
        if file.startswith("impl/"):
            (root / file).write_text(text)
    subject = campaign(Request("verify", ("atomic",), layers=(layer,)), root)
    unit = next(unit for unit in subject.units() if unit.split("/")[2] == "refused")
    row, failure = one(subject, unit)
    assert row.verdict is Verdict.VIOLATED and not row.ok
    (tmp_path / "failure.json").write_text(failure.text)
    code, output = wheelproof(root, "replay", str(tmp_path / "failure.json"))
    assert code == 1, output
    assert row.property in output


def test_a_stale_translation_is_noticed(root):
    subject = campaign(Request("verify", ("atomic",), layers=("graph",)), root)
    assert one(subject, "atomic/translation")[0].ok
    spec = root / "spec" / "Atomic.tla"
    text = spec.read_text()
    begin = text.index("BEGIN TRANSLATION")
    spec.write_text(text[:begin] + text[begin:].replace("Init ==", "Init == TRUE /\\", 1))
    again = campaign(Request("verify", ("atomic",), layers=("graph",)), root)
    row, failure = one(again, "atomic/translation")
    assert not row.ok and failure is not None and "translat" in row.why


def test_rows_that_notice_no_lost_decision_leave_the_campaign_vacuous(rows, monkeypatch):
    monkeypatch.setattr(type(rows), "_mutations", lambda self: iter(()))
    assert one(rows, CONTROL + "a decision is taken away")[0].verdict is Verdict.VACUOUS


@pytest.mark.slow
def test_a_theorem_is_proved_with_a_slice_of_seeds_and_a_denied_goal_is_not():
    pytest.importorskip("z3")
    subject = campaign(Request("prove", ("T6",), (3, 10)), ROOT)
    assert list(subject.units()) == ["timing_wheel/T6/3:8", "timing_wheel/T6/8:10"]
    row, _ = one(subject, "timing_wheel/T6/8:10")
    assert row.ok and row.verdict is Verdict.PROVED and row.figures["seeds"] == 2
    control, _ = one(subject, CONTROL + "a goal is denied")
    assert control.ok and "T6" in control.why


@pytest.mark.nightly
def test_a_change_is_judged_as_mutate_does_and_its_controls_are_found():
    choices = {"artefacts": ("impl",), "count": 2}
    subject = campaign(Request("mutate", ("atomic",), **choices), ROOT)
    units = subject.units()
    assert len(units) == 2
    control, _ = one(subject, CONTROL + subject.controls()[0])
    assert control.ok, control.why
    row, _ = one(subject, units[0])
    assert row.ok and row.layer == "mutate"


# -- refusals


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (Request("nothing"), "no kind of campaign 'nothing'"),
        (Request("programs", ("a:B",)), "has no module a"),
        (Request("programs", ("nothing",)), "MODULE:NAME"),
        (Request("programs", (f"{SUBJECTS}:Semaphore",)), "is no oracle"),
        (Request("programs", ("a:B", "c:D")), "has one name, not 2"),
        (Request("verify", count=3), "--count means nothing to a campaign of the kind verify"),
        (Request("verify", ("nothing",)), "no mechanism nothing"),
        (Request("verify", profile="slow"), "no profile 'slow'"),
        (Request("mutate", artefacts=("nothing",)), "no artefact 'nothing'"),
        (Request("mutate", seeds=(1, 9)), "drawn by one seed"),
        (Request("linearizable", (f"{SUBJECTS}:FEW",)), "is no class"),
    ],
)
def test_a_bad_choice_is_refused(request_, reason):
    with pytest.raises(UsageError, match=reason):
        campaign(request_, ROOT)


def test_a_campaign_of_seeds_without_seeds_is_refused():
    with pytest.raises(UsageError, match="--seeds 0:1000"):
        campaign(Request("linearizable", (f"{SUBJECTS}:Semaphore",)), ROOT).units()
