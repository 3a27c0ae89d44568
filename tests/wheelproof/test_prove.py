"""Theorems as rows: only a complete proof is green; every lack has its word and exit code."""

import hashlib
import json
import re
import shutil
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.nights import by_night
from wheelproof import doctor, project
from wheelproof.checks import prove, verify
from wheelproof.checks.context import Context
from wheelproof.cli import app
from wheelproof.commands.theorems import at_most
from wheelproof.errors import NothingChecked, UsageError
from wheelproof.events import VerifyOptions
from wheelproof.prove import evidence, solvers
from wheelproof.verdict import read_results

TOML = """
[mechanism]
module = "Thing"
[properties.invariant]
Safe = "nothing bad"
[labels]
A1 = { kind = "lock" }
[scenarios.two]
threads = { a = [["go"]] }
[configs.two]
"""
START = """
import z3
from wheelproof.prove.kernel import VC, Theory, refuted

x, y = z3.Ints("x y")
THEORY = Theory("toy", mechanism="thing")

def below(model):
    values = {each.name(): model[each].as_long() for each in model.decls()}
    return "" if values["x"] > values["y"] and not values["x"] > 0 else "x is above 0 in Python"

def theorem(name, premises, goal, cites={}, **others):
    condition = VC("without the premise", {"x above y": x > y}, x > 0)
    control = refuted(condition, "y may be negative", below)
    claims = [VC("claim", premises, goal, cites=cites)]
    return THEORY.theorem(name, "x is above 0", claims, [control], **others)
"""
TRUE = 'theorem("true", {"x above y": x > y, "y from 0": y >= 0}, x > 0)\n'
FALSE = 'theorem("false", {"x above y": x > y}, x > 0)\n'
UNDECIDED = (
    'theorem("undecided", {"cubes": x * x * x + y * y * y == 33, "x above y": x > y}, '
    "z3.BoolVal(False))\n"
)
VACUOUS = 'theorem("vacuous", {"x above y": x > y, "y above x": y > x}, x > 0)\n'
CYCLE = (
    'theorem("first", {"x above y": x > y, "y from 0": y >= 0}, x > 0, rests_on=["second"])\n'
    + TRUE.replace("true", "second")
)
NO_CONTROL = 'THEORY.theorem("bare", "x is above 0", [VC("claim", {"x": x > 1}, x > 0)])\n'
ON = (
    'theorem("NAME", {"x above y": x > y, "y from 0": y >= 0}, x > 0, cites={"y from 0": '
    '"LINK"}, rests_on=["LINK"])\n'
)
ON_SAND = ON.replace("NAME", "on_sand").replace("LINK", "undecided")
ON_THAT = ON.replace("NAME", "on_that").replace("LINK", "on_sand")
LABEL = 'theorem("label", {"x above y": x > y, "y from 0": y >= 0}, x > 0, rests_on=["true"])\n'
SPARE = (
    'theorem("spare", {"x above y": x > y, "y from 0": y >= 0, "x": x > -9}, x > 0, '
    'cites={"x": "true"}, rests_on=["true"])\n'
)
HARMLESS = (
    'THEORY.theorem("harmless", "x", [VC("claim", {"x": x > 1}, x > 0)], '
    '[refuted(VC("mutant", {"x": x > 2}, x > 0), "nothing", lambda model: "")])\n'
)
DENIED = (
    'THEORY.theorem("denied", "x", [VC("claim", {"x": x > 1}, x > 0)], '
    '[refuted(VC("mutant", {"x": x > -2}, x > 0), "less", lambda model: "it holds in Python")])\n'
)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A subject with one mechanism and no theorem."""
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec" / "Thing.toml").write_text(TOML)
    (tmp_path / "spec" / "Thing.tla").write_text("---- MODULE Thing ----\n====\n")
    (tmp_path / "proofs").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(doctor, "versions", lambda: {"wheelproof": "0"})
    return tmp_path


def run(home: Path, text: str, *args: str):
    """`wheelproof prove` on a theory of this text: its output and its rows by name."""
    (home / "proofs" / "toy.py").write_text(START + text)
    ended = CliRunner().invoke(app, ["prove", "--jobs", "1", *args])
    results = home / "build" / "results.json"
    return ended, {row.name: row for row in read_results(results).rows} if results.exists() else {}


def test_a_proof_with_its_evidence_is_green(home):
    ended, rows = run(home, TRUE)
    assert ended.exit_code == 0, ended.output
    row = rows["true"]
    assert (row.mechanism, row.layer, row.verdict, row.ok) == ("thing", "proof", "proved", True)
    assert {
        name: row.figures[name] for name in ("vcs", "seeds", "second", "controls", "unused")
    } == {"vcs": 1, "seeds": 1, "second": "unsat", "controls": 1, "unused": []}
    assert 0 < row.figures["rlimit_max"] < 5_000_000
    folder = home / "build" / "proofs" / "toy"
    text = (folder / "true.claim.smt2").read_text()
    assert (
        text.startswith("; true: claim\n; 0: x above y\n; 1: y from 0\n; 2: the goal, denied\n")
        and "(check-sat)" in text
    )
    sums = (folder / "true.sha256").read_text()
    assert sums == f"{hashlib.sha256(text.encode()).hexdigest()}  true.claim.smt2\n"
    assert row.figures["sha256"] == hashlib.sha256(sums.encode()).hexdigest()


@pytest.mark.parametrize(
    ("text", "name", "verdict", "code", "says"),
    [
        (FALSE, "false", "violated", 1, "does not hold: x = "),
        by_night((UNDECIDED, "undecided", "inconclusive", 3, "")),
        (VACUOUS, "vacuous", "vacuous", 5, "contradict each other"),
        by_night((HARMLESS, "harmless", "vacuous", 5, "cannot be refuted")),
        by_night((DENIED, "denied", "vacuous", 5, "Python does not confirm")),
        by_night(
            (
                UNDECIDED + ON_SAND,
                "on_sand",
                "inconclusive",
                3,
                "rests on undecided, which is not proved",
            )
        ),
        by_night(
            (UNDECIDED + ON_SAND + ON_THAT, "on_that", "inconclusive", 3, "rests on undecided")
        ),
        (
            FALSE + ON_SAND.replace("undecided", "false"),
            "on_sand",
            "inconclusive",
            3,
            "rests on false, which is not proved",
        ),
        (
            TRUE + LABEL,
            "label",
            "vacuous",
            5,
            "claims to rest on true, which is a premise of no condition",
        ),
        by_night(
            (TRUE + SPARE, "spare", "vacuous", 5, "claims to rest on true, and holds without it")
        ),
    ],
)
def test_what_is_no_proof_has_its_word_and_its_exit_code(home, text, name, verdict, code, says):
    ended, rows = run(home, text, name)
    assert (rows[name].verdict, rows[name].ok, ended.exit_code) == (verdict, False, code), (
        ended.output
    )
    assert says in rows[name].why and (not says or rows[name].why.count(says) == 1)
    if verdict == "violated":
        assert rows[name].property == name


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (CYCLE, "first rests on second, which is not proved before it"),
        (NO_CONTROL, "bare has no control"),
        (TRUE + TRUE, "true is registered twice"),
        ("THEORY.theorem('empty', 'nothing', [])\n", "empty has no verification condition"),
        ("1 / 0\n", ": cannot be imported: ZeroDivisionError"),
        (TRUE + "THEORY.mechanism = 'other'\n", "about an unknown mechanism, 'other'"),
    ],
)
def test_what_is_put_together_wrongly_is_refused(home, text, says):
    ended, _ = run(home, text)
    assert ended.exit_code == 2 and says in ended.output, ended.output


def test_a_theorem_that_is_gone_since_the_plan_was_made_is_named(home):
    (home / "proofs" / "toy.py").write_text(START + TRUE)
    with pytest.raises(UsageError, match="No theory about thing has the theorem lost"):
        prove.check(Context(project.find(home)["thing"], home / "build"), ("true", "lost"), 1)


CLAIMS = """
from types import SimpleNamespace as Plain

THEORY = Plain(
    name="claims", mechanism="thing",
    check=lambda name, seeds, folder: Plain(verdict="proved", why=""),
)
"""


def test_what_is_no_theory_of_the_tool_has_no_say(home):
    (home / "proofs" / "claims.py").write_text(CLAIMS)
    ended = CliRunner().invoke(app, ["prove", "--jobs", "1"])
    assert ended.exit_code == 2
    assert "proofs/claims.py: THEORY is of type SimpleNamespace" in ended.output
    assert "Make it a Theory of wheelproof.prove.kernel" in ended.output


def test_a_theory_with_a_check_of_its_own_has_no_say(home):
    own = """
class Own(Theory):
    def check(self, name, seeds=3, folder=None):
        raise SystemExit("the project's own check")

THEORY = Own("toy", mechanism="thing")
"""
    _, rows = run(home, own + FALSE)
    assert rows["false"].verdict == "violated"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"controls": 0}, "no control was refuted"),
        ({"second": "sat"}, "second solver does not agree: it says sat"),
        ({"second": "unknown"}, "does not agree"),
        ({"seeds": 0}, "with 0 seeds, not 1"),
        ({"vcs": 0}, "no verification condition"),
        ({}, ""),
    ],
)
def test_evidence_is_not_taken_at_its_word(home, monkeypatch, change, says):
    figures = evidence.Evidence.figures
    monkeypatch.setattr(evidence.Evidence, "figures", lambda self: figures(self) | change)
    ended, rows = run(home, TRUE, "--seeds", "1")
    row = rows["true"]
    assert (row.ok, ended.exit_code) == ((False, 4) if says else (True, 0)) and says in row.why
    assert row.why.endswith(row.figures.get("lacks", "")) and ("lacks" in row.figures) == bool(says)


CERTIFIED = TRUE.replace("x > 0)", 'x > 0, certified="PROFILE")')


def test_a_theorem_has_its_certificates_from_its_profile_on(home):
    ended, rows = run(home, CERTIFIED.replace("PROFILE", "fast"))
    assert ended.exit_code == 0, ended.output
    figures = rows["true"].figures
    assert figures["certificates"] == 1 and figures["certificate_steps"] > 1
    assert (home / "build" / "proofs" / "toy" / "true.claim.second.alethe").exists()
    ended, rows = run(home, CERTIFIED.replace("PROFILE", "nightly"))
    assert ended.exit_code == 0 and "certificates" not in rows["true"].figures
    ended, _ = run(home, CERTIFIED.replace("PROFILE", "weekly"))
    assert ended.exit_code == 2 and "in an unknown profile, 'weekly'" in ended.output


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            lambda text: text.replace(":rule la_generic", ":rule hole"),
            "the certificate of claim is refused: line ",
        ),
        (lambda text: "", "no certificate: no"),
    ],
    ids=["a hole", "nothing"],
)
def test_a_proof_whose_certificate_is_refused_is_not_in_order(home, change, says, monkeypatch):
    honest = solvers.certificate
    monkeypatch.setattr(solvers, "certificate", lambda text: change(honest(text)))
    ended, rows = run(home, CERTIFIED.replace("PROFILE", "fast"))
    row = rows["true"]
    assert (row.verdict, row.ok, ended.exit_code) == ("error", False, 4)
    assert says in row.why and row.figures["certificates"] == 0


def test_links_are_not_taken_at_their_word(home, monkeypatch):
    figures = evidence.Evidence.figures
    monkeypatch.setattr(evidence.Evidence, "figures", lambda self: figures(self) | {"links": 0})
    ended, rows = run(home, TRUE + ON.replace("NAME", "on_true").replace("LINK", "true"))
    assert (rows["on_true"].ok, ended.exit_code) == (False, 4)
    assert "rests on 1 theorems, and needs 0 of them" in rows["on_true"].why


def test_seeds_profiles_and_names_choose(home):
    nightly = TRUE.replace("x > 0)", 'x > 0, profile="nightly")').replace("true", "long")
    _, rows = run(home, TRUE + nightly)
    assert list(rows) == ["true"]
    _, rows = run(home, TRUE + nightly, "--profile", "nightly")
    assert {name: row.figures["seeds"] for name, row in rows.items()} == {"true": 20, "long": 20}
    _, rows = run(home, TRUE + nightly, "long", "--seeds", "5")
    assert {name: row.figures["seeds"] for name, row in rows.items()} == {"long": 5}
    _, rows = run(home, TRUE + nightly, "thing")
    assert list(rows) == ["true", "long"]
    ended, _ = run(home, TRUE, "ture")
    assert ended.exit_code == 2 and "Did you mean true?" in ended.output


def test_a_subject_without_proofs_has_no_such_rows(home):
    shutil.rmtree(home / "proofs")
    assert prove.declared(home) == []
    ended = CliRunner().invoke(app, ["prove", "--jobs", "1"])
    assert ended.exit_code == 5 and "No check belongs" in ended.output


def test_a_verification_has_the_proofs_of_the_chosen_mechanisms(home):
    (home / "proofs" / "toy.py").write_text(START + TRUE)
    options = VerifyOptions((), frozenset({"proof"}), "fast", home, home / "build", 1)
    assert [row.title() for row in verify.run(options)] == ["thing / proof / true"]
    shutil.rmtree(home / "proofs")
    with pytest.raises(NothingChecked):
        verify.run(options)


def test_theories_are_imported_again_only_where_a_source_has_changed(home):
    toy = home / "proofs" / "toy.py"
    counts = f"open({str(home / 'imports')!r}, 'a').write('x')\n"
    toy.write_text(START + TRUE + counts)
    with prove.loaded(home) as first, prove.loaded(home) as nested:
        assert nested["toy"] is not first["toy"], "the first is kept when it is left"
    made = len((home / "imports").read_text())
    with prove.loaded(home) as again:
        assert again["toy"].check("true", 1, None).verdict == "proved"
    assert len((home / "imports").read_text()) == made and "proofs.toy" not in sys.modules
    toy.write_text(START + TRUE.replace("y >= 0", "y >= 1") + counts)
    with prove.loaded(home) as changed:
        assert changed["toy"] is not again["toy"]
    (home / "impl").mkdir()
    (home / "impl" / "other.py").write_text("")
    with prove.loaded(home) as beside:
        assert beside["toy"] is not changed["toy"], "a proof may import what it is about"
    assert len((home / "imports").read_text()) == made + 2


def test_two_theorems_of_one_name_are_refused(home):
    for name in "one", "two":
        (home / "proofs" / f"{name}.py").write_text(START.replace('"toy"', f'"{name}"') + TRUE)
    with pytest.raises(UsageError, match="Several theorems are called thing / true"):
        prove.declared(home)


def test_the_table_has_no_times_and_shows_what_is_not_in_order(home):
    ended, _ = run(home, TRUE + FALSE, "--table", "--quiet")
    lines = [line for line in ended.stdout.splitlines() if line.startswith(("| **", "* **"))]
    assert [re.sub(r"[\d,]+ \|$", "N |", line) for line in lines] == [
        "| **true** | x is above 0 |  |  | 1 | proved, 1 seed | unsat | none | N |",
        "| **false** | x is above 0 |  |  | 1 | **violated** | not run | none | N |",
        "* **true** without the premise: y may be negative",
        "* **false** without the premise: y may be negative",
    ]
    ended, _ = run(home, TRUE, "--table", "--json")
    assert ended.exit_code == 2


def test_json_is_the_results(home):
    ended, _ = run(home, TRUE, "--json")
    assert json.loads(ended.stdout)["rows"][0]["name"] == "true"


@pytest.mark.parametrize(
    ("count", "shown"),
    [(0, "1"), (1, "1"), (3, "5"), (223, "500"), (5000, "5,000"), (5001, "10,000")],
)
def test_resources_are_rounded_up(count, shown):
    assert at_most(count) == shown


def test_the_list_shows_theorems(home, capsys):
    from wheelproof import project
    from wheelproof.commands import listing

    (home / "proofs" / "toy.py").write_text(START + TRUE)
    found = project.find(home)
    assert listing.run(home, found) == 0
    shown = capsys.readouterr().out
    assert "theorem" in shown and "x is above 0" in shown
    assert listing.run(home, found, as_json=True) == 0
    assert (
        json.loads(capsys.readouterr().out)["mechanisms"]["thing"]["theorems"]["true"]["says"]
        == "x is above 0"
    )
