"""Each finding of Kafka shows its defect on the released classes, and its fix removes it."""

import re

import pytest

from benchmarks.races import finding as packages
from real.findings import __main__ as command
from real.findings import catalog, shown
from tests.docs.reading import ROOT, blocks, commands
from tests.docs.test_commands import TARGETS
from tests.nights import only
from wheelproof.errors import ToolError
from wheelproof.jvm.jars import NotHere

NAMES = sorted(catalog.findings())
PAGES = {
    name: (ROOT / "docs" / "findings" / f"{name}.md").read_text(encoding="utf-8") for name in NAMES
}
ISSUE_LINES = 40
"""Lines of a page before its rest, at most, beside those in fences."""
STEPS = 8


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("findings")


def classes(name, fixed, folder):
    """A release's classes; without their jars nothing is run."""
    try:
        return shown.classes(catalog.finding(name), catalog.NAMED, fixed, folder)
    except NotHere as error:
        pytest.skip(f"NOT RUN: {error}")


@pytest.mark.daily(7)
@pytest.mark.parametrize("name", NAMES)
def test_a_program_shows_its_defect_on_the_release_as_its_page_says(name, folder):
    outcome = shown.by_program(catalog.finding(name), classes(name, False, folder))
    assert outcome.shows
    assert outcome.text in [block.text.rstrip() for block in blocks(PAGES[name])]


@pytest.mark.daily(7)
@pytest.mark.parametrize("name", NAMES)
def test_with_the_fix_a_program_does_not_show_its_defect(name, folder):
    outcome = shown.by_program(catalog.finding(name), classes(name, True, folder))
    assert not outcome.shows, outcome.text


@pytest.mark.nightly
@pytest.mark.parametrize("name", only(NAMES, "stale_load"))
def test_a_test_fails_on_the_release_and_passes_with_the_fix(name, folder):
    finding = catalog.finding(name)
    before = shown.by_test(finding, classes(name, False, folder), folder)
    after = shown.by_test(finding, classes(name, True, folder), folder)
    assert (before.shows, after.shows) == (True, False), (before.text, after.text)
    assert re.search(r"^  \S", before.text, re.MULTILINE), before.text


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_the_issue_and_then_the_rest(name):
    finding, (issue, _, rest) = catalog.finding(name), PAGES[name].partition("\n## The rest\n")
    assert rest
    assert len(re.sub(r"^```.*?^```$", "", issue, flags=re.M | re.S).splitlines()) <= ISSUE_LINES
    for part in ("**Summary.**", "| Affects versions |", "| Component |", "**Fix.**", "**Test.**"):
        assert issue.count(part) == 1, part
    steps = re.findall(r"^\d+\. ", issue, re.MULTILINE)
    assert 2 <= len(steps) <= STEPS
    assert f"/{finding.program})" in issue and finding.test_diff.name in issue
    command = rf"^java -cp .* ({finding.source.name}|{finding.main_class})( {name})?$"
    assert len(re.findall(command, issue, re.MULTILINE)) == 1
    (diff,) = [block for block in blocks(issue) if block.title]
    assert diff.title == finding.fix.relative_to(ROOT).as_posix()
    assert finding.method.rpartition(".")[2] in issue
    assert "finding" in TARGETS
    assert ["make", "finding", f"ARGS={name}"] in list(commands(rest))
    assert ["make", "finding", f"ARGS={name} --fixed"] in list(commands(rest))


@pytest.mark.parametrize("name", NAMES)
def test_the_diffs_change_one_class_and_its_test(name):
    finding = catalog.finding(name)
    tested = finding.test.partition("#")[0].rpartition(".")[2]
    changed = {
        diff: re.findall(r"^\+\+\+ b/(\S+)$", diff.read_text(), re.MULTILINE)
        for diff in (finding.fix, finding.test_diff)
    }
    (fixed,), (test,) = changed.values()
    assert "/src/main/java/" in fixed
    assert test.endswith(f"/{tested}.java") and "/src/test/java/" in test
    assert test.partition("/src/")[0] == fixed.partition("/src/")[0]


def test_a_program_that_ends_otherwise_is_a_tool_error(folder, tmp_path):
    """A program that fails has shown nothing, and neither has a control that fails."""
    released = classes("stale_load", False, folder)
    source = tmp_path / "Broken.java"
    body = 'System.out.println("the defect"); System.exit(2);'
    main = f"public static void main(String[] arguments) {{ {body} }}"
    source.write_text(f"public class Broken {{ {main} }}", encoding="utf-8")
    finding = catalog.Finding("broken", str(source), "a:b", "A#b")
    with pytest.raises(ToolError, match=r"Broken.java ended with 2: the defect"):
        shown.by_program(finding, released)


@pytest.mark.parametrize(
    ("text", "cases"),
    [
        ("[  2 tests started ]\n[  1 tests successful ]\n[  1 tests failed ]\n", 2),
        ("[  1 tests started ]\n[  1 tests successful ]\n[  0 tests failed ]\n", 2),
        ("[  0 tests started ]\n[  0 tests successful ]\n[  0 tests failed ]\n", 1),
        ("", 1),
    ],
)
def test_cases_that_do_not_all_end_alike_are_a_tool_error(text, cases):
    with pytest.raises(ToolError, match="JUnit"):
        shown.judged(catalog.Finding("a", "A", "b:c", "d.A#b", cases), 0, text, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no_finding"], "There is no finding 'no_finding'"),
        (["stale_load", "--release", "0.7"], "The jars of release 0.7 are not pinned"),
        (["stale_load", "--release", "4.0.0", "--fixed"], "The fix is a diff against 4.3.1"),
    ],
)
def test_what_cannot_be_run_is_a_usage_error(capsys, arguments, message):
    assert command.main(arguments) == 2
    assert message in capsys.readouterr().err


def test_without_a_jar_the_command_exits_with_5(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("WHEELPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("WHEELPROOF_OFFLINE", "1")
    assert command.main(["stale_load", "--output", str(tmp_path)]) == 5
    assert "was not found" in capsys.readouterr().err


def test_the_exit_code_says_whether_both_runs_agree(monkeypatch):
    for fixed, shows, code in (
        ([], {True}, 0),
        ([], {True, False}, 1),
        ([], {False}, 1),
        (["--fixed"], {False}, 0),
        (["--fixed"], {True, False}, 1),
    ):
        monkeypatch.setattr(command, "outcomes", lambda *_, shows=shows: shows)
        assert command.main(["stale_load", *fixed]) == code


def test_a_race_of_a_package_is_shown_by_its_own_command(monkeypatch):
    calls = []
    monkeypatch.setattr(packages, "main", lambda words: calls.append(("package", words)) or 0)
    monkeypatch.setattr(command, "main", lambda words: calls.append(("Kafka", words)) or 0)
    for words in (["pykka_ask_stop", "--fixed"], ["--fixed", "stale_load"], ["no_finding"]):
        assert command.by_name(words) == 0
    assert [kind for kind, _ in calls] == ["package", "Kafka", "Kafka"]
    assert not set(packages.names()) & set(NAMES)
