"""Every relative link of README, docs/ and the folders' READMEs leads to a file and a heading."""

import pytest

from tests.docs.reading import ROOT, anchors, broken, name, pages

README = ROOT / "README.md"


@pytest.mark.parametrize("page", pages(), ids=name)
def test_each_link_leads_to_a_file_and_a_heading(page):
    assert broken(page, page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("planted", "fault"),
    [
        ("[gone](docs/gone.md)", "docs/gone.md: there is no such file"),
        ("[limits](docs/limits.md#no-such-part)", "docs/limits.md#no-such-part: there is no such"),
        ("[here](#no-such-part)", "#no-such-part: there is no such heading"),
        ("[by name][gone]\n\n[gone]: docs/gone.md", "docs/gone.md: there is no such file"),
    ],
)
def test_a_broken_link_is_refused(planted, fault):
    found = broken(README, f"{README.read_text(encoding='utf-8')}\n{planted}\n")
    assert len(found) == 1 and found[0].startswith(fault)


def test_a_link_inside_code_is_none():
    assert broken(README, "`[gone](gone.md)`\n\n```\n[gone](gone.md)\n```\n") == []


def test_anchors_are_those_of_github():
    text = "# D1: a `short` timer\n## Limits\n## Limits\n## `spec/<Module>.toml`\n"
    assert anchors(text) == {"d1-a-short-timer", "limits", "limits-1", "specmoduletoml"}


def test_every_page_of_docs_is_in_the_navigation_of_the_site():
    listed = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    docs = ROOT / "docs"
    for page in docs.rglob("*.md"):
        assert listed.count(f" {page.relative_to(docs).as_posix()}\n") == 1, page
