"""A refinement and the mutants: what rejects none of them may be wider than it should be."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.model.timer import MECHANISM
from wheelproof import project
from wheelproof.checks import refinement
from wheelproof.checks.context import Context
from wheelproof.errors import UsageError
from wheelproof.project import declaration
from wheelproof.tlc.result import Outcome, TlcResult

ROOT = Path(__file__).resolve().parents[3]
KEEPS = {"M4": "it waits for ever", "M5": "it is equivalent"}
CONFIG = replace(MECHANISM.configs["refines_flush_cancel"], keeps=KEEPS)
SEEN = {mutant.name for mutant in MECHANISM.mutants.values()} - set(KEEPS)


def copy_to(folder):
    """All that a mechanism's declarations and its decisions' hunks name."""
    for name in ("spec", "model", "impl", "harness", "mutants"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))


def row(context, monkeypatch, ends=None, profile="nightly", config=CONFIG):
    """The row where TLC rejects all mutants but the kept ones. ``ends``: mutant -> outcome."""
    evaluated = []

    def tlc(self, name, config, **options):
        mutant = name.removeprefix("refines_flush_cancel_")
        evaluated.append(mutant)
        outcome = (ends or {}).get(
            mutant, Outcome.COMPLETED if mutant in KEEPS else Outcome.VIOLATED
        )
        return TlcResult(
            outcome,
            property="Refines" if outcome is Outcome.VIOLATED else None,
            explanation=f"it is {outcome}",
        )

    monkeypatch.setattr(type(context), "tlc", tlc)
    (found,) = refinement.check_mutants(replace(context, profile=profile), config).rows
    return found, evaluated


def test_a_refinement_that_rejects_what_it_must(context, monkeypatch):
    found, evaluated = row(context, monkeypatch)
    assert found.ok and (found.layer, found.name, found.verdict, found.property) == (
        "mutant",
        "refines_flush_cancel",
        "violated",
        "Refines",
    )
    assert found.figures == {
        "mutants": len(evaluated),
        "rejected": len(evaluated) - 2,
        "kept": "M4, M5",
    }
    machines = {(mutant.decision, mutant.scenario) for mutant in MECHANISM.mutants.values()}
    assert len(evaluated) == len(machines), "each machine once, whatever property its mutants break"


def test_the_fast_profile_has_the_mutants_that_must_be_rejected(context, monkeypatch):
    late = replace(
        MECHANISM,
        mutants=MECHANISM.mutants | {"M2": replace(MECHANISM.mutants["M2"], profile="nightly")},
    )
    found, evaluated = row(replace(context, mechanism=late), monkeypatch, profile="fast")
    assert found.ok and not {"M2", "M4", "M5"} & set(evaluated) and "M9" in evaluated
    assert {"M2", "M4", "M5"} <= set(row(replace(context, mechanism=late), monkeypatch)[1])


@pytest.mark.parametrize(
    ("ends", "verdict", "says"),
    [
        ({"M9": Outcome.COMPLETED}, "violated", "M9 is not rejected"),
        ({"M4": Outcome.VIOLATED}, "violated", "M4 is rejected although keeps lists it"),
        ({"M9": Outcome.INCONCLUSIVE}, "inconclusive", "M9: it is inconclusive"),
        ({"M9": Outcome.ERROR}, "error", "M9: it is error"),
        ({"M4": Outcome.ERROR}, "error", "M4: it is error"),
        (dict.fromkeys(SEEN, Outcome.COMPLETED), "vacuous", "M1 is not rejected"),
    ],
)
def test_what_is_not_in_order(context, monkeypatch, ends, verdict, says):
    found, _ = row(context, monkeypatch, ends)
    assert not found.ok and found.verdict == verdict and says in found.why


def test_no_mutants_reject_nothing(context, monkeypatch):
    found, _ = row(replace(context, mechanism=replace(MECHANISM, mutants={})), monkeypatch)
    assert not found.ok and found.verdict == "vacuous" and "no mutant takes part" in found.why


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("mechanism", "module", "config", "guard", "mutant"),
    [
        (
            "TaskExecutor",
            "TaskExecutorAtomic",
            "refines",
            '/\\ place[t] = "waits" /\\ ended',
            "DoesNotWait",
        ),
        (
            "SystemTimerReaper",
            "SystemTimerReaperAtomic",
            "refines",
            '/\\ place[t] = "waits" /\\ (ended \\/ t \\in Reapers)',
            "IsNotAwaited",
        ),
    ],
)
def test_steps_that_are_wider_than_they_should_be(
    tmp_path, mechanism, module, config, guard, mutant
):
    """They allow all that the unmutated machine does, so the refinement itself holds."""
    copy_to(tmp_path)
    file = tmp_path / "spec" / f"{module}.tla"
    text = file.read_text(encoding="utf-8")
    assert text.count(guard) == 1
    file.write_text(text.replace(guard, '/\\ place[t] = "waits"'), encoding="utf-8")
    item = project.read(tmp_path / "spec" / f"{mechanism}.toml")
    context = Context(item, tmp_path / "build")
    (plain,), (found,) = (
        refinement.check(context, item.configs[config]).rows,
        refinement.check_mutants(context, item.configs[config]).rows,
    )
    assert plain.ok, plain.why
    assert not found.ok and f"{mutant} is not rejected" in found.why


@pytest.mark.parametrize(
    ("mechanism", "module"),
    [
        ("Atomic", "AtomicInOneStep"),
        ("DelayQueue", "DelayQueueAtomic"),
        ("ReadWriteLock", "ReadWriteLockAtomic"),
        ("TaskExecutor", "TaskExecutorAtomic"),
        ("SystemTimerReaper", "SystemTimerReaperAtomic"),
    ],
)
def test_single_steps_of_which_some_thread_is_fair_do_not_end(tmp_path, mechanism, module):
    copy_to(tmp_path)
    file = tmp_path / "spec" / f"{module}.tla"
    text = file.read_text(encoding="utf-8")
    fair = "\\A t \\in Threads : WF_vars(Step(t))"
    assert text.count(fair) == 1
    file.write_text(text.replace(fair, fair.replace("\\A", "\\E")), encoding="utf-8")
    item = project.read(tmp_path / "spec" / f"{mechanism}.toml")
    (found,) = refinement.check(Context(item, tmp_path / "build"), item.configs["atomic_ends"]).rows
    assert not found.ok and (found.verdict, found.property) == ("violated", "Termination")


@pytest.mark.parametrize(
    ("name", "keeps", "says"),
    [
        ("refines", {"NoSuch": "why"}, "NoSuch"),
        ("refines", {"AddsUnlocked": " "}, "AddsUnlocked has no reason"),
        ("two_adds", {}, "is no refinement that holds"),
        ("refines_unlocked", {}, "is no refinement that holds"),
    ],
)
def test_a_declaration_that_fits_nothing_is_refused(tmp_path, name, keeps, says):
    import tomllib

    data = tomllib.loads((ROOT / "spec/Atomic.toml").read_text(encoding="utf-8"))
    data["configs"][name]["keeps"] = keeps
    with pytest.raises(UsageError, match=says):
        declaration._Reader(ROOT / "spec/Atomic.toml", data).mechanism()


def test_a_row_of_a_refinement_has_no_mutants_name(tmp_path):
    copy_to(tmp_path)
    file = tmp_path / "mutants/atomic/AddsUnlocked.md"
    text = file.read_text(encoding="utf-8")
    assert text.count("[TwoInside]") == 1
    file.write_text(text.replace("[TwoInside]", "[refines]"), encoding="utf-8")
    with pytest.raises(UsageError, match="a mutant has the config's name"):
        project.read(tmp_path / "spec/Atomic.toml")
