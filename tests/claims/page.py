"""Makes ``docs/claims.md`` from ``docs/claims/*.toml``: run ``python -m tests.claims.page`` after a
change of the data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tests.claims.evidence import declared, nightly
from tests.claims.rows import ARTICLES, ROOT, VERDICTS, Check, Row, Section, sections

PAGE = ROOT / "docs" / "claims.md"

HEAD = """# What the articles say, checked

<!-- Made from docs/claims/*.toml by `python -m tests.claims.page`; do not edit. -->

Five articles explain Kafka's timer and its delayed operations. Each row quotes one claim, with
the article and the heading above it, judges the claim *as it is worded*, and says what is exactly
true. Most articles are in Chinese. The quotation is verbatim, and the English after it says the
same.

**Verdicts.** *holds*: the sentence is true. *imprecise*: the sentence is true in the article's
case or spirit, and false as it is worded. *refuted*: a run, or Kafka's source, shows the opposite.
*depends on the release*: the sentence is true of some releases of Kafka. *open*: nothing here
decides it.

**Evidence.** A test runs by `pytest FILE::NAME`. An entry `properties`, `configs` or `mutants` of
a specification's TOML runs in `make verify`, on specification, model and implementation.
*(nightly)*: only `make nightly` runs it. *Read*: the fact was read in that file of Kafka's source
at that tag, or of the JDK's; nothing here runs it. Each check has a control, which plants a wrong
implementation that the check must reject: a test names it in
[`controls.toml`](claims/controls.toml), an example on a wheel has its wrong wheels, and an entry of
a TOML has another entry with the opposite verdict.

**Reading.** All rows were read a second time, article by article, each against its sentence and
against the checks that it names. The history of `docs/claims/` says what that changed.

**Subject.** The code under test is [`impl/`](../impl/timing_wheel.py), which follows Kafka's
classes step by step. Tests use a virtual clock that stands still between steps. Slots are counted
from 0 and levels from 1. "20 x 1 ms" is a wheel of 20 buckets of 1 ms each, which is Kafka's
lowest level. The classes of the JDK are the real ones, on the Java that is found. Where no Java
compiles a source file, the tests of `test_jdk.py` are reported as not run, each by its name.
"""


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def link(check: Check) -> str:
    marked = " (nightly)" if nightly(check) else ""
    return f"[`{cell(check.label)}`](../{declared(check)}){marked}"


def quotation(row: Row) -> str:
    return "<br>".join(
        f"{quote.article}, {cell(quote.place) or 'beginning'}: \u201c{cell(quote.text)}\u201d"
        for quote in row.quotes
    )


def line(row: Row) -> str:
    claim = quotation(row) + (f"<br>*{cell(row.claim)}*" if row.claim else "")
    evidence = ", ".join([*map(link, row.by), *(f"read: `{cell(where)}`" for where in row.read)])
    return f"| {row.number} | {claim} | {row.verdict} | {cell(row.exactly)} | {evidence} |"


def table(part: Section, position: int) -> str:
    head = f"## {position}. {part.title}\n"
    about = f"\n{part.about}\n" if part.about else ""
    lines = "\n".join(map(line, part.rows))
    return f"{head}{about}\n| | Claim | Verdict | Exactly | Decided by |\n|-|-|-|-|-|\n{lines}\n"


def counts(head: str, rows: Iterable[Row], none: str) -> str:
    """A line of the overview: how many rows have each verdict."""
    count = Counter(row.verdict for row in rows)
    return f"| {head} | {' | '.join(str(count[verdict] or none) for verdict in VERDICTS)} |"


def overview(parts: tuple[Section, ...]) -> str:
    lines = [f"| | {' | '.join(VERDICTS)} |", f"|-|{'-:|' * len(VERDICTS)}"]
    for position, part in enumerate(parts, 1):
        lines.append(counts(f"{position}. {part.title}", part.rows, ""))
    every = [row for part in parts for row in part.rows]
    return "\n".join([*lines, counts(f"**all {len(every)}**", every, "0")])


def page() -> str:
    parts = sections()
    articles = "**Articles.**\n\n" + "\n".join(
        f"* **{letter}**: {title}" for letter, title in ARTICLES.items()
    )
    tables = [table(part, position) for position, part in enumerate(parts, 1)]
    return "\n".join([HEAD, articles, "", overview(parts), "", *tables])


if __name__ == "__main__":
    PAGE.write_text(page())
