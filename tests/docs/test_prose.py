"""Sentences are short, and words have the meanings of the glossary."""

import pytest

from tests.docs.reading import ROOT, name, pages
from tools import prose

LONG = " ".join(["word"] * 30) + ". "


@pytest.mark.parametrize("page", pages(), ids=name)
def test_each_page_keeps_its_budget(page):
    assert prose.measure(page.read_text(encoding="utf-8")).faults(prose.PAGE_BUDGET) == []


def test_all_pages_together_keep_the_budget():
    every = [prose.measure(page.read_text(encoding="utf-8")) for page in pages()]
    assert prose.together(every).mean < prose.BUDGET


@pytest.mark.parametrize(
    ("planted", "fault"),
    [
        (LONG * 400, "words a sentence"),
        (f"{'word ' * 80}.", "a sentence of 80 words"),
        ("Each floor has a name.", "uses 'floor': say artefact"),
        ("The harness is told by whoever runs it.", "uses 'told'"),
        ("* The nightly lanes are longer.", "uses 'lane'"),
    ],
)
def test_planted_prose_is_refused(planted, fault):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert any(fault in each for each in prose.measure(f"{text}\n\n{planted}\n").faults(22))


@pytest.mark.parametrize(
    ("text", "lengths"),
    [
        ("One two three four. Five six seven eight nine.", [4, 5]),
        ("One two three\nfour five.", [5]),
        ("* One two three four\n* five six seven eight", [4, 4]),
        ("Use `a b` and e.g. the other one. Then stop it now.", [8, 4]),
        ("A chain of parts; each of them is long; none ends.", [11]),
        ("# A heading of many words here\n\n| a cell of many words |\n|-|\n", []),
        ("```\nCode is not prose at all.\n```\n\nShort label", []),
    ],
)
def test_sentences_are_counted_in_prose_alone(text, lengths):
    assert prose.measure(text).lengths == lengths


def test_sources_use_no_unused_word():
    found = [
        f"{name(file)}:{line}: uses {word!r}: say {prose.UNUSED[word]}"
        for file in prose.sources()
        for line, word in prose.in_source(file.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("planted", "found"),
    [
        ("x = 1\n# The twin of it.", [(2, "twin")]),
        ('raise ToolError(f"{path}: whoever wrote it was stopped")', [(1, "whoever")]),
        ("asked, told = 1, 2", [(1, "asked"), (1, "told")]),
        ("def walk(self): ...", [(1, "walk")]),
        ("LANES = 3", [(1, "lane")]),
        ("for node in ast.walk(tree): ...", []),
        ("own = file.stem, Path(name).stem", []),
        ("class Job:\n    stem: str", [(2, "stem")]),
        ("self.root, self.stem = root, name", [(1, "stem")]),
        ("Job(stem=file.stem)", [(1, "stem")]),
        ("STEMS = name.stem_of(file.stem)", [(1, "stem"), (1, "stem")]),
        ('getattr(mechanism, "stem")', [(1, "stem")]),
        ("for stem, mechanism in found.items(): ...", [(1, "stem")]),
        ('print("make bench-traces")', []),
        ("twinkle = benchmark", []),
        ("def was_asked(self): ...", [(1, "asked")]),
        ("self.told = NOBODY_ELSE", [(1, "told"), (1, "nobody")]),
        ("for each in walkers(): ...", []),
    ],
)
def test_a_planted_word_is_found_in_a_source(planted, found):
    assert list(prose.in_source(planted)) == found


def test_quoted_and_code_words_are_not_looked_at():
    assert prose.measure("A \u201cfloor of a house\u201d and `floor` are fine here.").unused == ()
