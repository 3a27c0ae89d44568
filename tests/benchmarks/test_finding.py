"""The command that shows a race of a release on real threads and explored, and its pages."""

import platform
import re
import sys

import pytest

from benchmarks.races import environments, finding, form, table
from benchmarks.races.environments import Unavailable
from tests.docs.reading import ROOT, blocks
from tests.docs.test_quotes import printed
from wheelproof.errors import ToolError

PAGES = {
    name: (ROOT / "docs" / "findings" / f"{name.partition('_')[0]}.md").read_text(encoding="utf-8")
    for name in finding.names()
}
SIDES = [(name, fixed) for name in finding.names() for fixed in (False, True)]


def shown(name, fixed):
    """What a page shows of a side."""
    ((command, (output,)),) = [
        each for each in printed(PAGES[name]) if ("--fixed" in each[0]) is fixed
    ]
    assert command.startswith("make finding")
    return output


def test_there_are_findings_and_each_has_a_row_a_test_and_a_short_fix():
    assert finding.names()
    for name in finding.names():
        (row,) = table.chosen(table.read(), name)
        assert row.fixed.fix and not list(row.buggy.patches)
        assert finding.test(name).endswith(tuple(f"::{part}" for part in named_in(name)))


def named_in(name):
    text = (finding.EXPLORED / f"test_{name}.py").read_text(encoding="utf-8")
    assert f"from benchmarks.races.programs.{name} import program" in text
    return re.findall(r"^def (test_\w+)\(", text, re.MULTILINE)


@pytest.mark.parametrize("name", finding.names())
def test_a_page_quotes_program_fix_and_test_and_shows_both_sides(name):
    titles = [block.title.rpartition("/")[2] for block in blocks(PAGES[name]) if block.title]
    assert titles == [f"{name}.py", f"{name}.patch", f"test_{name}.py"]
    for fixed in (False, True):
        begin, end = finding.marks(fixed)
        assert PAGES[name].count(begin) == PAGES[name].count(end) == 1
        output = shown(name, fixed)
        assert ("\nbug: " in output) is not fixed
        assert ("\nexhausted: " in output) is fixed


def test_a_program_on_real_threads_imports_no_checker():
    for file in finding.THREADS.glob("*.py"):
        faults = list(form.faults(file.read_text(encoding="utf-8")))
        assert not [fault for fault in faults if "knows no checker" in fault]


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "fixed"), SIDES)
def test_a_page_shows_what_the_command_prints(name, fixed):
    try:
        lines, shows = finding.output(name, fixed)
    except Unavailable as error:
        pytest.skip(f"NOT RUN: {error}")
    assert shows == [not fixed] * 2
    page = shown(name, fixed).rstrip("\n").splitlines()
    if page[0].endswith(f"Python {platform.python_version()}"):
        assert lines == page
    else:  # lines of the standard library, and its steps, are other ones
        kinds = ("bug: ", "exhausted: ", "on real threads:", "explored:")
        assert [each for each in lines if each.startswith(kinds)] == [
            each for each in page if each.startswith(kinds)
        ]


def ended(monkeypatch, codes):
    """A finding whose two runs end with these codes."""
    monkeypatch.setattr(environments, "side", lambda row, side: ROOT)
    runs = [
        (title, [sys.executable, "-c", f"import sys; print({title!r}); sys.exit({code})"], shows)
        for title, code, shows in zip(("first", "second"), codes, (finding.SHOWN, 1), strict=True)
    ]
    monkeypatch.setattr(finding, "commands", lambda name: runs)


@pytest.mark.parametrize(
    ("arguments", "codes", "code"),
    [
        ([], (9, 1), 0),
        ([], (9, 0), 1),
        ([], (0, 1), 1),
        ([], (0, 0), 1),
        (["--fixed"], (0, 0), 0),
        (["--fixed"], (9, 0), 1),
        (["--fixed"], (0, 1), 1),
        (["--fixed"], (9, 1), 1),
        (["--release", "7.0.0"], (9, 1), 0),
        ([], (1, 1), 4),
        ([], (9, 3), 4),
        (["--fixed"], (0, 5), 4),
    ],
)
def test_both_runs_must_show_the_race_or_neither_with_the_fix(
    monkeypatch, capsys, arguments, codes, code
):
    ended(monkeypatch, codes)
    assert finding.main(["watchdog_close", *arguments]) == code
    printed = capsys.readouterr()
    if code == 4:
        assert re.search(r"ended with [135]: (first|second)", printed.err)
    else:
        assert "\nfirst\nfirst\n\nsecond\nsecond\n" in printed.out


def test_a_run_without_an_end_is_a_fault_of_the_tool(monkeypatch, tmp_path):
    monkeypatch.setattr(finding, "SECONDS", 0.01)
    with pytest.raises(ToolError, match="has not ended in"):
        finding._call([sys.executable, "-c", "import threading\nthreading.Event().wait()"], 1, ROOT)


def test_addresses_are_hidden_and_take_as_much_room(monkeypatch):
    ended(monkeypatch, (9, 1))
    text = "<a.B...x7f23f9b44bd0> | <a.B...x7f23f9b4 | 4bd0> 12 dead < 3"
    runs = [("t", [sys.executable, "-c", f"print({text!r})"], 1)]
    monkeypatch.setattr(finding, "commands", lambda name: runs)
    lines, _ = finding.output("watchdog_close", False)
    assert lines[-1] == "<a.B...x____________> | <a.B...x________ | ____> 12 dead < 3"


def test_the_output_goes_between_the_marks_of_a_page(monkeypatch, capsys, tmp_path):
    page = tmp_path / "page.md"
    for arguments, command in ([], "watchdog_close"), (["--fixed"], '"watchdog_close --fixed"'):
        ended(monkeypatch, (0, 0) if arguments else (9, 1))
        begin, end = finding.marks(bool(arguments))
        page.write_text(f"before\n{begin}\nold\n{end}\nafter\n")
        assert finding.main(["watchdog_close", *arguments, "--page", str(page)]) == 0
        text = page.read_text()
        assert text.startswith(f"before\n{begin}\n\n```console\n$ make finding ARGS={command}\n")
        assert text.endswith(f"second\n```\n\n{end}\nafter\n")
        assert "old" not in text
    page.write_text("before\n")
    assert finding.main(["watchdog_close", "--page", str(page)]) == 2
    assert "has no lines" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nothing"], 2, "There is no finding 'nothing'."),
        (["watchdog_close", "--fixed", "--release", "7.0.0"], 2, "Leave --release out."),
    ],
)
def test_bad_usage_of_a_finding_is_refused(capsys, arguments, code, message):
    assert finding.main(arguments) == code
    assert message in capsys.readouterr().err


def test_a_package_that_is_absent_is_named(monkeypatch, capsys):
    def absent(row, side):
        raise Unavailable("watchdog==0.0.1 is not to be had")

    monkeypatch.setattr(environments, "side", absent)
    assert finding.main(["watchdog_close"]) == finding.ABSENT
    assert "watchdog==0.0.1" in capsys.readouterr().err
