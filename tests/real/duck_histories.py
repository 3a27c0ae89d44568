"""Histories on DuckDB, by the very same rules: ``python duck_histories.py FOLDER TRACE...``.

A program of its own: it reads the traces of ``real/chaos``, and DuckDB takes the place of PySpark.
``FOLDER`` is for the columns of the traces.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main(folder: Path, files: list[Path]) -> None:
    from tests.wheelproof.pipeline import duck_rules
    from wheelproof.trace.format import parquet
    from wheelproof.trace.format.jsonl import Reader

    made = []
    for number, file in enumerate(files):
        made.append(folder / f"{number}.parquet")
        reader = Reader(file)
        events = [event for _, event in reader]
        parquet.write(made[-1], reader.header, events, reader.footer)
    json.dump(duck_rules.main(made), sys.stdout)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
