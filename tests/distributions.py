"""The distributions of this project, built apart from it, and environments to install them in."""

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PIP = ("-m", "pip", "--disable-pip-version-check", "--no-input", "-q")
NO_NETWORK = ("--no-deps", "--no-index")
FILES = ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE")
SKIPPED = shutil.ignore_patterns("__pycache__", "*.pyc", "*.egg-info", "build")


def run(folder, *arguments, python=sys.executable, **environment):
    """(exit code, what was printed) of Python in a folder."""
    done = subprocess.run(
        [str(python), *map(str, arguments)],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
    )
    return done.returncode, done.stdout


def build(folder, kind="wheel", **environment):
    """The wheel or the sdist of a distribution's folder, by the backend that its file names: pip
    would start that twice."""
    backend = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["build-system"]
    program = f"import {backend['build-backend']} as backend; backend.build_{kind}('built')"
    code, printed = run(folder, "-c", program, **environment)
    assert code == 0, printed
    (built,) = (folder / "built").glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return built


def source(folder):
    """A copy of what the tool is built from, its links as a clone has them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        shutil.copy(ROOT / name, folder / name)
    for name in ("wheelproof", "runtime", "impl", "model"):
        shutil.copytree(ROOT / name, folder / name, ignore=SKIPPED, symlinks=True)
    return folder


def unpacked(archive, folder):
    """The folder of a source distribution."""
    with tarfile.open(archive) as file:
        file.extraction_filter = getattr(tarfile, "data_filter", None)  # not before 3.11.4
        file.extractall(folder)
    (found,) = folder.iterdir()
    return found


def runtime(folder):
    """The wheel of the primitives, built in a new folder from a copy: its links are files there."""
    return build(Path(shutil.copytree(ROOT / "runtime", folder, ignore=SKIPPED)))


def environment(folder, python=sys.executable):
    """The Python of a new virtual environment without packages."""
    code, printed = run(folder.parent, "-m", "venv", folder, python=python)
    assert code == 0, printed
    return folder / "bin" / "python"
