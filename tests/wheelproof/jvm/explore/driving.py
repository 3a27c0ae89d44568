"""Programs of this folder, run by a driver that has the engine in its process."""

from __future__ import annotations

import json
import os
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from wheelproof.jvm import setup
from wheelproof.jvm.explore import harness, process
from wheelproof.jvm.jars import NotHere

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
OWN = {"Faulty", "Sound"}
"""Classes that hold what the others of their file share."""


@cache
def _compiled() -> tuple[harness.Harness, Path]:
    try:
        engine = harness.prepare(PROGRAMS / "Faulty.java", [])
        driver = sorted((HERE / "driver").glob("*.java"))
        programs = setup.compile_java(engine.java, sorted(PROGRAMS.glob("*.java")), [], True)
        return engine, setup.compile_java(engine.java, driver, [*engine.tool, programs], True)
    except NotHere as error:
        pytest.skip(f"NOT RUN: {error}")


def drive(mode: str, *words: str) -> list[dict[str, Any]]:
    """The answers of the driver, one for each program."""
    engine, driver = _compiled()
    programs = setup.compile_java(engine.java, sorted(PROGRAMS.glob("*.java")), [], True)
    exports = [f"--add-exports=java.base/{name}=ALL-UNNAMED" for name in process.PACKAGES]
    opens = [f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in process.OPENED]
    path = os.pathsep.join(map(str, (driver, *engine.tool)))
    command = [str(engine.java), *process.OPTIONS, *exports, *opens, "-ea", "-cp", path]
    ended = subprocess.run(
        [*command, "wheelproof.explore.Driver", mode, str(programs), *words],
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    answers: list[dict[str, Any]] = json.loads(ended.stdout)
    return answers


def classes(file: str) -> list[str]:
    """The programs of a file."""
    text = (PROGRAMS / file).read_text(encoding="utf-8")
    return [name for name in re.findall(r"^class (\w+)", text, re.MULTILINE) if name not in OWN]
