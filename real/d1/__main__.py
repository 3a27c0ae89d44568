"""Runs the reproduction of D1, or its regression test: ``python -m real.d1 --help``."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from real.d1.classes import HERE, JUNIT, NAMED, REGRESSION, TOO_SLOW, Classes, of_release
from wheelproof.errors import Inconclusive, ToolError, WheelproofError
from wheelproof.jvm.jars import locate
from wheelproof.jvm.patch import with_patch

BOUNDARIES = (400, 8_000, 160_000)
"""Keys at which a bucket of the third, fourth or fifth wheel is due, in ms."""
TEST = "org.apache.kafka.server.util.timer.SystemTimerTest"
MINUTE_S = 60
WHEEL_SIZE = 20


def measure(classes: Classes, boundary: int, runs: int) -> str:
    """The output of the reproduction: a line per run, with the lateness in ms."""
    compiled_classes = classes.compile([HERE / "D1.java"])
    path = os.pathsep.join(map(str, (compiled_classes, *classes.path)))
    # Three cases, and up to three turns of the wheel in each of 10 attempts; then 10 more, that
    # may be at the boundaries of the next wheel.
    patience = MINUTE_S + runs * 3 * 10 * 4 * (1 + WHEEL_SIZE) * boundary / 1000
    process = classes.run("-cp", path, "D1", str(boundary), str(runs), patience_s=patience)
    if process.returncode == TOO_SLOW:
        raise Inconclusive(process.stderr.strip())
    if process.returncode != 0:
        raise ToolError(f"The reproduction failed: {process.stderr.strip()}")
    return process.stdout


def cost(classes: Classes) -> str:
    """The cost of an offer and a poll of the queue, in ns of CPU, by its number of buckets."""
    benchmark = classes.compile([HERE / "Cost.java"])
    process = classes.run("-cp", benchmark, "Cost", patience_s=5 * MINUTE_S)
    if process.returncode != 0:
        raise ToolError(f"The measurement failed: {process.stderr.strip()}")
    return process.stdout


def regression(classes: Classes, folder: Path) -> tuple[bool, str]:
    """Whether the JUnit test passes on these classes, and the output of JUnit."""
    (junit,) = locate([JUNIT], fetch=True)
    with with_patch(REGRESSION, folder) as source:
        test = classes.compile([source], junit)
    path = os.pathsep.join(map(str, (test, *classes.path)))
    options = ["--disable-banner", "--disable-ansi-colors", "--details=tree"]
    selection = ["-cp", path, "-c", TEST]
    process = classes.run("-jar", junit, "execute", *options, *selection, patience_s=5 * MINUTE_S)
    if process.returncode not in (0, 1) or "1 tests started" not in process.stdout:
        raise ToolError(f"JUnit failed: {(process.stderr or process.stdout).strip()}")
    return process.returncode == 0, process.stdout


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m real.d1",
        description="Makes a timer of released Kafka late, beside two controls that are in time.",
        epilog="Exit codes: 0 ran, 1 the regression test fails, 2 usage, 3 the machine is too "
        "slow, 4 a tool failed or hangs, 5 Java or a jar is absent.",
    )
    parser.add_argument("--release", default=NAMED, help=f"the release that runs ({NAMED})")
    parser.add_argument("--fixed", action="store_true", help="with real/d1/fix.diff applied")
    parser.add_argument(
        "--boundary", type=int, choices=BOUNDARIES, default=BOUNDARIES[0], help="in ms (400)"
    )
    parser.add_argument("--runs", type=int, default=3, help="runs of each case (3)")
    parser.add_argument(
        "--regression", action="store_true", help="run the JUnit test of real/d1/regression.diff"
    )
    parser.add_argument(
        "--cost", action="store_true", help="measure what the fix adds to a call of advanceClock"
    )
    parser.add_argument("--output", type=Path, default=Path("build"), help="folder (build)")
    options = parser.parse_args(arguments)
    if options.runs < 1:
        parser.error("--runs must be 1 or more")
    try:
        classes = of_release(options.release, options.output, options.fixed)
        if options.cost:
            print(cost(classes), end="")
            return 0
        suffix = " with real/d1/fix.diff" if options.fixed else ""
        print(f"kafka-server-common {options.release}{suffix}", flush=True)
        if options.regression:
            success, output = regression(classes, options.output)
            print(output.strip())
            return 0 if success else 1
        print(measure(classes, options.boundary, options.runs), end="")
        return 0
    except WheelproofError as error:
        print(f"real.d1: {error}", file=sys.stderr)
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
