"""Runs the reproduction of D1, or its regression test: ``python -m real.d1 --help``."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from real.d1.classes import HERE, JUNIT, NAMED, REGRESSION, TOO_SLOW, Classes, released
from wheelproof.errors import Inconclusive, ToolError, WheelproofError
from wheelproof.jvm.jars import locate
from wheelproof.jvm.patch import with_patch

BOUNDARIES = (400, 8_000, 160_000)
"""Keys at which a bucket of the third, fourth or fifth wheel is due, in ms."""
TEST = "org.apache.kafka.server.util.timer.SystemTimerTest"
MINUTE_S = 60
WHEEL_SIZE = 20


def measure(classes: Classes, boundary: int, runs: int) -> str:
    """What the reproduction prints: a line per run, with the lateness in ms."""
    own = classes.compile([HERE / "D1.java"])
    path = os.pathsep.join(map(str, (own, *classes.path)))
    # Three cases, and up to three turns of the wheel in each of 10 attempts; then 10 more, that
    # may be at the boundaries of the next wheel.
    patience = MINUTE_S + runs * 3 * 10 * 4 * (1 + WHEEL_SIZE) * boundary / 1000
    ended = classes.run("-cp", path, "D1", str(boundary), str(runs), patience_s=patience)
    if ended.returncode == TOO_SLOW:
        raise Inconclusive(ended.stderr.strip())
    if ended.returncode != 0:
        raise ToolError(f"The reproduction failed: {ended.stderr.strip()}")
    return ended.stdout


def cost(classes: Classes) -> str:
    """What an offer and a poll of the queue cost, in ns of CPU, by the number of buckets in it."""
    own = classes.compile([HERE / "Cost.java"])
    ended = classes.run("-cp", own, "Cost", patience_s=5 * MINUTE_S)
    if ended.returncode != 0:
        raise ToolError(f"The measurement failed: {ended.stderr.strip()}")
    return ended.stdout


def regression(classes: Classes, folder: Path) -> tuple[bool, str]:
    """Whether the JUnit test passes on these classes, and what JUnit prints."""
    (junit,) = locate([JUNIT], fetch=True)
    with with_patch(REGRESSION, folder) as source:
        test = classes.compile([source], junit)
    path = os.pathsep.join(map(str, (test, *classes.path)))
    options = ["--disable-banner", "--disable-ansi-colors", "--details=tree"]
    chosen = ["-cp", path, "-c", TEST]
    ended = classes.run("-jar", junit, "execute", *options, *chosen, patience_s=5 * MINUTE_S)
    if ended.returncode not in (0, 1) or "1 tests started" not in ended.stdout:
        raise ToolError(f"JUnit failed: {(ended.stderr or ended.stdout).strip()}")
    return ended.returncode == 0, ended.stdout


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
    chosen = parser.parse_args(arguments)
    if chosen.runs < 1:
        parser.error("--runs must be 1 or more")
    try:
        classes = released(chosen.release, chosen.output, chosen.fixed)
        if chosen.cost:
            print(cost(classes), end="")
            return 0
        fixed = " with real/d1/fix.diff" if chosen.fixed else ""
        print(f"kafka-server-common {chosen.release}{fixed}", flush=True)
        if chosen.regression:
            passed, printed = regression(classes, chosen.output)
            print(printed.strip())
            return 0 if passed else 1
        print(measure(classes, chosen.boundary, chosen.runs), end="")
        return 0
    except WheelproofError as error:
        print(f"real.d1: {error}", file=sys.stderr)
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
