"""The project's unit tests on a changed copy, in a pytest of their own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import suppress
from functools import cached_property
from pathlib import Path

import wheelproof
from wheelproof import kept
from wheelproof.mutate import hang
from wheelproof.mutate.finding import Finding, plain
from wheelproof.mutate.group import Check
from wheelproof.mutate.tree import copied

TEST_SECONDS, NIGHTLY_TEST_SECONDS = 60.0, 1200.0
"""Wall time that one unit test may take."""
UNLOADED = re.compile(r"ImportError while loading conftest|Error importing plugin \"wheelproof")
"""How pytest says that no test can begin, since a changed tool cannot be imported."""


class PytestRuns:
    """Runs of pytest in the copy at ``root``. ``base``: the whole unchanged tree."""

    def __init__(self, root: Path, base: Path) -> None:
        self.root, self.base = root, base

    @cached_property
    def cache(self) -> Path:
        """A copy of the user's cache: a changed tool may write a wrong entry into it.

        Entries pruned meanwhile are made again.
        """
        cache = self.root.with_name("cache")
        with suppress(shutil.Error, FileNotFoundError):
            shutil.copytree(kept.cache(), cache)
        return cache

    def judge(self, *checks: Check) -> Finding:
        """The finding of pytest in files of tests, in one process; the file that fails has it."""
        check = checks[0]
        there = {path.name for path in self.root.iterdir()}
        if missing := frozenset(path.name for path in self.base.iterdir()) - there:
            copied(self.base, self.root, missing)
        # A tree with the tool's own package, which may be changed, is tested with that.
        has_tool = (self.root / "wheelproof").is_dir()
        shim = self.root / ".tool"
        if not has_tool and not shim.is_dir():
            shim.mkdir()
            (shim / "wheelproof").symlink_to(
                Path(wheelproof.__file__).parent, target_is_directory=True
            )
        failures = self.root / "build" / "tests.jsonl"
        failures.parent.mkdir(exist_ok=True)
        failures.unlink(missing_ok=True)
        environment = os.environ | {
            hang.FILE: str(failures),
            hang.SECONDS: f"{NIGHTLY_TEST_SECONDS if check.nightly else TEST_SECONDS:g}",
            "PYTHONPATH": str(self.root if has_tool else shim),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "HYPOTHESIS_PROFILE": "fast",
        }
        if has_tool:
            environment["WHEELPROOF_CACHE"] = str(self.cache)
        process = subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "-p",
                "wheelproof.mutate.hang",
                "-p",
                "no:cacheprovider",
                "--hypothesis-seed=0",
                *(("-m", "nightly") if check.nightly else ()),
                *(check_.tests for check_ in checks),
            ],
            cwd=self.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        reports = (
            [json.loads(line) for line in failures.read_text(encoding="utf-8").splitlines()]
            if failures.is_file()
            else []
        )
        by_text = [failure for failure in reports if failure["when"] == hang.TEXT]
        reports = [failure for failure in reports if failure["when"] != hang.TEXT]
        if reports:
            file = reports[0]["test"].partition("::")[0]
            return Finding(
                "rejected",
                next((check_ for check_ in checks if check_.tests == file), check).title,
                reports[0]["test"].partition("::")[2] or reports[0]["when"],
                plain(f"{reports[0]['when']}: {reports[0]['message']}", self.root),
            )
        if process.returncode in (0, 5) or process.returncode == 1 and by_text:
            return Finding("passed", check.title)
        output = process.stdout + process.stderr
        return Finding(
            "unloadable" if has_tool and UNLOADED.search(output) else "error",
            check.title,
            "pytest",
            plain(f"exit code {process.returncode}: {output[-300:]}", self.root),
        )
