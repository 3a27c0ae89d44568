"""The files of each run, and the content of headers and footers: found on the driver, before
and beside the events.

A trace is a file (``.jsonl``, ``.jsonl.gz`` or ``.parquet``) with its header and footer, or a
folder with ``header.json``, ``footer.json`` and any number of such files without: the parts of one
run. Folders are searched all the way down; names that begin with . or _ are passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from wheelproof import reading
from wheelproof.errors import NothingChecked, UsageError
from wheelproof.trace import declared
from wheelproof.trace.format import jsonl, totals
from wheelproof.trace.format.folders import SUFFIXES, below, is_trace
from wheelproof.trace.format.heads import Footer, Header
from wheelproof.trace.format.parquet import METADATA_BYTES
from wheelproof.trace.format.parts import TraceError, footer_of, header_of

PARQUET_SUFFIX = ".parquet"
HEADER_FILE, FOOTER_FILE = "header.json", "footer.json"
HEADER_KEY, FOOTER_KEY = b"wheelproof.trace.header", b"wheelproof.trace.footer"


@dataclass(frozen=True)
class File:
    """``parts_of``: the folder whose run this is a part of; None for a trace of its own."""

    index: int
    path: Path
    parts_of: Path | None

    @property
    def is_parquet(self) -> bool:
        return self.path.name.endswith(PARQUET_SUFFIX)


@dataclass
class Run:
    """One run: ``header`` {} where there is none that can be read, ``footer`` None. ``problems``:
    why it cannot be whole."""

    index: int
    name: str
    files: list[File]
    header: Header = field(default_factory=Header)
    footer: Footer | None = None
    problems: list[str] = field(default_factory=list)

    @property
    def run_id(self) -> str:
        return str(self.header.get("run_id", self.name))

    @property
    def whole(self) -> bool:
        """Whether the end of the trace is the end of the run: only then may a rule reject something
        for not having happened."""
        footer = self.footer
        return (
            footer is not None
            and not footer["dropped"]
            and footer.get("cut") is None
            and not self.problems
            and self.header.get("capture", {}).get("mode") == "full"
        )

    @property
    def module(self) -> str | None:
        """The specification that the run follows, where its header names one and says that every
        kind of event was recorded."""
        capture = self.header.get("capture") or {}
        return (
            (self.header.get("spec") or {}).get("module")
            if capture.get("mode") == "full" and capture.get("kinds") is None
            else None
        )

    def ends(self) -> Iterator[tuple[int, str, str, int]]:
        """The threads and tokens of the footer, and the counters of the header: (run, thread |
        token | count | max | sum | counter, id, number). Of a class of tokens it says a count, a
        max and a sum."""
        for name, value in declared.part("bulk").start.counters(self.header):
            yield self.index, "counter", f"V {name}", value
        # Of a trace that was cut the footer's numbers are those of the prefix or of the file: no
        # rule is made of them.
        if self.footer is not None and self.footer.get("cut") is None:
            for thread, last in self.footer["per_thread_last_tseq"].items():
                yield self.index, "thread", thread, last
            for token, last in (self.footer.get("per_token_last_seq") or {}).items():
                yield self.index, "token", token, last
            for name, class_totals in (self.footer.get("tokens") or {}).items():
                for measure in totals.NAMES:
                    yield self.index, measure, name, class_totals[measure]

    @property
    def totalled(self) -> bool:
        """Whether the footer has totals of the tokens that rules may rest on."""
        return (
            self.footer is not None
            and self.footer.get("cut") is None
            and self.footer.get("tokens") is not None
        )

    def note_problems(self) -> None:
        """Add to ``problems`` the parts that the footer shows to be missing."""
        if self.footer is None:
            self.problems.append("there is no footer: the recording was cut short")
            return
        events, last = self.footer["events"], sum(self.footer["per_thread_last_tseq"].values())
        if events != last:
            self.problems.append(f"the footer counts {events} events, and its threads {last}")
        if self.footer["dropped"]:
            self.problems.append(
                f"the footer says that {self.footer['dropped']} events were dropped"
            )
        if self.footer.get("cut"):
            # Rules in bulk do not separate evidence from the rest, so that only those that need no
            # other event are trusted.
            self.problems.append(
                "the footer has a cut, beyond which nothing is evidence:"
                " `wheelproof trace check` without --engine spark finds what is"
            )

    def initial(self) -> Iterator[dict[str, object]]:
        """The state before the first event, as checkpoints at the Lamport time 0."""
        common = {"tid": 0, "tseq": 0, "lc": 0, "k": "checkpoint", "phase": "atomic"}
        for event in declared.part("bulk").start.events(self.header):
            yield common | event


def find(paths: Iterable[Path]) -> list[File]:
    """The files of traces, in the order of their paths. UsageError: a path that is not there or no
    trace; NothingChecked: no file."""
    folders: dict[Path, Path | None] = {}
    for path in paths:
        path = Path(path)
        if path.is_dir():
            folders |= {inner.resolve(): _folder_of(inner) for inner in below(path)}
        else:
            reading.opened(path).close()
            if not is_trace(path):
                raise UsageError(
                    f"{path} is no trace by its name.",
                    f"Names of traces end in {', '.join(SUFFIXES)}.",
                )
            folders[path.resolve()] = _folder_of(path)
    if not folders:
        raise NothingChecked(
            "There is no trace in the folders given.",
            f"Names of traces end in {', '.join(SUFFIXES)}.",
        )
    return [File(index, path, folders[path]) for index, path in enumerate(sorted(folders))]


def _folder_of(file: Path) -> Path | None:
    """The folder with a ``header.json`` that the file lies in, at the same level or one below (as
    Spark writes folders of parts)."""
    for folder in (file.resolve().parent, file.resolve().parent.parent):
        if (folder / HEADER_FILE).is_file():
            return folder
    return None


def gather(files: list[File], lines: dict[int, list[tuple[str, int, str]]]) -> list[Run]:
    """The runs of the files. ``lines``: of each JSON file's headers and footers (part, line, text).

    Raises UsageError where two runs bear one id, and where a header is of another schema.
    """
    runs: list[Run] = []
    by_folder: dict[Path, Run] = {}
    for file in files:
        if file.parts_of is not None:
            if file.parts_of not in by_folder:
                by_folder[file.parts_of] = run = Run(len(runs), str(file.parts_of), [])
                _read_folder(run, file.parts_of)
                runs.append(run)
            by_folder[file.parts_of].files.append(file)
            continue
        run = Run(len(runs), str(file.path), [file])
        _read_parquet(run, file) if file.is_parquet else _read_lines(
            run, file, lines.get(file.index, [])
        )
        runs.append(run)
    check(runs)
    return runs


def check(runs: Iterable[Run]) -> None:
    """Note the missing parts of each run. Raises UsageError where two runs bear one id."""
    by_id: dict[str, Run] = {}
    for run in runs:
        if not run.header:
            run.problems.append("there is no header")
        elif run.run_id in by_id:
            raise UsageError(
                f"{run.name} and {by_id[run.run_id].name} are both named {run.run_id!r}.",
                "No two runs that are checked together may share a run_id.",
            )
        by_id[run.run_id] = run
        run.note_problems()


def _read_folder(run: Run, folder: Path) -> None:
    run.header = _header(_bytes(folder / HEADER_FILE), folder / HEADER_FILE, 1)
    if (folder / FOOTER_FILE).is_file():
        run.footer = _footer(_bytes(folder / FOOTER_FILE), folder / FOOTER_FILE, 1)


def _bytes(path: Path) -> bytes:
    try:
        return reading.content(path)
    except reading.Unreadable as error:
        raise TraceError(path, error.line, "", error.fault, error.remedy) from error


def _read_parquet(run: Run, file: File) -> None:
    import pyarrow
    from pyarrow import parquet

    try:
        metadata = (
            parquet.ParquetFile(
                file.path, thrift_string_size_limit=METADATA_BYTES
            ).metadata.metadata
            or {}
        )
    except (OSError, pyarrow.ArrowException) as error:
        raise UsageError(
            f"{file.path} is no Parquet file ({str(error).splitlines()[0]}).",
            "It may have been cut off while it was written.",
        ) from error
    if HEADER_KEY in metadata:
        run.header = _header(metadata[HEADER_KEY], file.path, 0)
    if FOOTER_KEY in metadata:
        run.footer = _footer(metadata[FOOTER_KEY], file.path, 0)


def _read_lines(run: Run, file: File, lines: list[tuple[str, int, str]]) -> None:
    for part, number, line in sorted(lines, key=lambda line: line[1]):
        if part == "header" and number == 1:
            run.header = _header(line.encode("utf-8", "surrogatepass"), file.path, number)
        elif part == "footer" and run.footer is None:
            run.footer = _footer(line.encode("utf-8", "surrogatepass"), file.path, number)
        else:
            run.problems.append(f"line {number} is a second {part}")


def _header(text: bytes, path: Path, number: int) -> Header:
    return header_of(jsonl.object_of(text, path, number), path, number)


def _footer(text: bytes, path: Path, number: int) -> Footer:
    """Of a footer's line in JSON Lines, or of the value under its name."""
    value = jsonl.object_of(text, path, number)
    return footer_of(value.get("footer", value), path, number)
