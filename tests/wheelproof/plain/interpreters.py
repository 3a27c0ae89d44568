"""Other interpreters of this machine, with the packages that a test needs."""

import functools
import importlib.metadata
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.nights import by_night

ROOT = Path(__file__).resolve().parents[3]
VERSIONS = ("3.12", "3.13", "3.14")
APART = " in an environment"
"""Behind a version: its packages are installed for the tests, as this interpreter has them."""

BY_DAY_AND_NIGHT = [*VERSIONS, *(by_night(version + APART) for version in VERSIONS)]


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


@functools.cache
def apart(version, *modules):
    """The interpreter of an environment with these modules, or None without that version."""
    python = find(version, "venv")
    if python is None:
        return None
    folder = ROOT / "build" / "interpreters" / version
    inner = str(folder / "bin" / "python")
    pins = [f"{module}=={importlib.metadata.version(module)}" for module in modules]
    subprocess.run([python, "-m", "venv", str(folder)], check=True, capture_output=True)
    subprocess.run([inner, "-m", "pip", "install", "-q", *pins], check=True, capture_output=True)
    return inner


def needed(version, *modules):
    """The same. Without one the test is skipped, and the version is named."""
    alone = version.endswith(APART)
    version = version.removesuffix(APART)
    python = apart(version, *modules) if alone else find(version, *modules)
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
