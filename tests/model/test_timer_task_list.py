"""The model of TimerTaskList: operations of a single thread, and total properties that can fail."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.pluscal import DONE, Monitor
from model.timer_task_list import Model
from tests.model.drawing import programs
from tests.model.timer import MECHANISM, model_graph


class Buckets:
    """What the operations mean when no thread interferes: plain lists of names."""

    def __init__(self, scenario):
        self.lists = {name: list(scenario["ring"][name]) for name in scenario["lists"]}
        self.task_of = scenario["task_of"]
        self.pointer = dict.fromkeys(self.task_of.values()) | {
            self.task_of[e]: e for e in scenario["current"]
        }
        self.revoked = dict.fromkeys(self.task_of, False)
        self.owed = {
            task: sum(self.task_of[e] == task for ring in self.lists.values() for e in ring)
            for task in self.pointer
        }

    def remove(self, entry):
        for ring in self.lists.values():
            if entry in ring:
                ring.remove(entry)

    def add(self, bucket, entry):
        self.remove(entry)
        self.lists[bucket].append(entry)
        self.owed[self.task_of[entry]] += 1

    def cancel(self, task):
        self.remove(self.pointer[task])
        self.pointer[task] = None
        self.revoked |= {e: True for e in self.revoked if self.task_of[e] == task}

    def schedule(self, bucket, entry):
        task = self.task_of[entry]
        if self.pointer[task] != entry:
            self.remove(self.pointer[task])
        self.pointer[task], self.revoked[entry] = entry, False
        self.add(bucket, entry)

    def flush(self, bucket, destination):
        moved, self.lists[bucket] = self.lists[bucket], []
        self.lists[destination] += [e for e in moved if self.pointer[self.task_of[e]] == e]

    def expire(self, bucket):
        expired, self.lists[bucket] = self.lists[bucket], []
        for entry in expired:
            self.owed[self.task_of[entry]] -= self.pointer[self.task_of[entry]] == entry


def run(scenario, decision=""):
    """The model after its only thread has ended, without a decision."""
    machine = MECHANISM.without(decision).model_of(scenario)
    while machine.step(0):
        pass
    assert machine.processes[0].pc == DONE
    return machine


def seen(machine):
    """What the model says, in the form of Buckets."""
    return (
        {name: list(machine.members(name)) for name in machine.lists},
        {task: machine.timer_task_entry[task] for task in machine.tasks},
        {entry: machine.revoked[entry] for entry in machine.entries},
        {task: machine.owed[task] for task in machine.tasks},
    )


def meant(scenario):
    buckets = Buckets(scenario)
    for operation, *arguments in scenario["threads"]["a"]:
        getattr(buckets, operation)(*arguments)
    return buckets.lists, buckets.pointer, buckets.revoked, buckets.owed


START = {
    "lists": ["l1", "l2"],
    "task_of": {"e1": "t1", "e2": "t2", "e3": "t1"},
    "ring": {"l1": ["e1", "e2"], "l2": []},
    "current": ["e1", "e2"],
}


@pytest.mark.parametrize(
    "operation, l1, l2",
    [
        (["add", "l1", "e3"], ["e1", "e2", "e3"], []),
        (["add", "l2", "e1"], ["e2"], ["e1"]),
        (["add", "l1", "e1"], ["e2", "e1"], []),
        (["remove", "e1"], ["e2"], []),
        (["remove", "e3"], ["e1", "e2"], []),
        (["cancel", "t1"], ["e2"], []),
        (["schedule", "l2", "e3"], ["e2"], ["e3"]),
        (["schedule", "l1", "e1"], ["e2", "e1"], []),
        (["flush", "l1", "l2"], [], ["e1", "e2"]),
        (["flush", "l2", "l1"], ["e1", "e2"], []),
        (["expire", "l1"], [], []),
    ],
    ids=" ".join,
)
def test_an_operation_alone(operation, l1, l2):
    machine = run(START | {"threads": {"a": [operation]}})
    assert [list(machine.members(name)) for name in ("l1", "l2")] == [l1, l2]
    assert machine.task_counter == len(l1) + len(l2)


def test_an_entry_that_was_cancelled_while_linked_is_dropped_at_its_check():
    linked = START | {"current": ["e2"]}
    for operation, l2 in (["flush", "l1", "l2"], ["e2"]), (["expire", "l1"], []):
        machine = run(linked | {"threads": {"a": [operation]}})
        assert machine.members("l1") == () and list(machine.members("l2")) == l2
        assert machine.owed["t1"] == 1, "it was never handed over"


@given(programs())
def test_a_thread_alone_does_what_lists_of_names_do(scenario):
    machine = run(scenario)
    assert seen(machine) == meant(scenario)
    assert machine.task_counter == sum(map(len, seen(machine)[0].values()))
    for name in (*Model.INVARIANTS, "Termination"):
        assert getattr(machine, name)(), name
    assert not any(machine.list_monitor[name].depth for name in machine.lists)


@pytest.mark.parametrize(
    "decision, program",
    [
        ("M4", None),
        ("M5", None),
        ("M3", None),
        ("M2", None),
        ("FlushWithoutMonitor", None),
        ("UnguardedTask", None),
        ("M8", [["cancel", "t1"], ["flush", "l1", "l2"]]),
        ("M9", [["cancel", "t1"], ["expire", "l1"]]),
    ],
)
def test_what_a_decision_changes_for_a_thread_alone(decision, program):
    """Those for which no program is given matter between threads only."""
    scenario = START | {"ring": {"l1": ["e3", "e1", "e2"], "l2": []}}
    scenario["threads"] = {
        "a": program
        or [
            ["add", "l2", "e1"],
            ["schedule", "l1", "e3"],
            ["flush", "l1", "l2"],
            ["cancel", "t2"],
            ["expire", "l2"],
        ]
    }
    assert (seen(run(scenario, decision)) == meant(scenario)) == (program is None)
    assert seen(run(scenario)) == meant(scenario)


# -- properties

NAMES = ("l1", "l2", "e1", "e2", "e3", None)
SCENARIO = START | {"threads": {"a": [["add", "l1", "e3"]], "b": [["cancel", "t1"]]}}
monitors = st.builds(Monitor, st.sampled_from(["a", "b", None]), st.integers(-1, 3))


def corrupted(machine, **places):
    """Set places of the model such as ``next__e1``; a scalar by its attribute's name."""
    machine.load(machine.initial())
    for place, value in places.items():
        variable, _, name = place.partition("__")
        if name:
            getattr(machine, variable)[name] = value
        else:
            setattr(machine, variable, value)
    return machine


@given(st.data())
def test_every_property_is_total(data):
    machine = Model(SCENARIO)
    for node in (*machine.lists, *machine.entries):
        machine.next[node] = data.draw(st.sampled_from(NAMES))
        machine.prev[node] = data.draw(st.sampled_from(NAMES))
    for entry in machine.entries:
        machine.list[entry] = data.draw(st.sampled_from(NAMES))
        machine.entry_monitor[entry] = data.draw(monitors)
        machine.revoked[entry] = data.draw(st.booleans())
    for name in machine.lists:
        machine.list_monitor[name] = data.draw(monitors)
    for task in machine.tasks:
        machine.timer_task_entry[task] = data.draw(st.sampled_from(NAMES))
        machine.owed[task] = data.draw(st.integers(-2, 2))
    machine.task_counter = data.draw(st.integers(-3, 5))
    machine.slipped = data.draw(st.frozensets(st.sampled_from(NAMES)))
    for process in machine.processes:
        process.pc = data.draw(st.sampled_from(["T0", "A3", "U3", "K1", DONE]))
        process.ke, process.ue, process.ae = (
            data.draw(st.sampled_from(["e1", "e2", "e3"])) for _ in range(3)
        )
    state = machine.freeze()
    for name in (*Model.INVARIANTS, *Model.OF_PROCESSES, *Model.WITNESSES):
        assert machine.holds(name, state) in (True, False), name


BROKEN = {
    "TypeOK": [
        {"next__e1": "t1"},
        {"prev__l1": "ghost"},
        {"list__e1": "e2"},
        {"timer_task_entry__t1": "l1"},
        {"task_counter": -1},
        {"slipped": frozenset({"t1"})},
    ],
    "AtMostOneList": [{"next__l2": "e2"}],
    "ExactlyItsList": [
        {"list__e1": None},
        {"list__e1": "l2"},
        {"list__e3": "l1"},
        {"next__l1": "e2"},
    ],
    "RingWellFormed": [
        {"prev__e2": "l1"},
        {"next__e2": "e1"},
        {"next__e2": None},
        {"prev__l1": None},
        {"next__l2": "e1"},
    ],
    "CounterExact": [{"task_counter": 3}, {"task_counter": 1}, {"next__l1": "e2"}],
    "CancelWins": [{"slipped": frozenset({"e1"})}],
    "RunsOncePerAdd": [{"owed__t1": -1}],
}


@pytest.mark.parametrize("name", BROKEN)
def test_every_invariant_holds_at_first_and_can_be_false(name):
    machine = Model(SCENARIO)
    assert machine.holds(name, machine.initial())
    for places in BROKEN[name]:
        state = corrupted(machine, **places).freeze()
        assert not machine.holds(name, state), places


def test_other_lists_sentinels_are_no_entries():
    state = corrupted(Model(SCENARIO), next__l2="l1").freeze()
    assert Model(SCENARIO).holds("CounterExact", state) and not Model(SCENARIO).holds(
        "AtMostOneList", state
    )


def test_every_invariant_has_such_a_state():
    assert set(BROKEN) == set(Model.INVARIANTS)


def test_locks_excuse_what_they_guard():
    """In the middle of a move, ring and counter may be wrong; an entry in two lists may not be."""
    held = {"list_monitor__l1": Monitor("a", 1)}
    machine = Model(SCENARIO)
    for name, places in {
        "ExactlyItsList": {"list__e1": None},
        "RingWellFormed": {"prev__e2": "l1"},
        "CounterExact": {"task_counter": 3},
    }.items():
        assert machine.holds(name, corrupted(machine, **places, **held).freeze())
    assert not machine.holds(
        "ExactlyItsList", corrupted(machine, list__e3="l2", **held).freeze()
    ), "l1 does not guard e3"
    assert machine.holds(
        "ExactlyItsList",
        corrupted(machine, list__e3="l2", entry_monitor__e3=Monitor("b", 1)).freeze(),
    )
    assert not machine.holds("AtMostOneList", corrupted(machine, next__l2="e2", **held).freeze())


@pytest.mark.parametrize(
    "name, scenario",
    [
        ("AddMustRetry", "two_adders"),
        ("RemoveComesTooLate", "remove_cancel"),
        ("CancelledInTheHand", "expire_cancel"),
        ("HandedOver", "expire_cancel"),
        ("MonitorEnteredTwice", "expire_cancel"),
        ("CancelledStaysLinked", "flush_add_cancel_two_entries"),
    ],
)
def test_every_witness_is_reached(name, scenario):
    graph = model_graph(scenario)
    reached = [graph.model.holds(name, state) for state in graph.states]
    assert any(reached) and not all(reached)
    assert not graph.model.holds(name, graph.states[0])


def test_every_property_and_witness_is_a_name_of_the_toml_or_has_its_scenario():
    assert set(Model.INVARIANTS) == set(MECHANISM.invariants)
    assert len(Model.WITNESSES) == 6
