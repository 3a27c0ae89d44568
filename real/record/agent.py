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

from real.d1.classes import NAMED, TOO_SLOW, Classes, of_release
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
"""The counters of a purgatory."""

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The date of each file in the jar, so that the same classes make the same jar."""
LINE = 70
"""Bytes in a line of a manifest, without its end."""
LOOKS = 30_000
"""So often the agent looks for a new event in vain before it says that a program hangs."""
MOST = 60
"""Lines of the output of a JVM that a message shows."""
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

        Raises ToolError with the output where the program or the agent fails or hangs, and
        Inconclusive where the program says that the machine is too slow for it.
        """
        output.parent.mkdir(parents=True, exist_ok=True)
        output.unlink(missing_ok=True)
        process = self.classes.run(
            f"-javaagent:{self.jar}={self.options(output, (f'patience={LOOKS}', *options))}",
            "-cp",
            os.pathsep.join(map(str, path)),
            *program,
            patience_s=patience_s,
        )
        if process.returncode == TOO_SLOW:
            raise Inconclusive(f"{program[0]}: {process.stderr.strip().splitlines()[-1]}")
        if process.returncode != 0 or not output.is_file():
            why = HALTED.get(process.returncode, f"{program[0]} ended with {process.returncode}")
            raise ToolError(f"{why}: {report(process.stderr)}")
        return process

    def options(self, output: Path, more: Sequence[str]) -> str:
        """The options behind the agent's jar on Java's command line."""
        return ",".join([f"out={output.absolute()}", f"release={NAMED}", *more])


def build(folder: Path, release: str = NAMED) -> Agent:
    """The agent beside the classes of a release. NotHere where Java or a jar is absent."""
    classes = of_release(release, folder, fixed=False)
    path = (*classes.path, *locate([METRICS], fetch=True))
    asm = locate(ASM[:2], fetch=True)
    classes_folder = classes.compile(sorted(AGENT.glob("*.java")), *asm)
    key = hashlib.sha256(f"{classes_folder.name}\n{manifest(asm)}".encode()).hexdigest()
    return Agent(kept.jar(key, lambda: pack(classes_folder, asm)), classes, path)


def pack(classes: Path, path: Sequence[Path]) -> bytes:
    """The agent's jar: its classes, and a manifest that names the jars that they need."""
    jar = io.BytesIO()
    with zipfile.ZipFile(jar, "w") as target, zipfile.ZipFile(classes) as source:
        target.writestr(zipfile.ZipInfo("META-INF/MANIFEST.MF", EPOCH), manifest(path))
        for entry in source.infolist():
            target.writestr(entry, source.read(entry))
    return jar.getvalue()


def report(output: str) -> str:
    """The last output of a JVM: from the agent's own words on, where there are some."""
    lines = output.strip().splitlines()
    numbers = [number for number, line in enumerate(lines) if line.startswith("wheelproof agent: ")]
    return "\n".join(lines[numbers[0] if numbers else -20 :][:MOST] or ["it printed nothing"])


def manifest(path: Sequence[Path]) -> str:
    """The manifest of an agent whose other classes are in these jars."""
    lines = ["Manifest-Version: 1.0", "Premain-Class: wheelproof.agent.Agent"]
    lines.append("Class-Path: " + " ".join(jar.absolute().as_uri() for jar in path))
    lines_out = []
    for line in lines:
        lines_out.append(line[:LINE])
        lines_out += [f" {line[at : at + LINE - 1]}" for at in range(LINE, len(line), LINE - 1)]
    return "\n".join(lines_out) + "\n"
