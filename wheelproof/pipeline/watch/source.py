"""The origin of the lines of a watch: a folder of files that grow, or a topic."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from wheelproof.errors import UsageError
from wheelproof.pipeline import staging
from wheelproof.pipeline.watch.ledger import Ledger
from wheelproof.pipeline.watch.spool import TAB, Spool

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SPOOL, CHECKPOINT = "spool", "checkpoint"
"""The folders of the spool, and of Spark's offsets, in the folder of a watch."""

FILES = 4
"""Files of the spool that a micro-batch has at most."""

Lag = tuple[str, int | None]
"""A unit, and how many of them are there and were not judged; None where that is not known yet."""


class Source(Protocol):
    """A source of lines. Spark keeps the offsets in it."""

    def check(self, output: Path) -> None:
        """Raise UsageError where it cannot be watched into a folder, before Spark starts."""

    def settings(self) -> dict[str, str]:
        """Settings of the session that it needs. Raises ToolError: a jar is absent."""

    def owns(self, name: str) -> bool:
        """Whether a recording of this name comes from here."""

    def rows(self, spark: SparkSession, ledger: Ledger, output: Path, once: bool) -> DataFrame:
        """The lines to come, as ``staging.judged`` has them; with ``once`` those that are there.

        Raises ToolError or UsageError where the source does not answer.
        """

    def look(self) -> None:
        """Look for new lines, where Spark does not do so itself."""

    def answers(self, spark: SparkSession, error: Exception) -> bool:
        """Whether the query may be started anew after an error; waits until it may.

        Raises the WheelproofError that the error stands for.
        """

    def lag(self, lines: Mapping[str, int], batch: int) -> Lag:
        """The lag. ``lines``: of each recording, how many were judged; ``batch``: the number of the
        last micro-batch that was, or -1."""


class Folder:
    """Files ``.jsonl`` below a folder, which grow."""

    def __init__(self, folder: Path) -> None:
        self.name, self.folder = str(folder), folder.resolve()
        self.spool: Spool | None = None

    def __str__(self) -> str:
        return self.name

    def check(self, output: Path) -> None:
        if not self.folder.is_dir():
            raise UsageError(
                f"{self.name}: there is no such folder.", "Give the folder of recordings."
            )
        if output.resolve().is_relative_to(self.folder):
            raise UsageError(
                f"{output} is in the folder that is watched.",
                "Name a folder elsewhere with --output.",
            )

    def settings(self) -> dict[str, str]:
        return {}

    def owns(self, name: str) -> bool:
        return Path(name).is_relative_to(self.folder)

    def rows(self, spark: SparkSession, ledger: Ledger, output: Path, once: bool) -> DataFrame:
        from pyspark.sql import functions as F

        place = output.resolve() / SPOOL
        self.spool = Spool(self.folder, place, ledger.lines())
        while once and self.spool.add():
            pass
        texts = spark.readStream.format("text").options(
            maxFilesPerTrigger=FILES, cleanSource="delete"
        )
        parts = F.split("value", TAB, 3)
        lines = texts.load(str(place)).select(
            parts[1].alias("address"), parts[0].cast("long").alias("row"), parts[2].alias("value")
        )
        return staging.judged(staging.parsed(lines))

    def look(self) -> None:
        if self.spool is not None:
            self.spool.add()

    def answers(self, spark: SparkSession, error: Exception) -> bool:
        return False

    def lag(self, lines: Mapping[str, int], batch: int) -> Lag:
        return "bytes", None if self.spool is None else self.spool.backlog(lines)
