"""Records released Kafka on a starved machine, again and again, and checks each recording:
``python -m real.record.starved --help``.

Processes that do nothing but compute take the processors away while a program runs. Its steps
then must be sound as ever: an alarm is a defect of the agent, or of an engine.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from real.record import followed
from real.record.agent import HERE, Agent, build
from traces.events import read
from wheelproof.errors import ToolError, WheelproofError
from wheelproof.pipeline import law
from wheelproof.trace import declared
from wheelproof.trace.format.jsonl import Reader, write
from wheelproof.trace.format.renumbering import renumbered
from wheelproof.trace.judging.verdict import CONFORMS, VIOLATES

BUSY = (sys.executable, "-c", "while True: pass")
IDLE_RUNS = 5
"""Runs without busy processes, whose median CPU time the others are held against."""
MOST = 2.0
"""CPU time of a starved run over that of an idle one, at most."""
PATIENCE_S = 600
ENGINES = ("by the table", "on the model")


@contextmanager
def busy(count: int) -> Iterator[None]:
    """So many processes that compute; they end with the block."""
    processes = [subprocess.Popen(BUSY, stdin=subprocess.DEVNULL) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()


def child_cpu_s() -> float:
    """CPU time of the processes that were waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def cpu_of(agent: Agent, file: Path, ms: int, count: int) -> float:
    """Record ``load`` beside so many busy processes; the CPU seconds of its JVM. Raises ToolError
    where it does not end by itself."""
    path = agent.compile(HERE / "Load.java")
    with busy(count):
        before = child_cpu_s()
        program = ["Load", str(ms), "4", "400"]
        agent.record(file, path, program, ("verify",), patience_s=PATIENCE_S)
        return child_cpu_s() - before


def alarms(file: Path, prefix: int) -> dict[str, str]:
    """Engine -> its alarm about a recording; none where the recording is sound."""
    verdict = law.of_file(file)
    model = followed.follow(file, prefix=prefix)
    finding = model.refused or model.verdict.first
    answers = {
        "by the table": (verdict.verdict == CONFORMS, verdict.first or verdict.verdict),
        "on the model": (model.conforms, finding or model.verdict.verdict),
    }
    return {name: str(why) for name, (sound, why) in answers.items() if not sound}


def blind_engines(file: Path, folder: Path, prefix: int) -> list[str]:
    """The engines that do not refuse a recording without its first unlink, all numbers given anew:
    the control of the engines."""
    reader = Reader(file)
    events = [read(event) for _, event in reader]
    at = next(number for number, event in enumerate(events) if event["k"] == "list_remove")
    rest = renumbered(events[:at] + events[at + 1 :])
    copy = folder / "planted.jsonl"
    write(copy, reader.header, rest)
    model = followed.follow(copy, prefix=prefix).refused
    verdicts = law.of_file(copy).verdict == VIOLATES, model is not None
    return [name for name, is_refused in zip(ENGINES, verdicts, strict=True) if not is_refused]


@dataclass
class Outcome:
    """The outcome of all runs together."""

    idle_s: float
    """The CPU seconds of an idle run."""
    cpu_s: list[float]
    """The CPU seconds of each run that ended."""
    events: int = 0
    alarms: int = 0
    hung: int = 0

    @property
    def ratios(self) -> list[float]:
        return [seconds / self.idle_s for seconds in self.cpu_s]

    @property
    def exit_code(self) -> int:
        """0: no alarm, and each run ended in MOST times the CPU time of an idle one at most."""
        if self.hung:
            return ToolError.exit_code
        return int(bool(self.alarms) or max(self.ratios) > MOST)

    def lines(self) -> Iterator[str]:
        ratios = self.ratios or [0.0]
        yield (
            f"{len(self.cpu_s)} recordings, {self.events:,} events, {self.alarms} alarms, "
            f"{self.hung} did not end by themselves"
        )
        yield (
            f"CPU time of Java over that of an idle run ({self.idle_s:.2f} s): median "
            f"{statistics.median(ratios):.2f}, greatest {max(ratios):.2f}, bound {MOST:g}; above "
            f"it {sum(ratio > MOST for ratio in ratios)}"
        )


def starve(
    agent: Agent, folder: Path, runs: int, count: int, ms: int, prefix: int
) -> Iterator[tuple[str, Outcome]]:
    """Record and judge so many runs; yields a line for each, and the outcome so far."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "idle.jsonl"
    idle = statistics.median(cpu_of(agent, file, ms, 0) for _ in range(IDLE_RUNS))
    outcome = Outcome(idle, [])
    yield f"idle: {idle:.2f} CPU s, the median of {IDLE_RUNS} runs", outcome
    if blind := blind_engines(file, folder, prefix):
        raise ToolError(f"A recording without an unlink is not refused {', '.join(blind)}.")
    yield f"control: without its first unlink it is refused {', '.join(ENGINES)}", outcome
    for number in range(1, runs + 1):
        file = folder / f"starved-{number}.jsonl"
        try:
            cpu_s = cpu_of(agent, file, ms, count)
        except ToolError as error:
            outcome.hung += 1
            yield f"run {number}: {error}", outcome
            continue
        against = alarms(file, prefix)
        outcome.cpu_s.append(cpu_s)
        outcome.events += (events := sum(1 for _ in Reader(file)))
        outcome.alarms += bool(against)
        if against:
            message = "; ".join(f"ALARM {name}: {why}" for name, why in against.items())
        else:
            message = CONFORMS
            file.unlink()
        ratio = outcome.ratios[-1]
        yield (
            f"run {number}: {events:,} events, {cpu_s:.2f} CPU s, {ratio:.2f} x, {message}",
            outcome,
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m real.record.starved",
        description="Records load beside busy processes, again and again: each recording must be "
        "sound, and each run must end by itself in twice the CPU time of an idle one at most.",
        epilog="Exit codes: 0 so it is, 1 an alarm, or a run took more CPU time, 2 usage, 4 a run "
        "did not end by itself, or a tool failed, 5 Java or a jar is absent. A recording with an "
        "alarm is kept.",
    )
    parser.add_argument("--runs", type=int, default=10, help="how many (10)")
    parser.add_argument("--busy", type=int, default=6, help="busy processes beside each (6)")
    parser.add_argument("--ms", type=int, default=500, help="how long each runs, in ms (500)")
    parser.add_argument(
        "--prefix", type=int, default=3_000, help="events that are followed on the model (3,000)"
    )
    parser.add_argument("--output", type=Path, default=Path("build"), help="folder (build)")
    options = parser.parse_args(arguments)
    if min(options.runs, options.ms, options.prefix) < 1 or options.busy < 0:
        parser.error("--runs, --ms and --prefix must be 1 or more, and --busy 0 or more")
    declared.use(Path(__file__).parents[2])
    try:
        agent = build(options.output)
        folder = options.output / "recordings" / "starved"
        lines = starve(agent, folder, options.runs, options.busy, options.ms, options.prefix)
        line, outcome = next(lines)
        print(line, flush=True)
        for line, _ in lines:
            print(line, flush=True)
        for line in outcome.lines():
            print(line)
        return outcome.exit_code
    except WheelproofError as error:
        print(f"real.record.starved: {error}", file=sys.stderr)
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
