"""What README and the page on plain threads show is what their commands print."""

import os
import re

import pytest

from tests import forked
from tests.docs.reading import ROOT
from tests.docs.test_quotes import README, printed, unlike
from tests.examples.pages import wheelproof
from wheelproof.plain.answers import EXIT_CODES, VERDICTS

PAGE = (ROOT / "docs" / "explore.md").read_text(encoding="utf-8")
CODES = {"test_stock": 1, "test_sound_stock": 0}


def shown():
    """(command, parts of its output), once each."""
    found = [*printed(README)[:1], *printed(PAGE)]
    found = [entry for entry in found if entry[0].startswith("wheelproof ")]
    assert len(found) == 4 and found[0] == found[1]
    return found[1:]


@pytest.mark.parametrize(("command", "parts"), shown())
def test_the_pages_show_what_their_commands_print(command, parts):
    code, output = wheelproof(ROOT, *command.split()[1:])
    assert (
        code == CODES[command.rpartition("::")[2].split()[0]] and unlike(parts, output + "\n") == []
    )
    changed = {"AssertionError": "KeyError", "every": "no"}
    wrong = [re.sub("|".join(changed), lambda word: changed[word[0]], part) for part in parts]
    assert unlike(wrong, output + "\n") != []


def test_the_page_shows_the_report_of_the_locks(tmp_path):
    ((command, parts),) = [entry for entry in printed(PAGE) if entry[0].startswith("pytest ")]
    environment = os.environ | {"COLUMNS": "80", "PYTEST_ADDOPTS": "-p no:cacheprovider"}
    out = tmp_path / "out"
    assert forked.run_pytest(command.split()[1:], ROOT, environment, out) == 1
    output = out.read_text(encoding="utf-8")
    assert unlike(parts, output) == []
    assert unlike([part.replace("1 inversion", "no inversion") for part in parts], output) != []


def test_readme_shows_a_race_before_it_speaks_of_tla():
    assert 0 < README.index("with wheelproof.explore()") < README.index("TLA")
    assert README.index("is preempted") < README.index("TLA")


def test_the_page_has_the_verdict_of_each_answer():
    table = PAGE.partition("| answer | verdict of the row |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| ([\w, ]+) \| `(\w+)`.*\|$", table, re.MULTILINE)
    named = {(answer, verdict) for answers, verdict in rows for answer in answers.split(", ")}
    assert named == {(str(answer), str(verdict)) for answer, verdict in VERDICTS.items()}


def test_the_page_has_the_exit_code_of_each_answer():
    rows = re.findall(r"^\| (\w+) \| .* \| (\d) \|$", PAGE, re.MULTILINE)
    assert {(str(answer), str(code)) for answer, code in EXIT_CODES.items()} == set(rows)
