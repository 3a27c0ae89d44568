"""What the page on fuzzing shows is what its command prints."""

import re
import shutil
import subprocess
import sys

from tests.docs.reading import ROOT
from tests.docs.test_quotes import printed, unlike
from tests.examples.pages import wheelproof
from wheelproof.linearizability import conditions
from wheelproof.linearizability.options import Options

PAGE = (ROOT / "docs" / "fuzzing.md").read_text(encoding="utf-8")


def test_the_first_example_is_found_as_the_page_shows(tmp_path):
    """In a folder of its own, where no database has an example."""
    shutil.copytree(ROOT / "examples" / "stock", tmp_path / "examples" / "stock")
    command, parts = next(entry for entry in printed(PAGE) if entry[0].startswith("wheelproof "))
    code, output = wheelproof(tmp_path, *command.split()[1:])
    assert code == 1
    assert unlike(parts, output + "\n") == []
    wrong = [part.replace("True", "False") for part in parts]
    assert unlike(wrong, output + "\n") != []


def test_the_machine_of_the_page_is_checked_as_it_stands(tmp_path):
    """An invariant that is always true lets the results of rules speak."""
    shutil.copy(ROOT / "examples" / "stock" / "test_any_program.py", tmp_path)
    (block,) = re.findall("```python\n(import wheelproof.*?)```", PAGE, re.DOTALL)
    (tmp_path / "test_tills.py").write_text(block, encoding="utf-8")
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
