"""The files of a run below the output folder.

results.json has all rows; junit.xml and review.md are made from it.
"""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from wheelproof import documents
from wheelproof.counterexample import document
from wheelproof.counterexample.document import Counterexample
from wheelproof.errors import ToolError, UsageError
from wheelproof.project.mechanism import Mechanism
from wheelproof.report import junit
from wheelproof.verdict import RESULTS_FILE, Results

JUNIT_FILE = "junit.xml"
REVIEW_FILE = "review.md"


def begin(output: Path, results: Results) -> None:
    """Put the run that starts in place of an older one: a crash leaves no older results."""
    try:
        # The last of them too: the disk may be full.
        for name in (JUNIT_FILE, REVIEW_FILE, RESULTS_FILE):
            (output / name).unlink(missing_ok=True)
    except OSError as error:
        raise ToolError(
            f"{error.filename} cannot be removed ({error.strerror}).",
            "Choose another folder with --output.",
        ) from error
    results.write(output / RESULTS_FILE)


def publish(
    output: Path, results: Results, mechanisms: Mapping[str, Mechanism], root: Path
) -> dict[str, str]:
    """Writes all three files; the path of each by what it is."""
    from wheelproof.report import review  # Jinja2 is loaded for nothing else

    results.write(output / RESULTS_FILE)
    documents.write_text(output / JUNIT_FILE, junit.render(results, output))
    text = review.render(results, mechanisms, traces(results, output), root, output)
    documents.write_text(output / REVIEW_FILE, text)
    return {
        what: str(output / name)
        for what, name in (
            ("results", RESULTS_FILE),
            ("review", REVIEW_FILE),
            ("JUnit", JUNIT_FILE),
        )
    }


def traces(results: Results, output: Path) -> dict[str, Counterexample]:
    """The counterexamples that the rows name and that can be read, by that name."""
    found = {}
    for trace in (row.trace for row in results.rows if row.trace is not None):
        # The review reports a file that cannot be read.
        with suppress(UsageError):
            found[trace] = document.read(output / trace)
    return found
