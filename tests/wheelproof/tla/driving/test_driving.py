"""A specification drives a program through every edge, and each planted fault is a difference."""

import shutil

import pytest

from tests.docs.reading import ROOT
from tests.examples.pages import wheelproof
from tests.wheelproof.tla.plain.modules import subject
from wheelproof.errors import UsageError
from wheelproof.tla.driving import adapter
from wheelproof.tla.driving.driver import Driver
from wheelproof.tla.driving.traversal import Traversal
from wheelproof.tla.plain import behaviours, exploration
from wheelproof.tla.plain.comparison import Subject

QUEUE = ROOT / "examples/job_queue"


@pytest.fixture(scope="module")
def machine():
    return Subject(QUEUE / "JobQueue.tla", QUEUE / "JobQueue.cfg").machine()


@pytest.fixture(scope="module")
def explored(machine):
    return exploration.explore(machine)


@pytest.fixture
def changed(tmp_path):
    """A function: two texts -> the example's adapter with one in the place of the other."""

    def kind(old="", new=""):
        text = (QUEUE / "job_queue.py").read_text(encoding="utf-8")
        assert old in text
        (tmp_path / "job_queue.py").write_text(text.replace(old, new), encoding="utf-8")
        return adapter.load(f"{tmp_path}/job_queue.py:Adapter")

    return kind


def test_the_page_shows_what_the_command_prints(tmp_path):
    page = (ROOT / "docs/tla.md").read_text(encoding="utf-8")
    code, text = wheelproof(QUEUE, "tla", "JobQueue.tla", "--drive", "job_queue.py:Adapter")
    assert code == 0 and f"```\n{text}\n```" in page
    shutil.copytree(QUEUE, tmp_path / "queue")
    file = tmp_path / "queue/job_queue.py"
    file.write_text(file.read_text().replace("self.waiting.popleft()", "self.waiting.pop()"))
    arguments = ("JobQueue.tla", "--drive", "job_queue.py:Adapter")
    code, text = wheelproof(tmp_path / "queue", "tla", *arguments)
    assert code == 1 and f"```\n{text}\n```" in page
    source = (QUEUE / "job_queue.py").read_text(encoding="utf-8")
    assert "class Adapter" + source.partition("class Adapter")[2] in page


FAULTS = {
    "another order": ("waiting.popleft()", "waiting.pop()", "queue is <<1>>"),
    "a larger queue": ("JobQueue(2)", "JobQueue(1)", "queue is <<1>>"),
    "a lost job": ("self.waiting.append(job)", "pass", "queue is <<>>"),
    "never free": ("del self.busy[worker]", "pass", "holds is"),
    "an exception": ("self.jobs.finish(worker)", "raise KeyError(worker)", "raises KeyError"),
    "a wrong start": ("JobQueue(2)", "JobQueue(2); self.jobs.put(7)", "queue is <<7>>"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_planted_fault_is_a_difference(fault, changed, machine, explored):
    old, new, words = FAULTS[fault]
    report = Driver(machine, changed(old, new)).cover(explored)
    assert any(words in line for line in report.difference), report
    assert len(report.trail) <= 5, report.trail


def test_a_partial_state_is_compared_as_far_as_it_goes(changed, machine, explored):
    partial = changed('return {"queue": list(self.jobs.waiting), "holds": holds}', "return {}")
    report = Driver(machine, partial).cover(explored)
    assert (report.covered, report.difference) == (report.edges, ())


def test_a_behaviour_of_a_file_drives_a_program(machine, explored, changed, tmp_path):
    machine.invariants["Idle"] = lambda state: len(state[0]) < 2
    trace = exploration.explore(machine).trace()
    del machine.invariants["Idle"]
    file = tmp_path / "run.itf.json"
    file.write_text(behaviours.itf(machine, trace, "two jobs wait"))
    states = behaviours.read(file, machine.variables)
    labels, refusal = behaviours.follow(machine, states)
    assert refusal is None
    report = Driver(machine, changed()).behaviour(labels, states)
    assert (report.covered, report.edges, report.difference) == (2, 2, ())
    report = Driver(machine, changed("JobQueue(2)", "JobQueue(1)")).behaviour(labels, states)
    assert report.covered == 1 and report.difference


CHOOSING = """
EXTENDS Naturals
VARIABLE x
Init == x \\in {0, 4}
Grow == x < 3 /\\ x' \\in {x + 1, x + 2}
Next == Grow
"""


def test_a_step_with_several_successors_goes_on_with_the_programs(tmp_path):
    file = tmp_path / "grown.py"
    file.write_text(
        "class Adapter:\n"
        " def start(self, values): self.x = values['x']\n"
        " def Grow(self): self.x += 2\n"
        " def state(self): return {'x': self.x}\n"
    )
    item = subject(tmp_path, "Choosing", CHOOSING, "INIT Init NEXT Next CHECK_DEADLOCK FALSE")
    machine = item.machine()
    explored = exploration.explore(machine)
    report = Driver(machine, adapter.load(f"{file}:Adapter")).cover(explored)
    # 0 -> 1 is never taken, so that 1 and its two edges are never reached
    assert (report.difference, report.covered, report.edges) == ((), 2, 6)


def test_runs_take_every_edge_and_end():
    traversal = Traversal([0], [[1, 2], [0], [2, 0]])
    here, taken = 0, []
    while path := traversal.path([here]):
        for state, number in path:
            traversal.take(state, number)
            taken.append((state, number))
            here = traversal.edges[state][number]
    assert traversal.covered == 5 and set(taken) == {(0, 0), (0, 1), (1, 0), (2, 0), (2, 1)}


WRONG = {
    "has no class Other": ("class Adapter", "class Changed", "Other"),
    "has no method Finish": ("def Finish", "def finished", "Adapter"),
    "cannot be imported": ("import deque", "import dequeue", "Adapter"),
    "gives the variable line": ('"queue": list', '"line": list', "Adapter"),
    "has no TLA. value": ("list(self.jobs.waiting)", "0.5", "Adapter"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_adapter_is_refused(fault, tmp_path, machine, explored):
    old, new, name = WRONG[fault]
    text = (QUEUE / "job_queue.py").read_text(encoding="utf-8")
    (tmp_path / "wrong.py").write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(UsageError, match=fault):
        Driver(machine, adapter.load(f"{tmp_path}/wrong.py:{name}")).cover(explored)


def test_a_specification_that_is_violated_drives_nothing(tmp_path):
    shutil.copytree(QUEUE, tmp_path / "queue")
    spec = tmp_path / "queue/JobQueue.tla"
    spec.write_text(spec.read_text().replace("Len(queue) <= 2", "Len(queue) <= 1"))
    arguments = ("JobQueue.tla", "--drive", "job_queue.py:Adapter")
    code, text = wheelproof(tmp_path / "queue", "tla", *arguments)
    assert code == 2 and "breaks Short" in text
