"""Every relative link of README, docs/ and the folders' READMEs leads to a file and a heading."""

import re

import pytest

from tests.docs.reading import ROOT, anchors, broken, inline, name, pages

README = ROOT / "README.md"


@pytest.mark.parametrize("page", pages(), ids=name)
def test_each_link_leads_to_a_file_and_a_heading(page):
    assert broken(page, page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("planted", "fault"),
    [
        ("[gone](docs/gone.md)", "docs/gone.md: there is no such file"),
        ("[limits](docs/limits.md#no-such-part)", "docs/limits.md#no-such-part: there is no such"),
        ("[folder](docs/claims/)", "docs/claims/: the site has no page for a folder"),
        ("[here](#no-such-part)", "#no-such-part: there is no such heading"),
        ("[by name][gone]\n\n[gone]: docs/gone.md", "docs/gone.md: there is no such file"),
    ],
)
def test_a_broken_link_is_refused(planted, fault):
    found = broken(README, f"{README.read_text(encoding='utf-8')}\n{planted}\n")
    assert len(found) == 1 and found[0].startswith(fault)


def test_a_link_inside_code_is_none():
    assert broken(README, "`[gone](gone.md)`\n\n```\n[gone](gone.md)\n```\n") == []


def test_anchors_are_those_that_github_and_the_site_make_alike():
    text = "# D1: a `short` timer\n## Limits\n## Limits\n## `spec/<Module>.toml`\n## A & B\n"
    assert anchors(text) == {"d1-a-short-timer", "limits", "a--b"}


def test_every_page_of_docs_is_in_the_navigation_of_the_site():
    listed = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    docs = ROOT / "docs"
    for page in docs.rglob("*.md"):
        assert listed.count(f" {page.relative_to(docs).as_posix()}\n") == 1, page


# -- paths in sentences

ROOTS = (
    ROOT,
    ROOT / "examples" / "one_shot",
    ROOT / "examples" / "latch",
    ROOT / "examples" / "bounded_buffer",
    ROOT / "examples" / "door",
    ROOT / "examples" / "peterson",
    ROOT / "examples" / "pool",
    ROOT / "wheelproof",
    ROOT / "tests",
)
"""Folders that a page's paths begin at: the pages on examples speak of the reader's folder."""

PLACEHOLDER = re.compile(
    r"[<>{}\u2026]|\.\.\.|\bNAME\b|\bX\b|MODULE|MECHANISM|PACKAGE|FOLDER|/example\."
)


def paths(text: str) -> list[str]:
    """The files and folders of the repository that a page names without a link."""
    folders = {folder.name for folder in ROOT.iterdir() if folder.is_dir()} - {"build"}
    return [
        token.content
        for token in inline(text)
        if token.type == "code_inline"
        and re.fullmatch(r"[\w.*-]+(/[\w.*<>{}-]+)+/?", token.content)
        and token.content.partition("/")[0] in folders
        and not PLACEHOLDER.search(token.content)
    ]


def missing(text: str) -> list[str]:
    def there(path: str) -> bool:
        return any(next(root.glob(path.rstrip("/")), None) is not None for root in ROOTS)

    return [path for path in paths(text) if not there(path)]


@pytest.mark.parametrize("page", pages(), ids=name)
def test_each_named_file_is_there(page):
    assert missing(page.read_text(encoding="utf-8")) == []


def test_a_named_file_that_is_gone_is_refused():
    text = "See `spec/Gone.tla`, `spec/*.toml`, `spec/<Module>.toml`, `build/x.json` and `impl/`."
    assert paths(text) == ["spec/Gone.tla", "spec/*.toml"]
    assert missing(text) == ["spec/Gone.tla"]


IN_A_FILE = re.compile(r"`([\w.]+)`(?: and `([\w.]+)`)? in `([\w./]+\.py)`")
HOW_TO_ADD = sorted((ROOT / "docs").glob("add-*.md"))
SCREEN = 60
"""Lines of a page that a reader sees at once."""


def elsewhere(text: str) -> list[tuple[str, str]]:
    """(name, file) of each name that a page says is in a file, and that the file does not have."""
    return [
        (name, file)
        for *names, file in IN_A_FILE.findall(text)
        for name in names
        if name and not re.search(rf"\b{name}\b", (ROOT / file).read_text(encoding="utf-8"))
    ]


@pytest.mark.parametrize("page", HOW_TO_ADD, ids=name)
def test_each_name_that_a_reader_is_sent_to_is_in_its_file(page):
    assert elsewhere(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("subject", ["primitive", "layer", "output-format", "rule"])
def test_a_page_on_what_to_add_to_the_tool_is_a_screen_and_names_places(subject):
    (page,) = (ROOT / "docs").glob(f"add-a*-{subject}.md")
    text = page.read_text(encoding="utf-8")
    assert text.count("\n") <= SCREEN and len(paths(text)) >= 6


def test_a_name_that_is_in_another_file_is_refused():
    assert elsewhere("`render` in `wheelproof/report/sarif.py`") == []
    assert elsewhere("`Gone` and `render` in `wheelproof/report/sarif.py`") == [
        ("Gone", "wheelproof/report/sarif.py")
    ]


OF_A_MACHINE = re.compile(
    r"(?<![\w.~/])/(?:root|home|Users|usr|opt|tmp|var)/[\w./-]+|\bpyenv/versions"
)
"""A path that another machine does not have."""


@pytest.mark.parametrize("page", pages(), ids=name)
def test_no_page_has_a_path_of_the_machine_that_made_it(page):
    assert OF_A_MACHINE.findall(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("folder", ["root", "home", "Users", "usr", "opt", "tmp", "var"])
def test_a_path_of_a_machine_is_refused(folder):
    assert OF_A_MACHINE.search(f"at /{folder}/project/impl/a.py:7: self.flag")
    assert OF_A_MACHINE.search("pyenv/" + "versions/3.11")
    assert not OF_A_MACHINE.search(f"at {folder}/project/impl/a.py, or build/{folder}/a.py")
