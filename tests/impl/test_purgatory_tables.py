"""The purgatory under threads beside a table of deadlines and lists: drawn, and with faults."""

import shutil

import pytest
from hypothesis import settings
from hypothesis import strategies as st

import wheelproof
from tests.examples.pages import wheelproof as command
from tests.found import ROOT
from tests.impl.purgatory_tables import Drawn, Table, at_once, in_the_end
from tests.model.artefacts import Artefacts
from tests.nights import only
from wheelproof.plain.answers import Answer
from wheelproof.plain.calling import ExplorationFailed

PAGE = (ROOT / "docs" / "timers.md").read_text(encoding="utf-8")
MECHANISM = Artefacts("purgatory").mechanism

QUIRKS = {
    "it is counted once it is cancelled": (
        [[("enter", "a")], [("open", "a"), ("check", "a")]],
        "(['a completes'], {}, 1)",
    ),
    "it is cancelled, and has a timeout": (
        [[("enter", "a")], [("cancel", "a")]],
        "(['a'], {}, 1)",
    ),
}
"""What no table does: the threads of a program, and the state that it can lead to."""


@pytest.mark.daily(2)
@pytest.mark.parametrize("name", QUIRKS)
def test_a_quirk_has_its_program_and_is_over_once_time_is_up(name):
    threads, state = QUIRKS[name]
    program = wheelproof.program(threads)
    with pytest.raises(ExplorationFailed) as failed:
        wheelproof.check(Drawn, program, reference=Table, observe=at_once)
    assert failed.value.exploration.reason.endswith(f"observe(): {state}")
    answer = wheelproof.check(Drawn, program, reference=Table, observe=in_the_end)
    assert answer.answer is Answer.EXHAUSTED


def test_the_page_has_each_quirk():
    part = PAGE.partition("## The purgatory")[2].partition("\n## ")[0]
    rows = [line for line in part.splitlines() if line.startswith("| ") and "`T1: " in line]
    for row, (threads, state) in zip(rows, QUIRKS.values(), strict=True):
        program = wheelproof.program(threads)
        columns = [", ".join(map(str, calls)) for calls in program.threads]
        assert "; ".join(f"`T{n}: {text}`" for n, text in enumerate(columns, 1)) in row
        assert f"`{state}`" in row


OPERATIONS = {
    "enter": st.sampled_from(["a", "ab"]),
    "open": st.just("a"),
    "check": st.sampled_from("ab"),
    "cancel": st.just("a"),
    "advance": (),
}


@pytest.mark.nightly
def test_every_drawn_program_has_the_results_of_the_table():
    many = settings(max_examples=100, derandomize=True, database=None)
    answer = wheelproof.check(
        Drawn, operations=OPERATIONS, reference=Table, observe=in_the_end, threads=2, settings=many
    )
    assert answer.answer in (Answer.EXHAUSTED, Answer.BUDGET)


PLANTED = {
    "P1": wheelproof.program(
        [["advance"], [("check", "a")]], prefix=[("enter", "a"), ("open", "a")]
    ),
    "P3": wheelproof.program([[("enter", "a")], [("open", "a"), ("check", "a")]]),
}
"""Decision -> a program that shows its absence."""

TEST = """\
import hypothesis
import wheelproof
from tests.impl.purgatory_tables import Drawn, Table, in_the_end


@wheelproof.linearizable(
    examples=PROGRAMS,
    reference=Table,
    observe=in_the_end,
    settings=hypothesis.settings(phases=[hypothesis.Phase.explicit]),
)
def test_purgatory():
    return Drawn()
"""


@pytest.mark.parametrize("decision", only(["", *PLANTED], "P3"))
def test_a_decision_that_is_taken_away_is_found(decision, tmp_path):
    unwanted = shutil.ignore_patterns("__pycache__")
    for folder in ("impl", "runtime/wheelproof_runtime"):
        target = tmp_path / folder.removeprefix("runtime/")
        shutil.copytree(ROOT / folder, target, ignore=unwanted)
    (tmp_path / "tests" / "impl").mkdir(parents=True)
    for name in ("purgatories.py", "purgatory_tables.py"):
        shutil.copy(ROOT / "tests" / "impl" / name, tmp_path / "tests" / "impl")
    changed = MECHANISM.without(decision).modules if decision else {}
    modules = {name: text for name, text in changed.items() if name.startswith("impl.")}
    for module, text in modules.items():
        (tmp_path / f"{module.replace('.', '/')}.py").write_text(text, encoding="utf-8")
    programs = [PLANTED[decision]] if decision else list(PLANTED.values())
    text = TEST.replace("PROGRAMS", repr(programs))
    (tmp_path / "test_purgatory.py").write_text(text, encoding="utf-8")
    code, output = command(tmp_path, "explore", "test_purgatory.py::test_purgatory")
    assert code == (1 if decision else 0), output
    assert ("bug: not linearizable" in output) == bool(decision)
