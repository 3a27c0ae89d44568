"""What cannot be recorded ends the command, with its name and its place, and leaves no file."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from typer.testing import CliRunner

from tests.wheelproof.trace.steps.projects import scenario, written
from wheelproof.cli import app
from wheelproof.errors import UsageError
from wheelproof.trace.steps.record import record


class Fault(NamedTuple):
    """A text of a project's implementation and what stands there instead, behind a ``head``.

    ``says``: the problem that is reported, with the line that has ``new`` in front.
    """

    name: str
    old: str
    new: str
    program: dict[str, object]
    says: str
    head: str = ""


PUT = scenario(a="put 1", b="get")
SET = scenario(a="set", b="wait")
UNLABELLED = "cannot be recorded: its line has no label"
WITHIN = "it is within an operation of another mechanism that is one step."
FAULTS = {
    "made by the set-up": Fault(
        "queue",
        'Queue(scenario["room"])',
        "SimpleQueue()",
        PUT,
        "queue.SimpleQueue cannot be recorded.",
        "from queue import SimpleQueue",
    ),
    "made by a thread": Fault(
        "queue",
        "self.todo.put(n)  # wait P1",
        "Semaphore(n).acquire()",
        PUT,
        "threading.Semaphore cannot be recorded.",
        "from threading import Semaphore",
    ),
    "under another name": Fault(
        "barrier",
        "self.round.reset()  # notify R1",
        "Flag().set()",
        scenario(a="reset"),
        "threading.Event cannot be recorded.",
        "from threading import Event as Flag",
    ),
    "by its module": Fault(
        "event",
        "self.ready.set()  # write S1",
        "threading.Lock().acquire()",
        SET,
        "threading.Lock cannot be recorded.",
        "import threading",
    ),
    "derived": Fault(
        "event",
        "self.ready.set()  # write S1",
        "Mine().notify_all()",
        SET,
        "threading.Condition cannot be recorded.",
        "import threading\nclass Mine(threading.Condition):\n    pass",
    ),
    "a put without a label": Fault(
        "queue",
        "self.todo.put(n)  # wait P1",
        "self.todo.put(n)",
        PUT,
        f"Queue.put {UNLABELLED} '# wait <Name>'.",
    ),
    "a try labelled as a wait": Fault(
        "lifo_queue",
        "self.todo.get()  # wait G1",
        "self.todo.get_nowait()  # wait G1",
        PUT,
        f"LifoQueue.get_nowait {UNLABELLED} '# try <Name>'.",
    ),
    "a wake without a label": Fault(
        "event",
        "self.ready.wait()  # wait W1, wake W2",
        "self.ready.wait()  # wait W1",
        scenario(a="wait"),
        f"Event.wait {UNLABELLED} '# wake <Name>'.",
    ),
    "a release without a label": Fault(
        "semaphore",
        "with self.places:  # lock H1, unlock H2",
        "with self.places:  # lock H1",
        scenario(a="hold"),
        f"Semaphore.__exit__ {UNLABELLED} '# unlock <Name>'.",
    ),
    "a look without a label": Fault(
        "barrier",
        "return self.round.broken  # read K1",
        "return self.round.broken",
        scenario(a="ask"),
        f"Barrier.broken {UNLABELLED} '# read <Name>'.",
    ),
    "a step within a step": Fault(
        "priority_queue",
        "self.todo.put(n)  # wait P1",
        "self.todo.put(Item(self.todo))  # wait P1",
        scenario(a="put 1; put 2"),
        "a step of kind read within PriorityQueue.put, which is one step.",
        "class Item:\n"
        "    def __init__(self, todo):\n"
        "        self.todo = todo\n"
        "    def __lt__(self, other):\n"
        "        return self.todo.qsize() == 0  # read I1",
    ),
}


def changed(root, fault):
    """The project with the fault; its mechanism, and ``file:line`` of what is refused."""
    mechanism = written(root, fault.name, fault.old, fault.new)
    file = root / f"impl/{fault.name}.py"
    text = file.read_text().replace("\nclass Box:", f"\n{fault.head}\nclass Box:")
    file.write_text(text)
    named = "return self.todo.qsize() == 0" if "Item" in fault.head else fault.new
    line = next(at for at, each in enumerate(text.splitlines(), 1) if named in each)
    return mechanism, f"impl/{fault.name}.py:{line}"


@pytest.mark.parametrize("fault", FAULTS)
def test_what_cannot_be_recorded_is_reported_with_its_place(fault, tmp_path):
    mechanism, place = changed(tmp_path, FAULTS[fault])
    with pytest.raises(UsageError) as caught:
        record(mechanism, FAULTS[fault].program, "refused")
    assert f"{place}: {FAULTS[fault].says}" in str(caught.value)


@pytest.mark.parametrize("name", sorted({each.name for each in FAULTS.values()}))
def test_the_same_projects_without_a_fault_are_recorded(name, tmp_path):
    mechanism = written(tmp_path, name)
    for program in (each.program for each in FAULTS.values() if each.name == name):
        assert record(mechanism, program, "whole").events


def test_a_directed_run_is_refused_for_the_same_reason(tmp_path):
    """And not because the schedule names a step to which the thread does not come."""
    mechanism, place = changed(tmp_path, FAULTS["a put without a label"])
    schedule = [("a", "P1"), ("b", "G1")]
    with pytest.raises(UsageError, match=f"{place}: Queue.put"):
        record(mechanism, PUT, "refused", schedule=schedule)


def test_the_command_ends_with_the_code_of_a_wrong_project(tmp_path):
    mechanism, place = changed(tmp_path, FAULTS["made by the set-up"])
    file = tmp_path / "stuck.jsonl"
    command = ("trace", "record", "queue", "stuck", "--steps", "-o", file, "--subject", tmp_path)
    result = CliRunner().invoke(app, [str(word) for word in command])
    assert result.exit_code == 2
    assert f"{place}: queue.SimpleQueue cannot be recorded." in result.stderr
    assert mechanism.name == "queue" and not file.exists()


LOWER = """from impl.runtime import Queue

class Lower:
    __slots__ = ("queue",)

    def __init__(self):
        self.queue = Queue()

    def put(self, n):
        self.queue.put(n)  # wait L1
"""


def test_a_queue_within_an_operation_that_is_one_step_is_refused(tmp_path):
    mechanism, place = changed(
        tmp_path,
        Fault(
            "queue",
            "self.todo.put(n)  # wait P1",
            "Lower().put(n)  # wait P1",
            PUT,
            "",
            "from impl.lower import Lower",
        ),
    )
    (tmp_path / "impl/lower.py").write_text(LOWER)
    harness = tmp_path / "harness/queue.py"
    harness.write_text(harness.read_text() + '\nATOMIC = {"impl.lower": ()}\n')
    with pytest.raises(UsageError) as caught:
        record(mechanism, PUT, "refused")
    assert f"impl/lower.py:10: Queue.put cannot be recorded: {WITHIN}" in str(caught.value)
    assert place.startswith("impl/queue.py")
