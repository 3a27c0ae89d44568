"""A test that waits for ever fails by its time, with the place where it waits."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.nights import only

ROOT = Path(__file__).parents[1]
PROGRAMS = {
    "a lock": "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()",
    "a loop": "while True:\n        pass",
    "a process": "import subprocess\nsubprocess.run(['sleep', '600'], capture_output=True)",
}


@pytest.mark.parametrize("program", only(PROGRAMS.values(), PROGRAMS["a lock"]), ids=PROGRAMS)
def test_a_test_that_waits_for_ever_fails_by_name(program, tmp_path):
    body = program.replace("\n", "\n    ")
    (tmp_path / "test_waits.py").write_text(f"def test_of_a_wait():\n    {body}\n")
    ran = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-o", "timeout=2"),
            *("-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path), str(tmp_path)),
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "Timeout (>2.0s)" in ran.stdout and "test_of_a_wait" in ran.stdout


def test_every_test_of_the_suite_has_a_time(pytestconfig):
    assert 0 < float(pytestconfig.getini("timeout")) <= 900
