"""Masters of other processes: what is shipped to them and required of them, and at night a real
cluster of this machine that has none of this package."""

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest
import standalone

from traces.bulk import successors
from traces.schema import KINDS
from wheelproof import project
from wheelproof.errors import ToolError, UsageError
from wheelproof.pipeline import actions, cluster, command, java, session, validate
from wheelproof.pipeline.explain import explain
from wheelproof.trace import declared
from wheelproof.trace.format import parquet
from wheelproof.trace.format.jsonl import Reader

ROOT = Path(__file__).parents[3]
GOLDEN = Path(__file__).parents[1] / "trace" / "golden"
SAME = ("runs", "violations", "violated", "rules", "quarantined", "coverage", "lateness", "events")
"""What a report says of the traces, wherever it was made."""
UNSHARED = ("unshare", "--mount", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"')
"""Starts a command that sees a disk of its own at a folder, the first argument, as another machine
would."""

NOT_SHIPPED = """from functools import partial
from wheelproof.pipeline import cluster, validate
from traces.bulk import entry
cluster.prepare = lambda *_: None
validate.check = partial(validate.check, families=(entry.ENTRIES,))"""
"""Statements after which the command ships nothing, and asks so few rules that the replay comes
soon."""


def test_masters_are_distinguished():
    assert all(
        cluster.in_one_process(master) for master in ("local", "local[2]", "local[*]", "local[2,3]")
    )
    assert not any(
        cluster.in_one_process(master)
        for master in ("local-cluster[2,1,1024]", "spark://host:7077", "yarn", "k8s://https://host")
    )
    assert cluster.on_this_machine("local-cluster[2,1,1024]") and not cluster.on_this_machine(
        "spark://localhost:7077"
    )


def test_executors_elsewhere_need_a_folder_that_is_shared_and_this_is_reported_before_spark_starts(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(command, "session", lambda options: pytest.fail("Spark was started"))
    with pytest.raises(
        UsageError, match=r"spark://host:7077 need a scratch folder .*--scratch DIR"
    ):
        command.run([GOLDEN], command.options_of("spark://host:7077", "1g", None), None)
    cluster.check("spark://host:7077", tmp_path)
    cluster.check("local-cluster[2,1,1024]", None)


def elsewhere() -> dict[str, str]:
    """The environment of a process that does not know where the subject's traces are."""
    return {name: value for name, value in os.environ.items() if name != declared.VARIABLE}


def test_the_archive_is_this_package_as_it_is_and_python_imports_from_it(tmp_path):
    (tmp_path / "again").mkdir()
    made = cluster.archive(tmp_path)
    assert made.read_bytes() == cluster.archive(tmp_path / "again").read_bytes()
    code = (
        f"import sys; sys.path.insert(0, {str(made)!r}); "
        "from wheelproof.trace.judging import replay; from traces import schema; "
        "print(replay.__file__, len(schema.KINDS))"
    )
    printed = subprocess.run(
        [sys.executable, "-S", "-I", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env=elsewhere(),
    ).stdout.splitlines()
    assert printed == [f"{made / 'wheelproof/trace/judging/replay.py'} {len(KINDS)}"]


IN_THE_ZIP = """
import importlib, json, pkgutil, sys
from pathlib import Path
sys.path[:0] = [sys.argv[1], sys.argv[2]]
import traces, wheelproof.pipeline, wheelproof.trace
names = [each.name for package in (traces, wheelproof.trace, wheelproof.pipeline)
         for each in pkgutil.walk_packages(package.__path__, package.__name__ + ".")]
for name in names:
    if not name.endswith("__main__"):
        importlib.import_module(name)
from wheelproof.pipeline import cluster, explain, session
from traces.bulk import successors
made = cluster.archive(Path(sys.argv[4]))
print(json.dumps({"from": successors.__file__, "names": len(names),
                  "modules": sorted(successors.load()),
                  "explained": explain.explanation(Path(sys.argv[3])),
                  "same": made.read_bytes() == Path(sys.argv[1]).read_bytes(),
                  "logging": session._on_disk("log4j2.properties").read_text()}))
"""


@pytest.mark.nightly
def test_every_module_and_resource_of_traces_is_found_inside_the_zip(tmp_path):
    """Executors, and a driver under `spark-submit --py-files`, have this package as a zip alone."""
    made, packages = cluster.archive(tmp_path), Path(pyspark.__file__).parents[1]
    (tmp_path / "again").mkdir()
    command = [
        sys.executable,
        "-S",
        "-I",
        "-c",
        IN_THE_ZIP,
        made,
        packages,
        GOLDEN / "mutant_M2.jsonl",
        tmp_path / "again",
    ]
    ended = subprocess.run(
        [*map(str, command)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=elsewhere(),
    )
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert found["from"].startswith(str(made)) and found["names"] > 50
    assert found["modules"] == sorted(successors.load()) and found["same"]
    assert found["explained"]["property"] == "AtMostOneList" and found["explained"]["shrunk"]
    assert found["logging"] == (ROOT / "wheelproof/pipeline/log4j2.properties").read_text()


def by_path(source: str) -> list[int]:
    """Lines that use the path of their module: what they lead to is not there in a zip."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Name)
        and node.id == "__file__"
        or isinstance(node, ast.Attribute)
        and node.attr == "__file__"
    ]


def test_no_module_of_traces_finds_a_resource_by_its_own_path():
    sources = [
        file
        for folder in ("wheelproof/trace", "wheelproof/pipeline", "traces")
        for file in (ROOT / folder).rglob("*.py")
    ]
    found = {file.relative_to(ROOT).as_posix() for file in sources if by_path(file.read_text())}
    # One compares code objects with a file's name, the other tells processes where the subject is.
    assert found == {"traces/timer.py", "wheelproof/trace/declared.py"} and len(sources) > 50
    assert by_path('FILE = Path(__file__).with_name("a.json")\n') == [1]
    assert by_path("import w\nw.__file__\n") == [2]


def test_a_shared_folder_passes_and_one_in_which_the_files_are_not_is_refused(
    spark, tmp_path, monkeypatch
):
    shipped = []
    monkeypatch.setattr(spark.sparkContext, "addPyFile", shipped.append)
    cluster.prepare(spark, tmp_path)
    assert shipped == [str(tmp_path / "wheelproof.zip")]
    assert list((tmp_path / "probe").glob("part-*"))
    monkeypatch.setattr(Path, "glob", lambda folder, pattern: iter(()))
    (tmp_path / "other").mkdir()
    with pytest.raises(
        ToolError,
        match=r"do not share the scratch folder .*other with the driver \(of \d+ files 0 are here",
    ):
        cluster.prepare(spark, tmp_path / "other")


def test_a_python_that_the_executors_of_a_cluster_have_is_left_alone(monkeypatch):
    """Here the session ends before Spark would start: no master answers, and none is called."""
    from pyspark.sql import SparkSession

    def refuse(builder):
        raise RuntimeError("not started")

    monkeypatch.setattr(SparkSession.Builder, "getOrCreate", refuse)
    monkeypatch.setattr(os, "environ", os.environ.copy())
    monkeypatch.setenv("PYSPARK_PYTHON", "/opt/theirs/bin/python")
    for master, python in (
        ("spark://host:7077", "/opt/theirs/bin/python"),
        ("local[2]", sys.executable),
    ):
        with pytest.raises(ToolError, match="not started"):
            session.build(session.SessionOptions(master=master, memory="512m"))
        assert os.environ["PYSPARK_PYTHON"] == python


@pytest.fixture(scope="module")
def traces(tmp_path_factory) -> Path:
    """Recordings of the implementation and of mutants, one of them as Parquet."""
    folder = tmp_path_factory.mktemp("recordings")
    for name in ("two_adders", "mutant_M2", "mutant_M3", "mutant_M8", "mutant_M19"):
        shutil.copy(GOLDEN / f"{name}.jsonl", folder)
    reader = Reader(folder / "mutant_M3.jsonl")
    events = [event for _, event in reader]
    parquet.write(folder / "mutant_M3.parquet", reader.header, events, reader.footer)
    (folder / "mutant_M3.jsonl").unlink()
    return folder


@pytest.fixture(scope="module")
def python(tmp_path_factory) -> Path:
    return standalone.bare_python(tmp_path_factory.mktemp("bare"))


@pytest.mark.nightly
def test_a_cluster_without_this_package_finds_and_explains_what_local_threads_do(
    spark, traces, python, tmp_path
):
    local = validate.check(
        spark, [traces], tmp_path, labels=actions.table(project.find(standalone.ROOT))
    )  # as the command does in this folder
    expected = json.loads(
        json.dumps(local.document() | {"explanations": explain(spark, local, 1000)})
    )
    scratch = tmp_path / "scratch"
    with standalone.cluster(tmp_path) as url:
        ended = standalone.check(url, traces, python, "--scratch", str(scratch), "--json")
        without = standalone.check(
            url, traces, python, "--scratch", str(scratch), before=NOT_SHIPPED
        )
    assert ended.returncode == 1, ended.stderr
    found = json.loads(ended.stdout)
    assert {name: found[name] for name in SAME} == {name: expected[name] for name in SAME}
    # The shrinking took place there, and says the same.
    by_run = {
        name: sorted(document["explanations"], key=lambda each: each["run"])
        for name, document in (("found", found), ("expected", expected))
    }
    assert (
        by_run["found"] == by_run["expected"]
        and len(by_run["found"]) == len(list(traces.glob("mutant_*"))) == 4
    )
    assert all(each["shrunk"] for each in by_run["found"])
    # The control: nothing but the shipped package can have done that.
    assert (
        without.returncode == 1
        and "not explained: The executors' Python has no module wheelproof" in without.stdout
    ), without.stderr
    assert list(scratch.iterdir()) == []


@pytest.mark.nightly
def test_executors_with_a_disk_of_their_own_are_found_out(traces, python, tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    if (
        shutil.which("unshare") is None
        or subprocess.run([*UNSHARED, scratch, "true"], capture_output=True, check=False).returncode
    ):
        pytest.skip("not run: this user may not mount a file system")
    with standalone.cluster(tmp_path, (*UNSHARED, str(scratch))) as url:
        ended = standalone.check(url, traces, python, "--scratch", str(scratch))
    assert ended.returncode == 4 and "do not share the scratch folder" in ended.stderr, ended.stderr


@pytest.mark.nightly
def test_a_worker_too_small_for_an_executor_is_not_waited_for(traces, python, tmp_path):
    with standalone.cluster(tmp_path, memory="512m") as url:
        ended = standalone.check(
            url,
            traces,
            python,
            "--scratch",
            str(tmp_path / "scratch"),
            before="from wheelproof.pipeline import cluster\n"
            "prepare = cluster.prepare\ncluster.prepare = lambda spark, folder: prepare(spark, "
            "folder, 15)",
        )
    assert ended.returncode == 4 and "has come within 15 s" in ended.stderr, ended.stderr


@pytest.mark.nightly
def test_a_master_that_is_not_there_is_a_tool_error(traces, python, tmp_path):
    ended = standalone.check(
        "spark://127.0.0.1:1", traces, python, "--scratch", str(tmp_path / "scratch")
    )
    assert (
        ended.returncode == 4
        and "does not answer" in ended.stderr
        and "Traceback" not in ended.stderr
    ), ended.stderr


SUBMITTED = """import json, sys
from pathlib import Path
from pyspark.sql import SparkSession
from wheelproof.pipeline import cluster, explain, validate
spark = SparkSession.builder.appName("submitted").getOrCreate()
scratch = Path(sys.argv[1])
cluster.prepare(spark, scratch)
report = validate.check(spark, [Path(sys.argv[2])], scratch)
explained = explain.explain(spark, report, 1000)
found = {"from": validate.__file__, "runs": report.runs, "explained": explained}
print("REPORT " + json.dumps(found))
spark.stop()
"""


@pytest.mark.nightly
def test_spark_submit_with_this_package_as_a_zip_finds_and_explains_violations(
    traces, python, tmp_path
):
    made, scratch = cluster.archive(tmp_path), tmp_path / "scratch"
    scratch.mkdir()
    (tmp_path / "submitted.py").write_text(SUBMITTED)
    environment = standalone.outside() | {
        "JAVA_HOME": str(java.launcher(java.locate())),
        "PYSPARK_PYTHON": str(python),
        "PYSPARK_DRIVER_PYTHON": str(python),
    }
    submit = standalone.SPARK_CLASS.with_name("spark-submit")
    ended = subprocess.run(
        [
            submit,
            "--master",
            "local[2]",
            "--driver-memory",
            "1g",
            "--py-files",
            made,
            tmp_path / "submitted.py",
            scratch,
            traces,
        ],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
        cwd=tmp_path,
        env=environment,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    found = json.loads(
        next(line for line in ended.stdout.splitlines() if line.startswith("REPORT ")).removeprefix(
            "REPORT "
        )
    )
    assert "wheelproof.zip/" in found["from"]
    assert sorted(run["verdict"] for run in found["runs"]) == ["conforms", *["violates"] * 4]
    assert len(found["explained"]) == 4 and all(each["shrunk"] for each in found["explained"])
