"""Read the pages that people read: their links, anchors, blocks of code and commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from tools.prose import ROOT
from tools.prose import pages as pages

SHELLS = ("sh", "console")


@dataclass(frozen=True)
class Block:
    """A fenced block of code: the first word after the fence, what follows it, and the text."""

    language: str
    info: str
    text: str
    line: int

    @property
    def title(self) -> str:
        found = re.search(r'title="([^"]+)"', self.info)
        return found[1] if found else ""


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@cache
def tokens(text: str) -> list[Token]:
    """What a page is made of. It is shared: change none."""
    return MarkdownIt("commonmark").enable("table").parse(text)


def inline(text: str) -> Iterator[Token]:
    for token in tokens(text):
        yield from token.children or ()


def links(text: str) -> list[str]:
    """Where the links of a page lead to."""
    return [str(token.attrs["href"]) for token in inline(text) if token.type == "link_open"]


def blocks(text: str) -> list[Block]:
    return [
        Block(
            token.info.partition(" ")[0],
            token.info,
            token.content,
            token.map[0] if token.map else 0,
        )
        for token in tokens(text)
        if token.type == "fence"
    ]


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings that GitHub and the site make alike.

    They differ in the number of a heading that occurs twice, and in angle brackets, which the site
    takes for a tag even inside code.
    """
    found: set[str] = set()
    parsed = tokens(text)
    for token, following in pairwise(parsed):
        if token.type == "heading_open":
            heading = "".join(child.content for child in following.children or ())
            if not re.search(r"<[^>]*>", heading):
                found.add(re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-"))
    return found


def broken(page: Path, text: str) -> list[str]:
    """The relative links of a page that lead to no file or to no heading."""
    out = []
    for link in links(text):
        path, _, anchor = link.partition("#")
        if "://" in link or link.startswith("mailto:"):
            continue
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            out.append(f"{link}: there is no such file")
        elif target.is_dir() and target.is_relative_to(ROOT / "docs"):
            out.append(f"{link}: the site has no page for a folder")
        elif anchor and target.suffix == ".md":
            there = text if target == page else target.read_text(encoding="utf-8")
            if anchor not in anchors(there):
                out.append(f"{link}: there is no such heading")
    return out


def commands(text: str) -> Iterator[list[str]]:
    """The commands of a page's shell blocks, as words. Of a console these are the lines after $."""
    for block in blocks(text):
        if block.language not in SHELLS:
            continue
        lines = block.text.replace("\\\n", " ").splitlines()
        if block.language == "console":
            lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        for line in lines:
            if words := shlex.split(line, comments=True):
                yield words


def inline_commands(text: str) -> Iterator[list[str]]:
    """The commands of the tool that stand in a sentence or in a table."""
    for token in inline(text):
        if token.type == "code_inline" and token.content.startswith("wheelproof "):
            yield shlex.split(token.content)
