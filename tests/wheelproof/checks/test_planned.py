"""A run against the plan: what is lost behind its back, and what is new, is named and ends with 4.

Each kind of entry is dropped in turn. The project's checks are cached, so that each run is short.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from types import FunctionType

import pytest
from typer.testing import CliRunner

from wheelproof import cli, project, starter
from wheelproof.checks import arithmetic, overall, prove, verify
from wheelproof.checks import planned as planning
from wheelproof.checks.cached import Cache
from wheelproof.checks.context import Report
from wheelproof.commands import planning as command
from wheelproof.commands import verification
from wheelproof.events import Ended, NoPlan, VerifyOptions
from wheelproof.project import planned
from wheelproof.prove import evidence
from wheelproof.verdict import Verdict, exit_code, judge, read_results

ROOT = Path(__file__).resolve().parents[3]
NAME = "my_lock"
THEORY = """
import z3
from wheelproof.prove.kernel import VC, Theory, refuted

x, y = z3.Ints("x y")
THEORY = Theory("toy", mechanism="my_lock")


def below(model):
    values = {each.name(): model[each].as_long() for each in model.decls()}
    return "" if values["x"] > values["y"] and not values["x"] > 0 else "x is above 0 in Python"


def control(name):
    return refuted(VC(name, {"x above y": x > y}, x > 0), "y may be negative", below)


for name in ("first", "last"):
    THEORY.theorem(
        name,
        "x is above 0",
        [VC(label, {"x above y": x > y, "y from 0": y >= 0}, x > 0) for label in ("U4", "U5")],
        [control("one"), control("other")],
    )
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A project with a plan and two theorems, verified once."""
    starter.write(root := tmp_path_factory.mktemp("whole"), NAME)
    (root / "proofs").mkdir()
    (root / "proofs" / "toy.py").write_text(THEORY, encoding="utf-8")
    command.update(root, project.find(root), True)
    assert exit_code(run(root)) == 0
    return root


@pytest.fixture
def root(whole, tmp_path):
    """A copy that a test may damage."""
    return shutil.copytree(whole, tmp_path / "copy", ignore=shutil.ignore_patterns("build"))


def options(root, *layers, **others):
    chosen = VerifyOptions((), frozenset(layers) or None, "fast", root, root / "build", 1)
    return replace(chosen, **({"cached": True} | others))


def run(root, *layers, **others):
    return verify.run(options(root, *layers, **others))


def lost(rows):
    """The rows that the run did not carry out, as layer and name."""
    return {(row.layer, row.name) for row in rows if "did not carry it out" in row.why}


def faults(rows):
    return {(row.layer, row.name): row.why for row in rows if not row.ok}


# -- less


@pytest.mark.parametrize(
    "kind, rows",
    [
        ("config", {(layer, "two_adders") for layer in ("tlc", "graph", "bisimulation")}),
        ("runs", {(layer, "two_adders") for layer in ("random", "stress")}),
        ("mutant", {("mutant", "Unlocked"), ("mutant", "KeepsLock")}),
        ("properties", {("graph", "properties")}),
        ("proof", {("proof", "first"), ("proof", "last")}),
    ],
)
def test_a_job_that_is_dropped_is_named(whole, monkeypatch, kind, rows):
    for name in ("plan_jobs", "proving"):
        every = getattr(verify, name)
        monkeypatch.setattr(
            verify,
            name,
            lambda *given, every=every: [job for job in every(*given) if job.kind != kind],
        )
    found = run(whole)
    assert lost(found) == rows and exit_code(found) in (1, 4)
    assert {row.verdict for row in found if (row.layer, row.name) in rows} == {Verdict.ERROR}
    assert all(f"spec/{planned.FILE}" in faults(found)[row] for row in rows)


@pytest.mark.parametrize("row", overall.ROWS, ids=lambda row: f"{row.layer}-{row.name}")
def test_a_row_over_all_scenarios_that_is_dropped_is_named(whole, monkeypatch, row):
    made, translations = overall.rows, verify.translations
    monkeypatch.setattr(
        overall, "rows", lambda *given, **named: [r for r in made(*given, **named) if r != row]
    )
    if row is overall.TRANSLATION:
        monkeypatch.setattr(verify, "translations", lambda *given: ([], translations(*given)[1]))
    found, key = run(whole), (row.layer, row.name)
    if key not in planned.read(whole / "spec")[NAME]:
        assert row.name == arithmetic.NAME and not lost(found), "the project has no such table"
    else:
        assert lost(found) == {key} and exit_code(found) == 4


def test_a_theorem_that_its_group_loses_is_named(whole, monkeypatch):
    check = prove.check
    monkeypatch.setattr(
        prove, "check", lambda context, names, seeds: check(context, names[:-1], seeds)
    )
    for given in ({}, {"layers": frozenset({"proof"})}, {"theorems": (NAME,)}):
        found = run(whole, "proof", **given | {"cached": False})
        assert lost(found) == {("proof", "last")} and exit_code(found) == 4
    named = run(whole, "proof", cached=False, theorems=("first", "last"))
    assert lost(named) == {("proof", "last")}


def test_a_kept_result_without_rows_is_no_result(whole, monkeypatch):
    divided = Cache.divide

    def emptied(cache, jobs):
        left, kept = divided(cache, jobs)
        return left, [(job, Report() if job.kind == "mutant" else was) for job, was in kept]

    monkeypatch.setattr(Cache, "divide", emptied)
    found = run(whole)
    assert lost(found) == {("mutant", "Unlocked"), ("mutant", "KeepsLock")}
    assert exit_code(found) == 4


def test_the_file_of_a_mutant_that_is_gone_is_named(root):
    (root / "mutants" / NAME / "KeepsLock.md").unlink()
    found = run(root, "mutant")
    assert lost(found) == {("mutant", "KeepsLock")} and exit_code(found) == 4


def test_a_whole_mechanism_that_is_gone_is_named(root):
    starter.write(root, "other")
    command.add(root, project.find(root)["other"])
    for file in ("spec/Other.toml", "spec/Other.tla"):
        (root / file).unlink()
    shutil.rmtree(root / "mutants" / "other")
    found = run(root, "mutant")
    assert {row.title() for row in found if not row.ok} == {
        "other / mutant / Unlocked",
        "other / mutant / KeepsLock",
    }
    assert not faults(run(root, "mutant", mechanisms=(NAME,)))


@pytest.mark.parametrize(
    "file, old, new, why",
    [
        # declared no more
        ("toy.py", 'for label in ("U4", "U5")', 'for label in ("U4",)', "conditions of U5 1 -> 0"),
        ("toy.py", '[control("one"), control("other")]', '[control("one")]', "controls 2 -> 1"),
        # declared, and passed over
        (
            "evidence.py",
            "for vc in theorem.vcs:\n        try:\n            _check_vc(",
            "for vc in theorem.vcs[:-1]:\n        try:\n            _check_vc(",
            "conditions of U5 1 -> 0",
        ),
        (
            "evidence.py",
            "for control in theorem.controls:\n        _check_control(",
            "for control in theorem.controls[1:]:\n        _check_control(",
            "controls 2 -> 1",
        ),
        # more than planned
        (
            "toy.py",
            'for label in ("U4", "U5")',
            'for label in ("U4", "U5", "U6")',
            "conditions of U6 0 -> 1",
        ),
    ],
)
def test_a_part_of_a_theorem_is_named(root, file, old, new, why, monkeypatch):
    path = Path(evidence.__file__) if file == "evidence.py" else root / "proofs" / file
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    if file == "evidence.py":
        changed = {"__name__": evidence.__name__}
        exec(compile(text.replace(old, new), file, "exec"), changed)
        for name, value in changed.items():
            if isinstance(value, FunctionType) and value.__module__ == evidence.__name__:
                monkeypatch.setattr(evidence, name, value)
    else:
        path.write_text(text.replace(old, new), encoding="utf-8")
    found = run(root, "proof", theorems=("first",))
    assert list(faults(found)) == [("proof", "first")] and exit_code(found) == 4
    assert f"not as spec/{planned.FILE} has it: {why};" in faults(found)["proof", "first"]


def test_a_change_of_compiled_classes_that_is_gone_is_named(tmp_path, monkeypatch):
    root = shutil.copytree(ROOT / "examples" / "latch", tmp_path / "latch")
    file = root / "jvm" / "latch.toml"
    text = file.read_text(encoding="utf-8")
    start = text.index("[changes.unguarded]")
    end = text.index("\n[", start + 1) if "\n[" in text[start + 1 :] else len(text)
    file.write_text(text[:start] + text[end:], encoding="utf-8")
    given = []

    class Recorder:
        def __init__(self, options, *_more, **_named):
            given.append(options)

        def run(self):
            return 0

    monkeypatch.setattr(verification, "Verification", Recorder)
    for arguments in ([], ["--release", "source"], ["--all"], ["two@source"]):
        ended = CliRunner().invoke(cli.app, ["jvm", "--subject", str(root), *arguments])
        assert ended.exit_code == 0, ended.output
    gone = ("latch", "jvm", "unguarded@source")
    assert [set(each.lost) for each in given] == [{gone}, {gone}, {gone}, set()]
    there = planned.read(root / "spec")
    due = planning.part(there, given[0])
    assert {*given[0].only} | {(gone[0], gone[2])} == {("latch", name) for _, name in due["latch"]}
    assert due["latch"].keys() >= {gone[1:]}
    rows = [
        judge("latch", layer, name, expected="exhaustive", verdict="exhaustive")
        for layer, name in due["latch"]
        if (layer, name) != gone[1:]
    ]
    assert [row.title() for row in planning.compare(rows, there, due, "nightly")[1]] == [
        " / ".join(gone)
    ]


# -- more


def test_what_the_plan_does_not_have_is_named(root):
    toml = root / "spec" / "MyLock.toml"
    toml.write_text(
        toml.read_text(encoding="utf-8")
        + '\n[configs.again]\nscenario = "two_adders"\nproperty = "NoDeadlock"\nexpect = "violated"'
        '\nwithout = "KeepsLock"\n',
        encoding="utf-8",
    )
    found = run(root, "bisimulation")
    assert list(faults(found)) == [("bisimulation", "again")] and exit_code(found) == 4
    assert "does not have this check" in faults(found)["bisimulation", "again"]
    assert command.update(root, project.find(root), True) == 0
    assert not faults(run(root, "bisimulation"))


# -- the rest


def test_a_part_of_the_run_is_compared_with_its_part_of_the_plan(whole):
    there = planned.read(whole / "spec")
    every = set(there[NAME])
    assert set(planning.part(there, options(whole))[NAME]) == every
    parts = ("graph", "bisimulation", "composition", "coverage")
    over_all = {(row.layer, row.name) for row in overall.ROWS} - {
        ("tlc", "translation"),
        ("graph", "witnesses"),
    }
    for layers in (("tlc",), parts, ("coverage",), ("proof",)):
        due = set(planning.part(there, options(whole, *layers)).get(NAME, ()))
        left_out = set() if layers == parts else over_all
        assert due == {row for row in every if row[0] in layers} - left_out
        if due:
            assert not faults(run(whole, *layers))
    assert planning.part(there, options(whole, mechanisms=("other",))) == {}
    only = frozenset({(NAME, "Unlocked")})
    due = planning.part(there, options(whole, only=only))
    assert set(due[NAME]) == {
        ("mutant", "Unlocked"),
        ("random", "Unlocked"),
        ("tlc", "translation"),
    }
    assert not faults(run(whole, only=only))
    assert planning.part(there, options(whole), absent={"mutant"})[NAME].keys() == {
        row for row in every if row[0] != "mutant"
    }
    assert planning.part(there, options(whole), stale={NAME}) == {}


def test_profiles_have_their_parts_of_the_plan(root):
    toml = root / "spec" / "MyLock.toml"
    toml.write_text(
        toml.read_text(encoding="utf-8")
        + '\n[configs.later]\nscenario = "two_adders"\nprofile = "nightly"\n',
        encoding="utf-8",
    )
    command.update(root, project.find(root), True)
    there = planned.read(root / "spec")
    by_day, by_night = (
        set(planning.part(there, options(root, profile=each))[NAME]) for each in planned.PROFILES
    )
    assert by_night - by_day == {(layer, "later") for layer in ("tlc", "graph", "bisimulation")}
    assert not faults(run(root, "bisimulation"))
    for profile, name in (("nightly", "later"), ("fast", "two_adders")):
        drop = options(root, "bisimulation", profile=profile)
        due = planning.part(there, drop)
        assert ("bisimulation", name) in due[NAME]


def test_a_run_that_was_interrupted_is_compared_with_nothing(root, monkeypatch, capsys):
    def interrupted(jobs, options):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(verify, "perform", interrupted)
    chosen = options(root, "mutant")
    ended = verification.Verification(chosen, project.find(root), quiet=True).run()
    assert ended == 130 and "PARTIAL RESULTS" in capsys.readouterr().out
    [results] = root.glob("build/*.json") or root.glob("build/**/results.json")
    assert not read_results(results).rows


def test_a_row_that_shows_nothing_keeps_its_word():
    there = {"thing": {("tlc", "one"): planned.Planned("fast")}}
    spent = judge("thing", "proof", "new", expected="proved", verdict="inconclusive")
    assert planning.compare([spent], there, {}, "fast") == ([spent], [])
    assert exit_code([spent]) == 3


def test_a_project_without_a_plan_has_one_line_about_that(root, capsys):
    (root / "spec" / planned.FILE).unlink()
    heard = []
    assert exit_code(run(root, "tlc", listen=heard.append)) == 0
    assert [notice for notice in heard if isinstance(notice, NoPlan)] == [NoPlan()]
    chosen = options(root, "tlc")
    assert verification.Verification(chosen, project.find(root)).run() == 0
    shown = [line for line in capsys.readouterr().out.splitlines() if line.startswith("no plan")]
    assert len(shown) == 1 and planned.COMMAND in shown[0]


def test_what_is_missing_ends_as_a_check_that_failed(whole, monkeypatch):
    monkeypatch.setattr(verify, "proving", lambda *given: [])
    heard = []
    run(whole, listen=heard.append)
    ended = [notice.row for notice in heard if isinstance(notice, Ended)]
    assert {row.name for row in ended if not row.ok} == {"first", "last"}


NUMBERED = [(*key, figure) for key, figures in planning.FIGURES.items() for figure in figures]


@pytest.mark.parametrize("layer, name, figure", NUMBERED)
@pytest.mark.parametrize("number", [0, 2, 4])
def test_each_number_that_is_less_or_more_is_named(layer, name, figure, number):
    name = name or "one"
    profile = "nightly" if figure == "certificates" else "fast"
    entry = planned.Planned("fast", {"fast": {}, profile: {figure: 3}})
    there = {"thing": {(layer, name): entry}}

    def row(found):
        figures = {figure: found, "states": 7} if found else {"states": 7}
        return judge("thing", layer, name, expected="proved", verdict="proved", figures=figures)

    assert planning.compare([row(3)], there, there, "nightly") == ([row(3)], [])
    [refused], missing = planning.compare([row(number)], there, there, "nightly")
    assert not missing and refused.verdict is Verdict.ERROR
    assert f": {figure} 3 -> {number};" in refused.why


def test_the_project_s_plan_has_each_of_these_numbers():
    plan = planned.read(ROOT / "spec")
    there = {
        (*(key if key in planning.FIGURES else (key[0], "")), figure)
        for rows in plan.values()
        for key, entry in rows.items()
        for figures in entry.figures.values()
        for figure in figures
    }
    assert there == set(NUMBERED)
