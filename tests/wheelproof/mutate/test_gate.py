"""The gate on the project of docs/add-a-mechanism.md: rejections, and false ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.nights import only
from tests.wheelproof.mutate.gating import IMPL, changed, judged, row_of
from wheelproof import project
from wheelproof.checks.job import SafetyJob
from wheelproof.mutate import (
    command,
    group,
    judge,
    tlc_runs,
)
from wheelproof.mutate import plan as planning
from wheelproof.mutate.declared import FILE
from wheelproof.tlc.result import Outcome, TlcResult
from wheelproof.verdict import Results, Row, Verdict, exit_code

FAULTS = {
    "impl": ("Bisimulation", IMPL, "self.runs + 1", "self.runs + 2"),
    "harness": ("ExploreError", "harness/one_shot.py", '"done": (harness.shot.done,),', ""),
    "model": ("SameGraph", "model/one_shot.py", "t.turn += 1", "t.turn += 2"),
    "spec": ("NoDeadlock", "spec/OneShot.tla", "await owner = NULL;", "await owner # NULL;"),
}


@pytest.mark.parametrize("artefact", only(FAULTS, "impl"))
def test_a_fault_of_each_artefact_is_rejected_by_name(artefact, copy, runs, monkeypatch):
    name, *edit = FAULTS[artefact]
    fault = changed(copy, *edit, artefact)
    rows = judged(copy, runs, monkeypatch, fault)
    row = row_of(rows, fault)
    assert (row.ok, row.verdict, row.property) == (True, Verdict.VIOLATED, name), row
    assert exit_code(rows) == 0, [row for row in rows if not row.ok]
    assert [row.ok for row in rows if row.name.endswith(", controls")] == [True]


def test_what_changes_nothing_survives_and_fails_the_gate(copy, runs, monkeypatch):
    harmless = changed(copy, IMPL, "self.runs + 1", "1 + self.runs")
    rows = judged(copy, runs, monkeypatch, harmless)
    assert row_of(rows, harmless).verdict is Verdict.SAMPLED and exit_code(rows) == 1
    _, counts, *_, last = command.lines(replace(Results.begin({}), rows=tuple(rows)))
    assert counts.split()[:3] == ["one_shot", "impl", "1"]
    assert last.startswith("wheelproof: 1 changes judged, 1 survived; ")


@pytest.mark.nightly
def test_what_changes_nothing_passes_the_gate_where_it_is_declared(copy, runs, monkeypatch):
    harmless = changed(copy, IMPL, "self.runs + 1", "1 + self.runs")
    (copy / FILE).write_text(
        f'[[equivalent]]\nchange = "{harmless.key}"\nfile = "{IMPL}"\nreason = "the same sum"\n',
        encoding="utf-8",
    )
    rows = judged(copy, runs, monkeypatch, harmless)
    assert row_of(rows, harmless).why == "equivalent: the same sum" and exit_code(rows) == 0


def test_a_declaration_that_a_check_refutes_or_that_is_stale_is_a_finding(copy, runs, monkeypatch):
    fault = changed(copy, IMPL, "self.runs + 1", "self.runs + 2")
    entries = [
        f'[[equivalent]]\nchange = "{key}"\nfile = "{IMPL}"\nreason = "none"\n'
        for key in (fault.key, "0123456789ab")
    ]
    (copy / FILE).write_text("".join(entries), encoding="utf-8")
    rows = judged(copy, runs, monkeypatch, fault)
    assert "declared equivalent, but" in row_of(rows, fault).why and not row_of(rows, fault).ok
    stale = next(row for row in rows if row.name == "declaration 0123456789ab")
    assert (stale.ok, stale.property) == (False, "stale")


@pytest.mark.nightly
def test_the_same_bytecode_is_equivalent_without_a_declaration(copy, runs, monkeypatch):
    same = changed(copy, IMPL, "self.runs + 1", "self.runs + (1)")
    row = row_of(judged(copy, runs, monkeypatch, same), same)
    assert row.ok and row.why.startswith("equivalent: both texts compile to the same code")


def test_a_subject_that_fails_unchanged_rejects_nothing(copy, runs, monkeypatch):
    file = copy / "model/one_shot.py"
    file.write_text(
        file.read_text(encoding="utf-8").replace("self.runs += 1", "self.runs += 2"),
        encoding="utf-8",
    )
    fault = changed(copy, IMPL, "self.runs + 1", "self.runs + 3")
    rows = judged(copy, runs, monkeypatch, fault)
    assert exit_code(rows) == 1 and any(
        row.name.startswith("unchanged") and not row.ok for row in rows
    )
    assert fault.title not in {row.name for row in rows}


@pytest.mark.nightly
def test_a_branch_that_no_scenario_runs_is_rejected_as_verify_does(copy, runs, monkeypatch):
    idle = changed(copy, IMPL, "self.runs = 0", "self.runs = 0 if OneShot.__slots__ else 1")
    row = row_of(judged(copy, runs, monkeypatch, idle), idle)
    assert (
        row.ok
        and row.property == "vacuous"
        and "no scenario runs" in row.why
        and "branches" in row.why
    )


@pytest.mark.nightly
def test_changes_that_cannot_be_loaded_put_no_check_to_the_test(copy, runs, monkeypatch):
    broken = changed(copy, IMPL, "from wheelproof_runtime import", "from wheelproof_absent import")
    rows = judged(copy, runs, monkeypatch, broken)
    assert row_of(rows, broken).property == "unloadable"
    assert exit_code(rows) == 5


def test_a_crash_of_the_tool_is_no_rejection(copy, runs, monkeypatch):
    fault = changed(copy, IMPL, "self.runs + 1", "self.runs + 2")
    honest = SafetyJob.run

    def crashing(job, context):
        if "self.runs + 2" in (context.mechanism.root / IMPL).read_text(encoding="utf-8"):
            return len(None)
        return honest(job, context)

    monkeypatch.setattr(SafetyJob, "run", crashing)
    found = judge.Judge(copy, copy, runs, lambda end: None, True)
    (copy / IMPL).write_text(fault.after, encoding="utf-8")
    checks = planning.Plan(copy, project.find(copy), tests=False).checks("impl", IMPL)
    assert found.run([check for check in checks if check.job]).finding.word == "error"


@pytest.mark.parametrize(
    "code, why, word, by",
    [
        (
            75,
            "TLC failed with exit code 75: the value of x is not in its domain",
            "rejected",
            "evaluation error",
        ),
        (
            255,
            "TLC failed with exit code 255: Attempted to apply Head to the empty sequence",
            "rejected",
            "evaluation error",
        ),
        (
            255,
            "TLC failed with exit code 255: In evaluation, the identifier got is either "
            "undefined or not an operator.",
            "rejected",
            "evaluation error",
        ),
        (255, "TLC failed with exit code 255: Java could not be started", "error", ""),
        (150, "TLC failed with exit code 150: ***Parse Error***", "unloadable", "SANY"),
    ],
)
def test_tlcs_failure_rejects_where_it_is_the_specifications(
    copy, runs, monkeypatch, code, why, word, by
):
    (item,) = project.find(copy).values()
    check = next(
        check
        for check in planning.Plan(copy, {item.name: item}, tests=False).checks(
            "spec", f"spec/{item.spec.name}"
        )
        if check.job
    )
    monkeypatch.setattr(tlc_runs.KeptRuns, "results", [TlcResult(Outcome.ERROR, exit_code=code)])
    finding = judge.Judge(copy, copy, runs, lambda end: None, False).of_row(
        check, Row(item.name, "tlc", check.job.name, Verdict.EXHAUSTIVE, Verdict.ERROR, why=why)
    )
    assert (finding.word, finding.by) == (word, by)


@pytest.mark.parametrize(
    "second, word",
    [
        ("error", "unloadable"),
        ("error, unsat", "unloadable"),
        ("unsat", "error"),
        ("not run", "error"),
    ],
)
def test_a_changed_proof_that_the_second_solver_cannot_read_is_not_loaded(copy, runs, second, word):
    check = group.Check("job", "one_shot", 2)
    row = Row(
        "one_shot",
        "proof",
        "claim",
        Verdict.PROVED,
        Verdict.ERROR,
        why="it breaks",
        figures={"second": second},
    )
    assert judge.Judge(copy, copy, runs, lambda end: None, False).of_row(check, row).word == word


def test_a_changed_proof_that_shows_less_than_it_must_is_rejected(copy, runs):
    row = Row(
        "one_shot",
        "proof",
        "claim",
        Verdict.PROVED,
        Verdict.ERROR,
        why="no control was refuted",
        figures={"lacks": "no control was refuted"},
    )
    finding = judge.Judge(copy, copy, runs, lambda end: None, False).of_row(
        group.Check("job", "one_shot", 2), row
    )
    assert (finding.word, finding.by) == ("rejected", "evidence")
