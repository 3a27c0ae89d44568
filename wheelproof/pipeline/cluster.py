"""The needs of a master of other processes: this package on its executors, and a scratch folder
that all of them share with the driver."""

from __future__ import annotations

import re
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from wheelproof.errors import ToolError, UsageError
from wheelproof.trace import declared

ARCHIVE = "wheelproof.zip"
EPOCH = (1980, 1, 1, 0, 0, 0)
_PROBES_A_CORE = 4
PATIENCE_SECONDS = 120.0


def in_one_process(master: str) -> bool:
    """Whether executors are threads of the driver, which share its disk and its Python."""
    return re.fullmatch(r"local(\[.*\])?", master) is not None


def on_this_machine(master: str) -> bool:
    """Whether executors are threads or processes of this machine: ``local[...]`` or
    ``local-cluster[...]``."""
    return master.startswith("local")


def check(master: str, scratch: Path | None) -> None:
    """Raise UsageError where executors may be on other machines and no option names the folder that
    they share with the driver."""
    if scratch is None and not on_this_machine(master):
        raise UsageError(
            f"The executors of {master} need a scratch folder that they share with the driver.",
            "Give one on the file system that the traces are on: --scratch DIR.",
        )


def archive(folder: Path) -> Path:
    """This package and the project's traces as a zip, the same bytes for the same sources.

    The package itself may have been imported from a zip, as under ``spark-submit --py-files``.
    Raises ToolError where it has no files.
    """
    target, package = folder / ARCHIVE, "wheelproof"
    files = dict(files_of(resources.files(package), PurePosixPath(package)))
    if declared.find("schema") is not None:
        files |= files_of(resources.files(declared.PACKAGE), PurePosixPath(declared.PACKAGE))
    if not files:
        raise ToolError(
            "The sources of this package cannot be read, and executors need them.",
            "Install it from a folder, a wheel or a zip.",
        )
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as zip_file:
        for name in sorted(files):
            zip_file.writestr(
                zipfile.ZipInfo(name, EPOCH), files[name].read_bytes(), zipfile.ZIP_DEFLATED
            )
    return target


def files_of(folder: Traversable, name: PurePosixPath) -> Iterator[tuple[str, Traversable]]:
    """(name in the zip, file) of all files below a folder of the package."""
    for path in folder.iterdir():
        inner = name / path.name
        if path.is_dir():
            if path.name != "__pycache__":
                yield from files_of(path, inner)
        elif path.is_file():
            yield str(inner), path


def prepare(spark: SparkSession, folder: Path, patience: float = PATIENCE_SECONDS) -> None:
    """Ship this package to the executors, and see that their files in ``folder`` are there for the
    driver.

    ToolError where it is not, and where no executor has come after ``patience`` seconds.
    """
    spark.sparkContext.addPyFile(str(archive(folder)))
    with impatience(spark, patience):
        _share(spark, folder / "probe")


@contextmanager
def impatience(spark: SparkSession, seconds: float) -> Iterator[None]:
    """Ends the jobs inside if no executor has come in time: Spark would wait for ever, and say so
    only in its log."""
    context, alone = spark.sparkContext, threading.Event()

    def look() -> None:
        # The driver is one of them.
        if context._jsc.sc().getExecutorMemoryStatus().size() <= 1:
            alone.set()
            context.cancelAllJobs()

    timer = threading.Timer(seconds, look)
    timer.start()
    try:
        yield
    except Exception as error:
        if not alone.is_set():
            raise
        raise ToolError(
            f"No executor of {context.master} has come within {seconds:.0f} s.",
            "See whether its workers have memory and processors to spare; what an executor asks "
            "for is in spark-defaults.conf.",
        ) from error
    finally:
        timer.cancel()


def _share(spark: SparkSession, folder: Path) -> None:
    """Rows that executors write must be on the driver's disk, and come back: of those on another
    disk their loss would not be noticed."""
    parts = _PROBES_A_CORE * max(spark.sparkContext.defaultParallelism, 2)
    try:
        spark.range(0, parts, 1, parts).write.parquet(str(folder))
        back = spark.read.schema("id long").parquet(str(folder)).count()
    except PySparkException as error:
        raise _not_shared(folder, str(error).strip().splitlines()[0]) from error
    here = len(list(folder.glob("part-*.parquet")))
    if not back == here == parts:
        raise _not_shared(folder, f"of {parts} files {here} are here, with {back} of {parts} rows")


def _not_shared(folder: Path, why: str) -> ToolError:
    return ToolError(
        f"The executors do not share the scratch folder {folder.parent} with the driver "
        f"({why[:200]}).",
        "Give a folder on a file system that all of them have at the same path: --scratch DIR.",
    )
