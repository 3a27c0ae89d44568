"""Histories on DuckDB, by the very same rules: ``python duck_histories.py FOLDER TRACE...``.

A program of its own: it reads the traces of ``real/chaos``, whose rules are another project's.
``FOLDER`` is for the columns of the traces.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main(folder: Path, files: list[Path]) -> None:
    import duckdb

    from benchmarks import duck
    from wheelproof.pipeline.answers import ask
    from wheelproof.trace import declared
    from wheelproof.trace.format import parquet
    from wheelproof.trace.format.jsonl import Reader

    made = []
    for number, file in enumerate(files):
        made.append(folder / f"{number}.parquet")
        reader = Reader(file)
        events = [event for _, event in reader]
        parquet.write(made[-1], reader.header, events, reader.footer)
    with duckdb.connect() as connection:
        names = [run.run_id for run in duck.load(connection, made)]
        answers = ask(connection, declared.part("bulk").FAMILIES)
    violations = [
        (names[row["run"]], row["rule"], row["lc"]) for row in answers.violations if "lc" in row
    ]
    json.dump({"violations": violations, "applied": answers.by_rule()}, sys.stdout)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
