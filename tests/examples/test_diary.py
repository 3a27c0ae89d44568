"""The diary of a newcomer, followed again: no command stumbles where it did."""

import shutil
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.examples.pages import ONE_PROCESS, ROOT, wheelproof

DIARY = tomllib.loads((ROOT / "tests/examples/diary.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    folder = tmp_path_factory.mktemp("started")
    code, printed = wheelproof(folder, "init", "my_lock")
    assert code == 0, printed
    return folder


def changed(folder: Path, step: Mapping[str, Any]) -> None:
    """Change the files of a step."""
    for name, old, new in step.get("change", ()):
        text = (folder / name).read_text(encoding="utf-8")
        assert text.count(old) >= 1, (name, old)
        (folder / name).write_text(text.replace(old, new), encoding="utf-8")


def stumbles(step: Mapping[str, Any], code: int, printed: str) -> Iterator[str]:
    """What a command does otherwise than its step says."""
    if code != step["code"]:
        yield f"it ends with {code}"
    text = " ".join(printed.split())
    for words in step.get("says", ()):
        if words not in text:
            yield f"it does not print {words}"
    for words in step.get("once", ()):
        if text.count(words) != 1:
            yield f"it prints {words} {text.count(words)} times"
    for words in step.get("never", ()):
        if words in text:
            yield f"it prints {words}"


@pytest.mark.daily(6)
@pytest.mark.slow
@pytest.mark.parametrize("step", DIARY["step"], ids=lambda step: step["stumble"])
def test_a_command_of_the_diary_does_not_stumble(started, tmp_path, step):
    folder = tmp_path / "project"
    if step.get("empty"):
        folder.mkdir()
    else:
        shutil.copytree(started, folder)
    changed(folder, step)
    words = step["command"].split()
    code, printed = wheelproof(folder, *words, *(ONE_PROCESS if words[0] == "verify" else ()))
    assert list(stumbles(step, code, printed)) == [], printed


@pytest.mark.parametrize(
    ("code", "printed", "stumble"),
    [
        (4, "right", "it ends with 4"),
        (2, "wrong", "it does not print right"),
        (2, "right once once", "it prints once 2 times"),
        (2, r"right once a\nb", r"it prints \n"),
    ],
)
def test_a_stumble_is_noticed(code, printed, stumble):
    step = {"code": 2, "says": ["right"], "once": ["once"], "never": [r"\n"]}
    assert stumble in list(stumbles(step, code, printed))
    assert list(stumbles(step, 2, "right once")) == []


def missing(runs: Mapping[str, str]) -> list[str]:
    """The tests that are not there."""
    return [
        run
        for run in runs.values()
        for file, _, test in [run.partition("::")]
        if not (ROOT / file).is_file()
        or f"\ndef {test}(" not in (ROOT / file).read_text(encoding="utf-8")
    ]


def test_each_other_stumble_has_a_test():
    assert missing(DIARY["elsewhere"]) == []
    assert missing({"x": "tests/examples/test_diary.py::gone"}) != [], "the control"
    assert len(DIARY["step"]) + len(DIARY["elsewhere"]) >= 22
