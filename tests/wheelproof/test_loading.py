"""The loader of mechanisms: each engine refuses a project by the same words."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from wheelproof.errors import UsageError
from wheelproof.python import ControlledImplementation
from wheelproof.stress.loading import ProductionImplementation
from wheelproof.trace.recording.loading import Traced
from wheelproof.trace.steps.loading import Subject
from wheelproof.trace.steps.recorder import Recorder

IMPL = "class Box:\n    __slots__ = ()\n"
HARNESS = """from impl import box
SUBJECT = ("impl.box",)

class Harness:
    def __init__(self, scenario, impl=box):
        self.box = impl.Box()
        self.names = {"box": self.box}

def shared(harness):
    return {}
"""


def of_mechanism(root):
    mechanism = SimpleNamespace(name="box", root=root, modules={}, labels={})
    mechanism.without = lambda decision: mechanism
    return mechanism


ENGINES = {
    "controlled": lambda root: ControlledImplementation.load(root, "box"),
    "real threads": lambda root: ProductionImplementation(root, "box"),
    "recorded events": lambda root: Traced({"box": of_mechanism(root)}, "box"),
    "recorded steps": lambda root: Subject(of_mechanism(root), Recorder()),
}
FAULTS = {
    "no file": ("harness/box.py", None, "", "there is no harness/box.py"),
    "a wrong import": (
        "harness/box.py",
        "import box",
        "import bag",
        "harness/box.py:1: the mechanism box cannot be imported: cannot import name 'bag'",
    ),
    "a wrong line": (
        "impl/box.py",
        "()",
        "1 / 0",
        "impl/box.py:2: the mechanism box cannot be imported: ZeroDivisionError",
    ),
}


@pytest.fixture
def project(tmp_path):
    """A project of one class."""
    for place, text in {"impl/box.py": IMPL, "harness/box.py": HARNESS}.items():
        (tmp_path / place).parent.mkdir()
        (tmp_path / place).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("engine", ENGINES)
def test_each_engine_loads_a_mechanism(project, engine):
    assert ENGINES[engine](project) is not None


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("engine", ENGINES)
def test_each_engine_refuses_a_project_in_the_same_words(project, engine, fault):
    place, old, new, words = FAULTS[fault]
    if old is None:
        (project / place).unlink()
    else:
        text = (project / place).read_text(encoding="utf-8")
        (project / place).write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UsageError) as refusal:
        ENGINES[engine](project)
    assert words in str(refusal.value) and refusal.value.remedy


@pytest.mark.parametrize("engine", [name for name in ENGINES if name != "real threads"])
def test_a_harness_without_a_subject_is_refused(project, engine):
    (project / "harness/box.py").write_text(HARNESS.replace("SUBJECT", "OBJECT"), encoding="utf-8")
    with pytest.raises(UsageError, match="harness/box.py: SUBJECT is missing"):
        ENGINES[engine](project)


def test_the_engines_share_no_module(project):
    """Two loadings of one source are two modules, and neither stays in ``sys.modules``."""
    first, second = (
        Subject(of_mechanism(project), Recorder()),
        ProductionImplementation(project, "box"),
    )
    assert first.modules["impl.box"] is not second.modules["impl.box"]
    assert sys.modules.get("harness.box") not in (*first.modules.values(), *second.modules.values())
