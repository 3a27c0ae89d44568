"""The columns of a failure."""

import concurrent.futures.thread
import os
import queue
import sys
import threading

import pytest

import wheelproof
from tests.wheelproof.plain.started import run
from tests.wheelproof.plain.test_explore import Counter, lost_update
from wheelproof.plain import texts
from wheelproof.plain.answers import Answer, Place, relative
from wheelproof.plain.calling import ExplorationFailed
from wheelproof.plain.columns import text
from wheelproof.plain.exploration import explore_program
from wheelproof.plain.shown import values
from wheelproof.plain.sites import Site


class Account:
    def __init__(self):
        self.first, self.second = threading.Lock(), threading.Lock()

    def forwards(self):
        with self.first, self.second:
            pass

    def backwards(self):
        with self.second, self.first:
            pass


def two_orders():
    account = Account()
    run(account.forwards, account.backwards)


def full_queue():
    waiting = queue.Queue(1)

    def put():
        if waiting.empty():
            waiting.put(1)

    run(put, put)


class Locked:
    """Its text takes a lock, as that of a future."""

    def __init__(self):
        self.lock = threading.Lock()

    def __repr__(self):
        with self.lock:
            return "locked"


def text_takes_a_lock():
    parts = []

    def add():
        before = list(parts)
        parts.append(Locked())
        assert parts[-1] not in before and len(parts) == len(before) + 1

    run(add, add)


def five():
    """More threads than have columns side by side."""
    counter = Counter()
    run(*[counter.increment] * 4)
    assert counter.count == 4


def own_work():
    """Locks that only one thread takes, and a race."""
    counter = Counter()

    def work():
        own = threading.Lock()
        with own:
            counter.increment()

    run(work, work)
    assert counter.count == 2


def shown(program):
    with pytest.raises(ExplorationFailed) as caught:
        wheelproof.explore(program)
    return str(caught.value)


def test_a_lost_update_is_shown_step_by_step_with_its_values():
    lines = shown(lost_update).splitlines()
    assert lines[2:4] == [
        "  1 preemption, the fewest with which it fails",
        "  only a free-threaded build can show it",
    ]
    first, second = ("Thread-1 (increment)", "Thread-2 (increment)")
    heads = [name.strip() for name in lines[6].split("|")]
    assert heads == ["MainThread", first, second]
    cells = [[cell.strip() for cell in line.split("|")] for line in lines[8:]]
    steps = [(heads[i], cell) for row in cells for i, cell in enumerate(row) if cell]
    details = " ".join(cell for _, cell in steps)
    assert "reads Counter.count: 0" in details and "writes Counter.count: 1" in details
    assert sum("is preempted" in line for line in lines) == 1
    assert ("MainThread", "AssertionError") in steps
    assert ("MainThread", "counter.count is 1") in steps
    assert sum("self.count += 1" in cell for _, cell in steps) == 3  # one of them was preempted


def test_a_deadlock_shows_who_holds_what_and_the_cycle_of_waits():
    lines = shown(two_orders)
    assert "takes Account.first" in lines and "takes Account.second" in lines
    one, two = "Thread-1 (forwards)", "Thread-2 (backwards)"
    flat = " ".join(lines.split())
    assert f"{one} waits for Account.second, which {two} holds" in flat
    assert f"{two} waits for Account.first, which {one} holds" in flat
    assert f"cycle of waits: {one} -> {two} -> {one}" in flat


def test_locks_within_the_library_are_named_by_the_object_that_has_them():
    lines = shown(full_queue)
    assert lines.startswith("bug: lost wake-up") and "takes Queue.mutex" in lines
    assert "waits for a notification" in lines


def test_steps_that_no_other_thread_sees_are_folded():
    lines = shown(own_work)
    assert "takes own" not in lines and "other step" in lines
    assert "reads Counter.count" in " ".join(lines.replace("|", " ").split())


def test_the_text_of_a_value_is_no_step():
    exploration = explore_program(text_takes_a_lock)
    assert exploration.answer is Answer.BUG and "locked" in text(exploration)


@pytest.mark.daily(4)
@pytest.mark.parametrize("program", [lost_update, two_orders, full_queue, five, own_work])
def test_no_line_is_longer_than_the_width(program):
    with pytest.raises(ExplorationFailed) as caught:
        wheelproof.explore(program)
    for width in (60, 80, 120):
        lines = text(caught.value.exploration, width).splitlines()
        assert max(map(len, lines)) <= width and len(lines) > 8


def test_many_threads_stand_below_each_other():
    lines = shown(five).splitlines()
    assert " | " not in "\n".join(lines) and "Thread-1 (increment):" in lines


def test_a_pass_names_the_counts_and_the_racy_places():
    def ordered():
        seen = []
        run(lambda: seen.append(1), lambda: seen.append(2))
        assert sorted(seen) == [1, 2]

    lines = text(wheelproof.explore(ordered)).splitlines()
    assert lines[0].startswith("exhausted: ") and lines[1].endswith("executions, 2 racy places")
    assert [line.rpartition(": ")[2] for line in lines[2:]] == ["seen.append(1)", "seen.append(2)"]


def test_values_of_an_assertion_are_found_without_calling_anything():
    class Box:
        def __init__(self):
            self.content = [3]

        @property
        def computed(self):
            raise RuntimeError("code of the program")

    def here(box, limit):
        return sys._getframe()

    frame = here(Box(), 2)
    assert values("assert len(box.content) == limit", frame) == [
        "limit is 2",
        "box.content is [3]",
    ]
    assert values("assert box.computed", frame) == [] and values("x = 1", frame) == []


def two_with_a_name():
    counter = Counter()
    threads = [threading.Thread(target=counter.increment, name="worker") for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        assert thread.name == "worker"
        thread.join()
    assert counter.count == 2


def test_threads_with_one_name_have_titles_of_their_own():
    found = explore_program(two_with_a_name)
    assert {"worker", "worker~2"} <= {step.thread for step in found.failure.steps}
    assert "worker~2" in text(found)


def patience():
    found, waiting = [], queue.Queue()

    def take():
        try:
            found.append(waiting.get(timeout=1))
        except queue.Empty:
            found.append(None)

    run(take, lambda: waiting.put(1))
    assert found == [1]


def test_a_time_out_that_fires_is_named():
    named = shown(patience)
    assert "1 time-out in it" in named and "times out on" in named
    assert "time-out" not in shown(lost_update)


@pytest.mark.parametrize(
    ("file", "name"),
    [
        (threading.__file__, "threading.py"),
        (queue.__file__, "queue.py"),
        (concurrent.futures.thread.__file__, "concurrent/futures/thread.py"),
        ("/nowhere/packages/pool/a.py", "pool/a.py"),
        (os.path.join(os.getcwd(), "impl", "a.py"), "impl/a.py"),
        ("/nowhere/a.py", "/nowhere/a.py"),
        ("", "?"),
    ],
)
def test_a_file_is_named_from_the_working_directory_or_from_where_it_is_imported(
    file, name, monkeypatch
):
    monkeypatch.setattr(sys, "path", [*sys.path, "/nowhere/packages", "/nowhere/packages/pool/b"])
    assert relative(file) == name
    place = Place(file, 7, 0, "self._flag", "key")
    assert str(place) == f"{name}:7: self._flag"
    assert repr(Site(file, 7, 0, "self._flag", "key", 1)) == str(place)


class Holder:
    def __init__(self):
        self.connection_that_is_open_at_present = None

    def put(self):
        if self.connection_that_is_open_at_present is None:
            self.connection_that_is_open_at_present = object()
            raise KeyError(self)


def addresses():
    holder = Holder()
    run(holder.put, holder.put)
    assert holder is None


def test_an_object_is_shown_without_its_address():
    lines = shown(addresses)
    assert " at 0x" not in lines
    assert "KeyError in Thread-1 (put): <tests.wheelproof.plain.test_columns.Holder object>" in (
        " ".join(lines.split())
    )
    assert "<object object>" in lines
    assert texts.value([object()]) == "[<object object>]"
    assert texts.value("port 7 at 0x7f") == "'port 7 at 0x7f'"


def test_a_name_is_broken_only_where_it_does_not_fit():
    with pytest.raises(ExplorationFailed) as caught:
        wheelproof.explore(addresses)
    name = "connection_that_is_open_at_present"
    assert name in text(caught.value.exploration, 100)
    narrow = text(caught.value.exploration, 30).splitlines()
    assert "        open_at_present =" in narrow and "      reads Holder.connection_" in narrow
    assert texts.lines("x = abc.defgh(ijk)", 10) == ["x = abc.", "  defgh(", "  ijk)"]
    assert texts.lines("abcdefghijkl", 10) == ["abcdefghij", "  kl"]
