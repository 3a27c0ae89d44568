"""Schedules of Java that stay: a test of JUnit, which runs one again in a process of its own.

As with threads of Python, a schedule names threads and places, not lines. Where the harness no
longer comes to its places, the orders with as many preemptions are searched instead.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from wheelproof import files, reading
from wheelproof.errors import UsageError
from wheelproof.jvm.explore import searching
from wheelproof.jvm.explore.harness import Harness
from wheelproof.plain import columns
from wheelproof.plain.answers import Answer, Exploration, Schedule
from wheelproof.plain.saved import EXECUTIONS, HOLDS, IMPOSSIBLE, Again
from wheelproof.plain.settings import Settings

MARK = "// An order of threads in which a harness fails, written by `wheelproof explore --save`."

_TEST = """
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class %(name)s {
    /** From the working directory. */
    private static final List<String> HARNESS = List.of(
            %(options)s);
    /** A thread, the place that it stops in front of, for which time, and who goes on. */
    private static final String SCHEDULE = \"\"\"
%(schedule)s
            \"\"\";

    @Test
    void schedule() throws Exception {
        Path schedule = Files.createTempFile("schedule", ".json");
        try {
            Files.writeString(schedule, SCHEDULE);
            List<String> command = new ArrayList<>(List.of("wheelproof", "explore"));
            command.addAll(HARNESS);
            command.addAll(List.of("--schedule", schedule.toString()));
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            byte[] output = process.getInputStream().readAllBytes();
            String printed = new String(output, StandardCharsets.UTF_8);
            switch (process.waitFor()) {
                case 0 -> System.out.print(printed);
                case 3, 5 -> abort(printed);
                default -> fail(printed);
            }
        } finally {
            Files.delete(schedule);
        }
    }
}
"""


def check_writable(file: Path) -> None:
    """Raises UsageError for a name that JUnit does not look for, and for a file of another kind."""
    if not (file.name.endswith("Test.java") and file.stem.isidentifier()):
        raise UsageError(f"{file} is no name of a test of JUnit.", "Give a file NAMETest.java.")
    if file.exists() and (not file.is_file() or not reading.text(file).startswith(MARK)):
        raise UsageError(f"{file} exists, and is no saved schedule.", "Give another name.")
    if not file.parent.is_dir():
        raise UsageError(f"There is no folder {file.parent}.")


def save(file: Path, source: Path, jars: Sequence[Path], exploration: Exploration) -> None:
    """Write the schedule of a failure."""
    files.replace(file, text(file.stem, source, jars, exploration).encode())


def text(name: str, source: Path, jars: Sequence[Path], exploration: Exploration) -> str:
    """The test, as a class of this name."""
    schedule, failure = exploration.schedule, exploration.failure
    assert schedule is not None and failure is not None
    options = ["--harness", source.as_posix()]
    options += [part for jar in jars for part in ("--jar", jar.as_posix())]
    rows = [
        [switch.thread, switch.place, switch.visit, switch.following]
        for switch in schedule.switches
    ]
    document = (
        f'{{"bound": {failure.preemptions},\n'
        f'"places": {_list(schedule.places)},\n"switches": {_list(rows)}}}'
    )
    lines = [MARK, "//"]
    # Java reads \\u even in a comment, but not behind a backslash.
    shown = columns.text(exploration, 78).replace("\\", "\\\\")
    lines += [f"// {line}".rstrip() for line in shown.splitlines()]
    filled = _TEST % {
        "name": name,
        "options": ", ".join(map(json.dumps, options)),
        "schedule": _block(document),
    }
    return "\n".join(lines) + "\n" + filled


def _list(items: Sequence[object]) -> str:
    """A list in JSON, with a line for each item."""
    return "[\n" + ",\n".join(f"    {json.dumps(item)}" for item in items) + "]"


def _block(text: str) -> str:
    """Lines within a text block of Java: a backslash of JSON is written twice."""
    return "\n".join(" " * 12 + line.replace("\\", "\\\\") for line in text.splitlines())


def again(harness: Harness, schedule: Schedule, bound: int) -> Again:
    """Run a saved schedule; a search replaces one that is no longer possible."""
    replayed = searching.replay(harness, schedule)
    if replayed.failure is not None:
        reason = f"the saved schedule fails: {replayed.failure.message}"
        failed = Exploration(Answer.BUG, 1, (), replayed.failure, None, reason, schedule)
        return Again("", failed)
    if replayed.possible:
        return Again(HOLDS, None)
    settings = replace(Settings(), bound=bound, executions=EXECUTIONS)
    return Again(IMPOSSIBLE, searching.explore(harness, settings))
