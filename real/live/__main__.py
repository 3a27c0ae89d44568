"""Watches released Kafka live: ``python -m real.live --help``."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from real.d1.classes import HERE as D1
from real.live.transport import transport
from real.record.agent import HERE, Agent, build
from wheelproof import temporary
from wheelproof.errors import ToolError, WheelproofError
from wheelproof.trace.publishing import Publisher
from wheelproof.trace.topics import Address

TOPIC = "recordings"
PARTITIONS = 2
LOOK_S = 0.2
END_S, START_S = 120, 600
KEPT = ("violations.jsonl", "trace-check.json")
"""The files of the watch that stay."""

MOST_S = 60
"""The longest recording of a load."""


@contextmanager
def process(
    command: list[str], log: Path | None, signals: int
) -> Iterator[subprocess.Popen[bytes]]:
    """A process of its own session, which Ctrl-C does not reach; ended by a signal, and killed
    with all of its session where it does not end. ``log``: for its output; None: as here."""
    with (log or Path(os.devnull)).open("w", encoding="utf-8") as text:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=text if log else None,
            stderr=text if log else None,
            start_new_session=True,
        )
    try:
        yield child
    finally:
        with suppress(ProcessLookupError):
            child.send_signal(signals)
        try:
            child.wait(END_S)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()


def loads(agent: Agent, address: Address, adds: int, seconds: int) -> Iterator[list[str]]:
    """The commands of recordings, without an end: a busy run, and D1's recipe, in turn."""
    programs = (
        (HERE / "Load.java", "load", ["Load", str(1000 * seconds), "2", str(adds)]),
        (D1 / "D1.java", "d1", ["D1", "400", "1", "STALLED"]),
    )
    number = 0
    while True:
        number += 1
        for source, name, program in programs:
            target = f"{address}".replace(",", ";")
            options = f"out={target},run={name}-{number},release=4.3.0"
            path = os.pathsep.join(map(str, agent.compile(source)))
            java = f"-javaagent:{agent.jar}={options}"
            yield [str(agent.classes.java), java, "-cp", path, *program]


def follow(watch: subprocess.Popen[bytes], until: float | None) -> None:
    """Raise ToolError where the watch has ended; KeyboardInterrupt at the end of the time."""
    if watch.poll() is not None:
        raise ToolError(f"The watch has ended with {watch.returncode}.")
    if until is not None and time.monotonic() > until:
        raise KeyboardInterrupt


def page(port: int) -> dict[str, object]:
    """The numbers of the watch; nothing where it does not answer."""
    address = f"http://127.0.0.1:{port}/watch.json"
    with suppress(OSError), urllib.request.urlopen(address, timeout=5) as answer:
        document: dict[str, object] = json.load(answer)
        return document
    return {}


def is_idle(port: int) -> bool:
    """Whether the watch has judged some events and has none left."""
    numbers = page(port)
    lag = numbers.get("lag")
    return bool(numbers.get("events")) and isinstance(lag, dict) and lag.get("left") == 0


def run(options: argparse.Namespace) -> int:
    """Bring all of it up, until Ctrl-C or for so many seconds; the exit code of the watch."""
    agent = build(options.output)
    output = options.output / "live"
    output.mkdir(parents=True, exist_ok=True)
    print("live: starts a broker", flush=True)
    with transport(options.output) as node, temporary.folder("live") as folder:
        address = Address(node.servers, TOPIC)
        Publisher(address).check(PARTITIONS)
        state = folder / "watch"
        command = [sys.executable, "-m", "wheelproof", "trace", "watch", str(address)]
        command += ["--output", str(state), "--metrics", str(options.port), "--memory", "1g"]
        print(f"live: the watch judges {address}; Ctrl-C ends all of it", flush=True)
        try:
            with process(command, None, signal.SIGINT) as watch:
                until = time.monotonic() + options.seconds if options.seconds else None
                try:
                    for load in loads(agent, address, options.adds, options.each):
                        with process(load, folder / "load.log", signal.SIGTERM) as recorded:
                            while recorded.poll() is None:
                                follow(watch, until)
                                time.sleep(LOOK_S)
                except KeyboardInterrupt:
                    if not options.seconds:
                        raise
                    last = time.monotonic() + START_S
                    while not is_idle(options.port) and time.monotonic() < last:
                        follow(watch, None)
                        time.sleep(1)
        finally:
            for name in KEPT:
                with suppress(FileNotFoundError):
                    shutil.copy(state / name, output)
            print(f"live: {output / KEPT[0]}", flush=True)
    return 0


def ends(number: int, frame: object) -> None:
    """End by an exception, also where a shell lets its background jobs ignore Ctrl-C."""
    raise KeyboardInterrupt


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m real.live",
        description="Starts a broker of released Kafka, records a load on Kafka's timer and "
        "purgatory into a topic of it, in turn with D1's recipe, and watches the topic on a page.",
        epilog="Exit codes: 0 after --seconds, 2 usage, 4 a tool failed, 5 Java or a jar is "
        "absent, 130 Ctrl-C.",
    )
    parser.add_argument("--port", type=int, default=9750, help="of the page (9750)")
    parser.add_argument("--adds", type=int, default=50, help="adds a second of the load (50)")
    parser.add_argument("--each", type=int, default=20, help="seconds of one recording (20)")
    parser.add_argument("--seconds", type=int, default=0, help="end after so many (0: at Ctrl-C)")
    parser.add_argument("--output", type=Path, default=Path("build"), help="folder (build)")
    options = parser.parse_args(arguments)
    if not 1 <= options.each <= MOST_S or options.adds < 1 or options.seconds < 0:
        parser.error(f"--each is 1 to {MOST_S}, --adds 1 or more, --seconds 0 or more")
    if not 0 < options.port < 1 << 16:
        parser.error("--port is 1 to 65535")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, ends)
    try:
        return run(options)
    except KeyboardInterrupt:
        return 130
    except WheelproofError as error:
        print(f"real.live: {error}", file=sys.stderr)
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
