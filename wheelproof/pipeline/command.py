"""``wheelproof trace check --engine spark``: its lines and files. Progress goes to standard
error, the verdict to standard output."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from wheelproof import documents, files
from wheelproof.console import visible
from wheelproof.errors import ToolError
from wheelproof.pipeline import actions
from wheelproof.pipeline.document import Document, Violation
from wheelproof.pipeline.session import SessionOptions, session
from wheelproof.trace.format import schema

SHOWN = 20
"""Violations that are printed; the report file has more."""

_NAMED = {"tid": "thread", **{name: name for name in schema.OBJECTS}, "token": "token"}
"""Column that a violation names, beside its place -> its word."""

EXPLAINED_EVENTS = 1_000_000
"""A violating run of at most so many events is also shrunk, on the executors."""


def run(
    paths: list[Path],
    options: SessionOptions,
    output: Path | None,
    as_json: bool = False,
    quiet: bool = False,
    explain: bool = True,
    labels: Mapping[str, frozenset[str]] = {},
) -> int:
    """Check traces in bulk; the exit code. ``output``: where ``trace-check.json`` goes; None:
    nowhere. Raises as ``validate.check`` does."""
    from wheelproof.pipeline import cluster, runs, validate
    from wheelproof.pipeline import explain as explaining

    runs.find(paths)  # a wrong path is reported before Spark starts
    cluster.check(options.master, options.scratch)
    if output is not None:
        writable(output)
    document: Document | None = None
    report_folder: Path | None = None
    try:
        # The folder goes after Spark, which may die amid its writing, and takes along what that
        # left there.
        with (
            validate.folder_for(options.scratch) as folder,
            session(replace(options, scratch=folder)) as spark,
        ):
            if not cluster.in_one_process(options.master):
                _progress("shipping this package")
                cluster.prepare(spark, folder)
            report = validate.check(spark, paths, folder, progress=_progress, labels=labels)
            document = report.document()
            _write(document, output)  # before anything is explained: that may take long, or fail
            report_folder = output
            if explain:
                _progress("explaining")
                document["explanations"], document["unexplained"] = explaining.attempted(
                    spark, report, EXPLAINED_EVENTS, options.memory
                )
    except BaseException:
        if document is not None:
            _progress("")
            _show(document, report_folder, as_json, quiet)
        raise
    finally:
        _progress("")
    _end(document, output, as_json, quiet)
    return report.exit_code


def run_here(
    paths: list[Path],
    output: Path | None,
    as_json: bool = False,
    quiet: bool = False,
    labels: Mapping[str, frozenset[str]] = {},
) -> int:
    """Check traces by the same rules in memory, without Spark; the exit code.

    Raises as ``in_process.check`` does.
    """
    from wheelproof.pipeline import in_process

    if output is not None:
        writable(output)
    report = in_process.check(paths, labels)
    _end(report.document(), output, as_json, quiet)
    return report.exit_code


def _end(document: Document, output: Path | None, as_json: bool, quiet: bool) -> None:
    """Write the report and print it: also where it cannot be written, as on a full disk."""
    try:
        _write(document, output)
    except ToolError:
        _show(document, None, as_json, quiet)
        raise
    _show(document, output, as_json, quiet)


def _show(document: Document, output: Path | None, as_json: bool, quiet: bool) -> None:
    if as_json:
        sys.stdout.write(documents.encode(document))
    else:
        _print(document, output, quiet)


def _write(document: Document, output: Path | None) -> None:
    if output is not None:
        documents.write(output / "trace-check.json", document)


def writable(folder: Path) -> None:
    """ToolError where the report could not be written: reported before the check, not after
    hours of it. Nothing is left."""
    new_folders = files.absent(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ToolError(
            f"{folder} cannot be written to ({error.strerror}), and the report is to go there.",
            "Choose another folder with --output.",
        ) from error
    finally:
        files.remove_empty(new_folders)


def _progress(text: str) -> None:
    """One line that is written over; nothing where standard error is no terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()


def _print(document: Document, output: Path | None, quiet: bool) -> None:
    lines: list[str] = []
    if not quiet:
        lines += _runs(document) + _rules(document) + _violations(document) + _quarantine(document)
        late = document["lateness"]
        if late.get("count"):
            lines.append(
                f"lateness of {late['count']:,} entries: least {late['least_ms']} ms, half below "
                f"{late['p50_below_ms']} ms, 99 % below {late['p99_below_ms']} ms, "
                f"greatest {late['greatest_ms']} ms"
            )
        cover = document["coverage"]
        lines.append(
            f"coverage: {len(cover['kinds'])} of "
            f"{len(cover['kinds']) + len(cover['kinds_unseen'])} kinds, "
            f"{len(cover['edges'])} of {len(cover['edges']) + len(cover['edges_untaken'])} "
            "(abstract state, action) edges"
        )
        lines += actions.lines(cover["actions"])
        if output is not None:
            lines.append(f"all of it: {output / 'trace-check.json'}")
    for text in (*lines, summary(document)):
        print(visible(text))


def summary(document: Document) -> str:
    """The report in one line."""
    verdicts: dict[str, int] = {}
    for row in document["runs"]:
        verdicts[row["verdict"]] = verdicts.get(row["verdict"], 0) + 1
    vacuous = sum(rule["verdict"] == "vacuous" for rule in document["rules"].values())
    return (
        f"{', '.join(f'{count} {name}' for name, count in sorted(verdicts.items()))} of "
        f"{len(document['runs'])} runs, {document['events']:,} events: "
        f"{document['violated']:,} rules broken, {document['quarantined']:,} lines in quarantine, "
        f"{vacuous} of {len(document['rules'])} rules vacuous"
    )


def _runs(document: Document) -> list[str]:
    lines = []
    for row in document["runs"]:
        if row["verdict"] == "conforms" and len(document["runs"]) > SHOWN:
            continue
        frame = ", ".join(f"{name} {count:,}" for name, count in row["broken"].items())
        lines.append(
            f"{row['run']}: {row['verdict']}, {row['events']:,} "
            f"events{f' ({frame})' if frame else ''}"
        )
        lines += [f"  {problem}" for problem in row["problems"]]
    return lines


def _rules(document: Document) -> list[str]:
    width = max(len(name) for name in document["rules"])
    lines = []
    for name, rule in document["rules"].items():
        breaches = f", {rule['broken']:,} broken" if rule["broken"] else ""
        lacks = f": {', '.join(rule['missing'])}" if rule.get("missing") else ""
        lines.append(
            f"{name:{width}}  {rule['verdict']:10}  {rule['applied']:>14,} "
            f"{rule['unit']}{breaches}{lacks}"
        )
    return lines


def _selection(violations: list[Violation]) -> list[Violation]:
    """Those that are printed, in their order: the first of each rule in each run, then the second
    of each, as far as there is room. One that is broken all over would hide the others."""
    ranks: list[int] = []
    counts: dict[tuple[str | None, str], int] = {}
    for violation in violations:
        key = violation.get("run_id"), violation["rule"]
        ranks.append(counts.get(key, 0))
        counts[key] = ranks[-1] + 1
    indices = sorted(range(len(violations)), key=lambda at: (ranks[at], at))[:SHOWN]
    return [violations[at] for at in sorted(indices)]


def line(violation: Violation) -> str:
    """A violation in one line: its place, its rule and its objects."""
    place = f"{violation['file']}:{violation['line']}: " if "file" in violation else ""
    columns: Mapping[str, object] = violation
    ids = ", ".join(f"{word} {columns[name]}" for name, word in _NAMED.items() if name in columns)
    objects = f" ({ids})" if ids else ""
    sign = "" if violation["trusted"] else " [events are missing: only a sign of that]"
    return f"{place}{violation['rule']}: {violation.get('detail', '')}{objects}{sign}"


def _violations(document: Document) -> list[str]:
    lines = [line(violation) for violation in _selection(document["violations"])]
    if document["violated"] > SHOWN:
        lines.append(f"({document['violated'] - SHOWN:,} more)")
    for explanation in document["explanations"]:
        if "not_shrunk" in explanation:
            lines.append(f"{explanation['run']}: not shrunk: {explanation['not_shrunk']}")
            continue
        lines.append(f"{explanation['run']}: {explanation['property']}: {explanation['message']}")
        lines += [f"    {event}" for event in explanation["shrunk"]]
    if document.get("unexplained"):
        lines.append(f"not explained: {document['unexplained']}")
    return lines


def _quarantine(document: Document) -> list[str]:
    lines = [
        f"quarantine: {row['file']}:{row['row']}: {row['reason']}"
        for row in document["quarantine"][:SHOWN]
    ]
    if document["quarantined"] > SHOWN:
        lines.append(f"({document['quarantined'] - SHOWN:,} more in quarantine)")
    return lines


def options_of(master: str, memory: str, scratch: Path | None) -> SessionOptions:
    """Options of a command line. ``master``: "" for all processors of this machine."""
    return SessionOptions(
        master=master or f"local[{_processors()}]", memory=memory, scratch=scratch
    )


def _processors() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
