"""Compares ZooKeeper in memory with a real one: ``python -m real.zookeeper --help``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from real.zookeeper.compared import by_zookeeper, differences, steps
from real.zookeeper.faults import FAULTS
from real.zookeeper.server import RELEASE
from wheelproof.errors import NothingChecked, WheelproofError

SHOWN = 5


def main(arguments: list[str] | None = None) -> int:
    """0 where both agree and each fault is found, 1 where they differ, else an error's code."""
    parser = argparse.ArgumentParser(
        prog="python -m real.zookeeper",
        description="Compare the ZooKeeper in memory with a real one, by random operations.",
    )
    parser.add_argument("--operations", type=int, default=2000, help="how many (default: 2000)")
    parser.add_argument("--seed", type=int, default=1, help="of the choice (default: 1)")
    parser.add_argument("--output", type=Path, default=Path("build"), help="folder for the log")
    options = parser.parse_args(arguments)
    if not 1 <= options.operations <= 100_000:
        parser.error("--operations: give a number from 1 to 100000")
    program = steps(options.operations, options.seed)
    try:
        real = by_zookeeper(program, options.output)
        unequal = differences(program, real)
        events = sum(len(outcome.events) for outcome in real)
        failures = sum(not outcome.reply.ok for outcome in real)
        print(
            f"ZooKeeper {RELEASE}: {len(program):,} operations, {failures:,} refused or lost, "
            f"{events:,} events: {len(unequal):,} differ",
            flush=True,
        )
        for line in unequal[:SHOWN]:
            print(f"  {line}")
        misses = []
        for fault in FAULTS:
            differing = differences(program, real, fault)
            first = f", from number {differing[0].number:,}" if differing else ""
            print(f"  fault, {fault.__doc__}: {len(differing):,} differ{first}")
            misses += [] if differing else [fault.__name__]
        if misses and not unequal:
            raise NothingChecked(
                f"The operations do not find {', '.join(misses)}.", "Take more, by --operations."
            )
    except WheelproofError as error:
        print(f"real.zookeeper: {error}", file=sys.stderr)
        return int(error.exit_code)
    return 1 if unequal else 0


if __name__ == "__main__":
    sys.exit(main())
