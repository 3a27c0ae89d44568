"""The model of DelayedOperation: events of a single thread, and total properties that can fail."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.delayed_operation import OUTER, Model
from model.pluscal import DONE, FREE, Monitor
from tests.model.delayed_operation import MECHANISM, PROTOCOLS, model_graph, scenario


class Operations:
    """What the events mean when no thread interferes: all three protocols are the same."""

    def __init__(self, of):
        self.of, self.ready = of, set()
        self.completions, self.expirations = (
            dict.fromkeys(of["protocol"], 0),
            dict.fromkeys(of["protocol"], 0),
        )

    def complete(self, operation):
        """Whether this call completed the operation; what onComplete raises comes out."""
        if self.completions[operation]:
            return False
        self.completions[operation] = 1
        if operation in self.of["raises"]:
            raise RuntimeError
        for other in self.of["completes"][operation]:
            self.complete(other)
        return True

    def attempt(self, operation):
        if self.ready.issuperset(self.of["needs"][operation]):
            self.complete(operation)

    def deliver(self, condition, operation):
        self.ready.add(condition)
        self.attempt(operation)

    deliver_holding = deliver

    def hold(self, operation):
        pass

    def expire(self, operation):
        if self.complete(operation):
            self.expirations[operation] += 1


def run(of, decision=""):
    """The model without the decision, after its only thread has ended."""
    machine = MECHANISM.without(decision).model_of(of)
    while machine.step(0):
        pass
    assert machine.processes[0].pc == DONE
    return machine


def seen(machine):
    """What the model says, in the form of Operations."""
    return (
        {name for name in ("c1", "c2", "c3") if machine.ready[name]},
        {name: machine.completions[name] for name in machine.operations},
        {name: machine.expirations[name] for name in machine.operations},
    )


def meant(of):
    operations = Operations(of)
    for name, *arguments in of["threads"]["a"]:
        with suppress(RuntimeError):
            getattr(operations, name)(*arguments)
    return operations.ready, operations.completions, operations.expirations


C1, C2, C3 = ["deliver", "c1", "o"], ["deliver", "c2", "o"], ["deliver", "c3", "p"]
TRY, RUN, HOLD = ["attempt", "o"], ["expire", "o"], ["hold", "o"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "program, completed, expired",
    [
        ([], 0, 0),
        ([TRY], 0, 0),
        ([C1], 0, 0),
        ([C2], 0, 0),
        ([HOLD], 0, 0),
        ([C1, C2], 1, 0),
        ([C2, C1], 1, 0),
        ([C1, C2, TRY, C1], 1, 0),
        ([C1, HOLD, C2], 1, 0),
        ([RUN], 1, 1),
        ([RUN, RUN], 1, 1),
        ([RUN, C1, C2], 1, 1),
        ([C1, C2, RUN], 1, 0),
        ([["deliver_holding", "c1", "o"], C2], 1, 0),
    ],
)
def test_events_alone(protocol, program, completed, expired):
    machine = run(scenario(protocol, a=program))
    assert (machine.completions["o"], machine.expirations["o"]) == (completed, expired)
    assert machine.completed["o"] == (not machine.armed["o"]) == bool(completed)
    assert machine.winner["o"] == ("a" if completed else None) and machine.expired_by["o"] == (
        frozenset("a") if expired else frozenset()
    )
    assert machine.completions["p"] == machine.expirations["p"] == 0


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_on_complete_completes_another_one_and_itself_never_again(protocol):
    machine = run(scenario(protocol, completes={"o": ["p"]}, a=[C1, C2]))
    assert seen(machine)[1] == {"o": 1, "p": 1} and seen(machine)[2] == {"o": 0, "p": 0}
    machine = run(scenario(protocol, completes={"o": ["p"], "p": ["o"]}, a=[C3, RUN]))
    assert seen(machine)[1] == {"o": 1, "p": 1} and not machine.won["a"], (
        "o was complete when its timer came"
    )
    machine = run(scenario(protocol, completes={"o": ["o"]}, a=[C1, C2, TRY]))
    assert seen(machine)[1] == {"o": 1, "p": 0}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("program", [[C1, C2], [RUN], [C1, C2, TRY, RUN]])
def test_what_on_complete_raises_leaves_the_operation_completed_and_its_lock_free(
    protocol, program
):
    machine = run(scenario(protocol, raises=("o",), a=program))
    assert machine.completed["o"] and machine.completions["o"] == 1 and not machine.armed["o"]
    assert machine.lock["o"] == FREE and machine.expirations["o"] == 0


@st.composite
def alone(draw):
    """A scenario of one thread, whatever onComplete does."""
    name = st.sampled_from("op")
    event = st.one_of(
        st.sampled_from([C1, C2, C3, ["deliver_holding", "c1", "o"], ["deliver", "c3", "o"]]),
        st.tuples(st.sampled_from(["attempt", "hold", "expire"]), name).map(list),
    )
    following = st.lists(name, max_size=1)
    return scenario(
        draw(st.sampled_from(PROTOCOLS)),
        completes={"o": draw(following), "p": draw(following)},
        raises=tuple(draw(st.sets(name))),
        locking=tuple(draw(st.sets(name))),
        a=draw(st.lists(event, max_size=8)),
    )


@given(alone())
def test_a_thread_alone_does_what_flags_do(of):
    machine = run(of)
    assert seen(machine) == meant(of)
    assert (
        all(machine.lock[name] == FREE for name in machine.operations)
        and machine.outer[OUTER] == FREE
    )
    assert not any(machine.pending[name] for name in machine.operations), (
        "no thread was there to leave a note"
    )
    for name in Model.INVARIANTS:
        # an event that is brought to the wrong operation is seen by no thread
        assert (
            getattr(machine, name)()
            or name == "NoLostCompletion"
            and ["deliver", "c3", "o"] in of["threads"]["a"]
        ), name
    assert machine.Termination()


@pytest.mark.parametrize(
    "decision, protocol, program, raises",
    [
        ("P1", "TryPending", None, ()),
        ("P9", "TryPending", None, ()),
        ("ClearedLate", "TryPending", None, ()),
        ("ReadEarly", "TryPending", None, ()),
        ("NoRetry", "TryPending", None, ()),
        ("BlockingTry", "TryPending", None, ()),
        ("P11", "Blocking", None, ()),
        ("P10", "Blocking", None, ()),
        ("UnlockedTry", "LockedTry", None, ()),
        ("P12", "TryPending", [C1, C2, RUN], ()),
        ("P12", "Blocking", [RUN, RUN], ()),
        ("P12", "Blocking", None, ("o",)),
    ],
)
def test_what_a_decision_changes_for_a_thread_alone(decision, protocol, program, raises):
    """Those for which no program is given matter between threads only."""
    of = scenario(
        protocol, completes={"o": ["p"]}, raises=raises, a=program or [C1, TRY, C3, HOLD, C2, TRY]
    )
    assert (seen(run(of, decision)) == meant(of)) == (program is None)
    assert seen(run(of)) == meant(of)


# -- properties

SCENARIO = scenario("Blocking", a=[C1], b=[C2], x=[RUN])
PENDING = scenario("TryPending", a=[C1], b=[C2], x=[RUN])


def corrupted(machine, pcs=(), retry=False, **places):
    """Set variables of the model such as ``lock__o``, the processes' labels, and their notes."""
    machine.load(machine.initial())
    for place, value in places.items():
        variable, _, name = place.partition("__")
        getattr(machine, variable)[name] = value
    for process, pc in zip(machine.processes, pcs):
        process.pc, process.retry = pc, retry
        process.yo = process.po = process.lo = process.bo = process.xo = process.co = process.oo = (
            "o"
        )
    return machine


@given(st.data(), st.sampled_from(PROTOCOLS))
def test_every_property_is_total(data, protocol):
    machine = Model(scenario(protocol, a=[C1], b=[C2], x=[RUN]))
    draw, people = data.draw, st.sampled_from(["a", "b", "x", "o", None])
    monitors = st.builds(Monitor, people, st.integers(-1, 3))
    for name in machine.operations:
        for function in machine.completed, machine.pending, machine.armed:
            function[name] = draw(st.booleans())
        machine.lock[name] = draw(monitors)
        machine.completions[name], machine.expirations[name] = (
            draw(st.integers(-2, 5)),
            draw(st.integers(-2, 5)),
        )
        machine.winner[name], machine.expired_by[name] = draw(people), draw(st.frozensets(people))
    for name in ("c1", "c2", "c3"):
        machine.ready[name] = draw(st.booleans())
    for name in machine.threads:
        machine.won[name], machine.raised[name], machine.gave_up[name] = (
            draw(st.booleans()) for _ in range(3)
        )
    machine.outer[OUTER] = draw(monitors)
    for process in machine.processes:
        process.pc = draw(st.sampled_from(["T0", "T1", "Y1", "P5", "P6", "P3", "L7", DONE]))
        process.yo = process.po = process.lo = draw(st.sampled_from("op"))
        process.retry = draw(st.booleans())
    state = machine.freeze()
    for name in (
        *Model.INVARIANTS,
        *Model.OF_PROCESSES,
        *Model.WITNESSES,
        "EveryLoserRetries",
        "CompletesOnce",
    ):
        assert machine.holds(name, state) in (True, False), name


ALL_READY = {"ready__c1": True, "ready__c2": True}
BROKEN = {
    "TypeOK": [
        {"completions__o": -1},
        {"completions__p": 4},
        {"expirations__o": 2},
        {"lock__o": Monitor("o", 1)},
        {"winner__o": "p"},
        {"expired_by__o": frozenset({"o"})},
        {"outer__outer": Monitor("o", 1)},
    ],
    "CompletedOnce": [{"completions__o": 2}, {"completions__p": 2}],
    "NoLostCompletion": [
        {"pcs": (DONE, DONE, "T0"), **ALL_READY},
        {"pcs": (DONE, DONE, DONE), "ready__c3": True},
    ],
    "ExpiredByTimeoutOnly": [
        {"expired_by__o": frozenset({"x"})},
        {"expired_by__p": frozenset({"a", "x"}), "winner__p": "x"},
    ],
    "OneTries": [{"pcs": ("Y1", "Y1")}, {"pcs": ("Y1", "T0", "Y1")}],
    "TryExcludesComplete": [{"pcs": ("Y1",), "completions__o": 1}],
    "TryAlwaysExcludesComplete": [{"pcs": ("Y1",), "completions__o": 1}],
    "EveryLoserRetries": [
        {"gave_up__a": True, "pcs": ("P6", "P6", "P1"), "retry": True, "lock__o": Monitor("x", 1)}
    ],
}


@pytest.mark.parametrize("name", BROKEN)
def test_every_invariant_holds_at_first_and_can_be_false(name):
    machine = Model(SCENARIO)
    assert machine.holds(name, machine.initial())
    for places in BROKEN[name]:
        assert not machine.holds(name, corrupted(machine, **places).freeze()), places


def test_every_invariant_has_such_a_state():
    of_states = {name for name, of in MECHANISM.properties.items() if of.kind == "invariant"}
    assert set(BROKEN) == of_states and set(Model.INVARIANTS) == set(MECHANISM.invariants)
    assert of_states - set(Model.INVARIANTS) == {
        name for name, of in MECHANISM.properties.items() if not of.holds
    }


def test_what_excuses_a_property():
    machine, pending = Model(SCENARIO), Model(PENDING)
    here = corrupted(machine, (DONE, "B1", DONE), **ALL_READY).freeze()
    assert machine.holds("NoLostCompletion", here), "b may still look"
    assert machine.holds(
        "NoLostCompletion",
        corrupted(machine, (DONE, DONE, "T0"), completed__o=True, **ALL_READY).freeze(),
    )
    assert machine.holds(
        "NoLostCompletion", corrupted(machine, (DONE, DONE, DONE), ready__c1=True).freeze()
    ), "c2 is not there"
    beside = corrupted(pending, ("Y1",), completions__o=1).freeze()
    assert pending.holds("TryExcludesComplete", beside) and not pending.holds(
        "TryAlwaysExcludesComplete", beside
    )
    assert machine.holds(
        "TryExcludesComplete", corrupted(machine, ("Y1",), completions__p=1).freeze()
    ), "another operation's onComplete"


@pytest.mark.parametrize("name", ["CompletesOnce", "Termination"])
def test_what_must_come_true_is_not_so_at_first(name):
    of = scenario(completes={"o": ["p"]}, a=[C1, C2])
    machine = Model(of)
    assert not machine.holds(name, machine.initial()) and getattr(run(of), name)()


def test_properties_of_shared_variables_do_not_look_at_the_processes():
    """Those not in OF_PROCESSES are evaluated once per value of the shared variables."""
    graph = model_graph("two_completers_expirer")
    for name in {*Model.INVARIANTS, "EveryLoserRetries", "CompletesOnce"} - Model.OF_PROCESSES:
        answers = {}
        for state in graph.states[:3_000]:
            assert answers.setdefault(state[0], answer := graph.model.holds(name, state)) == answer


@pytest.mark.parametrize(
    "name, within",
    [
        ("LockNotHad", "two_completers"),
        ("NoteSeen", "two_completers"),
        ("ExpiryWins", "blocking"),
        ("ExpiryTooLate", "blocking"),
        ("Unwinding", "blocking_raising"),
        ("Unwinding", "try_once_raising"),
    ],
)
def test_every_witness_is_reached(name, within):
    graph = model_graph(within)
    reached = [graph.model.holds(name, state) for state in graph.states]
    assert any(reached) and not all(reached)
    assert not reached[0]


@pytest.mark.parametrize(
    "name, without",
    [
        ("LockNotHad", "blocking"),
        ("NoteSeen", "try_once"),
        ("ExpiryWins", "two_completers"),
        ("ExpiryTooLate", "two_completers"),
        ("Unwinding", "blocking"),
    ],
)
def test_a_witness_needs_its_scenario(name, without):
    graph = model_graph(without)
    assert not any(graph.model.holds(name, state) for state in graph.states)
