"""Drafts of classes: the copy behaves as the class, the project is in order, a change is not."""

import inspect
import json
import queue
import tempfile
import types
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples.pages import ONE_PROCESS, change, files, printed_by, wheelproof
from tests.nights import by_night
from tests.wheelproof.draft import samples
from wheelproof import draft, project
from wheelproof.checks.coverage import Copy
from wheelproof.draft import copies
from wheelproof.errors import UsageError


def drafted(folder, text, name):
    (folder / "given.py").write_text(text, encoding="utf-8")
    return draft.draft(folder / "given.py", name, "given", "Given")


def verified(folder, *arguments):
    code, printed = wheelproof(folder, "verify", *ONE_PROCESS, *arguments)
    rows = json.loads((folder / "build" / "results.json").read_text(encoding="utf-8"))["rows"]
    return code, printed, rows


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pool")
    (folder / "pool.py").write_text(samples.POOL, encoding="utf-8")
    code, printed = wheelproof(folder, "init", "job_pool", "--from", "pool.py:Pool")
    assert code == 0, printed
    return folder, printed


@pytest.mark.nightly
def test_draft_is_what_the_page_shows_and_what_the_example_begins_with(pool):
    folder, printed = pool
    page = (samples.ROOT / "docs" / "draft.md").read_text(encoding="utf-8")
    by_hand = [*samples.EXAMPLE.glob("mutants/job_pool/*.md"), *samples.EXAMPLE.glob("spec/*.toml")]
    by_hand.append(samples.EXAMPLE / "spec" / "JobPoolProperties.tla")
    lines = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in by_hand)
    assert f"goes on so, in {lines} lines:" in page
    assert printed == printed_by(page, "wheelproof init job_pool --from pool.py:Pool")
    drafted_files, example = files(folder), files(samples.EXAMPLE)
    for place in ("pool.py", "impl/job_pool.py", "harness/job_pool.py", "spec/JobPool.tla"):
        assert example[place] == drafted_files[place], place
    assert set(drafted_files) - set(example) == {"mutants/job_pool/Outside.md"}
    code, shown, rows = verified(folder)
    assert code == 0 and all(row["ok"] for row in rows), shown
    assert {"tlc", "graph", "bisimulation", "coverage", "mutant", "random", "stress"} == {
        row["layer"] for row in rows
    }


def test_class_that_is_no_longer_that_of_the_copy_is_reported_with_its_line():
    mechanism = project.find(samples.EXAMPLE)["job_pool"]
    copy = Copy.read(mechanism)
    assert copy.faults() == [] and all(copy.controls().values())
    unlocked = "            jobs = len(self._jobs)\n        return jobs"
    text = samples.POOL.replace("            return len(self._jobs)", unlocked)
    assert text != samples.POOL
    (fault,) = replace(copy, drafted=draft_of(text, "Pool", "pool.py")).faults()
    assert "impl/job_pool.py:78 " in fault and "is no copy of pool.py:Pool" in fault
    assert "draft it anew in another folder" in fault


def draft_of(text, name, file="given.py"):
    """The copy that a draft has of a class."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, file)
        source.write_text(text, encoding="utf-8")
        return copies.of_class(source, name, "given", "Given")


def test_hole_may_be_filled_and_moves_with_the_lines_above_it():
    copy = draft_of(samples.CALLER, "Caller")
    (hole,) = [line for line in copy.splitlines() if "# HOLE" in line]
    begin, end = copy.index(hole), copy.index("\n", copy.index("\n", copy.index(hole)) + 1)
    fill = "        self._called = True  # write A4"
    lower = draft_of("# A comment.\n\n" + samples.CALLER, "Caller")
    for text in (copy, copy[:begin] + fill + copy[end:], copy[:end] + "\n" + fill + copy[end:]):
        assert list(copies.differences(copy, text)) == []
        assert list(copies.differences(lower, text)) == []
    without_read = copy.replace(next(x for x in copy.splitlines() if "# read" in x) + "\n", "")
    assert list(copies.differences(copy, without_read)) != []


@pytest.mark.parametrize("source", ["pool.py", ":Pool", "pool.py:No Class"])
def test_source_that_names_no_class_is_refused(source, tmp_path):
    for place, text in files(samples.EXAMPLE).items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        text = text.replace('"pool.py:Pool"', f'"{source}"') if place.endswith(".toml") else text
        (tmp_path / place).write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match="source names no class"):
        project.read(tmp_path / "spec" / "JobPool.toml")


def test_lock_taken_out_of_the_copy_is_rejected_by_name(pool, tmp_path):
    folder, _ = pool
    for place, text in files(folder).items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(text, encoding="utf-8")
    change(
        tmp_path / "impl" / "job_pool.py",
        "        with self._lock:  # lock P1, unlock P3\n"
        "            result = len(self._jobs)  # read P2\n"
        "            return result",
        "        result = len(self._jobs)  # read P2\n        return result",
    )
    code, shown, rows = verified(tmp_path, "--layer", "bisimulation,random")
    assert code == 1, shown
    refused = [row for row in rows if not row["ok"]]
    assert {row["property"] for row in refused} == {"Bisimulation"}
    assert {row["layer"] for row in refused} == {"bisimulation", "random"}


@pytest.mark.parametrize(
    "name, text",
    [
        by_night(("BoundedBuffer", samples.BUFFER)),
        by_night(("Queue", inspect.getsource(queue))),
    ],
)
def test_other_drafts_are_in_order_at_once(tmp_path, name, text):
    (tmp_path / "given.py").write_text(text, encoding="utf-8")
    code, printed = wheelproof(tmp_path, "init", "own", "--from", f"given.py:{name}")
    assert code == 0 and " 0 holes" in printed, printed
    code, shown, rows = verified(tmp_path)
    assert code == 0 and all(row["ok"] for row in rows), shown


def test_hole_makes_every_row_inconclusive_and_names_its_line(tmp_path):
    (tmp_path / "caller.py").write_text(samples.CALLER, encoding="utf-8")
    code, printed = wheelproof(tmp_path, "init", "--from", "caller.py:Caller")
    assert code == 0, printed
    assert "hole A4, caller.py:16: self._callback()" in printed
    code, shown, rows = verified(tmp_path)
    assert code == 3, shown
    assert {row["verdict"] for row in rows} == {"inconclusive"}
    assert not any(row["ok"] for row in rows)


def test_label_that_no_small_scenario_runs_is_named(tmp_path):
    bounded = samples.CALLER.replace("self._callback()", "if self._count > 9:\n{}self._count = 0")
    text = bounded.format(" " * 16)
    (tmp_path / "caller.py").write_text(text, encoding="utf-8")
    code, printed = wheelproof(tmp_path, "init", "--from", "caller.py:Caller")
    assert code == 0, printed
    assert "no scenario runs A5: declare one in spec/Caller.toml" in printed, printed


def test_hole_of_a_label_that_is_not_there_is_refused(pool, tmp_path):
    folder, _ = pool
    for place, text in files(folder).items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(text, encoding="utf-8")
    toml = tmp_path / "spec" / "JobPool.toml"
    toml.write_text(
        toml.read_text(encoding="utf-8").replace("[safety]", '[holes]\nX9 = "one"\n\n[safety]'),
        encoding="utf-8",
    )
    code, printed = wheelproof(tmp_path, "verify")
    assert code == 2 and "[holes]: there is no label X9" in printed, printed


# -- the copy does what the class does


def loaded(text):
    module = types.ModuleType("given")
    exec(compile(text, "given.py", "exec"), vars(module))
    return module


def outcome(subject, name, arguments):
    try:
        result = getattr(subject, name)(*arguments)
    except Exception as error:
        return type(error).__name__
    return result


SHELF = {
    "place": st.tuples(st.integers(1, 4), st.sampled_from("ab")),
    "take": st.tuples(st.integers(1, 4)),
    "first_of": st.tuples(st.integers(1, 4), st.integers(1, 4)),
    "default_of": st.tuples(st.integers(1, 4), st.integers(1, 4)),
    **dict.fromkeys(("newest", "keys", "raise_flag", "is_raised", "both", "close"), st.just(())),
}
CALLS = st.lists(
    st.one_of(*(st.tuples(st.just(name), arguments) for name, arguments in SHELF.items())),
    max_size=12,
)


@pytest.fixture(scope="module")
def shelves(tmp_path_factory):
    sketch = drafted(tmp_path_factory.mktemp("shelf"), samples.SHELF, "Shelf")
    assert not sketch.holes, sketch.holes
    return loaded(samples.SHELF), loaded(sketch.texts[1])


@given(calls=CALLS, size=st.integers(1, 2))
def test_copy_returns_and_leaves_what_the_class_does(shelves, calls, size):
    given_class, copy = shelves
    theirs, ours = given_class.Shelf(size), copy.Shelf(size)
    for name, arguments in calls:
        assert outcome(ours, name, arguments) == outcome(theirs, name, arguments), name
    assert ours._order == theirs._order and ours._books == theirs._books
    assert (ours._count, ours._names) == (theirs._count, theirs._names)


def test_planted_change_of_the_copy_is_seen_by_that_comparison(shelves, tmp_path):
    sketch = drafted(tmp_path, samples.SHELF, "Shelf")
    text = sketch.texts[1].replace("next(iter(", "next(reversed(")
    assert text != sketch.texts[1]
    theirs, ours = shelves[0].Shelf(1), loaded(text).Shelf(1)
    for subject in (theirs, ours):
        subject.place(1, "a")
        subject.place(2, "b")
    assert ours._books != theirs._books


@pytest.mark.nightly
def test_specification_of_every_construct_is_bisimilar(tmp_path):
    (tmp_path / "shelf.py").write_text(samples.SHELF, encoding="utf-8")
    code, printed = wheelproof(tmp_path, "init", "--from", "shelf.py:Shelf")
    assert code == 0, printed
    code, shown, rows = verified(tmp_path, "--layer", "graph,bisimulation")
    assert all(row["ok"] for row in rows), shown
    assert {"bisimulation", "graph"} == {row["layer"] for row in rows}


# -- what is refused


@pytest.mark.parametrize(
    "source, fault",
    [
        ("given.py", "names no class"),
        ("given.py:", "names no class"),
        ("given.py:Other", "there is no class Other"),
        ("given.py:Plain", "makes no lock and no condition"),
        ("given.py:Bare", "has no __init__"),
        ("given.py:Hidden", "has no method that others may call"),
        ("absent.py:Pool", "absent.py"),
    ],
)
def test_class_that_cannot_be_drafted_is_refused_and_nothing_is_written(tmp_path, source, fault):
    text = (
        "import threading\n\n\n"
        "class Plain:\n    def __init__(self):\n        self.count = 0\n\n\n"
        "class Bare:\n    def go(self):\n        pass\n\n\n"
        "class Hidden:\n    def __init__(self):\n        self.lock = threading.Lock()\n"
    )
    (tmp_path / "given.py").write_text(text, encoding="utf-8")
    before = files(tmp_path)
    code, printed = wheelproof(tmp_path, "init", "--from", source)
    assert code == 2 and fault in printed, printed
    assert files(tmp_path) == before


def test_file_that_is_there_is_never_written_over(pool, tmp_path):
    (tmp_path / "pool.py").write_text(samples.POOL, encoding="utf-8")
    (tmp_path / "impl").mkdir()
    (tmp_path / "impl" / "job_pool.py").write_text("mine = True\n", encoding="utf-8")
    before = files(tmp_path)
    code, printed = wheelproof(tmp_path, "init", "job_pool", "--from", "pool.py:Pool")
    assert code == 2 and "is there already" in printed, printed
    assert files(tmp_path) == before


@pytest.mark.parametrize(
    "line, reason",
    [
        ("self._count = time()", "calls what a draft does not look into"),
        ("self.other = 1", "is not set in __init__"),
        ("value = [self._count for _ in '12']", "may read or not"),
        ("other = self._items", "gets a second name"),
        ("for item in self._items: pass", "For is outside"),
        ("if amount: self._count = 1", "depends on its class"),
        ("self._items = amount", "gets an object that has other names"),
        ("self._changed.wait(1)", "is outside of what a draft knows"),
        ("del self._items[0]", "is no pairs of the class"),
        ("self._items[0:1]", "is outside of what a draft knows"),
        ("raise given.Closed", "is an exception of another module"),
    ],
)
def test_statement_that_is_not_known_is_a_hole_with_its_reason(tmp_path, line, reason):
    text = (
        "import threading\n\n\nclass Given:\n    def __init__(self):\n"
        "        self._changed = threading.Condition()\n"
        "        self._items = []\n        self._count = 0\n\n"
        f"    def go(self, amount):\n        with self._changed:\n            {line}\n"
        "            self._count = 2\n            self._items.append(amount)\n"
    )
    sketch = drafted(tmp_path, text, "Given")
    (hole,) = sketch.holes.values()
    assert reason in hole.reason and hole.line == 12
    assert f"# HOLE {hole.label}, line 12" in sketch.texts[1]
    assert f"\\* HOLE, line 12: {hole.text}" in sketch.texts[0]
    with pytest.raises(UsageError):
        draft.draft(tmp_path / "given.py", "Absent", "given", "Given")


def test_methods_that_no_scenario_can_call_and_defaults_are_named(tmp_path):
    text = (
        "import threading\n\n\nclass Given:\n    def __init__(self, size=3):\n"
        "        self.size = size\n        self.lock = threading.Lock()\n        self.count = 0\n\n"
        "    @staticmethod\n    def make(size):\n        return Given(size)\n\n"
        "    async def wait(self):\n        pass\n\n"
        "    def add(self):\n        with self.lock:\n            self.count += self.size\n"
    )
    sketch = drafted(tmp_path, text, "Given")
    assert sketch.subject.left_out == ["make", "wait"]
    assert sketch.subject.defaults == {"size": "3"}
    assert [operation.name for operation in sketch.operations] == ["add"]
    assert "value := (count + 3);" in sketch.texts[0]
