"""Measures what each rule needs of a trace, and prints the table of docs/trace-rules.md.

`python tests/wheelproof/pipeline/needs_table.py`; `--write` puts the table there, and the data into
traces/bulk/needs.json.
"""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import checked  # noqa: E402
import key_lists  # noqa: E402
import one_step_timer  # noqa: E402
import planted  # noqa: E402
import planted_purgatory  # noqa: E402
import purgatory  # noqa: E402
from checked import footer_of  # noqa: E402

from benchmarks.simulated_log import header  # noqa: E402
from wheelproof.trace.format.schema import COLUMNS, KINDS, OBSERVED, REQUIRED_IDS  # noqa: E402

Event = dict[str, Any]
Trace = tuple[dict[str, Any], list[Event], dict[str, Any] | None]

PAGE = ROOT / "docs" / "trace-rules.md"
DATA = ROOT / "traces" / "bulk" / "needs.json"
HEAD = "| rule | needs events | needs columns | needs beside |\n|---|---|---|---|\n"
FORMAT = ROOT / "docs" / "trace-format.md"
HEAD_OF_KINDS = "| kind | columns that rules need beside |\n|---|---|\n"
PARTS = {
    "header.config": ("config",),
    "header.variant": ("variant",),
    "header.spec": ("spec",),
    "header.initial": ("initial",),
}
OPERATIONS = 14


def bases() -> dict[str, Trace]:
    """Traces in which, together, every rule applies."""
    events = purgatory.Purgatory(1, OPERATIONS).run()
    faults, unpurged = planted.faults(events), key_lists.Unpurged(1, OPERATIONS).run()
    out: dict[str, Trace] = {"sound": (header("sound"), events, footer_of(header("sound"), events))}
    out["unpurged"] = header("unpurged"), unpurged, footer_of(header("unpurged"), unpurged)
    for name in ("TokenEnd", "AdvanceByLevels", "StepFollows", "ForcedUnderLock"):
        out[name] = faults[name]
    levels = copy.deepcopy(events)
    planted_purgatory.PURGATORY["level_stands_still"][0](levels)
    out["levels"] = planted.whole("levels", levels)
    out[one_step_timer.SOUND] = one_step_timer.made(one_step_timer.SOUND)
    return out


def optional(event: Event) -> Iterator[str]:
    """The columns that an event of this kind may leave out, and has."""
    needed = {column.name for column in COLUMNS if column.required} | set(
        REQUIRED_IDS.get(event["k"], ())
    )
    for name, value in event.items():
        if name in ("pre", "post"):
            yield from (f"{name}.{field.name}" for field in OBSERVED if field.name in value)
        elif name not in needed:
            yield name


def without(events: list[Event], column: str, kinds: frozenset[str] | None) -> list[Event]:
    place, _, inner = column.rpartition(".")
    out = []
    for event in events:
        if kinds is None or event["k"] in kinds:
            event = copy.copy(event)
            if place and inner in event.get(place, {}):
                event[place] = {
                    name: value for name, value in event[place].items() if name != inner
                }
            elif not place:
                event.pop(column, None)
        out.append(event)
    return out


def variants(trace: Trace) -> Iterator[tuple[str, Trace]]:
    """(what was taken away, the trace without it): "" for nothing, "kind K", "column C K", "column
    C" of all kinds, "part P".

    Kinds that must have a column keep it in "column C". "must C" is without these kinds, "never C"
    without the column too.
    """
    head, events, footer = trace
    yield "", trace
    for part, names in PARTS.items():
        if names[0] in head:
            yield (
                f"part {part}",
                (
                    {name: value for name, value in head.items() if name not in names},
                    events,
                    footer,
                ),
            )
    yield "part footer", (head, events, None)
    kinds = sorted({event["k"] for event in events})
    for kind in kinds:
        left = [event for event in events if event["k"] != kind]
        yield f"kind {kind}", (head, left, footer)
    columns = sorted({(column, event["k"]) for event in events for column in optional(event)})
    for column, kind in columns:
        yield f"column {column} {kind}", (head, without(events, column, frozenset((kind,))), footer)
    for column in sorted({column for column, _ in columns}):
        may = frozenset(kind for other, kind in columns if other == column)
        yield f"column {column}", (head, without(events, column, may), footer)
        others = [event for event in events if column not in event or event["k"] in may]
        if len(others) < len(events) and "." not in column:
            yield f"must {column}", (head, others, footer)
            yield f"never {column}", (head, without(others, column, may), footer)


def measured() -> dict[str, dict[str, dict[str, int]]]:
    """Base -> what was taken away -> rule -> how much it applied to."""
    out: dict[str, dict[str, dict[str, int]]] = {}
    for base, trace in bases().items():
        names = [what for what, _ in variants(trace)]
        answers = checked.judge(_ended(changed) for _, changed in variants(trace))
        out[base] = {what: answer.applied for what, answer in zip(names, answers, strict=True)}
    return out


def _ended(trace: Trace) -> Trace:
    """The end of the trace is the end of the run."""
    head, events, footer = trace
    if footer is None:
        return trace
    threads: dict[str, int] = {}
    for event in events:
        threads[str(event["tid"])] = threads.get(str(event["tid"]), 0) + 1
    return head, events, {**footer, "events": len(events), "per_thread_last_tseq": threads}


def derived(
    counts: Mapping[str, Mapping[str, Mapping[str, int]]], rules: list[str]
) -> dict[str, dict[str, Any]]:
    """Rule -> what it needs, of the first base in which it applies."""
    out = {}
    for rule in rules:
        base = next((name for name, found in counts.items() if found[""].get(rule)), None)
        if base is None:
            raise SystemExit(
                f"{rule} applies to nothing in any of the traces: they do not show what it needs."
            )
        found = counts[base]
        whole = found[""][rule]
        left = {what: found[what].get(rule, 0) for what in sorted(found)}
        kinds = [
            what.removeprefix("kind ")
            for what, count in left.items()
            if what.startswith("kind ") and not count
        ]
        fewer = [
            what.removeprefix("kind ")
            for what, count in left.items()
            if what.startswith("kind ") and 0 < count < whole
        ]
        columns: list[list[Any]] = []
        for what in left:
            column, _, kind = what.removeprefix("column ").partition(" ")
            never = left.get(f"must {column}", 0) and not left[f"never {column}"]
            if what.startswith("column ") and not kind and (never or not left[what]):
                single = [
                    each.rpartition(" ")[2]
                    for each, count in left.items()
                    if each.startswith(f"column {column} ") and not count
                ]
                several = [
                    each.rpartition(" ")[2]
                    for each, count in left.items()
                    if each.startswith(f"column {column} ") and 0 < count < whole
                ]
                columns += [[[each], column] for each in single] or [[several, column]] * bool(
                    several
                )
        parts = [
            what.removeprefix("part ")
            for what, count in left.items()
            if what.startswith("part ") and not count
        ]
        out[rule] = {
            "kinds": kinds,
            "one_of": [] if kinds or len(fewer) > 12 else fewer,
            "columns": columns,
            "parts": parts,
        }
    return out


def table() -> str:
    """The table, of the data as it is stored."""
    from wheelproof.pipeline.needs import load

    rows = []
    for rule, needs in load().items():
        events = ", ".join(
            [f"`{kind}`" for kind in needs.kinds]
            + ([" or ".join(f"`{kind}`" for kind in needs.one_of)] if needs.one_of else [])
        )
        columns = "; ".join(
            f"`{column}` of {' or '.join(f'`{kind}`' for kind in kinds)}"
            if len(kinds) < 8
            else f"`{column}`"
            for kinds, column in needs.columns
        )
        rows.append(f"| `{rule}` | {events} | {columns} | {', '.join(needs.parts)} |\n")
    return HEAD + "".join(rows)


def table_of_kinds() -> str:
    """The other way round: kind -> the columns beside those that it must have, which some rule
    needs."""
    from wheelproof.pipeline.needs import load

    fill: dict[str, dict[str, None]] = {}
    for needs in load().values():
        for kinds, column in needs.columns:
            for kind in kinds:
                fill.setdefault(kind, {})[column] = None
    order = [column.name for column in COLUMNS]
    rows = []
    for kind in KINDS:
        if kind in fill:
            columns = sorted(
                fill[kind], key=lambda column: (order.index(column.partition(".")[0]), column)
            )
            rows.append(f"| `{kind}` | {', '.join(f'`{column}`' for column in columns)} |\n")
    return HEAD_OF_KINDS + "".join(rows)


def written(page: str, head: str = HEAD) -> tuple[int, int]:
    """Where a table begins and ends in a page."""
    start = page.index(head)
    return start, page.index("\n\n", start) + 1


def data() -> str:
    """What ``needs.json`` should be."""
    from traces.bulk import RULES
    from wheelproof.pipeline.needs import SCHEMA

    found = derived(measured(), list(RULES))
    rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(needs)}" for name, needs in found.items())
    return f'{{"schema": {json.dumps(SCHEMA)}, "rules": {{\n{rows}\n}}}}\n'


def main() -> None:
    from wheelproof.pipeline import needs

    text = data()
    if "--write" not in sys.argv:
        print(text, end="")
        return
    DATA.write_text(text, encoding="utf-8")
    needs.load.cache_clear()
    for file, head, made in ((PAGE, HEAD, table()), (FORMAT, HEAD_OF_KINDS, table_of_kinds())):
        page = file.read_text(encoding="utf-8")
        start, end = written(page, head)
        file.write_text(page[:start] + made + page[end:], encoding="utf-8")


if __name__ == "__main__":
    main()
