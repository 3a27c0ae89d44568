"""The production classes: plain slots, the standard library's monitors, and one thread."""

import sys
import threading
from types import MemberDescriptorType

import pytest

from impl import runtime
from impl.runtime import Atomic
from impl.timer_task_list import TimerTask, TimerTaskEntry, TimerTaskList
from tests.impl.packages import imported, imports
from tests.model.timer import NAME, ROOT, source
from wheelproof.python import ControlledImplementation

CLASSES = (TimerTask, TimerTaskEntry, TimerTaskList)
SAMPLES = {
    TimerTask: TimerTask(1),
    TimerTaskEntry: TimerTaskEntry(None, 1),
    TimerTaskList: TimerTaskList(Atomic(0)),
}


# -- production costs nothing


@pytest.mark.parametrize("cls", CLASSES)
def test_fields_are_slots(cls):
    assert not hasattr(SAMPLES[cls], "__dict__")
    for name in cls.__slots__:
        assert type(cls.__dict__[name]) is MemberDescriptorType
    with pytest.raises(AttributeError):
        SAMPLES[cls].another = 1


@pytest.mark.parametrize("cls", CLASSES)
def test_monitors_are_the_standard_librarys(cls):
    assert type(SAMPLES[cls].monitor) is type(threading.RLock())
    assert runtime.Monitor is threading.RLock and runtime.Lock is threading.Lock


def test_loading_under_control_leaves_production_alone():
    before = {cls: dict(vars(cls)) for cls in CLASSES}
    subject = ControlledImplementation.load(ROOT, NAME)
    subject.begin(
        {
            "lists": ["l"],
            "task_of": {"e": "t"},
            "ring": {"l": ["e"]},
            "current": ["e"],
            "threads": {"c": [["cancel", "t"]]},
        }
    ).end()
    assert before == {cls: dict(vars(cls)) for cls in CLASSES}
    assert sys.modules[TimerTask.__module__].Monitor is threading.RLock
    assert subject._loaded.modules[f"impl.{NAME}"].TimerTask is not TimerTask
    test_fields_are_slots(TimerTaskEntry)


def test_production_imports_the_standard_library_only():
    assert imported(f"import impl.{NAME}") == "impl"
    assert imported(f"import model.{NAME}") == "model"
    assert imported(f"import harness.{NAME}") == "harness impl"
    assert imported(f"import impl.{NAME}, greenlet, wheelproof") == "greenlet impl wheelproof", (
        "the probe sees what is there"
    )


@pytest.mark.parametrize(
    "artefact, others", [("impl", set()), ("model", set()), ("harness", {"impl"})]
)
def test_artefacts_do_not_import_upwards(artefact, others):
    files = list((ROOT / artefact).glob("**/*.py"))
    assert len(files) >= 2
    for file in files:
        assert (
            imports(file.read_text(encoding="utf-8")) - set(sys.stdlib_module_names)
            <= {artefact} | others
        )


def test_that_rule_sees_an_import_of_the_tool():
    assert "wheelproof" in imports("def f():\n    from wheelproof.python import check\n")
    assert "wheelproof" not in imports(source("impl"))


# -- what the operations do


class Bucketed:
    """Lists that share a counter, and what is in them."""

    def __init__(self, lists: int = 2) -> None:
        self.counter = Atomic(0)
        self.lists = [TimerTaskList(self.counter) for _ in range(lists)]

    def put(self, bucket: int, count: int) -> list[TimerTaskEntry]:
        entries = [TimerTaskEntry(TimerTask(1), i) for i in range(count)]
        for entry in entries:
            self.lists[bucket].add(entry)
        return entries

    def inside(self, bucket: int) -> list[TimerTaskEntry]:
        """Along next; prev, list and the sentinel are checked on the way."""
        root, out = self.lists[bucket].root, []
        node = root
        while (after := node.next) is not root:
            assert after.prev is node and after.list is self.lists[bucket]
            out.append(after)
            node = after
        assert root.prev is node
        return out

    def free(self) -> bool:
        """Whether another thread can have every list's monitor."""
        answers = []

        def try_all():
            for bucket in self.lists:
                answers.append(bucket.monitor.acquire(blocking=False))
                if answers[-1]:
                    bucket.monitor.release()

        thread = threading.Thread(target=try_all)
        thread.start()
        thread.join()
        return all(answers)


@pytest.fixture
def harness():
    return Bucketed()


def test_a_new_list_is_its_own_ring(harness):
    assert harness.inside(0) == [] and harness.lists[0].root.timer_task is None


def test_add_links_at_the_tail(harness):
    entries = harness.put(0, 3)
    assert harness.inside(0) == entries and harness.counter.get() == 3


def test_add_takes_the_entry_out_of_its_list_first(harness):
    first, second, third = harness.put(0, 3)
    harness.lists[1].add(second)
    assert (harness.inside(0), harness.inside(1), harness.counter.get()) == (
        [first, third],
        [second],
        3,
    )
    harness.lists[0].add(first)
    assert harness.inside(0) == [third, first] and harness.counter.get() == 3


@pytest.mark.parametrize("index", [0, 1, 2])
def test_remove_unlinks_and_clears(harness, index):
    entries = harness.put(0, 3)
    entry = entries.pop(index)
    entry.remove()
    assert harness.inside(0) == entries and harness.counter.get() == 2
    assert (entry.list, entry.next, entry.prev) == (None, None, None)
    entry.remove()
    assert harness.inside(0) == entries and harness.counter.get() == 2


def test_remove_of_a_list_asks_whether_it_has_the_entry(harness):
    (entry,) = harness.put(0, 1)
    harness.lists[1].remove(entry)
    assert harness.inside(0) == [entry] and harness.counter.get() == 1


def test_cancel_unlinks_and_tells_for_ever(harness):
    first, second = harness.put(0, 2)
    assert not first.cancelled()
    first.timer_task.cancel()
    assert first.cancelled() and not second.cancelled()
    assert harness.inside(0) == [second] and first.timer_task.timer_task_entry is None
    first.timer_task.cancel()
    harness.lists[0].add(first)
    assert first.cancelled(), "only a new entry revives a task"


def test_a_new_entry_takes_its_predecessor_out(harness):
    task = TimerTask(1)
    old = TimerTaskEntry(task, 1)
    harness.lists[0].add(old)
    new = TimerTaskEntry(task, 2)
    assert harness.inside(0) == [] and old.cancelled() and not new.cancelled()
    harness.lists[1].add(new)
    task.set_timer_task_entry(new)
    assert harness.inside(1) == [new], "the same entry stays"


def test_flush_hands_over_head_first_and_out_of_the_list(harness):
    entries, seen = harness.put(0, 4), []
    harness.lists[0].flush(lambda entry: seen.append((entry, entry.list, len(harness.inside(0)))))
    assert seen == [(entry, None, left) for entry, left in zip(entries, (3, 2, 1, 0))]
    assert harness.inside(0) == [] and harness.counter.get() == 0 and harness.free()


def test_flush_holds_the_monitor_while_it_calls_back(harness):
    harness.put(0, 1)
    answers = []
    harness.lists[0].flush(lambda entry: answers.append(harness.free()))
    assert answers == [False] and harness.free()


def test_flush_moves_entries_in_their_order(harness):
    entries = harness.put(0, 3)
    harness.lists[0].flush(harness.lists[1].add)
    assert harness.inside(0) == [] and harness.inside(1) == entries and harness.counter.get() == 3


def test_flush_also_hands_over_what_the_callback_adds(harness):
    """An entry that goes back into the bucket under its flush comes up again; not in Kafka."""
    entries, seen = harness.put(0, 2), []

    def callback(entry):
        seen.append(entry)
        if len(seen) <= 2:
            harness.lists[0].add(entry)

    harness.lists[0].flush(callback)
    assert seen == [*entries, *entries] and harness.inside(0) == []


@pytest.mark.parametrize("fails_at", [0, 1, 2])
def test_an_exception_in_the_callback_leaves_the_rest_linked(harness, fails_at):
    """The entry in hand is out, earlier ones are where the callback put them, monitors are free."""
    entries, seen = harness.put(0, 3), []

    def callback(entry):
        if len(seen) == fails_at:
            raise RuntimeError("from the callback")
        seen.append(entry)
        harness.lists[1].add(entry)

    with pytest.raises(RuntimeError, match="from the callback"):
        harness.lists[0].flush(callback)
    lost = entries[fails_at]
    assert (
        harness.inside(0) == entries[fails_at + 1 :]
        and harness.inside(1) == entries[:fails_at] == seen
    )
    assert (lost.list, lost.next, lost.prev) == (None, None, None)
    assert harness.counter.get() == 2 and harness.free()
    harness.lists[0].flush(harness.lists[1].add)
    assert harness.inside(0) == []
