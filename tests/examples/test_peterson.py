"""examples/peterson: a lock of reads and writes alone, with and without late stores."""

import dis
import shutil
from pathlib import Path

import pytest

from tests.examples.pages import ONE_PROCESS, ROOT, change, wheelproof

SUBJECT = ROOT / "examples" / "peterson"
PAGE = (ROOT / "docs" / "beyond-one-mechanism.md").read_text(encoding="utf-8")
LOOP = """\
        self.sides[me].wants = True  # write A1
        self.turn = other  # write A2
        while True:
            if not self.sides[other].wants:  # read A3
                break
            if self.turn == me:  # read A4
                break
"""
TESTS_TWICE = """\
        self.sides[me].wants = True  # write A1
        self.turn = other  # write A2
        while self.sides[other].wants:  # read A3
            if self.turn == me:  # read A4
                break
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns("build", "__pycache__")
    return Path(shutil.copytree(SUBJECT, tmp_path / "copy", ignore=ignored))


def kills(printed: str) -> set[str]:
    return {line for line in printed.splitlines() if line.startswith("killed: ")}


def test_the_page_quotes_the_loop():
    assert LOOP in (SUBJECT / "impl" / "peterson.py").read_text(encoding="utf-8")
    assert LOOP.replace("\n        ", "\n").removeprefix("        ") in PAGE


def test_each_implementation_is_its_specification(copy):
    code, printed = wheelproof(copy, "verify", "--layer", "bisimulation", *ONE_PROCESS)
    assert code == 0 and "5 of 5 checks in order" in printed, printed


def test_a_flag_that_is_late_on_one_side_alone_is_reported(copy):
    change(copy / "impl/peterson.py", "wants: Volatile[bool]", "wants: Plain[bool]")
    code, printed = wheelproof(
        copy, "verify", "delayed_peterson", "--layer", "bisimulation", *ONE_PROCESS
    )
    assert code == 1 and "1 of 3 checks in order" in printed, printed
    assert "delayed_peterson / bisimulation / flags: expected exhaustive, got violated" in printed


def test_plain_flags_race_where_every_store_is_performed_at_once(copy):
    change(copy / "impl/peterson.py", "wants: Volatile[bool]", "wants: Plain[bool]")
    code, printed = wheelproof(copy, "verify", "peterson", "--layer", "random", *ONE_PROCESS)
    assert code == 1 and "peterson / random / once: expected sampled, got violated" in printed
    assert "NoDataRace" in printed


@pytest.mark.nightly
def test_the_layer_stress_has_nothing_to_plant_a_fault_in(copy):
    """A sound run, which shows nothing by itself: the declaration leaves it out."""
    file = copy / "spec/Peterson.toml"
    text = file.read_text(encoding="utf-8")
    assert text.count("stress = false\n") == 2
    file.write_text(text.replace("stress = false\n", ""), encoding="utf-8")
    code, printed = wheelproof(
        copy, "verify", "peterson", "--layer", "stress", "--verbose", *ONE_PROCESS
    )
    why = "no fault planted in a primitive is found in this scenario; tried: none"
    assert printed.count(why) == 2, printed
    assert "killed: raises_no_flag by FinalState (peterson, stress)" in kills(printed)
    assert code == 5


@pytest.mark.nightly
def test_each_seeded_bug_of_the_lock_is_killed(copy):
    code, printed = wheelproof(
        copy, "verify", "peterson", "--layer", "mutant,random", "--verbose", *ONE_PROCESS
    )
    assert kills(printed) == {
        "killed: IgnoresTheTurn by Termination at depth 4 (peterson, mutant)",
        "killed: KeepsTheTurn by Exclusion at depth 7 (peterson, mutant)",
        "killed: LeavesTheFlagUp by Termination at depth 7 (peterson, mutant)",
        "killed: RaisesNoFlag by Exclusion at depth 6 (peterson, mutant)",
        "killed: TurnFirst by Exclusion at depth 9 (peterson, mutant)",
        "killed: KeepsTheTurn by NoDataRace (peterson, random)",
        "killed: RaisesNoFlag by NoDataRace (peterson, random)",
        "killed: TurnFirst by NoDataRace (peterson, random)",
    }
    assert code == 0


def compiled_tests() -> int:
    """How often this Python compiles the test in the head of a loop."""
    code = compile("while flag:\n    if turn:\n        break\n", "loop", "exec")
    return sum(each.argval == "flag" for each in dis.get_instructions(code))


@pytest.mark.nightly
@pytest.mark.skipif(compiled_tests() == 1, reason="this Python compiles the test once")
def test_a_loop_that_tests_in_its_head_comes_into_its_cycle_later(copy):
    change(copy / "impl/peterson.py", LOOP, TESTS_TWICE)
    code, printed = wheelproof(
        copy, "verify", "--layer", "mutant", "--mutant", "LeavesTheFlagUp", *ONE_PROCESS
    )
    assert "the fair cycle begins after 7 steps of the model, 8 of the implementation" in printed
    assert code == 1


@pytest.mark.nightly
def test_every_layer_passes(copy):
    code, printed = wheelproof(copy, "verify", "--verbose", *ONE_PROCESS)
    assert code == 0 and "55 of 55 checks in order" in printed, printed
    assert {
        "killed: PlainFlags by Exclusion at depth 8 (delayed_peterson, mutant)",
        "killed: PlainFlagsMiscount by CountsItself at depth 9 (delayed_peterson, mutant)",
        "killed: PlainTurn by Exclusion at depth 11 (delayed_peterson, mutant)",
        "killed: no_memory by Termination (delayed_peterson, liveness)",
        "killed: unfair by Termination (peterson, liveness)",
    } <= kills(printed)
