"""The pages docs/add-a-mechanism.md and add-a-theorem.md.

Their listings are examples/one_shot, their quotes are printed.
"""

import queue
import re
import shutil
from pathlib import Path

import pytest

from tests.examples.pages import ONE_PROCESS, ROOT, change, files, listings, printed_by, wheelproof
from tests.nights import by_night
from traces import schema
from wheelproof.checks import coverage
from wheelproof.checks.context import Context, Report
from wheelproof.project import find, name_of
from wheelproof.python.runtime.primitives import primitive_names
from wheelproof.verdict import Row, read_results

SUBJECT = ROOT / "examples" / "one_shot"
PAGE = (ROOT / "docs" / "add-a-mechanism.md").read_text(encoding="utf-8")
LISTINGS = listings(PAGE)
THEOREM = (ROOT / "docs" / "add-a-theorem.md").read_text(encoding="utf-8")


def quoted(printed: str) -> None:
    """The page has this text, whatever the counts in it."""
    assert re.sub(r"\d+", "", printed) in re.sub(r"\d+", "", PAGE)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(
        shutil.copytree(
            SUBJECT, tmp_path / "copy", ignore=shutil.ignore_patterns("build", "__pycache__")
        )
    )


def write(folder: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def as_on(page: str, folder: Path, *commands: str) -> None:
    for command in commands:
        shown = printed_by(page, f"wheelproof {command}")
        assert wheelproof(folder, *command.split()) == (0, shown)


MAKE = ("translate spec/OneShot.tla", "list --update-counts", "list --update-plan")


def test_the_pages_alone_make_the_subject(tmp_path):
    assert len(LISTINGS) == 9
    write(tmp_path, LISTINGS)
    as_on(PAGE, tmp_path, *MAKE)
    assert files(tmp_path).keys() == files(SUBJECT).keys() - {THEORY}
    write(tmp_path, listings(THEOREM))
    as_on(THEOREM, tmp_path, "list --update-plan")
    assert files(tmp_path) == files(SUBJECT)


# -- the theorem

THEORY = "proofs/one_shot.py"


def proved(folder: Path) -> Row:
    code, printed = wheelproof(folder, "verify", "--layer", "proof", *ONE_PROCESS)
    (row,) = read_results(folder / "build" / "results.json").rows
    assert code == {"proved": 0, "inconclusive": 3, "vacuous": 5}[row.verdict], printed
    return row


def test_the_action_runs_once_for_any_number_of_threads(copy):
    row = proved(copy)
    assert (row.layer, row.name, row.verdict, row.ok) == ("proof", "Spec.OneShot", "proved", True)
    assert row.figures["vcs"] == 9 and row.figures["controls"] == 2


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "return ForAll([T], Implies(inside, back(",
            "return z3.BoolVal(True)  # ForAll([T], Implies(inside, back(",
            "O6_to_back: no_one_is_nowhere, one_holder, runs_before_it_is_done does not follow",
        ),
        ('properties=["RunsOnce"]', 'properties=["RanBeforeReturn"]', "RanBeforeReturn does not"),
    ],
    ids=["a conjunct", "a property"],
)
def test_what_does_not_follow_is_named(copy, old, new, says):
    change(copy / THEORY, old, new)
    row = proved(copy)
    assert (row.verdict, row.ok) == ("inconclusive", False) and says in row.why


def test_the_page_shows_what_does_not_follow():
    says = "O6_to_back: no_one_is_nowhere, one_holder, runs_before_it_is_done does not follow"
    assert f"\n{says}\n" in THEOREM


@pytest.mark.nightly
def test_a_module_that_breaks_it_beyond_every_scenario_has_no_proof(copy):
    """A thread with three operations passes the lock: no scenario has one."""
    old, new = "O2: await owner = NULL;", "O2: await owner = NULL \\/ Len(Program[self]) > 2;"
    change(copy / "spec" / "OneShot.tla", old, new)
    assert wheelproof(copy, "translate", "spec/OneShot.tla")[0] == 0
    row = proved(copy)
    assert (row.verdict, row.ok) == ("inconclusive", False)
    assert "O2_to_O3: one_holder, ran_once does not follow" in row.why


def test_a_control_that_changes_nothing_is_vacuous(copy):
    change(copy / THEORY, "turn[self] = 4", "turn[self] = 40")
    row = proved(copy)
    assert (row.verdict, row.ok) == ("vacuous", False) and "runs_again" in row.why


@pytest.mark.nightly
@pytest.mark.slow
def test_every_layer_passes_and_its_counterexample_reads_as_on_the_page(tmp_path):
    write(tmp_path / "made", LISTINGS)
    as_on(PAGE, tmp_path / "made", *MAKE)
    where = ("--subject", str(tmp_path / "made"), "--output", str(tmp_path / "build"))
    code, printed = wheelproof(ROOT, "verify", "--verbose", *where, *ONE_PROCESS)
    shown = printed_by(PAGE, "wheelproof verify --verbose").splitlines()
    for line in shown:
        if line.startswith("one_shot"):
            assert re.search(" +".join(map(re.escape, line.split()[:5])), printed), line
        elif not line.startswith("mechanism"):
            assert line in printed.splitlines(), line
    assert code == 0 and len([line for line in shown if line.startswith("one_shot")]) == 8
    trace = "build/counterexamples/one_shot.mutant.FlagFirst.json"
    where = ("--subject", str(SUBJECT))
    code, printed = wheelproof(tmp_path, "show", trace, "--width", "100", *where)
    assert code == 0 and printed.startswith(printed_by(PAGE, f"wheelproof show {trace}"))
    assert wheelproof(tmp_path, "replay", trace, *where) == (
        1,
        printed_by(PAGE, f"wheelproof replay {trace}"),
    )


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    "file, old, new, layers, code, printed",
    [
        (
            "spec/OneShot.tla",
            "O1: if done then",
            "O1: if ~done then",
            "tlc",
            2,
            "The PlusCal translation in spec/OneShot.tla is stale",
        ),
        by_night(
            (
                "impl/one_shot.py",
                "  # write O4",
                "",
                "bisimulation",
                1,
                "a plain write without a label in run; label the line",
            )
        ),
        by_night(
            (
                "model/one_shot.py",
                "t.turn += 1",
                "t.turn += 2",
                "graph",
                1,
                "edges in TLC's graph alone, such as",
            )
        ),
        (
            "harness/one_shot.py",
            '        "owner": (owner and owner.name,),\n',
            "",
            "bisimulation",
            2,
            "leaves out owner",
        ),
        (
            "impl/one_shot.py",
            "Lock()",
            "Lock( )",
            "mutant",
            2,
            "its old lines are not there at the anchor",
        ),
        by_night(
            (
                "model/one_shot.py",
                "from wheelproof_runtime.pluscal",
                "from wheelproof_runtime.plus",
                "bisimulation",
                2,
                "No module named 'wheelproof_runtime.plus",
            )
        ),
        by_night(
            (
                "impl/one_shot.py",
                "self.runs = self.runs + 1  # write O4\n"
                "                    self.done = True  # write O5",
                "self.done = True  # write O5\n"
                "                    self.runs = self.runs + 1  # write O4",
                "bisimulation",
                1,
                "b takes O5 next, O4 in the model",
            )
        ),
    ],
)
def test_what_goes_wrong_first_is_reported_as_on_the_page(
    copy, file, old, new, layers, code, printed
):
    change(copy / file, old, new)
    quoted(printed)
    found = wheelproof(copy, "verify", "--layer", layers, *ONE_PROCESS)
    assert printed in found[1] and found[0] == code


@pytest.mark.nightly
def test_counts_that_are_missing_or_wrong_are_reported_as_on_the_page(copy):
    change(
        copy / "spec/counts.json",
        '      "two": {"generated": 94, "distinct": 57, "depth": 12},\n',
        "",
    )
    change(copy / "spec/counts.json", '"distinct": 419', '"distinct": 420')
    code, printed = wheelproof(copy, "verify", "--layer", "tlc", *ONE_PROCESS)
    for part in ("its counts are not recorded; run", "distinct is 419, declared 420"):
        quoted(part)
        assert part in printed
    assert code == 1


def test_a_label_that_the_table_lacks_is_reported_as_on_the_page(copy):
    change(copy / "spec/OneShot.toml", 'write = ["O4", "O5"]', 'write = ["O5"]')
    mechanism = find(copy)["one_shot"]
    row = coverage.labels(
        Context(mechanism, copy / "build"), [Report(labels=set(mechanism.labels))]
    )
    printed = "the spec has O4 besides; the model has O4 besides"
    quoted(printed)
    assert printed in row.why and not row.ok


def test_the_tool_names_no_mechanism():
    specs = [*(ROOT / "spec").glob("*.toml"), *(ROOT / "examples").glob("*/spec/*.toml")]
    # of these the tool has its own, which it puts in their place
    names = {
        name
        for spec in specs
        for name in (spec.stem, name_of(spec.stem))
        if spec.stem not in primitive_names()
    }
    assert {"OneShot", "one_shot", "TimerTaskList", "timer_task_list"} <= names
    about = re.compile(rf"\b({'|'.join(sorted(names))})\b")
    assert about.search("spec/OneShot.toml")
    tool = ROOT / "wheelproof"
    for file in tool.rglob("*"):
        if file.suffix in (".py", ".j2", ".json"):
            assert not (found := about.search(file.read_text(encoding="utf-8"))), (
                f"{file.relative_to(ROOT)} names {found[0]}"
            )


def test_the_tool_names_no_kind_of_event_of_a_subject():
    """What a trace's events mean is in the subject's folder traces.

    A kind that has the name of a method of Python's queue is left out.
    """
    columns = {column.name for column in schema.COLUMNS if "_" in column.name}
    kinds = {kind for kind in schema.KINDS if "_" in kind}
    words = kinds.difference(dir(queue.Queue)) | columns
    assert kinds - words == {"task_done"} and {"list_add", "try_begin", "exp_ms"} <= words
    about = re.compile(rf"\b({'|'.join(sorted(words))})\b")
    for file in (ROOT / "wheelproof").rglob("*.py"):
        assert not (found := about.search(file.read_text(encoding="utf-8"))), (
            f"{file.relative_to(ROOT)} names {found[0]}"
        )
