"""examples/one_shot without its model: the specification is compiled, and the rows say so."""

import json
import shutil
from pathlib import Path

import pytest

from tests.examples.test_one_shot import ONE_PROCESS, SUBJECT, change, wheelproof


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(
        shutil.copytree(
            SUBJECT,
            tmp_path / "copy",
            ignore=shutil.ignore_patterns("build", "__pycache__", "model"),
        )
    )


@pytest.mark.nightly
@pytest.mark.slow
def test_every_layer_passes_and_every_mutant_is_killed(copy):
    code, printed = wheelproof(copy, "verify", "--verbose", *ONE_PROCESS)
    assert code == 0, printed
    assert "model: that of one_shot is compiled from spec/OneShot.tla" in printed
    assert len([line for line in printed.splitlines() if line.startswith("killed: ")]) == 6
    rows = json.loads((copy / "build/results.json").read_text())["rows"]
    for row in rows:
        with_model = row["layer"] in ("graph", "bisimulation", "mutant", "random", "stress")
        assert (row["figures"].get("model") == "compiled from spec/OneShot.tla") is with_model, row


@pytest.mark.slow
def test_a_fault_of_the_implementation_is_a_finding(copy):
    change(copy / "impl/one_shot.py", "if not self.done:  # read O3", "if True:  # read O3")
    code, printed = wheelproof(copy, "verify", "--layer", "bisimulation", *ONE_PROCESS)
    assert code == 1 and "not in order: one_shot / bisimulation / two" in printed, printed


def test_a_specification_outside_of_the_subset_is_refused_with_module_and_line(copy):
    spec = copy / "spec/OneShot.tla"
    change(spec, "RanBeforeReturn == ", "RanBeforeReturn == (CHOOSE x : x = 1) = 1 /\\ ")
    line = spec.read_text().partition("RanBeforeReturn")[0].count("\n") + 1
    code, printed = wheelproof(copy, "verify", "--layer", "bisimulation", *ONE_PROCESS)
    assert code == 2, printed
    assert f"module OneShot, line {line}: CHOOSE without a set is outside of the subset" in printed


def test_a_table_that_is_no_list_is_refused(copy):
    change(copy / "spec/OneShot.toml", '["ComesTooLate"]', '"ComesTooLate"')
    code, printed = wheelproof(copy, "list")
    assert code == 2 and "[model]: witnesses is no list of names" in printed


def test_a_scenario_that_is_not_there_cannot_be_sampled(copy):
    change(copy / "spec/OneShot.toml", '["ComesTooLate"]', '["ComesTooLate"]\nsampled = ["four"]')
    code, printed = wheelproof(copy, "list")
    assert code == 2 and "[model]: there is no scenario four" in printed, printed
