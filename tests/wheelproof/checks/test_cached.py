"""Results that are kept by content: what is taken from an earlier run, and what is run again."""

import os
import shutil
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.found import mechanisms
from tests.wheelproof.damaged import DAMAGES, entries
from wheelproof import project
from wheelproof.checks import cached, verify
from wheelproof.checks.job import SafetyJob
from wheelproof.checks.jobs import broken_too, plan, proofs
from wheelproof.checks.prove import Declared
from wheelproof.cli import app
from wheelproof.events import Started, VerifyOptions
from wheelproof.isolated import DISTRIBUTION
from wheelproof.project.inputs import Inputs, below
from wheelproof.python.search.loading import Controlled

ROOT = Path(__file__).parents[3]
NAME = "timer_task_list"
READ = ("spec", "model", "impl", "harness", "mutants", "proofs", "jvm")
LAYERS = ("tlc", "bisimulation", "liveness")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A copy of the project's own artefacts."""
    root = tmp_path_factory.mktemp("whole")
    for name in READ:
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    return root


@pytest.fixture
def subject(tmp_path):
    """A small project."""
    root = tmp_path / "subject"
    shutil.copytree(
        ROOT / "examples/one_shot", root, ignore=shutil.ignore_patterns("__pycache__", "build")
    )
    return root


def options(root, /, *layers, **others):
    return replace(
        VerifyOptions((), frozenset(layers) or None, "fast", root, root / "build", 1),
        **{"cached": True} | others,
    )


def run(root, /, *layers, **others):
    return verify.run(options(root, *layers, **others))


def titles(rows, taken):
    return {row.title() for row in rows if ("cached" in row.figures) is taken}


def change(file, old, new):
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1, old
    file.write_text(text.replace(old, new), encoding="utf-8")


# -- what is an input of what


THEOREM = Declared(NAME, NAME, "P1", "it holds", "fast", False, (), (), ())


def keys(root, /, **others):
    """The key of every job of one mechanism, by kind, layers and name."""
    mechanism = project.find(root)[NAME]
    cache = cached.Cache(options(root, **others), [mechanism])
    jobs = plan(mechanism, "fast", lambda *layers: True) + proofs([THEOREM], "fast")
    return {
        (part.kind, part.layers, part.name): cache.key(part) for job in jobs for part in job.parts
    }


MECHANISM = mechanisms()[NAME]
PROVES = ("proof", "edges")
MACHINE = ("config", "liveness", "refinement")
WITH_BROKEN = {
    config
    for config in broken_too(MECHANISM, list(MECHANISM.configs.values())).values()
    if MECHANISM.configs[config].profile == "fast"
}


def violated(key):
    """Whether a job makes a counterexample, of its config or of another of the same machine."""
    kind, layers, name = key
    return kind in MACHINE and (
        MECHANISM.configs[name].expect == "violated" or (name in WITH_BROKEN and "tlc" in layers)
    )


def changes(key):
    """Whether a job takes decisions away."""
    kind, _, name = key
    if kind in (*MACHINE, "runs"):
        return bool(MECHANISM.configs[name].without)
    return kind not in PROVES


def runs_python(key):
    """Whether a job runs the implementation, or names lines of it in a counterexample."""
    kind, layers, _ = key
    return (
        "bisimulation" in layers or violated(key) or changes(key) or kind not in (*MACHINE, *PROVES)
    )


DEPENDS = {
    "spec/TimerTaskList.toml": lambda key: True,
    "spec/TimerTaskList.tla": lambda key: True,
    "spec/TimerTaskListProperties.tla": lambda key: True,
    "spec/TimerTaskListAtomic.tla": lambda key: True,
    "spec/counts.json": lambda key: True,
    "model/timer_task_list.py": lambda key: True,
    "model/timer_task_list_properties.py": lambda key: True,
    "model/pluscal.py": lambda key: True,
    "impl/timer_task_list.py": runs_python,
    "impl/runtime.py": runs_python,
    "impl/atomic.py": runs_python,
    "impl/__init__.py": runs_python,
    "harness/timer_task_list.py": runs_python,
    "mutants/timer_task_list/M1.md": changes,
    "proofs/timer_task_list/theory.py": lambda key: key[0] in PROVES,
    "proofs/timer_task_list/view.py": lambda key: key[0] in PROVES,
    "proofs/crosshair/expected.toml": lambda key: key[0] in PROVES,
    "proofs/crosshair/contracts.py": lambda key: False,
    "proofs/purgatory/theory.py": lambda key: False,
    "spec/SystemTimer.tla": lambda key: key[0] in PROVES,
    "jvm/timer_task_list.toml": lambda key: key[0] == "jvm",
    "impl/purgatory.py": lambda key: False,
    "model/purgatory.py": lambda key: False,
    "mutants/purgatory/P1.md": lambda key: False,
}


@pytest.fixture(scope="module")
def before(whole):
    return keys(whole)


@pytest.mark.daily(12)
@pytest.mark.parametrize("file", DEPENDS)
def test_one_changed_byte_changes_the_keys_of_what_depends_on_it(whole, before, file):
    place = whole / file
    text = place.read_bytes()
    try:
        place.write_bytes(text + b" " if place.suffix == ".json" else text + b"\n")
        after = keys(whole)
    finally:
        place.write_bytes(text)
    assert after.keys() == before.keys()
    changed = {key for key in before if after[key] != before[key]}
    assert changed == {key for key in before if DEPENDS[file](key)}


def test_every_kind_of_job_has_a_key_that_some_change_alters(before):
    assert {kind for kind, _, _ in before} >= {
        *("config", "liveness", "refinement", "mutant", "race", "properties"),
        *("runs", "fault", "edges", "proof", "jvm"),
    }
    assert any(map(violated, before)) and any(not runs_python(key) for key in before)


@pytest.mark.parametrize(
    "others", [{"profile": "nightly"}, {"layers": frozenset({"tlc"})}, {"root": Path("spec")}]
)
def test_profile_layers_and_folder_are_a_part_of_the_key(whole, before, others, monkeypatch):
    monkeypatch.chdir(whole)
    assert not set(keys(whole, **others).values()) & set(before.values())


def test_the_tool_is_a_part_of_the_key(whole, before, monkeypatch, tmp_path):
    package = tmp_path / "wheelproof"
    shutil.copytree(
        ROOT / "wheelproof", package, ignore=shutil.ignore_patterns("__pycache__", "*.md")
    )
    monkeypatch.setattr(cached.wheelproof, "__file__", str(package / "__init__.py"))
    moved = keys(whole)
    file = package / "tlc" / "server" / "Isolation.java"
    file = file if file.is_file() else next(package.rglob("*.java"))
    file.write_text(file.read_text() + "\n")
    assert not set(keys(whole).values()) & set(moved.values())


def test_the_distribution_of_the_primitives_is_a_part_of_the_key(
    whole, before, monkeypatch, tmp_path
):
    package = tmp_path / DISTRIBUTION
    shutil.copytree(cached.distribution() / DISTRIBUTION, package)
    monkeypatch.setattr(cached, "distribution", lambda: tmp_path)
    moved = keys(whole)
    (package / "atomic.py").write_text((package / "atomic.py").read_text() + "\n")
    assert not set(keys(whole).values()) & set(moved.values())
    monkeypatch.setattr(cached, "distribution", lambda: None)
    assert not set(keys(whole).values()) & set(moved.values()), "it may be absent"


@pytest.mark.parametrize("name", ["Python", "Java", "TLC", "z3-solver"])
def test_what_it_runs_on_is_a_part_of_the_key(whole, before, monkeypatch, name):
    found = cached.versions()
    assert found[name]
    monkeypatch.setattr(cached, "versions", lambda: {**found, name: "0"})
    assert not set(keys(whole).values()) & set(before.values())


@pytest.mark.parametrize("name", mechanisms())
def test_every_file_that_is_loaded_is_an_input(name):
    mechanism = mechanisms()[name]
    known = {str(file) for file in Inputs(mechanism).implementation}
    loaded = Controlled(ROOT, name, {}, lint=False).modules
    files = {getattr(module, "__file__", None) for module in loaded.values()} - {None}
    inside = {file for file in files if Path(file).is_relative_to(ROOT / "impl")}
    inside |= {file for file in files if Path(file).is_relative_to(ROOT / "harness")}
    assert inside and inside <= known


def test_a_project_below_a_folder_of_the_name_build_has_its_inputs(tmp_path):
    """Files that are made are those in such a folder of the project, not around it."""
    files = ("proofs/a.py", "proofs/build/b.py", "proofs/b/__pycache__/c.py", "proofs/b/c.py")
    for name in files:
        file = tmp_path / "build" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    root = tmp_path / "build"
    found = {file.relative_to(root).as_posix() for file in below(root / "proofs")}
    assert found == {"proofs/a.py", "proofs/b/c.py"}


# -- runs


def test_the_command_takes_cached_results_without_fresh(subject, monkeypatch):
    monkeypatch.chdir(subject)

    def printed(*arguments):
        done = CliRunner().invoke(app, ["verify", "--layer", "liveness", "--jobs", "1", *arguments])
        assert done.exit_code == 0, done.output
        return done.output

    assert "cached" not in printed()
    again = printed()
    assert "2 of 2 checks in order, 2 cached: every verdict as expected" in again
    assert "cached, of 20" in again
    assert "cached" not in printed("--fresh")


def test_a_second_run_takes_what_the_first_has_made(subject):
    first = run(subject, *LAYERS)
    traces = {row.trace for row in first if row.trace}
    assert traces and not titles(first, True)
    shutil.rmtree(subject / "build" / "counterexamples")
    second = run(subject, *LAYERS)
    # a translation and the rows over all jobs are no jobs
    assert titles(second, False) == {"one_shot / tlc / translation"}
    for one, two in zip(first, second, strict=True):
        assert replace(two, figures=one.figures, seconds=one.seconds) == one
    assert all((subject / "build" / name).is_file() for name in traces)


def test_it_is_run_again_without_the_cache_and_where_an_entry_cannot_be_read(subject):
    run(subject, "liveness")
    assert not titles(run(subject, "liveness", cached=False), True)
    for file, damage in zip(entries(subject / "build" / cached.FOLDER), cycle(DAMAGES.values())):
        damage(file)
    assert not titles(run(subject, "liveness"), True)
    assert titles(run(subject, "liveness"), True)


def broken(subject):
    """The action counts as run from the start."""
    change(subject / "impl" / "one_shot.py", "self.runs = 0", "self.runs = 1")


def test_a_fault_is_found_beside_kept_results_and_is_never_kept(subject):
    file = subject / "impl" / "one_shot.py"
    sound = file.read_text(encoding="utf-8")
    assert all(row.ok for row in run(subject, *LAYERS))
    for _ in range(2):
        broken(subject)
        rows = run(subject, *LAYERS)
        bad = {row.title() for row in rows if not row.ok}
        assert bad and bad <= titles(rows, False)
        assert any(row.layer == "liveness" for row in rows if "cached" in row.figures)
        file.write_text(sound, encoding="utf-8")
    assert all(row.ok for row in run(subject, *LAYERS))


def test_where_the_implementation_is_no_input_the_fault_is_not_found(subject, monkeypatch):
    """The control: a kept result that is wrong shows in the rows."""
    monkeypatch.setattr(SafetyJob, "reads", lambda job, mechanism: ())
    run(subject, *LAYERS)
    broken(subject)
    assert all(row.ok for row in run(subject, *LAYERS))


def test_what_changes_while_a_job_runs_is_not_kept(subject):
    def listen(notice):
        if isinstance(notice, Started) and notice.check.layer == "bisimulation":
            file = subject / "impl" / "one_shot.py"
            file.write_text(file.read_text(encoding="utf-8") + "\n", encoding="utf-8")

    run(subject, "bisimulation", listen=listen)
    assert not titles(run(subject, "bisimulation"), True)
    assert titles(run(subject, "bisimulation"), True)


def test_what_no_run_uses_is_removed(subject):
    run(subject, "liveness")
    folder = subject / "build" / cached.FOLDER
    made = entries(folder)
    for file in made:
        os.utime(file, (0, 0))
    change(subject / "impl" / "one_shot.py", "self.runs = 0", "self.runs = 0  # at first")
    change(subject / "spec" / "OneShot.tla", "(* An action that", "(* One action that")
    run(subject, "liveness")
    assert made and entries(folder) and not set(made) & set(entries(folder))
