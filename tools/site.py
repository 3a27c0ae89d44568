"""A hook of mkdocs: pages of docs/ may link to any file of the repository.

A linked file that is not below docs/ becomes a page of the site, under ``repository/``: Markdown as
it is, source as one block of code. Links are rewritten to these pages. A link to a file that does
not exist is left alone, and mkdocs reports it. So is a page that loads
something from the web.
"""

from __future__ import annotations

import logging
import posixpath
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER = "repository"
"""Where the pages of other files are, in the site."""

_LOADED = re.compile(
    r"""<(?:script|img|iframe|link)\b[^>]*?(?:src|href)=["']?(?:https?:)?//[^>]*>"""
)
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_LINK = re.compile(r"(?<=\]\()([^()\s]+)(?=\))|(?<=\]: )(\S+)$")


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """The text with every line changed that is not in a block of code."""
    fence = ""
    out = []
    for line in text.split("\n"):
        fence_match = _FENCE.match(line)
        if fence_match and not fence:
            fence = fence_match[1]
        elif fence_match and fence_match[1].startswith(fence) and not line.strip(" `~"):
            fence = ""
        elif not fence:
            line = change(line)
        out.append(line)
    return "\n".join(out)


class Links:
    """Links between files of the repository, as links between pages of the site."""

    def __init__(self, root: Path, docs: str = "docs") -> None:
        self.root, self.docs = root, docs

    def page_of(self, file: str) -> str:
        """The page of a file; both are paths, from the repository and from the site."""
        if file.startswith(f"{self.docs}/"):
            return file.removeprefix(f"{self.docs}/")
        return f"{FOLDER}/{file}" if file.endswith(".md") else f"{FOLDER}/{file}.md"

    def target(self, file: str, link: str) -> str:
        """The file that a link in another file names, or "" if it names none."""
        path = link.partition("#")[0]
        if not path or "://" in link or link.startswith(("mailto:", "/")):
            return ""
        place = posixpath.normpath(posixpath.join(posixpath.dirname(file), path))
        return place if (self.root / place).is_file() else ""

    def targets(self, file: str, text: str) -> set[str]:
        """The files that a Markdown file links to."""
        files: set[str] = set()

        def note(line: str) -> str:
            links = (inline or reference for inline, reference in _LINK.findall(line))
            files.update(filter(None, (self.target(file, link) for link in links)))
            return line

        outside_code(text, note)
        return files

    def rewritten(self, file: str, text: str) -> str:
        """A Markdown file with its links as the site needs them."""
        here = posixpath.dirname(self.page_of(file))

        def change(match: re.Match[str]) -> str:
            link = match[0]
            target = self.target(file, link)
            if not target:
                return link
            _, mark, anchor = link.partition("#")
            return posixpath.relpath(self.page_of(target), here or ".") + mark + anchor

        # The site's Markdown has no escape for "<", which GitHub's has.
        return outside_code(text, lambda line: _LINK.sub(change, line).replace("\\<", "&lt;"))

    def add_pages(self) -> dict[str, str]:
        """The pages of all files outside docs/ that are linked to, directly or not -> text."""
        texts: dict[str, str] = {}
        docs = sorted((self.root / self.docs).rglob("*.md"))
        queue = [file.relative_to(self.root).as_posix() for file in docs]
        visits = set(queue)
        while queue:
            file = queue.pop()
            text = (self.root / file).read_text(encoding="utf-8")
            inside = file.startswith(f"{self.docs}/")
            if file.endswith(".md"):
                new = self.targets(file, text) - visits
                visits |= new
                queue += sorted(new)
                page = self.rewritten(file, text)
            else:
                page = source(file, text)
            if not inside:
                texts[self.page_of(file)] = page
        return texts


def source(file: str, text: str) -> str:
    """The page of a source file."""
    ticks = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"# {posixpath.basename(file)}\n\n`{file}`\n\n{ticks}{language(file)}\n{text}\n{ticks}\n"


def resources(page: str) -> list[str]:
    """The tags of a page that load something from the web."""
    return _LOADED.findall(page)


def language(file: str) -> str:
    return {".py": "python", ".toml": "toml", ".json": "json", ".sh": "sh"}.get(
        Path(file).suffix, ""
    )


# -- the events of mkdocs


def _links(config: Any) -> Links:
    return Links(Path(config["config_file_path"]).parent, Path(config["docs_dir"]).name)


def on_files(files: Any, config: Any) -> Any:
    from mkdocs.structure.files import File, InclusionLevel

    for page, text in _links(config).add_pages().items():
        files.append(
            File.generated(config, page, content=text, inclusion=InclusionLevel.NOT_IN_NAV)
        )
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    if page.file.generated_by is not None:
        return markdown
    return _links(config).rewritten(f"docs/{page.file.src_uri}", markdown)


def on_post_page(output: str, page: Any, config: Any) -> str:
    for tag in resources(output):
        logging.getLogger("mkdocs.hooks").warning("%s loads %s", page.file.src_uri, tag)
    return output
