"""Other interpreters of this machine, where they have the packages that a test needs."""

import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
VERSIONS = ("3.12", "3.13", "3.14")


@functools.cache
def find(version, *modules):
    """An interpreter of this version that can import these modules, or None."""
    installed = Path(sys.base_prefix).parent.glob(f"{version}.*/bin/python{version}")
    for candidate in (shutil.which(f"python{version}"), *map(str, installed)):
        if candidate is not None:
            test = [candidate, "-c", f"import {', '.join(modules)}"]
            if subprocess.run(test, capture_output=True, check=False).returncode == 0:
                return candidate
    return None


def needed(version, *modules):
    """The same. Without one the test is skipped, and the version is named."""
    python = find(version, *modules)
    if python is None:
        pytest.skip(f"NOT RUN: no python{version} with {', '.join(modules)}")
    return python


def run(python, *arguments, folder=ROOT):
    """The ended process of an interpreter that finds the tool."""
    return subprocess.run(
        [python, *arguments],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTEST_ADDOPTS": "",
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
