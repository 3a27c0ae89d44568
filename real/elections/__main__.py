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
    options = parser.parse_args(arguments)
    if not 1 <= options.replicas <= 5:
        parser.error("--replicas: give a number from 1 to 5")
    elections = [election for size in range(1, options.replicas + 1) for election in inputs(size)]
    differing = 0
    try:
        for release in options.release or releases():
            differing_inputs = differences(release, elections)
            differing += len(differing_inputs)
            print(
                f"Kafka {release}: {len(elections):,} elections, {len(differing_inputs):,} differ",
                flush=True,
            )
            for line in differing_inputs[:SHOWN]:
                print(f"  {line}")
    except WheelproofError as error:
        print(f"real.elections: {error}", file=sys.stderr)
        return int(error.exit_code)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
