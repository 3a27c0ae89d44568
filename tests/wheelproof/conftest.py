"""A small project to verify from end to end: one mechanism, two scenarios, one mutant."""

import re
import shutil
from pathlib import Path

import pytest

from wheelproof.counterexample.document import Counterexample, Step
from wheelproof.project import counts

ROOT = Path(__file__).resolve().parents[2]
NEEDED = re.compile(
    r"TimerTaskList.*|events\.toml|timer_task_list(_properties)?\.py|arguments\.py|"
    r"(runtime|threads|condition|atomic|gate|read_write_lock|pluscal|choices|__init__)\.py"
)
"""Of the artefacts' files those of the one mechanism, and what its modules import."""
ARTEFACTS = ("spec", "model", "impl", "harness", "mutants", "traces")
SELECTED = ("scenarios", "scenario_groups", "safety", "groups", "configs", "faults")
KEPT = ("scenarios.two_adders", "scenarios.flush_into_itself", "configs.flush_into_itself")
NAME = "timer_task_list"
DECISION = f"{NAME}/M2.md"
MASKED = re.compile(r"\n\[M2_masked\]\n(?:[^\n`].*\n)*")


def _left_out(folder: str, names: list[str]) -> list[str]:
    """What a copy does without. Of the traces it has the tables alone: their modules are loaded
    once in a process."""
    code = Path(folder).name == "traces"
    return [name for name in names if not NEEDED.fullmatch(name) or code and name.endswith(".py")]


class SmallSubject:
    """A copy that a test may damage."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for artefact in ARTEFACTS:
            shutil.copytree(
                ROOT / artefact,
                root / artefact,
                ignore=_left_out,
            )
        self.decision = root / "mutants" / DECISION
        self.decision.parent.mkdir(exist_ok=True)
        text = (ROOT / "mutants" / DECISION).read_text(encoding="utf-8")
        assert len(MASKED.findall(text)) == 1
        self.decision.write_text(MASKED.sub("", text), encoding="utf-8")
        self.toml = root / "spec" / "TimerTaskList.toml"
        self.spec = root / "spec" / "TimerTaskList.tla"
        self.toml.write_text(only(self.toml.read_text(encoding="utf-8")), encoding="utf-8")
        self.counts = root / "spec" / counts.FILE
        counts.write(
            root / "spec", {NAME: {"two_adders": counts.read(ROOT / "spec")[NAME]["two_adders"]}}
        )

    def change(self, file: Path | str, old: str, new: str) -> None:
        """Replace a text that must occur exactly once."""
        path = self.root / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times in {file}"
        path.write_text(text.replace(old, new), encoding="utf-8")


def only(text: str) -> str:
    """The TOML with the kept scenarios and configs alone."""
    out, keep = [], True
    for line in text.splitlines(keepends=True):
        if line.startswith("["):
            name = line.strip("[]\n")
            keep = name.split(".")[0] not in SELECTED or name in KEPT
            if name == "safety":
                out.append("[configs.two_adders]\n")
        if keep and not line.startswith("sampled"):  # some of these scenarios are left out
            out.append(line)
    return "".join(out)


@pytest.fixture
def small(tmp_path: Path) -> SmallSubject:
    return SmallSubject(tmp_path / "subject")


THING = """
[mechanism]
module = "Thing"
title = "A thing"

[properties.invariant]
Safe = "nothing | bad"
NotSo = { holds = false, says = "false in fact" }

[labels]
A1 = { kind = "lock" }
A2 = { kind = "unlock" }

[scenarios.two]
about = "two threads"
threads = { a = [["go"]], b = [["go"]] }

[configs.two]
[configs.two_more]
scenario = "two"
"""

LACKS = """# {name}: {title}

```diff
@@ impl go
-    pass
+    return
```
"""

KILLED = """
```toml
[M1]
race = "both are inside"
scenario = "two"
property = "Safe"
```
"""


@pytest.fixture
def subject_folder(tmp_path):
    (tmp_path / "subject" / "spec").mkdir(parents=True)
    (tmp_path / "subject" / "spec" / "Thing.toml").write_text(THING)
    decisions = tmp_path / "subject" / "mutants" / "thing"
    decisions.mkdir(parents=True)
    (decisions / "M1.md").write_text(
        LACKS.format(name="M1", title="the thing is not locked") + KILLED
    )
    (decisions / "M2.md").write_text(LACKS.format(name="M2", title="no check takes this away"))
    (tmp_path / "subject" / "spec" / "Thing.tla").write_text("---- MODULE Thing ----\n====\n")
    (tmp_path / "subject" / "impl").mkdir()
    (tmp_path / "subject" / "impl" / "thing.py").write_text(
        "def go(lock):\n    with lock:  # lock A1, unlock A2\n        pass\n"
    )
    return tmp_path / "subject"


@pytest.fixture
def trace():
    return Counterexample(
        "thing",
        "mutant",
        "M1",
        "two",
        "Safe",
        "both are inside",
        ("a", "b", "idle"),
        {"inside": "{}", "other": "0"},
        (
            Step("a", "A1", "lock", "impl/thing.py:2", {"inside": ("{}", "{a}")}),
            Step("b", "A1", "lock", "impl/thing.py:2", {"inside": ("{a}", "{a, b}")}),
        ),
        model_without="M1",
        impl_without="M1",
    )
