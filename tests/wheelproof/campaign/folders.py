"""A project with the oracles alone, and its campaigns run without Spark."""

import os
import shutil
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

from wheelproof.campaign import manifest as manifests
from wheelproof.campaign import summary
from wheelproof.campaign.kind import Request, campaign
from wheelproof.commands import campaigning

ROOT = Path(__file__).parents[3]
SORTING = "oracles:Sorting"


def project(folder):
    """A folder with the oracles as its only module."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(Path(__file__).with_name("oracles.py"), folder)
    return folder


def begun(root, output, oracle=SORTING, seeds=(0, 12), size=5, limit=60.0, **choices):
    """A campaign that has begun, and its manifest."""
    subject = campaign(Request("programs", (oracle,), seeds, **choices), root)
    return subject, campaigning.prepared(subject, output, size, limit, False)


def unpacked(output, folder):
    """The shipped project, as Spark unpacks it for an executor."""
    shutil.unpack_archive(output / manifests.ARCHIVE, folder)
    return folder


@contextmanager
def executor(output, number, root, **environment):
    """The process of a block with a pipe of an executor that lives until the end."""
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "wheelproof.campaign", str(output), str(number)],
        cwd=root,
        env={"PYTHONPATH": str(root), "PATH": os.environ["PATH"], **environment},
        stdin=reading,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(reading)
    try:
        yield process, writing
    finally:
        process.kill()
        process.communicate()
        with suppress(OSError):
            os.close(writing)


def run_block(output, number, root, **environment):
    """Run a block as the task of Spark does; exit code and standard error."""
    with executor(output, number, root, **environment) as (process, _):
        says = process.communicate(timeout=300)[1]
        return process.returncode, says


def run_all(output, manifest, root, order=None, **environment):
    """Run all blocks in an order."""
    for number in order or range(manifest.blocks):
        code, says = run_block(output, number, root, **environment)
        assert code == 0, says


def sum_of(output, manifest, subject):
    return summary.read(output, manifest, subject)
