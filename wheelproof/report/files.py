"""The files of a run below the output folder.

results.json has all rows; the reports for people and for a CI are made from it.
"""

import fcntl
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from wheelproof import documents
from wheelproof.counterexample import document, explored, stepping
from wheelproof.counterexample.document import Counterexample
from wheelproof.counterexample.explored import Explored
from wheelproof.counterexample.stepping import Stepping
from wheelproof.errors import ToolError, UsageError
from wheelproof.events import Check
from wheelproof.project.mechanism import Mechanism
from wheelproof.report import junit, places, recorded, sarif, summary
from wheelproof.verdict import EXPLORE, RESULTS_FILE, Results, read_results

JUNIT_FILE = "junit.xml"
REVIEW_FILE = "review.md"
PAGE_FILE = "review.html"
SARIF_FILE = "wheelproof.sarif"
SUMMARY_FILE = "summary.md"
MADE = (JUNIT_FILE, REVIEW_FILE, PAGE_FILE, SARIF_FILE, SUMMARY_FILE)
LOCK_FILE = "lock"
PARTIAL = "partial"
TRACES = "counterexamples"


def folder(output: Path, only: str) -> Path:
    """Where the report of a run goes: a partial one leaves that of a run of everything alone.

    ``only``: the limit of the run, "" for a run of everything.
    """
    if not only:
        return output
    try:
        whole = not read_results(output / RESULTS_FILE).only
    except UsageError:
        whole = False
    return output / PARTIAL if whole else output


@contextmanager
def alone(output: Path) -> Iterator[None]:
    """The only run that writes to a folder. UsageError if another one does so now."""
    try:
        output.mkdir(parents=True, exist_ok=True)
        lock = (output / LOCK_FILE).open("w")
    except OSError as error:
        raise ToolError(
            f"{output} cannot be written ({error.strerror}).",
            "Choose another folder with --output.",
        ) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise UsageError(
                f"Another run writes to {output}.",
                "Wait for its end, or choose another folder with --output.",
            ) from error
        yield


def begin(reports: Path, results: Results) -> None:
    """Put the run that starts in place of an older one: a crash leaves no older results.

    The page of that run stays until there is a new one. It has the time of its run.
    """
    try:
        # The last of them too: the disk may be full.
        for name in (*(name for name in MADE if name != PAGE_FILE), RESULTS_FILE):
            (reports / name).unlink(missing_ok=True)
    except OSError as error:
        raise ToolError(
            f"{error.filename} cannot be removed ({error.strerror}).",
            "Choose another folder with --output.",
        ) from error
    results.write(reports / RESULTS_FILE)


def earlier(output: Path) -> list[Results]:
    """The runs that the folder has, the latest last: of everything, and of a part."""
    failures = []
    for reports in (output, output / PARTIAL):
        with suppress(UsageError):
            failures.append(read_results(reports / RESULTS_FILE))
    return sorted((run for run in failures if run.rows), key=lambda run: run.started)


def seconds(output: Path, covers: Callable[[str, str, str], bool]) -> dict[Check, float]:
    """The seconds of these checks in the run that the folder has; empty if none came to its end."""
    try:
        results = read_results(output / RESULTS_FILE)
    except UsageError:
        return {}
    rows = results.rows if results.complete else ()
    return {
        Check(row.mechanism, row.layer, row.name): row.seconds
        for row in rows
        if covers(row.mechanism, row.layer, row.name)
    }


def remove_traces(output: Path, covers: Callable[[str, str, str], bool]) -> None:
    """Remove the counterexamples and graphs of earlier runs of these checks.

    ``covers``: says of a mechanism, a layer and a check whether it is one of them.
    """
    for file in (output / TRACES).glob("*.json"):
        mechanism, _, rest = file.stem.partition(".")
        layer, _, name = rest.partition(".")
        if covers(mechanism, layer, name):
            file.unlink(missing_ok=True)
    for file in (output / stepping.FOLDER).glob("*.json"):
        mechanism, layer, name = file.stem.split(".", 2)
        if covers(mechanism, layer, name):
            file.unlink(missing_ok=True)


def publish(
    output: Path,
    results: Results,
    mechanisms: Mapping[str, Mechanism],
    root: Path,
    reports: Path | None = None,
) -> dict[str, str]:
    """Writes all files; title -> path of those that people open.

    ``output``: the folder that has the counterexamples; ``reports``: that of the files, if it is
    another one.
    """
    from wheelproof.report import page, review  # Jinja2 is loaded for nothing else

    reports = reports or output
    results.write(reports / RESULTS_FILE)
    paths, failing = traces(results, output), orders(results, output)
    text = sarif.render(results, {**paths, **failing}, output, places.prefix(root))
    documents.write_text(reports / SARIF_FILE, text)
    documents.write_text(reports / SUMMARY_FILE, summary.render(results, output))
    text = junit.render(results, mechanisms, {**paths, **failing}, root, output)
    documents.write_text(reports / JUNIT_FILE, text)
    text = review.render(results, mechanisms, paths, root, output, failing)
    documents.write_text(reports / REVIEW_FILE, text)
    text = page.render(
        results,
        mechanisms,
        paths,
        root,
        output,
        recorded.read(output),
        failing,
        graphs(results, output),
    )
    documents.write_text(reports / PAGE_FILE, text)
    return {
        title: str(reports / name)
        for title, name in (
            ("results", RESULTS_FILE),
            ("review", REVIEW_FILE),
            ("page", PAGE_FILE),
            ("JUnit", JUNIT_FILE),
        )
    }


def annotate(results: Results, output: Path, root: Path) -> None:
    """Print the findings as annotations in a workflow of GitHub, to standard error."""
    if os.environ.get("GITHUB_ACTIONS") == "true":
        runs: Mapping[str, Counterexample | Explored] = {
            **traces(results, output),
            **orders(results, output),
        }
        for line in sarif.annotations(results, runs, places.prefix(root)):
            print(line, file=sys.stderr)


def traces(results: Results, output: Path) -> dict[str, Counterexample]:
    """The counterexamples that the rows name and that can be read, by that name."""
    by_path = {}
    for trace in (row.trace for row in results.rows if row.trace and row.layer != EXPLORE):
        # The review reports a file that cannot be read.
        with suppress(UsageError):
            by_path[trace] = document.read(output / trace)
    return by_path


def orders(results: Results, output: Path) -> dict[str, Explored]:
    """The failing orders of threads that the rows name and that can be read, by that name."""
    by_path = {}
    for trace in (row.trace for row in results.rows if row.trace and row.layer == EXPLORE):
        with suppress(UsageError):
            by_path[trace] = explored.read(output / trace)
    return by_path


def graphs(results: Results, output: Path) -> dict[tuple[str, str], Stepping]:
    """The graphs that the rows stand for and that can be read: by mechanism and scenario, and
    without a decision by its name behind the scenario's."""
    by_scenario: dict[tuple[str, str], Stepping] = {}
    for row in results.rows:
        if row.layer in ("graph", "mutant"):
            # Rows that are about no config, and those with a large graph, have no file.
            with suppress(UsageError):
                file = stepping.file_of(row.mechanism, row.layer, row.name)
                graph = stepping.read(output / file)
                name = "/".join(filter(None, (graph.scenario, graph.without)))
                by_scenario.setdefault((row.mechanism, name), graph)
    return by_scenario
