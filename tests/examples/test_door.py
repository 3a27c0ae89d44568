"""examples/door: one implementation, with and without spurious wake-ups."""

import shutil
from pathlib import Path

import pytest

from tests.examples.pages import ONE_PROCESS, ROOT, change, wheelproof

SUBJECT = ROOT / "examples" / "door"
PAGE = (ROOT / "docs" / "beyond-one-mechanism.md").read_text(encoding="utf-8")
AWAITS = "  await Offered(tickets, self);\n"
DECLARED = 'SPURIOUS = ("Condition",)\n'


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns("build", "__pycache__")
    return Path(shutil.copytree(SUBJECT, tmp_path / "copy", ignore=ignored))


def algorithm(name: str) -> list[str]:
    text = (SUBJECT / "spec" / f"{name}.tla").read_text(encoding="utf-8")
    lines = text.partition("(*--algorithm")[2].partition("end algorithm")[0].splitlines()
    return lines[1:]


def test_the_two_specifications_differ_in_the_line_that_the_page_names():
    (awaits,) = AWAITS.splitlines()
    assert awaits in algorithm("Door") and awaits in PAGE
    assert algorithm("SpuriousDoor") == [line for line in algorithm("Door") if line != awaits]


def test_the_two_harnesses_differ_in_the_declaration():
    harness = (SUBJECT / "harness" / "spurious_door.py").read_text(encoding="utf-8")
    assert DECLARED in harness and DECLARED in PAGE
    assert "SPURIOUS" not in (SUBJECT / "harness" / "door.py").read_text(encoding="utf-8")


def test_each_implementation_is_its_specification(copy):
    code, printed = wheelproof(copy, "verify", "--layer", "bisimulation", *ONE_PROCESS)
    assert code == 0 and "3 of 3 checks in order" in printed, printed


def test_a_spurious_wake_up_that_only_one_side_has_is_reported(copy):
    change(copy / "harness/spurious_door.py", DECLARED, "")
    change(copy / "harness/door.py", '("impl.door",)\n', f'("impl.door",)\n{DECLARED}')
    code, printed = wheelproof(copy, "verify", "--layer", "bisimulation", *ONE_PROCESS)
    assert code == 1 and "0 of 3 checks in order" in printed, printed


def test_another_declaration_is_refused(copy):
    change(copy / "harness/spurious_door.py", DECLARED, "SPURIOUS = True\n")
    code, printed = wheelproof(
        copy, "verify", "spurious_door", "--layer", "bisimulation", *ONE_PROCESS
    )
    assert code == 2 and "harness/spurious_door.py: SPURIOUS is no literal list" in printed
    assert "Write SPURIOUS = ('Condition',), or leave it out." in printed


@pytest.mark.nightly
@pytest.mark.slow
def test_each_mutant_is_killed_by_one_side_alone(copy):
    code, printed = wheelproof(copy, "verify", "--layer", "mutant", "--verbose", *ONE_PROCESS)
    killed = [line.split()[1] for line in printed.splitlines() if line.startswith("killed: ")]
    assert sorted(killed) == [
        "DoesNotAsk",
        "DoesNotAsk",
        "ForgetsToNotify",
        "KeepsTheLock",
        "LooksOnce",
    ]
    assert "killed: LooksOnce by NotEarly at depth 6 (spurious_door, mutant)" in printed
    assert "killed: ForgetsToNotify by NoDeadlock at depth 9 (door, mutant)" in printed
    assert code == 0


@pytest.mark.nightly
def test_every_layer_passes(copy):
    code, printed = wheelproof(copy, "verify", *ONE_PROCESS)
    assert code == 0 and "44 of 44 checks in order" in printed, printed
