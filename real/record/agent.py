"""The agent's jar, and programs that run under it."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from real.d1.classes import NAMED, TOO_SLOW, Classes, released
from wheelproof import kept
from wheelproof.artifacts import Artifact
from wheelproof.errors import Inconclusive, ToolError
from wheelproof.jvm.jars import locate
from wheelproof.jvm.setup import ASM

HERE = Path(__file__).parent
AGENT = HERE.parent / "agent"
METRICS = Artifact(
    "com.yammer.metrics:metrics-core:2.2.0",
    "6b7a14a6f34c10f8683f7b5e2f39df0f07b58c7dff0e468ebbc713905c46979c",
)
"""What a purgatory counts with."""

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The date of each file in the jar, so that the same classes make the same jar."""
LINE = 70
"""Bytes in a line of a manifest, without its end."""
LOOKS = 30_000
"""So often the agent looks for a new event in vain before it says that a program hangs."""
MOST = 60
"""Lines of what a JVM has printed that a message shows."""
HALTED = {
    96: "The program hangs",
    97: "The agent has a defect",
    98: "The agent refuses these classes",
    99: "A recorded lock was not held",
}
"""Exit code of a JVM that the agent halts -> why."""


@dataclass(frozen=True)
class Agent:
    """The jar, and the class path of the programs that it records."""

    jar: Path
    classes: Classes
    path: tuple[Path, ...]

    def compile(self, *sources: Path) -> tuple[Path, ...]:
        """The class path with the classes of these sources before it."""
        return (self.classes.compile(sources, *self.path), *self.path)

    def record(
        self,
        output: Path,
        path: Sequence[Path],
        program: Sequence[str],
        options: Sequence[str] = (),
        patience_s: float = 120,
    ) -> subprocess.CompletedProcess[str]:
        """Run a program, and record it into ``output``.

        Raises ToolError with what was printed where the program or the agent fails or hangs, and
        Inconclusive where the program says that the machine is too slow for it.
        """
        output.parent.mkdir(parents=True, exist_ok=True)
        output.unlink(missing_ok=True)
        ended = self.classes.run(
            f"-javaagent:{self.jar}={self.options(output, (f'patience={LOOKS}', *options))}",
            "-cp",
            os.pathsep.join(map(str, path)),
            *program,
            patience_s=patience_s,
        )
        if ended.returncode == TOO_SLOW:
            raise Inconclusive(f"{program[0]}: {ended.stderr.strip().splitlines()[-1]}")
        if ended.returncode != 0 or not output.is_file():
            why = HALTED.get(ended.returncode, f"{program[0]} ended with {ended.returncode}")
            raise ToolError(f"{why}: {reported(ended.stderr)}")
        return ended

    def options(self, output: Path, more: Sequence[str]) -> str:
        """What stands behind the agent's jar on Java's command line."""
        return ",".join([f"out={output.absolute()}", f"release={NAMED}", *more])


def build(folder: Path, release: str = NAMED) -> Agent:
    """The agent beside the classes of a release. NotHere where Java or a jar is absent."""
    classes = released(release, folder, fixed=False)
    path = (*classes.path, *locate([METRICS], fetch=True))
    asm = locate(ASM[:2], fetch=True)
    own = classes.compile(sorted(AGENT.glob("*.java")), *asm)
    key = hashlib.sha256(f"{own.name}\n{manifest(asm)}".encode()).hexdigest()
    return Agent(kept.jar(key, lambda: packed(own, asm)), classes, path)


def packed(classes: Path, path: Sequence[Path]) -> bytes:
    """The agent's jar: its classes, and a manifest that names the jars that they need."""
    jar = io.BytesIO()
    with zipfile.ZipFile(jar, "w") as made, zipfile.ZipFile(classes) as given:
        made.writestr(zipfile.ZipInfo("META-INF/MANIFEST.MF", EPOCH), manifest(path))
        for entry in given.infolist():
            made.writestr(entry, given.read(entry))
    return jar.getvalue()


def reported(printed: str) -> str:
    """What a JVM says at last: from the agent's own words on, where there are some."""
    lines = printed.strip().splitlines()
    own = [number for number, line in enumerate(lines) if line.startswith("wheelproof agent: ")]
    return "\n".join(lines[own[0] if own else -20 :][:MOST] or ["it printed nothing"])


def manifest(path: Sequence[Path]) -> str:
    """The manifest of an agent whose other classes are in these jars."""
    lines = ["Manifest-Version: 1.0", "Premain-Class: wheelproof.agent.Agent"]
    lines.append("Class-Path: " + " ".join(jar.absolute().as_uri() for jar in path))
    folded = []
    for line in lines:
        folded.append(line[:LINE])
        folded += [f" {line[at : at + LINE - 1]}" for at in range(LINE, len(line), LINE - 1)]
    return "\n".join(folded) + "\n"
