"""The class path of a run: released jars, classes of a diff, and classes compiled here."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from real import patience
from wheelproof import java
from wheelproof.artifacts import Artifact
from wheelproof.errors import ToolError, UsageError
from wheelproof.jvm import declaration
from wheelproof.jvm.jars import NotHere, locate
from wheelproof.jvm.patch import with_patch
from wheelproof.jvm.setup import MINIMUM, compile_java

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FIX, REGRESSION = HERE / "fix.diff", HERE / "regression.diff"

TOO_SLOW = 3
"""Exit code of D1.java on a machine on which no add comes before the boundary."""
NAMED = "4.3.0"
"""The release that the diffs are made against."""
KAFKA = "org.apache.kafka:kafka-server-common"
SOURCES = Artifact(
    f"{KAFKA}:{NAMED}:sources", "acff7b13f3e362939f46902f5aa44cc894a294a3c510342e9598529f893fea6d"
)
JUNIT = Artifact(
    "org.junit.platform:junit-platform-console-standalone:1.11.4",
    "b016ef6b1c3454d6d7c2c88ce081dabf289699686af6622d6e4e2e1b54b4a2fc",
)


@dataclass(frozen=True)
class Classes:
    """A Java and the class path of one release."""

    java: Path
    path: tuple[Path, ...]

    def compile(self, sources: Sequence[Path], *more: Path) -> Path:
        """The jar with the classes of these sources."""
        return compile_java(self.java, sources, [*self.path, *more], True)

    def run(
        self, *arguments: str | Path, patience_s: float, beside: Sequence[int] = ()
    ) -> subprocess.CompletedProcess[str]:
        """Run Java, which may end with any exit code and may need the processes ``beside`` it.
        ToolError where it hangs."""
        return patience.run([self.java, *arguments], patience_s, beside)


def releases() -> list[str]:
    """The pinned releases whose timer is a Java class of kafka-server-common."""
    file = ROOT / declaration.FOLDER / declaration.RELEASES
    table = declaration.load(file)
    return [name for name, jars in table.items() if f"{KAFKA}:{name}" in jars]


def of_release(release: str, folder: Path, fixed: bool) -> Classes:
    """The classes of a release; with ``fixed`` the class of fix.diff stands before them.

    Raises UsageError for a release that is not pinned, NotHere where Java or a jar is absent.
    """
    if release not in releases():
        raise UsageError(
            f"There is no release {release} with the timer as a Java class.",
            f"Choose one of {', '.join(releases())}.",
        )
    if fixed and release != NAMED:
        raise UsageError(f"The fix is a diff against {NAMED}.", f"Use --release {NAMED}.")
    try:
        runtime = java.locate("Kafka's timer", MINIMUM, f"Install Java {MINIMUM} or newer.")
    except ToolError as error:
        raise NotHere(error.message, error.remedy) from error
    jars = tuple(locate(declaration.artifacts(ROOT, release), fetch=True))
    classes = Classes(runtime.executable, jars)
    if not fixed:
        return classes
    with with_patch(FIX, folder, *locate([SOURCES], fetch=True)) as source:
        patch_classes = classes.compile([source])
    return Classes(classes.java, (patch_classes, *jars))
