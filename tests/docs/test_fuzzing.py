"""What the page on fuzzing shows is what its command prints."""

import re
import shutil
import subprocess
import sys

import pytest

from benchmarks.races import environments, finding, table
from benchmarks.races.table import BUGGY
from tests.docs.reading import ROOT, blocks
from tests.docs.test_quotes import printed, unlike
from tests.examples.pages import wheelproof
from tests.nights import only
from wheelproof.linearizability import conditions
from wheelproof.linearizability.options import Options

PAGE = (ROOT / "docs" / "fuzzing.md").read_text(encoding="utf-8")


def example(folder):
    shutil.copytree(ROOT / "examples" / "stock", folder / "examples" / "stock")


def release(folder):
    """The release that the page installs, for the interpreter of this project."""
    row = finding.prepared(table.chosen(table.read(), "limits_incr")[0], None)
    assert f"pip install wheelproof {row.package}=={row.buggy.version}\n" in PAGE
    try:
        packages = environments.side(row, BUGGY)
    except environments.Unavailable as error:
        pytest.skip(f"NOT RUN: {error}")
    (folder / "limits").symlink_to(packages / "limits")
    for needed in packages.iterdir():
        if not (folder / needed.name).exists():
            (folder / needed.name).symlink_to(needed)
    (block,) = [block for block in blocks(PAGE) if "from limits" in block.text]
    (folder / "test_limits.py").write_text(block.text, encoding="utf-8")


EXAMPLES = {"till": (example, 0), "released": (release, 1)}


@pytest.mark.parametrize("name", only(EXAMPLES, "till"))
def test_the_examples_are_found_as_the_page_shows(name, tmp_path):
    """In a folder of its own, where no database has an example."""
    prepare, number = EXAMPLES[name]
    prepare(tmp_path)
    shown = [entry for entry in printed(PAGE) if entry[0].startswith("wheelproof explore")]
    command, parts = shown[number]
    code, output = wheelproof(tmp_path, *command.split()[1:])
    assert code == 1
    assert unlike(parts, output + "\n") == []
    wrong = [part.replace("no order", "an order") for part in parts]
    assert unlike(wrong, output + "\n") != []


def test_the_machine_of_the_page_is_checked_as_it_stands(tmp_path):
    """An invariant that is always true lets the results of rules speak."""
    shutil.copy(ROOT / "examples" / "stock" / "test_any_program.py", tmp_path)
    (block,) = [block for block in blocks(PAGE) if "class Tills" in block.text]
    (tmp_path / "test_tills.py").write_text(block.text, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "test_tills.py"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 1
    assert "bug: not linearizable: T1 pay_out(" in run.stdout
    assert "wheelproof.run_concurrently(\n" in run.stdout


def test_the_page_has_every_option_and_condition():
    first = re.findall(r"^\| ([^|]+) \|", PAGE, re.MULTILINE)
    names = {name for cell in first for name in re.findall(r"`(\w+)`", cell)}
    options = {"ignore_results" if o == "ignored" else o for o in Options.__dataclass_fields__}
    assert options <= names
    assert {kind.__name__ for kind in conditions.Condition.__subclasses__()} <= names
