"""A watch that kills itself: `python killed_watch.py SOURCE OUTPUT MOMENT BATCH`.

MOMENT is one of MOMENTS, of the BATCH-th micro-batch from here on; "never" kills nothing, and
"twice" takes a micro-batch that the ledger has once more, with all of its lines.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import time
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BYTES, RECORDS = 30_000, 150
"""Of a micro-batch of a watch that is killed: a start of it has several."""

ALL = 1000
"""Files of the spool in a micro-batch of a watch that is not killed."""

MOMENTS = ("begun", "taken", "kept", "written", "ended", "java", "any")
"""Before the transaction; at its end; before the report; within it; before Spark's own note; of
Spark's Java; at any time."""


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def all_again(connection):
    """Take lines for new ones, whatever came before."""
    connection.execute("CREATE OR REPLACE TEMP VIEW arriving AS SELECT * FROM given")
    return []


def main(given: str, output: Path, moment: str, batch: int) -> int:
    from wheelproof import documents
    from wheelproof.errors import WheelproofError
    from wheelproof.pipeline.session import SessionOptions
    from wheelproof.pipeline.watch import arrivals, source, stream, topics
    from wheelproof.pipeline.watch.ledger import Ledger
    from wheelproof.pipeline.watch.stream import Watch
    from wheelproof.trace import declared

    declared.use(ROOT)
    source.Spool = partial(source.Spool, limit=BYTES)
    if moment in MOMENTS:
        source.FILES, topics.RECORDS = 1, RECORDS
    else:
        source.FILES = ALL
    left = [batch]

    def due(name: str) -> bool:
        return moment == name and left[0] == 0

    taking, keeping, telling = Ledger.take, Watch.write, documents.write

    def batch_of(watch, rows, number):
        if due("begun"):
            kill()
        if due("java"):
            from pyspark import SparkContext

            os.kill(SparkContext._gateway.proc.pid, signal.SIGKILL)
        if due("any"):
            delay = random.Random(number).uniform(0, 4)
            threading.Thread(target=lambda: (time.sleep(delay), kill()), daemon=True).start()
        Watch_batch(watch, rows, number)
        if due("ended"):
            kill()
        left[0] -= 1

    def take(ledger, number, lines):
        taking(ledger, number, lines)
        if due("taken"):
            kill()

    def write(watch, report):
        if due("kept"):
            kill()
        keeping(watch, report)

    def document(path, content):
        if due("written"):
            kill()
        telling(path, content)

    Watch_batch, Watch.batch = Watch.batch, batch_of
    Ledger.take, Watch.write, documents.write = take, write, document
    if moment == "twice":
        Ledger.batch, arrivals._again = -1, all_again
    options = SessionOptions(
        master="local[2]",
        memory="1g",
        partitions=2,
        more={
            "spark.driver.defaultJavaOptions": "-XX:TieredStopAtLevel=1",
            "spark.sql.codegen.wholeStage": "false",
            "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        },
    )
    try:
        return stream.run(stream.source_of(given), options, output, {}, stream.Options(once=True))
    except WheelproofError as error:
        print(error, file=sys.stderr)
        return error.exit_code


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT)]
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])))
