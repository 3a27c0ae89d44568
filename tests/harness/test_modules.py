"""Every module's branches are run by some mechanism's scenarios, or the module is named here."""

from __future__ import annotations

import pytest

from tests.found import mechanisms
from tests.model.artefacts import ROOT
from wheelproof import isolated
from wheelproof.python import ControlledImplementation, ExploreError

MECHANISMS = mechanisms()
MODULES = {f"impl.{file.stem}" for file in (ROOT / "impl").glob("*.py") if file.stem != "__init__"}

ELSEWHERE = {
    "impl.runtime": "replaced under control: tests/impl/production",
    "impl.threads": "replaced under control: tests/impl/production",
    "impl.condition": "production's, replaced under control: tests/impl/test_interrupts.py",
    "impl.arguments": "what constructors refuse: tests/impl/test_arguments.py",
    "impl.baselines": "stand-ins for comparisons, no part of a mechanism: tests/impl/production",
    "impl.unclosed": "what the garbage collector calls: tests/impl/test_unclosed.py",
    "impl.delayed_operation_purgatory": (
        "a timer and a thread around impl.purgatory: tests/impl/test_delayed_operation_purgatory.py"
    ),
    "impl.delayed_future": "an operation and its threads: tests/impl/test_delayed_future.py",
}


def covered() -> set[str]:
    harnesses = [isolated.load(ROOT, f"harness.{mechanism}") for mechanism in MECHANISMS]
    return {name for each in harnesses for name in (*each.SUBJECT, *getattr(each, "HELPERS", ()))}


def test_no_module_is_left_out():
    assert MODULES - covered() == set(ELSEWHERE)


def test_a_helper_is_no_mechanisms_own_module():
    harnesses = [isolated.load(ROOT, f"harness.{mechanism}") for mechanism in MECHANISMS]
    helpers = {name for each in harnesses for name in getattr(each, "HELPERS", ())}
    assert helpers and not helpers & {name for each in harnesses for name in each.SUBJECT}


def test_a_branch_of_a_helper_is_declared_and_met():
    timer = ControlledImplementation.load(ROOT, "system_timer")
    declared = {each for each in timer.branches()[0] if each.startswith("impl.clock: ")}
    left = {each for each in declared if not any(each.startswith(name) for name in timer.not_run)}
    assert left == {
        f"impl.clock: VirtualClock.{each}"
        for each in (
            "__init__ is called",
            "advance is called",
            "hi_res_clock_ms is called",
        )
    }
    run = timer.begin(MECHANISMS["system_timer"].scenarios["one_bucket"])
    while able := list(run.enabled()):
        run.step(able[0])
    run.end()
    assert left <= timer.branches()[1]


def test_a_helper_that_is_not_loaded_is_refused():
    text = (ROOT / "harness" / "system_timer.py").read_text(encoding="utf-8")
    old = 'HELPERS = ("impl.clock",)'
    assert text.count(old) == 1
    changed = text.replace(old, 'HELPERS = ("impl.clocks",)')
    timer = ControlledImplementation.load(
        ROOT, "system_timer", texts={"harness.system_timer": changed}
    )
    with pytest.raises(ExploreError, match="HELPERS names impl.clocks, which is not loaded"):
        timer.branches()
