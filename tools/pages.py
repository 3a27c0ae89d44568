#!/usr/bin/env python3
"""Write the tables of README.md and docs/ that follow from declarations and code, and a picture.

``python tools/pages.py`` rewrites the text between the marks ``<!-- NAME: made by ... -->`` and
``<!-- NAME: end -->``. A test refuses a page whose tables are stale.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from tools import history, night, other_races, races, reference  # noqa: E402
from wheelproof import project  # noqa: E402
from wheelproof.project import Mechanism, lock_order  # noqa: E402
from wheelproof.report import lock_graph  # noqa: E402

PROVED = {
    "atomic": "safety",
    "controller": "epochs",
    "coordinator_load": "safety",
    "delay_queue": "its heap",
    "delayed_operation": "any size",
    "event_queue": "in part",
    "overflow_wheel": "safety",
    "parted_timer": "most of it",
    "partition_leader": "replicas",
    "purgatory": "any size",
    "read_write_lock": "safety",
    "share_fetch": "safety",
    "system_timer": "most of it",
    "system_timer_reaper": "safety",
    "task_executor": "safety",
    "timer_task_list": "any size",
    "timing_wheel": "in part",
}
"""The coverage of the theorems, by mechanism;

tests/docs holds it against the theories of proofs/.
"""


def mark(name: str) -> str:
    return f"<!-- {name}: made by `python tools/pages.py` -->"


def fill(page: str, name: str, table: str) -> str:
    """The page with this table between its marks. Raises ValueError if the marks are missing."""
    start, end = mark(name), f"<!-- {name}: end -->"
    if page.count(start) != 1 or page.count(end) != 1:
        raise ValueError(f"the marks of the table {name!r} are not there exactly once")
    head, _, rest = page.partition(start)
    return f"{head}{start}\n\n{table}\n\n{end}{rest.partition(end)[2]}"


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(map(cell, line))} |" for line in lines)


def pad(head: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    """A table that can be read as text: columns of one width, numbers on the right."""
    lines = [head, *rows]
    widths = [max(3, *(len(line[column]) for line in lines)) for column in range(len(head))]
    right = [all(line[column][:1].isdigit() for line in lines[1:]) for column in range(len(head))]
    ruler = tuple(
        "-" * (width - number) + ":" * number for width, number in zip(widths, right, strict=True)
    )
    out = []
    for line in [head, ruler, *lines[1:]]:
        cells = (
            text.rjust(width) if number else text.ljust(width)
            for text, width, number in zip(line, widths, right, strict=True)
        )
        out.append(f"| {' | '.join(cells)} |")
    return "\n".join(out)


def properties(mechanism: Mechanism) -> str:
    """The properties of one mechanism, with their meaning."""
    rows = (
        (f"`{item.name}`", item.kind if item.holds else "non-property", item.says)
        for item in mechanism.properties.values()
    )
    return table(("property", "kind", "meaning"), rows)


def outcome(mechanism: Mechanism, decision: str) -> str:
    """The verdicts that the mutants of a decision must have."""
    texts = []
    for mutant in mechanism.mutants.values():
        if mutant.decision == decision:
            by = f"`{mutant.property}`" if mutant.property else "equivalent"
            texts.append(by if mutant.name == decision else f"{by} (`{mutant.name}`)")
    users = [config.name for config in mechanism.configs.values() if config.without == decision]
    users += [config.name for config in mechanism.composed.values() if config.mutant == decision]
    return ", ".join(texts or (f"check `{name}`" for name in users))


def decisions(mechanism: Mechanism) -> str:
    """The decisions of one mechanism, each with a link and its outcome."""
    rows = (
        (
            f"[{name}](../../{item.file.relative_to(mechanism.root).as_posix()})",
            item.title,
            outcome(mechanism, name),
        )
        for name, item in sorted(mechanism.decisions.items())
    )
    return table(("decision", "without it", "breaks"), rows)


def overview(mechanisms: dict[str, Mechanism]) -> str:
    """The table of the README: one row per mechanism."""

    def row(name: str, mechanism: Mechanism) -> tuple[str, ...]:
        states = max(config.distinct or 0 for config in mechanism.configs.values())
        kills = sum(1 for mutant in mechanism.mutants.values() if mutant.property)
        counts = (len(mechanism.properties), len(mechanism.scenarios), f"{states:,}", kills)
        return (f"`{name}`", *map(str, counts), PROVED.get(name, ""))

    head = ("mechanism", "properties", "scenarios", "states", "mutants", "proof")
    return pad(head, (row(name, mechanism) for name, mechanism in mechanisms.items()))


def locks(order: lock_order.Documented) -> str:
    """The classes of locks, and the state that they guard."""
    rows = ((f"`{name}`", says) for name, says in order.classes.items())
    return table(("lock", "what it guards"), rows)


def exceptions(order: lock_order.Documented) -> str:
    """The edges that close a cycle, and why they may."""
    rows = (
        (
            f"`{exception.name}`",
            ", ".join(f"`{edge}`" for edge in exception.edges),
            exception.reason,
            ", ".join(f"`{scenario}`" for scenario in exception.scenarios),
        )
        for exception in order.exceptions.values()
    )
    return table(("exception", "edges", "reason", "scenarios"), rows)


def edges(order: lock_order.Documented) -> str:
    """The edges, with their places in the code."""

    def rows() -> Iterator[tuple[str, ...]]:
        for edge, places in order.edges.items():
            outer, _, inner = edge.partition(lock_order.ARROW)
            for place, mechanisms in places.items():
                file, function, *label = place.split()
                names = (
                    name if profile == "fast" else name + lock_order.NIGHTLY
                    for name, profile in mechanisms.items()
                )
                yield (
                    f"`{outer}`",
                    f"`{inner}`",
                    f"[{file}](../{file}) `{function}` {' '.join(label)}",
                    ", ".join(names),
                )

    return table(("held", "taken", "where", "mechanisms"), rows())


def order_of_locks(root: Path) -> dict[Path, str]:
    """The page on the order of locks, and its picture."""
    page, order = root / "docs" / "lock-order.md", lock_order.read(root)
    assert order is not None
    text = page.read_text(encoding="utf-8")
    for name, render in (("locks", locks), ("exceptions", exceptions), ("edges", edges)):
        text = fill(text, name, render(order))
    picture = lock_graph.svg(lock_graph.documentation(order))
    return {page: text, page.with_suffix(".svg"): picture}


def pages(root: Path = ROOT) -> dict[Path, str]:
    """Each file that has tables or is a picture, as it must be."""
    mechanisms = project.find(root)
    readme = root / "README.md"
    out = {readme: fill(readme.read_text(encoding="utf-8"), "mechanisms", overview(mechanisms))}
    for name, mechanism in mechanisms.items():
        file = root / "docs" / "mechanisms" / f"{name}.md"
        text = fill(file.read_text(encoding="utf-8"), "properties", properties(mechanism))
        out[file] = fill(text, "decisions", decisions(mechanism))
    page = root / "docs" / "history.md"
    text = of_history(page.read_text(encoding="utf-8"), history.load(root), mechanisms)
    finders = other_races.Finders.load(root, mechanisms)
    out[page] = of_races(text, other_races.load(root), finders)
    page = root / "docs" / "races.md"
    out[page] = races.page(page.read_text(encoding="utf-8"), fill)
    tests = root / night.PAGE
    out[tests] = night_page(tests.read_text(encoding="utf-8"))
    return out | order_of_locks(root) | reference.pages(root, fill, table)


def night_page(page: str) -> str:
    """The page of the tests with the table of the parts of the night."""
    return fill(page, "night", table(night.HEAD, night.lines(night.read_record())))


def of_history(page: str, source: history.History, mechanisms: dict[str, Mechanism]) -> str:
    """The page of the bugs with its tables. Raises ValueError if its source has a wrong name."""
    if refusals := history.refusals(source, mechanisms):
        raise ValueError("docs/history.toml: " + "; ".join(refusals))
    eras = ("property", *(era.name for era in source.eras))
    page = fill(page, "matrix", table(eras, history.matrix(source, mechanisms)))
    return fill(page, "bugs", table(history.HEAD_OF_BUGS, history.bugs(source, mechanisms)))


def of_races(page: str, source: list[other_races.Race], finders: other_races.Finders) -> str:
    """The page with the table of other races. Raises ValueError if its source has a wrong name."""
    if refusals := other_races.refusals(source, finders):
        raise ValueError("docs/history.toml: " + "; ".join(refusals))
    rows = other_races.rows(source, finders)
    return fill(page, "races", table(other_races.HEAD, rows))


def main() -> None:
    for file, text in pages().items():
        text = re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)
        if not file.exists() or text != file.read_text(encoding="utf-8"):
            file.write_text(text, encoding="utf-8")
            print(f"{file.relative_to(ROOT)}: written")


if __name__ == "__main__":
    main()
