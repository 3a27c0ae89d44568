"""The page docs/bounded-buffer.md: its listings are examples/bounded_buffer, its quotes printed."""

import re
import shutil
from pathlib import Path

import pytest

from tests.examples.pages import ONE_PROCESS, ROOT, change, files, listings, printed_by, wheelproof
from wheelproof.checks.context import Context
from wheelproof.checks.controls import controls
from wheelproof.project import find
from wheelproof.verdict import exit_code

SUBJECT = ROOT / "examples" / "bounded_buffer"
PAGE = (ROOT / "docs" / "bounded-buffer.md").read_text(encoding="utf-8")
WRITTEN_BY_THE_TOOL = ("spec/counts.json", "spec/plan.json")
TRANSLATION = re.compile(r"\\\* BEGIN TRANSLATION.*?\\\* END TRANSLATION *\n", re.DOTALL)
MOST_LINES = 150
KILLED = {"NotifiesOne": "NoDeadlock", "LooksOnce": "Bounded", "AppendsOutside": "Bounded"}


def in_one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns("build", "__pycache__")
    return Path(shutil.copytree(SUBJECT, tmp_path / "copy", ignore=ignored))


@pytest.mark.nightly
def test_the_page_alone_makes_the_subject(tmp_path):
    for name, text in listings(PAGE).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    commands = "translate spec/BoundedBuffer.tla", "list --update-counts", "list --update-plan"
    for command in commands:
        printed = printed_by(PAGE, f"wheelproof {command}")
        assert wheelproof(tmp_path, *command.split()) == (0, printed)
    assert files(tmp_path) == files(SUBJECT)


def test_the_pages_listings_are_the_subject():
    found = listings(PAGE)
    assert len(found) == 7
    assert found == {name: TRANSLATION.sub("", files(SUBJECT)[name]) for name in found}


def test_a_person_writes_at_most_150_lines_beside_the_code():
    written = {
        name: TRANSLATION.sub("", text)
        for name, text in files(SUBJECT).items()
        if name not in WRITTEN_BY_THE_TOOL
    }
    assert written.keys() == listings(PAGE).keys()
    lines = sum(len(text.splitlines()) for text in written.values())
    code = len(written["impl/bounded_buffer.py"].splitlines())
    assert lines - code <= MOST_LINES
    assert f"{lines} lines in all, {code} of them the code" in PAGE


def test_the_code_is_its_specification(copy):
    code, printed = wheelproof(copy, "verify", "--layer", "bisimulation", *ONE_PROCESS)
    *_, row, last = printed_by(PAGE, "wheelproof verify --layer bisimulation").splitlines()
    assert in_one_line(row) in in_one_line(printed)
    assert last in printed.splitlines() and code == 0


WRONG = [
    ("impl", "    items: Plain[deque[T]]\n", "", 2, "leaves out items"),
    ("impl", "  # notify P7", "", 1, "notify without a label in put; label the line"),
    ("impl", "# wait P3, wake P4, lock P5", "# wait P3", 1, "wake without a label in put; label"),
    (
        "impl",
        "from wheelproof_runtime import Condition, Plain",
        "from threading import Condition\n\nfrom wheelproof_runtime import Plain",
        2,
        "threading is out of the scheduler's control",
    ),
    ("harness", "return self.buffer.get()", "self.buffer.get()", 1, "the harness drops 3, which"),
    (
        "impl",
        "self.changed.notify_all()  # notify G7",
        "self.changed.notify()  # notify G7",
        1,
        "after step 15, c.G7 (impl/bounded_buffer.py:39): tickets is",
    ),
]
"""(folder, old, new, exit code, printed) of a change of bounded_buffer.py there."""


@pytest.mark.parametrize(
    "folder, old, new, code, printed",
    [WRONG[0], *(pytest.param(*case, marks=pytest.mark.nightly) for case in WRONG[1:])],
)
def test_what_goes_wrong_first_is_reported_as_on_the_page(copy, folder, old, new, code, printed):
    change(copy / folder / "bounded_buffer.py", old, new)
    found = wheelproof(copy, "verify", "--layer", "bisimulation", *ONE_PROCESS)
    assert printed in found[1] and printed in PAGE and found[0] == code


@pytest.mark.nightly
def test_a_real_deadlock_is_a_finding_with_its_counterexample(copy):
    """By day its control is `test_a_config_that_must_pass_and_does_not`."""
    for label in ("P7", "G7"):
        notify = "self.changed.notify{}()  # notify " + label
        change(copy / "impl/bounded_buffer.py", notify.format("_all"), notify.format(""))
        old = f"{label}:     tickets := NotifiedAll(tickets, asleep);"
        change(copy / "spec/BoundedBuffer.tla", old, old.replace("All(", "(").replace(")", ", 1)"))
    shutil.rmtree(copy / "mutants")  # they quote the lines that have changed
    assert wheelproof(copy, "translate", "spec/BoundedBuffer.tla")[0] == 0
    assert wheelproof(copy, "list", "--update-plan")[0] == 0
    layers = ("--layer", "tlc", "--layer", "graph", "--layer", "random")
    code, printed = wheelproof(copy, "verify", *layers, *ONE_PROCESS)
    assert code == 1 and "TOOL FAILED" not in printed and "no scenario reaches" not in printed
    assert "the model violates NoDeadlock" in printed
    for layer in ("tlc", "random"):
        file = f"build/counterexamples/bounded_buffer.{layer}.two_producers.json"
        code, replayed = wheelproof(copy, "replay", file)
        assert code == 1 and "NoDeadlock is violated" in replayed


@pytest.mark.nightly
def test_a_module_that_is_nowhere_is_refused_as_on_the_page(copy):
    change(copy / "spec/BoundedBuffer.tla", "Sequences, Conditions", "Sequences, Condition")
    code, printed = wheelproof(copy, "verify", "--layer", "bisimulation", *ONE_PROCESS)
    message = "Cannot find source file for module Condition"
    assert message in printed and message in PAGE and code == 2


def test_a_mutant_without_a_race_leaves_a_property_without_a_control(copy):
    assert controls(Context(find(copy)["bounded_buffer"], copy / "build")).ok
    change(copy / "mutants/bounded_buffer/AppendsOutside.md", "data_race = true\n", "")
    row = controls(Context(find(copy)["bounded_buffer"], copy / "build"))
    message = "no config and no mutant shows that NoDataRace can fail"
    assert message in row.why and message in PAGE and exit_code([row]) == 5


@pytest.mark.nightly
def test_every_layer_passes_and_each_mutant_is_killed_as_on_the_page(copy):
    code, printed = wheelproof(copy, "verify", "--verbose", *ONE_PROCESS)
    lines = [in_one_line(line) for line in printed.splitlines()]
    for line in printed_by(PAGE, "wheelproof verify --verbose").splitlines()[1:]:
        assert any(each.startswith(in_one_line(line)) for each in lines), line
    for mutant, property in KILLED.items():
        assert any(line.startswith(f"killed: {mutant} by {property} at depth") for line in lines)
    assert code == 0
    for command, ends in (
        ("mutant NotifiesOne", 0),
        ("replay build/counterexamples/bounded_buffer.mutant.NotifiesOne.json", 1),
    ):
        code, printed = wheelproof(copy, *command.split())
        rest = printed
        for part in printed_by(PAGE, f"wheelproof {command}").split("...\n"):
            assert part.strip() in rest
            rest = rest.partition(part.strip())[2]
        assert code == ends


@pytest.mark.nightly
def test_a_mutant_that_changes_nothing_is_refused(copy):
    """The same text in the place of what it takes away."""
    file = copy / "mutants/bounded_buffer/NotifiesOne.md"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("+self.changed.notify()  #", "+self.changed.notify_all() #"))
    code, printed = wheelproof(
        copy, "verify", "--layer", "mutant", "--mutant", "NotifiesOne", *ONE_PROCESS
    )
    assert code == 2 and "no step of it changes" in printed, printed
