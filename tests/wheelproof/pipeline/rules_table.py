"""Prints the table of rules of docs/trace-rules.md: `python
tests/wheelproof/pipeline/rules_table.py`; `--write` puts it there."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

PAGE = ROOT / "docs" / "trace-rules.md"
COUNT = re.compile(r"checks \d+ named")
HEAD = (
    "| family | rule | what must hold | alone | broken | in a watch |\n|---|---|---|---|---|---|\n"
)


def table() -> str:
    from traces.bulk import FAMILIES, Finding
    from wheelproof.pipeline.watch.moments import moments

    return HEAD + "".join(
        f"| {family.name} | `{rule.name}` | {rule.says} | {'yes' if rule.alone else 'no'} | "
        f"{'incomplete' if rule.finding is Finding.INCOMPLETE else 'violates'} | "
        f"{at[rule.name].says} |\n"
        for family in FAMILIES
        for at in (moments(family),)
        for rule in family.rules
    )


def written(page: str) -> tuple[int, int]:
    """Where the table begins and ends in the page."""
    start = page.index(HEAD)
    return start, page.index("\n\n", start) + 1


if __name__ == "__main__":
    if "--write" in sys.argv:
        page = PAGE.read_text(encoding="utf-8")
        start, end = written(page)
        page = page[:start] + table() + page[end:]
        PAGE.write_text(COUNT.sub(f"checks {table().count('`') // 2} named", page, count=1))
    else:
        print(table(), end="")
