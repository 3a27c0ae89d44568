#!/usr/bin/env python3
"""Measure the prose of README.md and docs/: mean sentence length, and words that are not used.

``python tools/prose.py [FILE...]`` prints one line per page. The exit code is 1 if a page or the
whole collection exceeds its budget. Headings, tables, code and quotations do not count. The words
are refused in sources too, in names, messages and comments.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parents[1]

PAGE_BUDGET = 20
"""Words in a sentence of one page, on average."""

BUDGET = 16
"""Words in a sentence of all pages together, on average."""

LONGEST = 60
"""Words in the longest sentence. A longer one is a list without bullets."""

SHORTEST = 4
"""Words in the shortest sentence. Less is a label or an entry of a list, which does not count."""

UNUSED = {
    "floor": "artefact",
    "twin": "model, mutant",
    "walk": "bisimulation, random schedule, traversal",
    "walked": "compared, traversed",
    "lane": "profile, column",
    "bench": "check context, benchmark",
    "tell": "report, show",
    "told": "reported, given",
    "said": "reported, stated",
    "asked": "checked, evaluated",
    "blame": "reject",
    "blamed": "rejected",
    "nobody": "no thread",
    "somebody": "a thread, a person",
    "whoever": "any thread that",
    "stem": "mechanism name",
}
"""Words that this project gave meanings of its own -> the words to use."""

SOURCES = (
    "benchmarks",
    "examples",
    "harness",
    "impl",
    "jvm",
    "model",
    "mutants",
    "proofs",
    "real",
    "spec",
    "tests",
    "tools",
    "traces",
    "wheelproof",
)
"""Folders whose sources are read for unused words."""

SUFFIXES = frozenset((".cfg", ".j2", ".java", ".py", ".scala", ".sh", ".tla", ".toml"))
"""Ends of their names."""

ALLOWED = {
    "tell": "a file's position",
}
"""Unused words of prose that are names in code -> the reason."""

DICTIONARIES = frozenset(("tools/prose.py", "tests/docs/test_prose.py"))
"""The files that list the words, or plant them."""

FOREIGN = ("ast.walk", "os.walk", "walk_packages", "bench-traces")
"""Names of libraries, and a command."""

OF_A_PATH = r"(?<!\bself)\.stem\b"
"""The attribute of pathlib's paths. No class of the project has one of this name."""

_FOREIGN = re.compile("|".join((*map(re.escape, FOREIGN), OF_A_PATH)))
_OF_CODE = re.compile(
    rf"(?<![A-Za-z])({'|'.join(sorted(UNUSED.keys() - ALLOWED))})s?(?![a-z])", re.IGNORECASE
)
_UNUSED = re.compile(rf"\b({'|'.join(UNUSED)})s?\b", re.IGNORECASE)
_QUOTED = re.compile("\u201c[^\u201d]*\u201d")
_END = re.compile(r"(?<=[.!?])[\"')\]*]*\s+(?=[\"'(\[*]*[A-Z0-9`\u2192])")
_NO_END = re.compile(r"\b(?:e\.g|i\.e|cf|vs|No|Nr|approx)\.$")


@dataclass(frozen=True)
class Prose:
    """The sentences of some pages, and their uses of unused words."""

    sentences: tuple[str, ...]
    unused: tuple[str, ...]

    @property
    def lengths(self) -> list[int]:
        return [words(sentence) for sentence in self.sentences]

    @property
    def mean(self) -> float:
        return sum(self.lengths) / len(self.lengths) if self.sentences else 0.0

    def faults(self, budget: float) -> list[str]:
        """The reasons why this prose is refused."""
        out = [f"uses {word!r}: say {UNUSED[word]}" for word in self.unused]
        if self.mean >= budget:
            out.append(f"{self.mean:.1f} words a sentence, {budget} is the limit")
        for sentence in self.sentences:
            if words(sentence) > LONGEST:
                out.append(f"a sentence of {words(sentence)} words: {sentence[:60]}...")
        return out


def words(sentence: str) -> int:
    return sum(any(map(str.isalnum, word)) for word in sentence.split())


def inline_text(token: Token) -> str:
    """The text of a paragraph. Words of code count, and are not looked at."""
    parts = []
    for child in token.children or ():
        if child.type == "text":
            parts.append(child.content)
        elif child.type == "code_inline":
            parts.append(" ".join("`x`" for _ in child.content.split()))
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
    return "".join(parts)


def paragraphs(markdown: str) -> Iterator[str]:
    """The paragraphs and list items of a page, in order."""
    inside = 0
    for token in MarkdownIt("commonmark").enable("table").parse(markdown):
        if token.type in ("heading_open", "table_open", "blockquote_open"):
            inside += 1
        elif token.type in ("heading_close", "table_close", "blockquote_close"):
            inside -= 1
        elif token.type == "inline" and not inside:
            yield inline_text(token)


def sentences(paragraph: str) -> Iterator[str]:
    parts = _END.split(paragraph.strip())
    sentence = ""
    for part in parts:
        sentence = f"{sentence} {part}".strip()
        if not _NO_END.search(sentence):
            yield sentence
            sentence = ""
    if sentence:
        yield sentence


def measure(markdown: str) -> Prose:
    texts = [_QUOTED.sub("x", text) for text in paragraphs(markdown)]
    words_to_avoid = [word.lower() for text in texts for word in _UNUSED.findall(text)]
    every = (text for paragraph in texts for text in sentences(paragraph))
    return Prose(tuple(text for text in every if words(text) >= SHORTEST), tuple(words_to_avoid))


def in_source(text: str) -> Iterator[tuple[int, str]]:
    """(line, word) of each unused word in a source, parts of names included."""
    for number, line in enumerate(text.splitlines(), 1):
        for word in _OF_CODE.findall(_FOREIGN.sub(" ", line)):
            yield number, word.lower()


def sources(root: Path = ROOT) -> list[Path]:
    """The sources that are read for unused words."""
    files = (file for folder in SOURCES for file in (root / folder).rglob("*.*"))
    return sorted(
        file
        for file in files
        if file.suffix in SUFFIXES
        and "build" not in file.parts
        and file.relative_to(root).as_posix() not in DICTIONARIES
    )


def together(parts: Iterable[Prose]) -> Prose:
    parts = list(parts)
    return Prose(tuple(s for part in parts for s in part.sentences), ())


def pages(root: Path = ROOT) -> list[Path]:
    """The pages that people read: those at the top, those of docs/, and each folder's README."""
    return sorted(
        [
            *root.glob("*.md"),
            *(root / "docs").rglob("*.md"),
            *(root / "tests").glob("README.md"),
            *(root / "examples").glob("README.md"),
            *(root / "benchmarks").glob("README.md"),
            *(root / "proofs").glob("ASSUMPTIONS.md"),
        ]
    )


def main(names: list[str]) -> int:
    files = [Path(name).resolve() for name in names] or pages()
    measures = {file: measure(file.read_text(encoding="utf-8")) for file in files}
    count = 0
    for file, prose in measures.items():
        place = file.relative_to(ROOT) if file.is_relative_to(ROOT) else file
        longest = max(prose.lengths, default=0)
        print(
            f"{place}: {prose.mean:.1f} mean, {longest} longest, {len(prose.sentences)} sentences"
        )
        for fault in prose.faults(PAGE_BUDGET):
            print(f"  {fault}")
            count += 1
    for file in [] if names else sources():
        for line, word in in_source(file.read_text(encoding="utf-8")):
            print(f"{file.relative_to(ROOT)}:{line}: uses {word!r}: say {UNUSED[word]}")
            count += 1
    whole = together(measures.values())
    print(f"all: {whole.mean:.1f} mean, {len(whole.sentences)} sentences")
    if whole.mean >= BUDGET:
        print(f"  {BUDGET} words a sentence is the limit")
        count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
