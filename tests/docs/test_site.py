"""The site's links: pages of docs/ may link to any file of the repository."""

from pathlib import Path

import pytest

from tests.docs.reading import ROOT
from tools.site import Links, outside_code, resources, source


@pytest.fixture
def links(tmp_path: Path) -> Links:
    for file, text in {
        "docs/index.md": "[read](../README.md) [spec](../spec/A.tla#x) [gone](../gone.md)\n",
        "docs/how/to.md": "[home](../index.md)\n",
        "README.md": "[docs](docs/index.md), [one]\n\n[one]: spec/B.toml\n",
        "spec/A.tla": "MODULE A\n",
        "spec/B.toml": "[a](../LICENSE)\n",
        "LICENSE": "free\n",
    }.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text, encoding="utf-8")
    return Links(tmp_path)


def test_linked_files_become_pages_and_others_do_not(links):
    pages = links.add_pages()
    assert set(pages) == {
        "repository/README.md",
        "repository/spec/A.tla.md",
        "repository/spec/B.toml.md",
    }
    assert "MODULE A" in pages["repository/spec/A.tla.md"]


def test_links_lead_to_these_pages_and_keep_their_anchors(links):
    index = (links.root / "docs/index.md").read_text()
    assert links.rewritten("docs/index.md", index) == (
        "[read](repository/README.md) [spec](repository/spec/A.tla.md#x) [gone](../gone.md)\n"
    )
    assert links.add_pages()["repository/README.md"] == (
        "[docs](../index.md), [one]\n\n[one]: spec/B.toml.md\n"
    )


def test_a_link_to_no_file_is_left_for_the_site_to_report(links):
    assert links.target("docs/index.md", "../gone.md") == ""
    assert links.target("docs/index.md", "https://example.org/README.md") == ""


def test_code_is_left_alone():
    text = "a\n```md\na\n~~~\na\n```\na\n~~~ x\na\n```\na\n~~~\na\n"
    changed = "A\n```md\na\n~~~\na\n```\nA\n~~~ x\na\n```\na\n~~~\nA\n"
    assert outside_code(text, str.upper) == changed


def test_an_escaped_angle_bracket_is_one_in_the_site_too(links):
    assert links.rewritten("docs/index.md", "a \\<= b\n") == "a &lt;= b\n"


def test_source_with_fences_is_one_block():
    page = source("mutants/a.txt", "```\nx\n```")
    assert "\n````\n```\nx\n```\n````\n" in page


def test_the_repository_links_to_its_sources():
    pages = Links(ROOT).add_pages()
    assert "repository/mutants/timer_task_list/M1.md" in pages
    assert "repository/spec/TimerTaskList.tla.md" in pages


def test_what_a_page_loads_from_the_web_is_found():
    script = '<script src="https://unpkg.com/iframe-worker/shim"></script>'
    page = f'<a href="https://kafka.apache.org">Kafka</a><script src="x.js"></script>{script}'
    assert resources(page) == ['<script src="https://unpkg.com/iframe-worker/shim">']
    assert resources('<link rel="stylesheet" href="//fonts.example.org/x.css">')
    assert not resources('<link rel="stylesheet" href="assets/x.css"><img src="assets/x.png">')
