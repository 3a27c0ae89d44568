"""What the page on timers shows is what its command prints."""

import re

import pytest

from tests.docs.reading import ROOT
from tests.docs.test_quotes import printed, unlike
from tests.examples.pages import wheelproof
from wheelproof.timers.contract import Clause

PAGE = (ROOT / "docs" / "timers.md").read_text(encoding="utf-8")


@pytest.mark.nightly
def test_the_example_is_found_as_the_page_shows():
    ((command, parts),) = printed(PAGE)
    code, output = wheelproof(ROOT, *command.split()[1:])
    assert code == 1
    assert unlike(parts, output + "\n") == []
    wrong = [part.replace("out", "in") for part in parts]
    assert unlike(wrong, output + "\n") != []


def test_the_page_has_every_clause():
    table = PAGE.partition("## A timer to check")[0]
    assert re.findall(r"^\| `([^`]+)`", table, re.MULTILINE) == list(Clause)
