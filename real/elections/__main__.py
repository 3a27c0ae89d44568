"""Compares elections with released Kafka: ``python -m real.elections --help``."""

from __future__ import annotations

import argparse
import sys

from real.elections.compared import differences, inputs, releases
from wheelproof.errors import WheelproofError

SHOWN = 5


def main(arguments: list[str] | None = None) -> int:
    """0 where all agree, 1 where an election differs, else the code of the error."""
    parser = argparse.ArgumentParser(
        prog="python -m real.elections",
        description="Compare the partition leader elections of released Kafka with ours.",
    )
    parser.add_argument("--release", action="append", help="a release; several may be given")
    parser.add_argument("--replicas", type=int, default=3, help="up to how many (default: 3)")
    given = parser.parse_args(arguments)
    if not 1 <= given.replicas <= 5:
        parser.error("--replicas: give a number from 1 to 5")
    chosen = [each for size in range(1, given.replicas + 1) for each in inputs(size)]
    differing = 0
    try:
        for release in given.release or releases():
            found = differences(release, chosen)
            differing += len(found)
            print(f"Kafka {release}: {len(chosen):,} elections, {len(found):,} differ", flush=True)
            for line in found[:SHOWN]:
                print(f"  {line}")
    except WheelproofError as error:
        print(f"real.elections: {error}", file=sys.stderr)
        return int(error.exit_code)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
