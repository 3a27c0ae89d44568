"""Reading decisions: ``mutants/<mechanism>/<NAME>.md``, a diff and a table of mutants.

````markdown
# M1: a remove unlinks an entry of any list

The purpose of the decision, and the race that its absence opens.

```diff
@@ spec U3
-U3:  if list[ue] # ul then goto U10; end if;
+U3:  if list[ue] = NULL then goto U10; end if;
@@ model U3
...
```

```toml
[M1]
scenario = "flush_add_cancel_two_entries"
property = "RingWellFormed"
race = "a remove that comes late unlinks from another list's ring, under the wrong monitor"
```
````

The tables of the ``toml`` block are mutants: the same change, judged by one property in one
scenario each. ``[labels.X2]`` is a row of the label table for a step that only the changed machine
has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from wheelproof import reading
from wheelproof.decisions import hunks
from wheelproof.decisions.hunks import Hunk
from wheelproof.errors import UsageError

LABELS = "labels"
_TITLE = re.compile(r"([A-Za-z0-9_]+): (.+)")

BOTH = "-and-"
"""Stands between the names of decisions that are taken away together."""


@dataclass(frozen=True)
class Decision:
    """A decision, as its file takes it away."""

    name: str
    file: Path
    title: str
    """The behaviour without it."""
    prose: str
    """The paragraphs between title and diff."""
    hunks: tuple[Hunk, ...]
    mutants: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Name -> fields of each mutant."""
    labels: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Labels of steps that only the changed machine has."""
    fault: str = ""
    """The reason that no hunk of the specification follows from those of the code; "" for none."""

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it changes, relative to the project's folder."""
        return tuple(dict.fromkeys(hunk.file for hunk in self.hunks))

    def texts(
        self, root: Path, suffix: str = "", before: Mapping[str, str] | None = None
    ) -> dict[str, str]:
        """The texts of the changed files, or of those with this suffix.

        ``before``: texts that stand for files. The translation in a specification is still the old
        one. Raises DoesNotFit where a hunk does not fit its file, and UsageError where one of the
        specification is lacking.
        """
        if self.fault:
            raise UsageError(
                f"{self.file}: {self.fault}.",
                "Write one: '@@ spec LABEL', with the lines before and after.",
            )
        texts = {}
        for file in filter(lambda name: name.endswith(suffix), self.files):
            hunks_of_file = [hunk for hunk in self.hunks if hunk.file == file]
            try:
                text = (before or {}).get(file) or reading.text(root / file)
            except reading.Unreadable as error:
                raise hunks_of_file[0].unfit(
                    f"the file {error.fault}", "Correct its name."
                ) from error
            texts[file] = hunks.apply(text, hunks_of_file)
        return texts


def names_of(lacking: str) -> list[str]:
    """The decisions that are taken away together: ``A-and-B`` has two of them."""
    return lacking.split(BOTH) if lacking else []


def changed_together(decisions: Iterable[Decision], root: Path, suffix: str = "") -> dict[str, str]:
    """The texts of the files that decisions change together; see :meth:`Decision.texts`."""
    changed: dict[str, str] = {}
    for decision in decisions:
        changed |= decision.texts(root, suffix, changed)
    return changed


def module_of(file: str) -> str:
    """``impl/ring_buffer.py`` -> ``impl.ring_buffer``."""
    return ".".join(Path(file).with_suffix("").parts)


def short_names(mechanism: str, module: str) -> dict[str, str]:
    """The one-word names of a mechanism's own files."""
    return {
        "spec": f"spec/{module}.tla",
        **{part: f"{part}/{mechanism}.py" for part in ("model", "impl", "harness")},
    }


def find(folder: Path, short: Mapping[str, str]) -> dict[str, Decision]:
    """All decisions of a folder by name. ``short``: short names of files; see :func:`read`."""
    decisions = [read(file, short) for file in sorted(folder.glob("*.md"))]
    return {decision.name: decision for decision in decisions}


def read(file: Path, short: Mapping[str, str]) -> Decision:
    """One decision; an unchanged file is parsed once in a process.

    ``short``: the files that a hunk may name in one word (``spec``, ``model``, ``impl``).

    Raises UsageError that names file and line where the file is not of the form above.
    """
    text = reading.text(file)
    decision = _parse(file, text, tuple(short.items()))
    return replace(decision, mutants=_copy(decision.mutants), labels=_copy(decision.labels))


def _copy(tables: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    return {name: dict(table) for name, table in tables.items()}


@lru_cache(maxsize=1024)
def _parse(file: Path, text: str, short: tuple[tuple[str, str], ...]) -> Decision:
    tokens = MarkdownIt().parse(text)
    title = _title(file, tokens)
    diffs = _blocks(tokens, "diff")
    sections = [
        hunk
        for first, content in diffs
        for hunk in hunks.read(content.splitlines(), file, first, dict(short))
    ]
    if not sections:
        raise UsageError(
            f"{file}: there is no hunk.", "Add a block ```diff that takes the decision away."
        )
    tables = _tables(file, _blocks(tokens, "toml"))
    lines = text.splitlines()[1 : diffs[0][0] - 2]
    return Decision(
        file.stem,
        file,
        title,
        "\n".join(lines).strip(),
        tuple(sections),
        {name: value for name, value in tables.items() if name != LABELS},
        tables.get(LABELS, {}),
    )


def _title(file: Path, tokens: list[Token]) -> str:
    heading = tokens[1].content if len(tokens) > 1 and tokens[0].tag == "h1" else ""
    match = _TITLE.fullmatch(heading)
    if match is None or match[1] != file.stem:
        raise UsageError(
            f"{file}:1: the title is {heading!r}.",
            f"Begin the file with '# {file.stem}: what is taken away'.",
        )
    return match[2]


def _blocks(tokens: list[Token], language: str) -> list[tuple[int, str]]:
    """(number of the first line inside, text) of the fenced blocks of a language."""
    return [
        (token.map[0] + 2, token.content)
        for token in tokens
        if token.type == "fence" and token.info.strip() == language and token.map
    ]


def _tables(file: Path, blocks: list[tuple[int, str]]) -> dict[str, Any]:
    if len(blocks) > 1:
        raise UsageError(
            f"{file}:{blocks[1][0]}: there is a second block of TOML.", "Put all tables into one."
        )
    for first, content in blocks:
        tables = reading.tables_in(content, f"{file}:{first}")
        if loose := [name for name, value in tables.items() if not isinstance(value, dict)]:
            raise UsageError(
                f"{file}:{first}: {loose[0]} belongs to no mutant.", "Put it below a line [NAME]."
            )
        return tables
    return {}
