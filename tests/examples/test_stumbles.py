"""Where newcomers stumbled: each message says once what is wrong, and how to go on."""

import ast
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.examples.pages import ONE_PROCESS, ROOT, change, wheelproof
from wheelproof.python.style import dropped
from wheelproof.tlc.remedies import remedy

SPEC, HARNESS = "spec/BoundedBuffer.tla", "harness/bounded_buffer.py"
TERMINATION = '\nTermination == <>(\\A t \\in Threads : pc[t] = "Done")\n'
PLUSCAL = "PlusCal defines Termination itself, in the translation. Take the other definition away"
TWICE = "Operator Termination already defined"


@pytest.fixture
def buffer(tmp_path):
    ignored = shutil.ignore_patterns("build", "__pycache__")
    return Path(shutil.copytree(ROOT / "examples/bounded_buffer", tmp_path / "b", ignore=ignored))


def defined_twice(buffer):
    spec = buffer / SPEC
    text = re.sub(
        r"(\\\* END TRANSLATION.*\n)", lambda found: found[1] + TERMINATION, spec.read_text()
    )
    assert text != spec.read_text()
    spec.write_text(text)


def test_termination_that_is_defined_twice_is_refused_once_and_the_log_stays(buffer):
    defined_twice(buffer)
    code, printed = wheelproof(buffer, "list", "--update-counts")
    assert code == 2 and printed.count(TWICE) == 1 and PLUSCAL in printed
    log = re.search(r"; the log is (\S+)\.$", printed.strip())[1]
    assert TWICE in (buffer / log).read_text()


def test_termination_that_is_defined_twice_is_not_read_as_another_formula(buffer):
    defined_twice(buffer)
    code, printed = wheelproof(buffer, "verify", "--layer", "tlc", *ONE_PROCESS)
    assert code == 2 and TWICE in printed and PLUSCAL in printed
    assert "subset" not in printed


def test_counts_of_a_damaged_translation_are_not_measured(buffer):
    spec = buffer / SPEC
    spec.write_text(re.sub(r"^Termination ==.*\n", "", spec.read_text(), flags=re.MULTILINE))
    code, printed = wheelproof(buffer, "list", "--update-counts")
    assert code == 2 and "as declared" not in printed
    assert f"is stale. Run `wheelproof translate {SPEC}`." in printed


def swallowing(buffer):
    for line in ("self.buffer.put(item)", "return self.buffer.get()"):
        kept = f"try:\n            {line}\n        except ValueError:\n            return None"
        change(buffer / HARNESS, f"        {line}", f"        {kept}")


def test_findings_of_style_are_refused_each_once_in_a_line(buffer):
    swallowing(buffer)
    code, printed = wheelproof(buffer, "verify", "--layer", "bisimulation", *ONE_PROCESS)
    assert code == 2 and "TOOL FAILED" not in printed and "\\n" not in printed
    (line,) = (line for line in printed.splitlines() if line.startswith("not in order: "))
    assert line.count("[swallowed]") == 2 and line.count(f"{HARNESS}:16: ") == 1


def handler(code):
    """A method of a harness with a handler in one line."""
    clause, _, body = code.partition(": ")
    return ast.parse(f"def get(self):\n    try:\n        pass\n    {clause}:\n        {body}\n")


def test_the_handlers_that_the_message_and_the_page_show_are_taken():
    ((_, _, _, shown),) = dropped.swallow_faults(handler("except Closed: return None"))
    page = (ROOT / "docs" / "add-a-mechanism.md").read_text(encoding="utf-8")
    for text in (shown, page):
        (code,) = re.findall(r"`(except \w+ as\s+error: [^`]+)`", text)
        assert not list(dropped.swallow_faults(handler(" ".join(code.split()))))


def test_a_mutant_that_survives_says_where_its_change_shows(buffer):
    file = buffer / "mutants/bounded_buffer/NotifiesOne.md"
    change(file, 'property = "NoDeadlock"', 'property = "Bounded"')
    code, printed = wheelproof(buffer, "verify", "--mutant", "NotifiesOne", *ONE_PROCESS)
    text = " ".join(printed.split())
    assert code == 1 and "expected violated by Bounded, got exhaustive" in text
    assert "states of two_producers, and the change shows after step 15, c.G7" in text
    assert "name a property or a scenario that needs the decision" in text


def test_a_config_with_fairness_says_what_the_module_lacks():
    shown = remedy("Unknown operator: `Fairness'.")
    assert r"Fairness(T) == \A t \in T : WF_vars(thread(t))" in shown
    assert remedy("Unknown operator: `Fair'.") == ""


@pytest.mark.parametrize("command", ["verify", "locks", "trace record cache two"])
def test_a_folder_with_a_class_alone_learns_what_needs_no_project(tmp_path, command):
    (tmp_path / "impl").mkdir()
    (tmp_path / "impl" / "cache.py").write_text("class Cache:\n    pass\n")
    code, printed = wheelproof(tmp_path, *command.split())
    assert code == 5 and "`wheelproof explore FILE::TEST` needs none" in printed
    code, printed = wheelproof(tmp_path, "init", "cache")
    assert code == 2 and "is there already" in printed and "wheelproof explore" in printed


def test_no_build_of_a_wheel_leaves_a_file_that_git_sees():
    made = ("build/lib/x", "dist/x", "runtime/build/lib/x", "runtime/a.egg-info/x")
    for name in made:
        assert subprocess.run(["git", "check-ignore", "-q", name], cwd=ROOT).returncode == 0, name
