"""``python -m wheelproof.campaign``: a block on an executor, or units in a process of a block."""

import signal
import sys
from pathlib import Path

from wheelproof.campaign import work
from wheelproof.errors import WheelproofError

ROOT = Path(__file__).resolve().parents[2]
"""The folder that Spark has unpacked."""


def main() -> None:
    folder, what = Path(sys.argv[1]), sys.argv[2]
    if what == "--units":
        work.run_units(folder, ROOT)
        return
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit("ended by a signal"))
    try:
        print(work.run_block(folder, int(what), ROOT))
    except WheelproofError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
