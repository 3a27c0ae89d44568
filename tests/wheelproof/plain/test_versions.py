"""The same programs under other interpreters, where those are installed with greenlet."""

import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
VERSIONS = ("3.12", "3.13", "3.14")

PROGRAM = """
from tests.wheelproof.plain import faulty, sound
from wheelproof.plain.exploration import explore_program, replay_program

for program, (kind, only) in faulty.CLASSES.items():
    found = explore_program(program)
    right = found.answer == "bug" and found.failure.kind == kind
    again = replay_program(program, found.schedule)
    if not right or not again.possible or again.failure is None:
        print(program.__name__, found.answer, found.reason)
for program in sound.CLASSES:
    found = explore_program(program)
    if found.answer != "exhausted":
        print(program.__name__, found.answer, found.reason)
"""


@functools.cache
def _interpreter(version):
    """An interpreter of this version that has greenlet."""
    installed = Path(sys.base_prefix).parent.glob(f"{version}.*/bin/python{version}")
    for candidate in (shutil.which(f"python{version}"), *map(str, installed)):
        if candidate is not None:
            test = [candidate, "-c", "import greenlet"]
            if subprocess.run(test, capture_output=True, check=False).returncode == 0:
                return candidate
    return None


@pytest.mark.parametrize("version", VERSIONS)
def test_another_version_of_python_answers_alike(version):
    python = _interpreter(version)
    if python is None:
        pytest.skip(f"NOT RUN: no python{version} with greenlet")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run(
        [python, "-c", PROGRAM],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
